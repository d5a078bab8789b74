/* SPDX-License-Identifier: BSD-3-Clause */
/* record.c - appending one operation: room, links, counts; letting go of it. Rule M2. */
#include <stdlib.h>

#include "base/alloc.h"
#include "core/object.h"
#include "window/append.h"
#include "window/windows.h"

#ifdef HDI_MUTATE
bool hdi_mutated(const char *check)
{
    static const char *off;
    if (off == NULL && (off = getenv("HEDDLE_MUTATE")) == NULL)
        off = "";
    return strcmp(off, check) == 0;
}
#endif

/* Room in the ring: few enough records pending, the slots free, and not too much memory kept
 * alive by the window alone. */
static void make_room(hdi_window *w, int slots)
{
    if (w->pending >= HDI_WINDOW_MAX)
        hdi_window_retire(w, HDI_CUT_LO, HDI_CUT_HI);
    /* few are pending, but a record that nobody demanded is there still after 255 others came and
     * went */
    if (HDI_UNLIKELY(!hdi_window_free(w, slots)))
        hdi_window_free_slots(w, slots);
    int64_t bound = hdi_max64((int64_t)256 << 20, (int64_t)hdi_memory_bytes.held);
    if (HDI_UNLIKELY(hdi_memory_bytes.window_only > bound))
        hdi_windows_retire(w, bound);
    if (HDI_UNLIKELY(hdi_layouts_crowded()))
        /* so that the layouts that only records use can go: see hdi_drain() */
        hdi_windows_flush(w->dev);
    else if (HDI_UNLIKELY((w->special & HDI_WATCHED) != 0) && hdi_at_once())
        /* so that faults of what was recorded before are told from those of the record to come */
        hdi_window_flush(w);
}

hdi_record *hdi_record_begin_crowded(hdi_window *w, int slots)
{
    if (HDI_LIKELY(!w->starved))
        make_room(w, slots);
    /* What could not be given memory waits until the queue is drained, when more may be there. An
     * operation of so many records that there is no slot left meanwhile cannot wait. */
    while (HDI_UNLIKELY(!hdi_window_free(w, slots)) && hdi_runner->relieve(w->dev))
        ;
    return hdi_window_at(w, w->next);
}

hdi_record *hdi_record_begin_many(hdi_window *w, hd_op op, char cls, hd_dtype cdt, int nin,
                                  int slots)
{
    hd_assert(slots <= HDI_SLOTS_MOST);
    hdi_record *r = hdi_record_begin(w, op, cls, cdt, nin);
    if (r == NULL || slots == 1 || HDI_LIKELY(hdi_window_free(w, slots)))
        return r;
    r = hdi_record_begin_crowded(w, slots);
    return hdi_slot_clear(r, w->next, op, cls, cdt, nin);
}

hdi_record *hdi_record_more(hdi_record *r, int nin)
{
    hdi_record *slot = hdi_record_slot(r, ++r->more);
    hdi_slot_clear(slot, r->seq + r->more, (hd_op)r->op, HDI_MORE, (hd_dtype)r->cdt, nin);
    slot->more = r->more;
    return slot;
}

hd_status hdi_never_recorded(hdi_record *r)
{
    hdi_forget_axes(r);
    hdi_fail(HD_NOMEM, "out of memory while recording an operation");
    return hd_error_peek()->code;
}

/* The newest slot is taken back. */
static void forget_slot(hdi_window *w, hdi_record *r)
{
    for (int k = 0; k <= r->nin; k++) {
        if (r->kind[k] != HDI_ARRAY)
            continue;
        hdi_buf *b = r->operand[k].buf;
        b->recs--;
        b->writes -= k == 0;
        *(k == 0 ? &b->write_link : &b->read_link) = r->operand[k].link;
        b->write_link = b->writes == 0 ? 0 : b->write_link;
        b->read_link = b->recs == 0 ? 0 : b->read_link;
    }
    hdi_forget_axes(r);
    r->pending = false;
    w->next--;
    w->pending--;
}

/* r, recorded last, could not be submitted as rule M9 asks: it was never recorded. */
static void forget_newest(hdi_window *w, hdi_record *r)
{
    for (int i = (int)r->more; i >= 0; i--)
        forget_slot(w, hdi_record_slot(r, i));
    w->stats.records--;
}

/* Operations on shared memory (rule M9), and those whose faults somebody watches, run before the
 * call returns. */
hd_status hdi_submit_now(hdi_window *w, hdi_record *r)
{
    hdi_watching.record = hdi_watching.faults != 0 ? r : NULL;
    hd_status status = hdi_window_demand_record(w, r);
    hdi_watching.record = NULL;
    hdi_watching.scalar = false;
    if (status != HD_OK)
        forget_newest(w, r);
    return status;
}

/* What must be stored although it never could be is refused at once: whatever a library call reads
 * and writes, and what is written to in part. */
static bool storable(const hdi_record *r)
{
    for (int k = 0; k <= r->nin; k++) {
        if (r->kind[k] != HDI_ARRAY)
            continue;
        const hdi_operand *p = &r->operand[k];
        bool stored = r->cls == 'x' || (k == 0 && p->lay->fills != p->buf->nbytes);
        if (stored && p->buf->mem == NULL &&
            hdi_never_fits(p->buf->dev, p->buf->nbytes, p->lay) != HD_OK)
            return false;
    }
    return true;
}

static bool all_storable(const hdi_record *r)
{
    bool fits = true;
    for (int i = 0; i < hdi_record_slots(r); i++)
        fits = fits && storable(hdi_record_slot(r, i));
    return fits;
}

/* What r's slots wait for in this window. None of them is attached yet, so that they do not meet
 * each other: the operation itself says what its operands may share. False: no memory for it. */
static bool look_at_all(hdi_window *w, hdi_record *r, int32_t *at_once)
{
    bool fits = true;
    for (int i = 0; i < hdi_record_slots(r); i++) {
        hdi_record *slot = hdi_record_slot(r, i);
        for (int k = 0; k <= slot->nin; k++)
            fits = hdi_look_at(w, slot, k, at_once) && fits;
    }
    return fits;
}

static void attach_all(hdi_window *w, hdi_record *r)
{
    for (int i = 0; i < hdi_record_slots(r); i++) {
        hdi_record *slot = hdi_record_slot(r, i);
        for (int k = slot->nin; k >= 0; k--)
            if (slot->kind[k] == HDI_ARRAY)
                hdi_attach(slot, k);
        hdi_forget_axes(slot);
        slot->pending = true;
    }
    w->next += (uint64_t)hdi_record_slots(r);
    w->pending += hdi_record_slots(r);
    w->stats.records++;
}

/* hdi_append() for an operation of several slots. */
static hd_status append_many(hdi_window *w, hdi_record *r)
{
    int32_t at_once = 0;
    if (hdi_is_small(w, r) && hdi_run_small(w, r))
        return HD_OK;
    if (w->special != 0) {
        if ((w->special & HDI_CAPTURES) != 0)
            return hdi_tape_record(w, r);
        at_once = hdi_is_at_once();
        if ((w->special & HDI_BESIDE) != 0 && hdi_meet_windows(w, r) != HD_OK)
            return hdi_never_recorded(r);
    }
    if (!look_at_all(w, r, &at_once))
        return hdi_never_recorded(r);
    attach_all(w, r);
    w->small_run = 0;
    return at_once != 0 ? hdi_submit_now(w, r) : HD_OK;
}

/* One body for each number of inputs: the loops over them unroll. */
hd_status hdi_record_end(hdi_window *w, hdi_record *r)
{
    if (HDI_UNLIKELY(r->cls == 'x' || hdi_is_large(r->operand[0].buf->nbytes)) &&
        !all_storable(r)) {
        hdi_forget_axes(r);
        return HD_NOMEM;
    }
    if (HDI_UNLIKELY(r->more != 0))
        return append_many(w, r);
    switch (r->nin) {
    case 0:
        return hdi_append(w, r, 0);
    case 1:
        return hdi_append(w, r, 1);
    case 2:
        return hdi_append(w, r, 2);
    default:
        return hdi_append(w, r, HDI_MAX_IN);
    }
}

/* Nobody will read what the newest write to b writes. If that is all that is pending on b, it goes;
 * what is rarer waits for hdi_window_drop_dead(). */
void hdi_drop_writer(hdi_buf *b)
{
    hdi_window *w = hdi_window_with(b->dev, b->write_link);
    hdi_record *r = hdi_window_at(w, b->write_link >> 2);
    if (HDI_LIKELY(b->recs == 1 && b->writes == 1 && r->pending && r->seq == b->write_link >> 2 &&
                   !hdi_never_dead(r) && r->more == 0))
        hdi_record_drop(w, r);
    else
        w->unread = true;
}

/* No pending record names b any more. */
static inline void forget_records(hdi_buf *b)
{
    b->read_link = 0;
    if (b->counted) {
        b->counted = false;
        hdi_memory_bytes.window_only -= b->nbytes;
    }
    hdi_buf_settle(b);
}

static inline __attribute__((always_inline)) void let_go_of(hdi_record *r, int k, bool dead)
{
    hdi_buf *b = r->operand[k].buf;
    if (k == 0 && --b->writes == 0)
        b->write_link = 0;
    if (--b->recs == 0)
        forget_records(b);
    else if (dead && k > 0 && (b->held | b->pins) == 0 && b->writes > 0)
        hdi_drop_writer(b);
}

static inline __attribute__((always_inline)) void let_go_of_all(hdi_record *r, int nin,
                                                                bool dead)
{
    HDI_UNROLL
    for (int k = 0; k <= nin; k++)
        if (HDI_LIKELY(r->kind[k] == HDI_ARRAY))
            let_go_of(r, k, dead);
}

static inline __attribute__((always_inline)) void leave_slot(hdi_window *w, hdi_record *r,
                                                              bool dead)
{
    r->pending = r->chosen = false;
    w->pending--;
    if (HDI_LIKELY(r->nin == 2))
        let_go_of_all(r, 2, dead);
    else
        let_go_of_all(r, r->nin, dead);
    if (r->cls == 'r')
        hdi_forget_axes(r);
    if (HDI_UNLIKELY(r->cls == 'x') && hdi_op_rows[r->op].payload == HDI_PAYLOAD_object)
        hdi_object_release(r->payload.object);
}

static inline void leave(hdi_window *w, hdi_record *r, bool dead)
{
    for (int i = (int)r->more; i > 0; i--)
        leave_slot(w, hdi_record_slot(r, i), dead);
    leave_slot(w, r, dead);
}

void hdi_chunk_release(const hdi_chunk *c, hdi_buf *const *gen, const hdi_named *named, int ngens)
{
    for (int i = 0; i < c->n; i++) {
        hdi_record *r = c->record[i];
        r->pending = r->chosen = false;
        if (r->cls == 'r')
            hdi_forget_axes(r);
    }
    c->window->pending -= c->n;
    for (int g = 0; g < ngens; g++) {
        hdi_buf *b = gen[g];
        b->writes -= named[g].writes;
        if (b->writes == 0)
            b->write_link = 0;
        b->recs -= named[g].recs;
        if (b->recs == 0)
            forget_records(b);
    }
}

void hdi_record_release(hdi_window *w, hdi_record *r)
{
    leave(w, r, false);
}

void hdi_record_drop(hdi_window *w, hdi_record *r)
{
    w->stats.dead++;
    leave(w, r, true);
}

hd_status hdi_window_unshare_cold(hd_array *dst)
{
    hdi_buf *old = dst->st->buf;
    hdi_buf_drop_words(old);
    if (old->held - old->taped == 1 || !HDI_CHECK(snapshot))
        return HD_OK;
    return hdi_window_part(dst->st, (hd_dtype)dst->dtype, dst->lay->item);
}

hd_status hdi_window_part(hdi_storage *st, hd_dtype dt, int64_t item)
{
    hdi_buf *old = st->buf;
    int64_t n = old->nbytes / item;
    if (n * item != old->nbytes) {   /* made with smaller elements */
        dt = HD_UINT8;
        item = 1;
        n = old->nbytes;
    }
    hdi_layout *all = hdi_layout_c(1, &n, item);
    hdi_window *w = hdi_window_of(old->dev);
    hdi_record *r = all != NULL ? hdi_record_begin(w, HD_OP_copy, 'e', dt, 1) : NULL;
    hd_status status = r != NULL ? hdi_storage_renew(st) : hd_error_peek()->code;
    if (status != HD_OK)
        return status;
    hdi_record_buffer(r, 0, st->buf, dt, all, 0);
    hdi_record_buffer(r, 1, old, dt, all, 0);
    r->domain = all;
    status = hdi_record_end(w, r);
    if (status != HD_OK)
        hdi_storage_restore(st, old);
    return status;
}

hd_status hdi_finish_slow(hd_device *dev)
{
    bool run = dev != NULL && dev->queued && (dev->starved || hdi_window_of(dev)->queued);
    hdi_leave();
    return run ? hdi_runner->drain(dev) : HD_OK;
}

hd_status hdi_step_out(hd_device *dev)
{
    hdi_layouts_kept++;
    return hdi_finish(dev);
}

void hdi_step_in(void)
{
    hdi_lock();
    hdi_layouts_kept--;
}

hd_array *hdi_finish_array_slow(hd_array *x, hd_device *dev)
{
    if (hdi_finish_slow(dev) == HD_OK || x == NULL)
        return hdi_scope_own(x);
    hd_release(x);
    return NULL;
}
