/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_api.h - what libheddle and libheddle_cub say to each other: sorting, scanning, selecting and
 * counting on a CUDA device by NVIDIA's CUB and kernels of our own, compiled by nvcc.
 * Owns       hdi_cub_call, the one form of a call; cub_api.def has the functions
 * Invariant  all arrays but `out` of write are dense, in C order, and do not overlap; everything is
 *            enqueued on the stream given, in order; nothing is allocated or waited for; results
 *            have the same bits each time and on each GPU
 * Threads    any, with the context of the stream current
 * Start at   cub_api.def */
#ifndef HDI_CUB_API_H
#define HDI_CUB_API_H

#include <stddef.h>
#include <stdint.h>

#include <heddle/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HDI_CUB_VERSION = 4 };        /* of this header */

enum { HDI_CUB_FACTOR_BYTES = 96 << 10 };   /* of a matrix that geqrf and orgqr take, at most */

/* Operations that have running results here. */
typedef enum hdi_cub_op {
    HDI_CUB_ADD, HDI_CUB_MULTIPLY, HDI_CUB_MAXIMUM, HDI_CUB_MINIMUM, HDI_CUB_FMAX, HDI_CUB_FMIN,
    HDI_CUB_AND, HDI_CUB_OR, HDI_CUB_XOR, HDI_CUB_NO_OP
} hdi_cub_op;

typedef struct hdi_cub_call {
    const void *in, *in2;
    void *out;
    int64_t lines, n, m;
    int dt, cdt, out_dt;             /* hd_dtype */
    int op;                          /* hdi_cub_op */
    int width;                       /* bytes */
    int positions, down, right;      /* yes or no */
    /* Places: byte offsets from low to high, multiples of width; with an extent, indices of an
     * axis of that extent and step instead, negative ones counted from its end. */
    int64_t low, high, extent, step;
    void *out2, *out3;
    int64_t k;
    int *info;
} hdi_cub_call;

/* scratch NULL: *bytes is how much of it the call needs, and nothing is enqueued. The answer is
 * CUDA's: 0, or its error. */
typedef int hdi_cub_function(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream);
#define CUB(name, doc) hdi_cub_function hdi_cub_##name;
#include "backend/cuda/cub/cub_api.def"

/* hdi_cub_version - HDI_CUB_VERSION; hdi_cub_runtime - the CUDA that it was made with, 13000 for
 * 13.0: no driver before the same major number will do. */
int hdi_cub_version(void);
int hdi_cub_runtime(void);

/* hdi_cub_can_accumulate - is op there for the loop cdt, elements of dt read? */
int hdi_cub_can_accumulate(int op, int dt, int cdt);

#ifdef __cplusplus
}
#endif
#endif
