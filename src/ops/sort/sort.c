/* SPDX-License-Identifier: BSD-3-Clause */
/* sort.c - sort, partition, searchsorted, bincount, histogram: checks, and one library call each.
 */
#include <heddle/sort.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "ops/home.h"
#include "ops/ops.h"

/* One operand of a call: the array, and the layout that the call sees. */
typedef struct seen { const hd_array *x; hdi_layout *lay; } seen;

static hd_status record(hd_op op, hdi_payload how, seen out, int nin, const seen *in)
{
    hdi_window *w = hdi_window_of(out.x->st->buf->dev);
    if (out.x->lay->size == 0)
        return HD_OK;
    hdi_record *r = hdi_record_begin(w, op, 'x', (hd_dtype)in[0].x->dtype, nin);
    if (r == NULL)
        return hd_error_peek()->code;
    hdi_record_array(r, 0, out.x, out.lay);
    for (int k = 0; k < nin; k++)
        hdi_record_array(r, k + 1, in[k].x, in[k].lay);
    r->domain = out.lay;
    r->payload = how;
    return hdi_record_end(w, r);
}

static hd_status one_device(const hd_array *x, const hd_array *y)
{
    const hd_device *a = hdi_device_of(x), *b = hdi_device_of(y);
    return a == b ? HD_OK
                  : hdi_fail(HD_DEVICE,
                             "arrays live on two devices, %s and %s; move one with to_device()",
                             a->name, b->name);
}

static hd_array *result_or_release(hd_status status, hd_array *r)
{
    if (status == HD_OK || r == NULL)
        return r;
    hdi_array_release(r);
    return NULL;
}

/* x, or its elements along one axis (owned); a number becomes an array. */
static hd_array *along(const hd_array *x, int *axis)
{
    const int64_t flat = -1;
    if (*axis != HD_FLAT && !hdi_is_weak(x))
        return hd_retain((hd_array *)(uintptr_t)x);
    if (*axis != HD_FLAT) {
        hdi_fail_axis(*axis, 0);
        return NULL;
    }
    *axis = 0;
    return hd_keep(hd_reshape(x, 1, &flat, 'C'));
}

/* ---- along an axis --------------------------------------------------------------------------- */

/* Elements keep the memory order of x, as NumPy's; positions are in C order. */
static hd_array *ordered(hd_op op, const hd_array *x, int axis, bool down, const hd_array *ranks)
{
    int ax = 0;
    if (hdi_axis(axis, x->lay->nd, &ax) != HD_OK)
        return NULL;
    hd_array *r = NULL;
    if (op == HD_OP_argsort || op == HD_OP_argpartition) {
        r = hdi_new(x->st->buf->dev, x->lay->nd, x->lay->dims, HD_INT64);
    } else {
        hdi_layout *lay = hdi_layout_like(x->lay, x->lay->item);
        r = lay != NULL ? hdi_array_new(x->st->buf->dev, (hd_dtype)x->dtype, lay) : NULL;
    }
    if (r == NULL)
        return NULL;
    const seen in[2] = {{x, x->lay}, {ranks, ranks != NULL ? ranks->lay : NULL}};
    const hdi_payload how = {.sort = {.axis = ax, .descending = down}};
    return result_or_release(record(op, how, (seen){r, r->lay}, ranks != NULL ? 2 : 1, in), r);
}

static hd_array *sorted(hd_op op, const hd_array *x, int axis, bool down)
{
    hd_array *from = x != NULL ? along(x, &axis) : hdi_null("an array");
    if (from == NULL)
        return NULL;
    hdi_lock();
    hd_array *r = ordered(op, from, axis, down, NULL);
    hdi_array_release(from);
    return hdi_done(r, hdi_op_rows[op].info.name);
}

hd_array *hd_sort(const hd_array *x, int axis, int descending)
{
    return sorted(HD_OP_sort, x, axis, descending != 0);
}

hd_array *hd_argsort(const hd_array *x, int axis, int descending)
{
    return sorted(HD_OP_argsort, x, axis, descending != 0);
}

/* The ranks, each once and ascending: how many. */
static int normal_ranks(int n, const int64_t *kth, int64_t size, int64_t *rank)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        const int64_t k = kth[i] < 0 ? kth[i] + size : kth[i];
        int at = m;
        if (k < 0 || k >= size) {
            hdi_fail(HD_VALUE, "kth(=%lld) out of bounds (%lld)", (long long)kth[i],
                     (long long)size);
            return -1;
        }
        while (at > 0 && rank[at - 1] > k)
            at--;
        if (at > 0 && rank[at - 1] == k)
            continue;
        memmove(rank + at + 1, rank + at, sizeof *rank * (size_t)(m - at));
        rank[at] = k;
        m++;
    }
    return m;
}

/* The ranks as an array beside x (owned). */
static hd_array *ranks_beside(const hd_array *x, int axis, int n, const int64_t *kth)
{
    int ax = 0;
    if (hdi_axis(axis, x->lay->nd, &ax) != HD_OK)
        return NULL;
    if (n < 0 || (kth == NULL && n > 0)) {
        if (n < 0)
            hdi_fail(HD_VALUE, "%d ranks", n);
        else
            hdi_fail_null("the list of ranks");
        return NULL;
    }
    const size_t bytes = sizeof(int64_t) * ((size_t)n + 1);
    int64_t *rank = hdi_alloc(bytes);
    if (rank == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for %d ranks", n);
        return NULL;
    }
    /* of an array without elements any rank will do */
    const int64_t m = normal_ranks(x->lay->size > 0 ? n : 0, kth, x->lay->dims[ax], rank);
    hd_array *r = m >= 0 ? hdi_from_host(hd_device_of(x), 1, &m, HD_INT64, rank) : NULL;
    hdi_free(rank, bytes);
    return r;
}

static hd_array *partitioned(hd_op op, const hd_array *x, int n, const int64_t *kth, int axis)
{
    hd_array *from = x != NULL ? along(x, &axis) : hdi_null("an array"), *r = NULL;
    if (from == NULL)
        return NULL;
    hd_array *ranks = ranks_beside(from, axis, n, kth);
    hdi_lock();
    if (ranks != NULL) {
        r = ordered(op, from, axis, false, ranks);
        hdi_array_release(ranks);
    }
    hdi_array_release(from);
    return hdi_done(r, hdi_op_rows[op].info.name);
}

hd_array *hd_partition(const hd_array *x, int n, const int64_t *kth, int axis)
{
    return partitioned(HD_OP_partition, x, n, kth, axis);
}

hd_array *hd_argpartition(const hd_array *x, int n, const int64_t *kth, int axis)
{
    return partitioned(HD_OP_argpartition, x, n, kth, axis);
}

/* ---- searchsorted ---------------------------------------------------------------------------- */

/* x as dt in C order (owned): itself if it is that already. */
static hd_array *dense_as(const hd_array *x, hd_dtype dt)
{
    hd_array *cast = hdi_cast(x, dt), *r = cast != NULL ? hdi_contiguous(cast) : NULL;
    if (cast != NULL)
        hdi_array_release(cast);
    return r;
}

static hd_array *search(const hd_array *table, const hd_array *values, bool right)
{
    const hd_dtype dt = hd_promote((hd_dtype)table->dtype, (hd_dtype)values->dtype);
    const int64_t size = values->lay->size;
    hdi_layout *places = hdi_layout_c(1, &size, sizeof(int64_t)),
               *flat = hdi_layout_c(1, &size, hdi_itemsize(dt));
    hd_array *t = hdi_cast(table, dt), *v = t != NULL ? dense_as(values, dt) : NULL, *r = NULL;
    if (v != NULL && places != NULL && flat != NULL)
        r = hdi_new(v->st->buf->dev, v->lay->nd, v->lay->dims, HD_INT64);
    if (r != NULL)
        r = result_or_release(record(HD_OP_searchsorted, (hdi_payload){.right = right},
                                     (seen){r, places}, 2,
                                     (const seen[]){{t, t->lay}, {v, flat}}), r);
    if (t != NULL)
        hdi_array_release(t);
    if (v != NULL)
        hdi_array_release(v);
    if (r != NULL && r->lay->nd == 0)
        r->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    return r;
}

hd_array *hd_searchsorted(const hd_array *table, const hd_array *values, int right)
{
    if (table == NULL || values == NULL)
        return hdi_null("an array");
    if (hdi_is_weak(table) || table->lay->nd != 1) {
        hdi_fail(HD_VALUE, "object %s desired array",
                 hdi_is_weak(table) || table->lay->nd < 1 ? "of too small depth for"
                                                          : "too deep for");
        return NULL;
    }
    hdi_lock();
    hd_array *strong = NULL, *r = NULL;
    if (hdi_is_weak(values)) {
        hdi_in in = hdi_in_array(values);
        strong = hdi_new_copy(values, hdi_common_dtype(1, &in), hdi_layout_c(0, NULL,
                              hdi_itemsize(hdi_common_dtype(1, &in))));
        values = strong;
    }
    if (values != NULL && one_device(table, values) == HD_OK)
        r = search(table, values, right != 0);
    if (strong != NULL)
        hdi_array_release(strong);
    return hdi_done(r, "searchsorted");
}

/* ---- bincount -------------------------------------------------------------------------------- */

/* x, its integers taken for unsigned ones of their size (owned): negative ones are then the
 * largest, so one reduction finds both the largest and whether there are any. */
static hd_array *as_unsigned(const hd_array *x)
{
    static const hd_dtype of[HD_DTYPE_COUNT] = {[HD_INT8] = HD_UINT8, [HD_INT16] = HD_UINT16,
                                                [HD_INT32] = HD_UINT32, [HD_INT64] = HD_UINT64};
    const bool is_signed = hdi_dtypes[x->dtype].kind == 'i';
    return hd_keep(hd_view(x, is_signed ? of[x->dtype] : (hd_dtype)x->dtype));
}

/* The number of places that x needs; -1 with an error. */
static int64_t places_needed(const hd_array *x, int64_t minlength)
{
    hd_value largest = {.as.u = 0};
    if (x->lay->size == 0)
        return minlength;
    hd_array *bits = as_unsigned(x), *high = bits != NULL
                                                 ? hd_keep(hd_max(bits, HD_ALL_AXES, NULL, 0))
                                                 : NULL;
    const bool known = high != NULL && hdi_item(high, 0, &largest) == HD_OK;
    hd_release(bits);
    hd_release(high);
    const uint64_t top = hdi_dtypes[x->dtype].kind == 'i'
                             ? (uint64_t)INT64_MAX >> (64 - 8 * hdi_itemsize((hd_dtype)x->dtype))
                             : UINT64_MAX;
    if (known && largest.as.u > top)
        hdi_fail(HD_VALUE, "'list' argument must have no negative elements");
    else if (known && largest.as.u >= INT64_MAX)
        hdi_fail(HD_NOMEM, "out of memory for %llu counts", (unsigned long long)largest.as.u);
    else if (known)
        return hdi_max64((int64_t)largest.as.u + 1, minlength);
    return -1;
}

/* x as its device counts it (owned): one that works in the host's memory takes 32 bits as well. */
static hd_array *counted(const hd_array *x)
{
    const bool as_is = x->dtype == HD_INT32 && hdi_device_of(x)->host_memory;
    return hdi_cast(x, as_is ? HD_INT32 : HD_INT64);
}

static hd_array *count(const hd_array *x, const hd_array *weights, int64_t n)
{
    hd_array *r = hdi_new(x->st->buf->dev, 1, &n, weights != NULL ? HD_FLOAT64 : HD_INT64);
    if (r == NULL)
        return NULL;
    const seen in[2] = {{x, x->lay}, {weights, weights != NULL ? weights->lay : NULL}};
    return result_or_release(record(HD_OP_bincount, (hdi_payload){.none = 0}, (seen){r, r->lay},
                                    weights != NULL ? 2 : 1, in), r);
}

/* A GPU adds the weights of a place in another order than the host. */
static hd_array *sum_weights(const hd_array *x, const hd_array *weights, int64_t n)
{
    const hd_array *in[2] = {x, weights};
    hdi_home home;
    hd_array *r = NULL;
    if (n > hdi_device_of(x)->home_most / hdi_itemsize(HD_FLOAT64))
        return count(x, weights, n);
    if (hdi_home_begin(&home, 2, in) == HD_OK)
        r = count(in[0], in[1], n);
    return hdi_home_end(&home, r);
}

static hd_status check_bincount(const hd_array *x, const hd_array *weights, int64_t minlength)
{
    if (minlength < 0)
        return hdi_fail(HD_VALUE, "'minlength' must not be negative");
    if (hdi_is_weak(x) || x->lay->nd != 1)
        return hdi_fail(HD_VALUE, "object %s desired array",
                        hdi_is_weak(x) || x->lay->nd < 1 ? "of too small depth for"
                                                         : "too deep for");
    if (x->dtype != HD_BOOL && !hdi_is_int((hd_dtype)x->dtype))
        return hdi_fail(HD_DTYPE, "Cannot cast array data from dtype('%s') to dtype('int64') "
                                  "according to the rule 'safe'", hd_dtype_name(x->dtype));
    if (weights == NULL)
        return HD_OK;
    if (!hd_can_cast((hd_dtype)weights->dtype, HD_FLOAT64, HD_CAST_SAFE))
        return hdi_fail(HD_DTYPE, "Cannot cast array data from dtype('%s') to dtype('float64') "
                                  "according to the rule 'safe'", hd_dtype_name(weights->dtype));
    if (hdi_is_weak(weights) || weights->lay->nd != 1 || weights->lay->size != x->lay->size)
        return hdi_fail(HD_VALUE, "The weights and list don't have the same length.");
    return one_device(x, weights);
}

hd_array *hd_bincount(const hd_array *x, const hd_array *weights, int64_t minlength)
{
    if (x == NULL)
        return hdi_null("an array");
    if (check_bincount(x, weights, minlength) != HD_OK)
        return NULL;
    const int64_t n = places_needed(x, minlength);
    if (n < 0)
        return NULL;
    if (x->lay->size == 0)   /* NumPy's zeros are integers then */
        weights = NULL;
    hdi_lock();
    hd_array *r = NULL, *from = counted(x),
             *w = weights != NULL ? hdi_cast(weights, HD_FLOAT64) : NULL;
    if (from != NULL && (w != NULL || weights == NULL))
        r = w != NULL ? sum_weights(from, w, n) : count(from, NULL, n);
    if (from != NULL)
        hdi_array_release(from);
    if (w != NULL)
        hdi_array_release(w);
    return hdi_done(r, "bincount");
}

/* ---- histogram ------------------------------------------------------------------------------- */

static hd_status check_histogram(const hd_array *x, const hd_array *edges)
{
    if (hdi_is_weak(x) || x->lay->nd != 1 || hdi_is_weak(edges) || edges->lay->nd != 1)
        return hdi_fail(HD_VALUE, "a histogram's elements and edges have one axis each, not %d "
                        "and %d", hdi_is_weak(x) ? 0 : x->lay->nd,
                        hdi_is_weak(edges) ? 0 : edges->lay->nd);
    if (edges->lay->size == 0)
        return hdi_fail(HD_VALUE, "`bins` must have an edge, when an array");
    if (hdi_is_complex((hd_dtype)x->dtype) || hdi_is_complex((hd_dtype)edges->dtype))
        return hdi_fail(HD_DTYPE, "a histogram is of real numbers, not of %s by %s",
                        hd_dtype_name((hd_dtype)x->dtype), hd_dtype_name((hd_dtype)edges->dtype));
    return one_device(x, edges);
}

hd_array *hd_histogram(const hd_array *x, const hd_array *edges, int equal)
{
    if (x == NULL || edges == NULL)
        return hdi_null("an array");
    if (check_histogram(x, edges) != HD_OK)
        return NULL;
    const hd_dtype dt = hd_promote((hd_dtype)x->dtype, (hd_dtype)edges->dtype);
    const int64_t bins = edges->lay->size - 1;
    hdi_lock();
    hd_array *v = hdi_cast(x, dt), *e = v != NULL ? hdi_cast(edges, dt) : NULL, *r = NULL;
    if (e != NULL)
        r = hdi_new(x->st->buf->dev, 1, &bins, HD_INT64);
    if (r != NULL)
        r = result_or_release(record(HD_OP_histogram, (hdi_payload){.equal = equal != 0},
                                     (seen){r, r->lay}, 2,
                                     (const seen[]){{v, v->lay}, {e, e->lay}}), r);
    if (v != NULL)
        hdi_array_release(v);
    if (e != NULL)
        hdi_array_release(e);
    return hdi_done(r, "histogram");
}
