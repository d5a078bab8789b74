/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of int16. */
#define DTYPE INT16
#define INT_T int16_t
#define UINT_T uint16_t
#define INT_BITS 16
#define INT_SIGNED 1
#include "backend/cpu/loops/loops_int.h"
