#pragma once
#include <string>
#include <vector>

#include "files/file_system.h"
#include "gate/file_gate.h"

namespace talaria {

// Up to five files of the same folder whose names are like that of `path`, which is not there; written as `shown_path`
// is. None that may not be read.
std::vector<std::string> similar_files(FileSystem& files, const FileGate& gate, const std::string& path,
                                       const std::string& shown_path);

}  // namespace talaria
