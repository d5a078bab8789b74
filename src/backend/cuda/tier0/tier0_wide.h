/* SPDX-License-Identifier: BSD-3-Clause */
/* tier0_wide.h - what one thread of tier 0 does with T0_LANES elements along the last axis: a step
 * is looked up once for all of them. Lanes that are not there are what the last one is.
 * Owns       blocks, which lie in a thread's cells
 * Invariant  the bits of make_values(), lane by lane
 * Threads    a thread of the GPU
 * Start at   make_wide() */
#ifndef HDI_TIER0_WIDE_H
#define HDI_TIER0_WIDE_H

#include "backend/cuda/tier0/tier0_values.h"

typedef uint32_t quad __attribute__((vector_size(16)));

void heddle_wide(uint32_t number, void *d, const void *a, const void *b, const void *c);

INLINE uint8_t *block_at(thread *t, int number)
{
    return (uint8_t *)&t->own[number * T0_LANES];
}

/* All lanes at once: 4, 8 or a multiple of 16 bytes. */
static void copy_lanes(uint8_t *to, const uint8_t *from, int bytes)
{
    if (bytes == 4)
        *(uint32_t *)to = *(const uint32_t *)from;
    else if (bytes == 8)
        *(word *)to = *(const word *)from;
    else
        for (int k = 0; k < bytes / 16; k++)
            ((quad *)to)[k] = ((const quad *)from)[k];
}

/* Where the operand's lanes are, and how far apart. */
static uint8_t *lanes_of(const thread *t, t0_step s, count *stride)
{
    *stride = s.a & T0_OF_ROW ? 0 : (count)get(s.n + (int)get(T0_ALL_AXES)) * t->apart;
    return (uint8_t *)offset(t, s.n, axes_of(s));
}

INLINE int at_once(const uint8_t *p, count stride, int size, int there)
{
    int bytes = size * T0_LANES, unit = bytes < 16 ? bytes : 16;
    return stride == size && there == T0_LANES && ((uintptr_t)p & (word)(unit - 1)) == 0;
}

static void load_wide(thread *t, t0_step s, int there)
{
    uint8_t *to = block_at(t, s.d);
    int size = s.a & T0_SIZE_MASK;
    count stride;
    const uint8_t *from = lanes_of(t, s, &stride);
    if (at_once(from, stride, size, there))
        copy_lanes(to, from, size * T0_LANES);
    else
        for (int l = 0; l < T0_LANES; l++)
            copy(to + l * size, from + least(l, there - 1) * stride, size, 0);
    if (s.a & T0_TRUTH)
        for (int l = 0; l < T0_LANES; l++)
            to[l] = to[l] != 0;
}

static void store_wide(thread *t, t0_step s, int there)
{
    const uint8_t *from = block_at(t, s.d);
    int size = s.a & T0_SIZE_MASK;
    count stride;
    uint8_t *to = lanes_of(t, s, &stride);
    if (at_once(to, stride, size, there))
        copy_lanes(to, from, size * T0_LANES);
    else
        for (int l = 0; l < there; l++)
            copy(to + l * stride, from + l * size, size, 0);
}

static void index_wide(thread *t, t0_step s)
{
    count stride, first = (count)(uintptr_t)lanes_of(t, s, &stride);
    for (int l = 0; l < T0_LANES; l++)
        ((count *)block_at(t, s.d))[l] = first + l * stride;
}

static void splat(uint8_t *to, const cell *x, int size)
{
    for (int l = 0; l < T0_LANES; l++)
        copy(to + l * size, (const uint8_t *)x, size, 0);
}

static void scalar_wide(thread *t, t0_step s)
{
    cell x[2] = {{get(s.n)}, {get(s.n + 1)}};
    splat(block_at(t, s.d), x, s.a);
}

/* A word that is there for one lane only. */
static void lane_by_lane(thread *t, t0_step s)
{
    int d = s.at & 15, a = s.at >> T0_HALF, b = s.kind >> T0_HALF;
    for (int l = 0; l < T0_LANES; l++)
        heddle_word(s.n, block_at(t, s.d) + (l << d), block_at(t, s.a) + (l << a),
                    block_at(t, s.b) + (l << b), block_at(t, s.c) + (l << b));
}

/* there: lanes that are. */
static void make_wide(thread *t, int from, int to, int there)
{
    for (int n = from; n < to; n++) {
        t0_step s = step_at(n);
        switch (s.kind & T0_KIND_MASK) {
        case T0_WIDE_WORD:
            heddle_wide(s.n, block_at(t, s.d), block_at(t, s.a), block_at(t, s.b),
                        block_at(t, s.c));
            break;
        case T0_LOAD:
            load_wide(t, s, there);
            break;
        case T0_STORE:
            store_wide(t, s, there);
            break;
        case T0_SCALAR:
            scalar_wide(t, s);
            break;
        case T0_INDEX:
            index_wide(t, s);
            break;
        default:
            lane_by_lane(t, s);
            break;
        }
    }
}

/* ---- reductions ------------------------------------------------------------------------------ */

/* Lane l into accumulator a. */
static void take_lane(cell *a, thread *t, t0_step s, int n, int l, count position)
{
    int size = 1 << (s.kind >> T0_HALF);
    uint8_t *x = block_at(t, s.a) + l * size, *y = block_at(t, s.b) + l * size;
    if (s.c & T0_KEEPS) {
        heddle_word(s.n, a, x, a, a);
    } else if (s.c & T0_PLAIN) {
        heddle_word(s.n, a, a, x, x);
    } else if (s.c & T0_FUSED_SINGLE) {
        *single(a) = __nvvm_fma_rn_f(*(float *)x, *(float *)y, *single(a));
    } else if (s.c & T0_FUSED_DOUBLE) {
        *real(a) = __nvvm_fma_rn_d(*(double *)x, *(double *)y, *real(a));
    } else {   /* as in a cell of its own */
        cell p[2], q[2];
        copy((uint8_t *)p, x, size, 0);
        copy((uint8_t *)q, y, size, 0);
        take_in(a, p, q, s, n, position);
    }
}

/* A reduction's result is the same for all lanes. */
static void close_wide(thread *t, const cell *a, t0_step s)
{
    if (s.c & T0_POSITION)
        splat(block_at(t, s.d), a + cells_of(s), 8);
    else
        splat(block_at(t, s.d), a, 1 << (s.kind >> T0_HALF));
}

#endif
