/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_super.h - two operations in one pass over a block, for the patterns that fused kernels
 * are full of.
 * Wants      DTYPE, T, its vocabulary and loops_drive.h
 * Invariant  both operations round, as the two loops one after the other would */
#define EMIT_SUPER_MASK(mask, name, ...) \
    void HDI_SYM(super, name, DTYPE, mask)(void *out, const void *const *in, int64_t n) \
    { \
        drive3_mask(out, in, n, mask, super_##name); \
    }
#define EMIT_SUPER(name, value, ...)                              \
    HDI_INLINE T super_##name(T x, T y, T z) { return value; }    \
    HDI_EACH_MASK(EMIT_SUPER_MASK, name)
HDI_EACH_SUPER(EMIT_SUPER, ~)
