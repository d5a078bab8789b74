/* SPDX-License-Identifier: BSD-3-Clause */
/* flush.c - which pending records run: the closure of a demand (M6), without dead code (M8), or
 * a prefix when the window is full. */
#include "base/hash.h"
#include "core/op.h"
#include "window/append.h"

const hdi_runner_table *hdi_runner;

uint64_t hdi_epoch;

static void advance_head(hdi_window *w)
{
    /* A slot that was used again belongs to a younger record. */
    while (w->head < w->next &&
           !(hdi_window_at(w, w->head)->pending && hdi_window_at(w, w->head)->seq == w->head))
        w->head++;
}

/* The pending records, in order, `most` of them at most. */
static void list_records(hdi_window *w, hdi_chunk *c, bool chosen_only, int most)
{
    c->window = w;
    c->key = c->only = 0;   /* no key, where every record of it fails at submission */
    c->refused = false;
    int n = 0;
    for (uint64_t s = w->head, next = w->next; s < next && n < most; s++) {
        hdi_record *r = hdi_window_at(w, s);
        if (r->pending && (r->chosen || !chosen_only))
            c->record[n++] = r;
    }
    c->n = n;
}

/* Is any of r's results read later? epoch marks what is read by what was recorded after r. */
static bool is_wanted(const hdi_record *r, uint64_t epoch)
{
    bool wanted = hdi_never_dead(r);
    for (int i = 0; i < hdi_record_slots(r); i++) {
        const hdi_record *slot = hdi_record_slot(r, i);
        const hdi_buf *out = slot->operand[0].buf;
        if (HDI_LIKELY(slot->kind[0] == HDI_ARRAY))
            wanted |= out->held || out->pins || (out->mark == epoch && HDI_CHECK(liveness));
    }
    return wanted;
}

void hdi_mark_inputs(const hdi_record *r, uint64_t epoch)
{
    for (int i = 0; i < hdi_record_slots(r); i++) {
        const hdi_record *slot = hdi_record_slot(r, i);
        for (int k = 1; k <= slot->nin; k++)
            if (slot->kind[k] == HDI_ARRAY)
                slot->operand[k].buf->mark = epoch;
    }
}

void hdi_window_drop_dead(hdi_window *w)
{
    w->stats.pending_peak = hdi_max64(w->stats.pending_peak, w->pending);
    advance_head(w);
    if (HDI_LIKELY(!w->unread) && HDI_CHECK(liveness))
        return;
    uint64_t epoch = ++hdi_epoch;
    for (uint64_t s = w->next; s-- > w->head;) {
        hdi_record *r = hdi_window_at(w, s);
        /* a generation, perhaps long gone; fetching it ahead does no harm */
        __builtin_prefetch(hdi_window_at(w, s - 4)->operand[0].buf, 1, 3);
        if (!r->pending)
            continue;
        r = hdi_record_first(r);   /* its last slot comes first */
        s = r->seq;
        if (is_wanted(r, epoch))
            hdi_mark_inputs(r, epoch);
        else
            hdi_record_drop(w, r);
    }
    w->unread = false;
    advance_head(w);
}

/* r runs, with all of its slots. */
static void choose(hdi_record *r)
{
    r->chosen = true;
    if (HDI_LIKELY(r->more == 0))
        return;
    r = hdi_record_first(r);
    for (int i = 0; i < hdi_record_slots(r); i++)
        hdi_record_slot(r, i)->chosen = true;
}

/* Marks everything that the chosen records depend on; records from the newest chosen one
 * backwards. */
static void close_backwards(hdi_window *w, hdi_chunk *c)
{
    for (uint64_t s = w->next; s-- > w->head;) {
        const hdi_record *r = hdi_window_at(w, s);
        if (!r->pending || !r->chosen)
            continue;
        for (int k = 0; k < r->nedges; k++) {
            hdi_record *e = hdi_window_at(w, s - hdi_record_edge(r, k).back);
            if (e->pending && e->seq == s - hdi_record_edge(r, k).back)
                choose(e);
        }
    }
    list_records(w, c, true, HDI_RING);
    for (int i = 0; i < c->n; i++)
        c->record[i]->chosen = false;
}

void hdi_window_closure(hdi_window *w, const hdi_buf *b, hdi_chunk *c)
{
    advance_head(w);
    for (uint64_t s = w->head; s < w->next; s++) {
        hdi_record *r = hdi_window_at(w, s);
        if (r->pending && r->operand[0].buf == b)
            choose(r);
    }
    close_backwards(w, c);
}

void hdi_window_join_readers(hdi_window *w, const hdi_buf *b, hdi_chunk *c)
{
    for (int i = 0; i < c->n; i++)
        c->record[i]->chosen = true;
    for (uint64_t s = w->head; s < w->next; s++) {
        hdi_record *r = hdi_window_at(w, s);
        for (int k = 1; k <= r->nin && r->pending; k++)
            if (r->kind[k] == HDI_ARRAY && r->operand[k].buf == b)
                choose(r);
    }
    close_backwards(w, c);
}

hd_status hdi_window_demand(hdi_buf *b)
{
    hdi_chunk c;
    if (b->writes == 0)
        return HD_OK;
    hdi_window *w = hdi_window_with(b->dev, b->write_link);
    hdi_window_drop_dead(w);
    hdi_window_closure(w, b, &c);
    w->small_run = 0;   /* so that a loop that demands is cut alike each time */
    return c.n > 0 ? hdi_runner->submit(w->dev, &c) : HD_OK;
}

hd_status hdi_window_demand_record(hdi_window *w, hdi_record *r)
{
    hdi_chunk c;
    hdi_window_drop_dead(w);
    if (!r->pending)
        return HD_OK;
    choose(r);
    close_backwards(w, &c);
    return hdi_runner->submit(w->dev, &c);
}


static uint32_t hash_own(const hdi_record *r)
{
    uint64_t views = 0;
    for (int k = 0; k <= r->nin; k++) {
        uint64_t view = r->kind[k] == HDI_ARRAY ? r->operand[k].lay->view_class : r->kind[k];
        views = views << 16 ^ (view << 4 | r->dt[k]);
    }
    uint64_t h = hdi_mix(r->op | (uint64_t)r->cdt << 16 | (uint64_t)r->cls << 24 |
                             (uint64_t)r->nin << 32 | r->sqaxes << 40,
                         views ^ (uint64_t)r->domain->nsq << 56);
    return (uint32_t)(h >> 16) | 1;
}

/* Content of the records for the ties between cuts. Distances to what made the operands would
 * change from period to period; what made them does not. */
static void hash_records(hdi_window *w, hdi_chunk *all)
{
    for (int i = 0; i < all->n; i++) {
        hdi_record *r = all->record[i];
        uint32_t hash = r->own_hash = hash_own(r);
        for (int k = 0; k < r->nedges; k++) {
            uint64_t seq = r->seq - hdi_record_edge(r, k).back;
            const hdi_record *e = hdi_window_at(w, seq);
            if (e->pending && e->seq == seq)
                hash = (hash ^ e->own_hash) * 0x9E3779B1u;
        }
        r->hash = hash;
    }
}

/* Submits what nobody asked for: that it fails is not for the one to hear whose call this is. */
static bool submit_unasked(hdi_window *w, hdi_chunk *c)
{
    bool had = hd_error_peek()->code != HD_OK;
    w->small_run = 0;
    if (hdi_runner->submit(w->dev, c) == HD_OK)
        return true;
    if (!had)
        hd_error_take(NULL);
    w->starved = w->dev->starved = w->dev->queued = true;
    return false;
}

void hdi_window_all(hdi_window *w, hdi_chunk *c)
{
    hdi_window_drop_dead(w);
    list_records(w, c, false, HDI_RING);
}

void hdi_window_flush(hdi_window *w)
{
    hdi_chunk all;
    hdi_window_all(w, &all);
    if (all.n > 0)
        submit_unasked(w, &all);
}

/* Submits the records of c, the oldest ones. */
static bool submit_prefix(hdi_window *w, hdi_chunk *c)
{
    uint64_t last = c->record[c->n - 1]->seq;
    bool done = submit_unasked(w, c) && !c->refused;
    if (done)
        w->head = last + 1;
    return done;
}

/* In a loop the same prefix comes again and again. If it did twice, the third time it is looked at
 * first, which spares the search for a cut. True if it was submitted. */
static bool retire_again(hdi_window *w, int lo)
{
    hdi_chunk c;
    if (!w->retired_again || w->retired_n > w->pending || w->retired_n < lo)
        return false;
    list_records(w, &c, false, w->retired_n);
    c.only = w->retired_key;
    submit_prefix(w, &c);
    w->retired_again = !c.refused;
    return w->retired_again;
}

/* periodic: the window is full, which in a loop happens again and again at the same place. Dead
 * records are gone already. */
static void retire(hdi_window *w, int lo, int hi, bool periodic)
{
    hdi_chunk all;
    if (periodic && retire_again(w, lo))
        return;
    list_records(w, &all, false, HDI_RING);
    if (all.n == 0)
        return;
    hash_records(w, &all);
    all.n = hdi_window_cut(&all, lo < all.n ? lo : all.n, hi < all.n ? hi : all.n);
    int n = all.n;
    if (submit_prefix(w, &all) && periodic && all.key != 0) {
        w->retired_again = w->retired_n == n && w->retired_key == all.key;
        w->retired_n = n;
        w->retired_key = all.key;
    }
}

void hdi_window_retire(hdi_window *w, int lo, int hi)
{
    hdi_window_drop_dead(w);
    retire(w, lo, hi, lo == HDI_CUT_LO && w->pending >= HDI_CUT_LO);
}

/* How many pending records are among the `slots` oldest slots of the ring. */
static int pending_among(hdi_window *w, int slots)
{
    int n = 0;
    for (uint64_t s = w->next - HDI_RING; s < w->next - HDI_RING + (uint64_t)slots; s++)
        n += hdi_window_at(w, s)->pending;
    return n;
}

void hdi_window_free_slots(hdi_window *w, int slots)
{
    hdi_window_drop_dead(w);
    if (!hdi_window_free(w, slots))
        retire(w, pending_among(w, HDI_RING / 4), pending_among(w, HDI_RING / 2), true);
}

/* Content around a cut breaks ties in the same way in every period of a loop: a hash of the
 * AROUND records on each side, rolling from one cut to the next. */
enum { AROUND = 4 };
#define BASE 0x9E3779B97F4A7C15u

static uint64_t content(const hdi_chunk *all, int i)
{
    return i >= 0 && i < all->n ? all->record[i]->hash : 0;
}

static uint64_t context_start(const hdi_chunk *all, int cut, uint64_t *leaves)
{
    uint64_t h = 0;
    *leaves = 1;
    for (int i = cut - AROUND; i < cut + AROUND; i++) {
        h = h * BASE + content(all, i);
        *leaves *= BASE;
    }
    return h;
}

/* The cut after `cut` records stores the generations that were first written before it, are used
 * after it, and are held by nobody. (Held ones are stored wherever the cut falls.) Each is
 * counted between its first write and its last use. */
int hdi_window_cut(const hdi_chunk *all, int lo, int hi)
{
    int delta[HDI_RING + 2] = {0};
    uint16_t first[HDI_RING], last[HDI_RING];
    int nbufs = 0;
    uint64_t epoch = ++hdi_epoch;
    for (int i = 0; i < all->n; i++) {
        const hdi_record *r = all->record[i];
        for (int k = 0; k <= r->nin; k++) {
            if (r->kind[k] != HDI_ARRAY || r->operand[k].buf->held)
                continue;
            hdi_buf *b = r->operand[k].buf;
            if (b->mark == epoch) {
                last[b->number] = (uint16_t)i;
            } else if (k == 0 && nbufs < HDI_RING) {
                b->mark = epoch;
                b->number = (uint32_t)nbufs;
                first[nbufs] = last[nbufs] = (uint16_t)i;
                nbufs++;
            }
        }
    }
    for (int b = 0; b < nbufs; b++)
        if (last[b] > first[b]) {
            delta[first[b] + 1]++;
            delta[last[b] + 1]--;
        }
    int best = lo, crossing = 0, best_crossing = INT32_MAX;
    uint64_t best_context = 0, leaves, context = context_start(all, lo, &leaves);
    for (int c = 0; c < lo; c++)
        crossing += delta[c];
    for (int c = lo; c <= hi; c++) {
        crossing += delta[c];
        /* to free memory (lo is 1): the latest, whatever surrounds it */
        uint64_t ctx = lo > 1 ? context ^ context >> 29 : 0;
        const bool within = c < all->n && all->record[c]->cls == HDI_MORE;
        if (!within &&
            (crossing < best_crossing || (crossing == best_crossing && ctx <= best_context))) {
            best = c;
            best_crossing = crossing;
            best_context = ctx;
        }
        context = context * BASE + content(all, c + AROUND) - content(all, c - AROUND) * leaves;
    }
    while (best < all->n && all->record[best]->cls == HDI_MORE)   /* all of them are within one */
        best++;
    return best;
}
