// What parses can be written, and parses to the same again.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/json.h"

namespace {

using namespace talaria;

// The library reads fractions to within a few units of the last place, so those are only compared closely.
bool same(const Json& a, const Json& b) {
  if (a.is_double() && b.is_double()) {
    const double x = a.get_double(), y = b.get_double();
    return x == y || std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y)) || std::abs(x - y) <= 1e-300;
  }
  if (a.is_array() && b.is_array()) {
    const JsonArray &x = a.get_array(), &y = b.get_array();
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), same);
  }
  if (a.is_object() && b.is_object()) {
    const JsonObject &x = a.get_object(), &y = b.get_object();
    if (x.size() != y.size()) return false;
    for (const auto& [key, value] : x) {
      const Json* other = y.if_contains(key);
      if (!other || !same(value, *other)) return false;
    }
    return true;
  }
  return a == b;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Result<Json> value = parse_json({reinterpret_cast<const char*>(data), size});
  if (!value) {
    CHECK(value.error().message().starts_with("not valid JSON "));
    return 0;
  }
  for (const std::string& text : {write_json(*value), write_json_pretty(*value)}) {
    const Result<Json> again = parse_json(text);
    CHECK(again);
    CHECK(same(*value, *again));
  }
  return 0;
}
