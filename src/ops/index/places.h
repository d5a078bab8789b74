/* SPDX-License-Identifier: BSD-3-Clause */
/* places.h - index arrays as places of an array: checked, and turned into byte offsets, at the
 * call.
 * Owns       hdi_places
 * Threads    under the library's lock
 * Start at   hdi_find_places() */
#ifndef HDI_PLACES_H
#define HDI_PLACES_H

#include "ops/ops.h"

/* Index arrays broadcast together, as byte offsets into x. */
typedef struct hdi_places {
    int nd;
    int64_t dims[HD_MAXDIM], n;
    /* int64, dense, 1-d; on a device whose memory is its own it may be the index array itself */
    hd_array *offsets;
    int flags;              /* HDI_PLACES_ODD if it is so, HDI_PLACES_INDICES, HDI_PLACES_UNSEEN */
} hdi_places;

/* hdi_places_none - none as yet; extents are not written. */
static inline void hdi_places_none(hdi_places *p)
{
    p->nd = 0;
    p->n = 0;
    p->offsets = NULL;
    p->flags = 0;
}
/* hdi_find_places - the places that n index arrays name over x's first n axes; HD_INDEX if one is
 * out of range. Releases and retakes the lock while indices are computed. later: the places are
 * read from, and a device may leave it to that call to look at them. */
hd_status hdi_find_places(const hd_array *x, int n, const hd_array *const *index, bool later,
                          hdi_places *p);
/* hdi_with_trailing - extents (lead, x's axes from n on), their number. */
int hdi_with_trailing(const hd_array *x, int n, int nlead, const int64_t *lead, int64_t *dims);
/* hdi_values_at - values broadcast to (places, trailing axes) as dt, the places along one axis,
 * dense unless the device works in the host's memory; values themselves if they are that already
 * and not x's. */
hd_array *hdi_values_at(const hd_array *x, int n, const hdi_places *p, const hd_array *values,
                        hd_dtype dt);
/* hdi_put_few - x[index] = values within the call, where little work lies ready; false, and nothing
 * is written: it is another case, or one that the general way refuses. */
bool hdi_put_few(const hd_array *x, const hd_array *index, const hd_array *values);

#endif
