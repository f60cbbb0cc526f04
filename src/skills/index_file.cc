#include "skills/index_file.h"

#include <fcntl.h>

#include <algorithm>

#include "base/text.h"
#include "os/fd.h"
#include "os/file.h"
#include "skills/catalog_bytes.h"
#include "skills/catalog_codec.h"

namespace talaria {

struct IndexRow {  // of the table
  std::string root;
  EpochMs used_at = 0;
  uint64_t offset = 0;  // after the table
  uint64_t length = 0;
  uint64_t sum = 0;
};

template <class Coder, Either<IndexRow> Value>
void code_value(Coder& coder, Value& value) {
  auto& [root, used_at, offset, length, sum] = value;
  coder(root, used_at, offset, length, sum);
}

namespace {

constexpr uint64_t magic = 0x58444e494c4b5354;  // "TSKLINDX" in memory
constexpr size_t head_size = 8 + 4 + 4 + 8;
constexpr size_t most_table_bytes = 16 << 20;
constexpr size_t most_file_bytes = size_t{1} << 30;

struct IndexHead {
  uint64_t mark = magic;
  uint32_t format = catalog_format;
  uint32_t table_length = 0;
  uint64_t table_sum = 0;
};

Error damaged(std::string_view what) { return invalid("it is damaged: " + std::string(what)); }

Result<IndexHead> parse_head(std::string_view bytes) {
  IndexHead head;
  ByteReader reader(bytes.substr(0, head_size));
  reader(head.mark, head.format, head.table_length, head.table_sum);
  if (!reader.good()) return damaged("it is too short");
  if (head.mark != magic) return damaged("it does not begin as an index does");
  if (head.format > catalog_format) return invalid("it is from a newer version of Talaria");
  if (head.table_length > most_table_bytes) return damaged("its table has no end");
  return head;
}

// Of another version of the program: none, for what that read in a SKILL.md may be another thing.
Result<std::vector<IndexRow>> parse_table(const IndexHead& head, std::string_view bytes) {
  if (head.format < catalog_format) return std::vector<IndexRow>();
  if (bytes.size() != head.table_length || checksum(bytes) != head.table_sum) return damaged("its table");
  std::string program;
  std::vector<IndexRow> rows;
  ByteReader reader(bytes);
  reader(program, rows);
  if (!reader.at_end()) return damaged("its table");
  if (program != TALARIA_VERSION) rows.clear();
  return rows;
}

Result<std::string_view> section_at(const IndexRow& row, std::string_view sections) {
  if (row.offset > sections.size() || row.length > sections.size() - row.offset) {
    return damaged("it ends before what it has of " + row.root);
  }
  const std::string_view bytes = sections.substr(row.offset, row.length);
  if (checksum(bytes) != row.sum) return damaged("what it has of " + row.root);
  return bytes;
}

// An open index: its table, and where the sections begin.
struct OpenIndex {
  UniqueFd file;
  std::vector<IndexRow> rows;
  uint64_t sections = 0;
};

// Never waits, whatever stands in the place of the file.
Result<UniqueFd> open_regular(const std::string& path) {
  UniqueFd file = TRY(open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::from_errno("look at " + path);
  if (!S_ISREG(info.st_mode)) return damaged("it is not a regular file");
  return file;
}

// Nothing when there is no file.
Result<std::optional<OpenIndex>> open_index(const std::string& path) {
  Result<UniqueFd> file = open_regular(path);
  if (!file) {
    if (file.error().number() == ENOENT) return std::optional<OpenIndex>();
    return std::move(file).error();
  }
  OpenIndex index;
  index.file = std::move(*file);
  const IndexHead head = TRY(parse_head(TRY(read_at(index.file.get(), 0, head_size))));
  index.rows = TRY(parse_table(head, TRY(read_at(index.file.get(), head_size, head.table_length))));
  index.sections = head_size + head.table_length;
  return std::optional<OpenIndex>(std::move(index));
}

Result<CatalogFolders> read_root(const OpenIndex& index, const SkillRoot& root) {
  for (IndexRow row : index.rows) {
    if (row.root != root.path) continue;
    if (row.length > most_file_bytes) return damaged("what it has of " + row.root);
    const std::string bytes = TRY(read_at(index.file.get(), index.sections + row.offset, row.length));
    row.offset = 0;
    std::optional<CatalogFolders> folders = decode_folders(TRY(section_at(row, bytes)), root);
    if (!folders) return damaged("what it has of " + row.root);
    return std::move(*folders);
  }
  return CatalogFolders();
}

Result<std::vector<IndexSection>> read_sections(const std::string& path) {
  const UniqueFd file = TRY(open_regular(path));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return Error::from_errno("look at " + path);
  if (static_cast<uint64_t>(info.st_size) > most_file_bytes) return damaged("it is too large");
  return parse_index(TRY(read_at(file.get(), 0, static_cast<size_t>(info.st_size))));
}

}  // namespace

std::string write_index(const std::vector<IndexSection>& sections) {
  std::vector<IndexRow> rows;
  uint64_t offset = 0;
  for (const IndexSection& section : sections) {
    rows.push_back({section.root, section.used_at, offset, section.bytes.size(), checksum(section.bytes)});
    offset += section.bytes.size();
  }
  ByteWriter table;
  table(std::string(TALARIA_VERSION), rows);
  const std::string table_bytes = table.take();
  ByteWriter head;
  head(magic, catalog_format, static_cast<uint32_t>(table_bytes.size()), checksum(table_bytes));
  std::string bytes = head.take();
  bytes.reserve(bytes.size() + table_bytes.size() + offset);
  bytes += table_bytes;
  for (const IndexSection& section : sections) bytes += section.bytes;
  return bytes;
}

Result<std::vector<IndexSection>> parse_index(std::string_view bytes) {
  const IndexHead head = TRY(parse_head(bytes));
  bytes.remove_prefix(head_size);
  const std::string_view table = bytes.substr(0, head.table_length);
  std::vector<IndexSection> sections;
  for (const IndexRow& row : TRY(parse_table(head, table))) {
    const std::string_view section = TRY(section_at(row, bytes.substr(table.size())));
    sections.push_back({row.root, row.used_at, std::string(section)});
  }
  return sections;
}

Result<CatalogFolders> load_root(const std::string& file, const SkillRoot& root) {
  const std::optional<OpenIndex> index = TRY(open_index(file));
  if (!index) return CatalogFolders();
  return read_root(*index, root);
}

Result<> save_roots(const std::string& file, std::vector<IndexSection> sections) {
  TRY(make_directories(file.substr(0, file.rfind('/')), 0700));
  EpochMs newest = 0;
  for (const IndexSection& section : sections) newest = std::max(newest, section.used_at);
  // What cannot be read is replaced.
  if (Result<std::vector<IndexSection>> kept = read_sections(file)) {
    for (IndexSection& section : *kept) {
      const bool renewed = std::any_of(sections.begin(), sections.end(),
                                       [&](const IndexSection& other) { return other.root == section.root; });
      // The clock may have been ahead when it was kept.
      section.used_at = std::min(section.used_at, newest);
      if (!renewed) sections.push_back(std::move(section));
    }
  }
  std::stable_sort(sections.begin(), sections.end(),
                   [](const IndexSection& a, const IndexSection& b) { return a.used_at > b.used_at; });
  if (sections.size() > most_index_roots) sections.resize(most_index_roots);
  return write_file_atomically(file, write_index(sections), 0600, Durable::no);
}

}  // namespace talaria
