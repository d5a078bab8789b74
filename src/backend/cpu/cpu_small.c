/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_small.c - small work: operands where they lie or gathered on the stack, one loop, the result
 * in its place. What there is no loop for is recorded. */
#include "backend/cpu/cpu_small.h"

#include <stdlib.h>

#include "backend/cpu/cpu_library.h"
#include "backend/cpu/cpu_program.h"
#include "backend/cpu/cpu_small_work.h"
#include "backend/xcall.h"
#include "core/op.h"

/* To record, plan and launch an operation costs 90 ns in a loop that repeats and 500 where its
 * value is asked for at once; a plain loop takes a nanosecond for four elements. SMALL_WORK is in
 * elements of a plain operation (cpu_cost.c). */
enum { SMALL_MOST = 512, SMALL_WORK = 512 };

int64_t hdi_cpu_small_most(bool mirrored)
{
    const char *text = getenv("HEDDLE_SMALL");
    const long here = mirrored ? HDI_CPU_MIRRORED_MOST : SMALL_MOST,
               most = text != NULL ? strtol(text, NULL, 10) : here;
    return most < 0 ? -1 : most < here ? most : here;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* An input as the loop takes it. */
typedef struct input {
    const void *at;
    bool single;                 /* one element that stands for all */
} input;

typedef struct hdi_cpu_work work;

static inline void *take(work *w, int64_t bytes)
{
    return hdi_cpu_work_take(w, bytes);
}

static bool repeats(const hdi_layout *lay)
{
    return lay->core->nsq == 0;
}

/* Address of the first of n dense elements; NULL: they are not dense in the order of w. */
static uint8_t *where_it_lies(const work *w, const hdi_operand *p)
{
    uint8_t *at = p->buf->host + p->off;
    if (p->lay->c_contiguous)
        return at;
    return w->as_it_lies ? at + p->lay->lo : NULL;
}

static void move(const work *w, const hdi_operand *p, uint8_t *dense, bool gather)
{
    const hdi_layout *lay = p->lay;
    const hdi_cpu_walk c_order = {lay->nsq, lay->sqdims, lay->sqstrides};
    hdi_cpu_work_move(w, &c_order, p->buf->host + p->off, dense, lay->item, gather);
}

static void count_lines(const hdi_operand *p, int64_t n, int64_t *out)
{
    const hdi_layout *lay = p->lay;
    const hdi_cpu_walk c_order = {lay->nsq, lay->sqdims, lay->sqstrides};
    int64_t index[HD_MAXDIM] = {0}, value = p->off;
    for (int64_t i = 0; i < n; i++) {
        out[i] = value;
        value += hdi_cpu_walk_step(&c_order, lay->nsq - 1, index);
    }
}

/* Operand k before any cast. False: there is no room. */
static bool fetch(work *w, int k, input *in)
{
    const hdi_operand *p = &w->r->operand[k];
    void *room;
    in->single = true;
    if (w->r->kind[k] == HDI_SCALAR) {
        in->at = p->scalar;
        return true;
    }
    if (w->r->kind[k] == HDI_ARRAY && repeats(p->lay)) {
        in->at = p->buf->host + p->off;
        return true;
    }
    in->single = false;
    if (w->r->kind[k] == HDI_INDEX) {
        if ((room = take(w, w->n * 8)) != NULL)
            count_lines(p, w->n, room);
        in->at = room;
        return room != NULL;
    }
    if ((in->at = where_it_lies(w, p)) != NULL)
        return true;
    if ((room = take(w, w->n * p->lay->item)) != NULL)
        move(w, p, room, true);
    in->at = room;
    return room != NULL;
}

/* ---- casts ----------------------------------------------------------------------------------- */

static const void *cast(work *w, const void *from, int64_t n, hd_dtype *dt, hd_dtype to)
{
    return *dt == to ? from : hdi_cpu_work_cast(w, from, n, dt, to);
}

/* Input k as the loop wants it: rounded to a half type that does not hold it before float32
 * computes, as the planner does (fuse/lower.c: argument()). */
static bool argument(work *w, int k, input *in)
{
    const hdi_record *r = w->r;
    const hd_op op = (hd_op)r->op;
    const hd_dtype cdt = (hd_dtype)r->cdt, want = hdi_loop_dtype(op, k, cdt);
    const hd_dtype runs = hdi_loop_dtype(op, k, hdi_compute_dtype(op, cdt));
    hd_dtype dt = (hd_dtype)r->dt[k + 1];
    if (!fetch(w, k + 1, in))
        return false;
    const int64_t n = in->single ? 1 : w->n;
    if (HDI_LIKELY(dt == runs))
        return true;
    bool exact = r->kind[k + 1] == HDI_SCALAR || hd_can_cast(dt, want, HD_CAST_SAFE);
    if (want != runs && !exact)
        in->at = cast(w, in->at, n, &dt, want);
    if (in->at != NULL)
        in->at = cast(w, in->at, n, &dt, runs);
    return in->at != NULL;
}

/* The n elements of dtype dt that the loop made become those of the result. */
static bool put(work *w, const void *made, hd_dtype dt, hd_dtype value)
{
    const hdi_operand *p = &w->r->operand[0];
    const hd_dtype to = (hd_dtype)w->r->dt[0];
    made = cast(w, made, w->n, &dt, value);
    if (made != NULL)
        made = cast(w, made, w->n, &dt, to);
    if (made == NULL)
        return false;
    uint8_t *at = where_it_lies(w, p);
    if (at == NULL)
        move(w, p, (uint8_t *)(uintptr_t)made, false);
    else if (at != made)
        memcpy(at, made, (size_t)(w->n * p->lay->item));
    return true;
}

/* ---- elementwise ----------------------------------------------------------------------------- */

/* One element for all becomes n of them. */
static bool repeat(work *w, input *in, hd_dtype dt)
{
    const int64_t item = hdi_itemsize(dt);
    void *room = take(w, w->n * item);
    if (room == NULL)
        return false;
    w->loops->fill[hdi_cpu_log2_bytes(item)](room, in->at, w->n);
    *in = (input){room, false};
    return true;
}

/* Which variant of the loop takes the inputs; those that it does not take as one element are
 * repeated. -1: no room. */
static int choose_variant(work *w, const hdi_ew_loop *loops, hd_dtype runs, input *in)
{
    const hdi_record *r = w->r;
    int alone = r->nin != 2                                  ? -1
                : in[1].single && loops[HDI_VS] != NULL ? 1
                : in[0].single && loops[HDI_SV] != NULL ? 0
                                                         : -1;
    for (int k = 0; k < r->nin; k++)
        if (k != alone && in[k].single && w->n > 1 &&
            !repeat(w, &in[k], hdi_loop_dtype((hd_op)r->op, k, runs)))
            return -1;
    return alone == 1 ? HDI_VS : alone == 0 ? HDI_SV : HDI_VV;
}

/* Elements of one dtype are moved; of others cast. A bool is moved as the byte that it is. */
static bool run_copy(work *w)
{
    const hd_dtype to = (hd_dtype)w->r->dt[0];
    hd_dtype dt = (hd_dtype)w->r->dt[1];
    input in;
    if (!fetch(w, 1, &in))
        return false;
    in.at = cast(w, in.at, in.single ? 1 : w->n, &dt, to);
    return in.at != NULL && (!in.single || w->n == 1 || repeat(w, &in, to)) &&
           put(w, in.at, to, to);
}

static bool run_loop(work *w)
{
    const hdi_record *r = w->r;
    const hd_op op = (hd_op)r->op;
    const hd_dtype cdt = (hd_dtype)r->cdt, runs = hdi_compute_dtype(op, cdt);
    const hd_dtype value = hdi_value_dtype(op, runs);
    const hdi_ew_loop *loops = w->loops->ew[op][runs];
    const void *at[HDI_MAX_IN];
    input in[HDI_MAX_IN];
    if (op == HD_OP_copy)
        return run_copy(w);
    if (loops[HDI_VV] == NULL)
        return false;
    for (int k = 0; k < r->nin; k++)
        if (!argument(w, k, &in[k]))
            return false;
    const int variant = choose_variant(w, loops, runs, in);
    if (variant < 0)
        return false;
    for (int k = 0; k < r->nin; k++)
        at[k] = in[k].at;
    void *to = value == (hd_dtype)r->dt[0] ? where_it_lies(w, &r->operand[0]) : NULL;
    if (HDI_LIKELY(to != NULL)) {
        loops[variant](to, at, w->n);
        return true;
    }
    if ((to = take(w, w->n * hdi_itemsize(value))) == NULL)
        return false;
    loops[variant](to, at, w->n);
    return put(w, to, value, hdi_value_dtype(op, cdt));
}

/* Do all operands but numbers lie densely in the one order that the result has? */
static bool all_alike(const hdi_record *r)
{
    const hdi_layout *out = r->operand[0].lay;
    if (!out->dense || out->c_contiguous)
        return false;
    for (int k = 1; k <= r->nin; k++) {
        const hdi_layout *lay = r->operand[k].lay;
        if (r->kind[k] == HDI_INDEX ||
            (r->kind[k] == HDI_ARRAY && !repeats(lay) && lay->core != out->core))
            return false;
    }
    return true;
}

static __attribute__((noinline)) bool run_elementwise(const hdi_record *r)
{
    _Alignas(64) uint8_t room[HDI_CPU_SMALL_ROOM];
    work w = {.r = r,
              .loops = hdi_loops_chosen(),
              .n = r->domain->size,
              .as_it_lies = all_alike(r),
              .next = room,
              .end = room + sizeof room};
    return run_loop(&w);
}

/* Both inputs and the result in C order, of the loop's dtypes: most of what there is. False: it is
 * something else, and nothing was done. */
static bool run_plain(const hdi_record *r)
{
    const hd_op op = (hd_op)r->op;
    const hd_dtype cdt = (hd_dtype)r->cdt;
    const void *at[HDI_MAX_IN];
    int variant = HDI_VV;
    if (hdi_op_rows[op].rule != HDI_RULE_SAME || op == HD_OP_copy || r->nin > 2 ||
        r->dt[0] != cdt || !r->operand[0].lay->c_contiguous || hdi_is_half(cdt))
        return false;
    for (int k = 1; k <= r->nin; k++) {
        const hdi_operand *p = &r->operand[k];
        if (r->dt[k] != cdt)
            return false;
        if (r->kind[k] == HDI_SCALAR && r->nin == 2 && variant == HDI_VV) {
            variant = k == 2 ? HDI_VS : HDI_SV;
            at[k - 1] = p->scalar;
        } else if (r->kind[k] == HDI_ARRAY && p->lay->c_contiguous) {
            at[k - 1] = p->buf->host + p->off;
        } else {
            return false;
        }
    }
    const hdi_ew_loop loop = hdi_loops_chosen()->ew[op][cdt][variant];
    if (loop == NULL)
        return false;
    loop(r->operand[0].buf->host + r->operand[0].off, at, r->domain->size);
    return true;
}

/* ---- library calls --------------------------------------------------------------------------- */

static bool is_small_slot(const hdi_record *r)
{
    for (int k = 0; k <= r->nin; k++) {
        bool whole = k == hdi_op_rows[r->op].indexed;
        if (r->kind[k] == HDI_ARRAY &&
            ((!whole && r->operand[k].lay->size > SMALL_MOST) ||
             (k > 0 && r->operand[k].buf == r->operand[0].buf)))
            return false;
    }
    return true;
}

static uint8_t *on_host(const void *ctx, const hdi_buf *b)
{
    (void)ctx;
    return b->host;
}

bool hdi_cpu_small_call(const hdi_record *r)
{
    hdi_xarg room[(1 + HDI_MAX_IN) * (HDI_PARTS - 1)];
    hdi_xcall x;
    if (!hdi_cpu_library_at_hand((hd_op)r->op, (hd_dtype)r->cdt) ||
        hdi_record_slots(r) > HDI_PARTS)
        return false;
    for (int i = 0; i < hdi_record_slots(r); i++)
        if (!is_small_slot(hdi_record_slot(r, i)))
            return false;
    hdi_xcall_bind(&x, r, on_host, NULL, room);
    bool had = hd_error_peek()->code != HD_OK;
    if (hdi_cpu_library(NULL, &x) == HD_OK)
        return true;
    if (!had)
        hd_error_take(NULL);   /* it is recorded, and fails again where that is told */
    return false;
}

bool hdi_cpu_small_ew(const hdi_record *r, int64_t most)
{
    const int64_t n = r->domain->size;
    if (r->cls != 'e' || r->wraps || hdi_cpu_ew_cost[r->op] * n > most ||
        !r->operand[0].lay->injective)
        return false;
    return run_plain(r) || run_elementwise(r);
}

bool hdi_cpu_run_small(const hdi_record *r)
{
    return r->cls == 'x'   ? hdi_cpu_small_call(r)
           : r->cls == 'r' ? hdi_cpu_small_reduction(r, false)
                           : hdi_cpu_small_ew(r, SMALL_WORK);
}
