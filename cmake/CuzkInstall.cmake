# cmake --install puts the libraries, headers, package files and (when built) the command in place.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
get_property(cuzk_targets GLOBAL PROPERTY CUZK_TARGETS)
install(TARGETS ${cuzk_targets} EXPORT cuzkTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT cuzkTargets NAMESPACE cuzk:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cuzk)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cuzkConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cuzkConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cuzk)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cuzkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cuzkConfig.cmake ${PROJECT_BINARY_DIR}/cuzkConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cuzk)
