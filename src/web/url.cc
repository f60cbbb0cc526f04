#include "web/url.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "base/text.h"
#include "web/address.h"

namespace talaria {
namespace {

constexpr char hex_digits[] = "0123456789ABCDEF";

void append_encoded(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += hex_digits[byte >> 4];
  out += hex_digits[byte & 15];
}

bool is_alnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string shortened(std::string_view text) {
  return text.size() <= 100 ? std::string(text) : std::string(text.substr(0, 100)) + "…";
}

struct Parts {
  std::string_view scheme;  // without the colon
  bool has_authority = false;
  std::string_view authority;
  std::string_view path;
  std::string_view query;     // with its ?
  std::string_view fragment;  // with its #
};

size_t scheme_length(std::string_view text) {
  if (text.empty() || !std::isalpha(static_cast<unsigned char>(text[0]))) return 0;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ':') return i;
    if (!is_alnum(text[i]) && text[i] != '+' && text[i] != '-' && text[i] != '.') return 0;
  }
  return 0;
}

// RFC 3986, appendix B.
Parts take_apart(std::string_view text) {
  Parts parts;
  if (const size_t length = scheme_length(text)) {
    parts.scheme = text.substr(0, length);
    text.remove_prefix(length + 1);
  }
  if (const size_t hash = text.find('#'); hash != std::string_view::npos) {
    parts.fragment = text.substr(hash);
    text = text.substr(0, hash);
  }
  if (const size_t mark = text.find('?'); mark != std::string_view::npos) {
    parts.query = text.substr(mark);
    text = text.substr(0, mark);
  }
  if (text.starts_with("//")) {
    parts.has_authority = true;
    const size_t end = std::min(text.find('/', 2), text.size());
    parts.authority = text.substr(2, end - 2);
    text.remove_prefix(end);
  }
  parts.path = text;
  return parts;
}

std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  size_t start = path.starts_with('/') ? 1 : 0;
  bool ends_open = false;  // the path ends in a slash
  while (start <= path.size()) {
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string_view segment = path.substr(start, end - start);
    ends_open = segment == "." || segment == "..";
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (segment != ".") {
      kept.push_back(segment);
    }
    start = end + 1;
  }
  std::string out;
  for (const std::string_view segment : kept) out.append("/").append(segment);
  if (ends_open || out.empty()) out += '/';
  return out;
}

Result<uint16_t> port_in_url(std::string_view text, const std::string& url) {
  const std::optional<uint16_t> port = parse_port(text);
  if (!port) return invalid("the port of the URL " + url + " is no number from 1 to 65535");
  return *port;
}

Result<> fill_authority(Url& url, std::string_view authority, const std::string& shown) {
  if (authority.find('@') != std::string_view::npos) {
    return invalid("the URL has a user name or password in it, which is refused: leave out what stands before the @");
  }
  size_t host_end = std::min(authority.rfind(':'), authority.size());
  if (authority.starts_with('[')) {
    const size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return invalid("the URL " + shown + " has a [ without a ]");
    host_end = bracket + 1;
  }
  std::string_view rest = authority.substr(host_end);
  if (rest.starts_with(':')) {
    if (rest.size() > 1) url.port = TRY(port_in_url(rest.substr(1), shown));
  } else if (!rest.empty()) {
    return invalid("the URL " + shown + " has something between its host and its port");
  }
  Result<std::string> host = plain_host(authority.substr(0, host_end));
  if (!host) return std::move(host).error().within("the URL " + shown);
  url.host = *std::move(host);
  return ok;
}

Result<> check_characters(std::string_view text, const std::string& shown) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f)
      return invalid("the URL has a space or a control character in it: write it as %20 or such");
    if (c == '\\') return invalid("the URL " + shown + " has a backslash in it: write / or %5C");
  }
  return ok;
}

}  // namespace

std::string Url::text() const {
  const uint16_t usual = scheme == Scheme::http ? 80 : 443;
  std::string out = scheme == Scheme::http ? "http://" : "https://";
  out += host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != usual) out += ":" + std::to_string(port);
  return out + target;
}

Result<Url> parse_url(std::string_view text) {
  text = trim(text);
  if (text.empty()) return invalid("the URL is empty");
  if (text.size() > longest_url) return invalid("the URL is longer than " + with_commas(longest_url) + " bytes");
  const std::string shown = shortened(text);
  TRY(check_characters(text, shown));
  const Parts parts = take_apart(text);
  const std::string scheme = lower(parts.scheme);
  if (scheme != "http" && scheme != "https") {
    return invalid("the URL " + shown + " is neither http:// nor https://, and nothing else is fetched");
  }
  if (!parts.has_authority || parts.authority.empty()) return invalid("the URL " + shown + " names no host");
  Url url;
  url.scheme = scheme == "http" ? Url::Scheme::http : Url::Scheme::https;
  url.port = scheme == "http" ? 80 : 443;
  TRY(fill_authority(url, parts.authority, shown));
  url.target = parts.path.empty() ? "/" : "";
  for (const std::string_view part : {parts.path, parts.query}) {
    for (const char c : part) {
      if (static_cast<unsigned char>(c) < 0x80) url.target += c;
      else append_encoded(url.target, c);
    }
  }
  return url;
}

Result<std::string> plain_host(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) {
    const auto address = parse_address(host.substr(1, host.size() - 2));
    if (!address || address->family != IpAddress::Family::v6)
      return invalid("what stands in brackets is no IPv6 address");
    return to_text(*address);
  }
  if (host.size() > 255) return invalid("the host's name is longer than 255 bytes");
  if (const auto address = parse_host_as_address(host)) return to_text(*address);
  std::string name = lower(host);
  if (name.ends_with('.')) name.pop_back();
  const bool whole = std::all_of(name.begin(), name.end(), [](char c) {
    return is_alnum(c) || c == '-' || c == '.' || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  });
  if (name.empty() || name.starts_with('.') || name.ends_with('.') || name.find("..") != std::string::npos || !whole) {
    return invalid("\"" + std::string(host) + "\" is no host's name");
  }
  return name;
}

std::string scheme_of(std::string_view reference) { return lower(reference.substr(0, scheme_length(reference))); }

std::string resolve_reference(std::string_view base, std::string_view reference) {
  const Parts wanted = take_apart(reference);
  if (!wanted.scheme.empty()) return std::string(reference);
  const Parts parts = take_apart(base);
  std::string out(parts.scheme);
  out += ":";
  const auto add_authority = [&out](std::string_view authority) { out.append("//").append(authority); };
  if (wanted.has_authority) {
    add_authority(wanted.authority);
    out.append(wanted.path).append(wanted.query).append(wanted.fragment);
    return out;
  }
  if (parts.has_authority) add_authority(parts.authority);
  if (wanted.path.empty()) {
    out.append(parts.path.empty() ? "/" : parts.path);
    return out.append(wanted.query.empty() ? parts.query : wanted.query).append(wanted.fragment);
  }
  if (wanted.path.starts_with('/')) {
    out += without_dots(wanted.path);
  } else {
    const size_t slash = parts.path.rfind('/');
    const std::string folder(slash == std::string_view::npos ? "/" : parts.path.substr(0, slash + 1));
    out += without_dots(folder + std::string(wanted.path));
  }
  return out.append(wanted.query).append(wanted.fragment);
}

std::string percent_encode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~') out += c;
    else append_encoded(out, c);
  }
  return out;
}

}  // namespace talaria
