# SPDX-License-Identifier: BSD-3-Clause
# Sorting, scanning, selecting on CUDA devices: CUB and kernels of our own, compiled by nvcc into a
# library of its own, which libheddle opens at the first such call. Without nvcc (of CUDA 13) it is
# not made, and those calls say so. Where the compiler is looked for: in .venv, where tools/setup.sh
# puts PyPI's, then where CUDA is installed.

option(HEDDLE_CUB_WANTED "make it, if nvcc is there (minutes)" ON)
# Machine code for these (8.0 is what 8.6 to 8.9 run as well), and PTX of the last for what is newer. Each
# costs two to three minutes of one core.
set(HEDDLE_CUB_TARGETS "80;90" CACHE STRING "compute capabilities that the library has code for")
set(HEDDLE_CUB OFF)
file(GLOB venv_cuda ${PROJECT_SOURCE_DIR}/.venv/lib/python*/site-packages/nvidia/cu13)
find_program(HEDDLE_NVCC NAMES nvcc PATHS ${venv_cuda} $ENV{CUDA_HOME} /usr/local/cuda
             PATH_SUFFIXES bin NO_DEFAULT_PATH)
find_program(HEDDLE_NVCC NAMES nvcc)
find_program(HEDDLE_NVCC_HOST NAMES g++)
if(HEDDLE_CUB_WANTED AND HEDDLE_NVCC AND HEDDLE_NVCC_HOST AND IS_ABSOLUTE "${HEDDLE_LIBSTDCXX}")
    execute_process(COMMAND ${HEDDLE_NVCC} --version OUTPUT_VARIABLE nvcc_version)
    file(REAL_PATH ${HEDDLE_NVCC} cuda_root)
    cmake_path(GET cuda_root PARENT_PATH cuda_root)
    cmake_path(GET cuda_root PARENT_PATH cuda_root)
    find_library(HEDDLE_CUDART NAMES libcudart_static.a PATHS ${cuda_root}
                 PATH_SUFFIXES lib lib64 lib/x86_64-linux-gnu NO_DEFAULT_PATH)
    if(nvcc_version MATCHES "release 13\\." AND HEDDLE_CUDART)
        set(HEDDLE_CUB ON)
    endif()
endif()

set(cub ${src}/backend/cuda/cub)
set(cub_objects "")

set(cub_codes "")
foreach(cc IN LISTS HEDDLE_CUB_TARGETS)
    list(APPEND cub_codes -gencode arch=compute_${cc},code=sm_${cc})
endforeach()
list(GET HEDDLE_CUB_TARGETS -1 cc)
list(APPEND cub_codes -gencode arch=compute_${cc},code=compute_${cc})
function(cub_object name source)
    set(object ${PROJECT_BINARY_DIR}/cub/${name}.o)
    add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${HEDDLE_NVCC} -ccbin ${HEDDLE_NVCC_HOST} -std=c++17
                -O3 -fmad=false -Xcompiler=-fPIC,-Wall
                ${cub_codes}
                -Xfatbin -compress-all -DHDI_BUILD ${ARGN} -I${src} -I${PROJECT_SOURCE_DIR}/include
                -MD -MF ${object}.d -c ${source} -o ${object}
        DEPENDS ${source} DEPFILE ${object}.d COMMAND_EXPAND_LISTS VERBATIM
        COMMENT "nvcc ${name}")
    set(cub_objects ${cub_objects} ${object} PARENT_SCOPE)
endfunction()

if(HEDDLE_CUB)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cub)
    file(GLOB cub_sources CONFIGURE_DEPENDS ${cub}/*.cu)
    list(FILTER cub_sources EXCLUDE REGEX "/cub_radix_[^/]*$")   # once for each type of key
    foreach(file IN LISTS cub_sources)
        cmake_path(GET file STEM name)
        cub_object(${name} ${file})
    endforeach()
    foreach(key IN ITEMS u16:uint16_t u32:uint32_t u64:uint64_t i16:int16_t i32:int32_t i64:int64_t
                        f32:float f64:double)
        string(REPLACE ":" ";" key ${key})
        list(GET key 0 short)
        list(GET key 1 type)
        cub_object(radix_keys_${short} ${cub}/cub_radix_keys.cu -DHDI_KEY=${type}
                   -DHDI_NAME=radix_keys_${short})
        if(short MATCHES "u32|u64")
            cub_object(radix_pairs_${short} ${cub}/cub_radix_pairs.cu -DHDI_KEY=${type}
                       -DHDI_NAME=radix_pairs_${short})
        endif()
    endforeach()
    add_library(heddle_cub SHARED ${cub_objects})
    target_link_libraries(heddle_cub PRIVATE ${HEDDLE_CUDART} ${HEDDLE_LIBSTDCXX} Threads::Threads
                          -ldl -lrt -lm)
    target_link_options(heddle_cub PRIVATE -static-libgcc -Wl,--exclude-libs,ALL -Wl,--gc-sections
                        -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/cub.map)
    set_target_properties(heddle_cub PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${HEDDLE_LIB_DIR}
                          LINKER_LANGUAGE C LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/cub.map)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        target_link_options(heddle_cub PRIVATE -s)
    endif()
elseif(HEDDLE_CUB_WANTED)
    message(STATUS "nvcc 13 not found: nothing is sorted, scanned in parallel or selected on CUDA")
endif()
