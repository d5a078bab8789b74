/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_scan.h - the loops of every row of scan.def that has the element type at hand: along a
 * line, and at places that may repeat.
 * Wants      KIND, DTYPE, T, its vocabulary and loops_drive.h
 * Invariant  one element after the other: NumPy's bits
 *
 * Four to a round: an addition takes one cycle, a round of one element two where its few bytes
 * happen to lie in two lines of the cache. */
#define EMIT_SCAN(name, combine)                                                           \
    HDI_INLINE T scan_##name(T a, T x) { return combine; }                                 \
    void HDI_SYM3(scan, name, DTYPE)(void *out, const void *x, int64_t n, void *carry)     \
    {                                                                                      \
        operand *o = out;                                                                  \
        const operand *e = x;                                                              \
        T a = *(const operand *)carry;                                                     \
        int64_t i = 0;                                                                     \
        for (; i + 4 <= n; i += 4) {                                                       \
            o[i] = a = scan_##name(a, e[i]);                                               \
            o[i + 1] = a = scan_##name(a, e[i + 1]);                                       \
            o[i + 2] = a = scan_##name(a, e[i + 2]);                                       \
            o[i + 3] = a = scan_##name(a, e[i + 3]);                                       \
        }                                                                                  \
        for (; i < n; i++)                                                                 \
            o[i] = a = scan_##name(a, e[i]);                                               \
        *(operand *)carry = a;                                                             \
    }                                                                                      \
    void HDI_SYM3(at, name, DTYPE)(void *out, const int64_t *offset, const void *value,    \
                                   int64_t stride, int64_t n)                              \
    {                                                                                      \
        const uint8_t *x = value;                                                          \
        for (int64_t i = 0; i < n; i++, x += stride) {                                     \
            operand *to = (operand *)((uint8_t *)out + offset[i]);                         \
            *to = scan_##name(*to, *(const operand *)x);                                   \
        }                                                                                  \
    }
#define SCAN(name, of, types, combine, doc) HDI_WHEN(KIND, types, EMIT_SCAN(name, combine))
#include "ops/scan/scan.def"
