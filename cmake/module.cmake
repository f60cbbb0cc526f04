# All modules' test programs, and those of THREADED modules: what ./dev builds for a sanitizer.
add_custom_target(unit_tests)
add_custom_target(threaded_tests)
add_custom_target(header_checks)
# Sources of a module are compiled ten at a time: a third of the time, since most of it goes into the same headers. Off
# in the preset debug, which also tells clang-tidy how to read one source alone.
option(TALARIA_UNITY "Compile the sources of a module together" ON)

# compile_together(name variable): replaces the sources listed in `variable` by files that include ten of them each. By
# relative paths, so that the compiler's cache knows them in every clone; CMake's own unity builds name absolute ones.
function(compile_together name variable)
  if(NOT TALARIA_UNITY)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/together/${name})
  set(rest ${${variable}})
  set(batches "")
  while(rest)
    list(SUBLIST rest 0 10 batch)
    list(REMOVE_ITEM rest ${batch})
    set(text "")
    foreach(source ${batch})
      file(RELATIVE_PATH path ${folder} ${source})
      string(APPEND text "#include \"${path}\"\n")
    endforeach()
    list(LENGTH batches number)
    file(CONFIGURE OUTPUT ${folder}/${number}.cc CONTENT "${text}" @ONLY)
    list(APPEND batches ${folder}/${number}.cc)
  endwhile()
  set(${variable} ${batches} PARENT_SCOPE)
endfunction()

# add_module(name USES modules… LIBRARIES foreign… [THREADED]): the only way to make a library here.
#
# A module is the folder src/<name>. Its headers are reachable only through its own view directory (one symlink to that
# folder), and only for those that name it in USES: any other include fails with "No such file". USES is not passed on,
# so a module names all that it includes, also what the headers it includes include.
# Foreign libraries are seen by the one module that names them; tests/layering checks their includes.
# Its sources are compiled together, so a name in one's unnamed namespace is not used in another's.
# Every *_test.cc of the folder becomes part of the test program <name>_test; THREADED has it run under the thread
# sanitizer too.
function(add_module name)
  cmake_parse_arguments(MODULE "THREADED" "" "USES;LIBRARIES" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h)
  file(GLOB tests CONFIGURE_DEPENDS ${folder}/*_test.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")

  set(view ${CMAKE_BINARY_DIR}/views/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${folder} ${view}/${name} SYMBOLIC)

  compile_together(${name} sources)
  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} PUBLIC ${view})
  # PRIVATE between archives passes on what to link, but no include directory.
  target_link_libraries(${name} PRIVATE ${MODULE_USES} ${MODULE_LIBRARIES} Threads::Threads)
  foreach(library ${MODULE_LIBRARIES})
    get_target_property(header ${library} TALARIA_HEADER)
    set_property(GLOBAL APPEND PROPERTY TALARIA_FOREIGN_HEADERS ${header}=${name})
  endforeach()

  add_header_check(${name} "${headers}" "${MODULE_USES};${MODULE_LIBRARIES}")
  if(tests)
    add_module_test(${name} "${tests}" "${MODULE_USES}" ${MODULE_THREADED})
  endif()
endfunction()

# Each header compiled alone: it includes what it needs. A target of its own, which ./dev check builds.
function(add_header_check name headers needs)
  set(checks "")
  foreach(header ${headers})
    get_filename_component(stem ${header} NAME_WE)
    set(check ${CMAKE_BINARY_DIR}/header_checks/${name}/${stem}.cc)
    if(NOT EXISTS ${check})
      file(WRITE ${check} "#include \"${name}/${stem}.h\"\n")
    endif()
    list(APPEND checks ${check})
  endforeach()
  if(checks)
    add_library(${name}_headers OBJECT EXCLUDE_FROM_ALL ${checks})
    target_link_libraries(${name}_headers PRIVATE ${name} ${needs})
    target_compile_options(${name}_headers PRIVATE -O0)
    add_dependencies(header_checks ${name}_headers)
  endif()
endfunction()

# add_test_program(name sources…): a program of GoogleTest's. Not what is tested, so compiled for the compiler's speed:
# unoptimised, with the framework's headers (half of a test's compile time) read once for all of them.
function(add_test_program name)
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gmock_main)
  target_compile_options(${name} PRIVATE -O0)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  if(NOT TARGET test_headers)
    file(WRITE ${CMAKE_BINARY_DIR}/test_headers.cc "")
    add_executable(test_headers EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/test_headers.cc)
    target_link_libraries(test_headers PRIVATE GTest::gmock_main)
    target_compile_options(test_headers PRIVATE -O0)
    set_target_properties(test_headers PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_precompile_headers(test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <atomic> <functional> <map>
      <optional> <set> <string> <string_view> <thread> <vector>)
  endif()
  target_precompile_headers(${name} REUSE_FROM test_headers)
endfunction()

function(add_module_test name tests uses threaded)
  include(GoogleTest)
  add_test_program(${name}_test ${tests})
  target_link_libraries(${name}_test PRIVATE ${name} ${uses})
  # One label that both `ctest -L unit` and `ctest -L threads` match: gtest_discover_tests cannot pass on a list.
  set(label unit)
  add_dependencies(unit_tests ${name}_test)
  if(threaded)
    set(label unit-threads)
    add_dependencies(threaded_tests ${name}_test)
  endif()
  gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 120 LABELS ${label})
endfunction()
