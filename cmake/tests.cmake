# A test is found by the name of its file.  Test programs link all layers; every
# test finds the tool in $FAULTLINE and the sources in $SOURCE_DIR.
#
# A test that cannot run here prints "skipped: REASON" and ends with status 77;
# one that leaves out a part prints that line and goes on.  tests/run-preset
# lists these lines at the end of `make check`.
#
# Without the engine (FL_ENGINE=OFF) there are the programs that include nothing
# but layers of the checker's library, and package/check_lib.
#
# Labels:
#   layer    the programs of tests/unit, tests/agree and tests/fuzz, which
#            `make check-asan` runs; the target layer-tests builds just them.
#   nightly  what takes too long for every change and runs only when asked for:
#            ctest --test-dir build -C nightly -L nightly

# Tests of the layers that are nightly in a build with sanitizers, where each
# of them takes minutes; the others run the same code on smaller inputs.
set(FL_SLOW_WITH_SANITIZERS
  agree/atomicity_engine # all executions; agree/atomicity_{sc,tso}, unit/atomicity
  agree/monitor_containers # unit/history/monitor*, agree/monitor_{set,register}
  agree/watch # long histories; agree/online
  agree/watch_memory # likewise
  agree/watch_keys # the same for types by key; unit/history/online_keys
)

# fl_test(name [NIGHTLY] [FOLDER folder] [LABELS label…] COMMAND …)
function(fl_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "NIGHTLY" "FOLDER" "LABELS;COMMAND")
  set(environment SOURCE_DIR=${CMAKE_SOURCE_DIR} NO_COLOR=1 GITHUB_ACTIONS=
    CC=${CMAKE_C_COMPILER} BUILD_DIR=${CMAKE_BINARY_DIR}
    XDG_CACHE_HOME=${CMAKE_BINARY_DIR}/cache FAULTLINE_CACHE_SIZE=64M)
  if(TARGET faultline)
    list(APPEND environment FAULTLINE=$<TARGET_FILE:faultline>)
  endif()
  # Only for what hangs: how long a test takes is the machine's affair.
  set(seconds 600)
  set(options)
  if(ARG_FOLDER)
    file(MAKE_DIRECTORY ${ARG_FOLDER})
    list(APPEND options WORKING_DIRECTORY ${ARG_FOLDER})
  endif()
  if(ARG_NIGHTLY OR (FL_SANITIZE AND name IN_LIST FL_SLOW_WITH_SANITIZERS))
    list(APPEND options CONFIGURATIONS nightly)
    list(APPEND ARG_LABELS nightly)
    set(seconds 20000)
  endif()
  add_test(NAME ${name} ${options} COMMAND ${ARG_COMMAND})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}"
    SKIP_RETURN_CODE 77 TIMEOUT ${seconds} LABELS "${ARG_LABELS}")
endfunction()

# fl_keep_buildable(list): takes out the files that include, themselves or by a
# header of the tests, a layer that is not built.
function(fl_keep_buildable list)
  set(buildable)
  foreach(file IN LISTS ${list})
    fl_is_buildable(${file} is_buildable)
    if(is_buildable)
      list(APPEND buildable ${file})
    endif()
  endforeach()
  set(${list} ${buildable} PARENT_SCOPE)
endfunction()

function(fl_is_buildable file out)
  set(${out} ON PARENT_SCOPE)
  if(FL_ENGINE)
    return()
  endif()
  set(tests ${CMAKE_SOURCE_DIR}/tests)
  set(files ${file})
  set(read)
  while(files)
    list(POP_FRONT files next)
    list(APPEND read ${next})
    cmake_path(GET next PARENT_PATH folder)
    file(STRINGS ${next} lines REGEX "^#include \"")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" header "${line}")
      string(REGEX MATCH "^[^/]*" layer "${header}")
      if(EXISTS ${folder}/${header})
        list(APPEND files ${folder}/${header})
      elseif(EXISTS ${tests}/${header})
        list(APPEND files ${tests}/${header})
      elseif(NOT layer IN_LIST FL_CHECK_LAYERS AND NOT layer STREQUAL
          "faultline")
        set(${out} OFF PARENT_SCOPE)
        return()
      endif()
    endforeach()
    list(REMOVE_DUPLICATES files)
    list(REMOVE_ITEM files ${read})
  endwhile()
endfunction()

# The slow definitions that fast algorithms are compared with.
file(GLOB oracles CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/oracle/*.c)
fl_keep_buildable(oracles)
add_library(fl_oracle STATIC ${oracles})
target_include_directories(fl_oracle PUBLIC ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(fl_oracle PUBLIC ${FL_LAYERS} PRIVATE fl_flags)

add_custom_target(layer-tests)
if(TARGET faultline)
  add_dependencies(layer-tests faultline) # agree/objects runs it
endif()
file(GLOB programs CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/tests/unit/*/*.c ${CMAKE_SOURCE_DIR}/tests/agree/*.c
  ${CMAKE_SOURCE_DIR}/tests/fuzz/*.c)
fl_keep_buildable(programs)
foreach(file IN LISTS programs)
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${CMAKE_SOURCE_DIR}/tests
    OUTPUT_VARIABLE program)
  string(REGEX REPLACE "\\.c$" "" name ${program})
  string(REPLACE "/" "_" target "test_${name}")
  # Tests of the layers below the engine do without it.
  set(engine ENGINE)
  if(NOT FL_ENGINE OR program MATCHES "^(fuzz|unit/(base|model|atomicity|build|debug|code|source|check|history|oracle|report|lib))/")
    set(engine)
  endif()
  fl_program(${target} ${engine} ${file})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE fl_oracle)
  add_dependencies(layer-tests ${target})
  fl_test(${name} LABELS layer COMMAND ${target})
endforeach()

if(NOT FL_ENGINE)
  fl_test(package/check_lib
    COMMAND bash ${CMAKE_SOURCE_DIR}/tests/package/check_lib.sh)
  return()
endif()

# Once more with store buffers.
fl_test(agree/paths_tso LABELS layer COMMAND ${CMAKE_COMMAND} -E env
  ENGINE_BUFFER=2 $<TARGET_FILE:test_agree_paths>)

# Programs that once differed: a struct is passed behind a store to it; one is
# passed twice, and its address stays in a register across the call.
fl_test(agree/programs_behind COMMAND test_agree_programs 100025 1 all)
fl_test(agree/programs_across COMMAND test_agree_programs 102464 1 all)

# Many more random programs, each with all compilers and levels, and objects.
foreach(part RANGE 0 19)
  math(EXPR first "100000 + ${part} * 1000")
  fl_test(nightly/programs_${part} NIGHTLY
    COMMAND test_agree_programs ${first} 1000 all)
  fl_test(nightly/objects_${part} NIGHTLY
    COMMAND test_agree_objects ${first} 200)
endforeach()

# Many more for the C11 memory model.
fl_test(nightly/rc11_steps NIGHTLY
  COMMAND test_agree_rc11_steps 100000 300000)
fl_test(nightly/rc11_engine NIGHTLY
  COMMAND test_agree_rc11_engine 100000 30000)

# All failing clients of the project, a part of which is cli/races_across.
fl_test(nightly/races_across NIGHTLY
  COMMAND ${CMAKE_SOURCE_DIR}/tests/races_across)

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

# Programs of others that use what is installed.  Nightly: the Debian package
# compiles all of Faultline; meson repeats what install.sh does with CMake,
# pkg-config and make; libtool configures for long.
set(FL_SLOW_PACKAGES package/debian package/meson package/libtool)
file(GLOB scripts CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests
  ${CMAKE_SOURCE_DIR}/tests/package/*.sh)
foreach(script IN LISTS scripts)
  string(REGEX REPLACE "\\.sh$" "" name ${script})
  set(when)
  if(name IN_LIST FL_SLOW_PACKAGES)
    set(when NIGHTLY)
  endif()
  fl_test(${name} ${when} COMMAND bash ${CMAKE_SOURCE_DIR}/tests/${script})
  # `make install` builds: two at once would disturb each other.
  set_tests_properties(${name} PROPERTIES RESOURCE_LOCK build)
endforeach()
# All that there is without the engine: the same code once more.
fl_test(nightly/no_engine NIGHTLY
  COMMAND bash ${CMAKE_SOURCE_DIR}/tests/package/no_engine.sh all)

# Answers that are carried out: some here, all of them at night.
fl_test(answers COMMAND bash ${CMAKE_SOURCE_DIR}/bench/answers.sh
  examples/afek_stack.c examples/gallery/lru_cache.c
  tests/clients/locate/loop_round.c tests/clients/locate/loop_whole.c
  tests/clients/kinds/early.c)
fl_test(nightly/answers NIGHTLY
  COMMAND bash ${CMAKE_SOURCE_DIR}/bench/answers.sh)

fl_test(layering COMMAND bash ${CMAKE_SOURCE_DIR}/tests/layering.sh)
fl_test(names COMMAND bash ${CMAKE_SOURCE_DIR}/tests/names.sh)
fl_test(install-deps COMMAND bash ${CMAKE_SOURCE_DIR}/tests/install-deps.sh)
fl_test(run-preset COMMAND bash ${CMAKE_SOURCE_DIR}/tests/run-preset.sh)

if(TARGET faultline)
  # What the user meets; pages in a headless browser.  Nightly: the hostile code
  # of cli/hostile once more, as on a system without seccomp.
  set(FL_SLOW_SCRIPTS cli/hostile_bare)
  file(GLOB scripts CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/tests
    ${CMAKE_SOURCE_DIR}/tests/cli/*.sh ${CMAKE_SOURCE_DIR}/tests/browser/*.sh)
  foreach(script IN LISTS scripts)
    string(REGEX REPLACE "\\.sh$" "" name ${script})
    string(REPLACE "/" "_" folder ${name})
    set(when)
    if(name IN_LIST FL_SLOW_SCRIPTS)
      set(when NIGHTLY)
    endif()
    fl_test(${name} ${when} FOLDER ${CMAKE_BINARY_DIR}/tests/${folder}.dir
      COMMAND bash ${CMAKE_SOURCE_DIR}/tests/${script})
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
      fl_test(docs/${name} COMMAND bash ${CMAKE_SOURCE_DIR}/tests/docs/run.sh
        ${CMAKE_SOURCE_DIR}/${page})
    endforeach()
    fl_test(docs/page COMMAND bash ${CMAKE_SOURCE_DIR}/tests/docs/page_test.sh)
    # The tables of docs/papers.md are those of the last measurement, which has
    # nothing unexplained; the measurement itself is nightly.
    fl_test(docs/papers_run
      COMMAND bash ${CMAKE_SOURCE_DIR}/tests/docs/papers_test.sh)
    fl_test(docs/papers_old
      COMMAND ${FL_PERL} ${CMAKE_SOURCE_DIR}/bench/papers/run --check)
    fl_test(nightly/papers NIGHTLY
      COMMAND ${FL_PERL} ${CMAKE_SOURCE_DIR}/bench/papers/run)
    # Those of bench/README.md are by programs that have not changed since.
    fl_test(docs/bench_run
      COMMAND bash ${CMAKE_SOURCE_DIR}/tests/docs/bench_test.sh)
    fl_test(docs/bench_old
      COMMAND ${FL_PERL} ${CMAKE_SOURCE_DIR}/bench/run --check)
    # Words that docs/terms.md replaces.
    fl_test(docs/words COMMAND bash ${CMAKE_SOURCE_DIR}/tests/docs/words.sh)
    fl_test(docs/links COMMAND ${FL_PERL}
      ${CMAKE_SOURCE_DIR}/tests/docs/links.pl)
    fl_test(directives COMMAND ${FL_PERL}
      ${CMAKE_SOURCE_DIR}/tests/directives.pl)
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
