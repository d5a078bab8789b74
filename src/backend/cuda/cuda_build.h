/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_build.h - small kernels that library calls are made of: kernel IR written down here, and run
 * as any other kernel.
 * Owns       call: a kernel, its operands and its axes, being made
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   begin(), add_axis(), run() */
#ifndef HDI_CUDA_BUILD_H
#define HDI_CUDA_BUILD_H

#include "backend/cuda/cuda_device.h"
#include "core/op.h"

enum { MOST_SLOTS = 12, MOST_INSTS = 40 };

/* A kernel and its launch, being made. */
typedef struct call {
    hdi_kernel k;
    hdi_kinst inst[MOST_INSTS];
    hdi_kslot slot[MOST_SLOTS];
    hdi_arg arg[MOST_SLOTS + 1];
    int64_t dims[HD_MAXDIM], strides[MOST_SLOTS][HD_MAXDIM];
    int nd;
    uint64_t reduced;
} call;

static inline void begin(call *c, char cls)
{
    memset(c, 0, sizeof *c);
    c->k = (hdi_kernel){.cls = (uint8_t)cls, .nphases = 1, .inst = c->inst, .slots = c->slot};
}

/* Axes come one by one, each with the strides of all slots. */
static inline void add_axis(call *c, int64_t dim, bool reduced, const int64_t stride[MOST_SLOTS])
{
    if (dim == 1)
        return;
    c->dims[c->nd] = dim;
    for (int s = 0; s < MOST_SLOTS; s++)
        c->strides[s][c->nd] = stride[s];
    c->reduced |= (uint64_t)reduced << c->nd++;
}

static inline uint16_t add_slot(call *c, const hdi_xarg *x, int level, bool write, int by)
{
    int s = c->k.nslots++;
    c->slot[s] = (hdi_kslot){.kind = HDI_SLOT_ARRAY, .dt = (uint8_t)x->dt, .write = write,
                             .level = (uint8_t)level, .by = (uint8_t)by};
    c->arg[s].ptr = x->ptr;
    return (uint16_t)s;
}

static inline uint16_t add(call *c, hdi_kinst i)
{
    c->inst[c->k.ninst] = i;
    return c->k.ninst++;
}

static inline uint16_t load(call *c, uint16_t slot)
{
    return add(c, (hdi_kinst){.kind = KIR_LOAD, .dt = c->slot[slot].dt, .slot = slot});
}

static inline uint16_t cast(call *c, uint16_t v, hd_dtype dt)
{
    hdi_kinst from = c->inst[v];
    if (from.dt == dt)
        return v;
    hd_dtype via = hdi_cast_via((hd_dtype)from.dt, dt);
    if (via != HD_NO_DTYPE)
        v = add(c, (hdi_kinst){.kind = KIR_CAST, .dt = (uint8_t)via, .level = from.level,
                               .narg = 1, .arg = {v}});
    return add(c, (hdi_kinst){.kind = KIR_CAST, .dt = (uint8_t)dt, .level = from.level, .narg = 1,
                              .arg = {v}});
}

static inline void store(call *c, uint16_t v, uint16_t slot)
{
    v = cast(c, v, (hd_dtype)c->slot[slot].dt);
    add(c, (hdi_kinst){.kind = KIR_STORE, .dt = c->slot[slot].dt, .level = c->slot[slot].level,
                       .slot = slot, .narg = 1, .arg = {v}});
}

/* The operation in loop dtype cdt, of values of cdt; of level and phase of the last of them. */
static inline uint16_t apply(call *c, hd_op op, hd_dtype cdt, int narg, uint16_t x, uint16_t y,
                             uint16_t z)
{
    hdi_kinst i = {.kind = KIR_EW, .dt = (uint8_t)hdi_value_dtype(op, cdt), .cdt = (uint8_t)cdt,
                   .op = (uint16_t)op, .narg = (uint8_t)narg, .arg = {x, y, z}};
    i.level = c->inst[i.arg[narg - 1]].level;
    return add(c, i);
}

/* One number, the same for every index. */
static inline uint16_t number(call *c, hd_dtype dt, double re, double im)
{
    int s = c->k.nslots++;
    c->slot[s] = (hdi_kslot){.kind = HDI_SLOT_SCALAR, .dt = (uint8_t)dt};
    hdi_encode_f64(dt, re, im, c->arg[s].scalar);
    return add(c, (hdi_kinst){.kind = KIR_SCALAR, .dt = (uint8_t)dt, .slot = (uint16_t)s});
}

/* base + the sum of index * stride, int64; strides come with the axes. *slot: which one. */
static inline uint16_t index_value(call *c, int64_t base, uint16_t *slot)
{
    int s = c->k.nslots++;
    c->slot[s] = (hdi_kslot){.kind = HDI_SLOT_INDEX, .dt = HD_INT64};
    c->arg[s].base = base;
    c->k.has_index = true;
    *slot = (uint16_t)s;
    return add(c, (hdi_kinst){.kind = KIR_INDEX, .dt = HD_INT64, .slot = (uint16_t)s});
}

/* Reduces a value to a row's. */
static inline uint16_t reduce(call *c, hd_op op, uint16_t v)
{
    uint8_t dt = c->inst[v].dt;
    return add(c, (hdi_kinst){.kind = KIR_REDUCE, .dt = dt, .cdt = dt, .op = (uint16_t)op,
                              .level = KIR_ROW, .narg = 1, .arg = {v}});
}

/* hdi_cuda_run_call - order_slot: in whose order memory is walked. */
hd_status hdi_cuda_run_call(hdi_cuda *d, call *c, int order_slot);
static inline hd_status run(hdi_cuda *d, call *c, int order_slot)
{
    return hdi_cuda_run_call(d, c, order_slot);
}

#endif
