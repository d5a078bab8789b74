/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of uint32. */
#define DTYPE UINT32
#define INT_T uint32_t
#define UINT_T uint32_t
#define INT_BITS 32
#define INT_SIGNED 0
#include "backend/cpu/loops/loops_int.h"
