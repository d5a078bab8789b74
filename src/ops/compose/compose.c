/* SPDX-License-Identifier: BSD-3-Clause */
/* compose.c - tiled arrays and neighbours' differences, of views and operations. What is made on
 * the way is kept out of the caller's scopes and released. */
#include <heddle/compose.h>

#include "ops/ops.h"

/* ---- tile ------------------------------------------------------------------------------------ */

/* Shapes of a tiled array: an axis of its own for every repetition, before the axis repeated. */
typedef struct tiling {
    int nd, apart_nd;
    int64_t apart[2 * HD_MAXDIM], wide[2 * HD_MAXDIM], result[HD_MAXDIM];
} tiling;

static hd_status plan_tiles(tiling *t, const hd_array *x, int n, const int64_t *reps)
{
    const int nd = hd_ndim(x);
    hd_status status = HD_OK;
    t->nd = nd > n ? nd : n;
    t->apart_nd = 0;
    for (int a = 0; a < t->nd; a++) {
        const int64_t extent = a < t->nd - nd ? 1 : hd_shape(x)[a - (t->nd - nd)];
        const int64_t times = a < t->nd - n ? 1 : reps[a - (t->nd - n)];
        HD_REQUIRE(times >= 0, HD_VALUE, "an array cannot be repeated %lld times",
                   (long long)times);
        HD_REQUIRE(hdi_mul64(extent, times, &t->result[a]), HD_VALUE,
                   "the array would be too large");
        if (times != 1) {
            t->apart[t->apart_nd] = 1;
            t->wide[t->apart_nd++] = times;
        }
        t->apart[t->apart_nd] = extent;
        t->wide[t->apart_nd++] = extent;
    }
    if (t->apart_nd > HD_MAXDIM)
        status = hdi_fail_ndim(t->apart_nd);
done:
    return status;
}

hd_array *hd_tile(const hd_array *x, int n, const int64_t *reps)
{
    tiling t;
    if (x == NULL || (reps == NULL && n > 0))
        return hdi_null(x == NULL ? "an array" : "a list of numbers");
    if (n < 0 || n > HD_MAXDIM) {
        hdi_fail_ndim(n);
        return NULL;
    }
    if (plan_tiles(&t, x, n, reps) != HD_OK)
        return NULL;
    hd_array *r = NULL, *apart = hd_keep(hd_reshape(x, t.apart_nd, t.apart, 'C'));
    hd_array *wide = apart != NULL ? hd_keep(hd_broadcast_to(apart, t.apart_nd, t.wide)) : NULL;
    hd_array *dense = wide != NULL ? hd_keep(hd_copy(wide, 'C')) : NULL;
    if (dense != NULL)
        r = hd_reshape(dense, t.nd, t.result, 'C');
    hd_release(apart);
    hd_release(wide);
    hd_release(dense);
    return r;
}

/* ---- differences ----------------------------------------------------------------------------- */

static hd_index between(int64_t start, int64_t stop)
{
    return (hd_index){HD_INDEX_SLICE, start, stop, 1};
}

static hd_array *one_diff(const hd_array *x, int axis)
{
    hd_index items[HD_MAXDIM];
    for (int a = 0; a < axis; a++)
        items[a] = between(HD_NONE, HD_NONE);
    items[axis] = between(1, HD_NONE);
    hd_array *r = NULL, *later = hd_keep(hd_slice(x, axis + 1, items)), *earlier = NULL;
    items[axis] = between(HD_NONE, -1);
    if (later != NULL)
        earlier = hd_keep(hd_slice(x, axis + 1, items));
    if (earlier != NULL)
        r = hd_binary(hd_dtype_of(x) == HD_BOOL ? HD_OP_not_equal : HD_OP_subtract, later, earlier);
    hd_release(later);
    hd_release(earlier);
    return r;
}

hd_array *hd_diff(const hd_array *x, int64_t n, int axis)
{
    if (x == NULL)
        return hdi_null("an array");
    if (hdi_axis(axis, hd_ndim(x), &axis) != HD_OK)
        return NULL;
    if (n <= 0) {
        if (n < 0)
            hdi_fail(HD_VALUE, "differences cannot be taken %lld times", (long long)n);
        return n < 0 ? NULL : hd_copy(x, 'K');
    }
    hd_array *r = one_diff(x, axis);
    while (--n > 0 && r != NULL && hd_shape(r)[axis] > 0) {     /* what is empty stays so */
        hd_array *next = one_diff(r, axis);
        hd_release(hd_keep(r));
        r = next;
    }
    return r;
}
