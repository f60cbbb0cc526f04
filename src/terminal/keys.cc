#include "terminal/keys.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "base/utf8.h"

namespace talaria {
namespace {

// How a named key becomes bytes; `code` of Key means something else in each.
enum class Shape {
  cursor,  // ESC [ code, ESC O code in application mode, ESC [ 1 ; m code with modifiers
  ss3,     // ESC O code, ESC [ 1 ; m code with modifiers
  tilde,   // ESC [ code ~, ESC [ code ; m ~ with modifiers
  plain,   // the code itself; meta puts ESC before it
  tab,     // plain, but shift makes it back-tab
  space,   // plain, but control makes it NUL
  erase,   // plain, but control makes it BS
};

struct Key {
  std::string_view name;
  Shape shape;
  int code;
};

constexpr Key key_table[] = {
    {"Enter", Shape::plain, '\r'}, {"Return", Shape::plain, '\r'}, {"Tab", Shape::tab, '\t'},
    {"BTab", Shape::tab, 'Z'},     {"Escape", Shape::plain, 0x1b}, {"Esc", Shape::plain, 0x1b},
    {"Space", Shape::space, ' '},  {"BSpace", Shape::erase, 0x7f}, {"Backspace", Shape::erase, 0x7f},
    {"Up", Shape::cursor, 'A'},    {"Down", Shape::cursor, 'B'},   {"Right", Shape::cursor, 'C'},
    {"Left", Shape::cursor, 'D'},  {"Home", Shape::cursor, 'H'},   {"End", Shape::cursor, 'F'},
    {"IC", Shape::tilde, 2},       {"Insert", Shape::tilde, 2},    {"DC", Shape::tilde, 3},
    {"Delete", Shape::tilde, 3},   {"Del", Shape::tilde, 3},       {"PageUp", Shape::tilde, 5},
    {"PgUp", Shape::tilde, 5},     {"PPage", Shape::tilde, 5},     {"PageDown", Shape::tilde, 6},
    {"PgDn", Shape::tilde, 6},     {"NPage", Shape::tilde, 6},     {"F1", Shape::ss3, 'P'},
    {"F2", Shape::ss3, 'Q'},       {"F3", Shape::ss3, 'R'},        {"F4", Shape::ss3, 'S'},
    {"F5", Shape::tilde, 15},      {"F6", Shape::tilde, 17},       {"F7", Shape::tilde, 18},
    {"F8", Shape::tilde, 19},      {"F9", Shape::tilde, 20},       {"F10", Shape::tilde, 21},
    {"F11", Shape::tilde, 23},     {"F12", Shape::tilde, 24},      {"KP0", Shape::plain, '0'},
    {"KP1", Shape::plain, '1'},    {"KP2", Shape::plain, '2'},     {"KP3", Shape::plain, '3'},
    {"KP4", Shape::plain, '4'},    {"KP5", Shape::plain, '5'},     {"KP6", Shape::plain, '6'},
    {"KP7", Shape::plain, '7'},    {"KP8", Shape::plain, '8'},     {"KP9", Shape::plain, '9'},
    {"KP/", Shape::plain, '/'},    {"KP*", Shape::plain, '*'},     {"KP-", Shape::plain, '-'},
    {"KP+", Shape::plain, '+'},    {"KP.", Shape::plain, '.'},     {"KPEnter", Shape::plain, '\r'},
};

struct Modifiers {
  bool shift = false, meta = false, control = false;

  // xterm's number for them: 1 means none.
  int number() const { return 1 + (shift ? 1 : 0) + (meta ? 2 : 0) + (control ? 4 : 0); }
};

struct ModifierName {
  std::string_view name;
  bool Modifiers::*which;
};

constexpr ModifierName modifier_table[] = {
    {"c-", &Modifiers::control},    {"m-", &Modifiers::meta},    {"s-", &Modifiers::shift},
    {"ctrl-", &Modifiers::control}, {"alt-", &Modifiers::meta},  {"shift-", &Modifiers::shift},
    {"ctrl+", &Modifiers::control}, {"alt+", &Modifiers::meta},  {"shift+", &Modifiers::shift},
    {"meta-", &Modifiers::meta},    {"meta+", &Modifiers::meta},
};

// Takes the modifiers off the front of `name`. What is left is never empty: "C-" is no modifier of nothing.
Modifiers take_modifiers(std::string_view& name) {
  Modifiers modifiers;
  for (bool found = true; found;) {
    found = false;
    for (const ModifierName& modifier : modifier_table) {
      const size_t length = modifier.name.size();
      if (name.size() <= length || lower(name.substr(0, length)) != modifier.name) continue;
      modifiers.*modifier.which = true;
      name.remove_prefix(length);
      found = true;
    }
  }
  return modifiers;
}

bool is_one_character(std::string_view text) {
  if (text.empty()) return false;
  const Utf8Step step = decode_utf8(text);
  return step.kind == Utf8Step::Kind::character && step.length == text.size();
}

const Key* find_key(std::string_view name) {
  const std::string wanted = lower(name);
  for (const Key& key : key_table) {
    if (lower(key.name) == wanted) return &key;
  }
  return nullptr;
}

std::string encode_named(const Key& key, Modifiers modifiers, KeyMode mode) {
  const std::string code = std::to_string(key.code);
  const std::string letter(1, static_cast<char>(key.code));
  const std::string number = std::to_string(modifiers.number());
  const bool modified = modifiers.number() > 1;
  const std::string meta = modifiers.meta ? "\x1b" : "";
  switch (key.shape) {
    case Shape::cursor:
      if (modified) return "\x1b[1;" + number + letter;
      return (mode.application_cursor ? "\x1bO" : "\x1b[") + letter;
    case Shape::ss3: return modified ? "\x1b[1;" + number + letter : "\x1bO" + letter;
    case Shape::tilde: return "\x1b[" + code + (modified ? ";" + number : "") + "~";
    case Shape::plain: return meta + letter;
    case Shape::tab: return meta + (modifiers.shift || key.code == 'Z' ? "\x1b[Z" : "\t");
    case Shape::space: return meta + (modifiers.control ? std::string(1, '\0') : letter);
    case Shape::erase: return meta + (modifiers.control ? "\x08" : letter);
  }
  return {};
}

// The control code of a character, as xterm makes it on a US keyboard.
std::optional<char> control_code(char c) {
  if (c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 1);
  if (c >= '@' && c <= '_') return static_cast<char>(c - '@');
  switch (c) {
    case ' ':
    case '2': return '\0';
    case '3': return '\x1b';
    case '4': return '\x1c';
    case '5': return '\x1d';
    case '6': return '\x1e';
    case '/':
    case '-':
    case '7': return '\x1f';
    case '?':
    case '8': return '\x7f';
    default: return std::nullopt;
  }
}

Result<std::string> encode_character(std::string_view character, Modifiers modifiers, const std::string& whole) {
  std::string bytes(character);
  if (modifiers.control) {
    const std::optional<char> code = character.size() == 1 ? control_code(character[0]) : std::nullopt;
    if (!code)
      return invalid("key \"" + whole + "\": a terminal has no control code for this character; no key was sent");
    bytes.assign(1, *code);
  } else if (modifiers.shift) {
    const char c = character[0];
    if (c >= 'a' && c <= 'z') bytes[0] = static_cast<char>(c - 'a' + 'A');
    else if (c < 'A' || c > 'Z') {
      return invalid("key \"" + whole +
                     "\": what shift makes of this character depends on the keyboard; give the character itself. No "
                     "key was sent");
    }
  }
  return (modifiers.meta ? "\x1b" : "") + bytes;
}

Error unknown_key(const std::string& whole, std::string_view base) {
  std::string message = "unknown key name \"" + std::string(first_characters(whole, 64)) + "\"";
  const std::vector<std::string> meant = nearest(base, known_key_names());
  if (!meant.empty()) message += "; near: " + join(meant, ", ");
  return invalid(message +
                 ". Keys are single characters, names such as Enter, Up or F5, and C- M- S- before them; to type text "
                 "as it stands use literal. No key was sent");
}

Result<std::string> encode_key(const std::string& whole, KeyMode mode) {
  if (whole.empty()) return invalid("an empty key name; no key was sent");
  if (!is_utf8(whole)) return invalid("a key name that is not valid UTF-8; send raw bytes with hex. No key was sent");
  std::string_view name = whole;
  Modifiers modifiers = take_modifiers(name);
  if (name.size() > 1 && name[0] == '^' && is_one_character(name.substr(1))) {
    modifiers.control = true;
    name.remove_prefix(1);
  }
  if (is_one_character(name)) return encode_character(name, modifiers, whole);
  if (const Key* key = find_key(name)) return encode_named(*key, modifiers, mode);
  return unknown_key(whole, name);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Result<std::string> decode_hex_word(std::string_view word) {
  std::string_view digits = word;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    const int high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
    if (high < 0 || low < 0) break;
    bytes += static_cast<char>(high << 4 | low);
  }
  if (digits.empty() || bytes.size() * 2 != digits.size()) {
    return invalid("\"" + std::string(first_characters(word, 64)) +
                   "\" is not hexadecimal: give two digits for each byte, such as 1b or 1b5b41. No key was sent");
  }
  return bytes;
}

}  // namespace

Result<std::string> encode_keys(const std::vector<std::string>& keys, KeyMode mode) {
  std::string bytes;
  for (const std::string& key : keys) bytes += TRY(encode_key(key, mode));
  return bytes;
}

Result<std::string> decode_hex(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) {
    if (trim(text).empty()) return invalid("an empty hexadecimal text; no key was sent");
    for (const std::string& word : split(trim(text), ' ')) {
      if (!word.empty()) bytes += TRY(decode_hex_word(word));
    }
  }
  return bytes;
}

std::vector<std::string> known_key_names() {
  std::vector<std::string> names;
  for (const Key& key : key_table) names.emplace_back(key.name);
  return names;
}

}  // namespace talaria
