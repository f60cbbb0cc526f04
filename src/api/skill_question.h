#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace talaria {

// What a person, or a program for one, asks about the skills of a session.
struct SkillQuestion {
  enum class About {
    list,      // those that are visible; with `all` the hidden ones too
    view,      // one, loaded: {text, details}
    message,   // the same as a chat would send it: {text, details}
    prompt,    // the index of a system prompt: {prompt, count}
    settings,  // what skills keep below skills.config: {settings}
  };
  About about = About::list;
  std::string name = {};       // view, message; of settings: only this skill's
  std::string file_path = {};  // view
  std::string text = {};       // message: what is said with it
  std::string category = {};   // list
  bool all = false;
  std::optional<int64_t> budget = {};  // prompt: characters
};

}  // namespace talaria
