# Each foreign library, under the name modules ask for. A library is seen by one module only.
# Static where Debian ships an archive: every shared library costs a program about 0.2 ms to start.
find_package(Threads REQUIRED)

function(foreign_library name)
  cmake_parse_arguments(FOREIGN "" "HEADER" "ARCHIVES;DEFINITIONS" ${ARGN})
  find_path(${name}_header ${FOREIGN_HEADER} REQUIRED)
  add_library(${name} INTERFACE)
  set_target_properties(${name} PROPERTIES TALARIA_HEADER ${FOREIGN_HEADER})
  target_compile_definitions(${name} INTERFACE ${FOREIGN_DEFINITIONS})
  foreach(archive ${FOREIGN_ARCHIVES})
    find_library(${name}_${archive} NAMES lib${archive}.a REQUIRED)
    target_link_libraries(${name} INTERFACE ${${name}_${archive}})
  endforeach()
endfunction()

foreign_library(boost_json HEADER boost/json.hpp ARCHIVES boost_json)
foreign_library(sqlite HEADER sqlite3.h ARCHIVES sqlite3)
foreign_library(fyaml HEADER libfyaml.h ARCHIVES fyaml)
foreign_library(re2 HEADER re2/re2.h ARCHIVES re2)
foreign_library(seccomp HEADER seccomp.h ARCHIVES seccomp)
foreign_library(crypto HEADER openssl/evp.h ARCHIVES crypto)
foreign_library(gumbo HEADER gumbo.h ARCHIVES gumbo)
foreign_library(vterm HEADER vterm.h ARCHIVES vterm)
# Only its header: the library, with the thirty it needs, is loaded when a page is fetched for the first time.
foreign_library(curl HEADER curl/curl.h)
target_link_libraries(sqlite INTERFACE m)
