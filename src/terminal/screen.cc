#include "terminal/screen.h"

#include <vterm.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "base/check.h"
#include "base/unseen.h"
#include "base/utf8.h"
#include "terminal/cell_grid.h"
#include "terminal/modes.h"
#include "terminal/output_pieces.h"

namespace talaria {
namespace {

constexpr size_t most_title = 256;
// Marks that combine with one character: no writing has more; the rest is not shown, and soon no longer read.
constexpr size_t most_combined = 5;
constexpr size_t endless_combined = 64;

CellColour colour_from(const VTermColor& colour) {
  if (VTERM_COLOR_IS_DEFAULT_FG(&colour) || VTERM_COLOR_IS_DEFAULT_BG(&colour)) return {};
  if (VTERM_COLOR_IS_INDEXED(&colour)) return {CellColour::Kind::indexed, colour.indexed.idx};
  return {CellColour::Kind::rgb, colour.rgb.red, colour.rgb.green, colour.rgb.blue};
}

CellRect rect_from(const VTermRect& rect) { return {rect.start_row, rect.end_row, rect.start_col, rect.end_col}; }

}  // namespace

// libvterm understands the sequences and says what changes; the cells are ours, because to scroll its own costs as much
// as the screen is large.
class Screen::Drawing : public OutputPieces::Reader {
 public:
  Drawing(int rows, int cols) : first_(rows, cols), second_(rows, cols), pieces_(*this) {
    terminal_.reset(vterm_new(rows, cols));
    if (!terminal_) throw std::bad_alloc();
    vterm_set_utf8(terminal_.get(), 1);
    // What it would answer to questions of the program is nobody's: the real terminal answers.
    vterm_output_set_callback(
        terminal_.get(), [](const char*, size_t, void*) {}, nullptr);
    state_ = vterm_obtain_state(terminal_.get());
    vterm_state_set_callbacks(state_, &callbacks, this);
    vterm_state_reset(state_, 1);
  }

  bool take_text(std::string_view text) override {
    write(text);
    return combined_ < endless_combined;
  }
  void take_sequence(std::string_view sequence) override {
    const bool resets = sequence ==
                        "\x1b"
                        "c";
    if (resets) alternate_ = false, title_.clear();
    if (sequence.starts_with("\x1b[") && sequence.ends_with('b')) return repeat(sequence);
    write(sequence);
    write("\x18");  // whatever it took for a beginning is over
    // A place that was saved before a change of size may lie outside.
    VTermPos position{};
    vterm_state_get_cursorpos(state_, &position);
    const Cursor inside = cursor();
    if (position.row != inside.row || position.col != inside.col) move_to(inside.row, inside.col);
  }
  void take_title(std::string_view bytes) override {
    title_.clear();
    while (!bytes.empty()) {
      const Utf8Step step = decode_utf8(bytes);
      const bool shown = step.kind == Utf8Step::Kind::character && !is_terminal_control(step.character) &&
                         !is_unseen(step.character) && step.character >= 0x20;
      if (title_.size() + step.length > most_title) break;
      if (shown) title_ += bytes.substr(0, step.length);
      bytes.remove_prefix(step.length);
    }
  }

  void feed(std::string_view bytes) {
    modes_.feed(bytes);
    pieces_.feed(bytes);
  }

  void resize(int rows, int cols) {
    pieces_.flush();
    if (rows == first_.rows() && cols == first_.cols()) return;
    // libvterm keeps margins that the new size may not have, and then writes beyond its memory.
    const Cursor before = cursor();
    write("\x1b[?69h\x1b[s\x1b[?69l\x1b[r");
    move_to(before.row, before.col);
    vterm_set_size(terminal_.get(), rows, cols);
  }

  void lose_bytes() {
    pieces_.drop_unfinished();
    first_.forget();
    second_.forget();
    last_.clear();
    take_sequence("\x1b[0m");
  }

  void settle() { pieces_.flush(); }
  const CellGrid& grid() const { return alternate_ ? second_ : first_; }
  Cursor cursor() const {
    VTermPos position{};
    vterm_state_get_cursorpos(state_, &position);
    return {std::clamp(position.row, 0, first_.rows() - 1), std::clamp(position.col, 0, first_.cols() - 1),
            cursor_visible_};
  }
  const std::string& title() const { return title_; }
  bool is_alternate() const { return alternate_; }
  const ModeTracker& modes() const { return modes_; }

 private:
  struct Free {
    void operator()(VTerm* terminal) const { vterm_free(terminal); }
  };

  void write(std::string_view bytes) { vterm_input_write(terminal_.get(), bytes.data(), bytes.size()); }
  void move_to(int row, int col) { write("\x1b[" + std::to_string(row + 1) + ";" + std::to_string(col + 1) + "H"); }

  CellGrid& active() { return alternate_ ? second_ : first_; }

  static Drawing& self(void* user) { return *static_cast<Drawing*>(user); }

  // REP, "\x1b[5b": the last character once more, so often. libvterm never comes back from it where there is none.
  void repeat(std::string_view sequence) {
    const std::string_view digits = sequence.substr(2, sequence.size() - 3);
    if (last_.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return;
    const std::string character = last_;
    const int count = digits.size() > 4 ? most_cols : std::atoi(std::string(digits).c_str());
    for (int i = 0; i < std::clamp(count, 1, first_.cols()); ++i) take_text(character);
  }

  void put(const VTermGlyphInfo& glyph, VTermPos position) {
    std::string text;
    combined_ = 0;
    for (const uint32_t* character = glyph.chars; *character; ++character, ++combined_) {
      if (combined_ > most_combined) continue;
      append_utf8(text, static_cast<char32_t>(*character));
    }
    last_ = text;
    if (text == " ") text.clear();
    active().put(position.row, position.col, text, glyph.width, pen_);
  }

  void set_attribute(VTermAttr attribute, const VTermValue& value) {
    switch (attribute) {
      case VTERM_ATTR_BOLD: pen_.bold = value.boolean; break;
      case VTERM_ATTR_UNDERLINE: pen_.underline = static_cast<uint8_t>(value.number); break;
      case VTERM_ATTR_ITALIC: pen_.italic = value.boolean; break;
      case VTERM_ATTR_BLINK: pen_.blink = value.boolean; break;
      case VTERM_ATTR_REVERSE: pen_.reverse = value.boolean; break;
      case VTERM_ATTR_STRIKE: pen_.strike = value.boolean; break;
      case VTERM_ATTR_FOREGROUND: pen_.foreground = colour_from(value.color); break;
      case VTERM_ATTR_BACKGROUND: pen_.background = colour_from(value.color); break;
      default: break;
    }
  }

  bool set_property(VTermProp property, const VTermValue& value) {
    if (property == VTERM_PROP_CURSORVISIBLE) cursor_visible_ = value.boolean;
    if (property == VTERM_PROP_ALTSCREEN) alternate_ = value.boolean;
    return true;
  }

  // The line with the cursor stays; what is empty below it goes first.
  void take_size(int rows, int cols, VTermPos& delta) {
    VTermPos position{};
    vterm_state_get_cursorpos(state_, &position);
    const int cut = std::max(0, position.row + 1 - rows);
    active().resize(rows, cols, cut);
    (alternate_ ? first_ : second_).resize(rows, cols, 0);
    delta.row = -cut;
  }

  // What is erased takes the background that is set.
  CellPen erased_pen() const {
    CellPen pen;
    pen.background = pen_.background;
    return pen;
  }

  static const VTermStateCallbacks callbacks;

  CellGrid first_;
  CellGrid second_;
  CellPen pen_;
  bool alternate_ = false;
  bool cursor_visible_ = true;
  size_t combined_ = 0;  // code points in the last character
  std::string last_;     // character
  std::string title_;
  ModeTracker modes_;
  OutputPieces pieces_;
  std::unique_ptr<VTerm, Free> terminal_;
  VTermState* state_ = nullptr;  // the terminal's
};

const VTermStateCallbacks Screen::Drawing::callbacks = {
    .putglyph = [](VTermGlyphInfo* glyph, VTermPos position,
                   void* user) { return self(user).put(*glyph, position), 1; },
    .movecursor = [](VTermPos, VTermPos, int, void*) { return 1; },
    .scrollrect =
        [](VTermRect rect, int downward, int rightward, void* user) {
          CellGrid& grid = self(user).active();
          // Part of the columns: by moverect and erase.
          if (rightward != 0 || rect.start_col > 0 || rect.end_col < grid.cols()) return 0;
          return grid.scroll(rect.start_row, rect.end_row, downward, self(user).erased_pen()), 1;
        },
    .moverect = [](VTermRect to, VTermRect from,
                   void* user) { return self(user).active().move(rect_from(to), rect_from(from)), 1; },
    .erase = [](VTermRect rect, int /*selective*/,
                void* user) { return self(user).active().erase(rect_from(rect), self(user).erased_pen()), 1; },
    .initpen = [](void* user) { return self(user).pen_ = CellPen(), 1; },
    .setpenattr = [](VTermAttr attribute, VTermValue* value,
                     void* user) { return self(user).set_attribute(attribute, *value), 1; },
    .settermprop = [](VTermProp property, VTermValue* value,
                      void* user) { return self(user).set_property(property, *value) ? 1 : 0; },
    .bell = [](void*) { return 1; },
    .resize = [](int rows, int cols, VTermPos* delta,
                 void* user) { return self(user).take_size(rows, cols, *delta), 1; },
    .setlineinfo = [](int, const VTermLineInfo*, const VTermLineInfo*, void*) { return 1; },
};

bool Screen::fits(int rows, int cols) {
  return rows >= 1 && cols >= 1 && rows <= most_rows && cols <= most_cols &&
         static_cast<size_t>(rows) * static_cast<size_t>(cols) <= most_cells;
}

Screen::Screen(int rows, int cols) {
  CHECK(fits(rows, cols));
  drawing_ = std::make_unique<Drawing>(rows, cols);
}
Screen::~Screen() = default;
Screen::Screen(Screen&&) noexcept = default;
Screen& Screen::operator=(Screen&&) noexcept = default;

void Screen::feed(std::string_view bytes) { drawing_->feed(bytes); }
void Screen::resize(int rows, int cols) {
  CHECK(fits(rows, cols));
  drawing_->resize(rows, cols);
}
void Screen::lose_bytes() { drawing_->lose_bytes(); }

// With all that was fed.
const Screen::Drawing& Screen::now() const {
  drawing_->settle();
  return *drawing_;
}

int Screen::row_count() const { return now().grid().rows(); }
int Screen::column_count() const { return now().grid().cols(); }
Screen::Cursor Screen::cursor() const { return now().cursor(); }
const std::string& Screen::title() const { return now().title(); }
bool Screen::is_alternate() const { return now().is_alternate(); }
bool Screen::is_whole() const { return now().grid().is_known(); }
bool Screen::reaches_edge(int row) const { return now().grid().reaches_edge(row); }

std::vector<std::string> Screen::rows() const {
  std::vector<std::string> rows;
  for (int row = 0; row < row_count(); ++row) rows.push_back(now().grid().text_of(row));
  return rows;
}

std::string Screen::painting(int rows, int cols) const {
  std::string painting = is_alternate() ? "\x1b[?1049h" : "";
  painting += "\x1b[0m\x1b[H\x1b[2J";
  const Cursor at = cursor();
  // In a smaller window the line with the cursor is worth more than the first.
  const int first = std::max(0, at.row + 1 - rows);
  for (int row = first; row < std::min(row_count(), first + rows); ++row) {
    const std::string line = now().grid().painting_of(row, cols);
    if (!line.empty()) painting += "\x1b[" + std::to_string(row - first + 1) + "H" + line;
  }
  for (const int mode : now().modes().input_modes()) painting += "\x1b[?" + std::to_string(mode) + "h";
  if (!title().empty()) painting += "\x1b]2;" + title() + "\x07";
  painting += "\x1b[" + std::to_string(at.row - first + 1) + ";" + std::to_string(std::min(at.col + 1, cols)) + "H";
  return painting + (at.visible ? "\x1b[?25h" : "\x1b[?25l");
}

}  // namespace talaria
