/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_math.h - our own mathematical functions as LLVM values: what the words of
 * ops/elementwise/math mean there.
 * Wants      MATH_BITS 32 or 64
 * Invariant  the operations that the text names and no others, on vectors of em->lanes elements;
 *            no contraction, no calls. loops_own.h gives the same bits
 * Start at   ops/elementwise/math/bodies.def for the words, llvm_math_*.c for who calls it */
#include <string.h>

#include "codegen/llvm_build.h"

typedef struct pair { value hi, lo; } pair;

#define OWN static inline __attribute__((unused))

/* ---- types and constants --------------------------------------------------------------------- */

OWN LLVMTypeRef w_real(const hdi_emit *em)
{
    return hdi_lanes(MATH_BITS == 64 ? LLVMDoubleTypeInContext(em->context)
                                     : LLVMFloatTypeInContext(em->context), em->lanes);
}

OWN LLVMTypeRef w_whole(const hdi_emit *em)
{
    return hdi_lanes(LLVMIntTypeInContext(em->context, MATH_BITS), em->lanes);
}

OWN value w_k(const hdi_emit *em, double c)
{
    return hdi_real(w_real(em), c);
}

OWN value w_ik(const hdi_emit *em, int64_t c)
{
    return hdi_whole(w_whole(em), c);
}

OWN value w_call(hdi_emit *em, const char *intrinsic, int n, value a, value b, value c)
{
    return hdi_emit_intrinsic(em, intrinsic, w_real(em), n, (value[]){a, b, c});
}

OWN value w_fma(hdi_emit *em, value a, value b, value c)
{
    return em->fused ? w_call(em, "llvm.fma", 3, a, b, c)
                    : LLVMBuildFAdd(em->build, LLVMBuildFMul(em->build, a, b, ""), c, "");
}

OWN value w_poly(hdi_emit *em, value x, const double *c, int n)
{
    value p = w_k(em, c[n - 1]);
    for (int i = n - 2; i >= 0; i--)
        p = w_fma(em, p, x, w_k(em, c[i]));
    return p;
}

/* ---- tables, wide products ------------------------------------------------------------------- */

OWN value w_lookup(hdi_emit *em, const char *name, const uint64_t *word, int n, value index)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(em->context), array = LLVMArrayType2(i64, (uint64_t)n);
    value table = LLVMGetNamedGlobal(em->module, name), lane[64];
    if (table == NULL) {
        for (int i = 0; i < n; i++)
            lane[i] = LLVMConstInt(i64, word[i], 0);
        table = LLVMAddGlobal(em->module, array, name);
        LLVMSetInitializer(table, LLVMConstArray2(i64, lane, (uint64_t)n));
        LLVMSetGlobalConstant(table, 1);
        LLVMSetLinkage(table, LLVMPrivateLinkage);
    }
    value r = LLVMGetUndef(w_whole(em));
    for (int i = 0; i < em->lanes; i++) {
        value at = LLVMConstInt(LLVMInt32TypeInContext(em->context), (unsigned)i, 0);
        value k = LLVMBuildExtractElement(em->build, index, at, "");
        value from = LLVMBuildGEP2(em->build, i64, table, &k, 1, "");
        r = LLVMBuildInsertElement(em->build, r, LLVMBuildLoad2(em->build, i64, from, ""), at, "");
    }
    return r;
}

OWN value w_high(hdi_emit *em, value a, value b)
{
    LLVMTypeRef wide = b_ints_as(em, a, 2 * MATH_BITS);
    value product = b_mul(em, b_resize(em, a, wide, false), b_resize(em, b, wide, false));
    return b_resize(em, b_lshr(em, product, MATH_BITS), LLVMTypeOf(a), false);
}

/* Where only some lanes need it: runs if any of the mask's does. */
#define RARELY(c, rare, common)                              \
    ({                                                       \
        value c_ = (c), common_ = (common);                  \
        hdi_branch aside_;                                   \
        hdi_branch_open(em, &aside_, c_);                    \
        value rare_ = (rare);                                \
        hdi_branch_close(em, &aside_, 1, &common_, &rare_);  \
        rare_;                                               \
    })

/* ---- words ----------------------------------------------------------------------------------- */

#define K(c) w_k(em, c)
#define IK(c) w_ik(em, c)
#define ADD(a, b) LLVMBuildFAdd(em->build, a, b, "")
#define SUB(a, b) LLVMBuildFSub(em->build, a, b, "")
#define MUL(a, b) LLVMBuildFMul(em->build, a, b, "")
#define DIV(a, b) LLVMBuildFDiv(em->build, a, b, "")
#define NEG(a) LLVMBuildFNeg(em->build, a, "")
#define FMA(a, b, c) w_fma(em, a, b, c)
#define IF_FUSED(a, b) (em->fused ? (a) : (b))
#define SQRT(a) w_call(em, "llvm.sqrt", 1, a, NULL, NULL)
#define RINT(a) w_call(em, "llvm.rint", 1, a, NULL, NULL)
#define FLOOR(a) w_call(em, "llvm.floor", 1, a, NULL, NULL)
#define TRUNC(a) w_call(em, "llvm.trunc", 1, a, NULL, NULL)
#define ABS(a) w_call(em, "llvm.fabs", 1, a, NULL, NULL)
#define COPYSIGN(a, s) w_call(em, "llvm.copysign", 2, a, s, NULL)
#define POLY(x, ...)                                                  \
    w_poly(em, x, (const double[]){__VA_ARGS__},                       \
           (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))
#define COMPARE(how, a, b) LLVMBuildFCmp(em->build, LLVMReal##how, a, b, "")
#define LT(a, b) COMPARE(OLT, a, b)
#define LE(a, b) COMPARE(OLE, a, b)
#define GT(a, b) COMPARE(OGT, a, b)
#define GE(a, b) COMPARE(OGE, a, b)
#define EQ(a, b) COMPARE(OEQ, a, b)
#define NE(a, b) COMPARE(UNE, a, b)
#define ILT(a, b) LLVMBuildICmp(em->build, LLVMIntSLT, a, b, "")
#define IEQ(a, b) LLVMBuildICmp(em->build, LLVMIntEQ, a, b, "")
#define AND(a, b) LLVMBuildAnd(em->build, a, b, "")
#define OR(a, b) LLVMBuildOr(em->build, a, b, "")
#define NOT(a) LLVMBuildNot(em->build, a, "")
#define SELECT(c, a, b) LLVMBuildSelect(em->build, c, a, b, "")
#define ISELECT SELECT
#define BITS(a) LLVMBuildBitCast(em->build, a, w_whole(em), "")
#define REAL(i) LLVMBuildBitCast(em->build, i, w_real(em), "")
#define IADD(a, b) LLVMBuildAdd(em->build, a, b, "")
#define ISUB(a, b) LLVMBuildSub(em->build, a, b, "")
#define IMUL(a, b) LLVMBuildMul(em->build, a, b, "")
#define IAND(a, b) LLVMBuildAnd(em->build, a, b, "")
#define IOR(a, b) LLVMBuildOr(em->build, a, b, "")
#define IXOR(a, b) LLVMBuildXor(em->build, a, b, "")
#define ISHL(a, n) LLVMBuildShl(em->build, a, IK(n), "")
#define ISHR(a, n) LLVMBuildLShr(em->build, a, IK(n), "")
#define ISHLV(a, n) LLVMBuildShl(em->build, a, n, "")
#define ISHRV(a, n) LLVMBuildLShr(em->build, a, n, "")
#define IHIGH(a, b) w_high(em, a, b)
#define TO_REAL(i) LLVMBuildSIToFP(em->build, i, w_real(em), "")
#define TABLE(name, n, ...) static const uint64_t table_##name[n] = {__VA_ARGS__};
#define LOOKUP(name, i) \
    w_lookup(em, #name, table_##name, (int)(sizeof table_##name / sizeof *table_##name), i)
#define HI(p) ((p).hi)
#define LO(p) ((p).lo)
#define LET(name, ...) const value name = __VA_ARGS__;
#define ILET LET
#define MLET LET
#define PLET(name, ...) const pair name = __VA_ARGS__;

#define NAME(f) own_##f
#define CALL(f, ...) NAME(f)(em, __VA_ARGS__)
#define FUNCTION1(f, a) OWN value NAME(f)(hdi_emit *em, value a) {
#define FUNCTION2(f, a, b) OWN value NAME(f)(hdi_emit *em, value a, value b) {
#define FUNCTION3(f, a, b, c) OWN value NAME(f)(hdi_emit *em, value a, value b, value c) {
/* On a GPU functions that are called, so that a kernel has their text once. */
#define RARE_NAME(f) MATH_BITS == 64 ? #f ".d" : #f ".s"
#define RARE(f, parameters, n, ...)                                                        \
    OWN value rare_##f parameters;                                                         \
    OWN value called_##f(hdi_emit *em, value const *x) { return rare_##f(em, __VA_ARGS__); } \
    OWN value rarely_##f(hdi_emit *em, value const *x)                                     \
    {                                                                                      \
        return hdi_emits_for_gpu(em)                                                       \
                   ? hdi_function(em, RARE_NAME(f), called_##f, w_real(em), n, x)          \
                   : called_##f(em, x);                                                    \
    }
#define RARE1(f, a)                                                                        \
    RARE(f, (hdi_emit *em, value a), 1, x[0])                                              \
    OWN value NAME(f)(hdi_emit *em, value a) { return rarely_##f(em, &a); }                \
    OWN value rare_##f(hdi_emit *em, value a) {
#define RARE3(f, a, b, c)                                                                  \
    RARE(f, (hdi_emit *em, value a, value b, value c), 3, x[0], x[1], x[2])                \
    OWN value NAME(f)(hdi_emit *em, value a, value b, value c)                             \
    {                                                                                      \
        return rarely_##f(em, (value[]){a, b, c});                                         \
    }                                                                                      \
    OWN value rare_##f(hdi_emit *em, value a, value b, value c) {
#define PFUNCTION1(f, a) OWN pair NAME(f)(hdi_emit *em, value a) {
#define PFUNCTION2(f, a, b) OWN pair NAME(f)(hdi_emit *em, value a, value b) {
#define PFUNCTION3(f, a, b, c) OWN pair NAME(f)(hdi_emit *em, value a, value b, value c) {
#define PFUNCTION4(f, a, b, c, d) \
    OWN pair NAME(f)(hdi_emit *em, value a, value b, value c, value d) {
#define RESULT(...) return __VA_ARGS__;
#define RESULT_PAIR(hi, lo) return (pair){hi, lo};
#define END }

#include "ops/elementwise/math/bodies.def"
