/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_cub.h - sorting, running results, selecting, searching, counting and random orders, by
 * libheddle_cub (cub/), which is opened at the first of them.
 * Owns       the table of its functions
 * Threads    by the thread that drains the device's queue, without the library's lock;
 *            hdi_cuda_cub_about() any
 * Start at   hdi_cuda_cub() */
#ifndef HDI_CUDA_CUB_H
#define HDI_CUDA_CUB_H

#include "backend/cuda/cub/cub_api.h"
#include "backend/cuda/cuda_device.h"

typedef struct hdi_cub_table {
    int runtime;             /* the CUDA it was made with, as hdi_cub_runtime() says it */
    int (*can_accumulate)(int op, int dt, int cdt);
#define CUB(name, doc) hdi_cub_function *name;
#include "backend/cuda/cub/cub_api.def"
} hdi_cub_table;

/* hdi_cuda_cub_open - NULL without the library, or where the driver is older than it;
 * hdi_cuda_cub_about - one line on that: what it is, or why there is none. */
const hdi_cub_table *hdi_cuda_cub_open(void);
const char *hdi_cuda_cub_about(void);

/* hdi_cuda_cub_has - is this a call for hdi_cuda_cub()? Of running results, those that are worth
 * it, if the library is there.
 * hdi_cuda_cub - HD_UNSUPPORTED, saying why, without the library. */
bool hdi_cuda_cub_has(const hdi_cuda *d, const hdi_xcall *x);
hd_status hdi_cuda_cub(hdi_cuda *d, const hdi_xcall *x);

/* hdi_cuda_cub_run - one of the table's functions, with scratch from the device's memory; doing
 * what, for an error. */
hd_status hdi_cuda_cub_run(hdi_cuda *d, hdi_cub_function *f, const hdi_cub_call *c,
                           const char *doing);

#endif
