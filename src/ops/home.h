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
 * hdi_home_drop() or hdi_home_end(), which also follows a failure.
 * hdi_home_drop - lets go of the operands. hdi_home_return - r (taken) as an array of the device
 * that they are from; NULL on failure. hdi_home_end - both; r is NULL after an error. */
hd_status hdi_home_begin(hdi_home *h, int n, const hd_array **x);
void hdi_home_drop(hdi_home *h);
hd_array *hdi_home_return(const hdi_home *h, hd_array *r);
hd_array *hdi_home_end(hdi_home *h, hd_array *r);

#endif
