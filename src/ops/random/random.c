/* SPDX-License-Identifier: BSD-3-Clause */
/* random.c - random numbers as elementwise operations over positions: nothing is stored, and
 * they fuse. */
#include <heddle/random.h>

#include "base/lock.h"
#include "ops/ops.h"

/* splitmix64: spreads a small seed over the key. Source: Steele, Lea, Flood, OOPSLA 2014. */
static uint64_t spread_seed(uint64_t seed)
{
    uint64_t z = seed + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

hd_generator hd_generator_seed(uint64_t seed)
{
    return (hd_generator){spread_seed(seed), 0};
}

/* An array of row op of rule BITS; under the lock. */
static hd_array *draw(hd_generator *g, hd_op op, int nd, const int64_t *shape, hd_dtype dt)
{
    if (g == NULL)
        return hdi_null("the generator");
    hd_device *dev = hdi_current_device();
    hd_array *x = dev != NULL ? hdi_new(dev, nd, shape, dt) : NULL;
    hdi_layout *positions = x != NULL ? hdi_layout_c(nd, shape, 1) : NULL;
    hdi_record *r = NULL;
    hd_status status = positions != NULL ? HD_OK : HD_NOMEM;
    /* The call number advances at record: work that turns out dead shifts nothing. */
    uint64_t state[2] = {g->key, g->calls};
    if (status == HD_OK && x->lay->size > 0) {
        r = hdi_record_begin(hdi_window_of(dev), op, 'e', dt, 2);
        status = r != NULL ? HD_OK : hd_error_peek()->code;
    }
    if (r != NULL) {
        hdi_record_array(r, 0, x, x->lay);
        hdi_record_index(r, 1, positions, 0);
        hdi_record_scalar(r, 2, HD_COMPLEX128, state);
        r->domain = x->lay;
        status = hdi_record_end(hdi_window_of(dev), r);
    }
    if (status == HD_OK)
        g->calls++;
    if (status != HD_OK && x != NULL) {
        hdi_array_release(x);
        x = NULL;
    }
    return x;
}

HDI_UNLOCKS static hd_array *done(hd_array *x)
{
    if (x != NULL && x->lay->nd == 0)
        x->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    return hdi_done(x, "random");
}

static hd_array *draw_plain(hd_generator *g, hd_op op, int nd, const int64_t *shape, hd_dtype dt)
{
    hdi_lock();
    return done(draw(g, op, nd, shape, dt));
}

static bool real_dtype(hd_dtype *dt, const char *what)
{
    if (*dt == HD_NO_DTYPE)
        *dt = HD_FLOAT64;
    if (*dt == HD_FLOAT32 || *dt == HD_FLOAT64)
        return true;
    hdi_fail(HD_DTYPE, "Unsupported dtype dtype('%s') for %s", hd_dtype_name(*dt), what);
    return false;
}

hd_array *hd_random_uniform(hd_generator *g, int nd, const int64_t *shape, hd_dtype dt)
{
    return real_dtype(&dt, "random") ? draw_plain(g, HD_OP_random_uniform, nd, shape, dt) : NULL;
}

hd_array *hd_random_normal(hd_generator *g, int nd, const int64_t *shape, hd_dtype dt)
{
    return real_dtype(&dt, "standard_normal") ? draw_plain(g, HD_OP_random_normal, nd, shape, dt)
                                             : NULL;
}

hd_array *hd_random_raw(hd_generator *g, int nd, const int64_t *shape)
{
    return draw_plain(g, HD_OP_random_raw, nd, shape, HD_UINT64);
}

/* ---- draws with parameters ------------------------------------------------------------------- */

/* Row op of rule DRAW over words and two parameters (z NULL: one). */
static hd_array *draw_from(const hd_array *words, hd_op op, hd_dtype dt, const hd_array *y,
                           const hd_array *z)
{
    hdi_in in[3] = {{.x = words}, hdi_in_array(y)};
    if (z != NULL)
        in[2] = hdi_in_array(z);
    hd_array *x = hdi_ew(op, dt, z != NULL ? 3 : 2, in);
    if (x == NULL || (x->lay->nd == words->lay->nd && x->lay->size == words->lay->size))
        return x;
    hdi_array_release(x);
    hdi_fail(HD_SHAPE, "parameters do not broadcast to the shape of the numbers drawn");
    return NULL;
}

/* A word for each element of shape, and from it and the parameters a number of dtype dt, computed
 * in loop dtype cdt. */
static hd_array *draw_with(hd_generator *g, hd_op op, int nd, const int64_t *shape, hd_dtype cdt,
                           hd_dtype dt, const hd_array *const *parameters)
{
    bool both = hdi_op_rows[op].info.nin == 3;
    const hd_array *y = parameters[0], *z = both ? parameters[1] : NULL;
    if (y == NULL || (both && z == NULL))
        return hdi_null("an array");
    hdi_lock();
    hd_array *x = NULL, *words = draw(g, HD_OP_random_raw, nd, shape, HD_INT64);
    if (words != NULL) {
        x = draw_from(words, op, cdt, y, z);
        hdi_array_release(words);
    }
    if (x != NULL && cdt != dt) {
        hdi_layout *lay = hdi_layout_like(x->lay, hdi_itemsize(dt));
        hd_array *cast = lay != NULL ? hdi_new_copy(x, dt, lay) : NULL;
        hdi_array_release(x);
        x = cast;
    }
    return done(x);
}

hd_array *hd_random_integers(hd_generator *g, int nd, const int64_t *shape, const hd_array *low,
                             const hd_array *last, hd_dtype dt)
{
    dt = dt == HD_NO_DTYPE ? HD_INT64 : dt;
    if (hd_dtype_size(dt) == 0 || !hdi_is_int(dt)) {
        hdi_fail(HD_DTYPE, "Unsupported dtype dtype('%s') for integers", hd_dtype_name(dt));
        return NULL;
    }
    return draw_with(g, HD_OP_random_integers, nd, shape, dt, dt,
                     (const hd_array *const[]){low, last});
}

hd_array *hd_random_gamma(hd_generator *g, int nd, const int64_t *shape, const hd_array *a,
                          const hd_array *scale, hd_dtype dt)
{
    const hd_array *const parameters[] = {a, scale};
    return real_dtype(&dt, "standard_gamma")
               ? draw_with(g, HD_OP_random_gamma, nd, shape, dt, dt, parameters)
               : NULL;
}

hd_array *hd_random_beta(hd_generator *g, int nd, const int64_t *shape, const hd_array *a,
                         const hd_array *b, hd_dtype dt)
{
    const hd_array *const parameters[] = {a, b};
    return real_dtype(&dt, "beta") ? draw_with(g, HD_OP_random_beta, nd, shape, dt, dt, parameters)
                                  : NULL;
}

hd_array *hd_random_poisson(hd_generator *g, int nd, const int64_t *shape, const hd_array *mean)
{
    return draw_with(g, HD_OP_random_poisson, nd, shape, HD_FLOAT64, HD_INT64, &mean);
}

hd_array *hd_random_binomial(hd_generator *g, int nd, const int64_t *shape, const hd_array *n,
                             const hd_array *p)
{
    return draw_with(g, HD_OP_random_binomial, nd, shape, HD_FLOAT64, HD_INT64,
                     (const hd_array *const[]){n, p});
}

/* ---- library calls --------------------------------------------------------------------------- */

/* out = op(x, y), a library call (y NULL: of one input); takes x and out. */
static hd_array *call(hd_op op, hd_array *out, hd_array *x, const hd_array *y, int64_t n)
{
    hd_status status = out != NULL && x != NULL ? HD_OK : hd_error_peek()->code;
    if (status == HD_OK && out->lay->size > 0) {
        hdi_window *w = hdi_window_of(out->st->buf->dev);
        hdi_record *r = hdi_record_begin(w, op, 'x', HD_INT64, y != NULL ? 2 : 1);
        status = r != NULL ? HD_OK : hd_error_peek()->code;
        if (r != NULL) {
            hdi_record_array(r, 0, out, out->lay);
            hdi_record_array(r, 1, x, x->lay);
            if (y != NULL)
                hdi_record_array(r, 2, y, y->lay);
            r->domain = out->lay;
            r->payload.n = n;
            status = hdi_record_end(w, r);
        }
    }
    if (x != NULL)
        hdi_array_release(x);
    if (status != HD_OK && out != NULL) {
        hdi_array_release(out);
        out = NULL;
    }
    return out;
}

hd_array *hd_random_order(hd_generator *g, int64_t rows, int64_t n, int64_t m)
{
    int64_t dims[2] = {rows, m};
    if (n < 0 || m < 0 || m > n) {
        hdi_fail(HD_VALUE, "cannot take %lld of %lld places", (long long)m, (long long)n);
        return NULL;
    }
    hdi_lock();
    hd_device *dev = hdi_current_device();
    hd_array *out = dev != NULL ? hdi_new(dev, 2, dims, HD_INT64) : NULL;
    hd_array *words = out != NULL ? draw(g, HD_OP_random_raw, 1, &rows, HD_UINT64) : NULL;
    return done(call(HD_OP_random_order, out, words, NULL, n));
}

hd_array *hd_random_choice(hd_generator *g, int64_t n, const hd_array *cumulative)
{
    if (cumulative == NULL)
        return hdi_null("an array");
    if (hdi_is_weak(cumulative) || cumulative->lay->nd != 1 || cumulative->dtype != HD_FLOAT64) {
        hdi_fail(HD_VALUE, "cumulative probabilities are one row of float64");
        return NULL;
    }
    hdi_lock();
    hd_device *dev = hdi_current_device();
    hd_array *out = dev != NULL ? hdi_new(dev, 1, &n, HD_INT64) : NULL;
    hd_array *x = out != NULL ? draw(g, HD_OP_random_uniform, 1, &n, HD_FLOAT64) : NULL;
    return done(call(HD_OP_random_pick, out, x, cumulative, 0));
}
