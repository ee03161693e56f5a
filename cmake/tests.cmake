# A test is found by the name of its file.  Test programs link all layers; every
# test finds the tool in $FAULTLINE and the sources in $SOURCE_DIR.

function(fl_test_settings name)
  set(environment SOURCE_DIR=${CMAKE_SOURCE_DIR} NO_COLOR=1 GITHUB_ACTIONS=
    CC=${CMAKE_C_COMPILER} BUILD_DIR=${CMAKE_BINARY_DIR})
  if(TARGET faultline)
    list(APPEND environment FAULTLINE=$<TARGET_FILE:faultline>)
  endif()
  # Only for what hangs: how long a test takes is the machine's affair.
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}"
    TIMEOUT 600)
endfunction()

# The slow definitions that fast algorithms are compared with.
file(GLOB oracles CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/oracle/*.c)
add_library(fl_oracle STATIC ${oracles})
target_include_directories(fl_oracle PUBLIC ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(fl_oracle PUBLIC ${FL_LAYERS} PRIVATE fl_flags)

file(GLOB programs CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests
  ${CMAKE_SOURCE_DIR}/tests/unit/*/*.c ${CMAKE_SOURCE_DIR}/tests/agree/*.c
  ${CMAKE_SOURCE_DIR}/tests/fuzz/*.c)
foreach(program IN LISTS programs)
  string(REGEX REPLACE "\\.c$" "" name ${program})
  string(REPLACE "/" "_" target "test_${name}")
  # Tests of the layers below the engine do without it.
  set(engine ENGINE)
  if(program MATCHES "^(fuzz|unit/(base|model|atomicity|build|debug|code|source|check|history|oracle|report|lib))/")
    set(engine)
  endif()
  fl_program(${target} ${engine} ${CMAKE_SOURCE_DIR}/tests/${program})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE fl_oracle)
  add_test(NAME ${name} COMMAND ${target})
  fl_test_settings(${name})
endforeach()

# Once more with store buffers.
add_test(NAME agree/paths_tso
  COMMAND ${CMAKE_COMMAND} -E env ENGINE_BUFFER=2 $<TARGET_FILE:test_agree_paths>)
fl_test_settings(agree/paths_tso)

# Programs that once differed: a struct is passed behind a store to it; one is
# passed twice, and its address stays in a register across the call.
add_test(NAME agree/programs_behind COMMAND test_agree_programs 100025 1 all)
fl_test_settings(agree/programs_behind)
add_test(NAME agree/programs_across COMMAND test_agree_programs 102464 1 all)
fl_test_settings(agree/programs_across)

# Many more random programs, each with all compilers and levels, and objects:
# ctest --test-dir build -C nightly -L nightly
foreach(part RANGE 0 19)
  math(EXPR first "100000 + ${part} * 1000")
  add_test(NAME nightly/programs_${part} CONFIGURATIONS nightly
    COMMAND test_agree_programs ${first} 1000 all)
  add_test(NAME nightly/objects_${part} CONFIGURATIONS nightly
    COMMAND test_agree_objects ${first} 200)
  foreach(name nightly/programs_${part} nightly/objects_${part})
    fl_test_settings(${name})
    set_tests_properties(${name} PROPERTIES LABELS nightly TIMEOUT 20000)
  endforeach()
endforeach()

# The same files as programs of libFuzzer, which are run by hand.
option(FL_FUZZ "Build the fuzz targets with libFuzzer (clang)" OFF)
if(FL_FUZZ)
  file(GLOB targets CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*.c)
  foreach(file IN LISTS targets)
    cmake_path(GET file STEM name)
    fl_program(fuzz_${name} ${file})
    target_include_directories(fuzz_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    target_compile_definitions(fuzz_${name} PRIVATE FL_FUZZ)
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()

# Programs of others that use what is installed.
file(GLOB scripts CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests
  ${CMAKE_SOURCE_DIR}/tests/package/*.sh)
foreach(script IN LISTS scripts)
  string(REGEX REPLACE "\\.sh$" "" name ${script})
  add_test(NAME ${name} COMMAND bash ${CMAKE_SOURCE_DIR}/tests/${script})
  fl_test_settings(${name})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77
    TIMEOUT 900 RUN_SERIAL ON) # some compile all of Faultline
endforeach()

add_test(NAME layering COMMAND bash ${CMAKE_SOURCE_DIR}/tests/layering.sh)
fl_test_settings(layering)

if(TARGET faultline)
  file(GLOB scripts CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests
    ${CMAKE_SOURCE_DIR}/tests/cli/*.sh)
  foreach(script IN LISTS scripts)
    string(REGEX REPLACE "\\.sh$" "" name ${script})
    string(REPLACE "/" "_" folder ${name})
    set(folder ${CMAKE_BINARY_DIR}/tests/${folder}.dir)
    file(MAKE_DIRECTORY ${folder})
    add_test(NAME ${name} COMMAND bash ${CMAKE_SOURCE_DIR}/tests/${script}
      WORKING_DIRECTORY ${folder})
    fl_test_settings(${name})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
  # Pages in a headless browser; pass by where there is none.
  file(GLOB scripts CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests
    ${CMAKE_SOURCE_DIR}/tests/browser/*.sh)
  foreach(script IN LISTS scripts)
    string(REGEX REPLACE "\\.sh$" "" name ${script})
    add_test(NAME ${name} COMMAND bash ${CMAKE_SOURCE_DIR}/tests/${script})
    fl_test_settings(${name})
    set_tests_properties(${name} PROPERTIES
      SKIP_REGULAR_EXPRESSION "^skipped:")
  endforeach()
  # The commands of the documentation, a test a page; its links.
  find_program(FL_PERL perl)
  if(FL_PERL)
    file(GLOB pages CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
      ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/docs/*.md)
    foreach(page IN LISTS pages)
      string(REGEX REPLACE "^docs/|\\.md$" "" name ${page})
      if(page STREQUAL "README.md")
        set(name readme)
      elseif(name STREQUAL "README")
        continue() # the index has no commands; docs/links reads it
      endif()
      add_test(NAME docs/${name} COMMAND bash
        ${CMAKE_SOURCE_DIR}/tests/docs/run.sh ${CMAKE_SOURCE_DIR}/${page})
      fl_test_settings(docs/${name})
    endforeach()
    add_test(NAME docs/page COMMAND bash
      ${CMAKE_SOURCE_DIR}/tests/docs/page_test.sh)
    fl_test_settings(docs/page)
    add_test(NAME docs/links COMMAND ${FL_PERL}
      ${CMAKE_SOURCE_DIR}/tests/docs/links.pl)
    fl_test_settings(docs/links)
  endif()
  if(TEST cli/gdb) # passes by where there is none, or no ptrace
    set_tests_properties(cli/gdb PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped:")
  endif()
  # Starts many processes; passes by where there is no MPI.
  if(TEST cli/mpi)
    set_tests_properties(cli/mpi PROPERTIES
      SKIP_REGULAR_EXPRESSION "^skipped:")
  endif()
  # Clients, litmus tests and examples.
  include(${CMAKE_SOURCE_DIR}/tests/clients.cmake OPTIONAL)
endif()

# The pictures of the documentation, made anew.
if(TARGET faultline)
  add_custom_target(docs-pictures
    COMMAND ${CMAKE_COMMAND} -E env SOURCE_DIR=${CMAKE_SOURCE_DIR}
      BUILD_DIR=${CMAKE_BINARY_DIR} FAULTLINE=$<TARGET_FILE:faultline>
      bash ${CMAKE_SOURCE_DIR}/tests/browser/pictures.sh
      ${CMAKE_SOURCE_DIR}/docs/pictures
    DEPENDS faultline USES_TERMINAL VERBATIM)
endif()
