/* SPDX-License-Identifier: BSD-3-Clause */
/* layouts.h - random layouts of up to six axes, and the plain list of a layout's element
 * offsets, for brute-force answers.
 * Start at   random_layout(), offsets_of() */
#ifndef HEDDLE_TESTS_LAYOUTS_H
#define HEDDLE_TESTS_LAYOUTS_H

#include "core/layout.h"
#include "support.h"

enum { SMALL_AXES = 6, MOST_ELEMENTS = 4096 };   /* four to the sixth */

/* Dense in a random order of axes, then perhaps cut, stepped, turned around or repeated; or
 * strides by pure chance. */
static inline hdi_layout *random_layout(int64_t item)
{
    int64_t dims[SMALL_AXES], strides[SMALL_AXES], step = item;
    int nd = (int)t_below(SMALL_AXES + 1), order[SMALL_AXES];
    bool by_chance = t_below(3) == 0;
    for (int a = 0; a < nd; a++) {
        dims[a] = t_below(20) == 0 ? 0 : t_between(1, 4);
        order[a] = a;
    }
    for (int a = nd - 1; a > 0 && t_below(2); a--) {
        int b = (int)t_below(a + 1), t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    for (int i = nd - 1; i >= 0; i--) {
        int a = order[i];
        strides[a] = step;
        step *= dims[a] ? dims[a] : 1;
    }
    for (int a = 0; a < nd; a++) {
        if (by_chance)
            strides[a] = t_between(-6, 6) * (t_below(4) ? item : 1);
        switch (t_below(10)) {
        case 0: strides[a] = 0; break;
        case 1: strides[a] = -strides[a]; break;
        case 2: strides[a] *= 2; break;
        case 3: dims[a] = dims[a] > 1 ? dims[a] - 1 : dims[a]; break;
        default: break;
        }
    }
    return hdi_layout_get(nd, dims, strides, item);
}

/* Byte offsets of the elements in C order; returns how many. */
static inline int64_t offsets_of(const hdi_layout *l, int64_t *out)
{
    int64_t index[HD_MAXDIM] = {0}, n = 0;
    if (l->size == 0)
        return 0;
    for (;;) {
        int64_t off = 0;
        for (int a = 0; a < l->nd; a++)
            off += index[a] * hdi_layout_strides(l)[a];
        out[n++] = off;
        int a = l->nd - 1;
        while (a >= 0 && ++index[a] == l->dims[a])
            index[a--] = 0;
        if (a < 0)
            return n;
    }
}

static inline int64_t random_item(void)
{
    static const int64_t items[] = {1, 2, 4, 8, 16};
    return items[t_below(5)];
}

#endif
