# SPDX-License-Identifier: BSD-3-Clause
# One executable per tests/**/test_*.c, linked with everything inside the library. Not part of the
# default build: `cmake --build --preset debug --target unit_tests` makes them, in <build>/tests/.

file(GLOB_RECURSE HEDDLE_TESTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/test_*.c)
add_custom_target(unit_tests)

add_library(harness STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/harness.c)
target_link_libraries(harness PUBLIC heddle_internal)

# Stand in for the NVIDIA driver, for libheddle_cub, and for libraries of NVIDIA's (tests/cuda/fake_*.c).
foreach(name IN ITEMS fake_libcuda fake_libcub fake_libcufft fake_libcusolver fake_libnvrtc)
    add_library(${name} SHARED EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/cuda/${name}.c)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name} PRIVATE heddle_flags Threads::Threads)
    add_dependencies(unit_tests ${name})
endforeach()

# Kernels that the fake driver runs: an interpreter of PTX.
file(GLOB HEDDLE_PTX CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cuda/ptx*.c)
target_sources(fake_libcuda PRIVATE ${PROJECT_SOURCE_DIR}/tests/cuda/fake_more.c
               ${PROJECT_SOURCE_DIR}/tests/cuda/fake_run.c ${HEDDLE_PTX})
target_link_libraries(fake_libcuda PRIVATE m)
target_sources(fake_libcub PRIVATE ${PROJECT_SOURCE_DIR}/tests/cuda/fake_cub_run.c)
target_link_libraries(fake_libcub PRIVATE m)
target_link_libraries(fake_libcufft PRIVATE m ${CMAKE_DL_LIBS})
target_link_libraries(fake_libcusolver PRIVATE m)

# An interpreter of lowered IR, and kernels by chance.
file(GLOB HEDDLE_LIR_SUPPORT CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/lir/*.c)
list(FILTER HEDDLE_LIR_SUPPORT EXCLUDE REGEX "/test_[^/]*$")
add_library(lir_support STATIC EXCLUDE_FROM_ALL ${HEDDLE_LIR_SUPPORT})
target_link_libraries(lir_support PUBLIC harness)

foreach(file IN LISTS HEDDLE_TESTS)
    cmake_path(GET file STEM name)
    add_executable(${name} EXCLUDE_FROM_ALL ${file})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(${name} PRIVATE lir_support harness)
    add_dependencies(unit_tests ${name})
endforeach()
