#pragma once
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "json/json.h"
#include "os/fd.h"
#include "os/home.h"

namespace talaria {

// What a gateway does with one line it read: bytes to send back, all in one write, and whether it goes away then.
struct FakeAnswer {
  std::string bytes;
  bool closes = false;
};

// Stands in a home's gateway socket and does exactly what a test wants, one connection after the other. Then it is gone
// with its socket, and a client that still wants a gateway starts a real one.
class FakeGateway {
 public:
  // How to take one request; `connection` counts from 0.
  using Take = std::function<FakeAnswer(int connection, const JsonObject& request)>;
  FakeGateway(const Home& home, int connections, Take take);
  ~FakeGateway();

  // Waits until all connections were had; the methods that were asked for, in their order.
  std::vector<std::string> finish();

 private:
  void serve(int connections);
  void serve_one(int number, const UniqueFd& connection);

  std::string path_;
  UniqueFd listener_;
  Take take_;
  std::vector<std::string> methods_;
  std::thread thread_;
};

// Lines as a gateway writes them.
std::string answer_line(const JsonObject& request, JsonObject result);
std::string notice_line(const std::string& method, JsonObject params);

}  // namespace talaria
