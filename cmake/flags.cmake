# SPDX-License-Identifier: BSD-3-Clause
# Compiler options: heddle_flags for everything, heddle_math on top for code that ends in libheddle.

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

add_library(heddle_flags INTERFACE)
target_include_directories(heddle_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
# The two compilers must give the same bits, so no a*b+c may become one rounding.
target_compile_options(heddle_flags INTERFACE
    -Wall -Wextra -Wconversion -Wshadow -Wvla -Wmissing-prototypes -Wstrict-prototypes
    $<$<C_COMPILER_ID:Clang>:-Wthread-safety>   # base/lock.h
    -ffp-contract=off $<$<BOOL:${HEDDLE_WERROR}>:-Werror>)

# GCC copies what it knows to be of at most a few KB by a string instruction, which takes 30 cycles
# to begin: as long as much of what small work consists of.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    target_compile_options(heddle_flags INTERFACE
        -mmemcpy-strategy=unrolled_loop:64:noalign,libcall:-1:noalign
        -mmemset-strategy=libcall:-1:noalign)
endif()

# Floating point is NumPy's: never -ffast-math. errno and traps are not promised, and without them
# sqrt, rint and selects become vector instructions.
add_library(heddle_math INTERFACE)
target_compile_options(heddle_math INTERFACE -fno-math-errno -fno-trapping-math -fno-plt)
target_compile_definitions(heddle_math INTERFACE HDI_BUILD)

# What changes the layout of structures must also reach the unit tests: hence on heddle_flags.
target_compile_definitions(heddle_flags INTERFACE
    $<$<BOOL:${HEDDLE_DEBUG}>:HDI_DEBUG=1>
    $<$<BOOL:${HEDDLE_MUTATE}>:HDI_MUTATE=1>
    $<$<STREQUAL:${HEDDLE_SANITIZE},thread>:HDI_TSAN=1>)

if(HEDDLE_SANITIZE STREQUAL "address")
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(HEDDLE_SANITIZE STREQUAL "thread")
    set(sanitizers -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT HEDDLE_SANITIZE STREQUAL "")
    message(FATAL_ERROR "HEDDLE_SANITIZE is \"${HEDDLE_SANITIZE}\": use address, thread or nothing")
endif()
if(sanitizers)
    target_compile_options(heddle_flags INTERFACE ${sanitizers})
    target_link_options(heddle_flags INTERFACE ${sanitizers})
endif()

# x86-64: the library needs v2 (2009); the loops exist for wider vectors too, picked at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(HEDDLE_ISAS v2 v3 v4)
    set(HEDDLE_ISA_v2 -march=x86-64-v2)
    set(HEDDLE_ISA_v3 -march=x86-64-v3)
    set(HEDDLE_ISA_v4 -march=x86-64-v4 -mprefer-vector-width=512)
    include(CheckSymbolExists)
    check_symbol_exists(__GLIBC__ features.h HEDDLE_GLIBC)
    if(HEDDLE_GLIBC)
        target_compile_options(heddle_math INTERFACE
            "SHELL:-include \"${PROJECT_SOURCE_DIR}/cmake/glibc_2_34.h\"")
    endif()
else()
    set(HEDDLE_ISAS v2)          # the name of the baseline everywhere
    set(HEDDLE_ISA_v2 "")
endif()
