/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_ref.h - kernels built by hand, and what they must compute: element by element, in the
 * plainest way. The reference calls the same loops with single elements, so results must be
 * equal to the last bit. Reductions follow the rules in backend/cpu/cpu_rows.h, written here a
 * second time, recursively. */
#ifndef HEDDLE_TESTS_KERNEL_REF_H
#define HEDDLE_TESTS_KERNEL_REF_H

#include <stdio.h>
#include <stdlib.h>

#include "backend/backend.h"
#include "backend/cpu/cpu_program.h"
#include "backend/cpu/loops/loops.h"
#include "harness.h"

enum { REF_AXES = 6, REF_INSTS = 200, REF_SLOTS = 64, REF_BUFFERS = 64 };

typedef struct ref_operand {
    int buffer;
    int64_t offset, strides[REF_AXES], base;
    uint64_t scalar[2];
    bool linear;
} ref_operand;

typedef struct ref_kernel {
    hdi_kernel k;
    hdi_kinst inst[REF_INSTS];
    hdi_kslot slot[REF_SLOTS];
    ref_operand operand[REF_SLOTS + 1];   /* the last one may be the order argument */
    int nd;
    int64_t dims[REF_AXES];
    uint64_t reduced;
    int order_arg;
    int nbuffers;
    int64_t nbytes[REF_BUFFERS];
    uint8_t *run[REF_BUFFERS], *ref[REF_BUFFERS];   /* the same memory twice */
} ref_kernel;

static uint64_t ref_state = 88172645463325252u;
static inline uint64_t ref_random(void)
{
    ref_state ^= ref_state << 13;
    ref_state ^= ref_state >> 7;
    return ref_state ^= ref_state << 17;
}
static inline int64_t ref_below(int64_t n)
{
    return (int64_t)(ref_random() % (uint64_t)n);
}

/* ---- building -------------------------------------------------------------------------------- */

static inline void ref_init(ref_kernel *r, int nd, const int64_t *dims, uint64_t reduced)
{
    memset(r, 0, sizeof *r);
    r->k = (hdi_kernel){.cls = 'e', .nphases = 1};
    r->nd = nd;
    for (int a = 0; a < nd; a++)
        r->dims[a] = dims[a];
    r->reduced = reduced;
    r->operand[REF_SLOTS].linear = true;
    r->order_arg = REF_SLOTS;
}

static inline void ref_free(ref_kernel *r)
{
    for (int b = 0; b < r->nbuffers; b++) {
        free(r->run[b]);
        free(r->ref[b]);
    }
}

/* One element of small magnitude. */
static inline void ref_element(hd_dtype dt, void *out)
{
    double v = (double)(ref_below(33) - 16) / 4;
    switch (dt) {
    case HD_BOOL: *(uint8_t *)out = (uint8_t)ref_below(2); break;
    case HD_INT8: *(int8_t *)out = (int8_t)(ref_below(20) - 10); break;
    case HD_INT16: *(int16_t *)out = (int16_t)(ref_below(200) - 100); break;
    case HD_INT32: *(int32_t *)out = (int32_t)(ref_below(2000) - 1000); break;
    case HD_INT64: *(int64_t *)out = ref_below(20000) - 10000; break;
    case HD_UINT8: *(uint8_t *)out = (uint8_t)ref_below(256); break;
    case HD_FLOAT16: *(uint16_t *)out = hd_float16_bits(v + (double)ref_below(1000) * 1e-3); break;
    case HD_BFLOAT16: *(uint16_t *)out = hd_bfloat16_bits(v + (double)ref_below(100) * 1e-2); break;
    case HD_FLOAT32: *(float *)out = (float)v + (float)ref_below(1000) * 1e-3f; break;
    case HD_FLOAT64: *(double *)out = v + (double)ref_below(1000) * 1e-3; break;
    case HD_COMPLEX64: ((float *)out)[0] = (float)v; ((float *)out)[1] = (float)ref_below(7); break;
    case HD_COMPLEX128: ((double *)out)[0] = v; ((double *)out)[1] = (double)ref_below(7); break;
    default: memset(out, 0, (size_t)hd_dtype_size(dt));
    }
}

static inline int ref_buffer(ref_kernel *r, hd_dtype dt, int64_t elements)
{
    int b = r->nbuffers++;
    int64_t size = hd_dtype_size(dt);
    r->nbytes[b] = elements * size;
    r->run[b] = aligned_alloc(64, (size_t)((r->nbytes[b] + 127) & -(int64_t)64));
    r->ref[b] = malloc((size_t)r->nbytes[b] + 1);
    for (int64_t i = 0; i < elements; i++)
        ref_element(dt, r->run[b] + i * size);
    memcpy(r->ref[b], r->run[b], (size_t)r->nbytes[b]);
    return b;
}

static inline int ref_slot(ref_kernel *r, hdi_slot_kind kind, hd_dtype dt, uint8_t level,
                           bool write)
{
    r->slot[r->k.nslots] =
        (hdi_kslot){.kind = (uint8_t)kind, .dt = (uint8_t)dt, .level = level, .write = write};
    return r->k.nslots++;
}

static inline bool ref_kept_only(const ref_kernel *r, int axis, uint8_t level)
{
    return level == KIR_ROW && (r->reduced >> axis & 1);
}

/* Strides of a fresh array over the axes in the order given by perm (slowest first), with `pad`
 * elements between rows, some axes walked backwards (mask), some broadcast (mask). Makes the
 * buffer. Returns the slot. */
static inline int ref_array(ref_kernel *r, hd_dtype dt, uint8_t level, bool write, const int *perm,
                            int64_t pad, unsigned back, unsigned broadcast)
{
    int slot = ref_slot(r, HDI_SLOT_ARRAY, dt, level, write);
    ref_operand *o = &r->operand[slot];
    int64_t step = 1, size = hd_dtype_size(dt), lowest = 0;
    for (int i = r->nd - 1; i >= 0; i--) {
        int a = perm ? perm[i] : i;
        if (ref_kept_only(r, a, level) || broadcast >> a & 1)
            continue;
        o->strides[a] = step * size;
        step = step * r->dims[a] + pad;
        if (back >> a & 1) {
            o->strides[a] = -o->strides[a];
            lowest += o->strides[a] * (r->dims[a] - 1);
        }
    }
    o->buffer = ref_buffer(r, dt, hdi_max64(step, 1) + 3);
    o->offset = lowest < 0 ? -lowest : 0;
    o->linear = perm == NULL && pad == 0 && back == 0 && broadcast == 0 && level == KIR_FULL;
    return slot;
}

static inline int ref_emit(ref_kernel *r, hdi_kinst inst)
{
    r->inst[r->k.ninst] = inst;
    return r->k.ninst++;
}

static inline int ref_load(ref_kernel *r, int slot, uint8_t phase)
{
    return ref_emit(r, (hdi_kinst){.kind = KIR_LOAD,
                                   .dt = r->slot[slot].dt,
                                   .level = r->slot[slot].level,
                                   .phase = phase,
                                   .slot = (uint16_t)slot});
}

static inline int ref_scalar(ref_kernel *r, hd_dtype dt, uint8_t level, uint8_t phase)
{
    int slot = ref_slot(r, HDI_SLOT_SCALAR, dt, level, false);
    ref_element(dt, r->operand[slot].scalar);
    return ref_emit(r, (hdi_kinst){.kind = KIR_SCALAR,
                                   .dt = (uint8_t)dt,
                                   .level = level,
                                   .phase = phase,
                                   .slot = (uint16_t)slot});
}

static inline int ref_ew(ref_kernel *r, hd_op op, hd_dtype cdt, hd_dtype dt, uint8_t level,
                         uint8_t phase, int n, int a, int b, int c)
{
    return ref_emit(r, (hdi_kinst){.kind = KIR_EW,
                                   .dt = (uint8_t)dt,
                                   .cdt = (uint8_t)cdt,
                                   .level = level,
                                   .phase = phase,
                                   .narg = (uint8_t)n,
                                   .op = (uint16_t)op,
                                   .arg = {(uint16_t)a, (uint16_t)b, (uint16_t)c}});
}

static inline int ref_cast(ref_kernel *r, int a, hd_dtype dt, uint8_t level, uint8_t phase)
{
    return ref_emit(r, (hdi_kinst){.kind = KIR_CAST,
                                   .dt = (uint8_t)dt,
                                   .level = level,
                                   .phase = phase,
                                   .narg = 1,
                                   .arg = {(uint16_t)a}});
}

static inline int ref_reduce(ref_kernel *r, hd_op op, hd_dtype cdt, hd_dtype dt, uint8_t phase,
                             int a, int b)
{
    return ref_emit(r, (hdi_kinst){.kind = KIR_REDUCE,
                                   .dt = (uint8_t)dt,
                                   .cdt = (uint8_t)cdt,
                                   .level = KIR_ROW,
                                   .phase = phase,
                                   .narg = b < 0 ? 1 : 2,
                                   .op = (uint16_t)op,
                                   .arg = {(uint16_t)a, (uint16_t)(b < 0 ? 0 : b)}});
}

static inline void ref_store(ref_kernel *r, int value, int slot, uint8_t phase)
{
    ref_emit(r, (hdi_kinst){.kind = KIR_STORE,
                            .dt = r->slot[slot].dt,
                            .level = r->slot[slot].level,
                            .phase = phase,
                            .narg = 1,
                            .slot = (uint16_t)slot,
                            .arg = {(uint16_t)value}});
}

/* ---- the reference --------------------------------------------------------------------------- */

typedef struct ref_values { uint8_t *at[REF_INSTS]; int64_t size, kept; } ref_values;

/* Index of element e, in C order over all axes, or over the kept ones. */
static inline void ref_unravel(const ref_kernel *r, int64_t e, bool kept_only, int64_t *index)
{
    for (int a = r->nd - 1; a >= 0; a--) {
        index[a] = 0;
        if (kept_only && (r->reduced >> a & 1))
            continue;
        index[a] = e % r->dims[a];
        e /= r->dims[a];
    }
}

static inline int64_t ref_dot(const ref_kernel *r, const int64_t *strides, const int64_t *index)
{
    int64_t sum = 0;
    for (int a = 0; a < r->nd; a++)
        sum += strides[a] * index[a];
    return sum;
}

/* Number, among the kept elements, of the row that index lies in. */
static inline int64_t ref_row_of(const ref_kernel *r, const int64_t *index)
{
    int64_t e = 0;
    for (int a = 0; a < r->nd; a++)
        if (!(r->reduced >> a & 1))
            e = e * r->dims[a] + index[a];
    return e;
}

static inline int64_t ref_element_of(const ref_kernel *r, const int64_t *index)
{
    int64_t e = 0;
    for (int a = 0; a < r->nd; a++)
        e = e * r->dims[a] + index[a];
    return e;
}

/* Value of instruction v for element e of level `level`. */
static inline void *ref_value(const ref_kernel *r, const ref_values *w, int v, uint8_t level,
                              int64_t e)
{
    const hdi_kinst *inst = &r->inst[v];
    int64_t size = hd_dtype_size((hd_dtype)inst->dt), index[REF_AXES];
    if (inst->kind == KIR_SCALAR)
        return w->at[v];
    if (inst->level == KIR_ROW && level == KIR_FULL) {
        ref_unravel(r, e, false, index);
        e = ref_row_of(r, index);
    }
    return w->at[v] + e * size;
}

/* Axes by falling stride of the order argument. */
static inline void ref_order(const ref_kernel *r, int *axes)
{
    const ref_operand *o = &r->operand[r->order_arg];
    for (int a = 0; a < r->nd; a++)
        axes[a] = a;
    for (int i = 0; !o->linear && i < r->nd; i++)
        for (int k = 0; k + 1 < r->nd - i; k++)
            if (llabs(o->strides[axes[k]]) < llabs(o->strides[axes[k + 1]])) {
                int t = axes[k];
                axes[k] = axes[k + 1];
                axes[k + 1] = t;
            }
}

typedef struct ref_sum { uint8_t value[16]; int64_t position; } ref_sum;

static inline ref_sum ref_tree(const hdi_loops *l, const hdi_kinst *inst, const ref_sum *chunk,
                               int64_t n)
{
    int64_t left = 1;
    if (n == 1)
        return chunk[0];
    while (2 * left < n)
        left *= 2;
    ref_sum a = ref_tree(l, inst, chunk, left), b = ref_tree(l, inst, chunk + left, n - left);
    if (inst->op == HD_OP_argmin || inst->op == HD_OP_argmax)
        l->arg_merge[inst->op - HD_OP_argmin][inst->cdt](a.value, &a.position, b.value, &b.position,
                                                         1);
    else
        l->red_merge[inst->op - HD_OP_sum][inst->cdt](a.value, b.value, NULL, 1);
    return a;
}

/* One row: its elements x (and y) in order, position by position. */
static inline void ref_row(const hdi_loops *l, const hdi_kinst *inst, const uint8_t *x,
                           const uint8_t *y, int64_t R, bool column, void *out)
{
    int red = inst->op - HD_OP_sum, dt = inst->cdt;
    bool position = inst->op == HD_OP_argmin || inst->op == HD_OP_argmax;
    int64_t size = hd_dtype_size((hd_dtype)dt), per = column ? 64 : 256, n = 0;
    ref_sum *chunk = calloc((size_t)(R / per + 1), sizeof *chunk), zero = {{0}, 0};
    if (R == 0) {
        l->identity(red, (hd_dtype)dt, out);
        free(chunk);
        return;
    }
    for (int64_t i = 0; i < R; i += per, n++) {
        int64_t m = hdi_min64(per, R - i);
        if (position) {
            l->arg_chunk[inst->op - HD_OP_argmin][dt](chunk[n].value, &chunk[n].position,
                                                      x + i * size, m, i);
        } else if (!column) {
            l->red_chunk[red][dt](chunk[n].value, x + i * size, y + i * size, m);
        } else {
            l->red_start[red][dt][HDI_VV](chunk[n].value, x + i * size, y + i * size, 1);
            for (int64_t k = 1; k < m; k++)
                l->red_step[red][dt][HDI_VV](chunk[n].value, x + (i + k) * size, y + (i + k) * size,
                                             1);
        }
    }
    ref_sum total = ref_tree(l, inst, chunk, n);
    if (!position && (inst->op == HD_OP_sum || inst->op == HD_OP_sumproduct) && dt >= HD_FLOAT16)
        l->red_merge[red][dt](total.value, zero.value, NULL, 1);
    memcpy(out, position ? (void *)&total.position : (void *)total.value,
           (size_t)hd_dtype_size((hd_dtype)inst->dt));
    free(chunk);
}

static inline void ref_run_reduce(const ref_kernel *r, const ref_values *w, const hdi_loops *l,
                                  int v)
{
    const hdi_kinst *inst = &r->inst[v];
    int axes[REF_AXES], reduced[REF_AXES], n = 0;
    int64_t R = 1, size = hd_dtype_size((hd_dtype)inst->cdt), index[REF_AXES];
    ref_order(r, axes);
    bool any_position = false;
    for (int i = 0; i < r->k.ninst; i++)
        any_position |= r->inst[i].kind == KIR_REDUCE &&
                        (r->inst[i].op == HD_OP_argmin || r->inst[i].op == HD_OP_argmax);
    for (int i = 0; i < r->nd; i++) {
        int a = any_position ? i : axes[i];
        if (r->reduced >> a & 1) {
            reduced[n++] = a;
            R *= r->dims[a];
        }
    }
    int last = r->nd > 0 ? axes[r->nd - 1] : 0;
    bool column = n < r->nd && !((r->reduced >> last & 1) && r->dims[last] >= 32);
    column = column && !(w->kept <= 16 && R >= 32);   /* narrow columns are summed like rows */
    uint8_t *x = malloc((size_t)(R * size) + 1), *y = malloc((size_t)(R * size) + 1);
    for (int64_t q = 0; q < w->kept; q++) {
        ref_unravel(r, q, true, index);
        for (int64_t e = 0; e < R; e++) {
            int64_t rest = e;
            for (int i = n - 1; i >= 0; i--) {
                index[reduced[i]] = rest % r->dims[reduced[i]];
                rest /= r->dims[reduced[i]];
            }
            int64_t full = ref_element_of(r, index);
            memcpy(x + e * size, ref_value(r, w, inst->arg[0], KIR_FULL, full), (size_t)size);
            memcpy(y + e * size, ref_value(r, w, inst->arg[inst->narg - 1], KIR_FULL, full),
                   (size_t)size);
        }
        ref_row(l, inst, x, y, R, column, w->at[v] + q * hd_dtype_size((hd_dtype)inst->dt));
    }
    free(x);
    free(y);
}

static inline void ref_run_element(const ref_kernel *r, const ref_values *w, const hdi_loops *l,
                                   int v, int64_t e)
{
    const hdi_kinst *inst = &r->inst[v];
    const ref_operand *o = &r->operand[inst->slot];
    size_t size = (size_t)hd_dtype_size((hd_dtype)inst->dt);
    int64_t index[REF_AXES];
    uint8_t *out = w->at[v] + e * (int64_t)size;
    const void *in[3] = {NULL, NULL, NULL};
    ref_unravel(r, e, inst->level == KIR_ROW, index);
    uint8_t *memory = r->ref[o->buffer] != NULL
                          ? r->ref[o->buffer] + o->offset + ref_dot(r, o->strides, index)
                          : NULL;
    for (int a = 0; a < inst->narg; a++)
        in[a] = ref_value(r, w, inst->arg[a], inst->level, e);
    switch (inst->kind) {
    case KIR_LOAD: memcpy(out, memory, size); break;
    case KIR_STORE: memcpy(memory, in[0], size); break;
    case KIR_INDEX: *(int64_t *)(void *)out = o->base + ref_dot(r, o->strides, index); break;
    case KIR_CAST: l->cast[r->inst[inst->arg[0]].dt][inst->dt](out, in[0], 1); break;
    default: l->ew[inst->op][inst->cdt][HDI_VV](out, in, 1);
    }
}

/* Instruction by instruction, each for all elements: legal because accesses of one kernel that
 * meet have the same index map. */
static inline void ref_run(ref_kernel *r)
{
    const hdi_loops *l = hdi_loops_best();
    ref_values w = {.size = 1, .kept = 1};
    for (int a = 0; a < r->nd; a++) {
        w.size *= r->dims[a];
        w.kept *= r->reduced >> a & 1 ? 1 : r->dims[a];
    }
    for (int v = 0; v < r->k.ninst; v++) {
        const hdi_kinst *inst = &r->inst[v];
        int64_t n = inst->level == KIR_ROW ? w.kept : w.size;
        w.at[v] = malloc((size_t)(n + 1) * 16);
        if (inst->kind == KIR_SCALAR)
            memcpy(w.at[v], r->operand[inst->slot].scalar, 16);
        else if (inst->kind == KIR_REDUCE)
            ref_run_reduce(r, &w, l, v);
        else
            for (int64_t e = 0; e < n; e++)
                ref_run_element(r, &w, l, v, e);
    }
    for (int v = 0; v < r->k.ninst; v++)
        free(w.at[v]);
}

/* ---- the back end ---------------------------------------------------------------------------- */

static inline hdi_launch ref_launch(ref_kernel *r, void *program, hdi_arg *args)
{
    hdi_launch l = {.program = program,
                    .nd = r->nd,
                    .dims = r->dims,
                    .reduced = r->reduced,
                    .size = 1,
                    .args = args};
    for (int a = 0; a < r->nd; a++)
        l.size *= r->dims[a];
    for (int s = 0; s < r->k.nslots; s++) {
        const ref_operand *o = &r->operand[s];
        args[s] = (hdi_arg){.ptr = NULL, .linear = o->linear};
        if (r->slot[s].kind == HDI_SLOT_SCALAR)
            memcpy(args[s].scalar, o->scalar, sizeof o->scalar);
        else {
            args[s].ptr = r->slot[s].kind == HDI_SLOT_ARRAY ? r->run[o->buffer] + o->offset : NULL;
            args[s].strides = o->linear ? NULL : o->strides;
            args[s].base = o->base;
        }
    }
    args[r->k.nslots] =
        (hdi_arg){.strides = r->operand[REF_SLOTS].strides, .linear = r->operand[REF_SLOTS].linear};
    l.order_arg = r->order_arg == REF_SLOTS ? r->k.nslots : r->order_arg;
    return l;
}

static inline hd_status ref_compile(ref_kernel *r, void **program)
{
    r->k.inst = r->inst;
    r->k.slots = r->slot;
    if (hdi_kernel_verify(&r->k) != HD_OK)
        return HD_INTERNAL;
    return hdi_backend_cpu.compile(hdi_cpu_compiler(), &r->k, program);
}

/* Runs the kernel on the back end; interrupted launches go on. */
static inline hd_status ref_execute(ref_kernel *r)
{
    hdi_arg args[REF_SLOTS + 1];
    void *program = NULL;
    hd_status status = ref_compile(r, &program);
    if (status != HD_OK)
        return status;
    hdi_launch l = ref_launch(r, program, args);
    do
        status = hdi_backend_cpu.launch(NULL, &l);
    while (status == HD_INTERRUPTED);
    hdi_backend_cpu.destroy(NULL, program);
    return status;
}

/* Both runs left the same bytes everywhere. */
static inline int64_t ref_differences(const ref_kernel *r)
{
    int64_t n = 0;
    for (int b = 0; b < r->nbuffers; b++)
        for (int64_t i = 0; i < r->nbytes[b]; i++)
            n += r->run[b][i] != r->ref[b][i];
    return n;
}

static inline void ref_print(const ref_kernel *r)
{
    static const char *const kinds[] = {"load", "scalar", "index", "cast", "ew", "reduce", "store"};
    fprintf(stderr, "dims");
    for (int a = 0; a < r->nd; a++)
        fprintf(stderr, " %lld%s", (long long)r->dims[a], r->reduced >> a & 1 ? "r" : "");
    fprintf(stderr, "; order %d\n", r->order_arg);
    for (int i = 0; i < r->k.ninst; i++) {
        const hdi_kinst *inst = &r->inst[i];
        const ref_operand *o = &r->operand[inst->slot];
        bool slot = inst->kind <= KIR_INDEX || inst->kind == KIR_STORE;
        fprintf(stderr, "%3d: %s%d %s %s op %d(%s)", i, inst->level ? "row" : "full", inst->phase,
                kinds[inst->kind], hd_dtype_name((hd_dtype)inst->dt), inst->op,
                hd_dtype_name((hd_dtype)inst->cdt));
        for (int a = 0; a < inst->narg; a++)
            fprintf(stderr, " %d", inst->arg[a]);
        if (slot) {
            fprintf(stderr, " slot %d buffer %d at %lld%s:", inst->slot, o->buffer,
                    (long long)o->offset, o->linear ? " linear" : "");
            for (int a = 0; a < r->nd; a++)
                fprintf(stderr, " %lld", (long long)o->strides[a]);
        }
        fprintf(stderr, "\n");
    }
}

static inline bool ref_agrees(ref_kernel *r)
{
    bool ok = CHECK(ref_execute(r) == HD_OK);
    if (!ok)
        fprintf(stderr, "%s\n", hd_error_peek()->message);
    hd_error_take(NULL);
    ref_run(r);
    ok = CHECK_EQ_I64(ref_differences(r), 0) && ok;
    if (!ok)
        ref_print(r);
    return ok;
}

#endif
