#include "sandbox/shown_path.h"

#include <climits>

#include "base/text.h"
#include "sandbox/order_bytes.h"

namespace talaria {
namespace {

bool is_plain(const std::string& path) {
  if (!path.starts_with('/') || path.size() < 2 || path.size() >= PATH_MAX) return false;
  if (path.find('\0') != std::string::npos) return false;
  for (const std::string& name : split(std::string_view(path).substr(1), '/')) {
    if (name.empty() || name == "." || name == "..") return false;
  }
  return true;
}

// Whether a step puts something else where the host has something, or nothing.
bool keeps_host_out(const MountStep& step) {
  switch (step.kind) {
    case MountKind::bind: return false;
    case MountKind::mirror: return step.source != step.target;
    case MountKind::device:
    case MountKind::tmpfs:
    case MountKind::hide:
    case MountKind::file:
    case MountKind::link:
    case MountKind::terminals:
    case MountKind::processes: return true;
  }
  return true;
}

Error holds(const std::string& path, const MountStep& step, const std::string& what) {
  return {ErrorCode::denied, (path == step.target ? "it is " : "it holds ") + step.target + ", which " + what};
}

Result<> check_step(const MountStep& step, const ShownPath& path) {
  if (keeps_host_out(step)) {
    for (const std::string& one : {path.source, path.target}) {
      if (is_within(step.target, one)) return holds(one, step, "is the sandbox's own or hidden in it");
    }
  }
  if (step.kind == MountKind::bind && step.writable && is_within(step.target, path.target)) {
    return holds(path.target, step, "commands may write");
  }
  return ok;
}

}  // namespace

std::string encode(const ShowOrder& order) {
  OrderWriter writer;
  writer.raw(static_cast<uint32_t>(order.wishes.size()));
  for (const ShowWish& wish : order.wishes) {
    writer.text(wish.path.target);
    writer.text(wish.path.source);
    writer.raw(wish.device);
    writer.raw(wish.inode);
  }
  writer.raw(static_cast<uint32_t>(order.given.size()));
  for (const uint32_t index : order.given) writer.raw(index);
  return std::move(writer.bytes);
}

Result<ShowOrder> decode_show_order(std::string_view bytes) {
  OrderReader reader(bytes);
  ShowOrder order;
  for (uint32_t left = TRY(reader.raw<uint32_t>()); left > 0; --left) {
    ShowWish wish;
    wish.path.target = TRY(reader.text());
    wish.path.source = TRY(reader.text());
    wish.device = TRY(reader.raw<uint64_t>());
    wish.inode = TRY(reader.raw<uint64_t>());
    order.wishes.push_back(std::move(wish));
  }
  for (uint32_t left = TRY(reader.raw<uint32_t>()); left > 0; --left) {
    order.given.push_back(TRY(reader.raw<uint32_t>()));
    if (order.given.back() >= order.wishes.size()) return invalid("an order to show gives a mount that nobody wished");
  }
  if (!reader.at_end()) return invalid("an order to show has more in it than belongs there");
  return order;
}

std::string encode(const ShowAnswer& answer) {
  OrderWriter writer;
  writer.raw(answer.changed);
  writer.raw(static_cast<uint32_t>(answer.outcomes.size()));
  for (const ShowOutcome& outcome : answer.outcomes) {
    writer.raw(outcome.state);
    writer.text(outcome.reason);
  }
  return std::move(writer.bytes);
}

Result<ShowAnswer> decode_show_answer(std::string_view bytes) {
  OrderReader reader(bytes);
  ShowAnswer answer;
  answer.changed = TRY(reader.raw<bool>());
  for (uint32_t left = TRY(reader.raw<uint32_t>()); left > 0; --left) {
    ShowOutcome outcome;
    outcome.state = TRY(reader.raw<ShowState>());
    outcome.reason = TRY(reader.text());
    if (outcome.state > ShowState::failed) return invalid("an answer about what is shown has an unknown state");
    answer.outcomes.push_back(std::move(outcome));
  }
  if (!reader.at_end()) return invalid("an answer about what is shown has more in it than belongs there");
  return answer;
}

Result<> check_shown_path(const MountPlan& view, const ShownPath& path) {
  if (!is_plain(path.target) || !is_plain(path.source)) {
    return invalid("only a whole path in its plainest form can be shown");
  }
  for (const char* kernel : {"/proc", "/sys", "/dev"}) {
    if (!is_within(path.target, kernel) && !is_within(path.source, kernel)) continue;
    return Error(ErrorCode::denied, "what is in " + std::string(kernel) + " is not on a disk");
  }
  for (const MountStep& step : view.steps) TRY(check_step(step, path));
  return ok;
}

}  // namespace talaria
