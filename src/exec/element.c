/* SPDX-License-Identifier: BSD-3-Clause */
/* element.c - single elements: read where they lie and written where they belong, once what is
 * pending on them has run. */
#include "base/lock.h"
#include "exec/exec.h"
#include "ops/ops.h"
#include "window/windows.h"

/* Element writes in a row that are recorded. More of them are a loop of the host program over
 * elements: then what is pending runs, and the loop goes on with stores. */
enum { RECORDED_WRITES = 8 };

static inline void store_element(hdi_buf *b, int64_t off, const void *element, int item)
{
    hdi_copy_element(b->host + off, element, item);
    hdi_buf_changed(b);
}

hd_status hd_element_get(const hd_array *x, int n, const int64_t *index, void *into)
{
    int64_t off;
    if (x == NULL || into == NULL)
        return hdi_fail_null(x == NULL ? "an array" : "the place for the element");
    if (!hdi_find_element(x, n, index, &off))
        return HD_INDEX;
    if (HDI_UNLIKELY(hdi_is_weak(x)))
        return hdi_read_weak(x, into);
    hdi_lock();
    const hdi_buf *b = x->st->buf;
    bool here = hdi_buf_known(b);
    if (HDI_LIKELY(here))
        hdi_copy_element(into, b->host + off, x->lay->item);
    hdi_unlock();
    return HDI_LIKELY(here) ? HD_OK : hdi_read_at(x, off, into);
}

int hd_value_known(const hd_array *x, void *element)
{
    if (x == NULL || element == NULL) {
        hdi_fail_null(x == NULL ? "an array" : "the place for the element");
        return 0;
    }
    if (!(x->flags & HDI_A_SCALAR) || hdi_is_weak(x))
        return 0;
    hdi_lock();
    const hdi_buf *b = x->st->buf;
    const bool known = hdi_buf_known(b);
    if (known)
        hdi_copy_element(element, b->host + x->off, x->lay->item);
    hdi_unlock();
    return known;
}

/* May the element be stored now? */
static inline bool may_store(const hdi_buf *b)
{
    return hdi_buf_alone(b) && hdi_captures == 0 && !hdi_at_once();
}

/* Could it be stored, if what is pending had run? A GPU's array then has its contents brought. */
static inline bool could_store(const hdi_buf *b)
{
    return b->dev->host_memory ? b->recs > 0 : hdi_buf_may_mirror(b);
}

/* Is this one of many element writes in a row? */
static bool is_loop(hdi_window *w)
{
    w->element_run = w->next == w->element_next ? w->element_run + 1 : 1;
    w->element_next = w->next + 1;
    return w->element_run > RECORDED_WRITES;
}

/* As the assignment to a view of one element. */
static hd_status record_element(const hd_array *x, int64_t off, const void *element)
{
    hd_dtype dt = (hd_dtype)x->dtype;
    hdi_layout *one = hdi_layout_c(0, NULL, x->lay->item);
    hd_array *view = one != NULL ? hdi_array_view(x, dt, one, off) : NULL;
    uint64_t value[2] = {0, 0};
    hdi_copy_element(value, element, x->lay->item);
    hd_status status = view != NULL ? hdi_fill(view, value) : HD_NOMEM;
    if (view != NULL)
        hdi_array_release(view);
    return status;
}

hd_status hd_element_set(hd_array *x, int n, const int64_t *index, const void *element)
{
    int64_t off;
    hd_status status = HD_OK;
    if (x == NULL || element == NULL)
        return hdi_fail_null(x == NULL ? "an array" : "an element");
    if (hdi_is_weak(x) || x->flags & HDI_A_READONLY)
        return hdi_fail(HD_READONLY, "assignment destination is read-only");
    if (!hdi_find_element(x, n, index, &off))
        return HD_INDEX;
    hdi_lock();
    hdi_buf *b = x->st->buf;
    if (HDI_LIKELY(may_store(b))) {
        store_element(b, off, element, x->lay->item);
        hdi_unlock();
        return HD_OK;
    }
    hd_device *dev = b->dev;
    if (HDI_UNLIKELY(could_store(b) && is_loop(hdi_window_of(dev)))) {
        hdi_window_flush(hdi_window_of(dev));
        status = hdi_windows_settle(b);
        hd_status ran = hdi_step_out(dev);
        status = status != HD_OK ? status : ran;
        if (status == HD_OK && !dev->host_memory)
            status = hdi_bring(x);
        hdi_step_in();
    }
    if (HDI_UNLIKELY(!may_store(b)) && status == HD_OK)
        status = hdi_window_unshare(x);
    b = x->st->buf;
    if (HDI_LIKELY(may_store(b)) && status == HD_OK)
        store_element(b, off, element, x->lay->item);
    else if (status == HD_OK)
        status = record_element(x, off, element);
    return hdi_done_status(status, dev, "assignment");
}

hd_status hd_element_number(const hd_array *x, const hd_number *n, void *element)
{
    uint64_t value[2] = {0, 0};
    if (x == NULL || n == NULL || element == NULL)
        return hdi_fail_null(x == NULL ? "an array" : n == NULL ? "a number" : "an element");
    hd_status status = hdi_number_as(n, (hd_dtype)x->dtype, value);
    if (status == HD_OK)
        hdi_copy_element(element, value, x->lay->item);
    return status;
}

hd_array *hd_from_element(hd_device *dev, hd_dtype dt, const void *element)
{
    if (element == NULL)
        return hdi_null("an element");
    if (hdi_dtype_check(dt) != HD_OK)
        return NULL;
    hdi_lock();
    uint64_t value[2] = {0, 0};
    dev = dev != NULL ? dev : hdi_current_device();
    hd_array *r = dev != NULL ? hdi_new(dev, 0, NULL, dt) : NULL;
    hdi_copy_element(value, element, (int)hdi_itemsize(dt));
    hd_status status = r != NULL ? HD_OK : HD_NOMEM;
    if (r != NULL && hdi_buf_take_host(r->st->buf))
        hdi_copy_element(r->st->buf->host, value, (int)hdi_itemsize(dt));
    else if (r != NULL)
        status = hdi_fill(r, value);
    if (r != NULL)
        r->flags |= HDI_A_SCALAR | HDI_A_READONLY;
    if (r != NULL && status != HD_OK) {
        hdi_array_release(r);
        r = NULL;
    }
    return hdi_done(r, "scalar");
}
