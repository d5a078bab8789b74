/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_fft_plan.c - see cpu_fft_plan.h.
 * Source     Stockham's order of passes: Van Loan, Computational Frameworks for the Fast Fourier
 *            Transform, 1992, 1.7; Bluestein: A linear filtering approach to the computation of
 *            the discrete Fourier transform, 1970 */
#include "backend/cpu/cpu_fft_plan.h"

#include <math.h>
#include <pthread.h>

#include "base/alloc.h"

enum { FFT_CACHE_BYTES = 64 << 20, NARROW_BYTES = 128 };

/* ---- roots of unity -------------------------------------------------------------------------- */

/* exp(2 pi i k / n) for any k: by symmetry k is at most n / 8 (in units of a quarter: n / 2), and
 * such an angle is the sum of a coarse and a fine one, whose roots are in tables of long double.
 * Eleven bits more than a double has: only a result that lies within about 2^-9 of the middle
 * between two neighbours can be rounded to the wrong one. */
typedef struct root { long double re, im; } root;
typedef struct roots {
    int64_t n;
    int bits;                    /* of the fine index */
    root *fine, *coarse;
    int64_t nfine, ncoarse;
} roots;

static root root_of(int64_t k, int64_t n)   /* exp(2 pi i k / (4 n)), k <= n / 2 */
{
    const long double quarter = 1.57079632679489661923132169163975144L;
    const long double angle = quarter * (long double)k / (long double)n;
    return (root){cosl(angle), sinl(angle)};
}

static bool roots_make(roots *r, int64_t n)
{
    *r = (roots){.n = n};
    while ((int64_t)1 << (2 * r->bits) < n / 2 + 1)
        r->bits++;
    r->nfine = (int64_t)1 << r->bits;
    r->ncoarse = (n / 2 >> r->bits) + 1;
    r->fine = hdi_alloc(sizeof(root) * (size_t)(r->nfine + r->ncoarse));
    if (r->fine == NULL)
        return false;
    r->coarse = r->fine + r->nfine;
    for (int64_t k = 0; k < r->nfine; k++)
        r->fine[k] = root_of(k, n);
    for (int64_t k = 0; k < r->ncoarse; k++)
        r->coarse[k] = root_of(k << r->bits, n);
    return true;
}

static void roots_free(roots *r)
{
    hdi_free(r->fine, sizeof(root) * (size_t)(r->nfine + r->ncoarse));
}

/* exp(2 pi i k / n), 0 <= k < n. */
static root roots_at(const roots *r, int64_t k)
{
    const int64_t quarters = 4 * k / r->n, part = 4 * k - quarters * r->n;
    const bool beyond = 2 * part > r->n;   /* of the quarter's middle: cos and sin change places */
    const int64_t at = beyond ? r->n - part : part;
    const root a = r->coarse[at >> r->bits], b = r->fine[at & (r->nfine - 1)];
    root w = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    if (beyond)
        w = (root){w.im, w.re};
    switch (quarters) {
    case 0: return w;
    case 1: return (root){-w.im, w.re};
    case 2: return (root){-w.re, -w.im};
    default: return (root){w.im, -w.re};
    }
}

static void put(hd_dtype dt, void *table, int64_t at, long double x)
{
    if (dt == HD_FLOAT32)
        ((float *)table)[at] = (float)x;
    else
        ((double *)table)[at] = (double)x;
}

/* ---- what a plan consists of ----------------------------------------------------------------- */

static int64_t largest_factor(int64_t n)
{
    int64_t largest = 1;
    for (int64_t p = 2; p * p <= n; p++)
        for (; n % p == 0; n /= p)
            largest = p;
    return n > largest ? n : largest;
}

/* The smallest length of at least n with small factors only. */
static int64_t padded_length(int64_t n)
{
    static const int64_t odd[] = {1, 3, 5, 9, 15};
    int64_t best = INT64_MAX;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        int64_t m = odd[i];
        while (m < n)
            m *= 2;
        best = hdi_min64(best, m);
    }
    return best;
}

/* The passes of n points: eights first, so that neighbours soon fill vectors. */
static void choose_passes(hdi_fft_plan *p, int64_t n)
{
    int twos = 0;
    int64_t s = 1, rest = n;
    for (; rest % 2 == 0; rest /= 2)
        twos++;
    for (int64_t factor = 3; n > 1; s *= p->pass[p->npasses++].radix) {
        int radix = twos >= 5 || twos == 3 ? 8 : twos >= 2 ? 4 : twos == 1 ? 2 : 0;
        if (radix == 0) {
            while (rest % factor != 0)
                factor += 2;
            radix = (int)factor;
            rest /= factor;
        } else {
            twos -= radix == 8 ? 3 : radix == 4 ? 2 : 1;
        }
        n /= radix;
        p->pass[p->npasses] = (hdi_fft_pass){.radix = radix, .m = n, .s = s};
    }
}

static bool is_narrow(const hdi_fft_pass *f, int64_t size)
{
    return f->s * size < NARROW_BYTES && (f->s * size) % (NARROW_BYTES / 2) != 0;
}

/* Elements of a pass's tables. */
static int64_t pass_elements(const hdi_fft_pass *f, int64_t size)
{
    const int64_t row = 2 * (f->radix - 1) * f->m;
    return row + (is_narrow(f, size) && f->s > 1 ? row * f->s : 0) +
           (f->radix % 2 ? 2 * f->radix : 0);
}

/* Tables of a pass, at `to`; n: the transform's points, whose roots are given. */
static void fill_pass(hdi_fft_pass *f, const roots *w, int64_t n, hd_dtype dt, uint8_t *to)
{
    const int64_t size = hd_dtype_size(dt), r = f->radix, m = f->m, step = n / (r * m);
    const int64_t row = 2 * (r - 1) * m;
    const bool narrow = is_narrow(f, size);
    uint8_t *each = narrow && f->s > 1 ? to + row * size : to;
    uint8_t *points = to + row * size + (each != to ? row * f->s * size : 0);
    for (int64_t k = 1; k < r; k++)
        for (int64_t p = 0; p < m; p++) {
            const root x = roots_at(w, k * p * step);
            put(dt, to, (k - 1) * m + p, x.re);
            put(dt, to, (r - 1) * m + (k - 1) * m + p, -x.im);
            for (int64_t q = 0; each != to && q < f->s; q++) {
                put(dt, each, ((k - 1) * m + p) * f->s + q, x.re);
                put(dt, each, ((r - 1 + k - 1) * m + p) * f->s + q, -x.im);
            }
        }
    for (int64_t k = 0; r % 2 != 0 && k < r; k++) {
        const root x = roots_at(w, k * (n / r));
        put(dt, points, k, x.re);
        put(dt, points, r + k, x.im);
    }
    f->twiddle = to;
    f->each = narrow ? each : NULL;
    f->root = points;
}

/* ---- long lines ------------------------------------------------------------------------------ */

/* The number of columns' points: the factor of n nearest to its root, from below. */
static int64_t column_points(int64_t n)
{
    int64_t n1 = (int64_t)sqrt((double)n);
    while (n % n1 != 0)
        n1--;
    return n1;
}

/* Numbers of a turn's four tables. */
static int64_t turn_elements(const hdi_fft_turn *t)
{
    const int64_t columns = (t->n2 + HDI_FFT_TURN - 1) & -(int64_t)HDI_FFT_TURN;
    return 2 * (t->coarses + ((int64_t)1 << t->bits)) * columns;
}

/* n1 and n2, and bits such that there are about as many coarse roots as fine ones. */
static hdi_fft_turn turn_of(int64_t n)
{
    hdi_fft_turn t = {.n1 = column_points(n)};
    t.n2 = n / t.n1;
    while ((int64_t)4 << (2 * t.bits) <= t.n1)
        t.bits++;
    t.coarses = ((t.n1 - 1) >> t.bits) + 1;
    return t;
}

/* Two tables at `to`, of exp(-2 pi i k j step / n), less `less`, for k < rows; what comes after
 * them. */
static uint8_t *fill_rows(const hdi_fft_turn *t, const roots *w, int64_t step, int64_t rows,
                          long double less, hd_dtype dt, const void **table, uint8_t *to)
{
    const int64_t columns = (t->n2 + HDI_FFT_TURN - 1) & -(int64_t)HDI_FFT_TURN;
    uint8_t *im = to + columns * rows * hd_dtype_size(dt);
    table[0] = to;
    table[1] = im;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t k = 0; k < rows; k++) {
            const root x = roots_at(w, k * hdi_min64(j, t->n2 - 1) * step);
            const int64_t at = (j / HDI_FFT_TURN * rows + k) * HDI_FFT_TURN + j % HDI_FFT_TURN;
            put(dt, to, at, x.re - less);
            put(dt, im, at, -x.im);
        }
    return im + columns * rows * hd_dtype_size(dt);
}

static void fill_turn(hdi_fft_turn *t, const roots *w, hd_dtype dt, uint8_t *to)
{
    const int64_t step = w->n / (t->n1 * t->n2);
    to = fill_rows(t, w, step << t->bits, t->coarses, 0, dt, t->coarse, to);
    fill_rows(t, w, step, (int64_t)1 << t->bits, 1, dt, t->fine, to);
}

/* ---- Bluestein's way ------------------------------------------------------------------------- */

/* exp(-pi i k^2 / n) for k < n, and the transform of its conjugate, padded to `padded` and
 * scaled. */
static bool fill_bluestein(hdi_fft_plan *p, int64_t n, const roots *twice, const hdi_fft_loops *l,
                           uint8_t *to)
{
    const int64_t size = hd_dtype_size(p->dt), m = p->padded;
    uint8_t *filter = to + 2 * n * size, *room = hdi_calloc((size_t)(4 * m * size));
    if (room == NULL)
        return false;
    const hdi_fft_planes x = {room, room + m * size},
                         other = {room + 2 * m * size, room + 3 * m * size};
    for (int64_t k = 0, square = 0; k < n; k++) {
        const root w = roots_at(twice, square);
        put(p->dt, to, k, w.re);
        put(p->dt, to, n + k, -w.im);
        for (int64_t at = k;; at = m - k) {
            put(p->dt, x.re, at, w.re / (long double)m);
            put(p->dt, x.im, at, w.im / (long double)m);
            if (k == 0 || at != k)
                break;
        }
        square = (square + 2 * k + 1) % (2 * n);
    }
    const hdi_fft_planes *y = &x;
    bool done = true;
    if (hdi_cpu_fft_long(p->inner))
        done = hdi_cpu_fft_run_long(p->inner, l, &x);
    else
        y = hdi_cpu_fft_run(p->inner, l, 1, &x, &other);
    memcpy(filter, y->re, (size_t)(m * size));
    memcpy(filter + m * size, y->im, (size_t)(m * size));
    hdi_free(room, (size_t)(4 * m * size));
    p->chirp = to;
    p->filter = filter;
    return done;
}

/* ---- making one ------------------------------------------------------------------------------ */

static void plan_free(hdi_fft_plan *p);

static void free_parts(const hdi_fft_plan *p)
{
    hdi_fft_plan *const parts[] = {p->inner, p->columns, p->rows != p->columns ? p->rows : NULL};
    for (int i = 0; i < 3; i++)
        if (parts[i] != NULL)
            plan_free(parts[i]);
}

static void plan_free(hdi_fft_plan *p)
{
    free_parts(p);
    hdi_free(p, p->bytes);
}

/* Fills the tables behind the plan. */
static bool plan_fill(hdi_fft_plan *p, int64_t points, uint8_t *to)
{
    const int64_t size = hd_dtype_size(p->dt);
    roots w;
    if (!roots_make(&w, p->inner != NULL ? 2 * points : p->n))
        return false;
    bool made = true;
    if (p->inner != NULL) {
        made = fill_bluestein(p, points, &w, hdi_loops_best()->fft[p->dt == HD_FLOAT64], to);
        to += 2 * (points + p->padded) * size;
    }
    for (int i = 0; i < p->npasses; i++) {
        fill_pass(&p->pass[i], &w, p->n, p->dt, to);
        to += pass_elements(&p->pass[i], size) * size;
    }
    if (p->columns != NULL) {
        fill_turn(&p->turn, &w, p->dt, to);
        to += turn_elements(&p->turn) * size;
    }
    for (int64_t k = 0; p->real && k < points; k++) {
        const root x = roots_at(&w, k * (w.n / p->n));
        put(p->dt, to, k, x.re);
        put(p->dt, to, points + k, x.im);
    }
    p->ends = to;
    roots_free(&w);
    return made;
}

static hdi_fft_plan *plan_make(int64_t n, bool real, hd_dtype dt, bool whole);

/* Decides how p, which has its length, is done, and makes the plans that it rests on. whole: as a
 * line of its own, long or not. Returns the elements of its tables, -1 without memory. */
static int64_t plan_parts(hdi_fft_plan *p, int64_t points, bool whole)
{
    const int64_t size = hd_dtype_size(p->dt);
    int64_t elements = p->real ? 2 * points : 0;
    if (largest_factor(points) > HDI_FFT_RADIX) {
        p->padded = padded_length(2 * points - 1);
        p->inner = plan_make(p->padded, false, p->dt, whole);
        return p->inner != NULL ? elements + 2 * (points + p->padded) : -1;
    }
    if (whole && 2 * points * size >= HDI_FFT_LONG_BYTES) {
        p->turn = turn_of(points);
        p->columns = plan_make(p->turn.n1, false, p->dt, false);
        p->rows = p->turn.n2 == p->turn.n1 ? p->columns
                                           : plan_make(p->turn.n2, false, p->dt, false);
        return p->columns != NULL && p->rows != NULL ? elements + turn_elements(&p->turn) : -1;
    }
    choose_passes(p, points);
    for (int i = 0; i < p->npasses; i++)
        elements += pass_elements(&p->pass[i], size);
    return elements;
}

static hdi_fft_plan *plan_make(int64_t n, bool real, hd_dtype dt, bool whole)
{
    const int64_t points = real ? n / 2 : n, size = hd_dtype_size(dt);
    hdi_fft_plan p = {.n = n, .real = real, .dt = dt, .padded = points}, *made = NULL;
    const int64_t elements = plan_parts(&p, points, whole);
    const size_t head = (sizeof p + 63) & ~(size_t)63;
    p.bytes = head + (size_t)(elements * size);
    if (elements >= 0)
        made = hdi_alloc(p.bytes);
    if (made == NULL) {
        free_parts(&p);
        return NULL;
    }
    *made = p;
    if (plan_fill(made, points, (uint8_t *)made + head))
        return made;
    plan_free(made);
    return NULL;
}

/* ---- the cache ------------------------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static hdi_fft_plan *plans;      /* the last one used first */

static size_t plan_bytes(const hdi_fft_plan *p)
{
    return p->bytes + (p->inner != NULL ? plan_bytes(p->inner) : 0) +
           (p->columns != NULL ? plan_bytes(p->columns) : 0) +
           (p->rows != p->columns ? plan_bytes(p->rows) : 0);
}

/* Takes what is unused beyond so many bytes out of the list; under the mutex. The plans hang
 * together by `next`, for free_all() to free without it. */
static hdi_fft_plan *drop_beyond(size_t bytes)
{
    size_t total = 0;
    hdi_fft_plan *out = NULL;
    for (hdi_fft_plan **at = &plans; *at != NULL;) {
        hdi_fft_plan *p = *at;
        total += plan_bytes(p);
        if (total <= bytes || p->users > 0) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->next = out;
        out = p;
    }
    return out;
}

static void free_all(hdi_fft_plan *p)
{
    while (p != NULL) {
        hdi_fft_plan *next = p->next;
        plan_free(p);
        p = next;
    }
}

/* Under the mutex, as what follows. */
static hdi_fft_plan *find(int64_t n, bool real, hd_dtype dt)
{
    for (hdi_fft_plan **at = &plans; *at != NULL; at = &(*at)->next) {
        hdi_fft_plan *p = *at;
        if (p->n != n || p->real != real || p->dt != dt)
            continue;
        *at = p->next;
        p->next = plans;
        plans = p;
        return p;
    }
    return NULL;
}

/* The plan in the list, with one user more. made: to be put there, if there is none; NULL: not. */
static hdi_fft_plan *find_or_add(int64_t n, bool real, hd_dtype dt, hdi_fft_plan *made)
{
    pthread_mutex_lock(&mutex);
    hdi_fft_plan *p = find(n, real, dt);
    if (p == NULL && made != NULL) {
        p = made;
        p->next = plans;
        plans = p;
    }
    if (p != NULL)
        p->users++;
    pthread_mutex_unlock(&mutex);
    return p;
}

/* Plans of long lines take milliseconds to make: meanwhile other threads find theirs. */
hdi_fft_plan *hdi_cpu_fft_plan(int64_t n, bool real, hd_dtype dt)
{
    hdi_fft_plan *p = find_or_add(n, real, dt, NULL);
    if (p != NULL)
        return p;
    hdi_fft_plan *made = plan_make(n, real, dt, true);
    if (made == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for a transform of %lld points", (long long)n);
        return NULL;
    }
    p = find_or_add(n, real, dt, made);
    if (p != made)
        plan_free(made);         /* another thread was faster */
    return p;
}

void hdi_cpu_fft_done(hdi_fft_plan *plan)
{
    pthread_mutex_lock(&mutex);
    plan->users--;
    hdi_fft_plan *out = drop_beyond(FFT_CACHE_BYTES);
    pthread_mutex_unlock(&mutex);
    free_all(out);
}

void hdi_cpu_fft_trim(void)
{
    pthread_mutex_lock(&mutex);
    hdi_fft_plan *out = drop_beyond(0);
    pthread_mutex_unlock(&mutex);
    free_all(out);
}

/* ---- running --------------------------------------------------------------------------------- */

static hdi_fft_planes swapped(const hdi_fft_planes *x)
{
    return (hdi_fft_planes){x->im, x->re};
}

static const hdi_fft_planes *run_passes(const hdi_fft_plan *p, const hdi_fft_loops *l,
                                        int64_t lanes, const hdi_fft_planes *x,
                                        const hdi_fft_planes *other)
{
    for (int i = 0; i < p->npasses; i++) {
        l->pass(&p->pass[i], lanes, other, x);
        const hdi_fft_planes *done = other;
        other = x;
        x = done;
    }
    return x;
}

const hdi_fft_planes *hdi_cpu_fft_run(const hdi_fft_plan *p, const hdi_fft_loops *l, int64_t lanes,
                                      const hdi_fft_planes *x, const hdi_fft_planes *other)
{
    if (p->inner == NULL)
        return run_passes(p, l, lanes, x, other);
    const int64_t n = p->real ? p->n / 2 : p->n, size = hd_dtype_size(p->dt);
    const size_t used = (size_t)(n * lanes * size);
    const size_t rest = (size_t)((p->padded - n) * lanes * size);
    l->multiply(x, p->chirp, n, lanes, (hdi_fft_range){0, n});
    memset((uint8_t *)x->re + used, 0, rest);
    memset((uint8_t *)x->im + used, 0, rest);
    const hdi_fft_planes *y = run_passes(p->inner, l, lanes, x, other);
    l->multiply(y, p->filter, p->padded, lanes, (hdi_fft_range){0, p->padded});
    /* backward: the planes change places, in and out */
    const hdi_fft_planes *free = y == x ? other : x;
    const hdi_fft_planes back = swapped(y), spare = swapped(free);
    const hdi_fft_planes *z = run_passes(p->inner, l, lanes, &back, &spare) == &back ? y : free;
    l->multiply(z, p->chirp, n, lanes, (hdi_fft_range){0, n});
    return z;
}
