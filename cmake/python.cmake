# SPDX-License-Identifier: BSD-3-Clause
# _heddle.abi3.so: one binary for CPython 3.11 and later (limited API), next to libheddle.so.0.

find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
file(GLOB HEDDLE_EXTENSION CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.c)

add_library(_heddle MODULE ${HEDDLE_EXTENSION})
set_target_properties(_heddle PROPERTIES
    PREFIX "" SUFFIX ".abi3.so" LIBRARY_OUTPUT_DIRECTORY ${HEDDLE_LIB_DIR}
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
target_compile_definitions(_heddle PRIVATE Py_LIMITED_API=0x030B0000)
target_include_directories(_heddle SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
target_link_libraries(_heddle PRIVATE heddle_flags heddle)
