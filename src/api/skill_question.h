#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace talaria {

// What a person, or a program for one, asks about the skills of a session.
struct SkillQuestion {
  enum class About {
    list,      // those that are visible; with `all` the hidden ones too
    view,      // one, loaded: {text, details}
    message,   // the same as a chat would send it: {text, details}
    prompt,    // the index of a system prompt: {prompt, count}, with empty_because when it says nothing
    find,      // which ones names mean, without loading them: {found}
    settings,  // what skills keep below skills.config: {settings}
  };
  About about = About::list;
  std::string name = {};                // view, message; of settings: only this skill's
  std::vector<std::string> names = {};  // find
  std::string file_path = {};           // view
  std::string text = {};                // message: what is said with it
  bool setup_skipped = false;           // view, message: the person was asked for what is missing, and left it
  std::string category = {};            // list
  bool all = false;
  std::optional<int64_t> budget = {};  // prompt: characters
};

}  // namespace talaria
