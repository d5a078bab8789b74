/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_axes.c - see cuda_axes.h. */
#include "backend/cuda/cuda_axes.h"

#include "core/dtype.h"

/* ---- axes ------------------------------------------------------------------------------------ */

static void look_at_kernel(hdi_cuda_axes *x)
{
    for (int i = 0; i < x->k->ninst; i++) {
        const hdi_kinst *inst = &x->k->inst[i];
        x->positions |= inst->kind == KIR_REDUCE && hdi_is_position(inst->op);
        x->scans |= inst->kind == KIR_SCAN;
    }
    for (int s = 0; s < x->k->nslots; s++)
        x->offsets |= x->k->slots[s].by != 0;
}

/* Slowest first, as the order argument lies in memory. Positions count in C order. */
static void sort_axes(hdi_cuda_axes *x, int *order)
{
    const hdi_arg *by = &x->l->args[x->l->order_arg];
    bool as_is = by->linear || by->strides == NULL || x->positions;
    for (int a = 0; a < x->l->nd; a++) {
        int at = a;
        for (; !as_is && at > 0 &&
               hdi_abs64(by->strides[order[at - 1]]) < hdi_abs64(by->strides[a]);
             at--)
            order[at] = order[at - 1];
        order[at] = a;
    }
}

static void take_axes(hdi_cuda_axes *x, const int *order)
{
    int n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int a = 0; a < x->l->nd; a++)
            if ((int)(x->l->reduced >> order[a] & 1) == pass)
                x->axis[n++] = order[a];
    x->reduced = __builtin_popcountll(x->l->reduced);
    x->kept = x->l->nd - x->reduced;
    for (int a = 0; a < n; a++)
        x->dim[a] = x->l->dims[x->axis[a]];
}

static void take_strides(hdi_cuda_axes *x)
{
    int64_t dense[HD_MAXDIM];
    for (int64_t a = x->l->nd - 1, step = 1; a >= 0; step *= x->l->dims[a--])
        dense[a] = step;
    for (int s = 0; s < x->k->nslots; s++) {
        const hdi_kslot *slot = &x->k->slots[s];
        const hdi_arg *arg = &x->l->args[s];
        int64_t size = slot->kind == HDI_SLOT_INDEX ? 1 : hd_dtype_size((hd_dtype)slot->dt);
        for (int a = 0; slot->kind != HDI_SLOT_SCALAR && a < x->l->nd; a++)
            hdi_cuda_strides_of(x, s)[a] = arg->strides != NULL ? arg->strides[x->axis[a]]
                                                                : dense[x->axis[a]] * size;
    }
}

/* Axes stay apart where an operand is wrapped: it may begin in the middle of one of them. */
static bool mergeable(const hdi_cuda_axes *x, int outer, int inner)
{
    if (x->l->wrap != NULL)
        return false;
    for (int s = 0; s < x->k->nslots; s++) {
        const int64_t *stride = hdi_cuda_strides_of(x, s);
        if (x->k->slots[s].kind != HDI_SLOT_SCALAR &&
            stride[outer] != stride[inner] * x->dim[inner])
            return false;
    }
    return true;
}

static void move_axis(hdi_cuda_axes *x, int to, int from)
{
    for (int s = 0; s < x->k->nslots; s++)
        hdi_cuda_strides_of(x, s)[to] = hdi_cuda_strides_of(x, s)[from];
}

/* Merges axes [first, first + n), to begin at `to`; returns how many are left. */
static int merge(hdi_cuda_axes *x, int first, int n, int to)
{
    int begin = to;
    for (int a = first; a < first + n; a++) {
        int64_t dim = x->dim[a];
        if (to > begin && mergeable(x, to - 1, a)) {
            move_axis(x, to - 1, a);
            x->dim[to - 1] *= dim;
            continue;
        }
        move_axis(x, to, a);
        x->dim[to++] = dim;
    }
    return to - begin;
}

void hdi_cuda_axes_make(hdi_cuda_axes *x)
{
    int order[HD_MAXDIM], kept, reduced;
    look_at_kernel(x);
    sort_axes(x, order);
    take_axes(x, order);
    take_strides(x);
    kept = merge(x, 0, x->kept, 0);
    reduced = merge(x, x->kept, x->reduced, kept);
    x->kept = kept;
    x->reduced = reduced;
}

int64_t hdi_cuda_extent(const hdi_cuda_axes *x, int first, int n)
{
    int64_t size = 1;
    for (int a = first; a < first + n; a++)
        size *= x->dim[a];
    return size;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* q = n * multiplier >> shift is n / d for all n < 2^31 (Granlund and Montgomery, "Division by
 * invariant integers using multiplication", 1994). */
static void axis_words(uint64_t *w, int64_t d)
{
    int log = 0;
    while (log < 31 && (int64_t)1 << log < d)
        log++;
    uint64_t by = d > 0 ? (uint64_t)d : 1;
    w[HDI_AXIS_EXTENT] = (uint64_t)d;
    w[HDI_AXIS_MULTIPLIER] = (((uint64_t)1 << (31 + log)) + by - 1) / by;
    w[HDI_AXIS_SHIFT] = 31 + (uint64_t)log;
}

static void slot_words(const hdi_cuda_axes *x, int s, uint64_t *w)
{
    const hdi_arg *arg = &x->l->args[s];
    if (x->k->slots[s].kind == HDI_SLOT_SCALAR) {
        w[0] = arg->scalar[0];
        w[1] = arg->scalar[1];
        return;
    }
    w[0] = x->k->slots[s].kind == HDI_SLOT_INDEX ? (uint64_t)arg->base
                                                 : (uint64_t)(uintptr_t)arg->ptr;
    const int64_t *wrap = hdi_cuda_wrap_of(x->l, s);
    int n = x->kept + x->reduced;
    for (int a = 0; a < n; a++)
        w[1 + a] = (uint64_t)hdi_cuda_strides_of(x, s)[a];
    for (int a = 0; a < n && wrap != NULL; a++)
        w[1 + n + a] = (uint64_t)wrap[x->axis[a]];
}

void hdi_cuda_axes_words(const hdi_cuda_axes *x, hdi_cuda_layout *out, int group_axis)
{
    const hdi_grid *g = &out->grid;
    for (int a = 0; a < x->kept + x->reduced; a++)
        axis_words(out->words + HDI_WORD_AXES + a * HDI_AXIS_WORDS,
                   a == group_axis ? x->dim[a] / g->lanes : x->dim[a]);
    for (int s = 0, at = hdi_grid_slot_at(g, x->k, 0); s < x->k->nslots; s++) {
        slot_words(x, s, out->words + at);
        at += hdi_grid_slot_words(g, x->k, s);
    }
    out->nwords = hdi_grid_slot_at(g, x->k, x->k->nslots);
}
