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

static hd_array *draw(hd_generator *g, hd_op op, int nd, const int64_t *shape, hd_dtype dt)
{
    hdi_lock();
    hd_device *dev = hdi_current_device();
    hd_array *x = dev != NULL ? hdi_new(dev, nd, shape, dt) : NULL;
    hdi_layout *positions = x != NULL ? hdi_layout_c(nd, shape, 1) : NULL;
    hdi_record *r = NULL;
    hd_status status = positions != NULL ? HD_OK : HD_NOMEM;
    /* The call number advances at record: work that turns out dead shifts nothing. */
    uint64_t state[2] = {g->key, g->calls};
    if (status == HD_OK && x->lay->size > 0) {
        r = hdi_record_begin(dev->window, op, 'e', dt, 2);
        status = r != NULL ? HD_OK : hd_error_peek()->code;
    }
    if (r != NULL) {
        hdi_record_array(r, 0, x, x->lay);
        hdi_record_index(r, 1, positions, 0);
        hdi_record_scalar(r, 2, HD_COMPLEX128, state);
        r->domain = x->lay;
        status = hdi_record_end(dev->window, r);
    }
    if (status == HD_OK)
        g->calls++;
    if (status != HD_OK && x != NULL) {
        hdi_array_release(x);
        x = NULL;
    }
    if (x != NULL && nd == 0)
        x->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    return hdi_done(x, "random");
}

static bool real_dtype(hd_dtype dt)
{
    if (dt == HD_FLOAT32 || dt == HD_FLOAT64)
        return true;
    hdi_fail(HD_DTYPE, "random numbers are float32 or float64, not %s", hd_dtype_name(dt));
    return false;
}

hd_array *hd_random_uniform(hd_generator *g, int nd, const int64_t *shape, hd_dtype dt)
{
    return real_dtype(dt) ? draw(g, HD_OP_random_uniform, nd, shape, dt) : NULL;
}

hd_array *hd_random_normal(hd_generator *g, int nd, const int64_t *shape, hd_dtype dt)
{
    return real_dtype(dt) ? draw(g, HD_OP_random_normal, nd, shape, dt) : NULL;
}

hd_array *hd_random_raw(hd_generator *g, int nd, const int64_t *shape)
{
    return draw(g, HD_OP_random_raw, nd, shape, HD_UINT64);
}
