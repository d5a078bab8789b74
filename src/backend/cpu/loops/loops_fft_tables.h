/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_fft_tables.h - what a transform does beside its passes: products with tables, the ends of
 * real transforms, and from the columns of a long one to its rows. Part of loops_fft.h.
 * Invariant  as loops_fft.h; bits do not depend on how the points are cut into ranges either */

static void fft_multiply(const hdi_fft_planes *x, const void *table, int64_t n, int64_t lanes,
                         hdi_fft_range range)
{
    const planes p = planes_of(x);
    const T *c = table, *d = c + n;
    if (lanes == 1) {
        HDI_NO_DEPENDENCE
        for (int64_t k = range.first; k < range.end; k++) {
            const T re = p.re[k], im = p.im[k];
            p.re[k] = re * c[k] - im * d[k];
            p.im[k] = re * d[k] + im * c[k];
        }
        return;
    }
    for (int64_t k = range.first; k < range.end; k++)
        HDI_NO_DEPENDENCE
        for (int64_t j = k * lanes; j < (k + 1) * lanes; j++) {
            const T re = p.re[j], im = p.im[j];
            p.re[j] = re * c[k] - im * d[k];
            p.im[j] = re * d[k] + im * c[k];
        }
}

/* ---- real transforms of even length ---------------------------------------------------------- */

/* Point k of lane j, but 0; a constant 1 for lanes leaves one loop, over k. */
#define EACH_POINT(from, end, lanes, k, j)                             \
    HDI_NO_DEPENDENCE                                                  \
    for (int64_t k = (from) > 0 ? (from) : 1; k < (end); k++)          \
        HDI_NO_DEPENDENCE                                              \
        for (int64_t j = 0; j < (lanes); j++)

HDI_INLINE void after(planes o, planes z, const T *c, int64_t h, int64_t lanes, hdi_fft_range range)
{
    const T *s = c + h, half = (T)0.5;
    const int64_t end = range.end < h ? range.end : h, back = range.first * lanes;
    EACH_POINT(range.first, end, lanes, k, j) {
        const int64_t a = k * lanes + j, b = (h - k) * lanes + j;
        const T dr = half * (z.re[a] - z.re[b]), di = half * (z.im[a] + z.im[b]);
        o.re[a - back] = half * (z.re[a] + z.re[b]) + (c[k] * di - s[k] * dr);
        o.im[a - back] = half * (z.im[a] - z.im[b]) - (s[k] * di + c[k] * dr);
    }
    for (int64_t j = 0; j < lanes && range.first == 0; j++) {
        o.re[j] = z.re[j] + z.im[j];
        o.im[j] = 0;
    }
    for (int64_t j = 0; j < lanes && range.end == h + 1; j++) {
        o.re[h * lanes - back + j] = z.re[j] - z.im[j];
        o.im[h * lanes - back + j] = 0;
    }
}

HDI_INLINE void before(planes z, planes x, const T *c, int64_t h, int64_t lanes,
                       hdi_fft_range range)
{
    const T *s = c + h;
    EACH_POINT(range.first, range.end, lanes, k, j) {
        const int64_t a = k * lanes + j, b = (h - k) * lanes + j;
        const T dr = x.re[a] - x.re[b], di = x.im[a] + x.im[b];
        z.re[a] = x.re[a] + x.re[b] - (s[k] * dr + c[k] * di);
        z.im[a] = x.im[a] - x.im[b] + (c[k] * dr - s[k] * di);
    }
    for (int64_t j = 0; j < lanes && range.first == 0; j++) {
        z.re[j] = x.re[j] + x.re[h * lanes + j];
        z.im[j] = x.re[j] - x.re[h * lanes + j];
    }
}

static void fft_after(const hdi_fft_planes *out, const hdi_fft_planes *z, const void *table,
                      int64_t h, int64_t lanes, hdi_fft_range range)
{
    if (lanes == 1)
        after(planes_of(out), planes_of(z), table, h, 1, range);
    else
        after(planes_of(out), planes_of(z), table, h, W, range);
}

static void fft_before(const hdi_fft_planes *z, const hdi_fft_planes *x, const void *table,
                       int64_t h, int64_t lanes, hdi_fft_range range)
{
    if (lanes == 1)
        before(planes_of(z), planes_of(x), table, h, 1, range);
    else
        before(planes_of(z), planes_of(x), table, h, W, range);
}

/* The other half of a spectrum whose signal is real: point n - k is the conjugate of point k. */
static void fft_mirror(const hdi_fft_planes *x, int64_t n, int64_t lanes, hdi_fft_range range)
{
    const planes p = planes_of(x);
    if (range.first == 0)
        memset(p.im, 0, sizeof(T) * (size_t)lanes);
    for (int64_t k = range.first + (range.first == 0); k < range.end; k++)
        for (int64_t j = 0; j < lanes; j++) {
            p.re[(n - k) * lanes + j] = p.re[k * lanes + j];
            p.im[(n - k) * lanes + j] = -p.im[k * lanes + j];
        }
}

/* ---- from columns to rows -------------------------------------------------------------------- */

/* Where row k, of so many, has column j. */
HDI_INLINE int64_t place_of(int64_t rows, int64_t k, int64_t j)
{
    return (j / HDI_FFT_TURN * rows + k) * HDI_FFT_TURN + j % HDI_FFT_TURN;
}

/* Numbers of columns j, j + 1, ..., or of column j alone. */
HDI_INLINE cvec numbers_at(const void *const *table, int64_t at, bool one)
{
    const T *re = (const T *)table[0] + at, *im = (const T *)table[1] + at;
    return one ? (cvec){(vec){0} + *re, (vec){0} + *im}
               : (cvec){*(const loose *)re, *(const loose *)im};
}

/* The fine root is kept less 1, so that the product's rounding is that of a small number. */
HDI_INLINE cvec turn_of(const hdi_fft_turn *t, int64_t k, int64_t j, bool one)
{
    const int64_t fines = (int64_t)1 << t->bits;
    const cvec coarse = numbers_at(t->coarse, place_of(t->coarses, k >> t->bits, j), one);
    const cvec fine = numbers_at(t->fine, place_of(fines, k & (fines - 1), j), one);
    return c_add(coarse, c_mul(coarse, fine));
}

/* W rows of W columns, those past `last` the same as that one; `used` of the columns are there. */
HDI_INLINE void turn_block(planes to, planes from, const hdi_fft_turn *t, int64_t lanes, int64_t k,
                           int64_t column, int64_t last, int64_t used)
{
    vec re[W], im[W];
    UNROLL
    for (int e = 0; e < W; e++) {
        const int64_t row = k + e < last ? k + e : last;
        const cvec a = {*(const loose *)(from.re + row * lanes),
                        *(const loose *)(from.im + row * lanes)};
        const cvec b = c_mul(a, turn_of(t, row, column, false));
        re[e] = b.re;
        im[e] = b.im;
    }
    turn_square(re);
    turn_square(im);
    UNROLL
    for (int e = 0; e < W; e++)
        if (e < used) {
            *(loose *)(to.re + e * lanes) = re[e];
            *(loose *)(to.im + e * lanes) = im[e];
        }
}

static void fft_turn(const hdi_fft_planes *rows, const hdi_fft_planes *columns,
                     const hdi_fft_turn *t, int64_t lanes, int64_t first, int64_t used)
{
    const planes from = planes_of(columns), to = planes_of(rows);
    const int64_t last = t->n1 - 1, whole = (last / lanes + 1) * lanes;
    for (int64_t k = 0; k < whole; k += W)
        for (int64_t c = 0; c < used; c += W) {
            const int64_t at = (k / lanes * t->n2 + first + c) * lanes + k % lanes;
            const planes o = {to.re + at, to.im + at}, i = {from.re + c, from.im + c};
            if (k + W <= t->n1 && c + W <= used)
                turn_block(o, i, t, lanes, k, first + c, k + W, W);
            else
                turn_block(o, i, t, lanes, k, first + c, last, used - c);
        }
}

static void fft_turn_lines(const hdi_fft_planes *rows, const hdi_fft_planes *columns,
                           const hdi_fft_turn *t, int64_t lanes, int64_t column)
{
    const planes from = planes_of(columns), to = planes_of(rows);
    for (int64_t k = 0; k < t->n1; k++) {
        const cvec w = turn_of(t, k, column, true);
        for (int64_t i = 0; i < lanes; i += W) {
            const int64_t at = k * lanes + i, there = (k * t->n2 + column) * lanes + i;
            const cvec a = {*(const loose *)(from.re + at), *(const loose *)(from.im + at)};
            const cvec b = c_mul(a, w);
            *(loose *)(to.re + there) = b.re;
            *(loose *)(to.im + there) = b.im;
        }
    }
}
