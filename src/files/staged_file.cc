#include "files/staged_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/id.h"
#include "base/utf8.h"
#include "files/failure.h"
#include "os/file.h"
#include "os/random.h"

namespace talaria {
namespace {

constexpr size_t most_name_bytes = 255;
constexpr size_t most_listed = 500;  // a look must cost less than the write
constexpr int64_t leftover_age_ns = int64_t{3600} * 1'000'000'000;

// ".NAME.talaria-", with as much of the name as leaves room for the id.
std::string temporary_prefix(const std::string& real_path) {
  const std::string name = name_of(real_path);
  constexpr std::string_view ending = ".talaria-";
  const size_t room = most_name_bytes - 1 - ending.size() - id_length;
  return "." + name.substr(0, cut_at_or_before(name, std::min(name.size(), room))) + std::string(ending);
}

std::string beside(const std::string& real_path, const std::string& name) {
  const std::string folder = parent_of(real_path);
  return (folder == "/" ? folder : folder + "/") + name;
}

}  // namespace

StagedFile::StagedFile(StagedFile&& other) noexcept
    : files_(std::exchange(other.files_, nullptr)),
      real_path_(std::move(other.real_path_)),
      temporary_(std::move(other.temporary_)),
      committed_(other.committed_),
      note_(std::move(other.note_)),
      made_(std::move(other.made_)) {}

StagedFile::~StagedFile() {
  if (!files_ || committed_) return;
  if (!temporary_.empty()) (void)files_->remove(temporary_);
  for (; !made_.empty(); made_.pop_back()) (void)files_->remove(made_.back());
}

Result<StagedFile> StagedFile::write(FileSystem& files, const StageTarget& target, std::string_view content) {
  StagedFile staged(files, target.real_path);
  if (!target.existing) staged.made_ = TRY(files.make_directories(parent_of(target.real_path)));
  Result<> filled = staged.fill(target, content);
  if (!filled) return std::move(filled).error();
  return staged;
}

Result<> StagedFile::fill(const StageTarget& target, std::string_view content) {
  const std::string name = beside(real_path_, temporary_prefix(real_path_) + id_from(random_u64()));
  const FileAccess access{.write = true, .create = true, .exclusive = true, .no_follow = true};
  // A file that others may not read is never readable for them, not even half written.
  Result<OpenedFile> opened = files_->open(name, access, target.existing ? 0600 : target.mode.value_or(0666));
  if (!opened && opened.error().number() == 0)  // the temporary name says nothing to anyone
    return Error(opened.error().code(), reason_of(opened.error(), {name}));
  const OpenedFile file = TRY(std::move(opened));
  temporary_ = name;
  // A folder on the way may have become a link to where nobody was asked about.
  if (file.real_path != name) return Error(ErrorCode::conflict, "it leads somewhere else now; try again");
  if (Result<> written = write_all(file.fd.get(), content); !written) return written;
  if (target.existing) TRY(keep_owner_and_mode(*target.existing, file.stat));
  else if (target.mode) TRY(files_->set_mode(temporary_, *target.mode & 0777));
  if (::fsync(file.fd.get()) != 0) return Error::from_errno("write to the disk");
  return ok;
}

Result<> StagedFile::keep_owner_and_mode(const FileStat& existing, const FileStat& mine) {
  if (existing.uid != mine.uid || existing.gid != mine.gid) {
    if (!files_->set_owner(temporary_, existing.uid, existing.gid)) {
      note_ = "the file now belongs to the user and group that this session runs as; its owner could not be kept";
      (void)files_->set_owner(temporary_, mine.uid, existing.gid);
    }
  }
  // Set-id bits go, as they do when a file is written in place.
  return files_->set_mode(temporary_, existing.mode & 0777);
}

Result<FileStat> StagedFile::commit(FileSystem::Existing existing) {
  Result<> renamed = files_->rename(temporary_, real_path_, existing);
  // Some file systems cannot promise to keep what is there; then we look first.
  if (!renamed && renamed.error().number() == EINVAL && existing == FileSystem::Existing::kept) {
    if (files_->stat(real_path_, FileSystem::Links::looked_at))
      return Error::from_number(EEXIST, "put a new file at " + real_path_);
    renamed = files_->rename(temporary_, real_path_);
  }
  if (!renamed) return std::move(renamed).error();
  committed_ = true;
  return files_->stat(real_path_, FileSystem::Links::looked_at);
}

void remove_leftovers(FileSystem& files, const std::string& real_path) {
  const Result<FileListing> listing = files.list(parent_of(real_path), most_listed);
  if (!listing || !listing->complete) return;
  const std::string prefix = temporary_prefix(real_path);
  const int64_t now = epoch_ms() * 1'000'000;
  for (const FileEntry& entry : listing->entries) {
    if (entry.type != FileType::regular || !entry.name.starts_with(prefix)) continue;
    const std::string id = entry.name.substr(prefix.size());
    if (id.size() != id_length || !looks_like_id(id)) continue;
    const std::string path = beside(real_path, entry.name);
    const Result<FileStat> stat = files.stat(path, FileSystem::Links::looked_at);
    if (stat && now - stat->modified_ns > leftover_age_ns) (void)files.remove(path);
  }
}

}  // namespace talaria
