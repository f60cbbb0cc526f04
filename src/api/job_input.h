#pragma once
#include <string>

#include "api/parts.h"
#include "tools/operation.h"

namespace talaria {

// Bytes for a job's stdin. Answers when they were taken, which is what holds back a client that writes faster than the
// command reads. Failures are errors, not results.
class JobWrite : public Operation {
 public:
  JobWrite(Parts& parts, const std::string& job, const std::string& data, bool eof,
           const std::optional<StdinPosition>& position, Done<ToolResult> done);

 private:
  Done<ToolResult> done_;
  Later later_;
  KeeperClient::Call call_;
};

// One signal to every process of a job.
class JobSignal : public Operation {
 public:
  JobSignal(Parts& parts, const std::string& job, const std::string& signal, Done<ToolResult> done);

 private:
  Result<> send(Parts& parts, const std::string& job, const std::string& signal);

  Done<ToolResult> done_;
  Later later_;
  KeeperClient::Call call_;
};

}  // namespace talaria
