#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/client_name.h"
#include "api/session_user.h"
#include "door/params.h"
#include "door/socket_door.h"

namespace talaria {

// The methods of one connection. What they have in common is in socket_door.cc.
class SocketDoor : public RpcHandler {
 public:
  SocketDoor(const DoorSurroundings& surroundings, RpcConnection& connection)
      : around_(surroundings),
        connection_(connection),
        client_(client_of_process(connection.peer().pid)),
        user_(surroundings.api.sessions()) {}

  void handle(RpcRequest request) override;
  void drained() override;

 private:
  struct Method {
    std::string_view name;
    Result<> (SocketDoor::*call)(const Json& id, Fields& params);
    bool operator_only = false;  // refused for peers inside a job
  };
  static const std::vector<Method>& methods();

  Result<> list_tools(const Json& id, Fields& params);
  Result<> call_tool(const Json& id, Fields& params);
  Result<> start_job(const Json& id, Fields& params);
  Result<> subscribe_job(const Json& id, Fields& params);
  Result<> unsubscribe(const Json& id, Fields& params);
  Result<> write_job(const Json& id, Fields& params);
  Result<> signal_job(const Json& id, Fields& params);
  Result<> process_jobs(const Json& id, Fields& params);
  Result<> probe_sandbox(const Json& id, Fields& params);
  Result<> explain_sandbox(const Json& id, Fields& params);
  template <SkillQuestion::About about>
  Result<> ask_skills(const Json& id, Fields& params);
  Result<> subscribe_events(const Json& id, Fields& params);
  Result<> acknowledge_event(const Json& id, Fields& params);
  Result<> give_status(const Json& id, Fields& params);
  Result<> give_doctor(const Json& id, Fields& params);
  Result<> stop_gateway(const Json& id, Fields& params);

  // Refuses `what` to a process inside a job.
  Result<> require_person(const std::string& what) const;
  Result<Caller> read_caller(Fields& params, bool person) const;
  // The session named, else the one this connection used last.
  Result<SessionRef> session_for(std::optional<SessionRef> named, const Caller& caller);

  // Starts an operation whose answer `finish` turns into the result of request `id`.
  template <class T, class Start, class Finish>
  Result<> run(const Json& id, Start start, Finish finish);
  // Refuses one subscription more than a connection may have.
  Result<> room_for_subscription() const;
  void retire(int64_t number);
  void send_output(int64_t subscription, const std::string& job, uint64_t& expected, const OutputPiece& piece);

  DoorSurroundings around_;
  RpcConnection& connection_;
  std::string client_;
  SessionUser user_;
  std::optional<std::string> session_;  // the id of the one used last
  int64_t last_number_ = 0;
  std::map<int64_t, OperationPtr> open_;           // requests under way
  std::map<int64_t, OperationPtr> subscriptions_;  // of jobs and of events
  std::map<int64_t, Follow*> follows_;             // the pausable ones among the subscriptions
  bool paused_ = false;
  std::vector<OperationPtr> retired_;  // ended inside their own callback, so destroyed a moment later
  Loop::Timer sweep_;
};

template <class T, class Start, class Finish>
Result<> SocketDoor::run(const Json& id, Start start, Finish finish) {
  const int64_t number = ++last_number_;
  open_[number] = start(Done<T>([this, number, id, finish](Result<T> result) {
    if (result) connection_.reply(id, finish(*std::move(result)));
    else
      connection_.fail(id, rpc_error(result.error().code() == ErrorCode::invalid_argument ? RpcCode::invalid_params
                                                                                          : RpcCode::failed,
                                     result.error()));
    retire(number);
  }));
  return ok;
}

}  // namespace talaria
