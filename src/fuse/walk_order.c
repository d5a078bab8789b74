/* SPDX-License-Identifier: BSD-3-Clause */
/* walk_order.c - the order of a reduction's axes. */
#include "fuse/walk_order.h"

void hdi_sort_axes(const int64_t *strides, int nd, int *axes)
{
    for (int i = 0; i < nd; i++) {
        int at = i;
        for (; at > 0 && hdi_abs64(strides[axes[at - 1]]) < hdi_abs64(strides[i]); at--)
            axes[at] = axes[at - 1];
        axes[at] = i;
    }
}

/* A handful of kept elements in the fastest axes, inside a long reduction, are better reduced
 * one after the other: then the strides that say so, in room, else NULL. */
static const int64_t *reduced_fastest(const int64_t *strides, const hdi_layout *domain,
                                      uint64_t reduced, int64_t *room)
{
    enum { FEW = 32 };
    int axes[HD_MAXDIM], nd = domain->nsq;
    int64_t inner = 1, each = 1, next = nd;
    hdi_sort_axes(strides, nd, axes);
    for (int i = nd - 1; i >= 0 && !(reduced >> axes[i] & 1) && inner < FEW; i--)
        inner *= domain->sqdims[axes[i]];
    for (int i = 0; i < nd; i++)
        each *= reduced >> i & 1 ? domain->sqdims[i] : 1;
    if (inner == 1 || inner >= FEW || each < FEW)
        return NULL;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < nd; i++)
            if ((reduced >> axes[i] & 1) == (uint64_t)pass)
                room[axes[i]] = next--;
    return room;
}

const int64_t *hdi_reduction_walk(const hdi_record *r, uint64_t reduced, int64_t *room)
{
    if (r->nin != 1 || r->kind[1] != HDI_ARRAY)
        return NULL;
    const hdi_layout *lay = r->operand[1].lay;
    const int64_t *better = reduced_fastest(lay->sqstrides, r->domain, reduced, room);
    return better != NULL ? better : lay->c_contiguous ? NULL : lay->sqstrides;
}
