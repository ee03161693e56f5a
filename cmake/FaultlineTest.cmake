# faultline_add_test(NAME name SOURCES file...
#   [OPTIONS option...]          of faultline, such as --time 60
#   [COMPILE_OPTIONS flag...]    of the compiler
#   [TARGET target])             whose include directories and definitions are
#                                used as well
#
# A test of ctest: the sources and the harness are compiled by Faultline and
# searched.  A fault fails it; a run in which nothing was decided is shown as
# skipped.  It runs in the build folder, where schedules are saved (.faultline).

if(NOT TARGET Faultline::faultline)
  get_filename_component(_faultline_prefix "${_faultline_bin}" ABSOLUTE)
  find_program(Faultline_EXECUTABLE faultline HINTS "${_faultline_prefix}")
  if(Faultline_EXECUTABLE)
    add_executable(Faultline::faultline IMPORTED)
    set_target_properties(Faultline::faultline PROPERTIES
      IMPORTED_LOCATION "${Faultline_EXECUTABLE}")
  endif()
endif()

function(faultline_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME;TARGET"
    "SOURCES;OPTIONS;COMPILE_OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "faultline_add_test: what is ${ARG_UNPARSED_ARGUMENTS}?")
  endif()
  if(NOT ARG_NAME OR NOT ARG_SOURCES)
    message(FATAL_ERROR "faultline_add_test: NAME and SOURCES are needed")
  endif()
  set(sources)
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "faultline_add_test: no file ${path}")
    endif()
    list(APPEND sources "${path}")
  endforeach()
  set(compiler)
  if(CMAKE_C_COMPILER_LOADED AND CMAKE_C_COMPILER_ID MATCHES "^(GNU|Clang)$")
    list(APPEND compiler "--cc=${CMAKE_C_COMPILER}")
  endif()
  if(CMAKE_CXX_COMPILER_LOADED AND CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
    list(APPEND compiler "--cxx=${CMAKE_CXX_COMPILER}")
  endif()
  set(flags ${ARG_COMPILE_OPTIONS})
  if(ARG_TARGET)
    set(folders "$<TARGET_PROPERTY:${ARG_TARGET},INCLUDE_DIRECTORIES>")
    set(macros "$<TARGET_PROPERTY:${ARG_TARGET},COMPILE_DEFINITIONS>")
    list(APPEND flags
      "$<$<BOOL:${folders}>:-I$<JOIN:${folders},$<SEMICOLON>-I>>"
      "$<$<BOOL:${macros}>:-D$<JOIN:${macros},$<SEMICOLON>-D>>")
  endif()
  add_test(NAME ${ARG_NAME}
    COMMAND Faultline::faultline test ${sources} ${compiler} ${ARG_OPTIONS}
      --exit-protocol=gnu -- ${flags}
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    COMMAND_EXPAND_LISTS)
  set_tests_properties(${ARG_NAME} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
