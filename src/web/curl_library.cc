#include "web/curl_library.h"

#include <dlfcn.h>
#include <locale.h>

#include <algorithm>

#include "base/utf8.h"
#include "web/url.h"

namespace talaria {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// While it lives, this thread's text is UTF-8: libidn2 asks the locale what the bytes it gets mean.
class Utf8Locale {
 public:
  Utf8Locale() : utf8_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (utf8_ != nullptr) before_ = ::uselocale(utf8_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() {
    if (utf8_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(utf8_);
  }

 private:
  locale_t utf8_;
  locale_t before_{};
};

}  // namespace

Result<CurlLibrary> load_curl(const std::string& library) {
  // Never closed: it has threads' keys and exit handlers of its own.
  void* handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error(ErrorCode::unavailable,
                 "the web tools need " + library + ", which is not installed (Debian: apt-get install libcurl4)");
  }
  CurlLibrary curl{};
  const bool whole =
      find(handle, "curl_global_init", curl.global_init) && find(handle, "curl_version_info", curl.version_info) &&
      find(handle, "curl_easy_init", curl.easy_init) && find(handle, "curl_easy_setopt", curl.easy_setopt) &&
      find(handle, "curl_easy_getinfo", curl.easy_getinfo) && find(handle, "curl_easy_cleanup", curl.easy_cleanup) &&
      find(handle, "curl_easy_strerror", curl.easy_strerror) && find(handle, "curl_multi_init", curl.multi_init) &&
      find(handle, "curl_multi_add_handle", curl.multi_add_handle) &&
      find(handle, "curl_multi_remove_handle", curl.multi_remove_handle) &&
      find(handle, "curl_multi_perform", curl.multi_perform) && find(handle, "curl_multi_poll", curl.multi_poll) &&
      find(handle, "curl_multi_info_read", curl.multi_info_read) &&
      find(handle, "curl_multi_cleanup", curl.multi_cleanup) && find(handle, "curl_slist_append", curl.slist_append) &&
      find(handle, "curl_slist_free_all", curl.slist_free_all) && find(handle, "curl_url", curl.url) &&
      find(handle, "curl_url_set", curl.url_set) && find(handle, "curl_url_get", curl.url_get) &&
      find(handle, "curl_url_cleanup", curl.url_cleanup) && find(handle, "curl_free", curl.free);
  if (!whole) {
    return Error(ErrorCode::unavailable,
                 library + " is too old or no libcurl: 7.66 is needed (Debian: apt-get install libcurl4)");
  }
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return Error(ErrorCode::unavailable, library + " cannot start its TLS library");
  }
  return curl;
}

Result<const CurlLibrary*> curl_library() {
  static const Result<CurlLibrary> library = load_curl("libcurl.so.4");
  if (!library) return library.error();
  return &*library;
}

Result<std::string> ascii_host(const CurlLibrary& curl, const std::string& host) {
  if (is_ascii(host)) return host;
  if (!is_utf8(host)) return invalid("the host's name is not valid UTF-8");
  const Error failure = invalid("the host's name " + host + " cannot be written as DNS needs it");
  const Utf8Locale locale;
  CURLU* handle = curl.url();
  if (handle == nullptr) return failure;
  char* text = nullptr;
  std::string found;
  if (curl.url_set(handle, CURLUPART_URL, ("http://" + host + "/").c_str(), 0) == CURLUE_OK &&
      curl.url_get(handle, CURLUPART_HOST, &text, CURLU_PUNYCODE) == CURLUE_OK) {
    found = text;
    curl.free(text);
  }
  curl.url_cleanup(handle);
  // Again: full-width digits, for one, become an address only now.
  if (found.empty() || !is_ascii(found)) return failure;
  return plain_host(found);
}

}  // namespace talaria
