/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_random_float.h - uniform and normal reals from random words: float64 takes 64 bits for
 * each, float32 takes 32.
 * Source     Box, Muller: A note on the generation of random normal deviates (1958) */
#if FLOAT_BITS == 64
typedef uint64_t random_word;
#define UNIT (T)0x1p-53
enum { RANDOM_PER = 2, RANDOM_DROP = 11 };
#else
typedef uint32_t random_word;
#define UNIT (T)0x1p-24
enum { RANDOM_PER = 4, RANDOM_DROP = 8 };
#endif
typedef random_word word_operand __attribute__((may_alias));

/* [0, 1): as many leading bits of the word as T is precise to. */
static inline T unit_of(random_word w)
{
    return (T)(w >> RANDOM_DROP) * UNIT;
}

static void piece_uniform(operand *out, philox_state s, const index_operand *x, int64_t n)
{
    uint64_t words[RANDOM_WORDS];
    const word_operand *w = (const word_operand *)words;
    const drawn d = draw(s, x, n, RANDOM_PER, words);
    if (d.ascending)
        for (int64_t j = 0; j < n; j++)
            out[j] = unit_of(w[d.skip + j]);
    else
        for (int64_t j = 0; j < n; j++)
            out[j] = unit_of(w[drawn_at(d, x, j, RANDOM_PER)]);
}

/* Two neighbours are the two coordinates of a random point: radius from the first word (1 - u is
 * never 0), angle from the second. */
enum { RANDOM_PAIRS = RANDOM_WORDS * 64 / FLOAT_BITS / 2 };

static void normal_pairs(const word_operand *w, int64_t npairs, T *out)
{
    T radius[RANDOM_PAIRS], c[RANDOM_PAIRS], s[RANDOM_PAIRS];
    for (int64_t j = 0; j < npairs; j++) {
        radius[j] = 1 - unit_of(w[2 * j]);
        c[j] = s[j] = unit_of(w[2 * j + 1]) * (T)6.283185307179586476925;
    }
    block1_log(radius, (const void *const[]){radius}, npairs);
    block1_cos(c, (const void *const[]){c}, npairs);
    block1_sin(s, (const void *const[]){s}, npairs);
    for (int64_t j = 0; j < npairs; j++) {
        const T r = LIBM(sqrt)(-2 * radius[j]);
        out[2 * j] = r * c[j];
        out[2 * j + 1] = r * s[j];
    }
}

static void piece_normal(operand *out, philox_state s, const index_operand *x, int64_t n)
{
    uint64_t words[RANDOM_WORDS];
    T normal[2 * RANDOM_PAIRS];
    const drawn d = draw(s, x, n, RANDOM_PER, words);
    normal_pairs((const word_operand *)words, d.nblocks * RANDOM_PER / 2, normal);
    for (int64_t j = 0; j < n; j++)
        out[j] = normal[drawn_at(d, x, j, RANDOM_PER)];
}

static void block2_uniform(void *out, const void *const *in, int64_t n, int variant)
{
    (void)variant;
    random_pieces(out, in, n, piece_uniform);
}

static void block2_normal(void *out, const void *const *in, int64_t n, int variant)
{
    (void)variant;
    random_pieces(out, in, n, piece_normal);
}
