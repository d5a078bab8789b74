/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_ew.h - a loop for every row of ew.def that has the element type at hand.
 * Wants      KIND (letter of the types column), DTYPE, T, its vocabulary and loops_drive.h
 *
 * A row becomes a scalar function of its value expression and the loops around it. Where one
 * vocabulary word is the whole value, a type may bring a loop of its own for it instead: with
 *     #define HOW_CALL1(f, x) ~, BLOCK, f
 * the row that is CALL1(exp, x) becomes a call of block1_exp(out, in, n), whose inner arithmetic
 * is on whole vectors. */

#define OUT_SAME T
#define OUT_BOOL uint8_t
#define OUT_REAL REAL_OF_T
#define OUT_COND T
#define OUT_INDEX T
#define OUT_WIDE T
#define OUT_EXPO T
#define OUT_PART T
#define OUT_UINT8 uint8_t
#define OUT_INT32 int32_t
#define OUT_DRAW T
#define X_SAME T
#define X_BOOL T
#define X_COND uint8_t
#define X_INDEX T
#define Y_SAME T
#define Y_BOOL T
#define Y_WIDE T
#define Y_EXPO int64_t
#define X_DRAW uint64_t
#define X_WIDE T
#define X_EXPO T
#define Y_DRAW T

#define EW_LOOP(name, variant) \
    void HDI_SYM(ew, name, DTYPE, variant)(void *out, const void *const *in, int64_t n)

#define EMIT1_SCALAR(name, rule, word, value)                                                      \
    HDI_INLINE OUT_##rule row_##name(T x) { return value; }                                        \
    EW_LOOP(name, vv) { drive1_##rule(out, in, n, row_##name); }
#define EMIT1_BLOCK(name, rule, word, value)                                                       \
    EW_LOOP(name, vv) { block1_##word(out, in, n); }

#define EMIT2_SCALAR(name, rule, word, value)                                                      \
    HDI_INLINE OUT_##rule row_##name(X_##rule x, Y_##rule y) { return value; }                     \
    EW_LOOP(name, vv) { drive2_##rule(out, in, n, HDI_VV, row_##name); }                           \
    EW_LOOP(name, vs) { drive2_##rule(out, in, n, HDI_VS, row_##name); }                           \
    EW_LOOP(name, sv) { drive2_##rule(out, in, n, HDI_SV, row_##name); }
#define EMIT2_BLOCK(name, rule, word, value)                                                       \
    EW_LOOP(name, vv) { block2_##word(out, in, n, HDI_VV); }                                       \
    EW_LOOP(name, vs) { block2_##word(out, in, n, HDI_VS); }                                       \
    EW_LOOP(name, sv) { block2_##word(out, in, n, HDI_SV); }

#define EMIT3_SCALAR(name, rule, word, value)                                                      \
    HDI_INLINE OUT_##rule row_##name(X_##rule x, T y, T z) { return value; }                       \
    EW_LOOP(name, vv) { drive3_##rule(out, in, n, row_##name); }

#define EMIT(arity, how, name, rule, word, value) EMIT_(arity, how, name, rule, word, value)
#define EMIT_(arity, how, name, rule, word, value) EMIT##arity##_##how(name, rule, word, value)
#define ROW(arity, name, rule, how, value) \
    EMIT(arity, HDI_SECOND(how, SCALAR), name, rule, HDI_THIRD(how, SCALAR, none), value)

#define EW1(name, types, rule, value, ...) \
    HDI_WHEN(KIND, types, HDI_UNLESS_KEEP(rule, ROW(1, name, rule, HOW_##value, value)))
#define EW2(name, types, rule, value, ...) \
    HDI_WHEN(KIND, types, ROW(2, name, rule, HOW_##value, value))
#define EW3(name, types, rule, value, ...) \
    HDI_WHEN(KIND, types, ROW(3, name, rule, HOW_##value, value))
#include "ops/elementwise/ew.def"
