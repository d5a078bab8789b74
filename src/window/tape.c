/* SPDX-License-Identifier: BSD-3-Clause */
/* tape.c - keeping captured operations, and recording them again. */
#include "window/tape.h"

#include "base/alloc.h"
#include "core/object.h"
#include "core/op.h"
#include "window/append.h"
#include "window/windows.h"

/* A slot without what the window knows of it: the generation by its number on the tape. */
typedef struct operand {
    union {
        struct { const hdi_layout *lay; int64_t off; };
        uint64_t scalar[2];
    };
    uint32_t gen;
    uint8_t kind, dt;
} operand;

typedef struct slot {
    uint16_t op;
    uint8_t cls, cdt, nin, more;
    bool row_fits;
    hdi_payload payload;
    const hdi_layout *domain, *row;
    uint64_t axes, sqaxes;
    operand operand[1 + HDI_MAX_IN];
} slot;

/* A generation that the tape names. */
typedef struct gen {
    hdi_buf *b;                /* NULL: one that only the tape knew, a fresh one each time */
    int64_t nbytes;
    uint32_t next;             /* in its bucket, + 1 */
    bool had;                  /* contents from before the capture */
    bool begins;               /* the first that happens to it is a write of all of it */
} gen;

struct hdi_tape {
    hd_device *dev;
    int64_t small;             /* the window's, where it does not capture */
    bool paused;
    slot *slot;
    gen *gen;
    uint32_t *bucket;          /* by address of the generation, + 1; while it captures */
    hdi_buf **now;             /* while it plays: of each generation */
    size_t nslots, slot_room, ngens, gen_room, nbuckets;
    int64_t noperations;
};

/* ---- generations ----------------------------------------------------------------------------- */

/* Room for `wanted` elements of a list: *room of them are there. False: no memory. */
static bool grow(void **list, size_t each, size_t *room, size_t wanted)
{
    void *grown = hdi_realloc(*list, each * *room, each * wanted);
    if (grown == NULL)
        return false;
    *list = grown;
    *room = wanted;
    return true;
}

static uint32_t *bucket_of(const hdi_tape *t, const hdi_buf *b)
{
    const uint64_t mixed = ((uint64_t)(uintptr_t)b >> 4) * 0x9E3779B97F4A7C15u;
    return &t->bucket[mixed >> 32 & (t->nbuckets - 1)];
}

static void fill_buckets(hdi_tape *t)
{
    memset(t->bucket, 0, sizeof *t->bucket * t->nbuckets);
    for (size_t g = 0; g < t->ngens; g++) {
        uint32_t *first = bucket_of(t, t->gen[g].b);
        t->gen[g].next = *first;
        *first = (uint32_t)g + 1;
    }
}

static bool room_for_slots(hdi_tape *t, size_t n)
{
    void *list = t->slot;
    const bool fits = t->nslots + n <= t->slot_room ||
                      grow(&list, sizeof *t->slot, &t->slot_room, 2 * t->slot_room + n);
    t->slot = list;
    return fits;
}

static bool room_for_gens(hdi_tape *t, size_t n)
{
    void *list = t->gen;
    const bool fits = t->ngens + n <= t->gen_room ||
                      grow(&list, sizeof *t->gen, &t->gen_room, 2 * t->gen_room + n);
    t->gen = list;
    return fits;
}

/* As many buckets as there is room for generations. */
static bool room_for_buckets(hdi_tape *t)
{
    if (t->gen_room <= t->nbuckets)
        return true;
    void *list = t->bucket;
    size_t wanted = t->nbuckets > 0 ? t->nbuckets : 64;
    while (wanted < t->gen_room)
        wanted *= 2;
    if (!grow(&list, sizeof *t->bucket, &t->nbuckets, wanted))
        return false;
    t->bucket = list;
    fill_buckets(t);
    return true;
}

/* Room for n more slots, and for all generations that these can name. */
static bool make_room(hdi_tape *t, size_t n)
{
    return room_for_slots(t, n) && room_for_gens(t, n * (1 + HDI_MAX_IN)) && room_for_buckets(t);
}

/* The tape holds b as a storage does. */
static void hold(hdi_buf *b)
{
    if (b->held++ == 0)
        hdi_memory_bytes.held += (uint64_t)b->nbytes;
    b->taped++;
}

static void let_go(hdi_buf *b)
{
    b->taped--;
    hdi_buf_let_go(b);
}

static bool has_contents(const hdi_buf *b)
{
    return !hdi_buf_empty(b) || b->error != NULL || (b->recs | b->jobs) != 0;
}

/* b's number on the tape. There is room for it. */
static uint32_t number_of(hdi_tape *t, hdi_buf *b, bool begins)
{
    uint32_t *first = bucket_of(t, b);
    for (uint32_t g = *first; g != 0; g = t->gen[g - 1].next)
        if (t->gen[g - 1].b == b)
            return g - 1;
    t->gen[t->ngens] = (gen){b, b->nbytes, *first, has_contents(b), begins};
    *first = (uint32_t)++t->ngens;
    hold(b);
    return (uint32_t)t->ngens - 1;
}

/* ---- recording ------------------------------------------------------------------------------- */

static void keep_layout(const hdi_layout *l, int by)
{
    if (l != NULL)
        ((hdi_layout *)(uintptr_t)l)->handles += by;
}

static void keep_layouts(const slot *s, int by)
{
    keep_layout(s->domain, by);
    keep_layout(s->row, by);
    for (int k = 0; k <= s->nin; k++)
        if (s->operand[k].kind == HDI_ARRAY || s->operand[k].kind == HDI_INDEX)
            keep_layout(s->operand[k].lay, by);
}

/* Others read what they write, or leave some of it as it is. */
static bool writes_all(unsigned op)
{
    return op != HD_OP_at && op != HD_OP_scatter && op != HD_OP_user_grid;
}

static void take_operand(hdi_tape *t, operand *to, const hdi_record *r, int k)
{
    const hdi_operand *p = &r->operand[k];
    *to = (operand){.kind = r->kind[k], .dt = r->dt[k]};
    if (to->kind == HDI_SCALAR) {
        memcpy(to->scalar, p->scalar, sizeof to->scalar);
    } else if (to->kind != HDI_NONE) {
        to->lay = p->lay;
        to->off = p->off;
    }
    if (to->kind == HDI_ARRAY)
        to->gen = number_of(t, p->buf, k == 0 && writes_all(r->op) &&
                                           p->lay->fills == p->buf->nbytes);
}

/* What is read is looked at before what is written, for a generation may be both. */
static void take_slot(hdi_tape *t, hdi_record *r)
{
    slot *s = &t->slot[t->nslots++];
    *s = (slot){.op = r->op, .cls = r->cls, .cdt = r->cdt, .nin = r->nin,
                .row_fits = r->row_fits, .more = r->more, .payload = r->payload,
                .domain = r->domain};
    if (r->cls == 'r') {
        s->row = r->row;
        s->axes = r->axes;
        s->sqaxes = r->sqaxes;
    }
    for (int k = r->nin; k >= 0; k--)
        take_operand(t, &s->operand[k], r, k);
    keep_layouts(s, 1);
    hdi_forget_axes(r);
}

static bool has_object(unsigned op)
{
    return hdi_op_rows[op].payload == HDI_PAYLOAD_object;
}

/* Is there a tape more for each generation? */
static bool may_hold(const hdi_record *r, int n)
{
    bool may = true;
    for (int i = 0; i < n; i++) {
        const hdi_record *s = hdi_record_slot(r, i);
        for (int k = 0; k <= s->nin; k++)
            may = may && (s->kind[k] != HDI_ARRAY || s->operand[k].buf->taped < UINT16_MAX);
    }
    return may;
}

hd_status hdi_tape_record(hdi_window *w, hdi_record *r)
{
    hdi_tape *t = w->tape;
    const int n = hdi_record_slots(r);
    if (r->cls == 'x' && r->op == HD_OP_receive) {
        return hdi_fail(HD_DEVICE, "contents of another device's array do not come here while "
                                   "device %s is capturing", t->dev->name);
    }
    if (!make_room(t, (size_t)n) || !may_hold(r, n))
        return hdi_never_recorded(r);
    for (int i = 0; i < n; i++)
        take_slot(t, hdi_record_slot(r, i));
    t->noperations++;
    return HD_OK;
}

/* ---- playing --------------------------------------------------------------------------------- */

/* Each launch of a kernel has an object of its own: how far it has come is noted there. */
static hdi_object *launch_again(const hdi_object *o)
{
    const hdi_grid_launch *l = (const hdi_grid_launch *)o;
    hdi_grid_launch *again = hdi_alloc(l->bytes);
    if (again == NULL) {
        hdi_fail(HD_NOMEM, "out of memory to launch %s", l->name);
        return NULL;
    }
    memcpy((void *)again, l, l->bytes);
    atomic_store(&again->object.count, 1);
    again->object.end.ctx = again;
    again->next = 0;
    again->values = (uint8_t *)again + (l->values - (const uint8_t *)l);
    if (again->kernel != NULL)
        hdi_object_hold(again->kernel);
    return &again->object;
}

static void play_slot(const hdi_tape *t, const slot *s, hdi_record *r)
{
    r->row_fits = s->row_fits;
    r->domain = s->domain;
    r->payload = s->payload;
    if (s->cls == 'r') {
        r->row = s->row;
        r->axes = s->axes;
        r->sqaxes = s->sqaxes;
    }
    for (int k = 0; k <= s->nin; k++) {
        const operand *p = &s->operand[k];
        if (p->kind == HDI_ARRAY)
            hdi_record_buffer(r, k, t->now[p->gen], (hd_dtype)p->dt, p->lay, p->off);
        else if (p->kind == HDI_SCALAR)
            hdi_record_scalar(r, k, (hd_dtype)p->dt, p->scalar);
        else if (p->kind == HDI_INDEX)
            hdi_record_index(r, k, p->lay, p->off);
        else
            hdi_record_no_output(r);
        if (k == 0 && p->kind == HDI_ARRAY && HDI_UNLIKELY(t->now[p->gen]->words != NULL))
            hdi_buf_drop_words(t->now[p->gen]);
    }
}

/* s: its first slot. */
static hd_status play(const hdi_tape *t, hdi_window *w, const slot *s)
{
    hdi_object *o = NULL;
    hdi_record *r = hdi_record_begin_many(w, (hd_op)s->op, (char)s->cls, (hd_dtype)s->cdt, s->nin,
                                          1 + s->more);
    if (r == NULL)
        return hd_error_peek()->code;
    play_slot(t, s, r);
    for (int i = 1; i <= s->more; i++)
        play_slot(t, &s[i], hdi_record_more(r, s[i].nin));
    if (has_object(s->op)) {
        o = launch_again(s->payload.object);
        if (o == NULL)
            return HD_NOMEM;
        r->payload.object = o;
    }
    hd_status status = hdi_record_end(w, r);
    if (status == HD_OK && o != NULL && r->pending)   /* as ops/launch.c */
        status = hdi_submit_now(w, r);
    if (status != HD_OK && o != NULL)
        hdi_object_release(o);
    return status;
}

/* Nobody but this tape knows b, and what is in it. */
static bool is_own(const gen *g)
{
    const hdi_buf *b = g->b;
    return !g->had && b->held == 1 && b->taped == 1 && b->pins == 0;
}

/* Fresh generations where only the tape knows them. One that a handle knew until now was written to
 * by earlier runs: it may become another one only if nothing of that is looked at. */
static bool take_generations(hdi_tape *t)
{
    size_t g = 0;
    for (; g < t->ngens; g++) {
        if (t->gen[g].b != NULL && t->gen[g].begins && is_own(&t->gen[g])) {
            let_go(t->gen[g].b);
            t->gen[g].b = NULL;
        }
        t->now[g] = t->gen[g].b;
        if (t->now[g] == NULL && (t->now[g] = hdi_buf_new(t->dev, t->gen[g].nbytes)) == NULL)
            break;
        if (HDI_UNLIKELY(t->now[g]->error != NULL) && t->gen[g].begins)
            hdi_buf_forget_error(t->now[g]);   /* of an earlier launch */
    }
    if (g == t->ngens)
        return true;
    while (g-- > 0)
        if (t->gen[g].b == NULL)
            hdi_buf_let_go(t->now[g]);
    return false;
}

hd_status hdi_tape_play(hdi_tape *t)
{
    hdi_window *w = hdi_window_of(t->dev);
    hd_status status = HD_OK;
    if (!take_generations(t))
        return hdi_fail(HD_NOMEM, "out of memory for the arrays of a graph");
    for (size_t i = 0; i < t->nslots && status == HD_OK; i += 1u + t->slot[i].more)
        status = play(t, w, &t->slot[i]);
    for (size_t g = 0; g < t->ngens; g++)
        if (t->gen[g].b == NULL)
            hdi_buf_let_go(t->now[g]);
    return status;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

void hdi_tape_free(hdi_tape *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; i < t->nslots; i++) {
        keep_layouts(&t->slot[i], -1);
        if (t->slot[i].cls == 'x' && has_object(t->slot[i].op))
            hdi_object_release(t->slot[i].payload.object);
    }
    for (size_t g = 0; g < t->ngens; g++)
        if (t->gen[g].b != NULL)
            let_go(t->gen[g].b);
    hdi_free(t->slot, sizeof *t->slot * t->slot_room);
    hdi_free(t->gen, sizeof *t->gen * t->gen_room);
    hdi_free(t->bucket, sizeof *t->bucket * t->nbuckets);
    hdi_free(t->now, t->now != NULL ? sizeof(hdi_buf *) * (t->ngens + 1) : 0);
    hdi_free(t, sizeof *t);
}

/* Gives every storage of dev whose generation another one has too a generation of its own. */
static hd_status part_snapshots(const hd_device *dev)
{
    hd_status status = HD_OK;
    for (size_t i = 0; i < hdi_snapshots.n && status == HD_OK; i++) {
        hdi_storage *st = hdi_snapshots.storage[i];
        if (hdi_is_shared(st) && st->buf->dev == dev)
            status = hdi_window_part(st, HD_INT64, 8);
    }
    return status;
}

hd_status hdi_tape_begin(hd_device *dev)
{
    hdi_window *w = hdi_window_of(dev);
    if (w->tape != NULL)
        return hdi_fail(HD_VALUE, "this thread is capturing on device %s already", dev->name);
    if (w->owner != &hdi_window_here)
        return hdi_fail(HD_NOMEM, "out of memory for a window of this thread's own");
    hdi_tape *t = hdi_calloc(sizeof *t);
    if (t == NULL)
        return hdi_fail(HD_NOMEM, "out of memory for a graph");
    hdi_captures_count(1);   /* from here on nobody makes a snapshot */
    hd_status status = part_snapshots(dev);
    if (status != HD_OK) {
        hdi_captures_count(-1);
        hdi_tape_free(t);
        return status;
    }
    hdi_windows_flush(dev);
    t->dev = dev;
    t->small = w->small;
    w->small = -1;
    w->tape = t;
    w->special |= HDI_CAPTURES;
    return HD_OK;
}

static hdi_tape *take_off(hdi_window *w)
{
    hdi_tape *t = w->tape;
    w->small = t->small;
    w->tape = NULL;
    w->special &= ~(unsigned)HDI_CAPTURES;
    hdi_captures_count(-1);
    return t;
}

void hdi_tape_drop(hdi_window *w)
{
    if (w->tape != NULL)
        hdi_tape_free(take_off(w));
}

hd_status hdi_tape_pause(hd_device *dev, bool pause)
{
    hdi_window *w = hdi_window_of(dev);
    hdi_tape *t = w->tape;
    if (t == NULL)
        return hdi_fail(HD_VALUE, "this thread is not capturing on device %s", dev->name);
    if (t->paused == pause)
        return HD_OK;
    if (!pause)
        hdi_windows_flush(dev);
    w->small = pause ? t->small : -1;
    t->paused = pause;
    w->special = pause ? w->special & ~(unsigned)HDI_CAPTURES : w->special | HDI_CAPTURES;
    return HD_OK;
}

int64_t hdi_tape_small(const hdi_window *w)
{
    return w->tape != NULL ? w->tape->small : w->small;
}

void hdi_tape_set_small(hdi_window *w, int64_t small)
{
    if (w->tape != NULL)
        w->tape->small = small;
    if (w->tape == NULL || w->tape->paused)
        w->small = small;
}

/* What nobody but the tape knows, and had no contents before, is another generation each time. */
static void close_generations(hdi_tape *t)
{
    for (size_t g = 0; g < t->ngens; g++) {
        hdi_buf *b = t->gen[g].b;
        if (!is_own(&t->gen[g]))
            continue;
        t->gen[g].b = NULL;
        let_go(b);
    }
}

hdi_tape *hdi_tape_end(hd_device *dev)
{
    hdi_window *w = hdi_window_of(dev);
    if (w->tape == NULL) {
        hdi_fail(HD_VALUE, "this thread is not capturing on device %s", dev->name);
        return NULL;
    }
    hdi_tape *t = take_off(w);
    t->now = hdi_alloc(sizeof(hdi_buf *) * (t->ngens + 1));
    if (t->now == NULL) {
        hdi_tape_free(t);
        hdi_fail(HD_NOMEM, "out of memory for a graph");
        return NULL;
    }
    close_generations(t);
    return t;
}

hd_device *hdi_tape_device(const hdi_tape *t) { return t->dev; }
int64_t hdi_tape_operations(const hdi_tape *t) { return t->noperations; }

const char *hdi_tape_operation(const hdi_tape *t, int64_t i)
{
    for (size_t s = 0; s < t->nslots; s += 1u + t->slot[s].more)
        if (i-- == 0)
            return has_object(t->slot[s].op)
                       ? ((const hdi_grid_launch *)t->slot[s].payload.object)->name
                       : hdi_op_rows[t->slot[s].op].info.name;
    return NULL;
}
