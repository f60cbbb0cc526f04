#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/text.h"
#include "config/edit.h"
#include "config/keys.h"
#include "config/settings.h"

namespace talaria {
namespace {

// Makes config texts as people write them: comments, blank lines, odd spacing, quotes, flow, CRLF, unknown keys.
class TextMaker {
 public:
  explicit TextMaker(unsigned number) : random_(number), ending_(one_in(4) ? "\r\n" : "\n"), step_(one_in(3) ? 4 : 2) {}

  std::string make() {
    std::string text = one_in(6) ? "\xEF\xBB\xBF" : "";
    for (const char* section : {"exec", "log", "skills", "session", "web", "terminal"}) {
      if (one_in(3)) continue;
      noise(text, 0);
      if (one_in(3)) flow_section(text, section);
      else block_section(text, section);
    }
    noise(text, 0);
    if (one_in(4) && text.ends_with(ending_)) text.resize(text.size() - ending_.size());
    return text;
  }

 private:
  bool one_in(unsigned n) { return random_() % n == 0; }

  void noise(std::string& text, size_t indent) {
    if (one_in(3)) text += ending_;
    if (one_in(3)) text += std::string(indent, ' ') + "# a: comment, {with} \"marks\"" + ending_;
  }

  std::string trailing() { return one_in(3) ? "  # beside" : ""; }

  std::vector<std::string> pairs(const std::string& section) {
    std::vector<std::string> made;
    if (section == "exec")
      made = {"timeout: 30", "host:   'auto'", "ask: \"off\"", "\"note\": a # b", "max_output : 5000"};
    else if (section == "log") made = {"level: debug", "file: /x/y.log"};
    else if (section == "session") made = {"idle_minutes: 5"};
    else if (section == "terminal") made = {"env_passthrough: [A, 'B C']"};
    else made = {"a: 1", "b: ''", "c: \"x \\\" y\"", "d: [1, {e: f}]", "g:"};
    std::erase_if(made, [&](const std::string&) { return one_in(3); });
    return made;
  }

  void block_section(std::string& text, const std::string& section) {
    text += section + ":" + trailing() + ending_;
    for (const std::string& pair : pairs(section)) {
      noise(text, step_);
      text += std::string(step_, ' ') + pair + (pair.find('#') == std::string::npos ? trailing() : "") + ending_;
    }
    if (section == "skills" && one_in(2)) {
      const std::string indent(step_, ' ');
      text += indent + "list:" + ending_ + indent + "- x" + trailing() + ending_ + indent + "- y" + ending_;
      text += indent + "text: |" + ending_ + indent + "  one" + ending_ + ending_ + indent + "  # two" + ending_;
    }
  }

  void flow_section(std::string& text, const std::string& section) {
    std::vector<std::string> inside = pairs(section);
    std::erase_if(inside, [](const std::string& pair) { return pair.find('#') != std::string::npos; });
    text += section + ": {" + join(inside, one_in(2) ? ", " : " ,  ") + "}" + trailing() + ending_;
  }

  std::mt19937 random_;
  std::string ending_;
  size_t step_;
};

struct Edit {
  const char* key;
  const char* value;
};
constexpr Edit edits[] = {{"exec.timeout", "77"},        {"exec.host", "sandbox"},
                          {"exec.elevated.mode", "ask"}, {"log.level", "warning"},
                          {"session.idle_minutes", "9"}, {"terminal.env_passthrough", "[X, Y]"},
                          {"skills.a", "new: value"},    {"web.g", "2"},
                          {"brand.new.key", "x"},        {"jobs.max_total_bytes", "9999999"}};

std::string all_comments(const std::string& text) {
  std::string comments;
  for (const std::string& line : split(text, '\n')) {
    const size_t mark = line.find("# ");
    if (mark != std::string::npos) comments += std::string(trim(line.substr(mark))) + "\n";
  }
  return comments;
}

// The value of every key but `key`, to see that an edit changed nothing else.
std::string other_values(const std::string& text, std::string_view key) {
  std::string values;
  for (const Edit& edit : edits) {
    if (edit.key != key) values += get_key(text, edit.key)->value_or("-") + "\n";
  }
  for (const char* other : {"exec.note", "exec.ask", "exec.max_output", "log.file", "skills.b", "skills.c", "skills.d",
                            "skills.list", "skills.text", "web.b", "web.d"}) {
    values += get_key(text, other)->value_or("-") + "\n";
  }
  return values;
}

// The bytes both ends have in common cover all of `shorter` but at most `hole`.
bool is_one_change(const std::string& before, const std::string& after, const std::string& hole) {
  const size_t most = std::min(before.size(), after.size());
  size_t front = 0;
  while (front < most && before[front] == after[front]) ++front;
  size_t back = 0;
  while (back < most - front && before[before.size() - 1 - back] == after[after.size() - 1 - back]) ++back;
  return before.size() - front - back <= hole.size() + 2;
}

TEST(EditPropertyTest, SettingChangesTheValueAndNothingElse) {
  for (unsigned number = 0; number < 150; ++number) {
    const std::string before = TextMaker(number).make();
    ASSERT_TRUE(parse_settings(before)) << parse_settings(before).error().message() << "\n" << before;
    for (const Edit& edit : edits) {
      const Result<std::string> after = set_key(before, edit.key, edit.value);
      ASSERT_TRUE(after) << edit.key << ": " << after.error().message() << "\n" << before;
      EXPECT_EQ(get_key(*after, edit.key)->value_or("-"), edit.value);
      EXPECT_EQ(other_values(*after, edit.key), other_values(before, edit.key)) << before;
      EXPECT_EQ(all_comments(*after), all_comments(before));
      EXPECT_TRUE(is_one_change(before, *after, get_key(before, edit.key)->value_or(""))) << before << "\n---\n"
                                                                                          << *after;
      EXPECT_TRUE(parse_settings(*after));
    }
  }
}

TEST(EditPropertyTest, UnsettingWhatWasAddedGivesTheOriginalBack) {
  for (unsigned number = 0; number < 150; ++number) {
    const std::string before = TextMaker(number).make();
    for (const Edit& edit : edits) {
      // A section without keys is filled, and then taken along: that is no way back.
      const std::string section = std::string(edit.key).substr(0, std::string_view(edit.key).find('.'));
      const std::string held = get_key(before, section)->value_or("(null)");
      const bool is_absent = before.find(section + ":") == std::string::npos;
      if (get_key(before, edit.key)->has_value() || (!is_absent && (held == "{}" || held == "(null)"))) continue;
      if (before.find("g:") != std::string::npos && std::string_view(edit.key) == "web.g") continue;
      const Result<std::string> after = set_key(before, edit.key, edit.value);
      ASSERT_TRUE(after);
      const Result<std::string> back = unset_key(*after, edit.key);
      ASSERT_TRUE(back) << back.error().message() << "\n" << *after;
      // Without a final newline the one that was added before the new line stays.
      EXPECT_EQ(trim(*back), trim(before)) << edit.key << "\n" << *after;
    }
  }
}

TEST(EditPropertyTest, UnsettingRemovesTheValueAndNothingElse) {
  for (unsigned number = 0; number < 150; ++number) {
    const std::string before = TextMaker(number).make();
    for (const Edit& edit : edits) {
      const Result<std::string> after = unset_key(before, edit.key);
      ASSERT_TRUE(after) << edit.key << ": " << after.error().message() << "\n" << before;
      EXPECT_FALSE(get_key(*after, edit.key)->has_value());
      EXPECT_EQ(other_values(*after, edit.key), other_values(before, edit.key)) << before;
    }
  }
}

}  // namespace
}  // namespace talaria
