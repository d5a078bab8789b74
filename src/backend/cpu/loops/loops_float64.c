/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of float64. */
#define DTYPE FLOAT64
#define FLOAT_T double
#define FLOAT_SUFFIX
#define FLOAT_BITS 64
#include "backend/cpu/loops/loops_float.h"
