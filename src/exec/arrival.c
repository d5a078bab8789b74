/* SPDX-License-Identifier: BSD-3-Clause */
/* arrival.c - an array of the host whose contents another device sends: the copy goes to pinned
 * memory behind the device's work, and a record of the host waits for it. So the call that asks for
 * the transfer does not wait; the first read of the array does. */
#include "base/alloc.h"
#include "base/lock.h"
#include "core/object.h"
#include "exec/exec.h"
#include "exec/profile.h"
#include "ops/ops.h"

/* Counted by the record and by the generation that has the memory. */
typedef struct arrival {
    hdi_arrival head;
    hd_device *from;
    void *memory;
    void *sent;                  /* the back end's; NULL: it is over */
    hdi_deleter of_memory;
} arrival;

static hd_status wait_for(hdi_arrival *head)
{
    arrival *a = (arrival *)head;
    const hd_status status = a->from->backend->send_wait(a->from->state, a->sent);
    if (status == HD_OK) {   /* the record has run: it does not wait again */
        a->from->backend->send_end(a->from->state, a->sent);
        a->sent = NULL;
    }
    return status;
}

/* Nobody wants the contents, or they have been read: the memory may be used again. */
static void end(void *ctx)
{
    arrival *a = ctx;
    if (a->sent != NULL)
        a->from->backend->send_end(a->from->state, a->sent);
    a->from->backend->host_free(a->from->state, a->memory);
    hdi_free(a, sizeof *a);
}

static void let_go_of_memory(void *ctx)
{
    hdi_object_release_away(ctx);
}

/* NULL, and no error: there is no memory for it. */
static arrival *arrival_new(hd_device *from, int64_t nbytes)
{
    arrival *a = hdi_calloc(sizeof *a);
    if (a == NULL)
        return NULL;
    a->from = from;
    a->memory = from->backend->host_alloc(from->state, nbytes);
    if (a->memory == NULL) {
        hdi_free(a, sizeof *a);
        return NULL;
    }
    a->head.wait = wait_for;
    a->head.object.end = (hdi_deleter){.run = end, .ctx = a};
    a->of_memory = (hdi_deleter){.run = let_go_of_memory, .ctx = a};
    atomic_store(&a->head.object.count, 1);
    return a;
}

/* Under the lock. a is counted by the generation afterwards, and by the record if there is one. */
static hd_array *record(arrival *a, hd_device *cpu, hd_dtype dt, hdi_layout *lay)
{
    hd_array *r = hdi_array_new(cpu, dt, lay);
    if (r == NULL) {
        hdi_object_release(&a->head.object);
        return NULL;
    }
    hdi_buf *b = r->st->buf;
    b->mem = b->host = a->memory;
    b->foreign = &a->of_memory;
    hdi_window *w = hdi_window_of(cpu);
    hdi_record *rec = hdi_record_begin(w, HD_OP_receive, 'x', dt, 0);
    if (rec != NULL) {
        hdi_record_array(rec, 0, r, lay);
        rec->domain = lay;
        rec->payload.object = &a->head.object;
        hdi_object_hold(&a->head.object);
        if (hdi_record_end(w, rec) == HD_OK)
            return r;
        hdi_object_release(&a->head.object);
    }
    hdi_array_release(r);
    return NULL;
}

bool hdi_may_arrive(const hd_device *from, const hd_device *to, int64_t nbytes)
{
    return nbytes > 0 && to->host_memory && from->backend->send != NULL && from->backend->runs;
}

hd_status hdi_arriving(const hd_array *c, hdi_buf *from, hd_device *cpu, hd_array **out)
{
    const int64_t nbytes = c->lay->size * c->lay->item;
    arrival *a = arrival_new(from->dev, nbytes);
    *out = NULL;
    if (a == NULL)
        return HD_OK;
    hd_status status =
        hdi_profile_send(from->dev, a->memory, from->mem + c->off, nbytes, &a->sent);
    if (status != HD_OK) {
        hdi_object_release_away(&a->head.object);
        return status;
    }
    hdi_lock();
    *out = hd_keep(hdi_done(record(a, cpu, (hd_dtype)c->dtype, c->lay), "to_device"));
    return *out != NULL ? HD_OK : hd_error_peek()->code;
}
