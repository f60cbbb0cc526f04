#include "gate/file_gate.h"

namespace talaria {

Result<FilePermit> FileGate::permit(FileUse use, const std::string& path, const std::string& real_path) {
  const FileRules& rules = use == FileUse::read ? read_ : write_;
  const auto refusal = [&](const std::string& judged, const Verdict& verdict) {
    verdicts_.push_back({use, judged, verdict});
    return Error(ErrorCode::denied, verdict.reason);
  };
  // First, since no rule of the owner's can allow it.
  for (const std::string& judged : {path, real_path}) {
    const std::string danger = use == FileUse::write && danger_ ? danger_(judged) : "";
    if (!danger.empty()) return refusal(judged, Verdict{Decision::deny, danger, "guard"});
  }
  for (const std::string& judged : {path, own_.name_of(real_path)}) {
    if (judged.empty()) continue;
    const Verdict verdict = rules.judge(judged);
    if (verdict.decision != Decision::allow) return refusal(judged, verdict);
  }
  const Verdict verdict = rules.judge(real_path);
  if (verdict.decision != Decision::allow) return refusal(real_path, verdict);
  verdicts_.push_back({use, real_path, verdict});
  return FilePermit(use, real_path);
}

bool FileGate::would_permit(FileUse use, const std::string& path) const {
  const FileRules& rules = use == FileUse::read ? read_ : write_;
  if (rules.judge(path).decision != Decision::allow) return false;
  const std::string own = own_.name_by_directory(path);
  return own.empty() || rules.judge(own).decision == Decision::allow;
}

}  // namespace talaria
