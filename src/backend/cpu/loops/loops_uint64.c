/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of uint64. */
#define DTYPE UINT64
#define INT_T uint64_t
#define UINT_T uint64_t
#define INT_BITS 64
#define INT_SIGNED 0
#include "backend/cpu/loops/loops_int.h"
