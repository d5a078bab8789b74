/* SPDX-License-Identifier: BSD-3-Clause */
/* submit.c - binds a chunk to its plan: memory for outputs, addresses, strides, scalars; the
 * records leave the window.
 *
 * Memory is laid out here, for the whole job, in the order of its steps: a generation that dies
 * at a step leaves its memory to outputs of later steps (jobs of a queue run in order), or to an
 * output of the same step where the plan found that safe (take-over). Nothing is changed until
 * all of it is there: if memory runs out the records stay pending (and short.c sees to them). */
#include "backend/xcall.h"
#include "base/alloc.h"
#include "core/object.h"
#include "exec/boxes.h"
#include "exec/lanes.h"
#include "fuse/walk_order.h"
#include "window/repeat.h"

static uint8_t *reuse(hdi_dead_memory *pool, int64_t nbytes)
{
    for (int k = pool->n - 1; k >= 0; k--)
        if (pool->nbytes[k] == nbytes) {
            uint8_t *p = pool->ptr[k];
            pool->n--;
            pool->ptr[k] = pool->ptr[pool->n];
            pool->nbytes[k] = pool->nbytes[pool->n];
            return p;
        }
    return NULL;
}

/* Can another generation take over b's memory? Not what is freed in another way. */
static bool may_give(const hdi_buf *b)
{
    return !hdi_buf_on_spot(b) && b->foreign == NULL;
}

/* Address for generation g at step s, where it is used first. */
static hd_status place(hdi_submission *sub, hd_device *dev, const hdi_exec_plan *plan, int g)
{
    const hdi_gen_use *u = &plan->use[g];
    const hdi_buf *b = sub->planning.canon.gen[g];
    if (sub->memory[g] != NULL)
        return HD_OK;
    uint8_t *p = NULL;
    if (u->take_from >= 0 && may_give(sub->planning.canon.gen[u->take_from])) {
        p = sub->memory[u->take_from];
        sub->owned[u->take_from] = NULL;
    } else if (dev->backend->runs) {
        p = reuse(&sub->pool, b->nbytes);
    }
    if (p == NULL) {
        if ((p = dev->alloc(dev->heap, b->nbytes)) == NULL) {
            sub->lacking = (hdi_lack){sub->planning.canon.gen[g], u->first_group};
            return hdi_no_memory(dev, b->nbytes);
        }
        sub->fresh[g] = true;
    }
    sub->memory[g] = sub->owned[g] = p;
    return HD_OK;
}

/* g's last step is over and nobody needs it later: its memory serves the next steps. */
static void retire_memory(hdi_submission *sub, int g)
{
    const hdi_buf *b = sub->planning.canon.gen[g];
    if (sub->owned[g] == NULL || b->foreign != NULL || b->jobs > 0 || hdi_buf_on_spot(b))
        return;
    sub->pool.ptr[sub->pool.n] = sub->owned[g];
    sub->pool.nbytes[sub->pool.n++] = b->nbytes;
    sub->owned[g] = NULL;
}

static hd_status place_all(hdi_submission *sub, hd_device *dev, const hdi_exec_plan *plan)
{
    const uint16_t *first = plan->stored, *end = first + plan->nstored;
    const uint16_t *dead = plan->dying, *last = dead + plan->ndying;
    hd_status status = HD_OK;
    sub->pool.n = 0;
    for (const uint16_t *g = first; g < end; g++) {
        sub->memory[*g] = sub->owned[*g] = sub->planning.canon.gen[*g]->mem;
        sub->fresh[*g] = false;
    }
    while (first < end && plan->use[*first].first_group < 0)
        first++;
    for (int s = 0; s < plan->nsteps && status == HD_OK; s++) {
        for (; first < end && plan->use[*first].first_group == s && status == HD_OK; first++)
            status = place(sub, dev, plan, *first);
        for (; dead < last && plan->use[*dead].last_group == s && status == HD_OK; dead++)
            retire_memory(sub, *dead);
    }
    if (status != HD_OK)   /* give back what this attempt took; nothing else has changed */
        for (int k = 0, g; k < plan->nstored; k++)
            if (sub->fresh[g = plan->stored[k]])
                dev->free(dev->heap, sub->memory[g], sub->planning.canon.gen[g]->nbytes);
    return status;
}

/* ---- the job's block ------------------------------------------------------------------------- */

typedef struct arena { uint8_t *next; } arena;

static void *take(arena *a, size_t bytes)
{
    void *p = a->next;
    a->next += (bytes + 7) & ~(size_t)7;
    return p;
}

static size_t job_bytes(const hdi_exec_plan *plan, const hdi_chunk *c)
{
    size_t bytes = sizeof(hdi_job) + 256;
    for (int s = 0; s < plan->nsteps; s++) {
        const hdi_kernel *k = plan->steps[s].kernel;
        bytes += sizeof(hdi_launch) + sizeof(hdi_xcall);
        if (k == NULL) {
            bytes += sizeof(hdi_xarg) *
                     (size_t)hdi_xcall_room(c->record[plan->steps[s].record]);
            continue;
        }
        size_t nd = (size_t)c->record[k->domain_record]->domain->nsq;
        bytes += sizeof(hdi_arg) * (size_t)(k->nslots + 1) +
                 sizeof(int64_t) * (nd + 1) * (size_t)(plan->steps[s].nrows + 1) +
                 hdi_boxes_bytes(&plan->steps[s], c);
    }
    return bytes + (sizeof(hdi_buf *) + sizeof(uint8_t *) + sizeof(int64_t) + sizeof(uint16_t) +
                    sizeof(hdi_upload)) * (size_t)plan->ngens;
}

static hdi_job *job_new(hd_device *dev, size_t bytes)
{
    hdi_lane *lane = hdi_lane_here(dev);
    hdi_job *job = lane->spare;
    if (job != NULL && job->bytes >= bytes) {
        lane->spare = NULL;
        return job;
    }
    bytes = bytes < 16384 ? 16384 : bytes;
    if ((job = hdi_alloc(bytes)) == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for a job");
        return NULL;
    }
    job->bytes = bytes;
    job->lane = lane;
    return job;
}

void hdi_job_free(hdi_job *job)
{
    if (job->lane->spare == NULL && job->bytes <= (1 << 20)) {
        job->lane->spare = job;
        return;
    }
    hdi_free(job, job->bytes);
}

/* Strides of a ROW operand over the kernel's axes: its own on the kept ones, 0 on the reduced
 * ones. */
static const int64_t *row_strides(arena *a, const hdi_layout *lay, int nd, uint64_t reduced)
{
    int64_t *strides = take(a, sizeof *strides * (size_t)(nd ? nd : 1));
    for (int axis = 0, k = 0; axis < nd; axis++)
        strides[axis] = reduced >> axis & 1 ? 0 : lay->sqstrides[k++];
    return strides;
}

static void bind_slot(const hdi_submission *sub, arena *a, const hdi_chunk *c,
                      const hdi_kslot *slot, const hdi_launch *l, hdi_arg *arg)
{
    const hdi_record *r = c->record[slot->record];
    const hdi_operand *p = &r->operand[slot->operand];
    arg->linear = false;
    if (slot->kind == HDI_SLOT_SCALAR) {
        arg->scalar[0] = p->scalar[0];
        arg->scalar[1] = p->scalar[1];
        return;
    }
    /* A reduction's own output has strides over the whole domain, 0 on the reduced axes; other
     * ROW operands over the kept ones. */
    bool kept_only = slot->level == KIR_ROW && !(r->cls == 'r' && slot->operand == 0);
    arg->strides = kept_only ? row_strides(a, p->lay, l->nd, l->reduced) : p->lay->sqstrides;
    if (slot->kind == HDI_SLOT_INDEX) {
        arg->ptr = NULL;
        arg->base = p->off;
        return;
    }
    arg->ptr = sub->memory[p->buf->number] + p->off;
    arg->linear = slot->level == KIR_FULL && p->lay->c_contiguous && p->lay->size == l->size;
}

/* In which order memory is walked. A reduction keeps to its own input's order, whatever it is
 * fused with, so that its sums do not change with the company. */
static void bind_order(arena *a, const hdi_chunk *c, const hdi_step *step, hdi_launch *l,
                       hdi_arg *order)
{
    const hdi_kernel *k = step->kernel;
    *order = (hdi_arg){.linear = true};
    l->order_arg = k->nslots;
    if (step->order_record >= 0) {
        int64_t room[HD_MAXDIM], *own;
        const int64_t *walk =
            hdi_reduction_walk(c->record[step->order_record], l->reduced, room);
        if (walk == room) {
            own = take(a, sizeof *own * (size_t)l->nd);
            memcpy(own, room, sizeof *own * (size_t)l->nd);
            walk = own;
        }
        if (walk != NULL)
            *order = (hdi_arg){.strides = walk};
        return;
    }
    for (int i = 0; i < k->nslots; i++)
        if (k->slots[i].write) {
            l->order_arg = i;
            return;
        }
}

static void bind_kernel(const hdi_submission *sub, arena *a, const hdi_chunk *c,
                        const hdi_step *step, hdi_launch *l)
{
    const hdi_kernel *k = step->kernel;
    const hdi_layout *domain = c->record[k->domain_record]->domain;
    *l = (hdi_launch){.program = step->program->code,
                      .nd = domain->nsq,
                      .dims = domain->sqdims,
                      .size = domain->size};
    l->reduced = step->reduced;
    hdi_arg *args = take(a, sizeof *args * (size_t)(k->nslots + 1));
    l->args = args;
    for (int i = 0; i < k->nslots; i++)
        bind_slot(sub, a, c, &k->slots[i], l, &args[i]);
    bind_order(a, c, step, l, &args[k->nslots]);
    if (HDI_UNLIKELY(step->wraps))
        a->next = hdi_boxes_make(step, c, l, a->next);
}

static uint8_t *place_of(const void *ctx, const hdi_buf *b)
{
    return ((const hdi_submission *)ctx)->memory[b->number];
}

static void bind_library(const hdi_submission *sub, arena *a, const hdi_chunk *c,
                         const hdi_step *step, hdi_xcall *x)
{
    const hdi_record *r = c->record[step->record];
    hdi_xcall_bind(x, r, place_of, sub, take(a, sizeof(hdi_xarg) * (size_t)hdi_xcall_room(r)));
}

static int64_t elements_of(const hdi_xarg *arg)
{
    int64_t n = 1;
    for (int a = 0; a < arg->nd; a++)
        n *= arg->dims[a];
    return hdi_min64(n, INT32_MAX);
}

/* Of unknown length: more than other threads need to wait for. What takes milliseconds has many
 * elements. */
static int64_t library_work(const hdi_xcall *x)
{
    int64_t work = HDI_LONG_JOB + 1;
    for (int i = 0; i < x->nout; i++)
        work += elements_of(hdi_xcall_result(x, i)) * 64;
    for (int i = 0; i < x->nin; i++)
        work += elements_of(hdi_xcall_input(x, i)) * 64;
    if (x->op == HD_OP_user_grid)
        work += ((const hdi_grid_launch *)x->payload.object)->work;
    return work;
}

static void bind(const hdi_submission *sub, hdi_job *job, hdi_exec_plan *plan, const hdi_chunk *c)
{
    arena a = {(uint8_t *)(job + 1)};
    int nkernels = 0;
    for (int s = 0; s < plan->nsteps; s++)
        nkernels += plan->steps[s].kernel != NULL;
    job->next = NULL;
    job->plan = plan;
    job->next_step = 0;
    job->work = 0;
    job->stopped = job->again = false;
    memset(job->vain, 0, sizeof job->vain);
    job->launch = take(&a, sizeof *job->launch * (size_t)nkernels);
    job->call = take(&a, sizeof *job->call * (size_t)(plan->nsteps - nkernels));
    job->bufs = take(&a, sizeof *job->bufs * (size_t)plan->ngens);
    job->gen = take(&a, sizeof *job->gen * (size_t)plan->ngens);
    job->upload = take(&a, sizeof *job->upload * (size_t)plan->ngens);
    job->garbage = take(&a, sizeof *job->garbage * (size_t)plan->ngens);
    job->garbage_bytes = take(&a, sizeof *job->garbage_bytes * (size_t)plan->ngens);
    for (int s = 0, k = 0, x = 0; s < plan->nsteps; s++) {
        const hdi_step *step = &plan->steps[s];
        if (step->kernel != NULL) {
            bind_kernel(sub, &a, c, step, &job->launch[k]);
            job->work += job->launch[k++].size * step->kernel->ninst;
        } else {
            bind_library(sub, &a, c, step, &job->call[x]);
            job->work += library_work(&job->call[x++]);
        }
    }
}

/* The job uses b: what the host knows of its contents goes along, and is over if the job writes to
 * it. */
static void commit_mirror(hdi_job *job, hdi_buf *b, const hdi_named *named, uint8_t *memory)
{
    hdi_job_upload(job, b, memory);
    if (named->writes == 0)
        return;
    b->host = NULL;
    b->stale = false;
    if (b->asked == HDI_BROUGHT)
        b->asked = 0;
    b->version++;
}

/* From here on nothing can fail: memory changes hands, the job is queued, the records leave. */
static void commit(const hdi_submission *sub, hd_device *dev, hdi_job *job, hdi_chunk *c)
{
    hdi_exec_plan *plan = job->plan;
    job->nbufs = job->ngarbage = job->nuploads = job->uploaded = job->nafter = 0;
    job->after_all = false;
    job->number = dev->next_job++;
    for (int k = 0; k < plan->nstored; k++) {
        int g = plan->stored[k];
        hdi_buf *b = sub->planning.canon.gen[g];
        if (HDI_UNLIKELY(!dev->host_memory))
            commit_mirror(job, b, &plan->named[g], sub->memory[g]);
        /* others get memory that is given away: as if it were written to */
        hdi_lane_uses(dev, job, b, plan->named[g].writes > 0 || sub->owned[g] == NULL);
        if (b->mem != sub->owned[g]) {   /* who copies out of it reads it without the lock */
            b->mem = sub->owned[g];
            b->host = dev->host_memory ? b->mem : b->host;
        }
        b->jobs++;
        job->gen[job->nbufs] = (uint16_t)g;
        job->bufs[job->nbufs++] = b;
    }
    for (int k = 0; k < sub->pool.n; k++) {
        job->garbage[job->ngarbage] = sub->pool.ptr[k];
        job->garbage_bytes[job->ngarbage++] = sub->pool.nbytes[k];
    }
    hdi_chunk_release(c, sub->planning.canon.gen, plan->named, plan->ngens);
    for (int k = 0; k < job->nbufs; k++)
        hdi_buf_count(job->bufs[k]);
    plan->head.refs++;
    hdi_enqueue(dev, job);
    hdi_window_stats *st = &c->window->stats;
    st->flushes++;
    st->kernels += plan->nsteps;
    st->kernel_ops += plan->nops;
    st->temporaries += plan->ntemporaries;
    st->takeovers += plan->ntakeovers;
}

static const hd_error *failed_operand(const hdi_record *r)
{
    for (int i = 0; i < hdi_record_slots(r); i++) {
        const hdi_record *slot = hdi_record_slot(r, i);
        for (int k = 0; k <= slot->nin; k++)
            if (slot->kind[k] == HDI_ARRAY && slot->operand[k].buf->error != NULL)
                return slot->operand[k].buf->error;
    }
    return NULL;
}

void hdi_record_fail(hdi_window *w, hdi_record *r, const hd_error *why)
{
    for (int i = 0; i < hdi_record_slots(r); i++) {
        const hdi_record *slot = hdi_record_slot(r, i);
        if (slot->kind[0] == HDI_ARRAY)
            hdi_buf_fail(slot->operand[0].buf, why, w->dev->next_job);
    }
    hdi_record_release(w, r);
    w->unread = true;   /* what only r would have read */
}

static void keep_pending(hdi_chunk *c)
{
    int n = 0;
    for (int i = 0; i < c->n; i++)
        if (c->record[i]->pending)
            c->record[n++] = c->record[i];
    c->n = n;
}

/* What reads a generation that failed fails for the same reason, without running; writing to
 * part of one is in vain. The rest of the chunk stays, but for what only these read. */
static void drop_failed(hdi_chunk *chunk)
{
    hdi_window *w = chunk->window;
    for (int i = 0; i < chunk->n; i++) {
        hdi_record *r = chunk->record[i];
        const hd_error *why = r->cls != HDI_MORE ? failed_operand(r) : NULL;
        if (why != NULL)
            hdi_record_fail(w, r, why);
    }
    hdi_window_drop_dead(w);
    keep_pending(chunk);
}

/* The plan of the chunk: what is expected, if that is what came, else by its key. The canon's
 * gen[] and the generations' numbers are the chunk's afterwards. NULL: it is refused. */
static hd_status find_plan(hdi_planning *p, hd_device *dev, hdi_chunk *chunk, hdi_exec_plan **plan)
{
    hdi_canon *c = &p->canon;
    hdi_plan *again = hdi_repeat_find(c, chunk);
    if (again == NULL)
        hdi_canon_build(c, chunk);
    chunk->key = c->hash;
    chunk->refused = chunk->only != 0 && chunk->only != chunk->key;
    *plan = NULL;
    if (chunk->refused)
        return HD_OK;
    if (again != NULL) {
        hdi_plan_again(dev, again);
        *plan = (hdi_exec_plan *)again;
    } else {
        hd_status status = hdi_plan_for(dev, p, plan);
        if (status != HD_OK)
            return status;
    }
    hdi_repeat_note(&(*plan)->head, c, chunk, again != NULL);
    return HD_OK;
}

/* What lies in mirrors only gets memory on the device. */
static hd_status leave_home(hdi_submission *sub, hd_device *dev, const hdi_exec_plan *plan)
{
    for (int k = 0; k < plan->nstored; k++) {
        hdi_buf *b = sub->planning.canon.gen[plan->stored[k]];
        if (HDI_UNLIKELY(hdi_buf_mirrored(b)) && !hdi_leave_home(b)) {
            sub->lacking = (hdi_lack){b, 0};
            return hdi_no_memory(dev, b->nbytes);
        }
    }
    return HD_OK;
}

hd_status hdi_submit(hd_device *dev, hdi_chunk *chunk)
{
    hdi_submission *sub = dev->queue->submission;
    hdi_exec_plan *plan;
    sub->lacking.gen = NULL;
    if (HDI_UNLIKELY(hdi_failed_bufs > 0))
        drop_failed(chunk);
    if (HDI_UNLIKELY(chunk->n == 0))
        return HD_OK;
    hd_status status = find_plan(&sub->planning, dev, chunk, &plan);
    if (status == HD_OK && plan != NULL && !dev->host_memory)
        status = leave_home(sub, dev, plan);
    if (status != HD_OK || plan == NULL)
        return status;
    hdi_job *job = job_new(dev, job_bytes(plan, chunk));
    if (job == NULL)
        return HD_NOMEM;
    status = place_all(sub, dev, plan);
    if (status != HD_OK) {
        hdi_job_free(job);
        return status;
    }
    bind(sub, job, plan, chunk);
    hdi_faults_watch(job, chunk);
    commit(sub, dev, job, chunk);
    return HD_OK;
}
