#include "talaria/each_job.h"

#include "talaria/gateway.h"
#include "talaria/print.h"

namespace talaria {

int process_each(const std::vector<std::string>& ids, const JsonObject& arguments, bool json) {
  Result<Gateway> gateway = Gateway::reach();
  if (!gateway) return fail(gateway.error());
  int code = 0;
  for (const std::string& id : ids) {
    JsonObject with_id = arguments;
    with_id["sessionId"] = id;
    Result<JsonObject> result = call_process(*gateway, std::move(with_id));
    if (!result) code = fail(result.error());
    else if (show_result(*result, json) != 0) code = 1;
  }
  return code;
}

}  // namespace talaria
