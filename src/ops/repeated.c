/* SPDX-License-Identifier: BSD-3-Clause */
/* repeated.c - storing through a view in which elements of memory come more than once (as_strided,
 * sliding_window_view): what is written last stays, in NumPy's order.
 *
 * That order, found by experiment with NumPy 2.4. An assignment, and an operation that also reads
 * the memory it writes to (its result is made aside first): axes by falling stride of the
 * destination, equal ones as they come, those with a negative stride backwards. Any other
 * operation: axes as its iterator has them, by the strides of all operands, and backwards where
 * none of these goes forwards. Running results: lines so, each from its first element on. Elements
 * are stored one after the other by a scatter, in which the last one wins on every device.
 *
 * A reduction is stored as an assignment of its result. NumPy's joins what it reads to what
 * it finds in `out`, so that there sums of elements that meet add up, the first few of each and in
 * pieces of its buffer: nothing that a program could mean. */
#include "core/op.h"
#include "ops/ops.h"

/* The axes from the slowest to the fastest, and those (by axis) that are walked backwards. */
typedef struct walk { int nd, axis[HD_MAXDIM]; bool back[HD_MAXDIM]; } walk;

static int64_t stride_of(const hdi_layout *l, int axis)
{
    return l->dims[axis] == 1 ? 0 : hdi_layout_strides(l)[axis];
}

static void walk_destination(const hdi_layout *l, walk *w)
{
    w->nd = l->nd;
    for (int a = 0; a < l->nd; a++) {
        int64_t stride = stride_of(l, a);
        int at = a;
        for (; at > 0 && hdi_abs64(stride_of(l, w->axis[at - 1])) < hdi_abs64(stride); at--)
            w->axis[at] = w->axis[at - 1];
        w->axis[at] = a;
        w->back[a] = stride < 0;
    }
}

/* Has axis a smaller strides than b, so that it should be the faster one? Where operands differ the
 * order of the axes stands; *known: does any operand tell? */
static bool is_faster(int n, const hdi_layout *const *lay, int a, int b, bool *known)
{
    bool faster = true;
    *known = false;
    for (int k = 0; k < n; k++) {
        int64_t sa = hdi_abs64(stride_of(lay[k], a)), sb = hdi_abs64(stride_of(lay[k], b));
        if (sa == 0 || sb == 0)
            continue;
        faster = faster && sa < sb;
        *known = true;
    }
    return *known && faster;
}

static void walk_together(int n, const hdi_layout *const *lay, walk *w)
{
    int fast[HD_MAXDIM], nd = w->nd = lay[0]->nd, several = 0;
    for (int i = 0; i < nd; i++) {   /* from the fastest */
        int axis = nd - 1 - i, at = i;
        for (int j = i - 1; j >= 0; j--) {
            bool known, swap = is_faster(n, lay, axis, fast[j], &known);
            if (known && !swap)
                break;
            at = known ? j : at;
        }
        memmove(fast + at + 1, fast + at, sizeof *fast * (size_t)(i - at));
        fast[at] = axis;
        several += lay[0]->dims[axis] != 1;
    }
    for (int i = 0; i < nd; i++) {
        bool forwards = false, back = false;
        w->axis[nd - 1 - i] = fast[i];
        for (int k = 0; k < n; k++) {
            forwards = forwards || stride_of(lay[k], fast[i]) > 0;
            back = back || stride_of(lay[k], fast[i]) < 0;
        }
        w->back[fast[i]] = back && !forwards && several > 1;
    }
}

/* l walked that way, and how far its first element is from l's; item 0: strides are what they are,
 * for a layout of numbers. */
static hdi_layout *walked(const hdi_layout *l, const walk *w, int64_t item, int64_t *first)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    *first = 0;
    for (int i = 0; i < w->nd; i++) {
        int64_t stride = stride_of(l, w->axis[i]), dim = l->dims[w->axis[i]];
        dims[i] = dim;
        strides[i] = w->back[w->axis[i]] ? -stride : stride;
        *first += w->back[w->axis[i]] ? (dim - 1) * stride : 0;
    }
    return hdi_layout_get(w->nd, dims, strides, item);
}

/* The elements of x in that order, as dt: dense, along one axis. */
static hd_array *values_in_order(const hd_array *x, const hdi_layout *over, const walk *w,
                                 hd_dtype dt)
{
    int64_t first;
    hdi_layout *lay = walked(over, w, x->lay->item, &first);
    hd_array *v = lay != NULL ? hdi_array_view(x, (hd_dtype)x->dtype, lay, x->off + first) : NULL;
    hdi_layout *dense = v != NULL ? hdi_layout_c(w->nd, lay->dims, hdi_itemsize(dt)) : NULL,
               *line = dense != NULL ? hdi_layout_c(1, &dense->size, dense->item) : NULL;
    hd_array *copy = line != NULL ? hdi_new_copy(v, dt, dense) : NULL,
             *flat = copy != NULL ? hdi_array_view(copy, dt, line, 0) : NULL;
    if (v != NULL)
        hdi_array_release(v);
    if (copy != NULL)
        hdi_array_release(copy);
    return flat;
}

/* How many bytes each element that dst names is from the first one, in that order. */
static hd_array *offsets_in_order(const hd_array *dst, const walk *w)
{
    static const uint64_t zero[2] = {0, 0}, one[2] = {1, 0};
    int64_t first;
    hdi_layout *places = walked(dst->lay, w, 1, &first);
    hd_array *offsets = NULL, *flat = NULL;
    if (places != NULL)
        offsets = hdi_new(dst->st->buf->dev, w->nd, places->dims, HD_INT64);
    if (offsets == NULL)
        return NULL;
    hdi_window *window = hdi_window_of(dst->st->buf->dev);
    hdi_record *r = hdi_record_begin(window, HD_OP_ramp, 'e', HD_INT64, 3);
    hdi_layout *line = hdi_layout_c(1, &places->size, (int64_t)sizeof(int64_t));
    if (r != NULL && line != NULL) {
        hdi_record_array(r, 0, offsets, offsets->lay);
        hdi_record_index(r, 1, places, first);
        hdi_record_scalar(r, 2, HD_INT64, zero);
        hdi_record_scalar(r, 3, HD_INT64, one);
        r->domain = offsets->lay;
        if (hdi_record_end(window, r) == HD_OK)
            flat = hdi_array_view(offsets, HD_INT64, line, 0);
    }
    hdi_array_release(offsets);
    return flat;
}

static bool lies_oddly(const hd_array *dst)
{
    return dst->lay->gcd % dst->lay->item != 0 || dst->off % dst->lay->item != 0;
}

/* values at those offsets from dst's first element, one after the other. NULL passes through. */
static hd_status scatter(hd_array *dst, const hd_array *values, const hd_array *offsets)
{
    if (values == NULL || offsets == NULL)
        return hd_error_peek()->code;
    return hdi_record_places(HD_OP_scatter, dst, values, offsets,
                             lies_oddly(dst) ? HDI_PLACES_ODD : 0);
}

static void release(hd_array *x)
{
    if (x != NULL)
        hdi_array_release(x);
}

/* dst[...] = x, over the layout x has there, one element after the other. */
static hd_status store_walked(hd_array *dst, const hd_array *x, const hdi_layout *over,
                              const walk *w)
{
    hd_array *offsets = offsets_in_order(dst, w),
             *values = offsets != NULL ? values_in_order(x, over, w, (hd_dtype)dst->dtype) : NULL;
    hd_status status = scatter(dst, values, offsets);
    release(values);
    release(offsets);
    return status;
}

static bool shares_memory(const hd_array *x, const hd_array *dst)
{
    int64_t apart;
    return hdi_buf_distance(dst->st->buf, x->st->buf, &apart) &&
           hdi_overlap(x->lay, x->off + apart, dst->lay, dst->off);
}

hd_status hdi_store_lines(hd_array *dst, const hd_array *values, const hd_array *x, int axis)
{
    walk w;
    if (hdi_window_unshare(dst) != HD_OK)
        return hd_error_peek()->code;
    if (values->dtype != dst->dtype || shares_memory(x, dst)) {
        walk_destination(dst->lay, &w);
        return store_walked(dst, values, values->lay, &w);
    }
    walk_together(2, (const hdi_layout *const[]){x->lay, dst->lay}, &w);
    int at = 0;
    while (w.axis[at] != axis)
        at++;
    memmove(w.axis + at, w.axis + at + 1, sizeof *w.axis * (size_t)(w.nd - 1 - at));
    w.axis[w.nd - 1] = axis;
    w.back[axis] = false;
    return store_walked(dst, values, values->lay, &w);
}

/* x over dst's elements, as store_walked() has it. */
static hd_array *spread(const hd_array *x, const hd_array *dst, const walk *w, hd_dtype dt)
{
    hdi_layout *over = hdi_layout_broadcast(x->lay, dst->lay->nd, dst->lay->dims);
    return over != NULL ? values_in_order(x, over, w, dt) : NULL;
}

/* The memory that dst spans, as elements one after the other. */
static hd_array *span_of(const hd_array *dst)
{
    const hdi_layout *l = dst->lay;
    int64_t n = (l->hi - l->lo) / l->item + 1;
    hdi_layout *line = hdi_layout_c(1, &n, l->item);
    return line != NULL ? hdi_array_view(dst, (hd_dtype)dst->dtype, line, dst->off + l->lo) : NULL;
}

/* Offsets from the first byte of the span; of what is not chosen, that of the element behind it. */
static hd_array *offsets_of_chosen(const hd_array *dst, const hd_array *where, const walk *w,
                                   int64_t behind)
{
    hd_number end = {.kind = HD_WEAK_INT, .as.i = behind, .re = (double)behind};
    hd_array *all = offsets_in_order(dst, w),
             *shifted = all != NULL ? hdi_ew_number(HD_OP_subtract, HD_INT64, all, dst->lay->lo)
                                    : NULL,
             *mask = shifted != NULL ? spread(where, dst, w, HD_BOOL) : NULL, *r = NULL;
    if (mask != NULL) {
        hdi_in in[3] = {hdi_in_array(mask), hdi_in_array(shifted), hdi_in_number(&end)};
        r = hdi_ew_plain(HD_OP_where, HD_INT64, 3, in);
    }
    release(all);
    release(shifted);
    release(mask);
    return r;
}

hd_status hdi_store_chosen(hd_array *dst, const hd_array *where, const hd_array *x)
{
    walk w;
    hd_dtype dt = (hd_dtype)dst->dtype;
    hd_array *aside = NULL, *inside = NULL, *span = span_of(dst);
    walk_destination(dst->lay, &w);
    int64_t n = span != NULL ? span->lay->size + 1 : 0;
    if (span != NULL && (aside = hdi_new(dst->st->buf->dev, 1, &n, dt)) != NULL)
        inside = hdi_array_view(aside, dt, span->lay, 0);
    hd_status status = hd_error_peek()->code;
    if (inside != NULL) {
        hdi_in now = hdi_in_array(span), then = hdi_in_array(inside);
        hd_array *offsets = offsets_of_chosen(dst, where, &w, (n - 1) * dst->lay->item),
                 *values = offsets != NULL ? spread(x, dst, &w, dt) : NULL;
        status = values != NULL ? hdi_store(inside, HD_OP_copy, dt, 1, &now)
                                : hd_error_peek()->code;
        if (status == HD_OK)
            status = scatter(aside, values, offsets);
        if (status == HD_OK)
            status = hdi_store(span, HD_OP_copy, dt, 1, &then);
        release(values);
        release(offsets);
    }
    release(span);
    release(inside);
    release(aside);
    return status;
}

bool hdi_stores_in_places(const hd_array *dst)
{
    return !dst->lay->injective && dst->lay->size > 0 && !lies_oddly(dst);
}

bool hdi_stores_alike(const hd_array *dst, int n, const hdi_in *in, const hdi_shapes *s)
{
    for (int k = 0; k < n; k++)
        if (in[k].x != NULL && s->in[k]->core->size != 1 &&
            !(in[k].x->st == dst->st && in[k].x->off == dst->off && s->in[k] == dst->lay))
            return false;
    return true;
}

hd_status hdi_store_repeated(hd_array *dst, hd_op op, hd_dtype cdt, int n, const hdi_in *in,
                             const hdi_shapes *s, bool reads_dst)
{
    const hdi_layout *lay[HDI_MAX_IN + 1];
    walk w;
    int nlay = 0;
    for (int k = 0; k < n; k++)
        if (in[k].x != NULL)
            lay[nlay++] = s->in[k];
    lay[nlay++] = dst->lay;
    if (op == HD_OP_copy || reads_dst)
        walk_destination(dst->lay, &w);
    else
        walk_together(nlay, lay, &w);
    hd_array *x = hdi_ew_plain(op, cdt, n, in);
    if (x == NULL)
        return hd_error_peek()->code;
    hdi_layout *over = hdi_layout_broadcast(x->lay, dst->lay->nd, dst->lay->dims);
    hd_status status = over != NULL ? store_walked(dst, x, over, &w) : hd_error_peek()->code;
    hdi_array_release(x);
    return status;
}
