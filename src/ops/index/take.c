/* SPDX-License-Identifier: BSD-3-Clause */
/* take.c - reading and writing through index arrays. The indices are computed and checked at the
 * call (an index out of range is an IndexError there and then) and become byte offsets; moving
 * the elements is one library call. A device with its own memory may check what it reads by as
 * it reads: then that has run when the call returns. */
#include "base/alloc.h"
#include "base/lock.h"
#include "ops/index/places.h"

/* x's axes from n on, from the slowest to the fastest; true if that is as they come. */
static bool order_of_trailing(const hd_array *x, int n, int *order)
{
    const int64_t *from = hdi_layout_strides(x->lay) + n;
    bool plain = true;
    for (int a = 0; a < x->lay->nd - n; a++) {
        int at = a;
        for (; at > 0 && hdi_abs64(from[order[at - 1]]) < hdi_abs64(from[a]); at--)
            order[at] = order[at - 1];
        order[at] = a;
        plain = plain && at == a;
    }
    return plain;
}

/* NumPy's memory order of x[index]: the places outside, in C order; the trailing axes inside, in
 * the order they have in x. The result twice: over (places, trailing), and in its final shape. */
static bool result_layouts(const hd_array *x, int n, const hdi_places *p, hdi_layout **lay,
                           hdi_layout **final)
{
    int order[HD_MAXDIM], lead = p->nd, nd = x->lay->nd - n;
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM], flat[HD_MAXDIM], step = x->lay->item;
    /* checks that the extents multiply before strides are made of them */
    *lay = hdi_layout_c(hdi_with_trailing(x, n, 1, &p->n, flat), flat, step);
    if (*lay == NULL)
        return false;
    hdi_with_trailing(x, n, lead, p->dims, dims);
    if (order_of_trailing(x, n, order) || (*lay)->size == 0) {
        *final = lead == 1 ? *lay : hdi_layout_c(lead + nd, dims, step);
        return *final != NULL;
    }
    for (int i = nd - 1; i >= 0; i--) {
        strides[lead + order[i]] = step;
        step *= dims[lead + order[i]];
    }
    int64_t flat_strides[HD_MAXDIM] = {step};
    memcpy(flat_strides + 1, strides + lead, sizeof *strides * (size_t)nd);
    for (int a = lead - 1; a >= 0; a--) {
        strides[a] = step;
        step *= dims[a];
    }
    *final = hdi_layout_get(lead + nd, dims, strides, x->lay->item);
    *lay = *final != NULL ? hdi_layout_get(1 + nd, flat, flat_strides, x->lay->item) : NULL;
    return *lay != NULL;
}

/* Memory for the result, which is dense, with a byte behind it if the gather tells something
 * there. */
static hd_array *result_memory(const hd_array *x, hdi_layout *lay, int flags)
{
    const int64_t room = lay->size + 1;
    if (!(flags & HDI_PLACES_UNSEEN))
        return hdi_array_new(x->st->buf->dev, (hd_dtype)x->dtype, lay);
    hd_array *memory = hdi_new(x->st->buf->dev, 1, &room, (hd_dtype)x->dtype), *r = NULL;
    if (memory != NULL) {
        r = hdi_array_view(memory, (hd_dtype)x->dtype, lay, 0);
        hdi_array_release(memory);
    }
    return r;
}

/* Has the gather met an index out of range? Waits for it. -1: failed. */
static int met_outside(const hd_array *r)
{
    int answer = -1;
    hdi_values value;
    hdi_layout *lay = hdi_layout_c(0, NULL, 1);
    hd_array *byte =
        lay != NULL ? hdi_array_view(r, HD_BOOL, lay, r->lay->size * r->lay->item) : NULL;
    hdi_faults_hold();
    if (byte != NULL && hdi_values_open(byte, &value)) {
        answer = *(const uint8_t *)value.at;
        hdi_values_close(&value);
    }
    hdi_faults_let_go(hdi_device_of(r));
    if (byte != NULL)
        hdi_array_release(byte);
    return answer;
}

/* later: as hdi_find_places() says; then *outside may become true, and there is no result. */
static hd_array *take_now(const hd_array *x, int n, const hd_array *const *index, bool later,
                          bool *outside)
{
    hdi_places p;
    hd_array *r = NULL, *shaped = NULL;
    hdi_layout *lay, *final = NULL;
    int met = 0;
    hdi_places_none(&p);
    hd_status status = hdi_find_places(x, n, index, later, &p);
    if (status == HD_OK && p.nd + x->lay->nd - n > HD_MAXDIM)
        status = hdi_fail(
            HD_INDEX, "number of dimensions must be within [0, %d], indexing result would have %d",
            HD_MAXDIM, p.nd + x->lay->nd - n);
    if (status == HD_OK && result_layouts(x, n, &p, &lay, &final))
        r = result_memory(x, lay, p.flags);
    if (r != NULL &&
        (r->lay->size == 0 ||
         hdi_record_places(HD_OP_gather, r, x, p.offsets, p.flags) == HD_OK))
        met = p.flags & HDI_PLACES_UNSEEN ? met_outside(r) : 0;
    else
        met = -1;
    if (met == 0 && final == r->lay && !(p.flags & HDI_PLACES_UNSEEN)) {
        shaped = r;
        r = NULL;
    } else if (met == 0) {
        shaped = hdi_array_view(r, (hd_dtype)r->dtype, final, 0);
    }
    *outside = met > 0;
    if (r != NULL)
        hdi_array_release(r);
    if (p.offsets != NULL)
        hdi_array_release(p.offsets);
    return shaped;
}

static hd_array *take(const hd_array *x, int n, const hd_array *const *index)
{
    bool outside;
    hd_array *r = take_now(x, n, index, true, &outside);
    return outside ? take_now(x, n, index, false, &outside) : r;   /* which one is out of range */
}

/* Where nothing trails the places, NumPy walks the index arrays in their own memory order, and so
 * lies the result: perm, slowest axis first. False if that is C order. */
static bool order_of_places(const hd_array *x, int n, const hd_array *const *index, int *nd,
                            int64_t *dims, int *perm)
{
    const hdi_layout *lay[HD_MAXDIM];
    int64_t trailing = 1;
    bool plain = true;
    for (int a = n; a < x->lay->nd; a++)
        trailing *= x->lay->dims[a];
    for (int k = 0; k < n; k++) {
        lay[k] = index[k]->lay;
        plain = plain && (lay[k]->nd < 2 || lay[k]->c_contiguous);
    }
    if (plain || trailing != 1 || (*nd = hdi_broadcast_dims(n, lay, dims)) < 0)
        return false;
    hdi_layout *k = hdi_layout_k(*nd, dims, 1, n, lay);
    if (k == NULL || k->c_contiguous)
        return false;
    for (int a = 0; a < *nd; a++) {
        int at = a;
        for (; at > 0 && hdi_layout_strides(k)[perm[at - 1]] < hdi_layout_strides(k)[a]; at--)
            perm[at] = perm[at - 1];
        perm[at] = a;
    }
    return true;
}

/* x's layout with its first n axes in another order; inverse: put back where they came from. */
static hd_array *permuted(const hd_array *x, const hdi_layout *l, int n, const int *perm,
                          bool inverse)
{
    int64_t dims[HD_MAXDIM], strides[HD_MAXDIM];
    for (int a = 0; a < l->nd; a++) {
        int from = a < n && !inverse ? perm[a] : a, to = a < n && inverse ? perm[a] : a;
        dims[to] = l->dims[from];
        strides[to] = hdi_layout_strides(l)[from];
    }
    hdi_layout *lay = hdi_layout_get(l->nd, dims, strides, l->item);
    return lay != NULL ? hdi_array_view(x, (hd_dtype)x->dtype, lay, x->off) : NULL;
}

static hd_array *take_in_order(const hd_array *x, int n, const hd_array *const *index)
{
    int nd, perm[HD_MAXDIM], made = 0;
    int64_t dims[HD_MAXDIM];
    hd_array *turned[HD_MAXDIM], *r = NULL, *back = NULL;
    if (n < 1 || n > x->lay->nd || !order_of_places(x, n, index, &nd, dims, perm))
        return take(x, n, index);
    for (; made < n; made++) {
        hdi_layout *wide = hdi_layout_broadcast(index[made]->lay, nd, dims);
        turned[made] = wide != NULL ? permuted(index[made], wide, nd, perm, false) : NULL;
        if (turned[made] == NULL)
            break;
    }
    if (made == n)
        r = take(x, n, (const hd_array *const *)turned);
    if (r != NULL) {
        back = permuted(r, r->lay, nd, perm, true);
        hdi_array_release(r);
    }
    while (made > 0)
        hdi_array_release(turned[--made]);
    return back;
}

/* Can the index array be read, and x by it, without waiting, and is that little work? */
static bool are_few(const hd_array *x, const hd_array *index)
{
    return !hdi_is_weak(x) && !hdi_is_weak(index) && x->lay->nd == 1 && index->lay->nd == 1 &&
           index->dtype == HD_INT64 && index->lay->size > 0 &&
           index->st->buf->dev == x->st->buf->dev &&
           hdi_runs_at_once(x->st->buf->dev, index->lay->size) &&
           hdi_buf_at_hand(x->st->buf) && hdi_buf_at_hand(index->st->buf);
}

/* x[index] of few indices, within the call; false, without an error, if one is out of range. */
static inline __attribute__((always_inline)) bool copy_few(uint8_t *to, const hd_array *x,
                                                          const hd_array *index, size_t item)
{
    const uint8_t *from = x->st->buf->host + x->off, *at = index->st->buf->host + index->off;
    const int64_t extent = x->lay->dims[0], step = hdi_layout_strides(x->lay)[0],
                  stride = hdi_layout_strides(index->lay)[0], n = index->lay->size;
    for (int64_t i = 0, v; i < n; i++) {
        memcpy(&v, at + i * stride, sizeof v);
        v += v < 0 ? extent : 0;
        if (HDI_UNLIKELY((uint64_t)v >= (uint64_t)extent))
            return false;
        memcpy(to + i * (int64_t)item, from + v * step, item);
    }
    return true;
}

/* True: *r is the result, NULL with an error. False: it is another case, or one that the general
 * way words, or waits for memory for. */
static bool take_few(const hd_array *x, const hd_array *index, hd_array **r)
{
    if (!are_few(x, index))
        return false;
    *r = hdi_new(x->st->buf->dev, 1, index->lay->dims, (hd_dtype)x->dtype);
    if (*r == NULL)
        return true;
    bool done = hdi_buf_take_host((*r)->st->buf);
    if (done && x->lay->item == 8)
        done = copy_few((*r)->st->buf->host, x, index, 8);
    else if (done)
        done = copy_few((*r)->st->buf->host, x, index, x->lay->item);
    if (!done)
        hdi_array_release(*r);
    return done;
}

hd_array *hd_take(const hd_array *x, int n, const hd_array *const *index)
{
    if (x == NULL)
        return hdi_null("an array");
    if (n > x->lay->nd) {
        hdi_fail(HD_INDEX, "too many indices for array: array is %d-dimensional, but %d were "
                 "indexed", x->lay->nd, n);
        return NULL;
    }
    if (hdi_all_given(n, index) != HD_OK)
        return NULL;
    hdi_lock();
    hd_array *r;
    if (n != 1 || !take_few(x, index[0], &r))
        r = take_in_order(x, n, index);
    return hdi_done(r, "take");
}

/* Has dt a place for the number? Also where there is nothing to write, as NumPy. */
static hd_status check_number(const hd_array *number, hd_dtype dt)
{
    uint64_t element[2];
    return hdi_number_as(&number->weak, dt, element);
}

static hd_status put(hd_array *x, int n, const hd_array *const *index, const hd_array *values,
                     hd_casting casting)
{
    hdi_places p;
    hd_array *v = NULL;
    hdi_places_none(&p);
    if (x->flags & HDI_A_READONLY)
        return hdi_fail(HD_READONLY, "assignment destination is read-only");
    if (!hdi_is_weak(values) && !hd_can_cast((hd_dtype)values->dtype, (hd_dtype)x->dtype, casting))
        return hdi_fail(HD_CAST,
                        "Cannot cast array data from dtype('%s') to dtype('%s') according to the "
                        "rule 'same_kind'",
                        hd_dtype_name((hd_dtype)values->dtype), hd_dtype_name((hd_dtype)x->dtype));
    hd_status status = hdi_is_weak(values) ? check_number(values, (hd_dtype)x->dtype) : HD_OK;
    if (status == HD_OK)
        status = hdi_find_places(x, n, index, false, &p);
    if (status == HD_OK && p.n > 0) {
        v = hdi_values_at(x, n, &p, values, (hd_dtype)x->dtype);
        status = v != NULL ? HD_OK : hd_error_peek()->code;
    }
    if (status == HD_OK)   /* from here on the lock stays */
        status = hdi_window_unshare(x);
    if (status == HD_OK && v != NULL && v->lay->size > 0)
        status =
            hdi_record_places(HD_OP_scatter, x, v, p.offsets,
                              p.flags | (values->lay->size == 1 ? HDI_PLACES_ALIKE : 0));
    if (v != NULL)
        hdi_array_release(v);
    if (p.offsets != NULL)
        hdi_array_release(p.offsets);
    return status;
}

hd_status hd_put(hd_array *x, int n, const hd_array *const *index, const hd_array *values,
                 hd_casting casting)
{
    if (x == NULL || values == NULL)
        return hdi_fail_null("an array");
    if (n > x->lay->nd)
        return hdi_fail(HD_INDEX, "too many indices for array: array is %d-dimensional, but %d "
                        "were indexed", x->lay->nd, n);
    if (hdi_all_given(n, index) != HD_OK)
        return hd_error_peek()->code;
    if (casting == HD_CAST_DEFAULT)
        casting = HD_CAST_SAME_KIND;
    hdi_lock();
    const hd_status status = n == 1 && hdi_put_few(x, index[0], values)
                                 ? HD_OK
                                 : put(x, n, index, values, casting);
    return hdi_done_status(status, x->st != NULL ? x->st->buf->dev : NULL, "put");
}
