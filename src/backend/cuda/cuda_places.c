/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_places.c - gather, scatter and ufunc.at. A place may come more than once, and what NumPy
 * then has is that of going through the places in order.
 *
 * Reading is a kernel like any other. So is writing what is the same for each place, and combining
 * by an atomic operation. Otherwise places are put in order first, equal ones as they came: then a
 * place's writes are neighbours, and one thread does them. A few are done one after the other. */
#include "backend/cuda/cuda_places.h"

#include "backend/cuda/cuda_build.h"
#include "backend/cuda/cuda_calls.h"
#include "backend/cuda/cuda_cub.h"
#include "codegen/cg_chain.h"

enum { FEW = 16 };

/* v, in a kernel where one thread does all of a line, in order. */
static uint16_t in_order(call *c, uint16_t v)
{
    return add(c, (hdi_kinst){.kind = KIR_SCAN, .dt = c->inst[v].dt, .cdt = c->inst[v].dt,
                                   .op = HD_OP_copy, .narg = 1, .arg = {v}});
}

/* ---- what the places are --------------------------------------------------------------------- */

/* A call on places: base at offsets[j], ... and, if there are values, values[j, ...]. */
typedef struct at_places {
    hd_op op;                   /* copy: what was there does not count */
    hd_dtype cdt;               /* its loop's */
    const hdi_xarg *base, *offsets, *values;
    bool odd;                   /* elements may lie at any byte */
} at_places;

/* How writes to one place are kept apart. */
typedef struct in_runs {
    hdi_xarg places;            /* offsets in ascending order */
    hdi_xarg from;              /* offsets of their values */
    hdi_xarg pieces;            /* (n, 2): begin and end of a place's writes, at one of them */
} in_runs;

/* base becomes op(base, value). */
static uint16_t combined(call *c, const at_places *p, uint16_t from, uint16_t value)
{
    hd_dtype cdt = hdi_compute_dtype(p->op, p->cdt);
    if (p->op == HD_OP_copy)
        return load(c, value);
    uint16_t x = cast(c, load(c, from), hdi_loop_dtype(p->op, 0, cdt)), y = 0;
    if (p->values != NULL)
        y = cast(c, load(c, value), hdi_loop_dtype(p->op, 1, cdt));
    return apply(c, p->op, cdt, p->values != NULL ? 2 : 1, x, y, 0);
}

static void trailing_axes(call *c, const at_places *p, int slot_from, int slot_to,
                          int slot_value)
{
    for (int a = 0; a < p->base->nd; a++) {
        int64_t stride[MOST_SLOTS] = {0};
        stride[slot_to] = p->base->strides[a];
        if (slot_from >= 0)
            stride[slot_from] = p->base->strides[a];
        if (slot_value >= 0)
            stride[slot_value] = p->values->strides[a + 1];
        add_axis(c, p->base->dims[a], false, stride);
    }
}

/* ---- one after the other --------------------------------------------------------------------- */

/* r: in runs, else one thread goes through all. */
static hd_status ordered(hdi_cuda *d, const at_places *p, const in_runs *r)
{
    call c;
    bool reads = p->op != HD_OP_copy;
    int64_t stride[MOST_SLOTS] = {0}, row[MOST_SLOTS] = {0};
    begin(&c, 'r');
    c.k.odd_places = p->odd;
    int at = add_slot(&c, r != NULL ? &r->places : p->offsets, KIR_FULL, false, 0);
    int to = add_slot(&c, p->base, KIR_FULL, true, at + 1);
    int from = reads ? add_slot(&c, p->base, KIR_FULL, false, at + 1) : -1;
    int by = r != NULL && p->values != NULL ? add_slot(&c, &r->from, KIR_FULL, false, 0) : -1;
    int value = p->values != NULL ? add_slot(&c, p->values, KIR_FULL, false, by + 1) : -1;
    if (r != NULL) {
        c.k.pieces = (uint8_t)(add_slot(&c, &r->pieces, KIR_FULL, false, 0) + 1);
        c.k.some_empty = true;
        row[at] = r->places.strides[0];
        row[c.k.pieces - 1] = r->pieces.strides[0];
        add_axis(&c, p->offsets->dims[0], false, row);
        if (by >= 0)
            stride[by] = r->from.strides[0];
    } else {
        stride[at] = p->offsets->strides[0];
        if (value >= 0)
            stride[value] = p->values->strides[0];
    }
    add_axis(&c, p->offsets->dims[0], true, stride);
    trailing_axes(&c, p, from, to, value);
    uint16_t v = combined(&c, p, (uint16_t)from, (uint16_t)value);
    store(&c, in_order(&c, v), (uint16_t)to);
    return run(d, &c, to);
}

/* ---- all at once ----------------------------------------------------------------------------- */

/* By atomic operations, or plain stores of what is the same for each place. */
static hd_status together(hdi_cuda *d, const at_places *p)
{
    call c;
    int64_t stride[MOST_SLOTS] = {0};
    begin(&c, 'e');
    c.k.odd_places = p->odd;
    int at = add_slot(&c, p->offsets, KIR_FULL, false, 0);
    int to = add_slot(&c, p->base, KIR_FULL, true, at + 1);
    int value = add_slot(&c, p->values, KIR_FULL, false, 0);
    stride[at] = p->offsets->strides[0];
    stride[value] = p->values->strides[0];
    add_axis(&c, p->offsets->dims[0], false, stride);
    trailing_axes(&c, p, -1, to, value);
    uint16_t v = cast(&c, load(&c, (uint16_t)value), p->base->dt);
    if (p->op == HD_OP_copy)
        store(&c, v, (uint16_t)to);
    else
        add(&c, (hdi_kinst){.kind = KIR_ATOMIC, .dt = (uint8_t)p->base->dt,
                                 .op = (uint16_t)p->op, .slot = (uint16_t)to, .narg = 1,
                                 .arg = {v}});
    return run(d, &c, value);
}

/* ---- in ascending order of places ------------------------------------------------------------ */

/* n numbers of 64 bits from `at` on, `step` bytes apart. */
static hdi_xarg numbers(uint8_t *at, const int64_t *n, const int64_t *step)
{
    return (hdi_xarg){.ptr = at, .dt = HD_INT64, .nd = 1, .dims = n, .strides = step};
}

/* to = x * by */
static hd_status scaled(hdi_cuda *d, const hdi_xarg *to, const hdi_xarg *x, int64_t by)
{
    call c;
    begin(&c, 'e');
    int from = add_slot(&c, x, KIR_FULL, false, 0), out = add_slot(&c, to, KIR_FULL, true, 0);
    int64_t stride[MOST_SLOTS] = {0};
    stride[from] = x->strides[0];
    stride[out] = to->strides[0];
    add_axis(&c, x->dims[0], false, stride);
    uint16_t v = load(&c, (uint16_t)from);
    v = apply(&c, HD_OP_multiply, HD_INT64, 2, v, number(&c, HD_INT64, (double)by, 0), 0);
    store(&c, v, (uint16_t)out);
    return run(d, &c, from);
}

/* out[j] = x at byte offset by[j] */
static hd_status picked(hdi_cuda *d, const hdi_xarg *out, const hdi_xarg *x, const hdi_xarg *by)
{
    hdi_xcall g = {.op = HD_OP_gather, .nin = 2, .out = *out, .in = {*x, *by}};
    g.in[0].nd = 0;
    return hdi_cuda_gather(d, &g);
}

static hd_status sort_positions(hdi_cuda *d, const hdi_xarg *out, const hdi_xarg *x)
{
    return hdi_cuda_cub(d, &(hdi_xcall){.op = HD_OP_argsort, .nin = 1, .out = *out, .in = {*x},
                                        .cdt = HD_INT64});
}

/* How many of sorted are less than its elements, or with `right` not more. */
static hd_status ranks(hdi_cuda *d, const hdi_xarg *out, const hdi_xarg *sorted, bool right)
{
    return hdi_cuda_cub(d, &(hdi_xcall){.op = HD_OP_searchsorted, .nin = 2, .out = *out,
                                        .in = {*sorted, *sorted}, .param = right,
                                        .cdt = HD_INT64});
}

/* The piece of place j: the equal ones if it is the first of them (only_last: itself if it is the
 * last of them), else nothing. below, behind: how many places are less, not more. */
static hd_status mark_runs(hdi_cuda *d, const hdi_xarg *pieces, const hdi_xarg *below,
                           const hdi_xarg *behind, bool only_last)
{
    call c;
    int64_t stride[MOST_SLOTS] = {0};
    hdi_xarg ends = *pieces;
    ends.ptr += sizeof(int64_t);
    begin(&c, 'e');
    int mark = add_slot(&c, only_last ? behind : below, KIR_FULL, false, 0);
    int end = add_slot(&c, behind, KIR_FULL, false, 0);
    int out = add_slot(&c, pieces, KIR_FULL, true, 0);
    int out_end = add_slot(&c, &ends, KIR_FULL, true, 0);
    uint16_t j, marked;
    uint16_t from = index_value(&c, 0, &j);
    /* the last one: there are as many as its number, and one */
    uint16_t want = index_value(&c, only_last, &marked);
    stride[mark] = stride[end] = sizeof(int64_t);
    stride[j] = stride[marked] = 1;
    stride[out] = stride[out_end] = pieces->strides[0];
    add_axis(&c, behind->dims[0], false, stride);
    uint16_t is = load(&c, (uint16_t)mark), to = load(&c, (uint16_t)end);
    uint16_t here = apply(&c, HD_OP_equal, HD_INT64, 2, is, want, 0);
    store(&c, from, (uint16_t)out);
    store(&c, apply(&c, HD_OP_where, HD_INT64, 3, here, to, from), (uint16_t)out_end);
    return run(d, &c, end);
}

/* Memory for one call: positions, places, offsets of values, below, behind, and pieces. */
enum { WORDS_EACH = 7 };

static hd_status find_runs(hdi_cuda *d, const at_places *p, uint8_t *memory, in_runs *r)
{
    static const int64_t each = sizeof(int64_t), pair = 2 * sizeof(int64_t);
    const int64_t *n = &p->offsets->dims[0], bytes = *n * each;
    bool only_last = p->op == HD_OP_copy;
    hdi_xarg positions = numbers(memory, n, &each);
    hdi_xarg below = numbers(memory + 3 * bytes, n, &each);
    hdi_xarg behind = numbers(memory + 4 * bytes, n, &each);
    r->places = numbers(memory + bytes, n, &each);
    r->from = numbers(memory + 2 * bytes, n, &each);
    r->pieces = numbers(memory + 5 * bytes, n, &pair);
    hd_status status = HD_OK;
    HD_TRY(sort_positions(d, &positions, p->offsets));
    HD_TRY(scaled(d, &r->from, &positions, p->offsets->strides[0]));
    HD_TRY(picked(d, &r->places, p->offsets, &r->from));
    if (p->values != NULL)
        HD_TRY(scaled(d, &r->from, &positions, p->values->strides[0]));
    HD_TRY(ranks(d, &behind, &r->places, true));
    if (!only_last)
        HD_TRY(ranks(d, &below, &r->places, false));
    HD_TRY(mark_runs(d, &r->pieces, &below, &behind, only_last));
done:
    return status;
}

static hd_status in_ascending_order(hdi_cuda *d, const at_places *p)
{
    int64_t bytes = p->offsets->dims[0] * WORDS_EACH * (int64_t)sizeof(int64_t);
    uint8_t *memory;
    in_runs runs;
    hd_status status = hdi_cuda_borrow(d, bytes, &memory);
    if (status != HD_OK)
        return status;
    status = find_runs(d, p, memory, &runs);
    if (status == HD_OK)
        status = ordered(d, p, &runs);
    hdi_cuda_free(d, memory, bytes);
    return status;
}

static hd_status write_in_order(hdi_cuda *d, const at_places *p)
{
    bool sorts = p->offsets->dims[0] > FEW && hdi_cuda_cub_open() != NULL;
    return sorts ? in_ascending_order(d, p) : ordered(d, p, NULL);
}

/* ---- calls ----------------------------------------------------------------------------------- */

hd_status hdi_cuda_gather(hdi_cuda *d, const hdi_xcall *x)
{
    call c;
    const hdi_xarg *out = &x->out, *base = &x->in[0], *offsets = &x->in[1];
    begin(&c, 'e');
    c.k.odd_places = hdi_places_flags(x->param) & HDI_PLACES_ODD;
    uint16_t at = add_slot(&c, offsets, KIR_FULL, false, 0);
    uint16_t to = add_slot(&c, out, KIR_FULL, true, 0);
    uint16_t from = add_slot(&c, base, KIR_FULL, false, at + 1);
    add_axis(&c, out->dims[0], false,
              (int64_t[MOST_SLOTS]){offsets->strides[0], out->strides[0]});
    for (int a = 0; a < base->nd; a++)
        add_axis(&c, base->dims[a], false,
                  (int64_t[MOST_SLOTS]){0, out->strides[a + 1], base->strides[a]});
    store(&c, load(&c, from), to);
    return run(d, &c, to);
}

hd_status hdi_cuda_scatter(hdi_cuda *d, const hdi_xcall *x)
{
    int flags = hdi_places_flags(x->param);
    const at_places p = {.op = HD_OP_copy, .cdt = x->out.dt, .base = &x->out,
                         .offsets = &x->in[1], .values = &x->in[0],
                         .odd = (flags & HDI_PLACES_ODD) != 0};
    return flags & HDI_PLACES_ALIKE ? together(d, &p) : write_in_order(d, &p);
}

hd_status hdi_cuda_at(hdi_cuda *d, const hdi_xcall *x)
{
    const at_places p = {.op = hdi_param_op(x->param), .cdt = x->cdt, .base = &x->out,
                         .offsets = &x->in[0], .values = x->nin > 1 ? &x->in[1] : NULL,
                         .odd = (hdi_places_flags(x->param) & HDI_PLACES_ODD) != 0};
    bool integer = x->out.dt == HD_BOOL || hdi_is_int(x->out.dt);
    bool any_order = integer || !(hdi_places_flags(x->param) & HDI_PLACES_IN_ORDER);
    bool atomic = p.values != NULL && x->cdt == x->out.dt && !p.odd &&
                  hdi_words_atomic(p.op, x->cdt) && any_order;
    return atomic ? together(d, &p) : write_in_order(d, &p);
}
