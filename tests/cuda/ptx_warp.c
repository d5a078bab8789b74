/* SPDX-License-Identifier: BSD-3-Clause */
/* ptx_warp.c - what threads do together: exchange within a warp, barriers of a block. */
#include "ptx_code.h"

/* The instruction that a waiting thread is at. */
static const ptx_ins *at(const ptx_thread *t)
{
    return &t->now.f->code[t->now.pc - 1];
}

void ptx_warp(ptx_thread *t, const ptx_ins *i)
{
    (void)i;
    t->state = PTX_AT_WARP;
}

void ptx_barrier(ptx_thread *t, const ptx_ins *i)
{
    (void)i;
    t->state = PTX_AT_BARRIER;
}

static void shuffle(ptx_thread *t, const ptx_ins *i, int lane, const ptx_slot *value, uint32_t here)
{
    uint32_t b = ptx_read(t, i->s[1]).u32, c = ptx_read(t, i->s[2]).u32;
    int segment = (int)(c >> 8 & 31), by = (int)(b & 31);
    int least = lane & segment, most = least | ((int)(c & 31) & ~segment), from = lane;
    bool valid = false;
    switch ((ptx_word)i->word[0]) {
    case W_up: valid = (from = lane - by) >= most; break;
    case W_down: valid = (from = lane + by) <= most; break;
    case W_bfly: valid = (from = lane ^ by) <= most; break;
    case W_idx: valid = (from = least | (by & ~segment)) <= most; break;
    default: ptx_unknown(t, i); return;
    }
    if (!valid)
        from = lane;
    if ((here >> from & 1) == 0)
        ptx_fail(t, i, PTX_LAUNCH_FAILED, "lane %d asks lane %d, which is not there", lane, from);
    else
        t->now.r[i->d[0]].u64 = value[from].u64;
}

static void vote(ptx_thread *t, const ptx_ins *i, uint32_t yes, uint32_t here)
{
    t->now.r[i->d[0]].u64 = i->word[0] == W_ballot ? yes
                            : i->word[0] == W_any  ? yes != 0 : yes == here;
}

/* The lanes that the first of them names wait at one place: they do it and go on. */
static bool together(ptx_thread *warp, int lanes, const ptx_thread *first)
{
    const ptx_ins *i = at(first);
    bool votes = i->word[0] == W_any || i->word[0] == W_all || i->word[0] == W_ballot;
    uint32_t here = 0, yes = 0, named = ptx_read(first, i->s[votes ? 1 : 3]).u32;
    ptx_slot value[PTX_WARP];
    for (int k = 0; k < lanes; k++)
        if (warp[k].state == PTX_AT_WARP && at(&warp[k]) == i) {
            here |= 1u << k;
            value[k] = ptx_read(&warp[k], i->s[0]);
            yes |= (uint32_t)(value[k].u64 & 1) << k;
        }
    if (lanes < PTX_WARP)   /* the rest of a short warp has never been */
        named &= (1u << lanes) - 1;
    if ((named & ~here) != 0)
        return false;
    here &= named;
    for (int k = 0; k < lanes; k++) {
        if ((here >> k & 1) == 0)
            continue;
        warp[k].state = PTX_RUNS;
        if (votes)
            vote(&warp[k], i, yes & here, here);
        else
            shuffle(&warp[k], i, k, value, here);
    }
    return here != 0;
}

bool ptx_warp_step(ptx_thread *warp, int lanes)
{
    for (int k = 0; k < lanes; k++)
        if (warp[k].state == PTX_AT_WARP && together(warp, lanes, &warp[k]))
            return true;
    return false;
}

bool ptx_release(ptx_thread *thread, int n)
{
    bool any = false, all = true, waiting = false;
    uint32_t which = 0;
    for (int k = 0; k < n; k++) {
        if (thread[k].state != PTX_AT_BARRIER)
            continue;
        const ptx_ins *i = at(&thread[k]);
        uint32_t number = ptx_read(&thread[k], i->s[0]).u32;
        if (waiting && number != which)
            return false;
        which = number;
        waiting = true;
        bool said = i->word[0] == W_red && (ptx_read(&thread[k], i->s[1]).u64 & 1) != 0;
        any |= said;
        all &= said;
    }
    for (int k = 0; k < n; k++) {
        if (thread[k].state != PTX_AT_BARRIER)
            continue;
        const ptx_ins *i = at(&thread[k]);
        if (i->word[0] == W_red)
            thread[k].now.r[i->d[0]].u64 = i->word[1] == W_or ? any : all;
        thread[k].state = PTX_RUNS;
    }
    return waiting;
}
