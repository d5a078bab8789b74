/* SPDX-License-Identifier: BSD-3-Clause */
/* grid.h - runs the threads of a grid on one CPU thread, for sources and for what emit_c.c made of
 * them. Each thread of a block has a stack of its own, and runs until it meets the others.
 * Start at   g_run() */
#ifndef HEDDLE_TESTS_KERNEL_GRID_H
#define HEDDLE_TESTS_KERNEL_GRID_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { G_THREADS = 1024, G_STACK = 65536 };
static ucontext_t g_main, g_context[G_THREADS];
static char *g_stack;
static char g_alive[G_THREADS];
static uint64_t g_slot[2][G_THREADS];
static char g_there[2][G_THREADS];
static unsigned g_parity[G_THREADS];
static unsigned g_block_dim[3], g_grid_dim[3], g_block_at[3], g_now, g_threads;
static char g_dynamic[65536] __attribute__((aligned(16)));
static void (*g_body)(void **);
static void **g_params;

static inline unsigned g_builtin(int k)
{
    switch (k / 3) {
    case 0: return k == 0 ? g_now % g_block_dim[0]
                 : k == 1 ? g_now / g_block_dim[0] % g_block_dim[1]
                          : g_now / g_block_dim[0] / g_block_dim[1];
    case 1: return g_block_at[k - 3];
    case 2: return g_block_dim[k - 6];
    default: return g_grid_dim[k - 9];
    }
}

static inline void g_yield(void) { swapcontext(&g_context[g_now], &g_main); }
static inline void g_trap(void) { printf("trap\n"); fflush(stdout); _Exit(1); }

static void g_start(void)
{
    g_body(g_params);
    g_alive[g_now] = 0;
    swapcontext(&g_context[g_now], &g_main);
}

static void g_block(void)
{
    unsigned left = g_threads;
    memset(g_dynamic, 0, sizeof g_dynamic);
    memset(g_there, 0, sizeof g_there);
    for (unsigned i = 0; i < g_threads; i++) {
        getcontext(&g_context[i]);
        g_context[i].uc_stack.ss_sp = g_stack + (size_t)i * G_STACK;
        g_context[i].uc_stack.ss_size = G_STACK;
        g_context[i].uc_link = &g_main;
        makecontext(&g_context[i], g_start, 0);
        g_alive[i] = 1;
        g_parity[i] = 0;
    }
    while (left > 0) {
        left = 0;
        for (g_now = 0; g_now < g_threads; g_now++)
            if (g_alive[g_now]) {
                swapcontext(&g_main, &g_context[g_now]);
                left += g_alive[g_now];
            }
    }
}

static inline void g_run(void (*body)(void **), void **params, const unsigned *grid,
                         const unsigned *block)
{
    if (g_stack == NULL)
        g_stack = (char *)malloc((size_t)G_THREADS * G_STACK);
    g_body = body;
    g_params = params;
    for (int i = 0; i < 3; i++) {
        g_grid_dim[i] = grid[i];
        g_block_dim[i] = block[i];
    }
    g_threads = block[0] * block[1] * block[2];
    for (g_block_at[2] = 0; g_block_at[2] < grid[2]; g_block_at[2]++)
        for (g_block_at[1] = 0; g_block_at[1] < grid[1]; g_block_at[1]++)
            for (g_block_at[0] = 0; g_block_at[0] < grid[0]; g_block_at[0]++)
                g_block();
}

/* Values of other threads: each leaves its own, all meet, each reads. Two sets of slots, because
 * one thread may be at the next exchange before another has read. */
static inline uint64_t g_exchange(int kind, uint64_t mine, unsigned lane, unsigned width, int block)
{
    const unsigned p = g_parity[g_now]++ & 1;
    g_slot[p][g_now] = mine;
    g_there[p][g_now] = 1;
    g_yield();
    g_there[p ^ 1][g_now] = 0;
    const unsigned first = block ? 0 : g_now & ~31u, me = g_now - first;
    const unsigned n = block ? g_threads : (g_threads - first < 32 ? g_threads - first : 32);
    if (kind <= 3) {
        const unsigned base = me & ~(width - 1), in = me & (width - 1);
        const int at = kind == 0 ? (int)(base + (lane & (width - 1)))
                       : kind == 1 ? (int)(in < lane ? me : me - lane)
                       : kind == 2 ? (int)(in + lane >= width ? me : me + lane)
                                   : (int)(me ^ lane);
        const int inside = kind != 3 || ((unsigned)at & ~(width - 1)) <= base;
        return inside && at < (int)n && g_there[p][first + (unsigned)at]
                   ? g_slot[p][first + (unsigned)at] : mine;
    }
    uint64_t r = kind == 5 || kind == 10;
    for (unsigned i = 0; i < n; i++) {
        const uint64_t x = g_slot[p][first + i];
        if (!g_there[p][first + i])
            continue;
        if (kind == 4 || kind == 11) r |= x;
        if (kind == 5 || kind == 10) r &= x;
        if (kind == 6) r |= x << i;
        if (kind == 7) r |= 1ull << i;
        if (kind == 8) r |= (uint64_t)(x == mine) << i;
        if (kind == 9) r += x;
    }
    return r;
}

/* ---- data ------------------------------------------------------------------------------------ */

static inline void g_fill(char *p, char kind, int bytes, long n, const char *how)
{
    uint64_t seed = 88172645463325252ull;
    for (long i = 0; i < n; i++) {
        seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
        const int64_t whole = strcmp(how, "zero") == 0 ? 0 : strcmp(how, "ramp") == 0 ? i
                              : strcmp(how, "bits") == 0 ? (int64_t)seed
                                                         : (int64_t)(seed >> 33) % 201 - 100;
        if (kind == 'f') {
            const double x = strcmp(how, "bits") == 0 ? (double)whole * 1e-17 : (double)whole / 8;
            const float y = (float)x;
            memcpy(p + i * bytes, bytes == 4 ? (const void *)&y : (const void *)&x, (size_t)bytes);
        } else
            memcpy(p + i * bytes, &whole, (size_t)bytes);
    }
}

static inline void g_dump(const char *name, const char *p, char kind, int bytes, long n)
{
    printf("%s:", name);
    for (long i = 0; i < n; i++) {
        uint64_t x = 0;
        memcpy(&x, p + i * bytes, (size_t)bytes);
        if (kind == 'f' && (bytes == 4 ? (x & 0x7fffffff) > 0x7f800000
                                       : (x & 0x7fffffffffffffff) > 0x7ff0000000000000))
            printf(" nan");
        else
            printf(" %llx", (unsigned long long)x);
    }
    printf("\n");
}

#endif
