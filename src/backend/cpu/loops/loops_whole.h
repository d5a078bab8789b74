/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_whole.h - from reals to integers, for loops_cast.h.
 * Wants      REAL_OF_T, operand, PART_RE(x): the real number in an element
 * Invariant  never undefined: a real that no int64 holds (and nan) becomes the smallest int64,
 *            which is what x86 gives and NumPy shows, and narrower integers are its low bits; to
 *            uint64, reals in [2^63, 2^64) convert exactly */

static inline __attribute__((unused)) int64_t whole_signed(REAL_OF_T x)
{
    return x >= -(REAL_OF_T)0x1p63 && x < (REAL_OF_T)0x1p63 ? (int64_t)x : INT64_MIN;
}

static inline __attribute__((unused)) int64_t whole_unsigned(REAL_OF_T x)
{
    const bool big = x >= (REAL_OF_T)0x1p63;
    return whole_signed(big ? x - (REAL_OF_T)0x1p63 : x) ^ (big ? INT64_MIN : 0);
}

/* Blocks whose elements all lie within +-2^bits convert in one vector instruction each; there
 * C's own conversion is defined. */
enum { CAST_BLOCK = 64 };

HDI_INLINE bool all_within(const operand *x, int64_t n, REAL_OF_T limit)
{
    int inside = 1;
    for (int64_t i = 0; i < n; i++)
        inside &= (PART_RE(x[i]) >= -limit) & (PART_RE(x[i]) < limit);
    return inside != 0;
}

#define CAST_WHOLE(D, limit, narrow, whole)                              \
    CAST_LOOP(D)                                                         \
    {                                                                    \
        typedef hdi_c_##D target __attribute__((may_alias, aligned(1))); \
        target *o = out;                                                 \
        const operand *x = in;                                           \
        for (int64_t m; n > 0; n -= m, o += m, x += m) {                 \
            m = n < CAST_BLOCK ? n : CAST_BLOCK;                         \
            if (all_within(x, m, (REAL_OF_T)limit))                      \
                CAST_EACH(hdi_c_##D, o, x, m, (narrow)PART_RE(x[i]));    \
            else                                                         \
                CAST_EACH(hdi_c_##D, o, x, m, whole(PART_RE(x[i])));     \
        }                                                                \
    }

/* A real becomes an integer by way of the narrowest conversion that there are instructions for. */
#define CAST_FROM_REAL_INT8(D) CAST_WHOLE(D, 0x1p31, int32_t, whole_signed)
#define CAST_FROM_REAL_INT16(D) CAST_WHOLE(D, 0x1p31, int32_t, whole_signed)
#define CAST_FROM_REAL_INT32(D) CAST_WHOLE(D, 0x1p31, int32_t, whole_signed)
#define CAST_FROM_REAL_INT64(D) CAST_WHOLE(D, 0x1p63, int64_t, whole_signed)
#define CAST_FROM_REAL_UINT8(D) CAST_WHOLE(D, 0x1p31, int32_t, whole_signed)
#define CAST_FROM_REAL_UINT16(D) CAST_WHOLE(D, 0x1p31, int32_t, whole_signed)
#define CAST_FROM_REAL_UINT32(D) CAST_WHOLE(D, 0x1p31, int32_t, whole_signed)
#define CAST_FROM_REAL_UINT64(D) CAST_WHOLE(D, 0x1p63, int64_t, whole_unsigned)
