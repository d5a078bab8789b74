/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of int64. */
#define DTYPE INT64
#define INT_T int64_t
#define UINT_T uint64_t
#define INT_BITS 64
#define INT_SIGNED 1
#include "backend/cpu/loops/loops_int.h"
