/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of uint8. */
#define DTYPE UINT8
#define INT_T uint8_t
#define UINT_T uint8_t
#define INT_BITS 8
#define INT_SIGNED 0
#include "backend/cpu/loops/loops_int.h"
