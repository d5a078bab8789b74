/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of uint16. */
#define DTYPE UINT16
#define INT_T uint16_t
#define UINT_T uint16_t
#define INT_BITS 16
#define INT_SIGNED 0
#include "backend/cpu/loops/loops_int.h"
