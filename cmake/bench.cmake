# The target `bench` builds every bench/*.c with the engine and runs it, then
# every bench/*.sh with the tool in $FAULTLINE; each prints its own numbers.
add_custom_target(bench-programs) # without running them, for bench/run
add_custom_target(bench)
file(GLOB programs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*.c)
foreach(program IN LISTS programs)
  cmake_path(GET program STEM name)
  fl_program(bench_${name} ENGINE ${program})
  set_target_properties(bench_${name} PROPERTIES EXCLUDE_FROM_ALL ON
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  add_custom_command(TARGET bench POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E env SOURCE_DIR=${CMAKE_SOURCE_DIR}
      $<TARGET_FILE:bench_${name}>
    USES_TERMINAL VERBATIM)
  add_dependencies(bench-programs bench_${name})
endforeach()
# What scripts call: bench/tools/X.c is $BENCH_TOOLS/X.
file(GLOB tools CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/tools/*.c)
foreach(program IN LISTS tools)
  cmake_path(GET program STEM name)
  fl_program(bench_tool_${name} ${program})
  set_target_properties(bench_tool_${name} PROPERTIES EXCLUDE_FROM_ALL ON
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench/tools)
  add_dependencies(bench-programs bench_tool_${name})
endforeach()
add_dependencies(bench bench-programs)
if(TARGET faultline)
  add_dependencies(bench-programs faultline)
  file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*.sh)
  foreach(script IN LISTS scripts)
    add_custom_command(TARGET bench POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E env SOURCE_DIR=${CMAKE_SOURCE_DIR}
        FAULTLINE=$<TARGET_FILE:faultline>
        BENCH_TOOLS=${CMAKE_BINARY_DIR}/bench/tools bash ${script}
      USES_TERMINAL VERBATIM)
  endforeach()
endif()
