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

enum { HDI_CUB_VERSION = 5 };        /* of this header */

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

/* hdi_cub_words_bytes - of what words makes of n flags, wherever these lie: a head; for each tile
 * a bit for each flag, and how many are true before each span of 1024; for each of so many tiles
 * that they are counted HDI_CUB_TILES_EACH at once, how many are true before it, and in it. */
enum {
    HDI_CUB_WORDS_HEAD = 256, HDI_CUB_FLAGS_AT = 16,   /* flags are read from multiples of it on */
    HDI_CUB_TILE = 1 << 15, HDI_CUB_TILE_BYTES = HDI_CUB_TILE / 8 + 4 * HDI_CUB_TILE / 1024,
    HDI_CUB_TILES_EACH = 16, HDI_CUB_COUNT_BYTES = 8 + 4
};
static inline int64_t hdi_cub_words_tiles(int64_t n)
{
    return (n + (HDI_CUB_FLAGS_AT - 1) + HDI_CUB_TILE - 1) / HDI_CUB_TILE;
}
static inline int64_t hdi_cub_words_counts(int64_t n)
{
    const int64_t each = HDI_CUB_TILES_EACH;
    return (hdi_cub_words_tiles(n) + each - 1) / each * each;
}
static inline int64_t hdi_cub_words_bytes(int64_t n)
{
    return HDI_CUB_WORDS_HEAD + hdi_cub_words_tiles(n) * HDI_CUB_TILE_BYTES +
           hdi_cub_words_counts(n) * HDI_CUB_COUNT_BYTES;
}

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
