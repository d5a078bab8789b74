/* SPDX-License-Identifier: BSD-3-Clause */
/* ptx.c - a launch: blocks one after the other, the threads of a block one at a time, each until it
 * has to wait for others. */
#include "ptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_code.h"

/* ---- what changes the way --------------------------------------------------------------------- */

void ptx_fail(ptx_thread *t, const ptx_ins *i, int error, const char *format, ...)
{
    va_list arguments;
    ptx_grid *g = t->grid;
    if (t->state == PTX_FAILED)
        return;
    t->state = PTX_FAILED;
    g->error = error;
    va_start(arguments, format);
    int n = vsnprintf(g->message, PTX_MESSAGE, format, arguments);
    va_end(arguments);
    if (n >= 0 && n < PTX_MESSAGE)
        snprintf(g->message + n, (size_t)(PTX_MESSAGE - n), ": %.200s (thread %u of block %u)", i->text,
                 t->now.r[AT_TID].u32, t->now.r[AT_CTAID].u32);
}

void ptx_unknown(ptx_thread *t, const ptx_ins *i)
{
    ptx_fail(t, i, PTX_LAUNCH_FAILED, "an instruction that is not known");
}

void ptx_nothing(ptx_thread *t, const ptx_ins *i)
{
    (void)t;
    (void)i;
}

void ptx_bra(ptx_thread *t, const ptx_ins *i)
{
    t->now.pc = i->target;
}

void ptx_exit(ptx_thread *t, const ptx_ins *i)
{
    (void)i;
    t->state = PTX_ENDED;
}

void ptx_mov(ptx_thread *t, const ptx_ins *i)
{
    t->now.r[i->d[0]] = ptx_read(t, i->s[0]);
}

static int rounded(int bytes)
{
    return (bytes + 15) / 16 * 16;
}

int ptx_frame_bytes(const ptx_function *f)
{
    return (f->entry ? 0 : rounded(f->in_bytes)) + rounded(f->out_bytes) + rounded(f->local_bytes);
}

/* A kernel's parameters are those of the launch. */
static void enter(ptx_thread *t, const ptx_function *f, ptx_slot *r, uint8_t *bytes, uint8_t *in)
{
    t->now = (ptx_frame){.f = f, .r = r};
    t->now.in = in != NULL ? in : bytes;
    t->now.out = bytes + (in != NULL ? 0 : rounded(f->in_bytes));
    t->now.local = t->now.out + rounded(f->out_bytes);
}

void ptx_call_function(ptx_thread *t, const ptx_ins *i)
{
    const ptx_frame from = t->now;
    const ptx_call *c = &from.f->call[i->target];
    if (t->depth == PTX_DEPTH) {
        ptx_fail(t, i, PTX_LAUNCH_FAILED, "calls are nested too deep");
        return;
    }
    t->frame[t->depth++] = from;
    enter(t, c->f, from.r + from.f->nslots, from.local + rounded(from.f->local_bytes), NULL);
    memcpy(t->now.r, from.r, sizeof *from.r * NSPECIAL);
    for (int k = 0; k < c->nout; k++) {
        size_t n = (size_t)(c->out[k].bytes < c->f->in[k].bytes ? c->out[k].bytes : c->f->in[k].bytes);
        memcpy(t->now.in + c->f->in[k].at, from.out + c->out[k].at, n);
    }
}

void ptx_ret(ptx_thread *t, const ptx_ins *i)
{
    if (t->depth == 0) {
        ptx_exit(t, i);
        return;
    }
    const ptx_frame from = t->now;
    t->now = t->frame[--t->depth];
    const ptx_call *c = &t->now.f->call[t->now.f->code[t->now.pc - 1].target];
    if (c->nback > 0)
        memcpy(t->now.out + c->back[0].at, from.in + from.f->back.at, (size_t)c->back[0].bytes);
}

/* ---- a block ---------------------------------------------------------------------------------- */

static void run_thread(ptx_thread *t)
{
    while (t->state == PTX_RUNS) {
        const ptx_ins *i = &t->now.f->code[t->now.pc++];
        if (i->guard < 0 || ((t->now.r[i->guard].u64 & 1) != 0) != i->unless)
            i->run(t, i);
    }
}

static void start(ptx_thread *t, int number, const unsigned *block)
{
    const ptx_launch *l = t->grid->launch;
    const unsigned *n = l->block;
    unsigned k = (unsigned)number;
    t->state = PTX_RUNS;
    t->depth = 0;
    enter(t, l->function, t->slots, t->bytes, (uint8_t *)(uintptr_t)l->parameters);
    ptx_slot *r = t->now.r;
    const unsigned tid[3] = {k % n[0], k / n[0] % n[1], k / n[0] / n[1]};
    for (int d = 0; d < 3; d++) {
        r[AT_TID + d].u64 = tid[d];
        r[AT_NTID + d].u64 = n[d];
        r[AT_CTAID + d].u64 = block[d];
        r[AT_NCTAID + d].u64 = l->grid[d];
    }
    r[AT_LANEID].u64 = k % PTX_WARP;
    r[AT_WARPID].u64 = k / PTX_WARP;
}

static int lanes_from(int first, int n)
{
    return n - first < PTX_WARP ? n - first : PTX_WARP;
}

/* All of them until each has ended. */
static void run_together(ptx_thread *thread, int n)
{
    const ptx_grid *g = thread->grid;
    for (bool ended = false; !ended && g->error == 0;) {
        bool moved = false;
        ended = true;
        for (int k = 0; k < n && g->error == 0; k += PTX_WARP)
            do {
                for (int lane = 0; lane < lanes_from(k, n); lane++)
                    run_thread(&thread[k + lane]);
            } while (g->error == 0 && ptx_warp_step(&thread[k], lanes_from(k, n)));
        for (int k = 0; k < n; k++) {
            ended &= thread[k].state == PTX_ENDED;
            moved |= thread[k].state == PTX_AT_WARP;
        }
        if (g->error != 0 || ended)
            return;
        if (moved || !ptx_release(thread, n)) {
            int k = 0;
            while (thread[k].state == PTX_ENDED || (moved && thread[k].state != PTX_AT_WARP))
                k++;
            ptx_fail(&thread[k], &thread[k].now.f->code[thread[k].now.pc - 1], PTX_LAUNCH_FAILED,
                     "threads wait for others that do not come");
        }
    }
}

static void run_block(ptx_thread *thread, int n, const unsigned *block)
{
    bool together = thread->grid->launch->function->waits;
    for (int k = 0; k < n && thread->grid->error == 0; k++) {
        ptx_thread *t = together ? &thread[k] : thread;
        start(t, k, block);
        if (!together)
            run_thread(t);
    }
    if (together)
        run_together(thread, n);
}

static void run_blocks(ptx_grid *g, ptx_thread *thread, int n)
{
    const unsigned *size = g->launch->grid;
    unsigned b[3];
    for (b[2] = 0; b[2] < size[2]; b[2]++)
        for (b[1] = 0; b[1] < size[1]; b[1]++)
            for (b[0] = 0; b[0] < size[0] && g->error == 0; b[0]++) {
                memset(g->shared, 0xA5, g->shared_bytes);
                run_block(thread, n, b);
            }
}

int ptx_run(const ptx_launch *l, char message[PTX_MESSAGE])
{
    const ptx_function *f = l->function;
    ptx_grid g = {.launch = l, .module = f->module, .message = message};
    int n = (int)(l->block[0] * l->block[1] * l->block[2]), apart = f->waits ? n : 1;
    size_t slots = (size_t)f->deep_slots, bytes = (size_t)rounded(f->deep_bytes) + 16;
    g.dynamic_at = ((uint32_t)f->module->shared_bytes + 15) / 16 * 16;
    g.shared_bytes = g.dynamic_at + l->shared_bytes;
    g.shared = aligned_alloc(256, (g.shared_bytes + 511) / 256 * 256);
    ptx_thread *thread = calloc((size_t)apart, sizeof *thread);
    ptx_slot *slot = calloc((size_t)apart * slots, sizeof *slot);
    uint8_t *memory = aligned_alloc(16, (size_t)apart * bytes);
    if (g.shared == NULL || thread == NULL || slot == NULL || memory == NULL) {
        snprintf(message, PTX_MESSAGE, "no memory for %d threads", n);
        g.error = PTX_LAUNCH_FAILED;
    }
    for (int k = 0; k < apart && g.error == 0; k++)
        thread[k] = (ptx_thread){.grid = &g, .slots = slot + (size_t)k * slots,
                                 .bytes = memory + (size_t)k * bytes};
    if (g.error == 0)
        run_blocks(&g, thread, n);
    free(g.shared);
    free(thread);
    free(slot);
    free(memory);
    return g.error;
}

/* ---- what a function is ------------------------------------------------------------------------ */

const ptx_function *ptx_find(const ptx_module *m, const char *entry)
{
    for (int k = 0; k < m->nfunctions; k++)
        if (m->function[k]->entry && strcmp(m->function[k]->name, entry) == 0)
            return m->function[k];
    return NULL;
}

int ptx_nparameters(const ptx_function *f)
{
    return f->nin;
}

ptx_parameter ptx_parameter_of(const ptx_function *f, int k)
{
    return f->in[k];
}

int ptx_parameter_bytes(const ptx_function *f)
{
    return f->in_bytes;
}
