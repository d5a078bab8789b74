/* SPDX-License-Identifier: BSD-3-Clause */
/* home.h - calls of libraries that a GPU has others for (decompositions, transforms): on few bytes
 * the host's library is called, wherever the elements are, so that the bits do not depend on that.
 * Opening NVIDIA's library, its plan and its launch cost more than the way there and back.
 * (Products are not among them: cuBLAS takes 10 us for small ones, waiting for operands 16 each.)
 * Threads    under the library's lock, which is away while elements move
 * Start at   hdi_home_begin(), hdi_home_end()
 * See        docs/design/window.md, "Mirrors" */
#ifndef HDI_HOME_H
#define HDI_HOME_H

#include "core/array.h"

enum { HDI_HOME_OPERANDS = 3 };

typedef struct hdi_home {
    hd_device *dev;                        /* NULL: the call stays on the arrays' device */
    hd_array *moved[HDI_HOME_OPERANDS];
} hdi_home;

/* hdi_home_begin - if each of x[0 .. n), arrays of one device, is small enough, they are arrays of
 * the host from here on; NULL among them stay. What they were must be held until
 * hdi_home_end(), which also follows a failure.
 * hdi_home_end - r (taken; NULL after an error) as an array of the device that the operands are
 * from. */
hd_status hdi_home_begin(hdi_home *h, int n, const hd_array **x);
hd_array *hdi_home_end(hdi_home *h, hd_array *r);

#endif
