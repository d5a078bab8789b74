/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_rows_mode.c - whether a reduction is summed by rows or by columns, and over which axes it
 * walks. Nothing but the shape and the order of axes may count here. */
#include "backend/cpu/cpu_rows.h"
#include "fuse/walk_order.h"

void hdi_cpu_mode_find(hdi_cpu_mode *m, int nd, const int64_t *dims, uint64_t reduced,
                       const int64_t *walk, bool position)
{
    int sorted[HD_MAXDIM];
    m->nkept = m->nreduced = 0;
    m->kept_size = m->reduced_size = 1;
    for (int a = 0; walk == NULL && a < nd; a++)
        sorted[a] = a;
    if (walk != NULL)
        hdi_sort_axes(walk, nd, sorted);
    for (int i = 0; i < nd; i++) {
        int a = sorted[i];
        bool is_reduced = reduced >> a & 1;
        *(is_reduced ? &m->reduced[m->nreduced++] : &m->kept[m->nkept++]) = a;
        *(is_reduced ? &m->reduced_size : &m->kept_size) *= dims[a];
    }
    int last = nd > 0 ? sorted[nd - 1] : 0;
    bool long_row = nd > 0 && (reduced >> last & 1) && dims[last] >= HDI_CPU_LONG_ROW;
    m->column = m->nkept > 0 && !long_row;
    for (int i = 0, a = 0; position && a < nd; a++)
        if (reduced >> a & 1)
            m->reduced[i++] = a;
}

void hdi_cpu_mode_axes(const hdi_cpu_mode *m, bool column, int *axes)
{
    const int *first = column ? m->reduced : m->kept, *then = column ? m->kept : m->reduced;
    int nfirst = column ? m->nreduced : m->nkept, nthen = column ? m->nkept : m->nreduced;
    memcpy(axes, first, sizeof *axes * (size_t)nfirst);
    memcpy(axes + nfirst, then, sizeof *axes * (size_t)nthen);
}
