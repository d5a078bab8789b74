/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c - spans of what a device runs, and the profile that they come to.
 *
 * A GPU's own clock times what it runs: each kernel is launched between two events. One event whose
 * time the host has waited for says where that clock stands on the host's. */
#include "exec/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "core/layout.h"
#include "core/op.h"
#include "exec/lanes.h"

static int64_t started;          /* ns, of the profile under way */
static pthread_mutex_t marking = PTHREAD_MUTEX_INITIALIZER;

/* ---- marks of the device's clock ------------------------------------------------------------- */

/* What fails here is no failure of the work: an error that was not there before goes. */
static void forget_error(bool had)
{
    if (!had && hd_error_peek()->code != HD_OK)
        hd_error_take(NULL);
}

/* The device's first mark, and when it was. */
static void set_base(hd_device *dev)
{
    hdi_queue *q = dev->queue;
    const hdi_streams *s = dev->backend->streams;
    const bool had = hd_error_peek()->code != HD_OK;
    uintptr_t e = 0;
    pthread_mutex_lock(&marking);
    if (q->base_mark == 0 && s->event_make(dev->state, true, false, &e) == HD_OK) {
        if (s->event_put(dev->state, e, s->current(dev->state)) == HD_OK &&
            s->event_wait(dev->state, e) == HD_OK) {
            q->base_mark = e;
            q->base_at = hdi_now_ns(CLOCK_MONOTONIC);
        } else {
            s->event_destroy(dev->state, e);
        }
    }
    pthread_mutex_unlock(&marking);
    forget_error(had);
}

/* An event behind what was enqueued so far; 0: none. */
static uintptr_t mark(hd_device *dev)
{
    const hdi_streams *s = dev->backend->streams;
    const bool had = hd_error_peek()->code != HD_OK;
    uintptr_t e = 0;
    hd_status status = s->event_make(dev->state, true, false, &e);
    if (status == HD_OK &&
        (status = s->event_put(dev->state, e, s->current(dev->state))) != HD_OK)
        s->event_destroy(dev->state, e);
    forget_error(had);
    return status == HD_OK ? e : 0;
}

static void drop_marks(hd_device *dev, hdi_span *span)
{
    for (int k = 0; k < 2; k++)
        if (span->mark[k] != 0)
            dev->backend->streams->event_destroy(dev->state, span->mark[k]);
}

/* A span by the host's clock, from here on. */
static void begin(hd_device *dev, hdi_span *span, hd_span_kind kind, const char *name)
{
    hdi_span_begin(span, kind, name, dev->name);
    span->where = dev->number;
}

/* By the device's clock from here on, if it has one: what came before, such as the description, is
 * not timed. */
static void time_from_here(hd_device *dev, hdi_span *span)
{
    if (dev->backend->streams != NULL) {
        set_base(dev);
        span->mark[0] = mark(dev);
    }
    span->begin = hdi_now_ns(CLOCK_MONOTONIC);
}

static void end(hd_device *dev, hdi_span *span)
{
    if (span->mark[0] != 0)
        span->mark[1] = mark(dev);
    if (!hdi_span_end(span))
        drop_marks(dev, span);
}

/* ---- what a kernel is ------------------------------------------------------------------------ */

/* Elements of a value of that level. */
static int64_t size_at(const hdi_launch *l, int level)
{
    int64_t n = 1;
    for (int a = 0; a < l->nd; a++)
        n *= level == KIR_ROW && l->reduced >> a & 1 ? 1 : l->dims[a];
    return n;
}

/* Bytes of the elements that an operand has, each once. */
static int64_t bytes_of(const hdi_kslot *slot, const hdi_arg *arg, const hdi_launch *l)
{
    int64_t n = 1;
    if (slot->kind != HDI_SLOT_ARRAY)
        return 0;
    for (int a = 0; a < l->nd; a++) {
        const bool reduced = slot->level == KIR_ROW && l->reduced >> a & 1;
        n *= reduced || (!arg->linear && arg->strides[a] == 0) ? 1 : l->dims[a];
    }
    return n * hdi_itemsize((hd_dtype)slot->dt);
}

static void add_name(hdi_span *span, const char *name)
{
    const size_t used = strlen(span->name), room = sizeof span->name - used;
    if (strlen(name) + 5 < room)
        snprintf(span->name + used, room, "%s%s", used > 0 ? " " : "", name);
    else if (room > 4 && (used < 3 || strcmp(span->name + used - 3, "...") != 0))
        snprintf(span->name + used, room, " ...");
}

static int64_t operations_of(const hdi_kinst *i, const hdi_launch *l)
{
    if (i->op == HD_OP_copy)
        return 0;
    return size_at(l, i->kind == KIR_REDUCE ? KIR_FULL : i->level) *
           (i->op == HD_OP_sumproduct ? 2 : 1);
}

static void describe(hdi_span *span, const hdi_kernel *k, const hdi_launch *l)
{
    span->bytes = span->operations = 0;
    for (int n = 0; n < k->ninst; n++)
        if (k->inst[n].kind == KIR_EW || k->inst[n].kind == KIR_REDUCE) {
            add_name(span, hdi_op_rows[k->inst[n].op].info.name);
            span->operations += operations_of(&k->inst[n], l);
        }
    if (span->name[0] == 0)
        add_name(span, "copy");
    for (int s = 0; s < k->nslots; s++)
        span->bytes += bytes_of(&k->slots[s], &l->args[s], l);
    hdi_shape_text(l->nd, l->dims, span->shape, sizeof span->shape);
}

static int64_t bytes_of_argument(const hdi_xarg *x)
{
    int64_t n = hdi_itemsize(x->dt);
    for (int a = 0; a < x->nd; a++)
        n *= x->dims[a];
    return n;
}

static void describe_call(hdi_span *span, const hdi_xcall *x)
{
    span->bytes = 0;
    for (int i = 0; i < x->nout; i++)
        span->bytes += bytes_of_argument(hdi_xcall_result(x, i));
    for (int i = 0; i < x->nin; i++)
        span->bytes += bytes_of_argument(hdi_xcall_input(x, i));
    if (x->op == HD_OP_matmul && x->in[0].nd > 0)   /* a multiplication and an addition each */
        span->operations = 2 * x->in[0].dims[x->in[0].nd - 1] * bytes_of_argument(&x->out) /
                           hdi_itemsize(x->out.dt);
}

/* ---- work with a span of it ------------------------------------------------------------------ */

hd_status hdi_profile_launch(hd_device *dev, const hdi_kernel *k, hdi_launch *l)
{
    hdi_span span;
    begin(dev, &span, HD_SPAN_KERNEL, "");
    describe(&span, k, l);
    time_from_here(dev, &span);
    hd_status status = dev->backend->launch(dev->state, l);
    end(dev, &span);
    return status;
}

hd_status hdi_profile_library(hd_device *dev, const hdi_xcall *x)
{
    hdi_span span;
    begin(dev, &span, HD_SPAN_LIBRARY, hdi_op_rows[x->op].info.name);
    describe_call(&span, x);
    time_from_here(dev, &span);
    hd_status status = dev->backend->library(dev->state, x);
    end(dev, &span);
    return status;
}

hd_status hdi_profile_in(hd_device *dev, void *to, const void *host, int64_t nbytes)
{
    if (!hdi_profiling() || dev->host_memory)
        return dev->backend->copy_in(dev->state, to, host, nbytes);
    hdi_span span;
    begin(dev, &span, HD_SPAN_COPY, "to the device");
    span.bytes = nbytes;
    hd_status status = dev->backend->copy_in(dev->state, to, host, nbytes);
    end(dev, &span);
    return status;
}

hd_status hdi_profile_out(hd_device *dev, void *host, const void *from, int64_t nbytes)
{
    if (!hdi_profiling() || dev->host_memory)
        return dev->backend->copy_out(dev->state, host, from, nbytes);
    hdi_span span;
    begin(dev, &span, HD_SPAN_COPY, "to the host");
    span.bytes = nbytes;
    hd_status status = dev->backend->copy_out(dev->state, host, from, nbytes);
    end(dev, &span);
    return status;
}

hd_status hdi_profile_send(hd_device *dev, void *host, const void *from, int64_t nbytes,
                           void **sent)
{
    if (!hdi_profiling())
        return dev->backend->send(dev->state, host, from, nbytes, sent);
    hdi_span span;
    begin(dev, &span, HD_SPAN_COPY, "to the host");
    span.bytes = nbytes;
    time_from_here(dev, &span);
    hd_status status = dev->backend->send(dev->state, host, from, nbytes, sent);
    end(dev, &span);
    return status;
}

hd_status hdi_profile_between(hd_device *to, void *into, hd_device *dev, const void *from,
                              int64_t nbytes)
{
    if (!hdi_profiling())
        return to->backend->copy_between(to->state, into, dev->state, from, nbytes);
    hdi_span span;
    begin(dev, &span, HD_SPAN_COPY, "to another device");
    span.bytes = nbytes;
    time_from_here(dev, &span);
    hd_status status = to->backend->copy_between(to->state, into, dev->state, from, nbytes);
    end(dev, &span);
    return status;
}

/* ---- the profile ----------------------------------------------------------------------------- */

/* Times by the device's clock, where it has marks; they are freed. */
static void use_marks(hdi_span *span)
{
    int ndevs;
    hdi_lock();
    hd_device *dev = &hdi_devices(&ndevs)[span->where];
    hdi_unlock();
    const hdi_streams *s = dev->backend->streams;
    const bool had = hd_error_peek()->code != HD_OK;
    double before = 0, took = 0;
    if (span->mark[1] != 0 && dev->queue->base_mark != 0 &&
        s->elapsed(dev->state, dev->queue->base_mark, span->mark[0], &before) == HD_OK &&
        s->elapsed(dev->state, span->mark[0], span->mark[1], &took) == HD_OK) {
        span->begin = dev->queue->base_at + (int64_t)(before * 1e6);
        span->end = span->begin + (int64_t)(took * 1e6);
    }
    drop_marks(dev, span);
    forget_error(had);
}

static void forget_bases(void)
{
    int ndevs;
    hdi_lock();
    hd_device *devs = hdi_devices(&ndevs);
    hdi_unlock();
    for (int d = 0; d < ndevs; d++)
        if (devs[d].queue->base_mark != 0) {
            devs[d].backend->streams->event_destroy(devs[d].state, devs[d].queue->base_mark);
            devs[d].queue->base_mark = 0;
        }
}

static int by_begin(const void *a, const void *b)
{
    const hdi_span *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

hd_status hd_profile_start(void)
{
    hd_status status = hd_synchronize(NULL);
    if (status != HD_OK)
        return status;
    if (!hdi_spans_open())
        return hdi_fail(HD_VALUE, "a profile is under way");
    started = hdi_now_ns(CLOCK_MONOTONIC);
    return HD_OK;
}

static void hand_over(const hdi_span *s, void (*take)(const hd_span *span, void *ctx), void *ctx)
{
    const hd_span span = {.kind = s->kind, .name = s->name, .device = s->device,
                          .shape = s->shape, .thread = s->thread,
                          .begin = (double)(s->begin - started) / 1e9,
                          .seconds = (double)(s->end - s->begin) / 1e9,
                          .bytes = s->bytes, .operations = s->operations};
    take(&span, ctx);
}

hd_status hd_profile_stop(void (*take)(const hd_span *span, void *ctx), void *ctx, int64_t *lost)
{
    int64_t n, dropped;
    hd_status status = hd_synchronize(NULL);
    hdi_span *all = hdi_spans_close(&n, &dropped);
    if (lost != NULL)
        *lost = dropped;
    if (n < 0)
        return hdi_fail(HD_VALUE, "no profile is under way");
    for (int64_t k = 0; k < n; k++)
        if (all[k].mark[0] != 0)
            use_marks(&all[k]);
    forget_bases();
    if (n > 0)
        qsort(all, (size_t)n, sizeof *all, by_begin);
    for (int64_t k = 0; take != NULL && k < n; k++)
        hand_over(&all[k], take, ctx);
    hdi_spans_free(all);
    return status;
}
