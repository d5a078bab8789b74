/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_fft.h - the passes of a Fourier transform, of one real type: what loops_fft_float32.c and
 * loops_fft_float64.c have in common (docs/design/fft.md).
 * Wants      DTYPE, T; WIDE, WIDER, WIDEST: elements of 16, 32 and 64 bytes
 * Invariant  the arithmetic of a transform does not depend on the lanes beside it, on their number,
 *            or on the instruction set: no operation is fused with another */
#include "backend/cpu/loops/loops_symbols.h"
#include "backend/cpu/loops/loops_vec.h"

enum { W = HDI_VEC_BYTES / (int)sizeof(T) };
typedef T vec __attribute__((vector_size(HDI_VEC_BYTES)));
typedef T loose __attribute__((vector_size(HDI_VEC_BYTES), aligned(sizeof(T)), may_alias));
typedef struct cvec { vec re, im; } cvec;
typedef struct planes { T *re, *im; } planes;

#ifdef __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

HDI_INLINE planes planes_of(const hdi_fft_planes *p) { return (planes){p->re, p->im}; }
HDI_INLINE cvec c_add(cvec a, cvec b) { return (cvec){a.re + b.re, a.im + b.im}; }
HDI_INLINE cvec c_sub(cvec a, cvec b) { return (cvec){a.re - b.re, a.im - b.im}; }
HDI_INLINE cvec c_turn(cvec a) { return (cvec){a.im, -a.re}; }   /* times -i */
HDI_INLINE cvec c_mul(cvec a, cvec b)
{
    return (cvec){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* The first halves of two vectors, element by element, and the second ones. */
#define FIRST_2(x, y) __builtin_shufflevector(x, y, 0, 2)
#define SECOND_2(x, y) __builtin_shufflevector(x, y, 1, 3)
#define FIRST_4(x, y) __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define SECOND_4(x, y) __builtin_shufflevector(x, y, 2, 6, 3, 7)
#define FIRST_8(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define SECOND_8(x, y) __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
#define FIRST_16(x, y) \
    __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define SECOND_16(x, y) \
    __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
/* Every second element of two vectors, from the first or the second one on. */
#define EVEN_2(x, y) __builtin_shufflevector(x, y, 0, 2)
#define ODD_2(x, y) __builtin_shufflevector(x, y, 1, 3)
#define EVEN_4(x, y) __builtin_shufflevector(x, y, 0, 2, 4, 6)
#define ODD_4(x, y) __builtin_shufflevector(x, y, 1, 3, 5, 7)
#define EVEN_8(x, y) __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD_8(x, y) __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15)
#define EVEN_16(x, y) \
    __builtin_shufflevector(x, y, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
#define ODD_16(x, y) \
    __builtin_shufflevector(x, y, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define ZIP(half) HDI_CAT(half, WIDEST)
#elif defined(__AVX2__)
#define ZIP(half) HDI_CAT(half, WIDER)
#else
#define ZIP(half) HDI_CAT(half, WIDE)
#endif

/* W vectors as rows of a square become its columns: every zip is a turn of the bits of an index. */
HDI_INLINE void turn_square(vec *x)
{
    vec y[W];
    UNROLL
    for (int round = 1; round < W; round *= 2) {
        UNROLL
        for (int i = 0; i < W / 2; i++) {
            y[2 * i] = ZIP(FIRST_)(x[i], x[i + W / 2]);
            y[2 * i + 1] = ZIP(SECOND_)(x[i], x[i + W / 2]);
        }
        UNROLL
        for (int i = 0; i < W; i++)
            x[i] = y[i];
    }
}

/* ---- transforms of a few points -------------------------------------------------------------- */

HDI_INLINE void transform4(cvec *a)
{
    const cvec even = c_add(a[0], a[2]), odd = c_add(a[1], a[3]);
    const cvec first = c_sub(a[0], a[2]), second = c_turn(c_sub(a[1], a[3]));
    a[0] = c_add(even, odd);
    a[1] = c_add(first, second);
    a[2] = c_sub(even, odd);
    a[3] = c_sub(first, second);
}

HDI_INLINE void transform8(cvec *a)
{
    const T half = (T)0.70710678118654752440;   /* sqrt(1/2) */
    cvec even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};
    transform4(even);
    transform4(odd);
    odd[1] = (cvec){(odd[1].re + odd[1].im) * half, (odd[1].im - odd[1].re) * half};
    odd[2] = c_turn(odd[2]);
    odd[3] = (cvec){(odd[3].im - odd[3].re) * half, -((odd[3].re + odd[3].im) * half)};
    UNROLL
    for (int k = 0; k < 4; k++) {
        a[k] = c_add(even[k], odd[k]);
        a[k + 4] = c_sub(even[k], odd[k]);
    }
}

/* An odd number of points: those at k and r - k share their products. root: cosines, then sines,
 * of 2 pi k / r. t: room for r. */
HDI_INLINE void transform_odd(int r, cvec *a, cvec *t, const T *root)
{
    const int half = (r - 1) / 2;
    const cvec first = a[0];
    UNROLL
    for (int k = 1; k <= half; k++) {
        t[k] = c_add(a[k], a[r - k]);
        t[r - k] = c_sub(a[k], a[r - k]);
        a[0] = c_add(a[0], t[k]);
    }
    UNROLL
    for (int j = 1; j <= half; j++) {
        cvec even = first, odd = {{0}, {0}};
        UNROLL
        for (int k = 1, at = j; k <= half; k++) {
            const T c = root[at], s = root[r + at];
            even.re += t[k].re * c;
            even.im += t[k].im * c;
            odd.re += t[r - k].re * s;
            odd.im += t[r - k].im * s;
            at = at + j >= r ? at + j - r : at + j;
        }
        a[j] = c_add(even, c_turn(odd));
        a[r - j] = c_sub(even, c_turn(odd));
    }
}

HDI_INLINE void transform(int r, cvec *a, cvec *t, const T *root)
{
    if (r == 2) {
        const cvec first = a[0];
        a[0] = c_add(first, a[1]);
        a[1] = c_sub(first, a[1]);
    } else if (r == 4) {
        transform4(a);
    } else if (r == 8) {
        transform8(a);
    } else {
        transform_odd(r, a, t, root);
    }
}

/* ---- one pass -------------------------------------------------------------------------------- */

/* Vector i .. i + W of the inputs, transformed: those of point k are `apart` elements apart. */
HDI_INLINE void fetch(int r, cvec *a, cvec *t, planes in, int64_t apart, const T *root)
{
    UNROLL
    for (int k = 0; k < r; k++)
        a[k] = (cvec){*(const loose *)(in.re + k * apart), *(const loose *)(in.im + k * apart)};
    transform(r, a, t, root);
}

/* Neighbours are at least a vector: all of it goes by vectors, and what is left at the end by one
 * that overlaps the one before. a, t: room for r. */
HDI_INLINE void pass_wide(int r, cvec *a, cvec *t, const hdi_fft_pass *f, int64_t s, planes out,
                          planes in)
{
    const T *w = f->twiddle, *w_im = w + (r - 1) * f->m;
    for (int64_t p = 0; p < f->m; p++) {
        const planes from = {in.re + p * s, in.im + p * s}, to = {out.re + p * r * s,
                                                                  out.im + p * r * s};
        for (int64_t q = 0; q < s; q += W) {
            const int64_t at = q + W <= s ? q : s - W;
            fetch(r, a, t, (planes){from.re + at, from.im + at}, s * f->m, f->root);
            UNROLL
            for (int k = 0; k < r; k++) {
                if (k > 0 && f->m > 1)
                    a[k] = c_mul(a[k], (cvec){(vec){0} + w[(k - 1) * f->m + p],
                                              (vec){0} + w_im[(k - 1) * f->m + p]});
                *(loose *)(to.re + k * s + at) = a[k].re;
                *(loose *)(to.im + k * s + at) = a[k].im;
            }
        }
    }
}

/* Results of inputs i .. i + W, which belong to different p: s at a time go to their place. */
HDI_INLINE void spread(T *out, const vec *x, int r, int64_t s, int64_t i, int64_t n)
{
    if (s == 1 && r % W == 0 && n == W) {
        for (int k = 0; k < r; k += W) {
            vec square[W];
            UNROLL
            for (int e = 0; e < W; e++)
                square[e] = x[k + e];
            turn_square(square);
            UNROLL
            for (int e = 0; e < W; e++)
                *(loose *)(out + (i + e) * r + k) = square[e];
        }
        return;
    }
    if (s == 1) {
        for (int64_t e = 0; e < n; e++)
            for (int k = 0; k < r; k++)
                out[(i + e) * r + k] = x[k][e];
        return;
    }
    for (int64_t e = 0, q = i % s, p = i / s; e < n; e++) {
        for (int k = 0; k < r; k++)
            out[p * r * s + k * s + q] = x[k][e];
        if (++q == s)
            q = 0, p++;
    }
}

/* Fewer neighbours than a vector has lanes, or not many more: p and q are one index. */
HDI_INLINE void pass_narrow(int r, cvec *a, cvec *t, vec *re, vec *im, const hdi_fft_pass *f,
                            planes out, planes in)
{
    const int64_t n = f->m * f->s;
    const T *w = f->each, *w_im = w + (r - 1) * n;
    for (int64_t i = 0; i < n; i += W) {
        const int64_t at = i + W <= n ? i : n - W;
        fetch(r, a, t, (planes){in.re + at, in.im + at}, n, f->root);
        UNROLL
        for (int k = 0; k < r; k++) {
            if (k > 0 && f->m > 1)
                a[k] = c_mul(a[k], (cvec){*(const loose *)(w + (k - 1) * n + at),
                                          *(const loose *)(w_im + (k - 1) * n + at)});
            re[k] = a[k].re;
            im[k] = a[k].im;
        }
        spread(out.re, re, r, f->s, at, W);
        spread(out.im, im, r, f->s, at, W);
    }
}

/* As pass_narrow() where there is no whole vector of it. */
static void pass_tiny(const hdi_fft_pass *f, planes out, planes in)
{
    const int r = f->radix;
    const int64_t n = f->m * f->s;
    const size_t bytes = (size_t)n * sizeof(T);
    const T *w = f->each, *w_im = w + (r - 1) * n;
    cvec a[HDI_FFT_RADIX], t[HDI_FFT_RADIX];
    vec re[HDI_FFT_RADIX], im[HDI_FFT_RADIX];
    for (int k = 0; k < r; k++) {
        a[k] = (cvec){{0}, {0}};
        memcpy(&a[k].re, in.re + k * n, bytes);
        memcpy(&a[k].im, in.im + k * n, bytes);
    }
    transform(r, a, t, f->root);
    for (int k = 0; k < r; k++) {
        cvec turn = {{0}, {0}};
        if (k > 0 && f->m > 1) {
            memcpy(&turn.re, w + (k - 1) * n, bytes);
            memcpy(&turn.im, w_im + (k - 1) * n, bytes);
            a[k] = c_mul(a[k], turn);
        }
        re[k] = a[k].re;
        im[k] = a[k].im;
    }
    spread(out.re, re, r, f->s, 0, n);
    spread(out.im, im, r, f->s, 0, n);
}

enum { FEW = 16 };   /* points of a transform that is unrolled */

HDI_INLINE void pass_of(int r, const hdi_fft_pass *f, int64_t lanes, planes out, planes in)
{
    cvec a[FEW], t[FEW];
    vec re[FEW], im[FEW];
    if (lanes == 1 && f->each != NULL)
        pass_narrow(r, a, t, re, im, f, out, in);
    else
        pass_wide(r, a, t, f, f->s * lanes, out, in);
}

static void pass_many(const hdi_fft_pass *f, int64_t lanes, planes out, planes in)
{
    cvec a[HDI_FFT_RADIX], t[HDI_FFT_RADIX];
    vec re[HDI_FFT_RADIX], im[HDI_FFT_RADIX];
    if (lanes == 1 && f->each != NULL)
        pass_narrow(f->radix, a, t, re, im, f, out, in);
    else
        pass_wide(f->radix, a, t, f, f->s * lanes, out, in);
}

static void fft_pass(const hdi_fft_pass *f, int64_t lanes, const hdi_fft_planes *o,
                     const hdi_fft_planes *i)
{
    const planes out = planes_of(o), in = planes_of(i);
    if (lanes == 1 && f->m * f->s < W) {
        pass_tiny(f, out, in);
        return;
    }
    switch (f->radix) {
    case 2: pass_of(2, f, lanes, out, in); break;
    case 3: pass_of(3, f, lanes, out, in); break;
    case 4: pass_of(4, f, lanes, out, in); break;
    case 5: pass_of(5, f, lanes, out, in); break;
    case 7: pass_of(7, f, lanes, out, in); break;
    case 8: pass_of(8, f, lanes, out, in); break;
    case 11: pass_of(11, f, lanes, out, in); break;
    case 13: pass_of(13, f, lanes, out, in); break;
    default: pass_many(f, lanes, out, in); break;
    }
}

/* ---- memory to planes and back --------------------------------------------------------------- */

HDI_INLINE T element(const uint8_t *p)
{
    T x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* Pairs that follow each other in each of W lines: W / 2 of each at a time. Returns the points
 * done. */
HDI_INLINE int64_t load_turned(planes p, const hdi_fft_lines *l)
{
    int64_t k = 0;
    for (; k + W / 2 <= l->have[1]; k += W / 2) {
        vec square[W];
        UNROLL
        for (int j = 0; j < W; j++)
            memcpy(&square[j], l->re + k * l->step + j * l->lane, sizeof(vec));
        turn_square(square);
        UNROLL
        for (int e = 0; e < W / 2; e++) {
            *(loose *)(p.re + (k + e) * W) = square[2 * e];
            *(loose *)(p.im + (k + e) * W) = square[2 * e + 1];
        }
    }
    return k;
}

HDI_INLINE int64_t store_turned(planes p, const hdi_fft_lines *l, T scale, T scale_im)
{
    int64_t k = 0;
    for (; k + W / 2 <= l->have[1]; k += W / 2) {
        vec square[W];
        UNROLL
        for (int e = 0; e < W / 2; e++) {
            square[2 * e] = *(const loose *)(p.re + (k + e) * W) * scale;
            square[2 * e + 1] = *(const loose *)(p.im + (k + e) * W) * scale_im;
        }
        turn_square(square);
        UNROLL
        for (int j = 0; j < W; j++)
            memcpy(l->re + k * l->step + j * l->lane, &square[j], sizeof(vec));
    }
    return k;
}

/* Rows that lie far apart no hardware foresees: cache lines are asked for some rows ahead, past the
 * last one too, which asks for nothing that counts. */
enum { AHEAD = 16, CACHE_LINE = 64 };
#define ask_for(p, nbytes, to_write)                                    \
    for (int64_t at = 0; at < (nbytes); at += CACHE_LINE)               \
    __builtin_prefetch((p) + at, to_write)

/* One plane from point `first` on, any strides. */
static void load_plane(T *to, const uint8_t *from, int64_t first, int64_t have,
                       const hdi_fft_lines *l)
{
    if (l->lanes == 1) {
        for (int64_t k = first; k < have; k++)
            to[k] = element(from + k * l->step);
    } else if (l->lane == (int64_t)sizeof(T) && l->used == l->lanes) {
        for (int64_t k = first; k < have; k++) {
            ask_for(from + (k + AHEAD) * l->step, (int64_t)sizeof(T) * l->lanes, 0);
            for (int64_t j = 0; j < l->lanes; j += W)
                memcpy(to + k * l->lanes + j, from + k * l->step + j * (int64_t)sizeof(T),
                       sizeof(vec));
        }
    } else {
        for (int64_t k = first; k < have; k++)
            for (int64_t j = 0; j < l->lanes; j++)
                to[k * l->lanes + j] = j < l->used ? element(from + k * l->step + j * l->lane) : 0;
    }
    memset(to + have * l->lanes, 0, sizeof(T) * (size_t)((l->n - have) * l->lanes));
}

/* Dense complex numbers, n of them. */
HDI_INLINE void split(T *re, T *im, const uint8_t *from, int64_t n)
{
    typedef T unaligned __attribute__((aligned(1), may_alias));
    const unaligned *x = (const void *)from;
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++) {
        re[i] = x[2 * i];
        im[i] = x[2 * i + 1];
    }
}

/* A row of whole vectors of them. */
HDI_INLINE void split_row(T *re, T *im, const uint8_t *from, int64_t n)
{
    for (int64_t i = 0; i < n; i += W) {
        vec x, y;
        memcpy(&x, from + 2 * i * (int64_t)sizeof(T), sizeof x);
        memcpy(&y, from + (2 * i + W) * (int64_t)sizeof(T), sizeof y);
        *(loose *)(re + i) = ZIP(EVEN_)(x, y);
        *(loose *)(im + i) = ZIP(ODD_)(x, y);
    }
}

static void fft_load(const hdi_fft_planes *to, const hdi_fft_lines *l)
{
    const planes p = planes_of(to);
    const int64_t size = (int64_t)sizeof(T), rest = l->n - l->have[0];
    const bool pairs = l->im == l->re + size && l->have[0] == l->have[1];
    const bool dense = l->im == l->re + size && l->step == 2 * size;
    const bool row = pairs && l->lanes == 1 && l->step == 2 * size;
    const bool block = pairs && l->used == l->lanes && l->lane == 2 * size;
    if (!row && !block) {
        const int64_t done = dense && l->lanes == W && l->used == W ? load_turned(p, l) : 0;
        load_plane(p.re, l->re, done, l->have[0], l);
        load_plane(p.im, l->im, done, l->have[1], l);
        return;
    }
    if (row)
        split(p.re, p.im, l->re, l->have[0]);
    else
        for (int64_t k = 0; k < l->have[0]; k++) {
            ask_for(l->re + (k + AHEAD) * l->step, 2 * size * l->lanes, 0);
            split_row(p.re + k * l->lanes, p.im + k * l->lanes, l->re + k * l->step, l->lanes);
        }
    memset(p.re + l->have[0] * l->lanes, 0, sizeof(T) * (size_t)(rest * l->lanes));
    memset(p.im + l->have[0] * l->lanes, 0, sizeof(T) * (size_t)(rest * l->lanes));
}

HDI_INLINE void store_row(uint8_t *to, const T *from, T scale, int64_t step, int64_t n)
{
    int64_t j = 0;
    for (; step == (int64_t)sizeof(T) && j + W <= n; j += W) {
        const vec x = *(const loose *)(from + j) * scale;
        memcpy(to + j * step, &x, sizeof x);
    }
    for (; j < n; j++) {
        const T x = from[j] * scale;
        memcpy(to + j * step, &x, sizeof x);
    }
}

static void store_plane(uint8_t *to, const T *from, T scale, int64_t first, int64_t have,
                        const hdi_fft_lines *l)
{
    for (int64_t k = first; k < have; k++) {
        if (l->lane == (int64_t)sizeof(T))
            ask_for(to + (k + AHEAD) * l->step, (int64_t)sizeof(T) * l->used, 1);
        store_row(to + k * l->step, from + k * l->lanes, scale, l->lane, l->used);
    }
}

HDI_INLINE void join(uint8_t *to, const T *re, const T *im, T scale, T scale_im, int64_t n)
{
    typedef T unaligned __attribute__((aligned(1), may_alias));
    unaligned *x = (void *)to;
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++) {
        x[2 * i] = re[i] * scale;
        x[2 * i + 1] = im[i] * scale_im;
    }
}

HDI_INLINE void join_row(uint8_t *to, const T *re, const T *im, T scale, T scale_im, int64_t n)
{
    int64_t i = 0;
    for (; i + W <= n; i += W) {
        const vec a = *(const loose *)(re + i) * scale, b = *(const loose *)(im + i) * scale_im;
        const vec x = ZIP(FIRST_)(a, b), y = ZIP(SECOND_)(a, b);
        memcpy(to + 2 * i * (int64_t)sizeof(T), &x, sizeof x);
        memcpy(to + (2 * i + W) * (int64_t)sizeof(T), &y, sizeof y);
    }
    join(to + 2 * i * (int64_t)sizeof(T), re + i, im + i, scale, scale_im, n - i);
}

static void fft_store(const hdi_fft_planes *from, const hdi_fft_lines *l, double scale,
                      double scale_im)
{
    const planes p = planes_of(from);
    const int64_t size = (int64_t)sizeof(T);
    const T a = (T)scale, b = (T)scale_im;
    const bool pairs = l->im == l->re + size && l->have[0] == l->have[1];
    if (pairs && l->lanes == 1 && l->step == 2 * size) {
        join(l->re, p.re, p.im, a, b, l->have[0]);
    } else if (pairs && l->lane == 2 * size) {
        for (int64_t k = 0; k < l->have[0]; k++) {
            ask_for(l->re + (k + AHEAD) * l->step, 2 * size * l->used, 1);
            join_row(l->re + k * l->step, p.re + k * l->lanes, p.im + k * l->lanes, a, b, l->used);
        }
    } else {
        const bool dense = l->im == l->re + size && l->step == 2 * size;
        const bool square = dense && l->lanes == W && l->used == W;
        const int64_t done = square ? store_turned(p, l, a, b) : 0;
        store_plane(l->re, p.re, a, done, l->have[0], l);
        store_plane(l->im, p.im, b, done, l->have[1], l);
    }
}

#include "backend/cpu/loops/loops_fft_tables.h"

const hdi_fft_loops HDI_SYM3(fft, loops, DTYPE) = {
    W,         fft_pass,   fft_load, fft_store,      fft_multiply, fft_after,
    fft_before, fft_mirror, fft_turn, fft_turn_lines};
