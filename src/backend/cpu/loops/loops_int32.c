/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of int32. */
#define DTYPE INT32
#define INT_T int32_t
#define UINT_T uint32_t
#define INT_BITS 32
#define INT_SIGNED 1
#include "backend/cpu/loops/loops_int.h"
