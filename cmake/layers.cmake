# fl_layer(name [USES layer…] [LIBS library…]): a static library of src/<name>,
# with its folders but for those that are layers themselves (a/b, above a).
#
# Its include path is a folder that holds nothing but a link <name> -> src/<name>,
# so that code sees "x/….h" only for itself and the layers it uses.

# Flags of our own code.  They are never global: clients are compiled by the
# tool with other sanitizers, and rt, which hosts the clients' threads, takes
# the warnings but neither sanitizers nor coverage.
add_library(fl_warnings INTERFACE)
# gcc copies and clears what has a constant size by string instructions, which
# take several times as long as the library's functions.
include(CheckCCompilerFlag)
set(strategies -mmemcpy-strategy=libcall:-1:align
  -mmemset-strategy=libcall:-1:align)
check_c_compiler_flag("${strategies}" FL_HAS_STRATEGIES)
if(FL_HAS_STRATEGIES)
  target_compile_options(fl_warnings INTERFACE ${strategies})
endif()
target_compile_options(fl_warnings INTERFACE -g -UNDEBUG -Wall -Wextra
  -Wstrict-prototypes -Wpointer-arith -Wwrite-strings
  -Wno-missing-field-initializers) # tables leave the rest of a line zero
# Empty, so that a file may define it once more.
target_compile_definitions(fl_warnings INTERFACE _GNU_SOURCE=)
if(FL_SLOW_CHECKS)
  target_compile_definitions(fl_warnings INTERFACE FL_SLOW_CHECKS)
endif()

add_library(fl_flags INTERFACE)
target_link_libraries(fl_flags INTERFACE fl_warnings)
# Not in rt, whose entry points have no header: the compiler calls them by name.
# Hidden, or a name of ours (json_object) would replace that of a shared library.
target_compile_options(fl_flags INTERFACE ${FL_OPTIMIZE} -Wmissing-prototypes
  -fvisibility=hidden)
if(FL_SANITIZE)
  target_compile_options(fl_flags INTERFACE -fsanitize=${FL_SANITIZE}
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer
    -Wno-format-truncation) # gcc 12 sees null formats that are not there
  target_link_options(fl_flags INTERFACE -fsanitize=${FL_SANITIZE})
endif()
if(FL_COVERAGE)
  target_compile_options(fl_flags INTERFACE --coverage)
  target_link_options(fl_flags INTERFACE --coverage)
endif()

# What the runtime is compiled with in every preset.
add_library(fl_rt_flags INTERFACE)
target_link_libraries(fl_rt_flags INTERFACE fl_warnings)
# Exceptions of C++ clients pass through hooks that call user code (call_once).
# The engine switches stacks by inline assembly, which pushes: no red zone.
target_compile_options(fl_rt_flags INTERFACE -O2 -fexceptions -mno-red-zone)

# What the checker's library is made of; without the engine there is no other
# layer.
set(FL_CHECK_LAYERS base model harness spec history/read history lib)

set(FL_LAYERS)
set(FL_INNER) # those that are folders of others
# A line a layer, with what it uses: tests/layering.sh goes by it.
set(FL_DIAGRAM ${CMAKE_BINARY_DIR}/layers/diagram)
file(WRITE ${FL_DIAGRAM} "")

function(fl_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "USES;LIBS")
  if(NOT FL_ENGINE AND NOT name IN_LIST FL_CHECK_LAYERS)
    return()
  endif()
  list(JOIN ARG_USES " " words)
  file(APPEND ${FL_DIAGRAM} "${name}: ${words}\n")
  string(REPLACE "/" "_" target fl_${name})
  set(view ${CMAKE_BINARY_DIR}/layers/${target})
  cmake_path(GET name PARENT_PATH outer)
  file(MAKE_DIRECTORY ${view}/${outer})
  if(NOT IS_SYMLINK ${view}/${name})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${view}/${name} SYMBOLIC)
  endif()
  set(views ${view})
  if(NOT name MATCHES "^(base|model)$")
    list(APPEND views ${CMAKE_SOURCE_DIR}/include)
  endif()
  list(TRANSFORM ARG_USES REPLACE "/" "_" OUTPUT_VARIABLE uses)
  list(TRANSFORM uses PREPEND fl_)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/src/${name}/*.c ${CMAKE_SOURCE_DIR}/src/${name}/*.S)
  list(FILTER sources EXCLUDE REGEX "main\\.c$") # programs
  foreach(inner IN LISTS FL_INNER)
    if(NOT inner STREQUAL name)
      list(FILTER sources EXCLUDE REGEX "/src/${inner}/")
    endif()
  endforeach()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${views})
  target_link_libraries(${target} PUBLIC ${uses} ${ARG_LIBS})
  if(name STREQUAL "rt")
    target_link_libraries(${target} PRIVATE fl_rt_flags)
  else()
    target_link_libraries(${target} PRIVATE fl_flags)
  endif()
  file(GENERATE OUTPUT ${view}/includes CONTENT
    "$<JOIN:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,\n>\n")
  set(FL_LAYERS ${FL_LAYERS} ${target} PARENT_SCOPE)
  if(outer)
    set(FL_INNER ${FL_INNER} ${name} PARENT_SCOPE)
  endif()
endfunction()

# fl_exception(layer file USES other): one file of a layer sees one more layer.
function(fl_exception layer file)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "USES" "")
  if(NOT FL_ENGINE)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/src/${layer}/${file}
      PROPERTIES HEADER_FILE_ONLY ON) # it is left out
    return()
  endif()
  file(APPEND ${FL_DIAGRAM} "${layer}/${file}: ${ARG_USES}\n")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/${layer}/${file}
    PROPERTIES INCLUDE_DIRECTORIES
    "${CMAKE_BINARY_DIR}/layers/fl_${ARG_USES}")
  # For whoever links the layer, not for compiling it: CMake before 3.24 heeds
  # LINK_ONLY in an interface alone.
  target_link_libraries(fl_${layer} INTERFACE $<LINK_ONLY:fl_${ARG_USES}>)
endfunction()

# fl_program(name [ENGINE] source…): links the layers it needs.  With ENGINE it
# can load clients.  They call the runtime, which nothing in the program itself
# refers to: so all of rt is linked, and the entry points of exports.list,
# nothing else, are visible to them.
function(fl_program name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "ENGINE" "" "")
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_compile_definitions(${name} PRIVATE
    FL_VERSION="${PROJECT_VERSION}"
    FL_SOURCE_INCLUDE="${CMAKE_SOURCE_DIR}/include")
  target_link_libraries(${name} PRIVATE fl_flags ${FL_LAYERS} ${FL_LIBS})
  if(ARG_ENGINE)
    set(list ${CMAKE_SOURCE_DIR}/cmake/exports.list)
    # Not $<LINK_LIBRARY:WHOLE_ARCHIVE,…>: CMake repeats a library on the line,
    # and each time as a whole.
    target_link_options(${name} PRIVATE LINKER:--dynamic-list=${list}
      LINKER:--whole-archive,$<TARGET_FILE:fl_rt>,--no-whole-archive)
    set_target_properties(${name} PROPERTIES LINK_DEPENDS ${list})
  endif()
endfunction()
