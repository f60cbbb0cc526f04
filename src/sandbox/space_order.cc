#include "sandbox/space_order.h"

#include "sandbox/numbered_fd.h"
#include "sandbox/order_bytes.h"

namespace talaria {
namespace {

void write_rules(OrderWriter& writer, const LandlockRules& rules) {
  writer.raw(rules.scope_signals);
  writer.raw(rules.scope_abstract_sockets);
  writer.raw(rules.abi);
  writer.raw(static_cast<uint32_t>(rules.paths.size()));
  for (const LandlockRule& rule : rules.paths) {
    writer.raw(rule.access);
    writer.text(rule.path);
  }
}

Result<LandlockRules> read_rules(OrderReader& reader) {
  LandlockRules rules;
  rules.scope_signals = TRY(reader.raw<bool>());
  rules.scope_abstract_sockets = TRY(reader.raw<bool>());
  rules.abi = TRY(reader.raw<int>());
  for (uint32_t left = TRY(reader.raw<uint32_t>()); left > 0; --left) {
    LandlockRule rule;
    rule.access = TRY(reader.raw<PathAccess>());
    rule.path = TRY(reader.text());
    rules.paths.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

std::string encode(const CommandOrder& order) {
  OrderWriter writer;
  writer.texts(order.argv);
  writer.texts(order.environment);
  writer.text(order.cwd);
  writer.raw(order.terminal);
  writer.raw(order.keeps_capabilities);
  writer.raw(order.no_new_privileges);
  writer.raw(order.limits.has_value());
  if (order.limits) writer.raw(*order.limits);
  writer.raw(order.landlock.has_value());
  if (order.landlock) write_rules(writer, *order.landlock);
  writer.text({reinterpret_cast<const char*>(order.filter.data()), order.filter.size()});
  if (order.has_cgroup || !order.numbers.empty() || !order.warm.empty() || order.waits) {
    writer.raw(order.has_cgroup);
    writer.raw(static_cast<uint32_t>(order.numbers.size()));
    for (const int number : order.numbers) writer.raw(number);
    writer.text(order.warm);
    writer.raw(order.waits);
  }
  return std::move(writer.bytes);
}

Result<CommandOrder> decode_command_order(std::string_view bytes) {
  OrderReader reader(bytes);
  CommandOrder order;
  order.argv = TRY(reader.texts());
  order.environment = TRY(reader.texts());
  order.cwd = TRY(reader.text());
  order.terminal = TRY(reader.raw<bool>());
  order.keeps_capabilities = TRY(reader.raw<bool>());
  order.no_new_privileges = TRY(reader.raw<bool>());
  if (TRY(reader.raw<bool>())) order.limits = TRY(reader.raw<ResourceLimits>());
  if (TRY(reader.raw<bool>())) order.landlock = TRY(read_rules(reader));
  const std::string filter = TRY(reader.text());
  order.filter.assign(filter.begin(), filter.end());
  if (!reader.at_end()) {
    order.has_cgroup = TRY(reader.raw<bool>());
    for (uint32_t left = TRY(reader.raw<uint32_t>()); left > 0; --left) order.numbers.push_back(TRY(reader.raw<int>()));
    order.warm = TRY(reader.text());
    order.waits = TRY(reader.raw<bool>());
    TRY(check_numbers(order.numbers, StreamKind::pipes));
  }
  if (!reader.at_end() || order.argv.empty()) return invalid("a sandbox order must name a program and nothing more");
  return order;
}

std::string encode(const WarmOrder& order) {
  OrderWriter writer;
  writer.text(order.id);
  writer.texts(order.argv);
  writer.texts(order.environment);
  writer.texts(order.pinned);
  return std::move(writer.bytes);
}

Result<WarmOrder> decode_warm_order(std::string_view bytes) {
  OrderReader reader(bytes);
  WarmOrder order;
  order.id = TRY(reader.text());
  order.argv = TRY(reader.texts());
  order.environment = TRY(reader.texts());
  order.pinned = TRY(reader.texts());
  if (!reader.at_end() || order.id.empty() || order.argv.empty()) {
    return invalid("a warm base must have an id and name a program and nothing more");
  }
  return order;
}

std::string_view name_of(SpaceStep step) {
  switch (step) {
    case SpaceStep::clone: return "clone";
    case SpaceStep::identity: return "identity";
    case SpaceStep::mounts: return "mounts";
    case SpaceStep::network: return "network";
    case SpaceStep::session: return "session";
    case SpaceStep::terminal: return "terminal";
    case SpaceStep::streams: return "streams";
    case SpaceStep::limits: return "limits";
    case SpaceStep::signals: return "signals";
    case SpaceStep::cwd: return "cwd";
    case SpaceStep::hygiene: return "hygiene";
    case SpaceStep::landlock: return "landlock";
    case SpaceStep::seccomp: return "seccomp";
    case SpaceStep::exec: return "exec";
  }
  return "unknown";
}

}  // namespace talaria
