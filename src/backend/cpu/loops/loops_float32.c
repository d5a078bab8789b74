/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of float32. */
#define DTYPE FLOAT32
#define FLOAT_T float
#define FLOAT_SUFFIX f
#define FLOAT_BITS 32
#include "backend/cpu/loops/loops_float.h"
