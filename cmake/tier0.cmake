# SPDX-License-Identifier: BSD-3-Clause
# Tier 0 of CUDA devices: heddle_tier0.fatbin beside the library, which reads what it is to do when
# it runs (docs/design/gpu-tier0.md). The words are written by our own code generator, the code
# around them is C for clang's NVPTX target; LLVM 19 links both to PTX, to which the kernel of
# replies is added (cuda_reply.c); CUDA's ptxas assembles that
# for each architecture (a minute of one core each), for 64 registers: it waits more than it
# computes, so that twice the threads are worth more than twice the registers. Without one of these
# tools it is not made, and kernels on CUDA are compiled before they run.

set(HEDDLE_TIER0_ARCHS "75;80;90;100;120" CACHE STRING "architectures that have code of tier 0")
set(HEDDLE_TIER0 OFF)
set(tier0 ${PROJECT_BINARY_DIR}/tier0)
set(tier0_source ${src}/backend/cuda/tier0)

if(HEDDLE_LLVM AND HEDDLE_CUB_WANTED AND NOT HEDDLE_SANITIZE)
    cmake_path(GET HEDDLE_LLVM_CONFIG PARENT_PATH llvm_bin)
    find_program(HEDDLE_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14)
    set(HEDDLE_TIER0_TOOLS ON)
    foreach(tool IN ITEMS llvm-link opt llc)
        find_program(HEDDLE_${tool} NAMES ${tool} ${tool}-19 PATHS /usr/lib/llvm-19/bin ${llvm_bin}
                     NO_DEFAULT_PATH)
        if(NOT HEDDLE_${tool})
            set(HEDDLE_TIER0_TOOLS OFF)
        endif()
    endforeach()
    if(HEDDLE_NVCC)
        file(REAL_PATH ${HEDDLE_NVCC} cuda_bin)
        cmake_path(GET cuda_bin PARENT_PATH cuda_bin)
        find_program(HEDDLE_PTXAS NAMES ptxas PATHS ${cuda_bin} NO_DEFAULT_PATH)
        find_program(HEDDLE_FATBINARY NAMES fatbinary PATHS ${cuda_bin} NO_DEFAULT_PATH)
    endif()
    if(HEDDLE_TIER0_TOOLS AND HEDDLE_CLANG AND HEDDLE_PTXAS AND HEDDLE_FATBINARY)
        set(HEDDLE_TIER0 ON)
    endif()
endif()

if(HEDDLE_TIER0)
    file(MAKE_DIRECTORY ${tier0})
    add_executable(tier0_words EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tools/tier0_words.c)
    target_link_libraries(tier0_words PRIVATE heddle_internal heddle_llvm)

    # The text changes seldom: what is made of it is made anew only then.
    add_custom_command(OUTPUT ${tier0}/words.stamp BYPRODUCTS ${tier0}/words.ll ${tier0}/reply.ptx
        COMMAND tier0_words > ${tier0}/words.new
        COMMAND ${CMAKE_COMMAND} -E copy_if_different ${tier0}/words.new ${tier0}/words.ll
        COMMAND tier0_words reply > ${tier0}/reply.new
        COMMAND ${CMAKE_COMMAND} -E copy_if_different ${tier0}/reply.new ${tier0}/reply.ptx
        COMMAND ${CMAKE_COMMAND} -E touch ${tier0}/words.stamp
        DEPENDS tier0_words VERBATIM COMMENT "words of tier 0 for GPUs")
    add_custom_target(tier0_words_ll DEPENDS ${tier0}/words.stamp)

    add_custom_command(OUTPUT ${tier0}/tier0.ptx
        COMMAND ${HEDDLE_CLANG} --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_75
                -Xclang -target-feature -Xclang +ptx64 -std=c17 -O2 -ffreestanding
                -fno-unroll-loops -ffp-contract=off -Wall -Wextra -Wconversion -Werror -I${src}
                -emit-llvm -c ${tier0_source}/tier0_grid.c -o ${tier0}/grid.bc
        COMMAND ${HEDDLE_llvm-link} ${tier0}/words.ll ${tier0}/grid.bc -o ${tier0}/all.bc
        COMMAND ${HEDDLE_opt} -passes=internalize,globaldce
                --internalize-public-api-list=heddle_grid ${tier0}/all.bc -o ${tier0}/opt.bc
        COMMAND ${HEDDLE_llc} -O2 -mcpu=sm_75 -mattr=+ptx64 ${tier0}/opt.bc -o ${tier0}/grid.ptx
        COMMAND ${CMAKE_COMMAND} -E cat ${tier0}/grid.ptx ${tier0}/reply.ptx > ${tier0}/tier0.ptx
        DEPENDS ${tier0}/words.ll ${tier0}/reply.ptx tier0_words_ll ${tier0_source}/tier0_grid.c
                ${tier0_source}/tier0.h ${tier0_source}/tier0_values.h
                ${tier0_source}/tier0_wide.h
        VERBATIM COMMENT "tier 0 for GPUs")

    set(images "")
    set(image_options "")
    foreach(arch IN LISTS HEDDLE_TIER0_ARCHS)
        set(image ${tier0}/sm_${arch}.cubin)
        add_custom_command(OUTPUT ${image}
            COMMAND ${HEDDLE_PTXAS} -arch=sm_${arch} --maxrregcount=64 ${tier0}/tier0.ptx -o ${image}
            DEPENDS ${tier0}/tier0.ptx VERBATIM COMMENT "ptxas tier 0, sm_${arch}")
        list(APPEND images ${image})
        list(APPEND image_options --image3=kind=elf,sm=${arch},file=${image})
    endforeach()
    add_custom_command(OUTPUT ${HEDDLE_LIB_DIR}/heddle_tier0.fatbin
        COMMAND ${HEDDLE_FATBINARY} --64 --compress-all ${image_options}
                --create=${HEDDLE_LIB_DIR}/heddle_tier0.fatbin
        DEPENDS ${images} VERBATIM COMMENT "heddle_tier0.fatbin")
    add_custom_target(heddle_tier0 ALL DEPENDS ${HEDDLE_LIB_DIR}/heddle_tier0.fatbin)
else()
    message(STATUS "no tier 0 for CUDA devices: it needs LLVM 19, clang and CUDA's ptxas")
endif()
