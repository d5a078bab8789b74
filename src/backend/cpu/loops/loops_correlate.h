/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_correlate.h - sums of products under a moving window, of one element type.
 * Wants      T, NAME, MULTIPLY_ADD(x, y, a) on vectors
 * Invariant  the order of additions of an element does not depend on where it stands */

#define W ((int64_t)(HDI_VEC_BYTES / sizeof(T)))
#define vec HDI_CAT(NAME, vec)
#define loose HDI_CAT(NAME, loose)
typedef T vec __attribute__((vector_size(HDI_VEC_BYTES)));
typedef T loose __attribute__((vector_size(HDI_VEC_BYTES), aligned(sizeof(T)), may_alias));

/* `two` rows of `count` vectors from row i and column j on, kept in registers while the window
 * goes by: a vector of x that both rows need is read once. */
HDI_INLINE void HDI_CAT(NAME, registers)(const hdi_correlate_block *b, int64_t i, int64_t j,
                                         int count, bool two)
{
    vec first[8] = {{0}}, second[8] = {{0}};
    for (int64_t k = 0; k < b->ky + two; k++) {
        const T *x = (const T *)b->x + (i + k) * b->x_row + j;
        const T *y = (const T *)b->y + k * b->y_row, *above = y - b->y_row;
        const bool in_first = k < b->ky, in_second = two && k > 0;
        for (int64_t l = 0; in_first && in_second && l < b->kx; l++) {
            HDI_CORRELATE_UNROLL
            for (int u = 0; u < count; u++) {
                const vec v = *(const loose *)(x + l + u * W);
                first[u] = MULTIPLY_ADD(v, (vec){0} + y[l], first[u]);
                second[u] = MULTIPLY_ADD(v, (vec){0} + above[l], second[u]);
            }
        }
        for (int64_t l = 0; in_first && !in_second && l < b->kx; l++) {
            HDI_CORRELATE_UNROLL
            for (int u = 0; u < count; u++)
                first[u] = MULTIPLY_ADD((vec) * (const loose *)(x + l + u * W), (vec){0} + y[l],
                                        first[u]);
        }
        for (int64_t l = 0; !in_first && l < b->kx; l++) {
            HDI_CORRELATE_UNROLL
            for (int u = 0; u < count; u++)
                second[u] = MULTIPLY_ADD((vec) * (const loose *)(x + l + u * W),
                                         (vec){0} + above[l], second[u]);
        }
    }
    T *to = (T *)b->acc + i * b->acc_row + j;
    HDI_CORRELATE_UNROLL
    for (int u = 0; u < count; u++) {
        loose *here = (loose *)(to + u * W), *below = (loose *)(to + b->acc_row + u * W);
        *here = PLUS(*here, first[u]);
        if (two)
            *below = PLUS(*below, second[u]);
    }
}

HDI_INLINE void HDI_CAT(NAME, row)(const hdi_correlate_block *b, int64_t i, bool two)
{
    int64_t j = 0;
    for (; j + HDI_CORRELATE_VECTORS * W <= b->columns; j += HDI_CORRELATE_VECTORS * W)
        HDI_CAT(NAME, registers)(b, i, j, HDI_CORRELATE_VECTORS, two);
    for (; j < b->columns; j += W)
        HDI_CAT(NAME, registers)(b, i, j, 1, two);
}

void HDI_SYM3(correlate, block, DTYPE)(const hdi_correlate_block *b)
{
    int64_t i = 0;
    for (; i + 2 <= b->rows; i += 2)
        HDI_CAT(NAME, row)(b, i, true);
    if (i < b->rows)
        HDI_CAT(NAME, row)(b, i, false);
}

#undef W
#undef vec
#undef loose
#undef T
#undef NAME
#undef DTYPE
#undef MULTIPLY_ADD
#undef PLUS
