#pragma once
#include <curl/curl.h>

#include <string>

#include "base/result.h"

namespace talaria {

// The functions of libcurl that we call. The library, with the thirty it needs, is loaded when one is wanted for the
// first time: most runs of our programs fetch nothing, and they should start fast.
struct CurlLibrary {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_version_info) version_info;
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_multi_init) multi_init;
  decltype(&::curl_multi_add_handle) multi_add_handle;
  decltype(&::curl_multi_remove_handle) multi_remove_handle;
  decltype(&::curl_multi_perform) multi_perform;
  decltype(&::curl_multi_poll) multi_poll;
  decltype(&::curl_multi_info_read) multi_info_read;
  decltype(&::curl_multi_cleanup) multi_cleanup;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
  decltype(&::curl_url) url;
  decltype(&::curl_url_set) url_set;
  decltype(&::curl_url_get) url_get;
  decltype(&::curl_url_cleanup) url_cleanup;
  decltype(&::curl_free) free;
};

// Loaded and initialised once, on whichever thread comes first. The error names the package that is missing.
Result<const CurlLibrary*> curl_library();

// A library of another name, for tests: what it lacks is said in the error.
Result<CurlLibrary> load_curl(const std::string& library);

// "bücher.example" as DNS knows it: "xn--bcher-kva.example". ASCII names come back as they are.
Result<std::string> ascii_host(const CurlLibrary& curl, const std::string& host);

}  // namespace talaria
