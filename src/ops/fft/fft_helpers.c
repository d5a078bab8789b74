/* SPDX-License-Identifier: BSD-3-Clause */
/* fft_helpers.c - frequencies, and the order of a spectrum's points: compositions. */
#include <heddle/fft.h>

#include "ops/ops.h"

static bool check_samples(int64_t n, double d, const char *name)
{
    if (n > 0 && d != 0)
        return true;
    hdi_fail(HD_VALUE, "%s: %lld samples at distance %g have no frequencies", name, (long long)n,
             d);
    return false;
}

static hd_array *counted(int64_t first, int64_t n)
{
    return hd_arange(hd_int(first), hd_int(1), n, HD_INT64);
}

hd_array *hd_fftfreq(int64_t n, double d)
{
    if (!check_samples(n, d, "fftfreq"))
        return NULL;
    int scope = hd_scope_begin();
    const hd_array *const parts[] = {counted(0, n / 2 + n % 2), counted(-(n / 2), n / 2)};
    hd_array *order = hd_concatenate(2, parts, 0, HD_NO_DTYPE, NULL);
    return hd_scope_end(scope, hd_multiply(order, hd_float(1 / ((double)n * d))));
}

hd_array *hd_rfftfreq(int64_t n, double d)
{
    if (!check_samples(n, d, "rfftfreq"))
        return NULL;
    int scope = hd_scope_begin();
    return hd_scope_end(scope,
                        hd_multiply(counted(0, n / 2 + 1), hd_float(1 / ((double)n * d))));
}

/* The elements from `at` on along one axis, then those before. */
static hd_array *turn(hd_array *x, int axis, int64_t at)
{
    hd_index items[HD_MAXDIM];
    for (int a = 0; a <= axis; a++)
        items[a] = (hd_index){HD_INDEX_SLICE, HD_NONE, HD_NONE, HD_NONE};
    items[axis].start = at;
    hd_array *tail = hd_slice(x, axis + 1, items);
    items[axis] = (hd_index){HD_INDEX_SLICE, HD_NONE, at, HD_NONE};
    const hd_array *const parts[] = {tail, hd_slice(x, axis + 1, items)};
    return parts[0] != NULL && parts[1] != NULL
               ? hd_concatenate(2, parts, axis, HD_NO_DTYPE, NULL)
               : NULL;
}

static hd_array *shift(const hd_array *x, int naxes, const int *axes, bool back)
{
    if (x == NULL)
        return hdi_null("an array");
    if (naxes == 0 && axes == NULL)
        naxes = HD_ALL_AXES;
    if (naxes < HD_ALL_AXES || naxes > HD_MAXDIM) {
        hdi_fail(HD_VALUE, "a list of %d axes", naxes);
        return NULL;
    }
    if (naxes > 0 && axes == NULL)
        return hdi_null("the list of axes");
    const int nd = hd_ndim(x), n = naxes == HD_ALL_AXES ? nd : naxes;
    int scope = hd_scope_begin();
    hd_array *r = hd_copy(x, 'K');
    for (int i = 0; i < n && r != NULL; i++) {
        int axis;
        if (hdi_axis(naxes == HD_ALL_AXES ? i : axes[i], nd, &axis) != HD_OK) {
            r = NULL;
            break;
        }
        const int64_t length = hd_shape(x)[axis], half = length / 2;
        r = turn(r, axis, back ? half : length - half);
    }
    return hd_scope_end(scope, r);
}

hd_array *hd_fftshift(const hd_array *x, int naxes, const int *axes)
{
    return shift(x, naxes, axes, false);
}

hd_array *hd_ifftshift(const hd_array *x, int naxes, const int *axes)
{
    return shift(x, naxes, axes, true);
}
