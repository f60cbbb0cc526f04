# How every source file here is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

option(TALARIA_FUZZ "Build the fuzz targets (needs clang)" OFF)
set(TALARIA_SANITIZE "" CACHE STRING "Sanitizers to build with, such as address,undefined or thread")

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Werror=return-type -Werror=unused-result)
add_link_options(-Wl,--as-needed)
if(TALARIA_SANITIZE)
  add_compile_options(-fsanitize=${TALARIA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(TALARIA_SANITIZE MATCHES "undefined")
    # Some 40 % of the compile time, for what the address sanitizer finds as well or this processor does not mind.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  add_link_options(-fsanitize=${TALARIA_SANITIZE})
endif()
if(TALARIA_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Asio's fences, which the sanitizer cannot follow; its queues are under mutexes, which it can.
  add_compile_options(-Wno-tsan)
endif()
if(TALARIA_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # TRY is a statement expression, which g++ only silences with all of -Wpedantic; -Wrestrict is wrong about
  # std::string in g++ 12.
  add_compile_options(-Wno-pedantic -Wno-restrict)
else()
  add_compile_options(-Wno-gnu-statement-expression)
endif()
add_compile_definitions(TALARIA_VERSION="${PROJECT_VERSION}")
