/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_random_int.h - random words as integers: narrow ones take the low bits of the 64-bit
 * word. */
#define HOW_RAW64(x, y) ~, BLOCK, raw64

static void piece_raw64(operand *out, philox_state s, const index_operand *x, int64_t n)
{
    uint64_t words[RANDOM_WORDS];
    const drawn d = draw(s, x, n, 2, words);
    if (d.ascending)
        for (int64_t j = 0; j < n; j++)
            out[j] = (T)words[d.skip + j];
    else
        for (int64_t j = 0; j < n; j++)
            out[j] = (T)words[drawn_at(d, x, j, 2)];
}

static void block2_raw64(void *out, const void *const *in, int64_t n, int variant)
{
    (void)variant;
    random_pieces(out, in, n, piece_raw64);
}
