# SPDX-License-Identifier: BSD-3-Clause
# Which GPUs device code is made for. It takes most of a build's time, so what is built for one
# machine (`make demo`, `make bench`) has code for its own GPUs, or none without one; wheels have
# code for all.

set(HEDDLE_GPUS all CACHE STRING "all, or native: those of this machine")
set_property(CACHE HEDDLE_GPUS PROPERTY STRINGS all native)
set(gpu_archs_known 75 80 86 87 88 89 90 100 103 110 120 121)   # CUDA 13's compilers'

if(HEDDLE_GPUS STREQUAL "native")
    set(gpu_archs "")
    find_program(HEDDLE_NVIDIA_SMI NAMES nvidia-smi)
    if(HEDDLE_NVIDIA_SMI)
        execute_process(COMMAND ${HEDDLE_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                        OUTPUT_VARIABLE gpu_answer ERROR_QUIET)
        string(REGEX MATCHALL "[0-9]+\\.[0-9]+" gpu_archs "${gpu_answer}")
        list(TRANSFORM gpu_archs REPLACE "\\." "")
        list(REMOVE_DUPLICATES gpu_archs)
        list(SORT gpu_archs COMPARE NATURAL)
    endif()
    set(gpu_archs_unknown ${gpu_archs})
    list(REMOVE_ITEM gpu_archs_unknown ${gpu_archs_known})
    if(gpu_archs STREQUAL "" AND NOT EXISTS /dev/nvidiactl)
        message(STATUS "no GPU here: no device code")
        set(HEDDLE_CUB_WANTED OFF)
    elseif(gpu_archs STREQUAL "" OR gpu_archs_unknown)
        message(STATUS "GPUs that nobody knows (${gpu_archs_unknown}): device code for all")
    else()
        message(STATUS "device code for compute capability ${gpu_archs}")
        set(HEDDLE_CUB_TARGETS ${gpu_archs})
        set(HEDDLE_TIER0_ARCHS ${gpu_archs})
    endif()
endif()
