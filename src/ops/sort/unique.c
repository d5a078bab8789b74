/* SPDX-License-Identifier: BSD-3-Clause */
/* unique.c - distinct elements: where neighbours of the sorted array differ. */
#include <heddle/sort.h>

#include "ops/ops.h"

static const int64_t all_of_it = -1;

static hd_array *part(const hd_array *x, int64_t from, int64_t to)
{
    return hd_slice(x, 1, &(hd_index){HD_INDEX_SLICE, from, to, 1});
}

/* Whether each element of the sorted s is the first of its kind. */
static hd_array *first_ones(const hd_array *s, bool equal_nan)
{
    const int64_t one = 1;
    if (s == NULL || s->lay->size == 0)
        return s != NULL ? hd_astype(s, HD_BOOL, 'K', HD_CAST_UNSAFE, 1) : NULL;
    hd_array *earlier = part(s, 0, -1), *later = part(s, 1, HD_NONE),
             *differ = hd_not_equal(earlier, later);
    if (equal_nan && (hdi_dtypes[s->dtype].kind == 'f' || hdi_is_complex((hd_dtype)s->dtype)))
        differ = hd_logical_and(
            differ, hd_logical_not(hd_logical_and(hd_isnan(earlier), hd_isnan(later))));
    hd_array *first = hd_ones(1, &one, HD_BOOL);
    return hd_concatenate(2, (const hd_array *const[]){first, differ}, 0, HD_BOOL, NULL);
}

/* For each element of x its place among the distinct ones. */
static hd_array *places_of(const hd_array *x, const hd_array *first, const hd_array *order)
{
    hd_array *numbers = hd_subtract(hd_cumsum(first, 0, HD_INT64, NULL), hd_int(1)),
             *r = numbers != NULL && order != NULL ? hd_empty_like(numbers, HD_INT64) : NULL;
    if (r == NULL || hd_put(r, 1, &order, numbers, HD_CAST_SAME_KIND) != HD_OK)
        return NULL;
    return hd_reshape(r, hd_ndim(x), hd_shape(x), 'C');
}

static hd_array *counts_of(const hd_array *places, int64_t n)
{
    const int64_t one = 1;
    hd_array *end = hd_full(1, &one, hd_int(n), HD_INT64),
             *edges = hd_concatenate(2, (const hd_array *const[]){places, end}, 0, HD_INT64, NULL);
    return edges != NULL ? hd_subtract(part(edges, 1, HD_NONE), part(edges, 0, -1)) : NULL;
}

static hd_status unique(const hd_array *x, bool equal_nan, hd_array **out, const bool *wanted)
{
    hd_array *f = hd_reshape(x, 1, &all_of_it, 'C'), *order = NULL, *s, *places = NULL;
    if (f != NULL && (wanted[1] || wanted[2])) {
        order = hd_argsort(f, 0, 0);
        s = order != NULL ? hd_take(f, 1, (const hd_array *const[]){order}) : NULL;
    } else {
        s = hd_sort(f, 0, 0);
    }
    hd_array *first = first_ones(s, equal_nan);
    if (first == NULL || hd_nonzero(first, &places) != HD_OK)
        return hd_error_peek()->code;
    const hd_array *const at[] = {places};
    bool made = (out[0] = hd_take(s, 1, at)) != NULL;
    made = made && (!wanted[1] || (out[1] = hd_take(order, 1, at)) != NULL);
    made = made && (!wanted[2] || (out[2] = places_of(x, first, order)) != NULL);
    made = made && (!wanted[3] || (out[3] = counts_of(places, s->lay->size)) != NULL);
    return made ? HD_OK : hd_error_peek()->code;
}

hd_status hd_unique(const hd_array *x, int equal_nan, hd_array **values, hd_array **index,
                    hd_array **inverse, hd_array **counts)
{
    hd_array *out[4] = {NULL, NULL, NULL, NULL}, **to[4] = {values, index, inverse, counts};
    const bool wanted[4] = {true, index != NULL, inverse != NULL, counts != NULL};
    if (x == NULL)
        return hdi_fail_null("an array");
    const int scope = hd_scope_begin();
    hd_status status = unique(x, equal_nan != 0, out, wanted);
    for (int k = 0; k < 4; k++)
        if (status == HD_OK)
            hd_keep(out[k]);
    hd_scope_end(scope, NULL);
    const bool kept = status == HD_OK;
    for (int k = 0; k < 4; k++) {
        hd_array *r = kept ? out[k] : NULL;
        if (to[k] == NULL)
            hd_release(r);
        else if (r != NULL && (*to[k] = hdi_scope_own(r)) == NULL)   /* the caller's scope */
            status = hd_error_peek()->code;
    }
    return status;
}

hd_array *hd_unique_values(const hd_array *x)
{
    hd_array *values = NULL;
    return hd_unique(x, 0, &values, NULL, NULL, NULL) == HD_OK ? values : NULL;
}

hd_status hd_unique_counts(const hd_array *x, hd_array **values, hd_array **counts)
{
    return hd_unique(x, 0, values, NULL, NULL, counts);
}

hd_status hd_unique_inverse(const hd_array *x, hd_array **values, hd_array **inverse)
{
    return hd_unique(x, 0, values, NULL, inverse, NULL);
}

hd_status hd_unique_all(const hd_array *x, hd_array **values, hd_array **index,
                        hd_array **inverse, hd_array **counts)
{
    return hd_unique(x, 0, values, index, inverse, counts);
}
