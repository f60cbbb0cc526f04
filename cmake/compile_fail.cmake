# add_compile_fail_test(name SOURCE file MATCH regex LINK modules…): a test that a piece of code does not compile.
#
# The file is compiled twice with the flags of everything else here. As it is, it must compile: that is the control,
# without which the test could pass for the wrong reason. With MUST_NOT_COMPILE defined it must fail, and the compiler
# must say something that matches the regex. LINK names the modules whose headers it sees.
function(add_compile_fail_test name)
  cmake_parse_arguments(FAIL "" "SOURCE;MATCH" "LINK" ${ARGN})
  get_filename_component(source ${FAIL_SOURCE} ABSOLUTE)
  # The control is built with the rest; its entry in compile_commands.json gives the test the exact flags.
  add_library(${name}_control OBJECT ${source})
  target_link_libraries(${name}_control PRIVATE ${FAIL_LINK})
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME compile_fail.${name}
    COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/cmake/expect_compile_failure.py
      ${CMAKE_BINARY_DIR}/compile_commands.json ${source} ${FAIL_MATCH})
  set_tests_properties(compile_fail.${name} PROPERTIES TIMEOUT 120 LABELS layering)
endfunction()
