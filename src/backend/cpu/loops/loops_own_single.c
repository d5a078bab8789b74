/* SPDX-License-Identifier: BSD-3-Clause */
/* Our own functions of float32, computed in float32. */
#define MATH_BITS 32
#include "backend/cpu/loops/loops_own.h"

#define LOOP1_SINGLE(f) OWN_LOOP1(f, FLOAT32)
#define LOOP2_SINGLE(f) OWN_LOOP2(f, FLOAT32)
#define LOOP1_WIDE(f)
#define LOOP2_WIDE(f)
#define MATH1(f, body32, ...) LOOP1_##body32(f)
#define MATH2(f, body32, ...) LOOP2_##body32(f)
#include "ops/elementwise/math/functions.def"
