/* SPDX-License-Identifier: BSD-3-Clause */
/* create.c - arrays from nothing: constants and ramps. All but empty are one elementwise record,
 * fused with what reads them. */
#include "base/lock.h"
#include "ops/ops.h"

/* An array that the user asks for by its shape is meant to be stored: one that never could be is
 * refused, although what is done with it might need no memory. */
static hd_array *new_stored(hd_device *dev, int nd, const int64_t *shape, hd_dtype dt)
{
    hd_array *x = dev != NULL ? hdi_new(dev, nd, shape, dt) : NULL;
    if (x == NULL || hdi_never_fits(dev, x->st->buf->nbytes, x->lay) == HD_OK)
        return x;
    hdi_array_release(x);
    return NULL;
}

/* The same without contents. Who writes to a small part of it needs memory for that part only, if
 * the system gives memory as it is touched: then it decides. */
static hd_array *new_empty(hd_array *x)
{
    if (x == NULL)
        return NULL;
    hdi_buf *b = x->st->buf;
    bool had = hd_error_peek()->code != HD_OK;
    if (hdi_never_fits(b->dev, b->nbytes, x->lay) == HD_OK)
        return x;
    if (!had)
        hd_error_take(NULL);
    if (hdi_buf_memory(b) == HD_OK)
        return x;
    hdi_array_release(x);
    return NULL;
}

static hd_array *filled(hd_device *dev, int nd, const int64_t *shape, hd_dtype dt, int64_t value)
{
    uint64_t element[2];
    hd_array *x = new_stored(dev, nd, shape, dt);
    if (x == NULL)
        return NULL;
    hdi_encode_i64(dt, value, element);
    if (hdi_fill(x, element) == HD_OK)
        return x;
    hdi_array_release(x);
    return NULL;
}

/* What an array is of if nobody says. */
static hd_dtype or_real(hd_dtype dt)
{
    return dt == HD_NO_DTYPE ? HD_FLOAT64 : dt;
}

hd_array *hd_empty(int nd, const int64_t *shape, hd_dtype dt)
{
    hdi_lock();
    hd_device *dev = hdi_current_device();
    hd_array *x = dev != NULL ? hdi_new(dev, nd, shape, or_real(dt)) : NULL;
    return hdi_done(new_empty(x), "empty");
}

hd_array *hd_zeros(int nd, const int64_t *shape, hd_dtype dt)
{
    hdi_lock();
    return hdi_done(filled(hdi_current_device(), nd, shape, or_real(dt), 0), "zeros");
}

hd_array *hd_ones(int nd, const int64_t *shape, hd_dtype dt)
{
    hdi_lock();
    return hdi_done(filled(hdi_current_device(), nd, shape, or_real(dt), 1), "ones");
}

/* A real array has no memory to be a view of. */
hd_array *hd_imag(const hd_array *x)
{
    if (x == NULL)
        return hdi_null("an array");
    if (hdi_is_weak(x) || hdi_is_complex((hd_dtype)x->dtype))
        return hdi_imag_view(x);
    hdi_lock();
    hd_array *zeros = filled(hdi_device_of(x), x->lay->nd, x->lay->dims, (hd_dtype)x->dtype, 0);
    if (zeros != NULL)
        zeros->flags |= HDI_A_READONLY;
    return hdi_done(zeros, "imag");
}

hd_array *hd_full(int nd, const int64_t *shape, const hd_array *value, hd_dtype dt)
{
    if (value == NULL)
        return hdi_null("an array");
    hdi_lock();
    hdi_in in = hdi_in_array(value);
    hd_device *dev = hdi_current_device();
    hd_dtype own = hdi_common_dtype(1, &in);
    hd_array *x = new_stored(dev, nd, shape, dt == HD_NO_DTYPE ? own : dt);
    if (x != NULL && hdi_store(x, HD_OP_copy, (hd_dtype)x->dtype, 1, &in) != HD_OK) {
        hdi_array_release(x);
        x = NULL;
    }
    return hdi_done(x, "full");
}

hd_array *hd_empty_like(const hd_array *x, hd_dtype dt)
{
    if (x == NULL)
        return hdi_null("an array");
    hdi_lock();
    hd_array *r = NULL;
    dt = dt == HD_NO_DTYPE ? (hd_dtype)x->dtype : dt;
    if (hdi_dtype_check(dt) == HD_OK) {
        hdi_layout *lay = hdi_layout_like(x->lay, hdi_itemsize(dt));
        r = new_empty(lay != NULL ? hdi_array_new(hdi_device_of(x), dt, lay) : NULL);
    }
    return hdi_done(r, "empty_like");
}

/* What NumPy goes on in: halves are counted up in float32. */
static hd_dtype ramp_dtype(hd_dtype dt)
{
    return hdi_is_half(dt) ? HD_FLOAT32 : dt;
}

/* One end of a ramp: a constant of the loop's dtype, or an array of one element read over all
 * positions. */
static hd_status ramp_input(hdi_record *r, int operand, const hd_array *x, const hd_array *from,
                            const uint64_t element[2])
{
    if (from == NULL) {
        hdi_record_scalar(r, operand, (hd_dtype)r->cdt, element);
        return HD_OK;
    }
    hdi_layout *lay = hdi_layout_broadcast(from->lay, x->lay->nd, x->lay->dims);
    if (lay != NULL)
        hdi_record_array(r, operand, from, lay);
    return lay != NULL ? HD_OK : hd_error_peek()->code;
}

/* start + i * step over the positions of x, as one record in ramp_dtype(). */
static hd_status ramp_of(hd_array *x, const hd_array *a, const uint64_t start[2], const hd_array *b,
                         const uint64_t step[2])
{
    hd_dtype dt = ramp_dtype((hd_dtype)x->dtype);
    hdi_window *w = hdi_window_of(x->st->buf->dev);
    hdi_layout *positions = hdi_layout_c(x->lay->nd, x->lay->dims, 1);
    if (positions == NULL)
        return HD_NOMEM;
    if (x->lay->size == 0)
        return HD_OK;
    hdi_record *r = hdi_record_begin(w, HD_OP_ramp, 'e', dt, 3);
    if (r == NULL)
        return hd_error_peek()->code;
    hdi_record_array(r, 0, x, x->lay);
    hdi_record_index(r, 1, positions, 0);
    hd_status status = ramp_input(r, 2, x, a, start);
    if (status == HD_OK)
        status = ramp_input(r, 3, x, b, step);
    r->domain = x->lay;
    return status == HD_OK ? hdi_record_end(w, r) : status;
}

static hd_status ramp(hd_array *x, const uint64_t start[2], const uint64_t step[2])
{
    return ramp_of(x, NULL, start, NULL, step);
}

/* NumPy writes the first two values in the dtype and goes on by their difference, computed in
 * the dtype (ramp_dtype() of it). */
static void ramp_constants(hd_dtype dt, const hd_number *start, const hd_number *step,
                           uint64_t first[2], uint64_t delta[2])
{
    if (hdi_is_int(dt) && start->kind != HD_WEAK_FLOAT && step->kind != HD_WEAK_FLOAT) {
        hdi_encode_i64(dt, start->as.i, first);
        hdi_encode_i64(dt, step->as.i, delta);
    } else if (hdi_is_int(dt)) {
        uint64_t second[2];
        hdi_encode_f64(dt, start->re, 0, first);
        hdi_encode_f64(dt, start->re + step->re, 0, second);
        hdi_encode_i64(dt, (int64_t)(second[0] - first[0]), delta);
    } else if (hdi_is_half(dt)) {
        uint64_t a[2], b[2];
        hdi_encode_f64(dt, start->re, 0, a);
        hdi_encode_f64(dt, start->re + step->re, 0, b);
        float from = hdi_decode_half(dt, (uint16_t)a[0]);
        hdi_encode_f64(HD_FLOAT32, (double)from, 0, first);
        from = hdi_decode_half(dt, (uint16_t)b[0]) - from;
        hdi_encode_f64(HD_FLOAT32, (double)from, 0, delta);
    } else if (dt == HD_FLOAT32 || dt == HD_COMPLEX64) {
        float a = (float)start->re, b = (float)(start->re + step->re);
        hdi_encode_f64(dt, (double)a, (double)(float)start->im, first);
        hdi_encode_f64(dt, (double)(b - a), (double)(float)step->im, delta);
    } else {
        hdi_encode_f64(dt, start->re, start->im, first);
        hdi_encode_f64(dt, (start->re + step->re) - start->re, step->im, delta);
    }
}

hd_array *hd_arange(const hd_array *start, const hd_array *step, int64_t length, hd_dtype dt)
{
    if (start == NULL || step == NULL)
        return hdi_null("an array");
    hd_array *x = NULL;
    uint64_t first[2], delta[2];
    hdi_lock();
    hdi_in in[2] = {hdi_in_array(start), hdi_in_array(step)};
    hd_device *dev = hdi_current_device();
    if (start->lay->size != 1 || step->lay->size != 1 || (in[0].n == NULL) != (in[1].n == NULL))
        hdi_fail(HD_VALUE, "arange takes two numbers, or two arrays of one element");
    else if (dt == HD_BOOL && length > 2)
        hdi_fail(HD_DTYPE,
                 "arange() is only supported for booleans when the result has at most length 2.");
    else if (dev != NULL)
        x = hdi_new(dev, 1, &length, dt == HD_NO_DTYPE ? hdi_common_dtype(2, in) : dt);
    if (x != NULL) {
        hd_dtype loop = (hd_dtype)x->dtype;
        hd_status status;
        if (in[0].x != NULL) {
            status = ramp_of(x, start, NULL, step, NULL);
        } else if (loop == HD_BOOL) {   /* False, True: written as bytes */
            hd_array *bytes = hdi_array_view(x, HD_UINT8, x->lay, 0);
            ramp_constants(HD_UINT8, in[0].n, in[1].n, first, delta);
            status = bytes != NULL ? ramp(bytes, first, delta) : HD_NOMEM;
            if (bytes != NULL)
                hdi_array_release(bytes);
        } else {
            ramp_constants(loop, in[0].n, in[1].n, first, delta);
            status = ramp(x, first, delta);
        }
        if (status != HD_OK) {
            hdi_array_release(x);
            x = NULL;
        }
    }
    return hdi_done(x, "arange");
}

hd_array *hd_linspace(double start, double stop, int64_t n, int endpoint, hd_dtype dt)
{
    hdi_lock();
    hd_device *dev = hdi_current_device();
    hd_array *x = NULL;
    dt = or_real(dt);
    if (hdi_dtype_check(dt) != HD_OK)
        return hdi_done(NULL, "linspace");
    hd_dtype loop = hdi_is_int(dt) ? HD_FLOAT64 : dt;
    if (n < 0)
        hdi_fail(HD_VALUE, "Number of samples, %lld, must be non-negative.", (long long)n);
    else if (dev != NULL)
        x = hdi_new(dev, 1, &n, HD_FLOAT64);
    if (x != NULL && n > 0) {
        int64_t parts = endpoint ? n - 1 : n;
        double step = parts > 0 ? (stop - start) / (double)parts : stop - start;
        uint64_t first[2], delta[2], last[2];
        hdi_encode_f64(HD_FLOAT64, start, 0, first);
        hdi_encode_f64(HD_FLOAT64, step, 0, delta);
        hdi_encode_f64(HD_FLOAT64, stop, 0, last);
        hd_status status = ramp(x, first, delta);
        if (status == HD_OK && endpoint && n > 1) {   /* the end is met exactly */
            int64_t one = 1, stride = 8;
            hdi_layout *lay = hdi_layout_get(1, &one, &stride, 8);
            hd_array *end = lay != NULL ? hdi_array_view(x, HD_FLOAT64, lay, (n - 1) * 8) : NULL;
            status = end != NULL ? hdi_fill(end, last) : HD_NOMEM;
            if (end != NULL)
                hdi_array_release(end);
        }
        if (status != HD_OK) {
            hdi_array_release(x);
            x = NULL;
        }
    }
    if (x != NULL && dt != HD_FLOAT64) {
        hd_array *wide = x;
        if (hdi_is_int(dt)) {   /* NumPy rounds down */
            hdi_in in = hdi_in_array(x);
            wide = hdi_ew(HD_OP_floor, loop, 1, &in);
            hdi_array_release(x);
        }
        x = NULL;
        if (wide != NULL) {
            if (hdi_dtype_check(dt) == HD_OK)
                x = hdi_new_copy(wide, dt, hdi_layout_c(1, &n, hdi_itemsize(dt)));
            hdi_array_release(wide);
        }
    }
    return hdi_done(x, "linspace");
}

hd_array *hd_eye(int64_t rows, int64_t columns, int64_t k, hd_dtype dt)
{
    int64_t dims[2] = {rows, columns}, by_row[2] = {1, 0}, by_column[2] = {0, 1};
    dt = or_real(dt);
    hdi_lock();
    hd_device *dev = hdi_current_device();
    hd_array *x = dev != NULL ? hdi_new(dev, 2, dims, dt) : NULL, *hits = NULL;
    if (x != NULL && x->lay->size > 0) {
        k = hdi_max64(-rows, hdi_min64(k, columns));   /* beyond there is no diagonal */
        hd_status status = HD_NOMEM;
        hdi_layout *row = hdi_layout_get(2, dims, by_row, 1),
                   *column = hdi_layout_get(2, dims, by_column, 1);
        if (row != NULL && column != NULL && (hits = hdi_new(dev, 2, dims, HD_BOOL)) != NULL) {
            hdi_record *r = hdi_record_begin(hdi_window_of(dev), HD_OP_equal, 'e', HD_INT64, 2);
            status = r != NULL ? HD_OK : hd_error_peek()->code;
            if (r != NULL) {
                hdi_record_array(r, 0, hits, hits->lay);
                hdi_record_index(r, 1, row, k);
                hdi_record_index(r, 2, column, 0);
                r->domain = hits->lay;
                status = hdi_record_end(hdi_window_of(dev), r);
            }
            hdi_in in = hdi_in_array(hits);
            if (status == HD_OK)
                status = hdi_store(x, HD_OP_copy, dt, 1, &in);
            hdi_array_release(hits);
        }
        if (status != HD_OK) {
            hdi_array_release(x);
            x = NULL;
        }
    }
    return hdi_done(x, "eye");
}
