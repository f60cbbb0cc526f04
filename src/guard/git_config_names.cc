// How git's documentation writes the names of settings. git itself takes any case, and we read all of it as lower case.
#include <algorithm>
#include <array>

#include "guard/git_config.h"

namespace talaria {
namespace {

// Those with capitals of the settings that a note may name. A name is written alike in all sections.
constexpr auto documented_names = std::to_array<std::string_view>({
    "allowAnySHA1InWant",
    "allowFilter",
    "allowReachableSHA1InWant",
    "allowRefInWant",
    "allowTipSHA1InWant",
    "allowedSignersFile",
    "aliasesFile",
    "aliasFileType",
    "alternateRefsCommand",
    "alternateRefsPrefixes",
    "askPass",
    "attributesFile",
    "bareRepository",
    "ccCmd",
    "compatObjectFormat",
    "cookieFile",
    "curloptResolve",
    "defaultKeyCommand",
    "diffFilter",
    "emptyAuth",
    "excludesFile",
    "extraHeader",
    "followRedirects",
    "fsmonitorHookVersion",
    "gitProxy",
    "headerCmd",
    "hideRefs",
    "hooksPath",
    "insteadOf",
    "keepAlive",
    "mergeOptions",
    "minTrustLevel",
    "notesRef",
    "objectFormat",
    "packObjectsHook",
    "pinnedPubkey",
    "procReceiveRefs",
    "proxyAuthMethod",
    "proxySSLCAInfo",
    "proxySSLCert",
    "proxySSLCertPasswordProtected",
    "proxySSLKey",
    "pushDefault",
    "pushInsteadOf",
    "pushRemote",
    "recentObjectsHook",
    "refStorage",
    "revocationFile",
    "saveCookies",
    "sendmailCmd",
    "serverOption",
    "signingKey",
    "smtpServer",
    "sshCommand",
    "sslBackend",
    "sslCAInfo",
    "sslCAPath",
    "sslCert",
    "sslCertPasswordProtected",
    "sslCipherList",
    "sslKey",
    "sslVerify",
    "sslVersion",
    "templateDir",
    "toCmd",
    "trustExitCode",
    "useHttpPath",
    "userAgent",
});
constexpr auto documented_sections =
    std::to_array<std::string_view>({"credentialCache", "credentialStore", "includeIf"});

char lower_case(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}

template <size_t count>
std::string documented(const std::array<std::string_view, count>& known, const std::string& name) {
  const auto found =
      std::ranges::find_if(known, [&](std::string_view one) { return std::ranges::equal(one, name, {}, lower_case); });
  return found == known.end() ? name : std::string(*found);
}

}  // namespace

std::string GitConfigEntry::documented_key() const {
  const std::string middle = subsection.empty() ? "." : "." + subsection + ".";
  return documented(documented_sections, section) + middle + documented(documented_names, name);
}

}  // namespace talaria
