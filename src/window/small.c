/* SPDX-License-Identifier: BSD-3-Clause */
/* small.c - work that is worth less than recording it runs within the call that asked for it. */
#include "window/append.h"

/* What is brought should stay: a loop over small pieces then goes on at once. Where kernels of
 * large arrays write small results in each step, the same must come again and again, and the host
 * waits for the device each time. So if little small work ran since the last time, the next one
 * takes twice as many asks; many asks without any halve that again, and so do values for which the
 * host waits: one is worth HDI_ASK_BY_WAITING asks.
 *
 * A loop over large arrays may ask for ever without small work that could run: after HDI_IN_VAIN
 * asks only some are noted (hdi_passes_over()), until some runs or something is brought. */
enum { MOST_RELUCTANT = 4, PAYS = 32, ASKS_TO_TRUST = 64 };

static void judge_bringing(hdi_window *w)
{
    uint8_t *reluctance = &w->dev->reluctance;
    const bool paid = w->stats.small - w->small_before >= PAYS;
    if (paid && *reluctance > 0)
        --*reluctance;
    else if (!paid && *reluctance < MOST_RELUCTANT)
        ++*reluctance;
    w->small_before = w->stats.small;
    w->asks = 0;
}

void hdi_trust_bringing(hdi_window *w, int asks)
{
    w->asks += asks;
    if (w->asks < ASKS_TO_TRUST << w->dev->reluctance)
        return;
    w->asks = 0;
    if (w->dev->reluctance > 0)
        w->dev->reluctance--;
}

/* b's contents are not on the host, or will not be when what is pending has run, or stay on the
 * device as well. Of a large generation only accesses to single elements count: rows of it are
 * worth kernels. */
static __attribute__((noinline)) void note_far(hdi_window *w, const hdi_record *r, hdi_buf *b)
{
    bool counts =
        hdi_buf_may_ask(b) && (b->nbytes <= HDI_MIRROR_ROWS || hdi_work_size(r) == 1);
    if (!counts || b->error != NULL)
        return;
    hdi_trust_bringing(w, 1);
    w->in_vain += w->in_vain < HDI_IN_VAIN;
    if (!b->listed)
        hdi_buf_list(b);
    /* One that was brought and is written to again waits until enough work waits with it. Others
     * come as soon as they are asked for often enough: also where that was lowered meanwhile. */
    const bool enough = w->small_run >= HDI_SMALL_RUN << w->dev->reluctance;
    hdi_buf_ask(b, 1);
    if (hdi_buf_is_asked(b) && (enough || b->asked != HDI_BROUGHT))
        w->wanted = b;
}

static inline bool inputs_at_hand(hdi_window *w, const hdi_record *r)
{
    bool at_hand = true;
    for (int k = 1; k <= r->nin; k++) {
        hdi_buf *b = r->operand[k].buf;
        if (r->kind[k] != HDI_ARRAY || b == r->operand[0].buf || hdi_buf_at_hand(b))
            continue;
        at_hand = false;
        if (w->dev->host_memory)
            break;
        note_far(w, r, b);
    }
    return at_hand;
}

static inline bool is_fresh(const hdi_buf *out)
{
    return hdi_buf_empty(out) && hdi_buf_untouched(out);
}

static void give_back(const hdi_record *r, int slots)
{
    for (int i = 0; i < slots; i++)
        hdi_buf_give_memory(hdi_record_slot(r, i)->operand[0].buf);
}

/* An operation of several slots: each has an output that nobody has touched. */
static bool run_many(hdi_window *w, hdi_record *r)
{
    int n = 0;
    for (int i = 0; i < hdi_record_slots(r); i++)
        if (!inputs_at_hand(w, hdi_record_slot(r, i)))
            return false;
    for (; n < hdi_record_slots(r); n++) {
        const hdi_record *slot = hdi_record_slot(r, n);
        hdi_buf *out = slot->operand[0].buf;
        if (slot->kind[0] != HDI_ARRAY || !is_fresh(out) || !hdi_buf_take_host(out))
            break;
    }
    if (n < hdi_record_slots(r) || !w->run_small(r)) {
        give_back(r, n);
        return false;
    }
    for (int i = 0; i < n; i++)
        hdi_buf_changed(hdi_record_slot(r, i)->operand[0].buf);
    w->stats.small++;
    w->in_vain = 0;
    return true;
}

bool hdi_run_small(hdi_window *w, hdi_record *r)
{
    hdi_buf *out = r->operand[0].buf;
    if (HDI_UNLIKELY(r->more != 0))
        return !hdi_is_at_once() && run_many(w, r);
    if (hdi_is_at_once() || !inputs_at_hand(w, r))
        return false;
    bool fresh = is_fresh(out);
    if (fresh ? !hdi_buf_take_host(out) : !hdi_buf_writable(out)) {
        if (!fresh)   /* else a record may wait for memory */
            note_far(w, r, out);
        return false;
    }
    if (!w->run_small(r)) {
        if (fresh)
            hdi_buf_give_memory(out);
        return false;
    }
    hdi_buf_changed(out);
    hdi_forget_axes(r);
    w->stats.small++;
    w->in_vain = 0;
    return true;
}

static void bring(hdi_window *w, hdi_buf *b)
{
    for (int k = 0; k < w->nbring; k++)
        if (w->bring[k] == b)
            return;
    if (w->nbring == HDI_BRING_MOST)
        return;
    b->jobs++;
    w->bring[w->nbring++] = b;
}

/* b and what else was asked for lately, and the small results that are pending, the newest ones if
 * they are many: what is made of these next, and written to b, would otherwise be work of the
 * device again. */
static void bring_with_results(hdi_window *w, hdi_buf *b)
{
    bring(w, b);
    for (int k = 0; k < HDI_ASKED_MOST; k++)
        if (w->dev->asked[k] != NULL && hdi_buf_may_ask(w->dev->asked[k]))
            bring(w, w->dev->asked[k]);
    for (uint64_t seq = w->next - 1; seq >= w->head; seq--) {
        const hdi_record *r = hdi_window_at(w, seq);
        hdi_buf *out = r->operand[0].buf;
        if (r->seq == seq && r->pending && out != NULL && out->held > 0 &&
            hdi_buf_may_mirror(out))
            bring(w, out);
    }
}

/* Small work that has to wait makes what depends on it wait. Where much of it comes in a row, there
 * is a loop over small pieces of something that is pending: then all of that runs, and the loop
 * goes on at once. On another device it is a loop over what lies there: that comes here. */
void hdi_small_waits(hdi_window *w)
{
    hdi_buf *b = w->wanted;
    w->wanted = NULL;
    if (w->dev->host_memory) {
        hdi_window_flush(w);
    } else if (b != NULL && w->nbring == 0) {
        judge_bringing(w);
        w->in_vain = 0;
        bring_with_results(w, b);
        hdi_window_flush(w);
        for (int k = 0; k < w->nbring; k++)   /* also of what was written just now */
            w->bring[k]->asked = HDI_BROUGHT;
        w->queued = w->dev->queued = true;   /* the end of the operation sees to it */
    }
}
