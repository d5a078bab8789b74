/* SPDX-License-Identifier: BSD-3-Clause */
/* append.h - the end of recording, inline for the hottest callers: hazards, links, counts.
 * Invariant  a record is attached to all of its operands or to none
 * Threads    under the library's lock
 * Start at   hdi_append(); who is not hot calls hdi_record_end()
 * See        docs/design/recording.md */
#ifndef HDI_APPEND_H
#define HDI_APPEND_H

#include "core/op.h"
#include "window/window.h"

/* hdi_find_hazards - edges for operand k, the output first: read after write; for the output write
 * after write and write after read. False: no memory for them. In hazards.c.
 * hdi_submit_now - operations on shared memory (rule M9), and those whose faults somebody watches,
 * run before the call returns. If that fails, r was never recorded. */
bool hdi_find_hazards(hdi_window *w, hdi_record *r, int k);
hd_status hdi_submit_now(hdi_window *w, hdi_record *r);

/* hdi_tape_record - r goes to w's tape instead of the window, of which nothing changes. */
hd_status hdi_tape_record(hdi_window *w, hdi_record *r);

/* The slot's next record may be no reduction. */
static inline void hdi_forget_axes(hdi_record *r)
{
    r->row = NULL;
    r->axes = r->sqaxes = 0;
}

/* hdi_meet_windows - r is about to be recorded: what must come before it is submitted in other
 * windows; see windows.h. hdi_never_recorded - no memory for r, or for what must come before it:
 * the error. */
hd_status hdi_meet_windows(hdi_window *w, const hdi_record *r);
hd_status hdi_never_recorded(hdi_record *r);

/* Counts and links of one array operand. */
static inline void hdi_attach(hdi_record *r, int k)
{
    hdi_buf *b = r->operand[k].buf;
    uint64_t *newest = k == 0 ? &b->write_link : &b->read_link;
    r->operand[k].link = *newest;
    *newest = r->seq << 2 | (uint64_t)k;
    b->recs++;
    b->writes += k == 0;
}

/* Mostly the newest write made just what is read now, perhaps to be repeated over more axes: then
 * that edge is all there is to note. False: not so. */
static inline __attribute__((always_inline)) bool hdi_reads_newest(hdi_window *w, hdi_record *r,
                                                                   int k)
{
    const hdi_operand *p = &r->operand[k];
    uint64_t seq = p->buf->write_link >> 2;
    const hdi_record *e = hdi_window_at(w, seq);
    const hdi_operand *made = &e->operand[0];
    uint8_t back = (uint8_t)(r->seq - seq);
    if (HDI_UNLIKELY(e->seq != seq || !e->pending || made->off != p->off ||
                     (made->lay != p->lay && made->lay->core != p->lay->core) ||
                     e->dt[0] != r->dt[k] || r->nedges > 1) ||
        !HDI_CHECK(raw))
        return false;
    if (r->nedges == 0 || r->edge[0].back != back)
        r->edge[r->nedges++] = (hdi_edge){back, HDI_SAME_MAP};
    return true;
}

/* Looks at operand k: its hazards, and whether the record must run at once. False: no memory for
 * the edges. */
static inline __attribute__((always_inline)) bool hdi_look_at(hdi_window *w, hdi_record *r, int k,
                                                          int32_t *at_once)
{
    if (HDI_UNLIKELY(r->kind[k] != HDI_ARRAY))
        return true;
    const hdi_buf *b = r->operand[k].buf;
    *at_once |= b->pins;
    return (b->writes == 0 && (k > 0 || b->recs == 0)) ||
           (k > 0 && HDI_LIKELY(hdi_reads_newest(w, r, k))) || hdi_find_hazards(w, r, k);
}

/* Library calls stay although nobody reads them: users time and debug with them. */
static inline bool hdi_never_dead(const hdi_record *r)
{
    return r->cls == 'x' && !(hdi_op_rows[r->op].traits & HDI_TRAIT_DROP);
}

/* Elements that the operation works on, roughly: not of an output that it indexes into. */
static inline int64_t hdi_work_size(const hdi_record *r)
{
    if (HDI_LIKELY(r->cls != 'x'))
        return r->domain->size;
    return r->operand[hdi_op_rows[r->op].indexed == 0 ? 1 : 0].lay->size;
}

/* Is it worth less than its record? A reduction of what has been computed fuses with nothing that
 * would be large, and its value is asked for soon: on the host over 32 times as many elements as
 * other operations. */
enum { HDI_SMALL_FOLD = 32 };
static inline bool hdi_is_small(const hdi_window *w, const hdi_record *r)
{
    const int64_t times = r->cls == 'r' && w->dev->host_memory ? HDI_SMALL_FOLD : 1;
    return hdi_work_size(r) <= times * w->small;
}

/* Small work that was recorded. */
enum { HDI_SMALL_RUN = 16 };
static inline void hdi_count_small(hdi_window *w)
{
    const bool many = ++w->small_run >= HDI_SMALL_RUN && w->dev->host_memory;
    if (HDI_UNLIKELY(many || w->wanted != NULL))
        hdi_small_waits(w);
}

static inline __attribute__((always_inline)) hd_status hdi_append(hdi_window *w, hdi_record *r,
                                                                  int nin)
{
    int32_t at_once = 0;
    bool fits = true;
    bool small = hdi_is_small(w, r);
    if (small && !hdi_passes_over(w, r) && hdi_run_small(w, r))
        return HD_OK;
    if (HDI_UNLIKELY(w->special != 0)) {
        if ((w->special & HDI_CAPTURES) != 0)
            return hdi_tape_record(w, r);
        at_once = hdi_is_at_once();
        if ((w->special & HDI_BESIDE) != 0 && hdi_meet_windows(w, r) != HD_OK)
            return hdi_never_recorded(r);
    }
    HDI_UNROLL
    for (int k = 0; k <= nin; k++)
        fits = hdi_look_at(w, r, k, &at_once) && fits;
    if (HDI_UNLIKELY(!fits))   /* not attached: it was never recorded */
        return hdi_never_recorded(r);
    HDI_UNROLL
    for (int k = nin; k >= 0; k--)
        if (HDI_LIKELY(r->kind[k] == HDI_ARRAY))
            hdi_attach(r, k);
    r->pending = true;
    w->next++;
    w->pending++;
    w->stats.records++;
    if (HDI_UNLIKELY(at_once != 0))
        return hdi_submit_now(w, r);
    if (small)
        hdi_count_small(w);
    else
        w->small_run = 0;
    return HD_OK;
}

#endif
