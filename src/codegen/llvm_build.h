/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_build.h - instructions over all lanes at once, for the words of llvm_words_*.c: the type of
 * the operands says which instruction it is.
 * Owns       hdi_loop, hdi_branch: open while the code inside is emitted
 * Invariant  nothing here depends on a target or on the number of lanes, which is that of the
 *            operands' types: 1 to 64 (in memory twice that), or none at all (hdi_emit.lanes 0):
 *            then lanes are plain scalars, which is what a thread of a GPU has. Real comparisons
 *            are ordered (false of nan), but for b_ne()
 * Threads    as hdi_emit
 * Start at   b_add(), hdi_loop_open(), hdi_function() */
#ifndef HDI_LLVM_BUILD_H
#define HDI_LLVM_BUILD_H

#include "codegen/llvm_emit.h"

typedef LLVMValueRef value;

/* ---- types and constants --------------------------------------------------------------------- */

/* hdi_lanes - n lanes of an element type, or the element itself (n = 0). */
static inline LLVMTypeRef hdi_lanes(LLVMTypeRef element, int n)
{
    return n == 0 ? element : LLVMVectorType(element, (unsigned)n);
}

static inline LLVMTypeRef b_element(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static inline int b_count(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(type) : 0;
}

/* Integers of so many bits, or float64 and float32, in as many lanes as x has. */
static inline LLVMTypeRef b_ints_as(const hdi_emit *e, value x, int bits)
{
    return hdi_lanes(LLVMIntTypeInContext(e->context, (unsigned)bits), b_count(LLVMTypeOf(x)));
}

static inline LLVMTypeRef b_reals_as(const hdi_emit *e, value x, bool is_double)
{
    return hdi_lanes(is_double ? LLVMDoubleTypeInContext(e->context)
                               : LLVMFloatTypeInContext(e->context), b_count(LLVMTypeOf(x)));
}

static inline bool b_is_real(LLVMTypeRef type)
{
    return LLVMGetTypeKind(b_element(type)) != LLVMIntegerTypeKind;
}

/* hdi_bits - of an element. */
int hdi_bits(LLVMTypeRef type);
/* hdi_splat - every lane the same constant. b_whole, b_real: of a number; the type of x. */
value hdi_splat(LLVMTypeRef type, value element);
value hdi_whole(LLVMTypeRef type, int64_t n);
value hdi_real(LLVMTypeRef type, double r);

static inline value b_whole(value x, int64_t n)
{
    return hdi_whole(LLVMTypeOf(x), n);
}

static inline value b_real(value x, double r)
{
    return hdi_real(LLVMTypeOf(x), r);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static inline value b_add(hdi_emit *e, value x, value y)
{
    return b_is_real(LLVMTypeOf(x)) ? LLVMBuildFAdd(e->build, x, y, "")
                                    : LLVMBuildAdd(e->build, x, y, "");
}

static inline value b_sub(hdi_emit *e, value x, value y)
{
    return b_is_real(LLVMTypeOf(x)) ? LLVMBuildFSub(e->build, x, y, "")
                                    : LLVMBuildSub(e->build, x, y, "");
}

static inline value b_mul(hdi_emit *e, value x, value y)
{
    return b_is_real(LLVMTypeOf(x)) ? LLVMBuildFMul(e->build, x, y, "")
                                    : LLVMBuildMul(e->build, x, y, "");
}

static inline value b_neg(hdi_emit *e, value x)
{
    return b_is_real(LLVMTypeOf(x)) ? LLVMBuildFNeg(e->build, x, "")
                                    : LLVMBuildNeg(e->build, x, "");
}

/* of reals */
static inline value b_div(hdi_emit *e, value x, value y)
{
    return LLVMBuildFDiv(e->build, x, y, "");
}

/* x with a number: x * r, x + r, r - x. */
static inline value b_times(hdi_emit *e, value x, double r)
{
    return b_mul(e, x, b_real(x, r));
}

static inline value b_plus(hdi_emit *e, value x, double r)
{
    return b_add(e, x, b_real(x, r));
}

static inline value b_from(hdi_emit *e, double r, value x)
{
    return b_sub(e, b_real(x, r), x);
}

static inline value b_and(hdi_emit *e, value x, value y)
{
    return LLVMBuildAnd(e->build, x, y, "");
}

static inline value b_or(hdi_emit *e, value x, value y)
{
    return LLVMBuildOr(e->build, x, y, "");
}

static inline value b_xor(hdi_emit *e, value x, value y)
{
    return LLVMBuildXor(e->build, x, y, "");
}

static inline value b_not(hdi_emit *e, value x)
{
    return LLVMBuildNot(e->build, x, "");
}

/* by a number less than the width */
static inline value b_shl(hdi_emit *e, value x, int n)
{
    return LLVMBuildShl(e->build, x, b_whole(x, n), "");
}

static inline value b_lshr(hdi_emit *e, value x, int n)
{
    return LLVMBuildLShr(e->build, x, b_whole(x, n), "");
}

static inline value b_ashr(hdi_emit *e, value x, int n)
{
    return LLVMBuildAShr(e->build, x, b_whole(x, n), "");
}

/* ---- comparisons: of integers as signed numbers, but for b_below() --------------------------- */

static inline value b_compare(hdi_emit *e, LLVMRealPredicate real, LLVMIntPredicate whole, value x,
                              value y)
{
    return b_is_real(LLVMTypeOf(x)) ? LLVMBuildFCmp(e->build, real, x, y, "")
                                    : LLVMBuildICmp(e->build, whole, x, y, "");
}

static inline value b_lt(hdi_emit *e, value x, value y)
{
    return b_compare(e, LLVMRealOLT, LLVMIntSLT, x, y);
}

static inline value b_le(hdi_emit *e, value x, value y)
{
    return b_compare(e, LLVMRealOLE, LLVMIntSLE, x, y);
}

static inline value b_gt(hdi_emit *e, value x, value y)
{
    return b_compare(e, LLVMRealOGT, LLVMIntSGT, x, y);
}

static inline value b_ge(hdi_emit *e, value x, value y)
{
    return b_compare(e, LLVMRealOGE, LLVMIntSGE, x, y);
}

static inline value b_eq(hdi_emit *e, value x, value y)
{
    return b_compare(e, LLVMRealOEQ, LLVMIntEQ, x, y);
}

static inline value b_ne(hdi_emit *e, value x, value y)
{
    return b_compare(e, LLVMRealUNE, LLVMIntNE, x, y);
}

/* of integers as unsigned numbers */
static inline value b_below(hdi_emit *e, value x, value y)
{
    return LLVMBuildICmp(e->build, LLVMIntULT, x, y, "");
}

static inline value b_pick(hdi_emit *e, value c, value x, value y)
{
    return LLVMBuildSelect(e->build, c, x, y, "");
}

/* ---- conversions ----------------------------------------------------------------------------- */

static inline value b_as(hdi_emit *e, value x, LLVMTypeRef type)
{
    return LLVMBuildBitCast(e->build, x, type, "");
}

/* Integers to integers of any width. */
static inline value b_resize(hdi_emit *e, value x, LLVMTypeRef type, bool is_signed)
{
    return LLVMBuildIntCast2(e->build, x, type, is_signed, "");
}

static inline value b_to_real(hdi_emit *e, value x, LLVMTypeRef type, bool is_signed)
{
    return is_signed ? LLVMBuildSIToFP(e->build, x, type, "")
                     : LLVMBuildUIToFP(e->build, x, type, "");
}

/* What the integer type does not hold has no value at all: guard it. */
static inline value b_to_int(hdi_emit *e, value x, LLVMTypeRef type, bool is_signed)
{
    return is_signed ? LLVMBuildFPToSI(e->build, x, type, "")
                     : LLVMBuildFPToUI(e->build, x, type, "");
}

/* The bits of a real, and a real of those bits. */
static inline value b_bits_of(hdi_emit *e, value x)
{
    return b_as(e, x, b_ints_as(e, x, hdi_bits(LLVMTypeOf(x))));
}

static inline value b_real_of_bits(hdi_emit *e, value x)
{
    return b_as(e, x, b_reals_as(e, x, hdi_bits(LLVMTypeOf(x)) == 64));
}

static inline value b_call1(hdi_emit *e, const char *intrinsic, value x)
{
    return hdi_emit_intrinsic(e, intrinsic, LLVMTypeOf(x), 1, &x);
}

static inline value b_call2(hdi_emit *e, const char *intrinsic, value x, value y)
{
    return hdi_emit_intrinsic(e, intrinsic, LLVMTypeOf(x), 2, (value[]){x, y});
}

/* x * y + z of reals, rounded once. */
static inline value b_fma(hdi_emit *e, value x, value y, value z)
{
    return hdi_emit_intrinsic(e, "llvm.fma", LLVMTypeOf(x), 3, (value[]){x, y, z});
}

static inline value b_abs(hdi_emit *e, value x)
{
    return b_call1(e, "llvm.fabs", x);
}

static inline value b_sqrt(hdi_emit *e, value x)
{
    return b_call1(e, "llvm.sqrt", x);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* hdi_shuffle_by - lanes at[0 .. n) of x and then y (or NULL). hdi_shuffle - lanes first,
 * first + step, ... of x, n of them. hdi_interleave - x0 y0 x1 y1 ... */
value hdi_shuffle_by(hdi_emit *e, value x, value y, const int *at, int n);
value hdi_shuffle(hdi_emit *e, value x, int first, int step, int n);
value hdi_interleave(hdi_emit *e, value x, value y);
/* hdi_join - the lanes of x, then those of y, as many. hdi_join_all - of n vectors, a power of 2;
 * part[] is lost. */
value hdi_join(hdi_emit *e, value x, value y);
value hdi_join_all(hdi_emit *e, value *part, int n);
/* hdi_fill - every lane of the type the scalar x. */
value hdi_fill(hdi_emit *e, LLVMTypeRef type, value x);
/* hdi_count_up - 0, 1, 2, ... */
value hdi_count_up(LLVMTypeRef type);
/* hdi_any - is a lane of a mask set? */
value hdi_any(hdi_emit *e, value mask);

/* ---- flow ------------------------------------------------------------------------------------ */

enum { HDI_LOOP_STATE = 8 };

/* A loop that runs while any lane is active. */
typedef struct hdi_loop {
    LLVMBasicBlockRef head, after;
    value active;                      /* lanes at work in the turn at hand */
    int n;
    value phi[HDI_LOOP_STATE];
} hdi_loop;

/* hdi_loop_open - code from here on is a turn, in which state[0 .. n) are what the turn before
 * left. hdi_loop_close - state is what this turn made: active lanes take it, and stay active where
 * `on` is set. Behind it state[] is each lane's last. */
void hdi_loop_open(hdi_emit *e, hdi_loop *l, value active, int n, value *state);
void hdi_loop_close(hdi_emit *e, hdi_loop *l, value on, value *state);

/* A loop of a fixed number of turns: hdi_turns_close() gives state[] to the next, or leaves it. */
typedef struct hdi_turns {
    LLVMBasicBlockRef turn;
    value at;
    int n;
    value phi[HDI_LOOP_STATE];
} hdi_turns;
void hdi_turns_open(hdi_emit *e, hdi_turns *t, int n, value *state);
void hdi_turns_close(hdi_emit *e, hdi_turns *t, int turns, value *state);

/* Code that runs if any lane of a mask is set. */
typedef struct hdi_branch { LLVMBasicBlockRef before, after; value mask; } hdi_branch;

/* hdi_branch_close - where the code did not run, and in lanes without their bit in the mask,
 * state[k] becomes otherwise[k]. */
void hdi_branch_open(hdi_emit *e, hdi_branch *b, value mask);
void hdi_branch_close(hdi_emit *e, hdi_branch *b, int n, value const *otherwise, value *state);

/* A loop by a count, which is the same for all lanes. */
enum { HDI_COUNT_STATE = 64 };
typedef struct hdi_count {
    LLVMBasicBlockRef before, inside, after;
    value index, to;
    int64_t step;
    int n;
    value first[HDI_COUNT_STATE], phi[HDI_COUNT_STATE];
} hdi_count;

/* hdi_count_open - code from here on is a turn with index `from`, from + step, ... below `to`;
 * state as in hdi_loop_open(). */
void hdi_count_open(hdi_emit *e, hdi_count *t, value from, value to, int64_t step, int n,
                    value *state);
void hdi_count_close(hdi_emit *e, hdi_count *t, value *state);

/* One of two ways for all lanes, by a scalar. hdi_ways_turn - from here on it is the second;
 * results: of the first. hdi_ways_close - joins results of both. */
typedef struct hdi_ways { LLVMBasicBlockRef second, after, first_end; value result; } hdi_ways;
void hdi_ways_open(hdi_emit *e, hdi_ways *w, value c);
void hdi_ways_turn(hdi_emit *e, hdi_ways *w, value result);
value hdi_ways_close(hdi_emit *e, hdi_ways *w, value result);

/* hdi_function - a call of the module's own function `name` over x[0 .. n), n <= 4; the first call
 * makes it, from what `body` emits. */
typedef value (*hdi_body)(hdi_emit *e, value const *x);
value hdi_function(hdi_emit *e, const char *name, hdi_body body, LLVMTypeRef result, int n,
                   value const *x);
/* hdi_function_by_parts - the same, made for at most `lanes` lanes (0: for all there are): longer
 * vectors go through it part by part, so that it is short, and a loop in it waits for few lanes.
 * Scalars go to each part. The result has `each` elements for a lane of x[0]. */
value hdi_function_by_parts(hdi_emit *e, const char *name, hdi_body body, LLVMTypeRef element,
                            int each, int lanes, int n, value const *x);

#endif
