#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "os/fd.h"
#include "product/house.h"

namespace talaria {

// What lies outside a sandbox for an attack to reach for: files with secrets, a process, sockets that note every
// contact, shared memory, a terminal. All of it is gone at the end.
class Bait {
 public:
  explicit Bait(House& house);
  Bait(const Bait&) = delete;
  Bait& operator=(const Bait&) = delete;
  ~Bait();

  // For the program `attack`: where all of it is, as a file in the workspace.
  std::string write_list();
  void set(const std::string& name, const std::string& value) { list_[name] = value; }
  const std::string& at(const std::string& name) const { return list_.at(name); }
  const std::string& secret() const { return secret_; }  // in all that must not be read

  // What was changed or contacted since the beginning, a sentence each.
  std::vector<std::string> damage();

 private:
  void lay_files();
  void lay_protected_names();
  void lay_programs();
  void lay_sockets();
  void lay_memory();
  void lay_key();
  void lay_terminal();
  void start_victim();

  void put(const std::string& path, const std::string& text, mode_t mode = 0644);
  void listen_on(const std::string& name, UniqueFd fd) { sockets_.emplace(name, std::move(fd)); }

  void look_at_files(std::vector<std::string>& damage) const;
  void look_at_sockets(std::vector<std::string>& damage) const;
  void look_at_memory(std::vector<std::string>& damage) const;
  void look_at_terminal(std::vector<std::string>& damage) const;
  void look_at_victim(std::vector<std::string>& damage);
  void forget_memory();

  House& house_;
  std::string tag_;
  std::string secret_;
  std::string outside_;
  std::map<std::string, std::string> list_;
  std::map<std::string, std::string> files_;    // path → what it looked like
  std::map<std::string, UniqueFd> sockets_;     // name → what listens
  std::vector<std::string> folders_;            // to remove at the end
  std::map<std::string, std::string> machine_;  // as it was, by what was looked at
  double clock_ = 0;
  UniqueFd terminal_, terminal_inside_;
  std::unique_ptr<Running> victim_;
  int questions_ = 0;
};

// What one file looks like, with its content; "missing" when it is not there.
std::string look_of(const std::string& path);
// Names, mounts and settings of the machine; and its clock, as seconds between its start and the epoch.
std::map<std::string, std::string> look_of_machine();
double clock_offset();

}  // namespace talaria
