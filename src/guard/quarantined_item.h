#pragma once
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "json/json.h"

namespace talaria {

// Something that was taken out of a workspace, as its record tells of it. Names are bytes as the file system has them.
struct QuarantinedItem {
  enum class Kind { file, folder, link, other };
  enum class Origin {
    created,      // "new": nothing was there before the command
    overwritten,  // the command put it in the place of something else
  };

  std::string id;
  std::string path;       // absolute, where it was
  std::string rule;       // what names it: "git-hook"
  std::string why;        // a sentence for the person
  std::string workspace;  // absolute
  std::string session;
  EpochMs taken_ms = 0;
  Origin origin = Origin::created;
  Kind kind = Kind::file;
  uint64_t bytes = 0;    // of all its files
  uint64_t entries = 1;  // itself and all below it
  std::string hash;      // as of Quarantine::hash_of; empty where it is too large to be read whole
  int64_t times = 1;     // how often the same content was taken from the same path in one session, by one rule
  EpochMs last_ms = 0;   // when the last of these was
  std::string beside;    // where it still is, under a harmless name, when it could not be brought here; else empty
  std::string note;      // what the person should know: why it is still beside, that its record is lost

  bool operator==(const QuarantinedItem&) const = default;
};

std::string_view name_of(QuarantinedItem::Kind kind);
std::string_view name_of(QuarantinedItem::Origin origin);

// A name that is not UTF-8 is an object {"hex": …}, so that every byte survives.
Json bytes_to_json(const std::string& bytes);
std::string bytes_from_json(const Json& value);

JsonObject record_of(const QuarantinedItem& item);
Result<QuarantinedItem> item_of(const JsonObject& record);

}  // namespace talaria
