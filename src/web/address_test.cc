#include "web/address.h"

#include <gtest/gtest.h>

#include <vector>

#include "web/private_hosts.h"

namespace talaria {
namespace {

struct Case {
  const char* text;
  bool is_public;
};

// The first and the last address of each range, and their neighbours outside.
constexpr Case cases[] = {
    {"0.0.0.0", false},
    {"0.255.255.255", false},
    {"1.0.0.0", true},
    {"1.1.1.1", true},
    {"8.8.8.8", true},
    {"9.255.255.255", true},
    {"10.0.0.0", false},
    {"10.255.255.255", false},
    {"11.0.0.0", true},
    {"100.63.255.255", true},
    {"100.64.0.0", false},
    {"100.100.100.200", false},
    {"100.127.255.255", false},
    {"100.128.0.0", true},
    {"126.255.255.255", true},
    {"127.0.0.0", false},
    {"127.0.0.1", false},
    {"127.255.255.255", false},
    {"128.0.0.0", true},
    {"168.63.129.15", true},
    {"168.63.129.16", false},
    {"168.63.129.17", true},
    {"169.253.255.255", true},
    {"169.254.0.0", false},
    {"169.254.169.254", false},
    {"169.254.255.255", false},
    {"169.255.0.0", true},
    {"172.15.255.255", true},
    {"172.16.0.0", false},
    {"172.31.255.255", false},
    {"172.32.0.0", true},
    {"191.255.255.255", true},
    {"192.0.0.0", false},
    {"192.0.0.192", false},
    {"192.0.1.0", true},
    {"192.0.2.0", false},
    {"192.0.2.255", false},
    {"192.0.3.0", true},
    {"192.88.98.255", true},
    {"192.88.99.1", false},
    {"192.88.100.0", true},
    {"192.167.255.255", true},
    {"192.168.0.0", false},
    {"192.168.255.255", false},
    {"192.169.0.0", true},
    {"198.17.255.255", true},
    {"198.18.0.0", false},
    {"198.19.255.255", false},
    {"198.20.0.0", true},
    {"198.51.99.255", true},
    {"198.51.100.0", false},
    {"198.51.101.0", true},
    {"203.0.112.255", true},
    {"203.0.113.0", false},
    {"203.0.113.255", false},
    {"203.0.114.0", true},
    {"223.255.255.255", true},
    {"224.0.0.0", false},
    {"239.255.255.255", false},
    {"240.0.0.0", false},
    {"255.255.255.255", false},
    {"::", false},
    {"::1", false},
    {"::2", false},
    {"::8.8.8.8", false},
    {"::127.0.0.1", false},
    {"::ffff:8.8.8.8", true},
    {"::ffff:127.0.0.1", false},
    {"::ffff:10.1.2.3", false},
    {"::ffff:169.254.169.254", false},
    {"::ffff:0:127.0.0.1", false},
    {"64:ff9b::8.8.8.8", true},
    {"64:ff9b::10.0.0.1", false},
    {"64:ff9b::169.254.169.254", false},
    {"64:ff9b:1::8.8.8.8", false},
    {"100::1", false},
    {"1fff:ffff::1", false},
    {"2000::1", true},
    {"2001:0:808:808::f7f7:f7f7", true},   // Teredo: 8.8.8.8 behind 8.8.8.8
    {"2001:0:808:808::80ff:fffe", false},  // … 127.0.0.1 behind it
    {"2001:0:7f00:1::f7f7:f7f7", false},   // … behind 127.0.0.1
    {"2001:1::1", false},
    {"2001:2::1", false},
    {"2001:10::1", false},
    {"2001:20::1", false},
    {"2001:1ff:ffff::", false},
    {"2001:200::1", true},
    {"2001:4860:4860::8888", true},
    {"2001:db7:ffff::1", true},
    {"2001:db8::1", false},
    {"2001:db9::1", true},
    {"2002:808:808::1", true},
    {"2002:7f00:1::1", false},
    {"2002:a00:1::1", false},
    {"2002:c0a8:101::1", false},
    {"2606:4700::1111", true},
    {"2606:4700::5efe:808:808", true},
    {"2606:4700::5efe:10.0.0.1", false},
    {"2606:4700::200:5efe:127.0.0.1", false},
    {"3ffe:ffff::1", true},
    {"3fff::1", false},
    {"3fff:fff::1", false},
    {"3fff:1000::1", true},
    {"4000::1", false},
    {"fbff::1", false},
    {"fc00::1", false},
    {"fd00:ec2::254", false},
    {"fdff::1", false},
    {"fe80::1", false},
    {"febf::1", false},
    {"fec0::1", false},
    {"ff02::1", false},
    {"ffff::1", false},
};

TEST(AddressTest, KnowsWhichAddressesArePublic) {
  for (const Case& entry : cases) {
    const auto address = parse_address(entry.text);
    ASSERT_TRUE(address) << entry.text;
    EXPECT_EQ(is_public(*address), entry.is_public) << entry.text;
  }
}

TEST(AddressTest, ReadsTheOddFormsThatResolversTake) {
  struct Form {
    const char* host;
    const char* address;  // empty: a name
  };
  constexpr Form forms[] = {
      {"127.0.0.1", "127.0.0.1"},
      {"127.0.0.1.", "127.0.0.1"},
      {"2130706433", "127.0.0.1"},
      {"2130706433.", "127.0.0.1"},
      {"4294967295", "255.255.255.255"},
      {"4294967296", ""},
      {"0", "0.0.0.0"},
      {"0x7f000001", "127.0.0.1"},
      {"0X7F000001", "127.0.0.1"},
      {"0x7f.1", "127.0.0.1"},
      {"0x7f.0x0.0x0.0x1", "127.0.0.1"},
      {"0177.0.0.1", "127.0.0.1"},
      {"017700000001", "127.0.0.1"},
      {"00000177.1", "127.0.0.1"},
      {"127.1", "127.0.0.1"},
      {"127.0.1", "127.0.0.1"},
      {"127.65535", "127.0.255.255"},
      {"127.16777215", "127.255.255.255"},
      {"127.16777216", ""},
      {"10.65536", "10.1.0.0"},
      {"169.254.43518", "169.254.169.254"},
      {"0xa9fea9fe", "169.254.169.254"},
      {"256.0.0.1", ""},
      {"1.2.3.4.5", ""},
      {"1.2.3.256", ""},
      {"0x", "0.0.0.0"},
      {"08.0.0.1", ""},
      {"::1", "::1"},
      {"0:0:0:0:0:0:0:1", "::1"},
      {"::ffff:7f00:1", "::ffff:127.0.0.1"},
      {"", ""},
      {".", ""},
      {"1..2", ""},
      {"-1", ""},
      {"+1", ""},
      {"1e3", ""},
      {"localhost", ""},
      {"0xg", ""},
      {"example.org", ""},
      {"127.0.0.1x", ""},
      {"fe80::1%eth0", ""},
  };
  for (const Form& form : forms) {
    const auto address = parse_host_as_address(form.host);
    EXPECT_EQ(address ? to_text(*address) : "", form.address) << form.host;
  }
}

TEST(AddressTest, NetworksHoldTheirAddresses) {
  const auto holds = [](const char* network, const char* address) {
    return parse_network(network)->holds(*parse_address(address));
  };
  EXPECT_TRUE(holds("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(holds("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(holds("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(holds("0.0.0.0/0", "::1"));
  EXPECT_TRUE(holds("127.0.0.1", "::ffff:127.0.0.1"));
  EXPECT_TRUE(holds("192.168.1.128/25", "192.168.1.200"));
  EXPECT_FALSE(holds("192.168.1.128/25", "192.168.1.100"));
  EXPECT_TRUE(holds("fc00::/7", "fd00::1"));
  EXPECT_TRUE(holds("::1", "::1"));
  EXPECT_FALSE(holds("::1/128", "::2"));
  for (const char* wrong :
       {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0/8", "::1/129", "a/8", "10.0.0.0/8x"}) {
    EXPECT_EQ(parse_network(wrong), std::nullopt) << wrong;
  }
}

TEST(PrivateHostsTest, AllowsWhatTheOwnerLists) {
  const IpAddress inside = *parse_address("10.1.2.3");
  const IpAddress own = *parse_address("127.0.0.1");
  struct Entry {
    const char* text;
    const char* host;
    uint16_t port;
    IpAddress address;
    bool allowed;
  };
  const Entry entries[] = {
      {"*", "anything", 80, inside, true},
      {"wiki.corp.example", "wiki.corp.example", 80, inside, true},
      {"WIKI.corp.example", "wiki.corp.example", 80, inside, true},
      {"wiki.corp.example", "evil.example", 80, inside, false},
      {"*.corp.example", "a.b.corp.example", 443, inside, true},
      {"*.corp.example", "corp.example.evil.example", 443, inside, false},
      {"10.0.0.0/8", "any.name", 80, inside, true},
      {"10.0.0.0/8", "any.name", 80, own, false},
      {"10.1.2.3", "10.1.2.3", 80, inside, true},
      {"127.0.0.1:8080", "127.0.0.1", 8080, own, true},
      {"127.0.0.1:8080", "localhost", 8080, own, true},
      {"127.0.0.1:8080", "127.0.0.1", 8081, own, false},
      {"localhost:3000", "localhost", 3000, own, true},
      {"localhost:3000", "localhost", 3001, own, false},
      {"[::1]:80", "::1", 80, *parse_address("::1"), true},
      {"::1", "::1", 80, *parse_address("::1"), true},
      {"[::1]:80", "::1", 81, *parse_address("::1"), false},
  };
  for (const Entry& entry : entries) {
    const PrivateHosts hosts({entry.text});
    EXPECT_TRUE(hosts.unreadable().empty()) << entry.text;
    EXPECT_EQ(hosts.allow(entry.host, entry.port, entry.address), entry.allowed) << entry.text << " " << entry.host;
  }
}

TEST(PrivateHostsTest, LetsEverythingPublicPassAndNamesWhatItCannotRead) {
  const PrivateHosts none;
  EXPECT_TRUE(none.allow("example.org", 80, *parse_address("93.184.216.34")));
  EXPECT_FALSE(none.allow("example.org", 80, *parse_address("10.0.0.1")));
  const PrivateHosts odd({"http://x/", "host:port", "", "a b", "10.0.0.0/8", "host:0"});
  EXPECT_EQ(odd.unreadable(), (std::vector<std::string>{"http://x/", "host:port", "", "a b", "host:0"}));
}

}  // namespace
}  // namespace talaria
