/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_half.h - the loops of the half types: what loops_half.c defines and the table lists. They
 * have no arithmetic: casts, running results (which round at every step), and the rows that ask
 * for the neighbours of a number. */
#ifndef HDI_LOOPS_HALF_H
#define HDI_LOOPS_HALF_H

#include "backend/cpu/loops/loops_symbols.h"

/* X(HALF, OTHER): the half types, each with the other one. */
#define HDI_EACH_HALF(X) X(FLOAT16, BFLOAT16) X(BFLOAT16, FLOAT16)

#define HDI_HALF_CAST_PROTOS(K, D, HALF)                                   \
    void HDI_SYM3(cast, HALF, D)(void *out, const void *in, int64_t n);    \
    void HDI_SYM3(cast, D, HALF)(void *out, const void *in, int64_t n);
#define HDI_HALF_SCAN_PROTO(name, types, HALF) \
    HDI_WHEN(F, types, void HDI_SYM3(scan, name, HALF)(void *out, const void *x, int64_t n,   \
                                                       void *carry);)
#define HDI_HALF_PROTOS(HALF, OTHER)                                       \
    HDI_EACH_DTYPE(HDI_HALF_CAST_PROTOS, HALF)                             \
    void HDI_SYM3(cast, HALF, OTHER)(void *out, const void *in, int64_t n); \
    HDI_EW_PROTO(spacing, HALF, vv)                                        \
    HDI_EW_PROTO(nextafter, HALF, vv)                                      \
    HDI_EW_PROTO(nextafter, HALF, vs)                                      \
    HDI_EW_PROTO(nextafter, HALF, sv)
HDI_EACH_HALF(HDI_HALF_PROTOS)
#define SCAN(name, of, types, combine, doc)   \
    HDI_HALF_SCAN_PROTO(name, types, FLOAT16) \
    HDI_HALF_SCAN_PROTO(name, types, BFLOAT16)
#include "ops/scan/scan.def"

#endif
