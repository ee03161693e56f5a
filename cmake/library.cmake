# The checker as a library for other programs: libfaultline-check, shared and
# static, which export what include/faultline/check.h declares and nothing else.

list(TRANSFORM FL_CHECK_LAYERS REPLACE "/" "_" OUTPUT_VARIABLE check_layers)
list(TRANSFORM check_layers PREPEND fl_)
foreach(layer IN LISTS check_layers)
  set_target_properties(${layer} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endforeach()

add_library(faultline-check SHARED $<TARGET_OBJECTS:fl_lib>)
target_include_directories(faultline-check INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(faultline-check PRIVATE fl_flags fl_lib)
target_link_options(faultline-check PRIVATE LINKER:--as-needed
  LINKER:--exclude-libs,ALL)
if(NOT FL_SANITIZE AND NOT FL_COVERAGE)
  target_link_options(faultline-check PRIVATE LINKER:-z,defs)
endif()
set_target_properties(faultline-check PROPERTIES LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION 0 EXPORT_NAME check)

# One object, in which the names that are hidden are local: else a function of
# the same name in the user's program would not link beside ours.
set(archives)
foreach(layer IN LISTS check_layers)
  list(APPEND archives $<TARGET_FILE:${layer}>)
endforeach()
set(static ${CMAKE_BINARY_DIR}/libfaultline-check.a)
set(object ${CMAKE_BINARY_DIR}/faultline-check.o)
find_program(FL_AR NAMES ${CMAKE_AR} ar REQUIRED)
find_program(FL_LD NAMES ${CMAKE_LINKER} ld REQUIRED)
find_program(FL_OBJCOPY NAMES ${CMAKE_OBJCOPY} objcopy REQUIRED)
add_custom_command(OUTPUT ${static}
  COMMAND ${FL_LD} -r -o ${object} $<TARGET_OBJECTS:fl_lib>
    --start-group ${archives} --end-group
  COMMAND ${FL_OBJCOPY} --localize-hidden ${object}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${static}
  COMMAND ${FL_AR} rcs ${static} ${object}
  DEPENDS ${check_layers} COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Linking C static library libfaultline-check.a")
add_custom_target(faultline-check-static ALL DEPENDS ${static})

# Packages.  Other components get a line in FaultlineConfig.cmake.in and a file
# of targets of their own.
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Faultline)
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/FaultlineConfig.cmake.in
  ${CMAKE_BINARY_DIR}/FaultlineConfig.cmake INSTALL_DESTINATION ${package}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/FaultlineConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
# The prefix of files for pkg-config is told from where they are, since --prefix
# can be given when they are installed; package.cmake uses it too.
set(FL_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(FL_PC_PREFIX "\${pcfiledir}/${up}")
endif()
configure_file(cmake/faultline-check.pc.in
  ${CMAKE_BINARY_DIR}/faultline-check.pc @ONLY)

install(TARGETS faultline-check EXPORT FaultlineCheck COMPONENT check)
install(EXPORT FaultlineCheck FILE FaultlineCheckTargets.cmake
  NAMESPACE Faultline:: DESTINATION ${package} COMPONENT check)
install(FILES ${CMAKE_BINARY_DIR}/FaultlineConfig.cmake
  ${CMAKE_BINARY_DIR}/FaultlineConfigVersion.cmake
  DESTINATION ${package} COMPONENT check)
install(FILES ${static} TYPE LIB COMPONENT check)
install(FILES ${CMAKE_BINARY_DIR}/faultline-check.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT check)
install(FILES include/faultline/check.h include/faultline/spec.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/faultline COMPONENT check)
