# What other people's builds find: faultline_add_test() for CMake, faultline.pc
# for pkg-config.  The CMake package itself is made in library.cmake.

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Faultline)
install(FILES cmake/FaultlineTest.cmake DESTINATION ${package})

configure_file(cmake/faultline.pc.in ${CMAKE_BINARY_DIR}/faultline.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/faultline.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The commands for gdb, which the program has in it too.
install(FILES src/cli/templates/faultline.gdb
  DESTINATION ${CMAKE_INSTALL_DATADIR}/faultline)

# Man pages and completions, which the program prints.
if(TARGET faultline)
  set(pages ${CMAKE_BINARY_DIR}/pages)
  set(shells)
  foreach(shell bash zsh fish)
    list(APPEND shells COMMAND $<TARGET_FILE:faultline> completion ${shell} >
      ${pages}/completion.${shell})
  endforeach()
  add_custom_command(OUTPUT ${pages}/done
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
    COMMAND $<TARGET_FILE:faultline> man-page --all ${pages}
    ${shells}
    COMMAND ${CMAKE_COMMAND} -E touch ${pages}/done
    DEPENDS faultline ${CMAKE_SOURCE_DIR}/include/faultline.h VERBATIM
    COMMENT "Writing man pages and completions")
  add_custom_target(faultline-pages ALL DEPENDS ${pages}/done)
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    FILES_MATCHING PATTERN "*.1")
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3
    FILES_MATCHING PATTERN "*.3")
  set(data ${CMAKE_INSTALL_DATADIR})
  install(FILES ${pages}/completion.bash RENAME faultline
    DESTINATION ${data}/bash-completion/completions)
  # Debian's zsh looks into this folder only for what is in /usr/local.
  set(zsh site-functions)
  if(EXISTS /etc/debian_version AND CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(zsh vendor-completions)
  endif()
  install(FILES ${pages}/completion.zsh RENAME _faultline
    DESTINATION ${data}/zsh/${zsh})
  install(FILES ${pages}/completion.fish RENAME faultline.fish
    DESTINATION ${data}/fish/vendor_completions.d)
endif()
