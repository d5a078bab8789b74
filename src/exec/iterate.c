/* SPDX-License-Identifier: BSD-3-Clause */
/* iterate.c - loops of the user's over elements and lines. */
#include <string.h>

#include <heddle/iterate.h>

#include "base/base.h"

/* What hd_iter.state says; of all zero bytes that there is nothing. */
enum { NOTHING, BEFORE_FIRST, AT_ONE };

hd_status hd_iter_begin(hd_iter *it, hd_array *x, int axis, int write)
{
    if (it == NULL)
        return hdi_fail_null("an hd_iter");
    memset(it, 0, sizeof *it);
    if (x == NULL)
        return hdi_fail_null("an array");
    const int nd = hd_ndim(x), line = axis == HD_FLAT ? -1 : axis < 0 ? axis + nd : axis;
    if (axis != HD_FLAT && (line < 0 || line >= nd))
        return hdi_fail_axis(axis, nd);
    char *data = hd_export(x, write);
    if (data == NULL)
        return hd_error_peek()->code;
    it->array = hd_retain(x);
    it->data = data;
    it->axis = line;
    it->n = line < 0 ? 1 : hd_shape(x)[line];
    it->stride = line < 0 ? hd_dtype_size(hd_dtype_of(x)) : hd_strides(x)[line];
    it->state = BEFORE_FIRST;
    for (int a = 0; a < nd; a++)
        if (a != line && hd_shape(x)[a] == 0)
            hd_iter_end(it);
    return HD_OK;
}

void hd_iter_end(hd_iter *it)
{
    if (it == NULL || it->state == NOTHING)
        return;
    hd_unexport(it->array);
    hd_release(it->array);
    it->array = NULL;
    it->data = NULL;
    it->state = NOTHING;
}

int hd_iter_next(hd_iter *it)
{
    if (it == NULL)
        return hdi_fail_null("an hd_iter"), 0;
    if (it->state == NOTHING)
        return 0;
    if (it->state == BEFORE_FIRST) {
        it->state = AT_ONE;
        return 1;
    }
    const int64_t *shape = hd_shape(it->array), *strides = hd_strides(it->array);
    for (int a = hd_ndim(it->array) - 1; a >= 0; a--) {
        if (a == it->axis)
            continue;
        it->data += strides[a];
        if (++it->index[a] < shape[a])
            return 1;
        it->data -= strides[a] * shape[a];
        it->index[a] = 0;
    }
    hd_iter_end(it);
    return 0;
}
