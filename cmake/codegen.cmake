# SPDX-License-Identifier: BSD-3-Clause
# The code generator: LLVM linked statically into a library of its own, which libheddle opens at the
# first compile. Without LLVM 19 the library is not made, and every kernel stays on tier 0.

set(HEDDLE_LLVM OFF)
find_program(HEDDLE_LLVM_CONFIG NAMES llvm-config-19 PATHS /usr/lib/llvm-19/bin)
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libstdc++.a
                OUTPUT_VARIABLE HEDDLE_LIBSTDCXX OUTPUT_STRIP_TRAILING_WHITESPACE)
if(HEDDLE_LLVM_CONFIG AND IS_ABSOLUTE "${HEDDLE_LIBSTDCXX}" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    execute_process(COMMAND ${HEDDLE_LLVM_CONFIG} --link-static --libs core target analysis passes x86codegen
                            x86desc x86info
                            nvptxcodegen nvptxdesc nvptxinfo mc
                    OUTPUT_VARIABLE llvm_libs OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
    execute_process(COMMAND ${HEDDLE_LLVM_CONFIG} --includedir
                    OUTPUT_VARIABLE llvm_include OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${HEDDLE_LLVM_CONFIG} --libdir
                    OUTPUT_VARIABLE llvm_libdir OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed)
        set(HEDDLE_LLVM ON)
    endif()
endif()

if(HEDDLE_LLVM)
    separate_arguments(llvm_libs)
    file(GLOB llvm_sources CONFIGURE_DEPENDS ${src}/codegen/llvm_*.c)
    add_library(heddle_llvm SHARED ${llvm_sources} ${src}/codegen/cg_chain.c
                ${src}/codegen/cg_fold.c ${src}/codegen/cg_grid.c)
    target_include_directories(heddle_llvm PRIVATE ${src})
    target_include_directories(heddle_llvm SYSTEM PRIVATE ${llvm_include})
    target_link_libraries(heddle_llvm PRIVATE heddle_flags Threads::Threads)
    target_link_options(heddle_llvm PRIVATE
        # each allocation in it: src/codegen/llvm_guard.c
        -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=strdup
        -Wl,--wrap=aligned_alloc,--wrap=posix_memalign
        -L${llvm_libdir} -Wl,--gc-sections -Wl,--exclude-libs,ALL -static-libgcc
        -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/llvm.map)
    target_link_libraries(heddle_llvm PRIVATE ${llvm_libs} ${HEDDLE_LIBSTDCXX}
        -Wl,-Bstatic -lz -lzstd -Wl,-Bdynamic -ldl -lm)
    set_target_properties(heddle_llvm PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${HEDDLE_LIB_DIR}
                          LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/llvm.map)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        target_link_options(heddle_llvm PRIVATE -s)
    endif()
else()
    message(STATUS "LLVM 19 not found: no code generator, all kernels run on tier 0")
endif()
