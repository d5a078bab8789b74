/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of int8. */
#define DTYPE INT8
#define INT_T int8_t
#define UINT_T uint8_t
#define INT_BITS 8
#define INT_SIGNED 1
#include "backend/cpu/loops/loops_int.h"
