/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_near.h - what libmvec's functions miss beside a special point, put right.
 * Threads    any; the same function twice at once gives the same
 * Start at   hdi_near_v2() */
#ifndef HDI_LOOPS_NEAR_H
#define HDI_LOOPS_NEAR_H

#include "backend/cpu/cpu_vecmath.h"

/* hdi_near_v2, _v3, _v4 - the function to call instead of libmvec's `code`, or `code` itself. */
hdi_veccode hdi_near_v2(hdi_vecfn f, bool is_double, hdi_veccode code);
hdi_veccode hdi_near_v3(hdi_vecfn f, bool is_double, hdi_veccode code);
hdi_veccode hdi_near_v4(hdi_vecfn f, bool is_double, hdi_veccode code);

#endif
