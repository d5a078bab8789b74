/* SPDX-License-Identifier: BSD-3-Clause */
/* again.c - a pending elementwise result, recorded once more in another shape. */
#include "ops/index/again.h"

#include "core/dtype.h"

/* Records of one time, and room for theirs and the caller's. */
enum { MOST = 8, ROOM = HDI_AGAIN_TIMES * (2 * MOST) };

const hdi_record *hdi_maker(const hdi_buf *b)
{
    const uint64_t seq = b->write_link >> 2;
    const hdi_record *r = hdi_window_at(hdi_window_of(b->dev), seq);
    return b->writes == 1 && r->seq == seq && r->pending ? r : NULL;
}

static bool is_one_element(const hdi_layout *l)
{
    return l->core->nsq == 0;
}

/* Is operand k of r, an array with a write pending, made again rather than read? */
static bool is_made_again(const hdi_record *r, int k)
{
    const hdi_operand *p = &r->operand[k];
    const hdi_record *m = r->kind[k] == HDI_ARRAY && p->buf->writes > 0 ? hdi_maker(p->buf) : NULL;
    return m != NULL && m->cls == 'e' && !is_one_element(p->lay);
}

static bool can_again(const hdi_record *r, int *records);

/* Elements that lie as the result's do, or the same one for all; as they were when r read them. */
static bool can_read(const hdi_record *r, int k, int *records)
{
    const hdi_operand *p = &r->operand[k];
    if (r->kind[k] != HDI_ARRAY)
        return r->kind[k] == HDI_SCALAR;
    if (p->buf->pins != 0 || (!p->lay->c_contiguous && !is_one_element(p->lay)))
        return false;
    if (p->buf->writes == 0)
        return true;
    const hdi_record *m = hdi_maker(p->buf);
    if (m == NULL || m->seq > r->seq)
        return false;
    const hdi_operand *made = &m->operand[0];
    return !is_made_again(r, k) ||
           (made->off == p->off && made->lay->size == p->lay->size && m->dt[0] == r->dt[k] &&
            can_again(m, records));
}

static bool can_again(const hdi_record *r, int *records)
{
    const hdi_operand *out = &r->operand[0];
    if (--*records < 0 || r->cls != 'e' || !out->lay->c_contiguous ||
        out->lay->fills != out->buf->nbytes)
        return false;
    for (int k = 1; k <= r->nin; k++)
        if (!can_read(r, k, records))
            return false;
    return true;
}

/* Nothing that is pending goes while these are recorded. What is recorded once more is meant to be
 * one kernel with its reader: without fusion it would only be twice the work. */
static bool has_room(hdi_window *w)
{
    if (!w->fusion || w->pending + ROOM >= HDI_WINDOW_MAX || hdi_at_once() ||
        hdi_layouts_number + ROOM >= hdi_layouts_limit ||
        hdi_memory_bytes.window_only > (int64_t)256 << 20)
        return false;
    for (int k = 0; k < ROOM; k++)
        if (hdi_window_at(w, w->next + (uint64_t)k)->pending)
            return false;
    return true;
}

bool hdi_can_again(const hd_array *x)
{
    int records = MOST;
    const hdi_buf *b = x->st->buf;
    const hdi_record *r = b->writes > 0 ? hdi_maker(b) : NULL;
    return r != NULL && hdi_array_is_whole(x) && r->dt[0] == x->dtype &&
           has_room(hdi_window_of(b->dev)) && can_again(r, &records);
}

/* ---- recording ------------------------------------------------------------------------------- */

static hd_array *again(const hdi_record *r, int64_t from, int nd, const int64_t *dims);

/* Operand k of r as `to` has it. made: what was made again for it, or NULL. */
static hd_status operand(hdi_record *to, const hdi_record *r, int k, const hd_array *made,
                         int64_t from)
{
    static const int64_t none[HD_MAXDIM];
    const hdi_operand *p = &r->operand[k];
    const hdi_layout *domain = to->domain;
    if (made != NULL) {
        hdi_record_array(to, k, made, made->lay);
        return HD_OK;
    }
    if (r->kind[k] == HDI_SCALAR) {
        hdi_record_scalar(to, k, (hd_dtype)r->dt[k], p->scalar);
        return HD_OK;
    }
    const bool one = is_one_element(p->lay);
    const int64_t item = p->lay->item;
    const hdi_layout *lay = one ? hdi_layout_get(domain->nd, domain->dims, none, item)
                                : hdi_layout_c(domain->nd, domain->dims, item);
    if (lay == NULL)
        return hd_error_peek()->code;
    hdi_record_buffer(to, k, p->buf, (hd_dtype)r->dt[k], lay, p->off + (one ? 0 : from * item));
    return HD_OK;
}

static hd_status record(const hdi_record *r, hd_array *out, hd_array *const *made, int64_t from)
{
    hdi_window *w = hdi_window_of(out->st->buf->dev);
    hdi_record *to = hdi_record_begin(w, (hd_op)r->op, 'e', (hd_dtype)r->cdt, r->nin);
    if (to == NULL)
        return hd_error_peek()->code;
    hd_status status = HD_OK;
    to->domain = out->lay;
    hdi_record_array(to, 0, out, out->lay);
    for (int k = 1; k <= r->nin && status == HD_OK; k++)
        status = operand(to, r, k, made[k], from);
    return status == HD_OK ? hdi_record_end(w, to) : status;
}

static hd_array *again(const hdi_record *r, int64_t from, int nd, const int64_t *dims)
{
    hd_array *made[1 + HDI_MAX_IN] = {NULL}, *out = NULL;
    hd_status status = HD_OK;
    for (int k = 1; k <= r->nin && status == HD_OK; k++)
        if (is_made_again(r, k) &&
            (made[k] = again(hdi_maker(r->operand[k].buf), from, nd, dims)) == NULL)
            status = hd_error_peek()->code;
    if (status == HD_OK &&
        (out = hdi_new(r->operand[0].buf->dev, nd, dims, (hd_dtype)r->dt[0])) == NULL)
        status = hd_error_peek()->code;
    if (status == HD_OK)
        status = record(r, out, made, from);
    for (int k = 1; k <= r->nin; k++)
        if (made[k] != NULL)
            hdi_array_release(made[k]);
    if (status == HD_OK)
        return out;
    if (out != NULL)
        hdi_array_release(out);
    return NULL;
}

hd_array *hdi_again(const hd_array *x, int64_t from, int nd, const int64_t *dims)
{
    return again(hdi_maker(x->st->buf), from, nd, dims);
}
