#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace talaria {

// What the program in the terminal asked for that changes how keys are sent.
struct KeyMode {
  bool application_cursor = false;  // DECCKM: arrows, Home and End as ESC O x
};

// The bytes a plain xterm sends for these keys, in tmux's names: "C-c", "M-Enter", "S-Up", "F5", "é", "^x". Modifiers
// stack in any order; Ctrl-, Alt-, Meta- and Shift- (also with +) are understood too. A modifier that xterm has no
// encoding for on a named key (C-Enter) changes nothing; on a character (C-é) it is an error. One bad name fails all.
Result<std::string> encode_keys(const std::vector<std::string>& keys, KeyMode mode);

// Bytes given as hexadecimal: "1b", "0x1b", "1b5b41", "1b 5b 41".
Result<std::string> decode_hex(const std::vector<std::string>& texts);

// Every named key, without modifiers and single characters.
std::vector<std::string> known_key_names();

}  // namespace talaria
