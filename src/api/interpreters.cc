#include "api/interpreters.h"

#include <algorithm>
#include <set>

#include "api/inside_paths.h"
#include "api/shell_state.h"
#include "base/text.h"
#include "code/interpreter_mark.h"
#include "os/file.h"

namespace talaria {
namespace {

constexpr auto longest_python_search = 30s;

// What it loads on its own.
std::vector<std::string> library_of(const PythonFacts& facts) {
  std::vector<std::string> library = facts.library;
  library.push_back(facts.stdlib);
  return library;
}

// Whether nothing that this interpreter loads on its own can be changed in the sandbox. A part of the library may be a
// link: then it counts as well where that leads. Who starts it as a base looks at all of it once more, from inside.
bool is_out_of_reach(const View& view, const PythonFacts& facts) {
  const auto fixed = [&](const std::string& path) {
    const std::string real = real_path(path);
    return !real.empty() && !can_be_changed_inside(view, path) && is_fixed_inside(view, real);
  };
  std::vector<std::string> loaded = library_of(facts);
  for (const char* path : {"/lib", "/lib64", "/usr/lib", "/usr/lib64"}) loaded.emplace_back(path);  // by the linker
  for (size_t i = 0, given = loaded.size(); i < given; ++i) {
    if (std::string real = real_path(loaded[i]); !real.empty() && real != loaded[i]) loaded.push_back(std::move(real));
  }
  const auto opens_library = [&](const MountStep& step) {
    const auto is_in = [&](const std::string& path) { return is_within(step.target, path); };
    return step.writable && std::ranges::any_of(loaded, is_in);
  };
  return is_fixed_inside(view, facts.base) && std::ranges::all_of(library_of(facts), fixed) &&
         std::ranges::none_of(view.mounts.steps, opens_library);
}

FileState state_of(const FileStat& stat) {
  return {stat.inode, stat.size, stat.modified_ns, stat.changed_ns, stat.mode};
}

// {path: stamp} of those that are there, as the session sees them.
JsonObject stamps_inside(FileSystem& files, const std::vector<std::string>& paths) {
  JsonObject stamps;
  for (const std::string& path : paths) {
    const Result<FileStat> own = files.stat(path, FileSystem::Links::looked_at);
    if (!own) continue;
    const Result<FileStat> target = own->type == FileType::link ? files.stat(path) : own;
    const FileState link = state_of(*own), led_to = target ? state_of(*target) : FileState();
    stamps[path] = stamp_of(link, target ? &led_to : nullptr);
  }
  return stamps;
}

}  // namespace

// One search: from place to place until one has a Python that can be used, then to the interpreter behind it.
class Interpreters::Search {
 public:
  Search(Interpreters& owner, const InterpreterWish& wish, Found found)
      : owner_(owner),
        place_(wish.place),
        session_(wish.session),
        mode_(wish.mode),
        cwd_(wish.cwd),
        found_(std::move(found)),
        variables_(*place_.environment) {
    if (mode_ == InterpreterMode::project) use_own_variables(wish.client);
    places_ = interpreter_places(mode_, cwd_, session_.workspace, variables_);
  }

  void next();

 private:
  void use_own_variables(const Environment& client) {
    apply_state(owner_.shells_.of(session_), variables_);
    for (const char* name : {"PATH", "VIRTUAL_ENV", "CONDA_PREFIX"}) {
      if (const auto found = client.find(name); found != client.end()) variables_[name] = found->second;
    }
  }
  void look(const std::vector<std::string>& paths, std::function<void()> then);
  void looked(const InterpreterPlace& place);
  void take(const PythonAnswer& answer);
  void ask_base();
  void take_base(const PythonAnswer& answer);
  void look_for_marks();
  void conclude();
  void finish(Result<Interpreter> result);

  void ask(const std::string& program, void (Search::*taker)(const PythonAnswer&));
  std::string space() const { return place_.sandbox ? place_.sandbox->request.space : ""; }
  bool differs(const std::string& path) const { return place_.sandbox && differs_inside(place_.sandbox->view, path); }
  std::string surroundings(const std::string& program) const;
  Environment probe_environment() const;
  std::string mark(const std::vector<std::string>& paths) const;
  void note(const std::string& reason);

  Interpreters& owner_;
  Place place_;
  SessionRow session_;
  InterpreterMode mode_;
  std::string cwd_;
  Found found_;
  Environment variables_;
  std::vector<InterpreterPlace> places_;
  size_t at_ = 0;
  Clock::time_point begun_ = Clock::now();
  std::map<std::string, std::string> stamps_;  // by path, of this moment
  std::set<std::string> tried_;                // stamps: /bin and /usr/bin are often the same
  std::string candidate_;
  Interpreter interpreter_;
  PythonFacts facts_;
  std::optional<PythonFacts> base_;  // by its own word, and out of the sandbox's reach
  PythonProbes::Waiter probing_;
  SessionFiles::Wanted looking_;
};

void Interpreters::Search::next() {
  if (at_ == places_.size()) {
    return finish(Error(ErrorCode::unavailable, no_interpreter(mode_, interpreter_.notes)));
  }
  if (Clock::now() - begun_ > longest_python_search) {
    return finish(Error(ErrorCode::timed_out,
                        "the search for a Python took longer than 30 seconds (" + join(interpreter_.notes, " ") + ")"));
  }
  const InterpreterPlace& place = places_[at_++];
  interpreter_.found_by = place.found_by;
  candidate_ = place.programs.front();
  if (place.found_by == "PATH" && differs(candidate_)) {
    if (!file_stamp(candidate_).empty()) note("the sandbox does not show it");
    return next();
  }
  std::vector<std::string> paths = place.programs;
  paths.push_back(place.folder);
  look(paths, [this, &place] { looked(place); });
}

void Interpreters::Search::looked(const InterpreterPlace& place) {
  const auto there = std::ranges::find_if(place.programs, [&](const auto& path) { return !stamps_[path].empty(); });
  if (there == place.programs.end()) {
    const bool worth_a_word = place.named || !stamps_[place.folder].empty();
    if (place.found_by != "PATH" && worth_a_word) note("it is not there");
    return next();
  }
  candidate_ = *there;
  if (place.found_by == "PATH" && !tried_.insert(stamps_[candidate_]).second) return next();
  ask(candidate_, &Search::take);
}

void Interpreters::Search::ask(const std::string& program, void (Search::*taker)(const PythonAnswer&)) {
  const std::string& stamp = stamps_[program];
  if (const PythonAnswer* known =
          owner_.probes_.known(space(), program, stamp, [&] { return surroundings(program); })) {
    const PythonAnswer answer = *known;
    return (this->*taker)(answer);
  }
  PythonProbes::Question question;
  question.space = space();
  if (place_.sandbox) question.steps = place_.sandbox->steps;
  question.program = program;
  question.stamp = stamp;
  question.surroundings = surroundings(program);
  question.environment = probe_environment();
  probing_ =
      owner_.probes_.ask(std::move(question), [this, taker](const PythonAnswer& answer) { (this->*taker)(answer); });
}

void Interpreters::Search::take(const PythonAnswer& answer) {
  if (answer.trouble) return finish(*answer.trouble);
  if (!answer.facts) {
    note(answer.refusal);
    return next();
  }
  facts_ = *answer.facts;
  const std::string real = real_path(candidate_);
  const bool itself = facts_.executable == candidate_ || (!real.empty() && real == real_path(facts_.executable));
  interpreter_.program = itself ? candidate_ : facts_.executable;
  ask_base();
}

// A program can say anything, of others and of itself. So a base must be out of the sandbox's reach before it is asked
// what it is, and only its own answer counts.
void Interpreters::Search::ask_base() {
  if (!place_.sandbox || !facts_.has_ctypes) return look_for_marks();
  const View& view = place_.sandbox->view;
  if (!is_fixed_inside(view, facts_.base)) return look_for_marks();
  const bool was_asked = real_path(candidate_) == facts_.base && !can_be_changed_inside(view, candidate_);
  if (was_asked && !facts_.is_environment()) {
    base_ = facts_;
    return look_for_marks();
  }
  look({facts_.base}, [this] { ask(facts_.base, &Search::take_base); });
}

void Interpreters::Search::take_base(const PythonAnswer& answer) {
  if (answer.trouble) return finish(*answer.trouble);
  const bool agrees = answer.facts && answer.facts->base == facts_.base &&
                      answer.facts->version() == facts_.version() && !answer.facts->is_environment();
  if (agrees) {
    base_ = answer.facts;
  }
  look_for_marks();
}

void Interpreters::Search::look_for_marks() {
  std::vector<std::string> paths = marked_paths(interpreter_.program, facts_);
  if (base_) {
    const std::vector<std::string> more = marked_base_paths(*base_);
    paths.insert(paths.end(), more.begin(), more.end());
  }
  look(paths, [this] { conclude(); });
}

void Interpreters::Search::conclude() {
  const PythonFacts& base = base_ ? *base_ : facts_;
  interpreter_.base = base.base;
  interpreter_.base_prefix = base.base_prefix;
  interpreter_.version = facts_.version();
  interpreter_.mark = mark(marked_paths(interpreter_.program, facts_));
  interpreter_.base_mark = mark(marked_base_paths(base));
  if (base_) interpreter_.base_library = library_of(*base_);
  interpreter_.may_be_warm = base_ && base_->has_ctypes && is_out_of_reach(place_.sandbox->view, *base_);
  finish(std::move(interpreter_));
}

void Interpreters::Search::finish(Result<Interpreter> result) {
  const Found found = std::move(found_);
  found(std::move(result));  // may destroy us
}

// What is private to the sandbox is looked at from inside.
void Interpreters::Search::look(const std::vector<std::string>& paths, std::function<void()> then) {
  std::vector<std::string> inside;
  for (const std::string& path : paths) {
    if (differs(path)) inside.push_back(path);
    else stamps_[path] = file_stamp(path);
  }
  if (inside.empty()) return then();
  looking_ = owner_.files_.run(
      session_.id, space(), [inside](SessionFiles::Bench& bench) { return stamps_inside(bench.files, inside); },
      [this, inside, then = std::move(then)](Result<JsonObject> stamps) {
        if (!stamps) return finish(stamps.error());
        for (const std::string& path : inside) stamps_[path] = text_or(*stamps, path);
        then();
      });
}

std::string Interpreters::Search::surroundings(const std::string& program) const {
  return mark(shim_files(program, mode_ == InterpreterMode::project ? cwd_ : "", variables_));
}

std::string Interpreters::Search::mark(const std::vector<std::string>& paths) const {
  std::vector<MarkedPath> marked;
  for (const std::string& path : paths) {
    const auto known = stamps_.find(path);
    marked.push_back({path, known == stamps_.end() ? file_stamp(path) : known->second});
  }
  return mark_of(marked);
}

// What every command gets, and nothing that was let through by name.
Environment Interpreters::Search::probe_environment() const {
  Environment environment = sandbox_environment(*place_.environment, {}).variables;
  if (place_.sandbox) {
    for (const auto& [name, value] : place_.sandbox->environment) environment[name] = value;
  }
  // Where pyenv's shim begins to look for the project's version; the errand itself runs in /.
  if (mode_ == InterpreterMode::project) environment["PYENV_DIR"] = cwd_;
  return environment;
}

void Interpreters::Search::note(const std::string& reason) {
  const std::string where = interpreter_.found_by == "PATH" ? " on the PATH" : " of " + interpreter_.found_by;
  interpreter_.notes.push_back(candidate_ + where + " cannot be used: " + reason + ".");
}

Interpreters::Waiter Interpreters::find(const InterpreterWish& wish, Found found) {
  auto search = std::make_shared<Search>(*this, wish, std::move(found));
  search->next();
  return search;
}

}  // namespace talaria
