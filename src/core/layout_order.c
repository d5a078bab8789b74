/* SPDX-License-Identifier: BSD-3-Clause */
/* layout_order.c - the memory order of results: that of NumPy's iterator and concatenate. */
#include "core/layout.h"

/* Should axis p (outer so far) stay outside axis q? Conflicts between operands are settled for C
 * order, as NumPy's iterator does. */
static int compare_axes(int nd, int n, const hdi_layout *const *operands, bool repeats_count, int p,
                        int q)
{
    bool undecided = true, swap = false;
    for (int k = 0; k < n; k++) {
        const hdi_layout *l = operands[k];
        int shift = nd - l->nd;
        if (p < shift || q < shift || l->dims[p - shift] == 1 || l->dims[q - shift] == 1)
            continue;
        int64_t sp = hdi_abs64(hdi_layout_strides(l)[p - shift]),
                sq = hdi_abs64(hdi_layout_strides(l)[q - shift]);
        if (!repeats_count && (sp == 0 || sq == 0))
            continue;
        if (sq <= sp)
            swap = false;
        else if (undecided)
            swap = true;
        undecided = false;
    }
    return undecided ? 0 : swap ? 1 : -1;
}

/* NumPy's iterator: an insertion sort of the axes, fastest first, each moved outwards from the
 * inside as far as the comparisons that decide something say. */
static void sort_as_iterator(int nd, int n, const hdi_layout *const *operands, int *perm)
{
    for (int i = 0; i < nd; i++) {
        int axis = nd - 1 - i, place = i;
        for (int j = i - 1; j >= 0; j--) {
            int order = compare_axes(nd, n, operands, false, axis, perm[j]);
            if (order < 0)
                break;
            if (order > 0)
                place = j;
        }
        memmove(perm + place + 1, perm + place, sizeof *perm * (size_t)(i - place));
        perm[place] = axis;
    }
}

/* NumPy's concatenate: the same, but slowest first, so that undecided comparisons fall otherwise;
 * repeated axes count with their stride of 0. */
static void sort_as_concatenate(int nd, int n, const hdi_layout *const *operands, int *perm)
{
    int slowest[HD_MAXDIM];
    for (int i = 0; i < nd; i++) {
        int place = i;
        for (int j = i - 1; j >= 0; j--) {
            int order = compare_axes(nd, n, operands, true, slowest[j], i);
            if (order < 0)
                break;
            if (order > 0)
                place = j;
        }
        memmove(slowest + place + 1, slowest + place, sizeof *slowest * (size_t)(i - place));
        slowest[place] = i;
    }
    for (int i = 0; i < nd; i++)
        perm[i] = slowest[nd - 1 - i];
}

static hdi_layout *ordered(int nd, const int64_t *dims, int64_t item, int n,
                           const hdi_layout *const *operands, bool repeats_count)
{
    int perm[HD_MAXDIM];   /* perm[0] is the fastest axis */
    int64_t strides[HD_MAXDIM], nbytes;
    bool c_order = true;
    for (int k = 0; k < n; k++)
        c_order = c_order &&
                  (operands[k]->c_contiguous || (operands[k]->core->nd == 0 && !repeats_count));
    if (nd < 2 || c_order)
        return hdi_layout_c(nd, dims, item);
    if (hdi_shape_check(nd, dims, item, &nbytes) != HD_OK)
        return NULL;
    if (nbytes == 0)
        return hdi_layout_c(nd, dims, item);
    (repeats_count ? sort_as_concatenate : sort_as_iterator)(nd, n, operands, perm);
    int64_t step = item;
    for (int i = 0; i < nd; i++) {
        strides[perm[i]] = step;
        step *= dims[perm[i]] ? dims[perm[i]] : 1;
    }
    return hdi_layout_get(nd, dims, strides, item);
}

hdi_layout *hdi_layout_k(int nd, const int64_t *dims, int64_t item, int n,
                         const hdi_layout *const *operands)
{
    return ordered(nd, dims, item, n, operands, false);
}

hdi_layout *hdi_layout_joined(int nd, const int64_t *dims, int64_t item, int n,
                              const hdi_layout *const *operands)
{
    return ordered(nd, dims, item, n, operands, true);
}
