/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_long.h - reductions over more than a chunk: what an interpreter would do chunk by chunk in
 * one call, for every row of red.def that has the element type at hand.
 * Wants      loops_red.h, LOWEST of integers, and of bool FREE_B and BLOCK_B()
 * Invariant  the bits are those of the chunks and their tree (loops.h). Where elements may be taken
 *            in any order, they are taken as vectors best do, and the first that settles the result
 *            is the last that is looked at, but for the rest of its block */

/* ---- any order ------------------------------------------------------------------------------- */

/* Elements between two looks at whether the result is settled. Where order shows, in 0 and -0 and
 * in which nan it is, a chunk: of equals the first or the last wins, so chunks may follow each
 * other. Else 4 KB, from the first to the last, as processors foresee it; compilers know what to
 * make of that. */
#define FREE_F HDI_RED_CHUNK
#define FREE_C HDI_RED_CHUNK
#define FREE_I (4096 / (int)sizeof(T))
enum { FREE_BLOCK = HDI_CAT(FREE_, KIND) };
_Static_assert(FREE_BLOCK % HDI_RED_CHUNK == 0, "a block has whole chunks");

#define BLOCK_F whole_chunk1
#define BLOCK_C whole_chunk1
HDI_INLINE T BLOCK_I(const operand *x, T (*f)(T, T))
{
    T a = x[0];
    for (int i = 1; i < FREE_BLOCK; i++)
        a = f(a, x[i]);
    return a;
}

HDI_INLINE T block_of_products(const operand *x, const operand *y, T a, T (*f)(T, T, T))
{
    for (int i = 0; i < FREE_BLOCK; i++)
        a = f(a, x[i], y[i]);
    return a;
}

static inline int64_t chunk_of(int64_t n)
{
    return n < HDI_RED_CHUNK ? n : HDI_RED_CHUNK;
}

HDI_INLINE bool extend1(operand *acc, const operand *x, int64_t n, bool first, T (*begin)(T),
                        T (*f)(T, T), T (*block)(const operand *), uint8_t (*settled)(T))
{
    int64_t i = 0;
    T a;
    if (first) {
        i = chunk_of(n);
        a = begin(chunk1(x, i, f));
    } else {
        a = *acc;
    }
    for (; i + FREE_BLOCK <= n && !settled(a); i += FREE_BLOCK)
        a = f(a, block(x + i));
    for (; i < n && !settled(a); i += HDI_RED_CHUNK)
        a = f(a, chunk1(x + i, chunk_of(n - i), f));
    *acc = a;
    return settled(a);
}

HDI_INLINE bool extend2(operand *acc, const operand *x, const operand *y, int64_t n, bool first,
                        T zero, T (*f)(T, T, T), T (*merge)(T, T))
{
    int64_t i = 0;
    T a = zero;
    if (!first)
        a = *acc;
    for (; i + FREE_BLOCK <= n; i += FREE_BLOCK)
        a = block_of_products(x + i, y + i, a, f);
    for (; i < n; i += HDI_RED_CHUNK)
        a = merge(a, chunk2(x + i, y + i, chunk_of(n - i), zero, f, merge));
    *acc = a;
    return false;
}

HDI_INLINE bool extend_position(operand *val, int64_t *pos, const operand *x, int64_t n,
                                int64_t base, bool first, T (*best)(T, T),
                                T (*block)(const operand *), uint8_t (*beats)(T, T),
                                uint8_t (*settled)(T))
{
    T a = first ? (T)x[0] : (T)*val;
    int64_t from = 0, among = first;   /* the block that has the best so far, if it is in x */
    for (int64_t i = 0, m; i < n && !settled(a); i += m) {
        m = n - i >= FREE_BLOCK ? FREE_BLOCK : chunk_of(n - i);
        const T of_block = m == FREE_BLOCK ? block(x + i) : chunk1(x + i, m, best);
        if (!beats(a, of_block))
            continue;
        a = of_block;
        from = i;
        among = m;
    }
    *val = a;
    if (among > 0)
        *pos = base + from + first_of_best(x + from, among, a);
    return settled(a);
}

/* ---- what no further element changes --------------------------------------------------------- */

/* SETTLED_<combine>(a, x): by the kind of element. */
#define SETTLED(how, a) HDI_CAT(HDI_CAT(HDI_CAT(SETTLED_, KIND), _), how)(a)
#define SETTLED_ADD(a, x) SETTLED(ADD, a)
#define SETTLED_MUL(a, x) SETTLED(MUL, a)
#define SETTLED_MAX(a, x) SETTLED(MAX, a)
#define SETTLED_MIN(a, x) SETTLED(MIN, a)
#define SETTLED_FMAX(a, x) SETTLED(FMAX, a)
#define SETTLED_FMIN(a, x) SETTLED(FMIN, a)
#define SETTLED_OR(a, x) SETTLED(MAX, a)
#define SETTLED_AND(a, x) SETTLED(MIN, a)
#define NEVER(a) ((void)(a), 0)
#define SETTLED_B_ADD(a) truth(a)
#define SETTLED_B_MUL(a) v_not(a)
#define SETTLED_B_MAX(a) truth(a)
#define SETTLED_B_MIN(a) v_not(a)
#define SETTLED_B_FMAX(a) truth(a)
#define SETTLED_B_FMIN(a) v_not(a)
#define SETTLED_I_ADD(a) NEVER(a)
#define SETTLED_I_MUL(a) ((a) == 0)
#define SETTLED_I_MAX(a) ((a) == (T)~LOWEST)
#define SETTLED_I_MIN(a) ((a) == LOWEST)
#define SETTLED_I_FMAX SETTLED_I_MAX
#define SETTLED_I_FMIN SETTLED_I_MIN
/* a nan would be, but for which nan it is */
#define SETTLED_F_MAX NEVER
#define SETTLED_F_MIN NEVER
#define SETTLED_F_FMAX(a) ((a) == (T)__builtin_inf())
#define SETTLED_F_FMIN(a) ((a) == -(T)__builtin_inf())
#define SETTLED_C_MAX NEVER
#define SETTLED_C_MIN NEVER
#define SETTLED_C_FMAX NEVER
#define SETTLED_C_FMIN NEVER

/* Of positions: the first nan wins, whichever it is. */
#define FIRST_MAX(a, x) (SETTLED(MAX, a) | ISNAN(a))
#define FIRST_MIN(a, x) (SETTLED(MIN, a) | ISNAN(a))

/* ---- chunks in their order ------------------------------------------------------------------- */

HDI_INLINE T tree_of_chunks(T *entry, T (*f)(T, T))
{
    for (int w = 1; w < HDI_RED_RUN / HDI_RED_CHUNK; w *= 2)
        for (int c = 0; c < HDI_RED_RUN / HDI_RED_CHUNK; c += 2 * w)
            entry[c] = f(entry[c], entry[c + w]);
    return entry[0];
}

HDI_INLINE T run_of(T (*chunk)(const operand *, const operand *), const operand *x,
                    const operand *y, T (*f)(T, T))
{
    T entry[HDI_RED_RUN / HDI_RED_CHUNK];
    for (int c = 0; c < HDI_RED_RUN / HDI_RED_CHUNK; c++)
        entry[c] = chunk(x + c * HDI_RED_CHUNK, y + c * HDI_RED_CHUNK);
    return tree_of_chunks(entry, f);
}

/* ---- the rows -------------------------------------------------------------------------------- */

/* Functions of their own: inlined into loops, gcc 12 makes branches of some, and combines lanes one
 * by one. */
#define FREE_LOOP(name)                                                     \
    static __attribute__((noinline)) T block_##name(const operand *x)        \
    {                                                                       \
        return HDI_CAT(BLOCK_, KIND)(x, red_##name);                        \
    }

#define CHUNK_LOOP(name, value)                                                           \
    static __attribute__((noinline)) T whole_##name(const operand *x, const operand *y)    \
    {                                                                                      \
        (void)y;                                                                           \
        return value;                                                                      \
    }

#define EXTEND_LOOP(name)                                                                      \
    bool HDI_SYM(red, name, DTYPE, extend)(void *acc, const void *x, const void *y, int64_t n, \
                                           bool first)
#define RUN_LOOP(name) \
    void HDI_SYM(red, name, DTYPE, run)(void *acc, const void *x, const void *y)

#define LONG_ANY_ORDER_1(name, identity, settled_value)                                          \
    FREE_LOOP(name)                                                                              \
    HDI_INLINE uint8_t settled_##name(T a) { return settled_value; }                             \
    EXTEND_LOOP(name)                                                                            \
    {                                                                                            \
        (void)y;                                                                                 \
        return extend1(acc, x, n, first, begin_##name, red_##name, block_##name,                 \
                       settled_##name);                                                          \
    }
#define LONG_IN_ORDER_1(name, identity)                                                          \
    CHUNK_LOOP(name, begin_##name(whole_chunk1(x, red_##name)))                                  \
    RUN_LOOP(name)                                                                               \
    {                                                                                            \
        (void)y;                                                                                 \
        *(operand *)acc = run_of(whole_##name, x, x, red_##name);                                \
    }

#define LONG_ANY_ORDER_2(name, identity)                                                         \
    EXTEND_LOOP(name) { return extend2(acc, x, y, n, first, identity, red_##name, merge_sums); }
#define LONG_IN_ORDER_2(name, identity)                                                          \
    CHUNK_LOOP(name, whole_chunk2(x, y, identity, red_##name, merge_sums))                       \
    RUN_LOOP(name)                                                                               \
    {                                                                                            \
        *(operand *)acc = run_of(whole_##name, x, y, merge_sums);                                \
    }

/* Truth first, then bool. */
#define LONG_TRUTH(name, ...)                                                                    \
    EXTEND_LOOP(name)                                                                          \
    {                                                                                          \
        uint8_t t[4 * HDI_RED_CHUNK];                                                          \
        bool settled = false;                                                                  \
        (void)y;                                                                               \
        for (int64_t i = 0, m; i < n && !settled; i += m) {                                    \
            const void *from = (const operand *)x + i;                                         \
            m = n - i < (int64_t)sizeof t ? n - i : (int64_t)sizeof t;                         \
            drive1_BOOL(t, &from, m, truth);                                                   \
            settled = HDI_SYM(red, name, BOOL, extend)(acc, t, NULL, m, first && i == 0);      \
        }                                                                                      \
        return settled;                                                                        \
    }

#define LONG_ARG(name, settled_value)                                                            \
    FREE_LOOP(name)                                                                              \
    HDI_INLINE uint8_t settled_##name(T a) { return settled_value; }                             \
    bool HDI_SYM(red, name, DTYPE, extend)(void *val, int64_t *pos, const void *x, int64_t n,    \
                                           int64_t base, bool first)                             \
    {                                                                                            \
        return extend_position(val, pos, x, n, base, first, red_##name, block_##name,            \
                               beats_##name, settled_##name);                                   \
    }

#define LONG_VALUE_1(name, identity, any_order, in_order, settled, ...)                       \
    HDI_WHEN_OF(KIND, any_order, LONG_ANY_ORDER_1(name, identity, settled))                   \
    HDI_WHEN_OF(KIND, in_order, LONG_IN_ORDER_1(name, identity))
#define LONG_SUM_1 LONG_VALUE_1
#define LONG_SAME_1 LONG_VALUE_1
#define LONG_SAME_2(name, identity, any_order, in_order, ...)                                 \
    HDI_WHEN_OF(KIND, any_order, LONG_ANY_ORDER_2(name, identity))                            \
    HDI_WHEN_OF(KIND, in_order, LONG_IN_ORDER_2(name, identity))
#define LONG_BOOL_1(name, identity, any_order, in_order, settled, ...)                        \
    HDI_CAT(LONG_TRUTH_, KIND)(name, identity, settled)
#define LONG_TRUTH_B LONG_ANY_ORDER_1
#define LONG_TRUTH_I LONG_TRUTH
#define LONG_TRUTH_F LONG_TRUTH
#define LONG_TRUTH_C LONG_TRUTH
#define LONG_ARG_1(name, identity, any_order, in_order, settled, first) LONG_ARG(name, first)

#define RED(name, nin, types, rule, combine, identity, ...)                                   \
    HDI_WHEN(KIND, types, LONG_##rule##_##nin(name, identity, HDI_ANY_ORDER_##combine,        \
             HDI_IN_ORDER_##combine, SETTLED_##combine, FIRST_##combine))
#include "ops/reduce/red.def"
