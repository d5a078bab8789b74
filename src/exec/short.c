/* SPDX-License-Identifier: BSD-3-Clause */
/* short.c - records that cannot be given memory: what can run of them runs, and what can not fails,
 * for those who read it and for nobody else.
 *
 * A chunk that does not fit as a whole may fit in parts, since memory that dies in a part is there
 * for the next one. It is parted so that no part has to store what the whole would not have:
 * between the kernels of its plan, or before what depends on the generation that found no memory.
 * (Without memory for the library's own objects it is halved.) */
#include "exec/lanes.h"

static void start(hdi_chunk *part, const hdi_chunk *c)
{
    part->window = c->window;
    part->key = part->only = 0;
    part->refused = false;
    part->n = 0;
}

/* The records of the kernels before `step`. */
static void take_steps_before(int step, const hdi_chunk *c, hdi_chunk *part)
{
    hdi_planning *p = &c->window->dev->queue->submission->planning;
    start(part, c);
    hdi_canon_build(&p->canon, c);
    hdi_planning_make(p);
    for (int i = 0; i < c->n; i++)
        if (p->partition.where[i] < step)
            part->record[part->n++] = c->record[i];
}

/* Does a slot write to b, or wait for what does? depends: by place in the ring. */
static bool slot_depends(const hdi_record *r, const hdi_buf *b, const bool *depends)
{
    bool d = r->operand[0].buf == b;
    for (int k = 0; k < r->nedges; k++)
        d = d || depends[(r->seq - hdi_record_edge(r, k).back) & (HDI_RING - 1)];
    return d;
}

/* The records that need nothing of what is written to b. */
static void take_independent_of(const hdi_buf *b, const hdi_chunk *c, hdi_chunk *part)
{
    bool depends[HDI_RING] = {false};
    start(part, c);
    for (int i = 0; i < c->n; i += hdi_record_slots(c->record[i])) {
        const int slots = hdi_record_slots(c->record[i]);
        bool d = false;
        for (int k = i; k < i + slots; k++)
            d = d || slot_depends(c->record[k], b, depends);
        for (int k = i; k < i + slots; k++) {
            depends[c->record[k]->seq & (HDI_RING - 1)] = d;
            if (!d)
                part->record[part->n++] = c->record[k];
        }
    }
}

/* The first operation that names b. */
static hdi_record *first_with(const hdi_chunk *c, const hdi_buf *b)
{
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k <= c->record[i]->nin; k++)
            if (c->record[i]->kind[k] == HDI_ARRAY && c->record[i]->operand[k].buf == b)
                return hdi_record_first(c->record[i]);
    return c->record[0];
}

/* Half of c, of one operation at least; false: it is no more than that. */
static bool halve(hdi_chunk *c)
{
    const int one = hdi_record_slots(c->record[0]);
    int n = c->n / 2 > one ? c->n / 2 : one;
    while (n < c->n && c->record[n]->cls == HDI_MORE)
        n++;
    const bool less = n < c->n;
    c->n = n;
    return less;
}

static bool submitted(hd_device *dev, const hdi_chunk *c, hdi_chunk *part)
{
    return part->n > 0 && part->n < c->n && hdi_submit(dev, part) == HD_OK;
}

/* Submits c, or part of it. Else the reason, and *culprit is the record that is in the way. */
static hd_status submit_some(hd_device *dev, hdi_chunk *c, hdi_record **culprit)
{
    hdi_chunk part;
    for (;;) {
        hd_status status = hdi_submit(dev, c);
        const hdi_lack lack = dev->queue->submission->lacking;
        hdi_buf *b = lack.gen;
        *culprit = NULL;
        if (status == HD_OK || c->n == 0)
            return status;
        if (b != NULL) {
            *culprit = first_with(c, b);
            if (lack.step > 0) {
                take_steps_before(lack.step, c, &part);
                if (submitted(dev, c, &part))
                    return HD_OK;
            }
            take_independent_of(b, c, &part);
            return submitted(dev, c, &part) ? HD_OK : status;
        }
        *culprit = c->record[0];
        if (!halve(c))
            return status;
    }
}

void hdi_give_up_noted(hd_device *dev, const hd_error *why)
{
    dev->queue->given_up = *why;
    dev->queue->ngiven_up++;
}

/* r cannot run: what it would have written has failed. */
static void give_up(hdi_window *w, hdi_record *r, const hd_error *why)
{
    hdi_give_up_noted(w->dev, why);
    hdi_record_fail(w, r, why);
}

hd_status hdi_given_up_since(const hd_device *dev, int64_t before)
{
    return dev->queue->ngiven_up != before ? hdi_error_set(&dev->queue->given_up) : HD_OK;
}

/* An error that this thread has not taken yet is put aside while others come and go. */
static bool put_aside(hd_error *earlier)
{
    return hd_error_take(earlier) != HD_OK;
}

static void put_back(bool had, const hd_error *earlier)
{
    hd_error_take(NULL);
    if (had)
        hdi_error_set(earlier);
}

static bool relieve(hdi_window *w)
{
    hdi_chunk all;
    hdi_record *culprit = NULL;
    hd_error earlier;
    if (!w->starved)
        return false;
    hdi_window_all(w, &all);
    w->starved = all.n > 0;
    if (all.n == 0)
        return false;
    bool had = put_aside(&earlier);
    if (submit_some(w->dev, &all, &culprit) != HD_OK && culprit != NULL)
        give_up(w, culprit, hd_error_peek());
    put_back(had, &earlier);
    return true;
}

bool hdi_relieve(hd_device *dev)
{
    if (HDI_LIKELY(!dev->starved))
        return false;
    for (int k = 0; k < dev->nwindows; k++)
        if (relieve(dev->windows[k]))
            return true;
    return dev->starved = false;
}

/* What b's contents need, with more readers of what they come of: what all of its readers have
 * need not be stored. */
static hd_status submit_with_readers(hdi_buf *b)
{
    const hdi_lack *lacking = &b->dev->queue->submission->lacking;
    hdi_window *w = hdi_window_with(b->dev, b->write_link);
    hdi_chunk c;
    hdi_window_closure(w, b, &c);
    for (;;) {
        int n = c.n;
        hd_status status = hdi_submit(b->dev, &c);
        if (status == HD_OK || lacking->gen == NULL)
            return status;
        hd_error_take(NULL);
        hdi_window_join_readers(w, lacking->gen, &c);
        if (c.n <= n)
            return status;
    }
}

static bool writes_marked(const hdi_record *r, uint64_t epoch)
{
    bool marked = false;
    for (int i = 0; i < hdi_record_slots(r); i++) {
        const hdi_buf *out = hdi_record_slot(r, i)->operand[0].buf;
        marked |= out != NULL && out->mark == epoch;
    }
    return marked;
}

/* Does what b is to hold come of r? c: what b's contents wait for, which may be more: a record that
 * reads what a later one writes to in place. */
static bool feeds(const hdi_chunk *c, const hdi_record *r, hdi_buf *b)
{
    uint64_t epoch = ++hdi_epoch;
    b->mark = epoch;
    for (int i = c->n - 1; i >= 0; i--) {
        const hdi_record *e = hdi_record_first(c->record[i]);
        i -= (int)e->more;
        if (!writes_marked(e, epoch))
            continue;
        if (e == r)
            return true;
        hdi_mark_inputs(e, epoch);
    }
    return false;
}

hd_status hdi_demand_some(hdi_buf *b)
{
    hdi_window *w = hdi_window_with(b->dev, b->write_link);
    hdi_chunk c, all;
    hdi_record *culprit;
    hd_error earlier, why = {.code = HD_OK};
    bool had = put_aside(&earlier);
    bool again = b->writes > 0 && submit_with_readers(b) != HD_OK;
    while (again && b->writes > 0) {
        hd_error_take(NULL);
        hdi_window_closure(w, b, &c);
        all = c;
        again = false;
        if (submit_some(b->dev, &c, &culprit) == HD_OK)
            continue;
        why = *hd_error_peek();
        if (culprit != NULL && !feeds(&all, culprit, b)) {
            give_up(w, culprit, &why);
            why.code = HD_OK;
            again = true;
        }
    }
    put_back(had, &earlier);
    return why.code == HD_OK ? HD_OK : hdi_error_set(&why);
}
