/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of complex128. */
#define DTYPE COMPLEX128
#define R double
#define R_SUFFIX
#define R_BITS uint64_t
#define R_IS_DOUBLE 1
#include "backend/cpu/loops/loops_complex.h"
