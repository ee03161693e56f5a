# What other people's builds find: faultline_add_test() for CMake, faultline.pc
# for pkg-config.  The CMake package itself is made in library.cmake.

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Faultline)
install(FILES cmake/FaultlineTest.cmake DESTINATION ${package})

# From where the file is, since --prefix can be given when it is installed.
set(FL_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(FL_PC_PREFIX "\${pcfiledir}/${up}")
endif()
configure_file(cmake/faultline.pc.in ${CMAKE_BINARY_DIR}/faultline.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/faultline.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
