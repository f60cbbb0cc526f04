#include "api/python_probes.h"

#include "os/file.h"

namespace talaria {
namespace {

constexpr auto probe_patience = 10s;
constexpr auto missing_for = 10s;  // a link's target may come without the link changing
constexpr size_t most_entries = 1000;
constexpr std::string_view not_there = "it, or the program it leads to, is not there";

PythonAnswer refused(std::string reason) { return {.refusal = std::move(reason)}; }

PythonAnswer judge(const std::string& program, Result<Jobs::ErrandEnd> end) {
  if (!end && end.error().code() == ErrorCode::timed_out) return refused("it did not answer within 10 seconds");
  if (!end) {
    const std::string exec = "step exec: ", &message = end.error().message();
    const size_t at = message.find(exec);
    if (at == std::string::npos) return {.trouble = end.error()};
    std::string reason = message.substr(at + exec.size());
    if (reason.starts_with(program + ": ")) reason.erase(0, program.size() + 2);
    return refused(reason == "No such file or directory" ? std::string(not_there) : "it cannot be started: " + reason);
  }
  if (end->exit_code != 0 || end->exit_signal != 0) {
    return refused(why_no_answer(end->exit_code, end->exit_signal, end->output));
  }
  Result<PythonFacts> facts = parse_python_facts(end->output);
  if (!facts) return refused(facts.error().message());
  if (std::string reason = why_unusable(*facts); !reason.empty()) return refused(std::move(reason));
  return {.facts = *std::move(facts)};
}

}  // namespace

PythonProbes::~PythonProbes() {
  for (const auto& [key, asking] : asking_) {
    if (!asking.errand.empty()) jobs_.drop_errand(asking.errand);
  }
}

const PythonAnswer* PythonProbes::known(const std::string& space, const std::string& program, const std::string& stamp,
                                        const std::function<std::string()>& surroundings) const {
  const auto found = entries_.find({space, program});
  if (found == entries_.end()) return nullptr;
  const Entry& entry = found->second;
  if (entry.stamp != stamp || Clock::now() >= entry.until) return nullptr;
  if (entry.goes_by_surroundings && entry.surroundings != surroundings()) return nullptr;
  return &entry.answer;
}

PythonProbes::Waiter PythonProbes::ask(Question question, Told told) {
  const Key key{question.space, question.program};
  Asking& asking = asking_[key];
  auto waiter = std::make_shared<Told>(std::move(told));
  asking.waiters.push_back(waiter);
  if (asking.waiters.size() > 1) return waiter;
  asking.stamp = std::move(question.stamp);
  asking.surroundings = std::move(question.surroundings);
  Result<Permit> permit = gate_.python_facts(question.program, std::move(question.environment));
  if (!permit) {
    asking.refused = Later(loop_, [this, key, why = permit.error().message()] { answered(key, refused(why)); });
    return waiter;
  }
  Jobs::Errand errand;
  errand.timeout = probe_patience;
  errand.space = std::move(question.space);
  errand.steps = std::move(question.steps);
  asking.errand = jobs_.run_errand(*std::move(permit), std::move(errand), [this, key](Result<Jobs::ErrandEnd> end) {
    answered(key, judge(key.second, std::move(end)));
  });
  return waiter;
}

void PythonProbes::answered(const Key& asked, PythonAnswer answer) {
  const Key key = asked;  // it may lie in what is erased here
  const auto found = asking_.find(key);
  if (found == asking_.end()) return;
  const Asking asking = std::move(found->second);
  asking_.erase(found);
  if (!answer.trouble) {
    if (entries_.size() >= most_entries) entries_.clear();
    Entry entry{asking.stamp, asking.surroundings, answer};
    entry.goes_by_surroundings =
        !answer.facts || real_or_given_path(answer.facts->executable) != real_or_given_path(key.second);
    if (answer.refusal == not_there) entry.until = Clock::now() + missing_for;
    entries_.insert_or_assign(key, std::move(entry));
  }
  for (const std::weak_ptr<Told>& waiting : asking.waiters) {
    if (const Waiter waiter = waiting.lock()) (*waiter)(answer);
  }
}

void PythonProbes::forget(const std::string& space) {
  std::erase_if(entries_, [&](const auto& entry) { return entry.first.first == space; });
}

}  // namespace talaria
