#pragma once

namespace talaria {

// A line on stderr, with the program's name; needs no memory.
void say_trouble(const char* what);

// From now on an exception that nobody catches, on any thread, is said in such a line, and the process exits with
// code 1 instead of an abort.
void say_last_words();

}  // namespace talaria
