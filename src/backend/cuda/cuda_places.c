/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_places.c - gather, scatter and ufunc.at. A place may come more than once, and what NumPy
 * then has is that of going through the places in order.
 *
 * Reading is a kernel like any other. So is writing what is the same for each place, and combining
 * by an atomic operation. Otherwise places are put in order first, equal ones as they came: then a
 * place's writes are neighbours, and one thread does them, or the last is taken. A few are done one
 * after the other. */
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
    const hdi_xcall *x;
    hd_op op;                   /* copy: what was there does not count */
    hd_dtype cdt;               /* its loop's */
    const hdi_xarg *base, *offsets, *values;
    bool odd;                   /* elements may lie at any byte */
} at_places;

/* How writes to one place are kept apart. Kernels that read these walk them as `places` lie, the
 * only operand that steps from one place to the next: what trails a place is next to each other. */
typedef struct in_runs {
    hdi_xarg places;            /* offsets in ascending order */
    hdi_xarg from;              /* offsets of their values */
    hdi_xarg pieces;            /* (n, 2): begin and end of a place's writes, at one of them; of a
                                 * scatter none, `from` being the same for all of a place's */
} in_runs;

/* The offset in bytes that a place is: an int64, or what becomes of an index. outside, if not
 * NULL: is the index out of range? Then the offset is that of element 0. */
static uint16_t offset(call *c, const hdi_xcall *x, uint16_t place, uint16_t *outside)
{
    uint16_t v = cast(c, place, HD_INT64);
    if (x->extent == 0)
        return v;
    uint16_t none = number(c, HD_INT64, 0, 0);
    uint16_t extent = number(c, HD_INT64, (double)x->extent, 0);
    uint16_t negative = apply(c, HD_OP_less, HD_INT64, 2, v, none, 0);
    uint16_t from_end = apply(c, HD_OP_add, HD_INT64, 2, v, extent, 0);
    v = apply(c, HD_OP_where, HD_INT64, 3, negative, from_end, v);
    if (outside != NULL) {
        *outside = apply(c, HD_OP_logical_or, HD_BOOL, 2,
                         apply(c, HD_OP_less, HD_INT64, 2, v, none, 0),
                         apply(c, HD_OP_greater_equal, HD_INT64, 2, v, extent, 0), 0);
        v = apply(c, HD_OP_where, HD_INT64, 3, *outside, none, v);
    }
    return apply(c, HD_OP_multiply, HD_INT64, 2, v, number(c, HD_INT64, (double)x->step, 0), 0);
}

/* base becomes op(base, value), which is rounded to the operation's dtype before it is stored. */
static uint16_t combined(call *c, const at_places *p, uint16_t from, uint16_t value)
{
    hd_dtype cdt = hdi_compute_dtype(p->op, p->cdt);
    if (p->op == HD_OP_copy)
        return load(c, value);
    uint16_t x = cast(c, load(c, from), hdi_loop_dtype(p->op, 0, cdt)), y = 0;
    if (p->values != NULL)
        y = cast(c, load(c, value), hdi_loop_dtype(p->op, 1, cdt));
    return cast(c, apply(c, p->op, cdt, p->values != NULL ? 2 : 1, x, y, 0),
                hdi_value_dtype(p->op, p->cdt));
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
    uint16_t place = load(&c, (uint16_t)at);
    int far = (r != NULL ? place : offset(&c, p->x, place, NULL)) + 1;
    int to = add_slot(&c, p->base, KIR_FULL, true, far);
    int from = reads ? add_slot(&c, p->base, KIR_FULL, false, far) : -1;
    int by = r != NULL && p->values != NULL ? add_slot(&c, &r->from, KIR_FULL, false, 0) : -1;
    int value_far = by >= 0 ? load(&c, (uint16_t)by) + 1 : 0;
    int value = p->values != NULL ? add_slot(&c, p->values, KIR_FULL, false, value_far) : -1;
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
    return run(d, &c, r != NULL ? at : to);
}

/* ---- all at once ----------------------------------------------------------------------------- */

/* By atomic operations, or plain stores of what is the same for each place; in runs: of the values
 * that these name. */
static hd_status together(hdi_cuda *d, const at_places *p, const in_runs *r)
{
    call c;
    int64_t stride[MOST_SLOTS] = {0};
    begin(&c, 'e');
    c.k.odd_places = p->odd;
    const hdi_xarg *places = r != NULL ? &r->places : p->offsets;
    int at = add_slot(&c, places, KIR_FULL, false, 0);
    uint16_t place = load(&c, (uint16_t)at);
    int to = add_slot(&c, p->base, KIR_FULL, true,
                      (r != NULL ? place : offset(&c, p->x, place, NULL)) + 1);
    int by = r != NULL ? add_slot(&c, &r->from, KIR_FULL, false, 0) : -1;
    int value = add_slot(&c, p->values, KIR_FULL, false,
                         by >= 0 ? load(&c, (uint16_t)by) + 1 : 0);
    stride[at] = places->strides[0];
    if (by >= 0)
        stride[by] = r->from.strides[0];
    else
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
    return run(d, &c, r != NULL ? at : value);
}

/* ---- in ascending order of places ------------------------------------------------------------ */

/* n numbers of 64 bits from `at` on, `step` bytes apart. */
static hdi_xarg numbers(uint8_t *at, const int64_t *n, const int64_t *step)
{
    return (hdi_xarg){.ptr = at, .dt = HD_INT64, .nd = 1, .dims = n, .strides = step};
}

static hdi_cub_call cub_call(const at_places *p)
{
    const hdi_xcall *x = p->x;
    return (hdi_cub_call){.in = p->offsets->ptr, .dt = p->offsets->dt, .n = p->offsets->dims[0],
                          .width = p->odd ? 1 : hd_dtype_size(p->base->dt), .low = x->low,
                          .high = x->high, .extent = x->extent, .step = x->step};
}

/* Memory for one call: places, offsets of values, and pieces. */
enum { WORDS_EACH = 4 };

static hd_status in_ascending_order(hdi_cuda *d, const hdi_cub_table *t, const at_places *p)
{
    static const int64_t each = sizeof(int64_t), pair = 2 * sizeof(int64_t);
    const int64_t *n = &p->offsets->dims[0], bytes = *n * each;
    uint8_t *memory;
    hd_status status = hdi_cuda_borrow(d, bytes * WORDS_EACH, &memory);
    if (status != HD_OK)
        return status;
    const in_runs runs = {numbers(memory, n, &each), numbers(memory + bytes, n, &each),
                          numbers(memory + 2 * bytes, n, &pair)};
    hdi_cub_call c = cub_call(p);
    c.out = memory;
    c.m = p->values != NULL ? p->values->strides[0] : 0;
    c.right = p->op == HD_OP_copy;
    status = hdi_cuda_cub_run(d, t->runs, &c, "places");
    if (status == HD_OK)
        status = p->op == HD_OP_copy ? together(d, p, &runs) : ordered(d, p, &runs);
    hdi_cuda_free(d, memory, bytes * WORDS_EACH);
    return status;
}

/* One element for each place, dense: the library writes them itself. */
static bool is_plain(const at_places *p)
{
    return p->op == HD_OP_copy && p->base->nd == 0 && !p->odd &&
           p->values->strides[0] == hdi_itemsize(p->values->dt);
}

static hd_status write_in_order(hdi_cuda *d, const at_places *p)
{
    const hdi_cub_table *t = NULL;
    if (p->offsets->dims[0] > FEW && d->limits.major >= 8)
        t = hdi_cuda_cub_open();
    if (t == NULL)
        return ordered(d, p, NULL);
    if (p->offsets->dims[0] > UINT32_MAX)
        return hdi_fail(HD_UNSUPPORTED, "%lld places: cuda:%d takes at most %lld at once",
                        (long long)p->offsets->dims[0], d->number, (long long)UINT32_MAX);
    if (!is_plain(p))
        return in_ascending_order(d, t, p);
    hdi_cub_call c = cub_call(p);
    c.in2 = p->values->ptr;
    c.out = p->base->ptr;
    return hdi_cuda_cub_run(d, t->write, &c, "places");
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The byte behind the result: is v true anywhere? */
static void tell_behind(call *c, const hdi_xarg *out, uint16_t v)
{
    int64_t bytes = hd_dtype_size(out->dt);
    for (int a = 0; a < out->nd; a++)
        bytes *= out->dims[a];
    const hdi_xarg told = {.ptr = out->ptr + bytes, .dt = HD_BOOL};
    store(c, reduce(c, HD_OP_any, v), add_slot(c, &told, KIR_ROW, true, 0));
}

/* Indices that nobody has looked at are looked at as they are used: elements are moved by a
 * reduction over all of them then. */
hd_status hdi_cuda_gather(hdi_cuda *d, const hdi_xcall *x)
{
    call c;
    int64_t stride[MOST_SLOTS] = {0};
    uint16_t outside = 0;
    hdi_xcall moved = *x;
    hdi_cuda_as_bytes(&moved.out, &moved.in[0]);
    const hdi_xarg *out = &moved.out, *base = &moved.in[0], *offsets = &x->in[1];
    const bool unseen = x->payload.places.flags & HDI_PLACES_UNSEEN;
    begin(&c, unseen ? 'r' : 'e');
    c.k.odd_places = x->payload.places.flags & HDI_PLACES_ODD;
    uint16_t at = add_slot(&c, offsets, KIR_FULL, false, 0);
    uint16_t to = add_slot(&c, out, KIR_FULL, true, 0);
    uint16_t place = offset(&c, x, load(&c, at), unseen ? &outside : NULL);
    uint16_t from = add_slot(&c, base, KIR_FULL, false, place + 1);
    stride[at] = offsets->strides[0];
    stride[to] = out->strides[0];
    add_axis(&c, out->dims[0], unseen, stride);
    stride[at] = 0;
    for (int a = 0; a < base->nd; a++) {
        stride[to] = out->strides[a + 1];
        stride[from] = base->strides[a];
        add_axis(&c, base->dims[a], unseen, stride);
    }
    store(&c, load(&c, from), to);
    if (unseen)
        tell_behind(&c, out, outside);
    return run(d, &c, to);
}

hd_status hdi_cuda_scatter(hdi_cuda *d, const hdi_xcall *x)
{
    int flags = x->payload.places.flags;
    hdi_xcall moved = *x;
    hdi_cuda_as_bytes(&moved.out, &moved.in[0]);
    const at_places p = {.x = x, .op = HD_OP_copy, .cdt = moved.out.dt, .base = &moved.out,
                         .offsets = &x->in[1], .values = &moved.in[0],
                         .odd = (flags & HDI_PLACES_ODD) != 0};
    return flags & HDI_PLACES_ALIKE ? together(d, &p, NULL) : write_in_order(d, &p);
}

hd_status hdi_cuda_at(hdi_cuda *d, const hdi_xcall *x)
{
    const at_places p = {.x = x, .op = x->payload.places.op, .cdt = x->cdt, .base = &x->out,
                         .offsets = &x->in[0], .values = x->nin > 1 ? &x->in[1] : NULL,
                         .odd = (x->payload.places.flags & HDI_PLACES_ODD) != 0};
    bool integer = x->out.dt == HD_BOOL || hdi_is_int(x->out.dt);
    bool any_order = integer || !(x->payload.places.flags & HDI_PLACES_IN_ORDER);
    bool atomic = p.values != NULL && x->cdt == x->out.dt && !p.odd &&
                  hdi_words_atomic(p.op, x->cdt) && any_order;
    return atomic ? together(d, &p, NULL) : write_in_order(d, &p);
}
