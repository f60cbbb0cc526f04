# All modules' test programs, and those of THREADED modules: what ./dev builds for a sanitizer.
add_custom_target(unit_tests)
add_custom_target(threaded_tests)

# add_module(name USES modules… LIBRARIES foreign… [THREADED]): the only way to make a library here.
#
# A module is the folder src/<name>. Its headers are reachable only through its own view directory (one symlink to that
# folder), and only for those that name it in USES: any other include fails with "No such file". USES is not passed on,
# so a module names all that it includes, also what the headers it includes include.
# Foreign libraries are seen by the one module that names them; tests/layering checks their includes.
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

  add_library(${name} STATIC ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} PUBLIC ${view})
  # PRIVATE between archives passes on what to link, but no include directory.
  target_link_libraries(${name} PRIVATE ${MODULE_USES} ${MODULE_LIBRARIES} Threads::Threads)
  set_property(GLOBAL APPEND PROPERTY TALARIA_MODULES ${name})
  foreach(library ${MODULE_LIBRARIES})
    get_target_property(header ${library} TALARIA_HEADER)
    set_property(GLOBAL APPEND PROPERTY TALARIA_FOREIGN_HEADERS ${header}=${name})
  endforeach()

  add_header_check(${name} "${headers}" "${MODULE_USES};${MODULE_LIBRARIES}")
  if(tests)
    add_module_test(${name} "${tests}" "${MODULE_USES}" ${MODULE_THREADED})
  endif()
endfunction()

# Each header compiled alone: it includes what it needs.
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
    add_library(${name}_headers OBJECT ${checks})
    target_link_libraries(${name}_headers PRIVATE ${name} ${needs})
  endif()
endfunction()

function(add_module_test name tests uses threaded)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name}_test ${tests})
  target_link_libraries(${name}_test PRIVATE ${name} ${uses} GTest::gmock_main)
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
