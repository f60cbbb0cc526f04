#include "keeper/job_status.h"

namespace talaria {
namespace {

constexpr std::string_view reason_names[] = {"none", "exit", "timeout", "killed", "limit"};

constexpr std::string_view tried_names[] = {"no", "itself", "shared"};

EndReason reason_from(std::string_view name) {
  for (size_t i = 0; i < std::size(reason_names); ++i) {
    if (reason_names[i] == name) return static_cast<EndReason>(i);
  }
  return EndReason::none;
}

}  // namespace

std::string_view name_of(NetworkTried tried) { return tried_names[static_cast<size_t>(tried)]; }

NetworkTried network_tried_named(std::string_view name) {
  if (name == name_of(NetworkTried::itself)) return NetworkTried::itself;
  return name == name_of(NetworkTried::shared) ? NetworkTried::shared : NetworkTried::no;
}

JsonObject to_json(const JobStatus& status) {
  JsonObject object = {{"job", status.job},
                       {"pid", status.pid},
                       {"running", status.running},
                       {"gone", status.gone},
                       {"started_ms", status.started_ms},
                       {"ended_ms", status.ended_ms},
                       {"boot", status.boot},
                       {"started_boot_ns", status.started_boot_ns},
                       {"ended_boot_ns", status.ended_boot_ns},
                       {"exit_code", status.exit_code},
                       {"exit_signal", status.exit_signal},
                       {"reason", reason_names[static_cast<size_t>(status.reason)]},
                       {"leftovers", status.leftovers},
                       {"output_bytes", status.output_bytes},
                       {"lost_begin", status.lost_begin},
                       {"lost_end", status.lost_end},
                       {"tty", status.tty},
                       {"stdin_open", status.stdin_open},
                       {"warm", status.warm},
                       {"told", status.told},
                       {"warning", status.warning},
                       {"meta", status.meta}};
  if (status.stopped_by) object["stopped_by"] = to_json(*status.stopped_by);
  if (!status.violations.empty()) object["violations"] = to_json(status.violations);
  if (status.network_tried != NetworkTried::no) object["network_tried"] = name_of(status.network_tried);
  if (!status.private_files.empty()) {
    object["private_files"] = JsonArray(status.private_files.begin(), status.private_files.end());
  }
  return object;
}

JobStatus job_status_from(const JsonObject& object) {
  JobStatus status;
  status.job = text_or(object, "job");
  status.pid = static_cast<pid_t>(integer_or(object, "pid"));
  status.running = boolean_or(object, "running");
  status.gone = boolean_or(object, "gone");
  status.started_ms = integer_or(object, "started_ms");
  status.ended_ms = integer_or(object, "ended_ms");
  status.boot = text_or(object, "boot");
  status.started_boot_ns = integer_or(object, "started_boot_ns");
  status.ended_boot_ns = integer_or(object, "ended_boot_ns");
  status.exit_code = static_cast<int>(integer_or(object, "exit_code"));
  status.exit_signal = static_cast<int>(integer_or(object, "exit_signal"));
  status.reason = reason_from(text_or(object, "reason"));
  status.leftovers = static_cast<int>(integer_or(object, "leftovers"));
  status.output_bytes = static_cast<uint64_t>(integer_or(object, "output_bytes"));
  status.lost_begin = static_cast<uint64_t>(integer_or(object, "lost_begin"));
  status.lost_end = static_cast<uint64_t>(integer_or(object, "lost_end"));
  status.tty = boolean_or(object, "tty");
  status.stdin_open = boolean_or(object, "stdin_open");
  status.warm = boolean_or(object, "warm");
  status.told = boolean_or(object, "told");
  status.warning = text_or(object, "warning");
  if (const JsonObject* stop = object_or_null(object, "stopped_by")) {
    if (Result<LimitStop> read = limit_stop_from_json(*stop)) status.stopped_by = *std::move(read);
  }
  if (const Json* found = object.if_contains("violations"); found && found->is_array()) {
    status.violations = violations_from_json(found->get_array());
  }
  status.network_tried = network_tried_named(text_or(object, "network_tried"));
  if (const Json* files = object.if_contains("private_files"); files && files->is_array()) {
    for (const Json& file : files->get_array()) {
      if (file.is_string()) status.private_files.emplace_back(file.get_string());
    }
  }
  if (const JsonObject* meta = object_or_null(object, "meta")) status.meta = *meta;
  return status;
}

}  // namespace talaria
