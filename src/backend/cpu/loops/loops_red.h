/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_red.h - the loops of every row of red.def that has the element type at hand.
 * Wants      KIND, DTYPE, T, its vocabulary and loops_drive.h
 * Invariant  the order of a chunk's operations is fixed (loops.h), so its bits depend neither on
 *            the vector width nor on the compiler. An accumulation begins with the row's
 *            identity: with 0 + x, so that the sum of -0 alone is 0 as in NumPy */

HDI_INLINE void fold_lanes(T *lane, int half, T (*f)(T, T))
{
    for (int l = 0; l < half; l++)
        lane[l] = f(lane[l], lane[l + half]);
}

/* The largest power of two below width > 1; for gcc's sake at most half of all lanes. */
static inline int half_of(int width)
{
    const int half = 1 << (31 - __builtin_clz((unsigned)width - 1));
    return half < HDI_RED_LANES / 2 ? half : HDI_RED_LANES / 2;
}

/* Combines the lanes pairwise; only the first `width` of them exist. */
HDI_INLINE T combine_lanes(T *lane, int width, T (*f)(T, T))
{
    while (width > 1) {
        const int half = half_of(width);
        for (int l = 0; l < half && l + half < width; l++)
            lane[l] = f(lane[l], lane[l + half]);
        width = half;
    }
    return lane[0];
}

/* The same for elements that still lie in memory. */
HDI_INLINE T combine_elements(const operand *x, int width, T (*f)(T, T))
{
    T lane[HDI_RED_LANES];
    if (width == 1)
        return x[0];
    const int half = half_of(width);
    for (int l = 0; l < half; l++)
        lane[l] = l + half < width ? f(x[l], x[l + half]) : (T)x[l];
    return combine_lanes(lane, half, f);
}

HDI_INLINE T combine_all_lanes(T *lane, T (*f)(T, T))
{
    fold_lanes(lane, 16, f);
    fold_lanes(lane, 8, f);
    fold_lanes(lane, 4, f);
    fold_lanes(lane, 2, f);
    fold_lanes(lane, 1, f);
    return lane[0];
}

/* A whole chunk: the lane is the outer loop, which becomes vectors, and everything stays in
 * registers. With vectors as long as a line of the cache, those that make up all lanes go through
 * the chunk together, so that memory is read from line to line: in columns it arrives at half the
 * speed (float64 on a Zen 4: 19 and 39 GB/s). Shorter vectors would read each line more than once,
 * and gain nothing; of complex elements gcc 12 then makes no vectors, which only products
 * gain from all the same. */
enum {
    LINE_LANES = 64 / (int)sizeof(T) < HDI_RED_LANES ? 64 / (int)sizeof(T) : HDI_RED_LANES,
    LINES = HDI_RED_LANES / LINE_LANES,
#if defined(__AVX512F__)
    BY_LINES_B = 0, BY_LINES_I = LINES > 1, BY_LINES_F = 1, BY_LINES_C = 0, BY_LINES_2 = LINES > 1
#else
    BY_LINES_B = 0, BY_LINES_I = 0, BY_LINES_F = 0, BY_LINES_C = 0, BY_LINES_2 = 0
#endif
};

HDI_INLINE T chunk_by_lines1(const operand *x, T (*f)(T, T))
{
    T lane[HDI_RED_LANES];
    for (int l = 0; l < LINE_LANES; l++) {
        T a[LINES];
        HDI_UNROLLED
        for (int k = 0; k < LINES; k++)
            a[k] = x[k * LINE_LANES + l];
        HDI_NOT_UNROLLED
        for (int r = HDI_RED_LANES; r < HDI_RED_CHUNK; r += HDI_RED_LANES)
            HDI_UNROLLED
            for (int k = 0; k < LINES; k++)
                a[k] = f(a[k], x[r + k * LINE_LANES + l]);
        HDI_UNROLLED
        for (int k = 0; k < LINES; k++)
            lane[k * LINE_LANES + l] = a[k];
    }
    return combine_all_lanes(lane, f);
}

HDI_INLINE T whole_chunk1(const operand *x, T (*f)(T, T))
{
    T lane[HDI_RED_LANES];
    if (HDI_CAT(BY_LINES_, KIND))
        return chunk_by_lines1(x, f);
    for (int l = 0; l < HDI_RED_LANES; l++) {
        T a = x[l];
        for (int r = HDI_RED_LANES; r < HDI_RED_CHUNK; r += HDI_RED_LANES)
            a = f(a, x[r + l]);
        lane[l] = a;
    }
    return combine_all_lanes(lane, f);
}

HDI_INLINE T part_chunk1(const operand *x, int64_t n, T (*f)(T, T))
{
    T lane[HDI_RED_LANES];
    if (n <= HDI_RED_LANES)
        return combine_elements(x, (int)n, f);
    for (int l = 0; l < HDI_RED_LANES; l++)
        lane[l] = x[l];
    for (int64_t i = HDI_RED_LANES; i < n; i += HDI_RED_LANES)
        if (n - i >= HDI_RED_LANES)
            for (int l = 0; l < HDI_RED_LANES; l++)
                lane[l] = f(lane[l], x[i + l]);
        else
            for (int64_t l = 0; l < n - i; l++)
                lane[l] = f(lane[l], x[i + l]);
    return combine_all_lanes(lane, f);
}

HDI_INLINE T chunk1(const operand *x, int64_t n, T (*f)(T, T))
{
    return n == HDI_RED_CHUNK ? whole_chunk1(x, f) : part_chunk1(x, n, f);
}

/* The same over products, which begin at zero. */
HDI_INLINE T chunk_by_lines2(const operand *x, const operand *y, T zero, T (*f)(T, T, T),
                             T (*merge)(T, T))
{
    T lane[HDI_RED_LANES];
    for (int l = 0; l < LINE_LANES; l++) {
        T a[LINES];
        HDI_UNROLLED
        for (int k = 0; k < LINES; k++)
            a[k] = zero;
        HDI_NOT_UNROLLED
        for (int r = 0; r < HDI_RED_CHUNK; r += HDI_RED_LANES)
            HDI_UNROLLED
            for (int k = 0, i = r + l; k < LINES; k++, i += LINE_LANES)
                a[k] = f(a[k], x[i], y[i]);
        HDI_UNROLLED
        for (int k = 0; k < LINES; k++)
            lane[k * LINE_LANES + l] = a[k];
    }
    return combine_all_lanes(lane, merge);
}

HDI_INLINE T whole_chunk2(const operand *x, const operand *y, T zero, T (*f)(T, T, T),
                          T (*merge)(T, T))
{
    T lane[HDI_RED_LANES];
    if (BY_LINES_2)
        return chunk_by_lines2(x, y, zero, f, merge);
    for (int l = 0; l < HDI_RED_LANES; l++) {
        T a = zero;
        for (int r = 0; r < HDI_RED_CHUNK; r += HDI_RED_LANES)
            a = f(a, x[r + l], y[r + l]);
        lane[l] = a;
    }
    return combine_all_lanes(lane, merge);
}

HDI_INLINE T part_chunk2(const operand *x, const operand *y, int64_t n, T zero, T (*f)(T, T, T),
                         T (*merge)(T, T))
{
    T lane[HDI_RED_LANES];
    const int width = n < HDI_RED_LANES ? (int)n : HDI_RED_LANES;
    for (int l = 0; l < width; l++)
        lane[l] = f(zero, x[l], y[l]);
    if (n <= HDI_RED_LANES)
        return combine_lanes(lane, width, merge);
    for (int64_t i = HDI_RED_LANES; i < n; i += HDI_RED_LANES)
        if (n - i >= HDI_RED_LANES)
            for (int l = 0; l < HDI_RED_LANES; l++)
                lane[l] = f(lane[l], x[i + l], y[i + l]);
        else
            for (int64_t l = 0; l < n - i; l++)
                lane[l] = f(lane[l], x[i + l], y[i + l]);
    return combine_all_lanes(lane, merge);
}

HDI_INLINE T chunk2(const operand *x, const operand *y, int64_t n, T zero, T (*f)(T, T, T),
                    T (*merge)(T, T))
{
    return n == HDI_RED_CHUNK ? whole_chunk2(x, y, zero, f, merge)
                              : part_chunk2(x, y, n, zero, f, merge);
}

HDI_INLINE void accumulate1(void *acc, const void *x, int64_t n, T (*f)(T, T))
{
    const void *const in[2] = {acc, x};
    drive2_SAME(acc, in, n, HDI_VV, f);
}

HDI_INLINE void start2(void *acc, const void *x, const void *y, int64_t n, int variant,
                       T (*f)(T, T))
{
    const void *const in[2] = {x, y};
    drive2_SAME(acc, in, n, variant, f);
}

HDI_INLINE void accumulate2(void *acc, const void *x, const void *y, int64_t n, int variant,
                            T (*f)(T, T, T))
{
    const void *const in[3] = {acc, x, y};
    drive3_mask(acc, in, n, variant == HDI_SV ? 2 : variant == HDI_VS ? 4 : 0, f);
}

/* ---- reductions to a value of the loop's type ------------------------------------------------ */

#define RED_LOOP(name, part)                                                                       \
    void HDI_SYM(red, name, DTYPE, part)(void *acc, const void *x, const void *y, int64_t n)

/* begin_<name>: how x starts an accumulation. Macros that see an identity take
 * BEGIN(identity)(identity, combine). */
#define NO_IDENTITY_NONE ~, BEGIN_WITH_X
#define BEGIN_WITH_X(identity, combine) return x;
#define BEGIN_WITH_IDENTITY(identity, combine) const T a = identity; return combine;

#define EMIT_RED1(name, identity, begin, combine)                                                  \
    HDI_INLINE T red_##name(T a, T x) { return combine; }                                          \
    HDI_INLINE T begin_##name(T x) { begin(identity, combine) }                                    \
    RED_LOOP(name, chunk) { (void)y; *(operand *)acc = begin_##name(chunk1(x, n, red_##name)); }   \
    RED_LOOP(name, start) { (void)y; drive1_SAME(acc, &x, n, begin_##name); }                      \
    RED_LOOP(name, step) { (void)y; accumulate1(acc, x, n, red_##name); }

/* A sum of products: its accumulators are added. */
HDI_INLINE T merge_sums(T a, T x) { return ADD(a, x); }
#define EMIT_RED2(name, identity, begin, combine)                                                  \
    HDI_INLINE T red_##name(T a, T x, T y) { return combine; }                                     \
    HDI_INLINE T begin_##name(T x, T y) { begin(identity, combine) }                               \
    RED_LOOP(name, chunk) { *(operand *)acc = chunk2(x, y, n, identity, red_##name, merge_sums); } \
    RED_LOOP(name, merge) { (void)y; accumulate1(acc, x, n, merge_sums); }                         \
    RED_LOOP(name, start_vv) { start2(acc, x, y, n, HDI_VV, begin_##name); }                       \
    RED_LOOP(name, start_vs) { start2(acc, x, y, n, HDI_VS, begin_##name); }                       \
    RED_LOOP(name, start_sv) { start2(acc, x, y, n, HDI_SV, begin_##name); }                       \
    RED_LOOP(name, step_vv) { accumulate2(acc, x, y, n, HDI_VV, red_##name); }                     \
    RED_LOOP(name, step_vs) { accumulate2(acc, x, y, n, HDI_VS, red_##name); }                     \
    RED_LOOP(name, step_sv) { accumulate2(acc, x, y, n, HDI_SV, red_##name); }

/* ---- any, all: the truth of the elements, then the loops of bool ----------------------------- */

#define EMIT_TRUTH_B(name, identity, begin, combine) EMIT_RED1(name, identity, begin, combine)
#define EMIT_TRUTH_I EMIT_TRUTH
#define EMIT_TRUTH_F EMIT_TRUTH
#define EMIT_TRUTH_C EMIT_TRUTH
#define EMIT_TRUTH(name, identity, begin, combine)                                                 \
    RED_LOOP(name, chunk)                                                                          \
    {                                                                                              \
        uint8_t t[HDI_RED_CHUNK];                                                                  \
        (void)y;                                                                                   \
        drive1_BOOL(t, &x, n, truth);                                                              \
        HDI_SYM(red, name, BOOL, chunk)(acc, t, NULL, n);                                          \
    }                                                                                              \
    RED_LOOP(name, start) { (void)y; drive1_BOOL(acc, &x, n, truth); }                             \
    RED_LOOP(name, step) { (void)y; step_truth(acc, x, n, HDI_SYM(red, name, BOOL, step)); }

static inline __attribute__((unused)) void step_truth(void *acc, const void *x, int64_t n,
                                                      hdi_red_step step)
{
    uint8_t t[HDI_RED_CHUNK];
    for (int64_t i = 0, m; i < n; i += m) {
        const void *from = (const operand *)x + i;
        m = n - i < HDI_RED_CHUNK ? n - i : HDI_RED_CHUNK;
        drive1_BOOL(t, &from, m, truth);
        step((uint8_t *)acc + i, t, NULL, m);
    }
}

/* ---- positions of the smallest and largest --------------------------------------------------- */

/* Does x, which comes later, beat a? The first nan wins for good. */
#define BEATS_MAX(a, x) (uint8_t)(GT(x, a) | (ISNAN(x) & !ISNAN(a)))
#define BEATS_MIN(a, x) (uint8_t)(LT(x, a) | (ISNAN(x) & !ISNAN(a)))

/* Position of the first element that is as good as best, which is one of them. */
HDI_INLINE int64_t first_of_best(const operand *x, int64_t n, T best)
{
    const uint8_t nan = ISNAN(best);
    int64_t i = 0;
    for (; i + HDI_RED_LANES <= n; i += HDI_RED_LANES) {
        uint8_t hit = 0;
        for (int64_t l = 0; l < HDI_RED_LANES; l++)
            hit |= (uint8_t)(EQ((T)x[i + l], best) | (ISNAN((T)x[i + l]) & nan));
        if (hit)
            break;
    }
    for (; i < n - 1; i++)
        if (EQ((T)x[i], best) | (ISNAN((T)x[i]) & nan))
            break;
    return i;
}

HDI_INLINE void arg_chunk(void *val, int64_t *pos, const operand *x, int64_t n, int64_t base,
                          T (*best)(T, T))
{
    const int64_t i = first_of_best(x, n, chunk1(x, n, best));
    *(operand *)val = x[i];
    *pos = base + i;
}

HDI_INLINE void arg_take(operand *val, int64_t *pos, const operand *x, const int64_t *pos2,
                         int64_t same_pos, int64_t n, uint8_t (*beats)(T, T))
{
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++) {
        const uint8_t b = beats(val[i], x[i]);
        const int64_t p = pos2 != NULL ? pos2[i] : same_pos;
        val[i] = SELECT(b, x[i], val[i]);
        pos[i] = b ? p : pos[i];
    }
}

#define EMIT_ARG(name, identity, begin, combine, beats_value)                                \
    HDI_INLINE T red_##name(T a, T x)                                                        \
    {                                                                                        \
        return combine;                                                                      \
    }                                                                                        \
    HDI_INLINE uint8_t beats_##name(T a, T x)                                                \
    {                                                                                        \
        return beats_value;                                                                  \
    }                                                                                        \
    void HDI_SYM(red, name, DTYPE, chunk)(void *val, int64_t *pos, const void *x, int64_t n, \
                                          int64_t base)                                      \
    {                                                                                        \
        arg_chunk(val, pos, x, n, base, red_##name);                                         \
    }                                                                                        \
    void HDI_SYM(red, name, DTYPE, step)(void *val, int64_t *pos, const void *x, int64_t n,  \
                                         int64_t pos_of_x)                                   \
    {                                                                                        \
        arg_take(val, pos, x, NULL, pos_of_x, n, beats_##name);                              \
    }                                                                                        \
    void HDI_SYM(red, name, DTYPE, merge)(void *val, int64_t *pos, const void *val2,         \
                                          const int64_t *pos2, int64_t n)                    \
    {                                                                                        \
        arg_take(val, pos, val2, pos2, 0, n, beats_##name);                                  \
    }

/* ---- the rows -------------------------------------------------------------------------------- */

#define EMIT_SUM_1(name, identity, begin, combine, beats) EMIT_RED1(name, identity, begin, combine)
#define EMIT_SAME_1(name, identity, begin, combine, beats) EMIT_RED1(name, identity, begin, combine)
#define EMIT_SAME_2(name, identity, begin, combine, beats) EMIT_RED2(name, identity, begin, combine)
#define EMIT_BOOL_1(name, identity, begin, combine, beats) \
    HDI_CAT(EMIT_TRUTH_, KIND)(name, identity, begin, combine)
#define EMIT_ARG_1 EMIT_ARG

#define RED(name, nin, types, rule, combine, identity, ...)                                        \
    HDI_WHEN(KIND, types, EMIT_##rule##_##nin(name, identity,                                      \
             HDI_SECOND(NO_IDENTITY_##identity, BEGIN_WITH_IDENTITY), combine, BEATS_##combine))
#include "ops/reduce/red.def"
