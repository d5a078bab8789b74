/* SPDX-License-Identifier: BSD-3-Clause */
/* test_slots.c - operations of several slots: any number of inputs and outputs. Their slots are
 * recorded, chosen, submitted, failed and dropped together. */
#include "backend/xcall.h"
#include "fuse/legal.h"
#include "window/inspect.h"

enum { N = 6, MANY = HDI_SLOTS_MOST };

/* Library calls that nobody runs on this device. `sort` may go unread, `at` may not. */
typedef struct call {
    hd_op op;
    int nin, nout;
    hd_array *in[3 * MANY], *out[MANY];
} call;

static hd_array *line(void)
{
    return t_ready(SHAPE(N), HD_FLOAT64);
}

static int slots_of(const call *c)
{
    const int of_inputs = (c->nin + HDI_MAX_IN - 1) / HDI_MAX_IN;
    return of_inputs > c->nout ? of_inputs : c->nout;
}

/* The inputs of slot i, three to a slot, and its output. */
static void fill_slot(const call *c, hdi_record *r, int i)
{
    for (int k = 0; k < r->nin; k++) {
        hd_array *x = c->in[HDI_MAX_IN * i + k];
        hdi_record_array(r, k + 1, x, x->lay);
    }
    if (i < c->nout)
        hdi_record_array(r, 0, c->out[i], c->out[i]->lay);
    else
        hdi_record_no_output(r);
    r->domain = c->out[0]->lay;
}

static int inputs_of_slot(const call *c, int i)
{
    const int left = c->nin - HDI_MAX_IN * i;
    return left < 0 ? 0 : left < HDI_MAX_IN ? left : HDI_MAX_IN;
}

static hd_status record_call(const call *c)
{
    hd_device *dev = hd_device_current();
    hdi_lock();
    hdi_window *w = hdi_window_of(dev);
    hdi_record *r = hdi_record_begin_many(w, c->op, 'x', HD_FLOAT64, inputs_of_slot(c, 0),
                                          slots_of(c));
    fill_slot(c, r, 0);
    for (int i = 1; i < slots_of(c); i++)
        fill_slot(c, hdi_record_more(r, inputs_of_slot(c, i)), i);
    hd_status status = hdi_record_end(w, r);
    hdi_unlock();
    return status;
}

/* A call with fresh outputs. */
static call new_call(hd_op op, int nin, int nout, hd_array *x)
{
    call c = {.op = op, .nin = nin, .nout = nout};
    for (int k = 0; k < nin; k++)
        c.in[k] = x;
    for (int k = 0; k < nout; k++)
        c.out[k] = hd_empty(SHAPE(N), HD_FLOAT64);
    CHECK(record_call(&c) == HD_OK);
    return c;
}

static int count_cls(const hdi_chunk *c, int cls)
{
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += c->record[i]->cls == cls;
    return n;
}

/* Operations are whole: after the first slot come all the others. */
static bool is_whole(const hdi_chunk *c)
{
    for (int i = 0; i < c->n;) {
        const hdi_record *r = c->record[i];
        if (r->cls == HDI_MORE || i + hdi_record_slots(r) > c->n)
            return false;
        for (int k = 1; k < hdi_record_slots(r); k++)
            if (c->record[i + k] != hdi_record_slot(r, k))
                return false;
        i += hdi_record_slots(r);
    }
    return true;
}

/* ---- recording ------------------------------------------------------------------------------- */

TEST(slots, one_operation_is_counted)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = line();
    hd_stats before = t_stats(NULL);
    call c = new_call(HD_OP_at, 7, 2, x);
    CHECK_EQ_I64(t_stats(NULL).records - before.records, 1);
    hdi_chunk *p = pending(false);
    CHECK_EQ_I64(p->n, 3);
    CHECK(is_whole(p) && p->record[0]->more == 2);
    CHECK(p->record[2]->kind[0] == HDI_NONE && p->record[2]->nin == 1);
    CHECK(hdi_record_first(p->record[2]) == p->record[0]);
    check_legal(p, plan_pending());
    CHECK_EQ_I64(plan_pending()->partition.ngroups, 1);
    CHECK(hd_eval(c.out[1]) == HD_OK);
    CHECK_EQ_I64(t_stats(NULL).kernel_ops - before.kernel_ops, 1);
    CHECK_EQ_I64(t_stats(NULL).kernels - before.kernels, 1);
    CHECK_EQ_I64(t_stats(NULL).pending, 0);
    hd_scope_end(scope, NULL);
    CHECK(t_clean());
}

static uint8_t *address(const void *ctx, const hdi_buf *b)
{
    return (uint8_t *)(uintptr_t)ctx + ((uintptr_t)b & 0xffff);
}

TEST(slots, a_call_is_bound_in_order)
{
    begin_null();
    static uint8_t base[1 << 16];
    int scope = hd_scope_begin();
    call c = {.op = HD_OP_at, .nin = 8, .nout = 4};
    for (int k = 0; k < c.nin; k++)
        c.in[k] = line();
    for (int k = 0; k < c.nout; k++)
        c.out[k] = hd_empty(SHAPE(N), HD_FLOAT64);
    REQUIRE(record_call(&c) == HD_OK);
    const hdi_chunk *p = pending(false);
    hdi_xarg room[(1 + HDI_MAX_IN) * MANY];
    hdi_xcall x;
    REQUIRE(p->n == 4 && hdi_xcall_room(p->record[0]) == 12);
    hdi_xcall_bind(&x, p->record[0], address, base, room);
    CHECK(x.nin == c.nin && x.nout == c.nout);
    for (int k = 0; k < c.nin; k++)
        CHECK(hdi_xcall_input(&x, k)->ptr == address(base, c.in[k]->st->buf));
    for (int k = 0; k < c.nout; k++)
        CHECK(hdi_xcall_result(&x, k)->ptr == address(base, c.out[k]->st->buf));
    hd_scope_end(scope, NULL);
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
}

/* ---- hazards --------------------------------------------------------------------------------- */

TEST(slots, each_slot_has_its_own_hazards)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = line(), *y = line(), *a = hd_add(x, x), *b = hd_negative(y);   /* 0, 1 */
    call c = {.op = HD_OP_at, .nin = 4, .nout = 2, .in = {x, x, x, a}, .out = {line(), y}};
    REQUIRE(record_call(&c) == HD_OK);                                             /* 2, 3 */
    hd_array *of_first = hd_negative(c.out[0]), *of_second = hd_negative(y);       /* 4, 5 */
    const hdi_chunk *p = pending(false);
    CHECK_EQ_I64(p->n, 6);
    CHECK(edge(p, 0, 2) == HDI_DISJOINT && edge(p, 0, 3) == HDI_SAME_MAP);
    CHECK(edge(p, 1, 2) == HDI_DISJOINT && edge(p, 1, 3) == HDI_SAME_MAP);
    CHECK(edge(p, 2, 3) == HDI_DISJOINT);
    CHECK(edge(p, 2, 4) == HDI_SAME_MAP && edge(p, 3, 4) == HDI_DISJOINT);
    CHECK(edge(p, 3, 5) == HDI_SAME_MAP && edge(p, 2, 5) == HDI_DISJOINT);
    check_legal(p, plan_pending());
    /* the first result takes with it what the second slot waits for, and not what it does not */
    hd_array *other = hd_exp(x);
    CHECK(hd_eval(of_first) == HD_OK);
    CHECK(!(hd_flags(a) & HD_PENDING) && !(hd_flags(b) & HD_PENDING));
    CHECK((hd_flags(of_second) & HD_PENDING) && (hd_flags(other) & HD_PENDING));
    CHECK(!(hd_flags(y) & HD_PENDING));
    hd_scope_end(scope, NULL);
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
}

/* ---- dead ------------------------------------------------------------------------------------ */

TEST(slots, live_as_long_as_one_result_is_wanted)
{
    begin_null();
    hd_array *x = line();
    for (int wanted = -1; wanted < 3; wanted++) {
        int scope = hd_scope_begin();
        hd_array *a = hd_add(x, x);
        call c = new_call(HD_OP_sort, 2, 3, a);
        hd_array *reads = wanted == 0 ? hd_negative(c.out[0]) : NULL;
        hd_stats before = t_stats(NULL);
        hd_scope_end(scope, wanted < 0 ? NULL : reads != NULL ? reads : c.out[wanted]);
        CHECK_EQ_I64(pending(true)->n, wanted < 0 ? 0 : 4 + (reads != NULL));
        CHECK_EQ_I64(t_stats(NULL).dead - before.dead, wanted < 0 ? 2 : 0);
        if (wanted >= 0)
            hd_release(reads != NULL ? reads : c.out[wanted]);
        CHECK_EQ_I64(pending(true)->n, 0);
    }
    hd_release(x);
    CHECK(t_clean());
}

/* ---- plans ----------------------------------------------------------------------------------- */

static void demand_one(int nin, int nout)
{
    int scope = hd_scope_begin();
    call c = new_call(HD_OP_at, nin, nout, line());
    CHECK(hd_eval(c.out[nout - 1]) == HD_OK);
    hd_scope_end(scope, NULL);
}

TEST(slots, plans_tell_them_apart_and_are_found_again)
{
    static const int count[][2] = {{1, 1}, {1, 2}, {1, 3}, {4, 1}, {4, 2}, {7, 2}};
    enum { COUNTS = sizeof count / sizeof *count };
    begin_null();
    hd_stats before = t_stats(NULL);
    for (int times = 0; times < 4; times++)
        for (int k = 0; k < COUNTS; k++)
            demand_one(count[k][0], count[k][1]);
    hd_stats after = t_stats(NULL);
    CHECK(after.plans - before.plans <= COUNTS);
    CHECK_EQ_I64(after.plan_hits - before.plan_hits + after.plans - before.plans, 4 * COUNTS);
    CHECK(t_clean());
}

/* ---- the window is full ---------------------------------------------------------------------- */

static const hdi_runner_table *real;
static int64_t submitted_slots;

static hd_status whole_submit(hd_device *dev, hdi_chunk *c)
{
    CHECK(is_whole(c));
    submitted_slots += count_cls(c, HDI_MORE);
    return real->submit(dev, c);
}

/* Random operations, and single ones that keep what they read pending: whatever is submitted, and
 * wherever the window is cut, operations are whole. */
static void record_randomly(int largest)
{
    hd_array *kept[40] = {NULL}, *x = line();
    for (int i = 0; i < 400; i++) {
        int scope = hd_scope_begin();
        const int at = (int)t_below(40);
        hd_array *from = kept[t_below(40)];
        from = from != NULL ? from : x;
        if (t_below(2) == 0) {
            const int nout = (int)t_between(1, largest), nin = (int)t_between(1, 3 * largest);
            call c = new_call(t_below(2) ? HD_OP_sort : HD_OP_at, nin, nout, from);
            from = c.out[t_below(nout)];
        } else {
            from = hd_add(from, x);
        }
        if (t_below(30) == 0)
            CHECK(hd_eval(from) == HD_OK);
        hd_scope_end(scope, from);
        if (kept[at] != NULL)
            hd_release(kept[at]);
        kept[at] = from;
    }
    for (int k = 0; k < 40; k++)
        if (kept[k] != NULL)
            hd_release(kept[k]);
    hd_release(x);
}

TEST(slots, are_never_cut)
{
    static const int largest[] = {1, 2, 3, 8, MANY};
    for (int k = 0; k < 5; k++) {
        real = begin_submitting(whole_submit);
        submitted_slots = 0;
        record_randomly(largest[k]);
        CHECK(submitted_slots > 0 || k == 0);
        end_submitting(real);
        CHECK(t_clean());
    }
}

/* One operation of as many slots as may be, when the window has room for none of them. */
TEST(slots, the_most_of_them_find_room)
{
    real = begin_submitting(whole_submit);
    for (int before = 0; before < HDI_WINDOW_MAX + 10; before += 7) {
        int scope = hd_scope_begin();
        hd_array *x = line(), *y = hd_add(x, x);
        for (int k = 0; k < before; k++)
            y = hd_add(x, y);
        call c = {.op = HD_OP_at, .nin = 3 * MANY, .nout = 1, .out = {line()}};
        for (int k = 0; k < c.nin; k++)
            c.in[k] = y;
        CHECK_EQ_I64(slots_of(&c), MANY);
        CHECK(record_call(&c) == HD_OK);
        CHECK(is_whole(pending(false)));
        hd_scope_end(scope, NULL);
    }
    end_submitting(real);
    CHECK(t_clean());
}

/* ---- failures -------------------------------------------------------------------------------- */

static hd_status refusing_submit(hd_device *dev, hdi_chunk *c)
{
    (void)c;
    return hdi_fail(HD_NOMEM, "no memory on %s", dev->name);
}

/* What may not wait and cannot be submitted was never recorded: none of its slots. */
TEST(slots, that_cannot_run_at_once_were_never_recorded)
{
    int scope = hd_scope_begin();
    real = begin_submitting(refusing_submit);
    hd_array *x = line();
    call c = {.op = HD_OP_at, .nin = 5, .nout = 3};
    for (int k = 0; k < c.nin; k++)
        c.in[k] = x;
    for (int k = 0; k < c.nout; k++)
        c.out[k] = line();
    hdi_lock();
    c.out[2]->st->buf->pins++;   /* rule M9 */
    hdi_unlock();
    hd_stats before = t_stats(NULL);
    CHECK(record_call(&c) == HD_NOMEM);
    CHECK(hd_error_take(NULL) == HD_NOMEM);
    CHECK_EQ_I64(t_stats(NULL).records, before.records);
    CHECK_EQ_I64(pending(false)->n, 0);
    hdi_lock();
    c.out[2]->st->buf->pins--;
    for (int k = 0; k < c.nout; k++)
        CHECK(c.out[k]->st->buf->recs == 0 && c.out[k]->st->buf->writes == 0);
    CHECK(x->st->buf->recs == 0);
    hdi_unlock();
    end_submitting(real);
    hd_scope_end(scope, NULL);
    CHECK(t_clean());
}
