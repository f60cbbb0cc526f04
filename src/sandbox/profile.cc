#include "sandbox/profile.h"

#include <array>
#include <cctype>
#include <utility>

#include "base/meant_name.h"
#include "base/text.h"
#include "json/fields.h"

namespace talaria {
namespace {

constexpr uint64_t mebibyte = 1 << 20;
constexpr uint64_t gibibyte = 1 << 30;

constexpr std::array profile_kinds = {std::pair{ProfileKind::read_only, std::string_view("read-only")},
                                      std::pair{ProfileKind::workspace_write, std::string_view("workspace-write")},
                                      std::pair{ProfileKind::full, std::string_view("full")}};

struct LimitField {
  std::string_view name;
  uint64_t Limits::*member;
};
constexpr std::array limit_fields = {
    LimitField{"processes", &Limits::processes},   LimitField{"memory_bytes", &Limits::memory_bytes},
    LimitField{"file_bytes", &Limits::file_bytes}, LimitField{"growth_bytes", &Limits::growth_bytes},
    LimitField{"tmp_bytes", &Limits::tmp_bytes},   LimitField{"tmp_inodes", &Limits::tmp_inodes},
    LimitField{"open_files", &Limits::open_files}, LimitField{"files", &Limits::files},
};

// "512 MiB", "2g" or a plain number of bytes.
Result<uint64_t> parse_amount(std::string_view field, std::string_view text) {
  uint64_t number = 0;
  size_t at = 0;
  const std::string_view whole = trim(text);
  while (at < whole.size() && std::isdigit(static_cast<unsigned char>(whole[at])) && number < (uint64_t{1} << 50)) {
    number = number * 10 + static_cast<uint64_t>(whole[at++] - '0');
  }
  const std::string unit = lower(trim(whole.substr(at)));
  const std::array units = {std::pair{std::string_view(""), 0}, std::pair{std::string_view("k"), 10},
                            std::pair{std::string_view("m"), 20}, std::pair{std::string_view("g"), 30},
                            std::pair{std::string_view("t"), 40}};
  for (const auto& [letter, shift] : units) {
    const std::string wide(letter);
    const bool same = unit == wide || (!wide.empty() && (unit == wide + "b" || unit == wide + "ib"));
    if (at > 0 && same && number <= (uint64_t{1} << 62 >> shift)) return number << shift;
  }
  return invalid(std::string(field) + " must be an amount such as 512 MiB or 1073741824, got \"" + std::string(text) +
                 "\"");
}

Result<std::optional<uint64_t>> read_amount(Fields& fields, const std::string& where, std::string_view name) {
  const Json* value = fields.any(name);
  if (!value) return std::optional<uint64_t>();
  const std::string field = where + " \"" + std::string(name) + "\"";
  if (value->is_string()) return std::optional(TRY(parse_amount(field, std::string_view(value->get_string()))));
  boost::json::error_code failure;
  const int64_t number = value->is_number() ? value->to_number<int64_t>(failure) : -1;
  if (failure || number < 0) {
    return invalid(field + " must be a whole number from 0 (no limit) or an amount such as 512 MiB, got " +
                   (value->is_number() ? write_json(*value) : std::string(kind_name(*value))));
  }
  return std::optional(static_cast<uint64_t>(number));
}

Result<> read_limits(const JsonObject& object, const std::string& where, Limits& limits) {
  Fields fields(object, where);
  for (const LimitField& limit : limit_fields) {
    if (const std::optional<uint64_t> amount = TRY(read_amount(fields, where, limit.name))) {
      limits.*limit.member = *amount;
    }
  }
  return fields.no_others();
}

Result<> read_paths(Fields& fields, const std::string& where, const std::string& name, const std::string& home,
                    std::vector<std::string>& paths) {
  const auto given = TRY(fields.texts(name));
  if (!given) return ok;
  paths.clear();
  for (size_t i = 0; i < given->size(); ++i) {
    paths.push_back(TRY(profile_path(where + " \"" + name + "[" + std::to_string(i) + "]\"", (*given)[i], home)));
  }
  return ok;
}

Result<> read_protected_names(Fields& fields, const std::string& where, std::vector<std::string>& names) {
  const auto given = TRY(fields.texts("protected_names"));
  if (!given) return ok;
  for (const std::string& name : *given) TRY(check_protected_name(where + " \"protected_names\"", name));
  names = *given;
  return ok;
}

Result<> read_overrides(Fields& fields, const std::string& where, const std::string& home, Profile& profile) {
  TRY(read_paths(fields, where, "readable", home, profile.readable));
  TRY(read_paths(fields, where, "writable", home, profile.writable));
  TRY(read_protected_names(fields, where, profile.protected_names));
  if (const auto network = TRY(fields.text("network"))) {
    Result<NetworkMode> mode = network_mode_named(*network);
    if (!mode) return std::move(mode).error().within(where + " \"network\"");
    profile.network = *mode;
  }
  if (const JsonObject* limits = TRY(fields.object("limits")))
    TRY(read_limits(*limits, where + " limit", profile.limits));
  return fields.no_others();
}

Result<> refuse_contradictions(const std::string& where, const Profile& profile) {
  if (profile.kind == ProfileKind::full && profile.network == NetworkMode::off) {
    return invalid(where + " \"network\" cannot be off: a profile based on full keeps the host's network");
  }
  return ok;
}

JsonArray texts_to_json(const std::vector<std::string>& texts) { return JsonArray(texts.begin(), texts.end()); }

}  // namespace

std::string_view name_of(ProfileKind kind) {
  for (const auto& [value, name] : profile_kinds) {
    if (value == kind) return name;
  }
  return "unknown";
}

std::string_view name_of(NetworkMode mode) { return mode == NetworkMode::on ? "on" : "off"; }

Result<ProfileKind> profile_kind_named(std::string_view name) {
  for (const auto& [value, known] : profile_kinds) {
    if (known == name) return value;
  }
  return invalid("unknown sandbox profile \"" + std::string(name) +
                 "\". Allowed values: read-only, workspace-write, full." +
                 did_you_mean_sentence(name, {"read-only", "workspace-write", "full"}));
}

Result<NetworkMode> network_mode_named(std::string_view name) {
  if (name == "off") return NetworkMode::off;
  if (name == "on") return NetworkMode::on;
  if (name == "allow") {
    return Error(ErrorCode::unavailable,
                 "network \"allow\" (a list of allowed hosts) is not available in this version; use off or on");
  }
  return invalid("unknown network mode \"" + std::string(name) + "\". Allowed values: off, on." +
                 did_you_mean_sentence(name, {"off", "on"}));
}

Profile built_in_profile(ProfileKind kind) {
  Profile profile;
  profile.name = name_of(kind);
  profile.kind = kind;
  switch (kind) {
    case ProfileKind::read_only:
      profile.limits = {.processes = 256,
                        .memory_bytes = 2 * gibibyte,
                        .file_bytes = gibibyte,
                        .growth_bytes = 0,
                        .tmp_bytes = 256 * mebibyte,
                        .tmp_inodes = 65'536,
                        .open_files = 1024};
      break;
    case ProfileKind::workspace_write:
      profile.limits = {.processes = 512,
                        .memory_bytes = 4 * gibibyte,
                        .file_bytes = gibibyte,
                        .growth_bytes = 5 * gibibyte,
                        .files = 1'000'000,
                        .tmp_bytes = gibibyte,
                        .tmp_inodes = 262'144,
                        .open_files = 1024};
      break;
    case ProfileKind::full: profile.network = NetworkMode::on; break;
  }
  return profile;
}

Result<Profile> custom_profile(const std::string& name, const JsonObject& object, const std::string& home) {
  const std::string where = "sandbox profile \"" + name + "\":";
  Fields fields(object, where);
  const auto base = TRY(fields.text("base"));
  Result<ProfileKind> kind = profile_kind_named(base.value_or("workspace-write"));
  if (!kind) return std::move(kind).error().within(where + " \"base\"");
  Profile profile = built_in_profile(*kind);
  profile.name = name;
  TRY(read_overrides(fields, where, home, profile));
  TRY(refuse_contradictions(where, profile));
  return profile;
}

Result<std::map<std::string, Profile>> all_profiles(const JsonObject& custom, const std::string& home) {
  std::map<std::string, Profile> profiles;
  for (const auto& [kind, name] : profile_kinds) profiles.emplace(name, built_in_profile(kind));
  for (const auto& [key, value] : custom) {
    const std::string name(key);
    if (profile_kind_named(name)) {
      return invalid("sandbox profile \"" + name + "\" is built in; give the custom profile another name");
    }
    if (!value.is_object()) {
      return invalid("sandbox profile \"" + name + "\" must be an object, got " + std::string(kind_name(value)));
    }
    profiles.emplace(name, TRY(custom_profile(name, value.get_object(), home)));
  }
  return profiles;
}

// The view is built by path, so a path must be one spelling of one place.
Result<std::string> profile_path(const std::string& field, std::string path, const std::string& home) {
  if (path == "~" || path.starts_with("~/")) path.replace(0, 1, home);
  if (!path.starts_with('/'))
    return invalid(field + " must be an absolute path or start with ~/, got \"" + path + "\"");
  std::string clean;
  for (const std::string& part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return invalid(field + " must not hold \"..\", got \"" + path + "\"");
    clean += "/" + part;
  }
  if (clean.empty()) return invalid(field + " must name something below /, got \"" + path + "\"");
  return clean;
}

Result<> check_protected_name(const std::string& field, const std::string& name) {
  for (const std::string& part : split(name, '/')) {
    if (part.empty() || part == "." || part == "..") {
      return invalid(field + " must hold names such as .env or folder/name, got \"" + name + "\"");
    }
  }
  return ok;
}

JsonObject to_json(const Profile& profile) {
  JsonObject limits;
  for (const LimitField& limit : limit_fields) limits[limit.name] = profile.limits.*limit.member;
  return {{"name", profile.name},
          {"kind", name_of(profile.kind)},
          {"readable", texts_to_json(profile.readable)},
          {"writable", texts_to_json(profile.writable)},
          {"protected_names", texts_to_json(profile.protected_names)},
          {"network", name_of(profile.network)},
          {"limits", std::move(limits)}};
}

Result<Profile> profile_from_json(const JsonObject& object) {
  const std::string where = "sandbox profile:";
  Fields fields(object, where);
  Profile profile;
  profile.name = TRY(fields.text("name")).value_or("");
  profile.kind = TRY(profile_kind_named(TRY(fields.text("kind")).value_or("")));
  TRY(read_overrides(fields, where, "", profile));
  return profile;
}

}  // namespace talaria
