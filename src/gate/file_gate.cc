#include "gate/file_gate.h"

namespace talaria {

Result<FilePermit> FileGate::permit(FileUse use, const std::string& path, const std::string& real_path) {
  const FileRules& rules = use == FileUse::read ? read_ : write_;
  for (const std::string& judged : {path, real_path}) {
    const Verdict verdict = rules.judge(judged);
    if (verdict.decision == Decision::allow && judged != real_path) continue;
    verdicts_.push_back({use, judged, verdict});
    if (verdict.decision != Decision::allow) return Error(ErrorCode::denied, verdict.reason);
    break;
  }
  return FilePermit(use, real_path);
}

bool FileGate::would_permit(FileUse use, const std::string& path) const {
  return (use == FileUse::read ? read_ : write_).judge(path).decision == Decision::allow;
}

}  // namespace talaria
