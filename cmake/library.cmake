# SPDX-License-Identifier: BSD-3-Clause
# libheddle.so from src/: every file once, but src/backend/cpu/loops/*.c once per instruction set,
# and src/codegen/llvm_*.c not here: what calls LLVM is a library of its own.

set(src ${PROJECT_SOURCE_DIR}/src)
file(GLOB_RECURSE HEDDLE_SOURCES CONFIGURE_DEPENDS ${src}/*.c)
list(FILTER HEDDLE_SOURCES EXCLUDE REGEX "/codegen/llvm_[^/]*$")   # a library of their own
list(FILTER HEDDLE_SOURCES EXCLUDE REGEX "/cuda/tier0/[^/]*$")     # cmake/tier0.cmake
file(GLOB HEDDLE_LOOPS CONFIGURE_DEPENDS ${src}/backend/cpu/loops/*.c)
if(HEDDLE_LOOPS)
    list(REMOVE_ITEM HEDDLE_SOURCES ${HEDDLE_LOOPS})
endif()
list(FILTER HEDDLE_SOURCES EXCLUDE REGEX "/src/codegen/llvm_[^/]*$")

add_library(heddle_objects OBJECT ${HEDDLE_SOURCES})
target_include_directories(heddle_objects PRIVATE ${src})
target_link_libraries(heddle_objects PRIVATE heddle_flags heddle_math Threads::Threads)
target_compile_options(heddle_objects PRIVATE ${HEDDLE_ISA_v2})
# What every recorded operation runs through (docs/design/recording.md), the keys of sorting, and
# what looks at indices.
set_source_files_properties(${src}/ops/ops.c ${src}/ops/elementwise/ew.c ${src}/core/array.c
    ${src}/window/record.c ${src}/window/hazards.c ${src}/window/bounds.c
    ${src}/window/canon.c ${src}/backend/cpu/cpu_sort.c
    ${src}/backend/cpu/cpu_search.c ${src}/ops/index/places.c
    PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3;-fno-tree-slp-vectorize>")
set(HEDDLE_PARTS $<TARGET_OBJECTS:heddle_objects>)

if(HEDDLE_LOOPS)
    foreach(isa IN LISTS HEDDLE_ISAS)
        add_library(heddle_loops_${isa} OBJECT ${HEDDLE_LOOPS})
        target_include_directories(heddle_loops_${isa} PRIVATE ${src})
        target_link_libraries(heddle_loops_${isa} PRIVATE heddle_flags heddle_math)
        target_compile_definitions(heddle_loops_${isa} PRIVATE HDI_ISA=${isa})
        target_compile_options(heddle_loops_${isa} PRIVATE $<$<CONFIG:Release>:-O3>
                               ${HEDDLE_ISA_${isa}})
        list(APPEND HEDDLE_PARTS $<TARGET_OBJECTS:heddle_loops_${isa}>)
    endforeach()
endif()

# Library and extension lie side by side, in the build as in the package: $ORIGIN finds the library.
set(HEDDLE_LIB_DIR ${PROJECT_BINARY_DIR}/lib)

# The file keeps its name, by which programs open it; that they fit is what HD_ABI_VERSION tells.
add_library(heddle SHARED ${HEDDLE_PARTS})
set_target_properties(heddle PROPERTIES
    VERSION ${HD_VERSION_MAJOR}.${HD_VERSION_MINOR}.${HD_VERSION_PATCH}
    SOVERSION ${HD_VERSION_MAJOR}
    LIBRARY_OUTPUT_DIRECTORY ${HEDDLE_LIB_DIR} LINKER_LANGUAGE C)
target_include_directories(heddle PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(heddle PRIVATE $<BUILD_INTERFACE:heddle_flags>
                      Threads::Threads ${CMAKE_DL_LIBS} m)
# clang leaves the sanitizer's own symbols to the executable; everybody else must be complete.
if(NOT (HEDDLE_SANITIZE AND CMAKE_C_COMPILER_ID MATCHES "Clang"))
    target_link_options(heddle PRIVATE -Wl,-z,defs)
endif()

# The same objects with their inner names within reach, for unit tests.
add_library(heddle_internal STATIC EXCLUDE_FROM_ALL ${HEDDLE_PARTS})
set_target_properties(heddle_internal PROPERTIES LINKER_LANGUAGE C)
target_include_directories(heddle_internal INTERFACE ${src} ${PROJECT_SOURCE_DIR}/tests)
# Nobody calls that constructor, so the linker would leave its file in the archive.
target_link_options(heddle_internal INTERFACE -Wl,--undefined=hdi_exec_install)
target_link_libraries(heddle_internal INTERFACE heddle_flags Threads::Threads ${CMAKE_DL_LIBS} m)
