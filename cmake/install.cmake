# SPDX-License-Identifier: BSD-3-Clause
# `cmake --install` gives a C developer the library, the headers, heddle.pc and a CMake package.
# The Python package is put together by tools/package.py.

install(TARGETS heddle EXPORT heddle LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# Relative to the .pc file itself, so that the installed tree can be moved.
file(RELATIVE_PATH HEDDLE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" HEDDLE_PC_PREFIX "${HEDDLE_PC_PREFIX}")
configure_file(cmake/heddle.pc.in heddle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/heddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
install(EXPORT heddle NAMESPACE heddle:: FILE heddle-config.cmake DESTINATION ${config_dir})
include(CMakePackageConfigHelpers)
write_basic_package_version_file(heddle-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heddle-config-version.cmake DESTINATION ${config_dir})

if(HEDDLE_LLVM)
    install(TARGETS heddle_llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(HEDDLE_CUB)
    install(TARGETS heddle_cub LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(HEDDLE_TIER0)
    install(FILES ${HEDDLE_LIB_DIR}/heddle_tier0.fatbin DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
