# One test a file: examples/, tests/clients/ and tests/litmus/ are found by
# name, and each file says in its first comment what must be found in it.
# Files with several levels of optimisation run with all of them at night, and
# those of the papers with clang, too.

set(fl_client_root ${CMAKE_CURRENT_LIST_DIR}/..)
cmake_path(NORMAL_PATH fl_client_root)

function(fl_client_tests label)
  foreach(file IN LISTS ARGN)
    cmake_path(GET file STEM name)
    if(name STREQUAL "harness") # a client of several files is a folder
      cmake_path(GET file PARENT_PATH folder)
      cmake_path(GET folder FILENAME name)
    endif()
    if(NOT label STREQUAL "clients")
      set(name ${label}.${name})
    endif()
    fl_test(client.${name} LABELS client ${label}
      COMMAND ${fl_client_root}/tests/run-client ${file})
    file(STRINGS ${file} levels REGEX "^ \\* OPT: .* ")
    if(levels OR label MATCHES "^(example|papers)$")
      fl_test(nightly/client.${name} NIGHTLY LABELS client ${label}
        COMMAND ${fl_client_root}/tests/run-client --matrix ${file})
    endif()
  endforeach()
endfunction()

file(GLOB fl_example_files CONFIGURE_DEPENDS
     ${fl_client_root}/examples/*.c ${fl_client_root}/examples/*.cpp)
file(GLOB fl_client_files CONFIGURE_DEPENDS
     ${fl_client_root}/tests/clients/*.c ${fl_client_root}/tests/clients/*.cpp
     ${fl_client_root}/tests/clients/*/harness.c)
file(GLOB fl_litmus_files CONFIGURE_DEPENDS
     ${fl_client_root}/tests/litmus/*.c)

fl_client_tests(example ${fl_example_files})
fl_client_tests(clients ${fl_client_files})
foreach(folder papers dpor locate kinds readings specifying descriptors advice
    assembly always progress)
  file(GLOB files CONFIGURE_DEPENDS
    ${fl_client_root}/tests/clients/${folder}/*.c
    ${fl_client_root}/tests/clients/${folder}/*.cpp)
  fl_client_tests(${folder} ${files})
endforeach()
fl_client_tests(litmus ${fl_litmus_files})

# Objects of libraries that have to be installed: scripts/found.
file(GLOB fl_found_files CONFIGURE_DEPENDS
     ${fl_client_root}/examples/found/*.c ${fl_client_root}/examples/found/*.cpp)
foreach(file IN LISTS fl_found_files)
  cmake_path(GET file STEM name)
  fl_test(found.${name} NIGHTLY LABELS found
    COMMAND ${fl_client_root}/tests/run-client ${file})
endforeach()
