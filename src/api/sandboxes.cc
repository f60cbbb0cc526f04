#include "api/sandboxes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "os/daemon.h"
#include "os/file.h"
#include "sandbox/own_places.h"

namespace talaria {
namespace {

// Tells one set of rules from another in a sandbox's name: FNV-1a, for names and not for secrets.
std::string mark_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char mark[17];
  std::snprintf(mark, sizeof mark, "%016llx", static_cast<unsigned long long>(hash));
  return mark;
}

// A directory that was removed and made again is another one, and the old sandbox would show the dead. Its inode may be
// the same, the time it was made is not.
std::string identity_of(const std::string& directory) {
  struct statx info {};
  if (::statx(AT_FDCWD, directory.c_str(), 0, STATX_INO | STATX_BTIME, &info) != 0) return "";
  return std::to_string(info.stx_dev_major) + ":" + std::to_string(info.stx_dev_minor) + ":" +
         std::to_string(info.stx_ino) + ":" + std::to_string(info.stx_btime.tv_sec) + "." +
         std::to_string(info.stx_btime.tv_nsec);
}

// What decides which toolchains are shown.
std::string places_in(const Environment& environment) {
  std::string places;
  for (const char* name : {"HOME", "PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "NVM_DIR", "RUSTUP_HOME",
                           "GOROOT", "JAVA_HOME", "VOLTA_HOME", "BUN_INSTALL", "DOTNET_ROOT"}) {
    const auto found = environment.find(name);
    if (found != environment.end()) places += "\n" + found->second;
  }
  return places;
}

std::string home_in(const Environment& environment) {
  const auto found = environment.find("HOME");
  return found == environment.end() ? "" : found->second;
}

}  // namespace

Sandboxes::Sandboxes(Loop& loop, WorkerPool& workers, Jobs& jobs, const Home& home)
    : loop_(loop),
      workers_(workers),
      jobs_(jobs),
      home_(home),
      programs_(sibling_program("")),
      library_(library_directory()) {}

Sandboxes::~Sandboxes() { *alive_ = false; }

Sandboxes::ProbeWaiter Sandboxes::probe(const std::vector<std::string>& without, const std::string& workspace,
                                        Probed done) {
  struct stat info {};
  const bool there = ::stat(workspace.c_str(), &info) == 0;
  JsonObject asked{{"without", JsonArray(without.begin(), without.end())}, {"workspace", there ? workspace : "/usr"}};
  // Only the file system counts, and only for root.
  // Connecting to a new keeper changes what is known, so it comes first.
  Result<KeeperClient*> keeper = jobs_.keeper();
  const std::string key = join(without, ",") + "@" + (::geteuid() == 0 && there ? std::to_string(info.st_dev) : "");
  Probing& probing = probes_[key];
  auto waiter = std::make_shared<Probed>(std::move(done));
  if (probing.found) return (*waiter)(*probing.found), waiter;
  probing.waiters.push_back(waiter);
  if (std::exchange(probing.asking, true)) return waiter;
  const auto answer = [this, key](Result<Probe> found) {
    std::vector<std::weak_ptr<Probed>> waiters;
    waiters.swap(probes_[key].waiters);
    probes_[key].asking = false;
    if (found) probes_[key].found = *found;
    for (const std::weak_ptr<Probed>& waiting : waiters) {
      if (const ProbeWaiter still = waiting.lock()) (*still)(found);
    }
  };
  Result<ProbeQuestion> question = probe_question_from(asked);
  if (!keeper) return answer(keeper.error()), waiter;
  if (!question) return answer(question.error()), waiter;
  probing.call = (*keeper)->probe(*question, answer);
  return waiter;
}

const SandboxEnvironment& Sandboxes::environment(const std::shared_ptr<const Settings>& settings,
                                                 const SharedEnvironment& login) {
  if (inside_.settings != settings || inside_.login != login) {
    inside_ = {settings, login, sandbox_environment(*login, settings->terminal.env_passthrough)};
  }
  return inside_.environment;
}

const Sandboxes::Rules& Sandboxes::rules_for(const Wish& wish) {
  const bool known = rules_.settings == wish.settings && rules_.environment == wish.environment;
  if (known && rules_.wish == wish.sandbox) return rules_;
  const SandboxSettings& settings = wish.settings->sandbox;
  rules_ = {wish.settings, wish.environment, wish.sandbox,
            profile_for(settings, wish.sandbox, home_in(*wish.environment)), ""};
  if (!rules_.profile) return rules_;
  rules_.text = write_json(to_json(*rules_.profile)) + settings.root_identity + join(settings.without, ",") +
                places_in(*wish.environment) + "\nlibrary " + library_;
  return rules_;
}

// What a sandbox was made for: a workspace, and where we ourselves were in what it may write.
std::string Sandboxes::state_of_places(const Wish& wish, const Profile& profile) const {
  std::vector<std::string> opened = profile.writable;
  opened.push_back(wish.session.workspace);
  const OwnThings ourselves{home_.root, home_.runtime, programs_, exists(library_) ? library_ : ""};
  return identity_of(wish.session.workspace) + identity_of_own_places(find_own_places(ourselves), opened);
}

Sandboxes::Waiter Sandboxes::plan(const Wish& wish, Done done) {
  const SandboxSettings& settings = wish.settings->sandbox;
  auto waiter = std::make_shared<Done>(std::move(done));
  const Rules& rules = rules_for(wish);
  if (!rules.profile) return (*waiter)(rules.profile.error()), waiter;
  Result<RootIdentity> root_identity = root_identity_named(settings.root_identity);
  if (!root_identity) return (*waiter)(root_identity.error()), waiter;
  const std::string space = wish.session.id + "-" + mark_of(rules.text + state_of_places(wish, *rules.profile));
  replace(wish.session.id + "/" + wish.sandbox.profile + "/" + wish.sandbox.network, space);
  if (const auto found = plans_.find(space); found != plans_.end()) return (*waiter)(found->second), waiter;
  Planning& planning = planning_[space];
  planning.waiters.push_back(waiter);
  if (planning.waiters.size() > 1) return waiter;

  SandboxQuestion question;
  question.space = space;
  question.workspace = wish.session.workspace;
  question.profile = *rules.profile;
  question.root_identity = *root_identity;
  question.first_id = static_cast<uint32_t>(settings.first_id);
  question.ids = static_cast<uint32_t>(settings.ids);
  // One that the keeper has already stays who it is.
  const auto known = uids_.find(space);
  const bool ours = known != uids_.end() && known->second >= question.first_id;
  question.slot = ours ? known->second - question.first_id : free_slot(settings);
  uids_[space] = question.first_id + question.slot;
  question.environment = *wish.environment;
  question.home = home_;
  question.programs = programs_;
  if (exists(library_)) question.library = library_;
  ProbeWaiter probing = probe(settings.without, wish.session.workspace,
                              [this, question = std::move(question)](Result<Probe> found) mutable {
                                if (!found) return planned(question.space, found.error());
                                question.probe = *std::move(found);
                                work_out(std::move(question));
                              });
  if (const auto still = planning_.find(space); still != planning_.end()) still->second.probing = std::move(probing);
  return waiter;
}

void Sandboxes::work_out(SandboxQuestion question) {
  const std::string space = question.space;
  auto outcome = std::make_shared<Result<SandboxPlan>>(Error(ErrorCode::cancelled, ""));
  workers_.run([outcome, question = std::move(question)] { *outcome = plan_sandbox(question); },
               [this, outcome, space, alive = alive_] {
                 if (*alive) planned(space, std::move(*outcome));
               });
}

void Sandboxes::planned(const std::string& space, Result<SandboxPlan> plan) {
  const Planning planning = std::move(planning_[space]);
  planning_.erase(space);
  Result<SharedSandboxPlan> shared = Error(ErrorCode::cancelled, "");
  if (plan) shared = plans_[space] = std::make_shared<const SandboxPlan>(*std::move(plan));
  else shared = plan.error();
  if (!shared) uids_.erase(space);
  for (const std::weak_ptr<Done>& waiting : planning.waiters) {
    if (const Waiter waiter = waiting.lock()) (*waiter)(shared);
  }
}

uint32_t Sandboxes::free_slot(const SandboxSettings& settings) const {
  std::set<uint32_t> taken;
  for (const auto& [space, uid] : uids_) taken.insert(uid);
  const auto first = static_cast<uint32_t>(settings.first_id), ids = static_cast<uint32_t>(settings.ids);
  for (uint32_t slot = 0; slot < ids; ++slot) {
    if (!taken.contains(first + slot)) return slot;
  }
  return static_cast<uint32_t>(uids_.size());  // more sessions than ids: some share one
}

Result<> Sandboxes::open(const SandboxPlan& plan) {
  KeeperClient* keeper = TRY(jobs_.keeper());
  if (!open_.insert(plan.request.space).second) return ok;
  if (opening_) opening_(plan);
  keeper->open_space(plan.request);
  return ok;
}

void Sandboxes::gone(const std::string& space) {
  plans_.erase(space);
  uids_.erase(space);
  open_.erase(space);
  used_.erase(space);
  showing_.erase(space);
}

void Sandboxes::close_session(const std::string& session) {
  std::vector<std::string> closing;
  for (const auto& [space, uid] : uids_) {
    if (space.starts_with(session + "-")) closing.push_back(space);
  }
  for (const std::string& space : closing) close(space);
  std::erase_if(current_, [&](const auto& known) { return known.first.starts_with(session + "/"); });
}

// Under other rules, or in a workspace made anew, nothing new will run in the sandbox from before.
void Sandboxes::replace(const std::string& wish, const std::string& space) {
  std::string& current = current_[wish];
  if (!current.empty() && current != space) close(current);
  current = space;
}

// Its uid stays taken until the keeper says that it is gone.
void Sandboxes::close(const std::string& space) {
  Result<KeeperClient*> keeper = jobs_.keeper();
  if (keeper) (*keeper)->close_space(space, KeeperClient::CloseSpace::when_unused);
  const uint32_t uid = uids_[space];
  gone(space);
  uids_[space] = uid;
}

void Sandboxes::keeper_connected(const KeeperClient& keeper) {
  open_.clear();
  showing_.clear();
  for (auto& [key, probing] : probes_) probing.found.reset();  // who waits is answered by the call that failed
  std::erase_if(uids_, [this](const auto& known) { return !plans_.contains(known.first); });
  for (const KnownSpace& known : keeper.spaces_at_connect()) {
    uids_[known.space] = known.uid;
    showing_.emplace(known.space, 0);
  }
}

}  // namespace talaria
