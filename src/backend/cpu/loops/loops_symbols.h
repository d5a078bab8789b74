/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_symbols.h - names of the inner loops: what the files that define them and the table that
 * lists them agree on.
 * Invariant  a loop exists for exactly the element types that its row's `types` column names
 * Start at   HDI_SYM, HDI_EACH_DTYPE, HDI_WHEN
 *
 * Every file here is compiled once per instruction set with HDI_ISA=v2, v3 or v4; the name ends
 * in it:
 *     hdi_ew_add_FLOAT64_vs_v4      hdi_cast_INT8_FLOAT32_v2      hdi_red_sum_INT64_chunk_v3 */
#ifndef HDI_LOOPS_SYMBOLS_H
#define HDI_LOOPS_SYMBOLS_H

#include "backend/cpu/loops/loops.h"

#define HDI_CAT(a, b) HDI_CAT_(a, b)
#define HDI_CAT_(a, b) a##b
#define HDI_SYM(family, name, dt, variant) HDI_SYM_(family, name, dt, variant, HDI_ISA)
#define HDI_SYM_(family, name, dt, variant, isa) HDI_SYM__(family, name, dt, variant, isa)
#define HDI_SYM__(family, name, dt, variant, isa) hdi_##family##_##name##_##dt##_##variant##_##isa
#define HDI_SYM3(family, name, dt) HDI_SYM3_(family, name, dt, HDI_ISA)
#define HDI_SYM3_(family, name, dt, isa) HDI_SYM3__(family, name, dt, isa)
#define HDI_SYM3__(family, name, dt, isa) hdi_##family##_##name##_##dt##_##isa

/* ---- what the compilers are told ------------------------------------------------------------- */

#define HDI_INLINE static inline __attribute__((always_inline, unused))

#if defined(__clang__)
#define HDI_NO_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#define HDI_UNROLLED _Pragma("clang loop unroll(full)")
#define HDI_NOT_UNROLLED _Pragma("clang loop unroll(disable)")
#pragma clang diagnostic ignored "-Wpass-failed"   /* rows that call the C library stay scalar */
#else
#define HDI_NO_DEPENDENCE _Pragma("GCC ivdep")
#define HDI_UNROLLED _Pragma("GCC unroll 32")
#define HDI_NOT_UNROLLED _Pragma("GCC unroll 1")
#endif

/* ---- which loops exist ----------------------------------------------------------------------- */

/* Every dtype that has loops, with the letter of the `types` column that it answers to. */
#define HDI_EACH_DTYPE(X, ...)                                                                     \
    X(B, BOOL, __VA_ARGS__)                                                                        \
    X(I, INT8, __VA_ARGS__) X(I, INT16, __VA_ARGS__) X(I, INT32, __VA_ARGS__)                      \
    X(I, INT64, __VA_ARGS__) X(I, UINT8, __VA_ARGS__) X(I, UINT16, __VA_ARGS__)                    \
    X(I, UINT32, __VA_ARGS__) X(I, UINT64, __VA_ARGS__)                                            \
    X(F, FLOAT32, __VA_ARGS__) X(F, FLOAT64, __VA_ARGS__)                                          \
    X(C, COMPLEX64, __VA_ARGS__) X(C, COMPLEX128, __VA_ARGS__)

/* HDI_WHEN(K, types, text) is text if the types column has the letter K, else nothing. */
#define HDI_WHEN(K, types, ...) HDI_CAT(HDI_WHEN_, HDI_HAS(K, HDI_TYPES_##types))(__VA_ARGS__)
/* HDI_WHEN_OF: the same where the column is what a macro gives. */
#define HDI_WHEN_OF(K, types, ...) HDI_WHEN(K, types, __VA_ARGS__)
#define HDI_HAS(K, ...) HDI_HAS_##K(__VA_ARGS__)
#define HDI_HAS_B(b, i, f, c) b
#define HDI_HAS_I(b, i, f, c) i
#define HDI_HAS_F(b, i, f, c) f
#define HDI_HAS_C(b, i, f, c) c
#define HDI_WHEN_0(...)
#define HDI_WHEN_1(...) __VA_ARGS__
#define HDI_TYPES_BIFC 1, 1, 1, 1
#define HDI_TYPES_BIF  1, 1, 1, 0
#define HDI_TYPES_BI   1, 1, 0, 0
#define HDI_TYPES_IFC  0, 1, 1, 1
#define HDI_TYPES_IFC_ 0, 1, 1, 1
#define HDI_TYPES_IF   0, 1, 1, 0
#define HDI_TYPES_I    0, 1, 0, 0
#define HDI_TYPES_I_   0, 1, 0, 0
#define HDI_TYPES_FC   0, 0, 1, 1
#define HDI_TYPES_F    0, 0, 1, 0
#define HDI_TYPES_NO   0, 0, 0, 0

/* HDI_SECOND(PROBE, x) is x, unless PROBE is a macro that brings its own second item: "~, y"
 * gives y. */
#define HDI_SECOND(...) HDI_SECOND_(__VA_ARGS__, ~)
#define HDI_SECOND_(a, b, ...) b
#define HDI_THIRD(...) HDI_THIRD_(__VA_ARGS__, ~)
#define HDI_THIRD_(a, b, c, ...) c

/* HDI_UNLESS_KEEP(rule, text): text; but a KEEP row (copy) is a cast and has no loop of its own. */
#define HDI_UNLESS_KEEP(rule, ...) \
    HDI_CAT(HDI_WHEN_, HDI_SECOND(HDI_KEEP_##rule, 1))(__VA_ARGS__)
#define HDI_KEEP_KEEP ~, 0

/* ---- prototypes ------------------------------------------------------------------------------ */

#define HDI_EW_PROTO(name, dt, variant) \
    void HDI_SYM(ew, name, dt, variant)(void *out, const void *const *in, int64_t n);
#define HDI_EW_PROTO1(K, D, name, types, rule) \
    HDI_WHEN(K, types, HDI_UNLESS_KEEP(rule, HDI_EW_PROTO(name, D, vv)))
#define HDI_EW_PROTO2(K, D, name, types, rule) \
    HDI_WHEN(K, types,                         \
             HDI_EW_PROTO(name, D, vv) HDI_EW_PROTO(name, D, vs) HDI_EW_PROTO(name, D, sv))
#define EW1(name, types, rule, ...) HDI_EACH_DTYPE(HDI_EW_PROTO1, name, types, rule)
#define EW2(name, types, rule, ...) HDI_EACH_DTYPE(HDI_EW_PROTO2, name, types, rule)
#define EW3(name, types, rule, ...) HDI_EACH_DTYPE(HDI_EW_PROTO1, name, types, rule)
#include "ops/elementwise/ew.def"

/* Our own functions: hdi_own_exp_FLOAT64_v3. Variants as those of binary loops. */
#define HDI_OWN(f, dt) HDI_SYM3(own, f, dt)
#define HDI_OWN_PROTO(f, dt) \
    void HDI_OWN(f, dt)(void *out, const void *const *in, int64_t n, int variant);
#define MATH1(f, ...) HDI_OWN_PROTO(f, FLOAT32) HDI_OWN_PROTO(f, FLOAT64)
#define MATH2 MATH1
#include "ops/elementwise/math/functions.def"
#define COMPLEX1(f) HDI_OWN_PROTO(f, COMPLEX64) HDI_OWN_PROTO(f, COMPLEX128)
#define COMPLEX2 COMPLEX1
#include "ops/elementwise/math/functions_complex.def"

#define HDI_RED_PROTO(name, dt, variant) \
    void HDI_SYM(red, name, dt, variant)(void *acc, const void *x, const void *y, int64_t n);
#define HDI_RED_PROTO1(name, D) \
    HDI_RED_PROTO(name, D, chunk) HDI_RED_PROTO(name, D, start) HDI_RED_PROTO(name, D, step)       \
    HDI_LONG_PROTO(name, D)
#define HDI_RED_PROTO2(name, D)                                             \
    HDI_RED_PROTO(name, D, chunk)                                           \
    HDI_RED_PROTO(name, D, merge) HDI_RED_PROTO(name, D, start_vv)          \
        HDI_RED_PROTO(name, D, start_vs) HDI_RED_PROTO(name, D, start_sv)   \
            HDI_RED_PROTO(name, D, step_vv) HDI_RED_PROTO(name, D, step_vs) \
                HDI_RED_PROTO(name, D, step_sv) HDI_LONG_PROTO(name, D)
#define HDI_ARG_PROTO(name, D)                                                                     \
    void HDI_SYM(red, name, D, chunk)(void *val, int64_t *pos, const void *x, int64_t n,           \
                                      int64_t base);                                               \
    void HDI_SYM(red, name, D, step)(void *val, int64_t *pos, const void *x, int64_t n,            \
                                     int64_t pos_of_x);                                            \
    void HDI_SYM(red, name, D, merge)(void *val, int64_t *pos, const void *val2,                   \
                                      const int64_t *pos2, int64_t n);                             \
    bool HDI_SYM(red, name, D, extend)(void *val, int64_t *pos, const void *x, int64_t n,          \
                                       int64_t base, bool first);
/* Long rows (loops_long.h). HDI_ANY_ORDER_<combine>: kinds whose bits do not depend on the order of
 * elements, which have `extend`; HDI_IN_ORDER_<combine>: the others, which have `run`. */
#define HDI_ANY_ORDER_ADD(a, x) BI
#define HDI_ANY_ORDER_MUL(a, x) BI
#define HDI_ANY_ORDER_FMA(x, y, a) BI
#define HDI_ANY_ORDER_MIN(a, x) BIFC
#define HDI_ANY_ORDER_MAX(a, x) BIFC
#define HDI_ANY_ORDER_FMIN(a, x) BIFC
#define HDI_ANY_ORDER_FMAX(a, x) BIFC
#define HDI_ANY_ORDER_OR(a, x) BIFC
#define HDI_ANY_ORDER_AND(a, x) BIFC
#define HDI_IN_ORDER_ADD(a, x) FC
#define HDI_IN_ORDER_MUL(a, x) FC
#define HDI_IN_ORDER_FMA(x, y, a) FC
#define HDI_IN_ORDER_MIN(a, x) NO
#define HDI_IN_ORDER_MAX(a, x) NO
#define HDI_IN_ORDER_FMIN(a, x) NO
#define HDI_IN_ORDER_FMAX(a, x) NO
#define HDI_IN_ORDER_OR(a, x) NO
#define HDI_IN_ORDER_AND(a, x) NO
#define HDI_LONG_PROTO(name, D)                                                                    \
    bool HDI_SYM(red, name, D, extend)(void *acc, const void *x, const void *y, int64_t n,         \
                                       bool first);                                                \
    void HDI_SYM(red, name, D, run)(void *acc, const void *x, const void *y);

/* Which loops a reduction row has: by its rule and its number of inputs. */
#define HDI_RED_PROTO_SUM_1 HDI_RED_PROTO1
#define HDI_RED_PROTO_SAME_1 HDI_RED_PROTO1
#define HDI_RED_PROTO_BOOL_1 HDI_RED_PROTO1
#define HDI_RED_PROTO_SAME_2 HDI_RED_PROTO2
#define HDI_RED_PROTO_ARG_1 HDI_ARG_PROTO
#define HDI_RED_PROTOS(K, D, name, types, how) HDI_WHEN(K, types, HDI_RED_PROTO_##how(name, D))
#define RED(name, nin, types, rule, ...) HDI_EACH_DTYPE(HDI_RED_PROTOS, name, types, rule##_##nin)
#include "ops/reduce/red.def"

/* Thin products: of integers and reals. */
#define HDI_THIN_NAME(D, part) HDI_SYM(red, sumproduct, D, thin_##part)
#define HDI_THIN_PROTO(K, D, ...)                                                                \
    HDI_WHEN(K, IF,                                                                              \
             void HDI_THIN_NAME(D, rows)(void *out, const void *x, const void *y, int64_t n,     \
                                         int width);                                             \
             void HDI_THIN_NAME(D, turned)(void *out, const void *x, int64_t column,             \
                                           const void *y, int64_t n, int width);                 \
             void HDI_THIN_NAME(D, columns)(void *acc, const void *x, const void *y, int width);)
HDI_EACH_DTYPE(HDI_THIN_PROTO, ~)

#define HDI_SCAN_PROTO(K, D, name, types) \
    HDI_WHEN(K, types,                                                                  \
             void HDI_SYM3(scan, name, D)(void *out, const void *x, int64_t n, void *carry); \
             void HDI_SYM3(at, name, D)(void *out, const int64_t *offset, const void *value, \
                                        int64_t stride, int64_t n);)
#define SCAN(name, of, types, combine, doc) HDI_EACH_DTYPE(HDI_SCAN_PROTO, name, types)
#include "ops/scan/scan.def"

/* HDI_DIFFER(a, b): 0 if a and b are the same dtype, else 1. */
#define HDI_DIFFER(a, b) HDI_DIFFER_(a, b)
#define HDI_DIFFER_(a, b) HDI_SECOND(HDI_SAME_##a##_##b, 1)
#define HDI_SAME_BOOL_BOOL ~, 0
#define HDI_SAME_INT8_INT8 ~, 0
#define HDI_SAME_INT16_INT16 ~, 0
#define HDI_SAME_INT32_INT32 ~, 0
#define HDI_SAME_INT64_INT64 ~, 0
#define HDI_SAME_UINT8_UINT8 ~, 0
#define HDI_SAME_UINT16_UINT16 ~, 0
#define HDI_SAME_UINT32_UINT32 ~, 0
#define HDI_SAME_UINT64_UINT64 ~, 0
#define HDI_SAME_FLOAT32_FLOAT32 ~, 0
#define HDI_SAME_FLOAT64_FLOAT64 ~, 0
#define HDI_SAME_COMPLEX64_COMPLEX64 ~, 0
#define HDI_SAME_COMPLEX128_COMPLEX128 ~, 0

#define HDI_CAST_PROTO(K, TO, FROM) \
    void HDI_SYM3(cast, FROM, TO)(void *out, const void *in, int64_t n);
#define DT(NAME, numpy_name, code, kind, bits, ctype, real, loops) \
    HDI_CAT(HDI_WHEN_, loops)(HDI_EACH_DTYPE(HDI_CAST_PROTO, NAME))
#include "core/dtype.def"

/* ---- superinstructions ----------------------------------------------------------------------- */

/* X(NAME, value): the patterns of loops.h in the vocabulary of ew.def. */
#define HDI_EACH_SUPER(X, ...)                                                                     \
    X(MUL_ADD, ADD(MUL(x, y), z), __VA_ARGS__) X(MUL_SUB, SUB(MUL(x, y), z), __VA_ARGS__)          \
    X(SUB_MUL, MUL(SUB(x, y), z), __VA_ARGS__) X(ADD_MUL, MUL(ADD(x, y), z), __VA_ARGS__)          \
    X(ADD_ADD, ADD(ADD(x, y), z), __VA_ARGS__) X(MUL_MUL, MUL(MUL(x, y), z), __VA_ARGS__)
#define HDI_EACH_MASK(X, ...)                                                                      \
    X(0, __VA_ARGS__) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__) X(4, __VA_ARGS__)      \
    X(5, __VA_ARGS__) X(6, __VA_ARGS__) X(7, __VA_ARGS__)
#define HDI_SUPER_PROTO_(mask, name, D) \
    void HDI_SYM(super, name, D, mask)(void *out, const void *const *in, int64_t n);
#define HDI_SUPER_PROTO(name, value, D) HDI_EACH_MASK(HDI_SUPER_PROTO_, name, D)
HDI_EACH_SUPER(HDI_SUPER_PROTO, FLOAT32)
HDI_EACH_SUPER(HDI_SUPER_PROTO, FLOAT64)

/* ---- Fourier transforms ---------------------------------------------------------------------- */

extern const hdi_fft_loops HDI_SYM3(fft, loops, FLOAT32), HDI_SYM3(fft, loops, FLOAT64);

/* ---- sums under a window --------------------------------------------------------------------- */

/* Dtype and the one whose loop does it: integers wrap, whatever their sign. */
#define HDI_EACH_CORRELATE(X)                                                                   \
    X(BOOL, BOOL) X(INT8, UINT8) X(INT16, UINT16) X(INT32, UINT32) X(INT64, UINT64)             \
    X(UINT8, UINT8) X(UINT16, UINT16) X(UINT32, UINT32) X(UINT64, UINT64)                       \
    X(FLOAT32, FLOAT32) X(FLOAT64, FLOAT64)
#define HDI_CORRELATE_PROTO(D, BY) \
    void HDI_SYM3(correlate, block, BY)(const hdi_correlate_block *b);
HDI_EACH_CORRELATE(HDI_CORRELATE_PROTO)

/* ---- order --------------------------------------------------------------------------------- */

extern const hdi_key_loops HDI_SYM3(key, loops, 0), HDI_SYM3(key, loops, 1),
    HDI_SYM3(key, loops, 2), HDI_SYM3(key, loops, 3);

/* Where there are vectors for it. */
#if defined(__AVX2__)
#define HDI_ORDER_LOOPS {&HDI_SYM3(order, loops, UINT32), &HDI_SYM3(order, loops, UINT64)}
extern const hdi_order_loops HDI_SYM3(order, loops, UINT32), HDI_SYM3(order, loops, UINT64);
#else
#define HDI_ORDER_LOOPS {NULL, NULL}
#endif

/* ---- copies ---------------------------------------------------------------------------------- */

#define HDI_EACH_SIZE(X) X(0, 1) X(1, 2) X(2, 4) X(3, 8) X(4, 16)   /* log2, bytes */
#define HDI_COPY_PROTO(log2, bytes)                                                                \
    void HDI_SYM3(copy, gather, bytes)(void *out, const void *in, int64_t stride, int64_t n);      \
    void HDI_SYM3(copy, scatter, bytes)(void *out, int64_t stride, const void *in, int64_t n);     \
    void HDI_SYM3(copy, fill, bytes)(void *out, const void *element, int64_t n);
HDI_EACH_SIZE(HDI_COPY_PROTO)

/* Places. */
#define HDI_INDEX_PROTO(bytes)                                                         \
    void HDI_SYM3(places, index, bytes)(int64_t *offset, const void *index, int64_t n, \
                                        int64_t extent, int64_t step);
HDI_INDEX_PROTO(4)
HDI_INDEX_PROTO(8)
int64_t HDI_SYM3(places, flags, count)(const uint8_t *flag, int64_t n);
int64_t HDI_SYM3(places, flags, find)(int64_t *at, int64_t room, const uint8_t *flag, int64_t n,
                                      int64_t first, int64_t step);

#endif
