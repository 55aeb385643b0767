# What `cmake --install` puts in place: the library with its headers, the command, and gtvminConfig.cmake so that another
# project says find_package(gtvmin) and links gtvmin::core, find_package(gtvmin COMPONENTS torch)
# and gtvmin::torch, or COMPONENTS federation and gtvmin::pki.
include(CMakePackageConfigHelpers)

install(TARGETS gtvmin_core EXPORT gtvminTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/gtvmin DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET gtvmin_torch)
  # An export of its own: only who asks for the component torch needs libtorch.
  install(TARGETS gtvmin_torch EXPORT gtvminTorchTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT gtvminTorchTargets NAMESPACE gtvmin:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gtvmin)
endif()
if(TARGET gtvmin_pki)
  # Likewise: only who asks for the component federation needs OpenSSL.
  install(TARGETS gtvmin_pki EXPORT gtvminFederationTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT gtvminFederationTargets NAMESPACE gtvmin:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gtvmin)
endif()
install(FILES "${PROJECT_BINARY_DIR}/include/gtvmin/version.h" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gtvmin)
install(EXPORT gtvminTargets NAMESPACE gtvmin:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gtvmin)
configure_package_config_file(cmake/gtvminConfig.cmake.in "${PROJECT_BINARY_DIR}/gtvminConfig.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gtvmin)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gtvminConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/gtvminConfig.cmake" "${PROJECT_BINARY_DIR}/gtvminConfigVersion.cmake"
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/gtvmin)
if(TARGET gtvmin_app)
  install(TARGETS gtvmin_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  get_property(modules GLOBAL PROPERTY GTVMIN_MODULES)
  if(modules)
    install(TARGETS ${modules} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gtvmin)
  endif()
endif()
