/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_half.c - casts of half types in LLVM IR, after core/half.h, which they must equal bit for
 * bit. Halves are words of 16 bits in registers and in memory.
 *
 * Where the instruction set has F16C (v3, v4) float16 is LLVM's half type for the length of the
 * cast; so it is on GPUs, which make one nan of all, and have theirs made beside it. Elsewhere, and
 * for bfloat16, LLVM would call functions that we do not have, or flush subnormal numbers: the same
 * integer operations as half.h are written out. */
#include "codegen/llvm_build.h"

static LLVMTypeRef words(const hdi_emit *e, unsigned bits)
{
    return hdi_lanes(LLVMIntTypeInContext(e->context, bits), e->lanes);
}

/* 32-bit words that are all n. */
static value word(const hdi_emit *e, uint32_t n)
{
    return hdi_whole(words(e, 32), (int32_t)n);
}

static value as_words(const hdi_emit *e, value x)
{
    return LLVMBuildBitCast(e->build, x, words(e, 32), "");
}

static value as_reals(const hdi_emit *e, value x)
{
    return LLVMBuildBitCast(e->build, x, hdi_emit_type(e, HD_FLOAT32), "");
}

#define AND(a, n) LLVMBuildAnd(e->build, a, word(e, n), "")
#define OR(a, b) LLVMBuildOr(e->build, a, b, "")
#define PLUS(a, b) LLVMBuildAdd(e->build, a, b, "")
#define SHL(a, n) LLVMBuildShl(e->build, a, word(e, n), "")
#define SHR(a, n) LLVMBuildLShr(e->build, a, word(e, n), "")
#define ABOVE(a, n) LLVMBuildICmp(e->build, LLVMIntUGT, a, word(e, n), "")
#define SELECT(c, a, b) LLVMBuildSelect(e->build, c, a, b, "")

static value narrow(hdi_emit *e, value x) { return LLVMBuildTrunc(e->build, x, words(e, 16), ""); }
static value widen(hdi_emit *e, value x) { return LLVMBuildZExt(e->build, x, words(e, 32), ""); }

/* hdi_to_bf16() */
static value to_bf16(hdi_emit *e, value x)
{
    value b = as_words(e, x);
    value nan = OR(SHR(b, 16), word(e, 0x40));
    value up = PLUS(AND(SHR(b, 16), 1), word(e, 0x7fff));
    return narrow(e, SELECT(ABOVE(AND(b, 0x7fffffff), 0x7f800000), nan, SHR(PLUS(b, up), 16)));
}

/* hdi_to_f16() */
static value to_f16(hdi_emit *e, value x)
{
    value b = as_words(e, x), size = AND(b, 0x7fffffff);
    value nan = OR(AND(SHR(size, 13), 0x3ff), word(e, 0x7e00));
    value up = PLUS(AND(SHR(size, 13), 1), word(e, 0xfffu - (112u << 23)));
    value sum = LLVMBuildFAdd(e->build, as_reals(e, size), as_reals(e, word(e, 0x3f000000)), "");
    value tiny = PLUS(as_words(e, sum), word(e, 0u - 0x3f000000u));
    value finite = SELECT(ABOVE(size, (113u << 23) - 1), SHR(PLUS(size, up), 13), tiny);
    value large = SELECT(ABOVE(size, 0x7f800000), nan, word(e, 0x7c00));
    value magnitude = SELECT(ABOVE(size, (143u << 23) - 1), large, finite);
    return narrow(e, OR(AND(SHR(b, 16), 0x8000), magnitude));
}

/* hdi_from_f16() */
static value from_f16(hdi_emit *e, value h)
{
    value w = widen(e, h), sign = SHL(AND(w, 0x8000), 16), size = SHL(AND(w, 0x7fff), 13);
    value top = ABOVE(size, (0x7c00u << 13) - 1);
    value above = SELECT(top, word(e, 224u << 23), word(e, 112u << 23));
    value quiet = SELECT(ABOVE(size, 0x7c00u << 13), word(e, 0x400000), word(e, 0));
    value normal = OR(PLUS(size, above), quiet);
    value raised = as_reals(e, PLUS(size, word(e, 113u << 23)));
    value tiny = LLVMBuildFSub(e->build, raised, as_reals(e, word(e, 113u << 23)), "");
    value magnitude = SELECT(ABOVE(size, (1u << 23) - 1), normal, as_words(e, tiny));
    return as_reals(e, OR(sign, magnitude));
}

/* ---- by instructions ------------------------------------------------------------------------- */

static value shorten(hdi_emit *e, value x)
{
    LLVMTypeRef half = hdi_lanes(LLVMHalfTypeInContext(e->context), e->lanes);
    value short_word = LLVMBuildBitCast(e->build, LLVMBuildFPTrunc(e->build, x, half, ""),
                                        words(e, 16), "");
    if (!hdi_emits_for_gpu(e))
        return short_word;
    value b = as_words(e, x), payload = AND(SHR(b, 13), 0x3ff);
    value nan = OR(OR(AND(SHR(b, 16), 0x8000), word(e, 0x7e00)), payload);
    return SELECT(ABOVE(AND(b, 0x7fffffff), 0x7f800000), narrow(e, nan), short_word);
}

static value lengthen(hdi_emit *e, value h)
{
    LLVMTypeRef half = hdi_lanes(LLVMHalfTypeInContext(e->context), e->lanes);
    value x = LLVMBuildFPExt(e->build, LLVMBuildBitCast(e->build, h, half, ""),
                             hdi_emit_type(e, HD_FLOAT32), "");
    if (!hdi_emits_for_gpu(e))
        return x;
    value w = widen(e, h), payload = SHL(AND(w, 0x3ff), 13);
    value nan = OR(OR(SHL(AND(w, 0x8000), 16), word(e, 0x7fc00000)), payload);
    return SELECT(ABOVE(AND(w, 0x7fff), 0x7c00), as_reals(e, nan), x);
}

/* ---- the cast -------------------------------------------------------------------------------- */

/* hdi_odd_float() */
static value odd_float(hdi_emit *e, value x)
{
    LLVMTypeRef real = hdi_emit_type(e, HD_FLOAT32), wide = hdi_emit_type(e, HD_FLOAT64);
    value r = LLVMBuildFPTrunc(e->build, x, real, ""), back = LLVMBuildFPExt(e->build, r, wide, "");
    value size = hdi_emit_intrinsic(e, "llvm.fabs", wide, 1, &back);
    value want = hdi_emit_intrinsic(e, "llvm.fabs", wide, 1, &x);
    value more = LLVMBuildFCmp(e->build, LLVMRealOGT, size, want, "");
    value lost = LLVMBuildFCmp(e->build, LLVMRealUNE, back, x, "");
    value b = PLUS(as_words(e, r), LLVMBuildSExt(e->build, more, words(e, 32), ""));
    return as_reals(e, OR(b, LLVMBuildZExt(e->build, lost, words(e, 32), "")));
}

LLVMValueRef hdi_emit_half_cast(hdi_emit *e, LLVMValueRef x, hd_dtype from, hd_dtype to)
{
    bool instructions = e->vector_bytes > 16 || hdi_emits_for_gpu(e);
    if (from == HD_BFLOAT16)
        return as_reals(e, SHL(widen(e, x), 16));
    if (to == HD_BFLOAT16)
        return to_bf16(e, x);
    if (from == HD_FLOAT16)
        return instructions ? lengthen(e, x) : from_f16(e, x);
    if (from == HD_FLOAT64)
        x = odd_float(e, x);
    return instructions ? shorten(e, x) : to_f16(e, x);
}
