/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of complex64. */
#define DTYPE COMPLEX64
#define R float
#define R_SUFFIX f
#define R_BITS uint32_t
#define R_IS_DOUBLE 0
#include "backend/cpu/loops/loops_complex.h"
