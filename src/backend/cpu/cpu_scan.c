/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_scan.c - running sums, each element added to the sum of those before it, in order: NumPy's
 * bits. Along a line that is the fastest in memory the sum runs through a block at a time.
 * Otherwise a row of many lines is added at once. */
#include "backend/cpu/cpu_library.h"
#include "backend/cpu/cpu_scratch.h"
#include "backend/cpu/cpu_space.h"
#include "base/pool.h"

enum { BLOCK = 512 };

/* Sums up x[0..n) in place, starting from *carry, which becomes the last sum. Integers wrap. */
#define SCAN(name, type)                                 \
    static void scan_##name(void *x, int64_t n, void *carry) \
    {                                                    \
        type *e = x, s = *(type *)carry;                 \
        for (int64_t i = 0; i < n; i++)                  \
            e[i] = s = (type)(s + e[i]);                 \
        *(type *)carry = s;                              \
    }
#define SCAN_COMPLEX(name, type)                         \
    static void scan_##name(void *x, int64_t n, void *carry) \
    {                                                    \
        type *e = x, *s = carry;                         \
        for (int64_t i = 0; i < 2 * n; i++)              \
            e[i] = s[i & 1] += e[i];                     \
    }
SCAN(1, uint8_t)
SCAN(2, uint16_t)
SCAN(4, uint32_t)
SCAN(8, uint64_t)
SCAN(f, float)
SCAN(d, double)
SCAN_COMPLEX(F, float)
SCAN_COMPLEX(D, double)

typedef void (*scanner)(void *x, int64_t n, void *carry);

static scanner scanner_of(hd_dtype dt)
{
    switch (dt) {
    case HD_FLOAT32: return scan_f;
    case HD_FLOAT64: return scan_d;
    case HD_COMPLEX64: return scan_F;
    case HD_COMPLEX128: return scan_D;
    default: break;
    }
    int size = hd_dtype_size(dt);
    return size == 1 ? scan_1 : size == 2 ? scan_2 : size == 4 ? scan_4 : scan_8;
}

typedef struct scan {
    const hdi_xcall *x;
    const hdi_loops *l;
    /* inner: the axis whose elements are added at once; -1 along lines */
    int axis, inner;
    int64_t length, lines, per_task;
    int64_t pieces;              /* across: blocks of the inner axis */
    hdi_cpu_asker ask;
    bool stopped;
} scan;

/* n elements at byte offset `at` of an operand, as the loop's dtype. */
static void fetch(const scan *s, const hdi_xarg *a, int64_t at, int64_t stride, int64_t n, void *to,
                  void *spare)
{
    int lsize = __builtin_ctz((unsigned)hd_dtype_size(a->dt));
    bool cast = a->dt != s->x->cdt;
    s->l->gather[lsize](cast ? spare : to, a->ptr + at, stride, n);
    if (cast)
        s->l->cast[a->dt][s->x->cdt](to, spare, n);
}

static void put(const scan *s, const hdi_xarg *a, int64_t at, int64_t stride, int64_t n,
                const void *from, void *spare)
{
    int lsize = __builtin_ctz((unsigned)hd_dtype_size(a->dt));
    if (a->dt != s->x->cdt) {
        s->l->cast[s->x->cdt][a->dt](spare, from, n);
        from = spare;
    }
    s->l->scatter[lsize](a->ptr + at, stride, from, n);
}

/* Byte offsets of a line in input and output: its number counts all axes but the scanned one
 * (and but the inner one). */
static void find_line(const scan *s, int64_t line, int64_t *in, int64_t *out)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    *in = *out = 0;
    for (int a = x->nd - 1; a >= 0; a--) {
        if (a == s->axis || a == s->inner)
            continue;
        *in += line % x->dims[a] * x->strides[a];
        *out += line % x->dims[a] * o->strides[a];
        line /= x->dims[a];
    }
}

static void along(scan *s, int64_t line, uint8_t *block, uint8_t *spare)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    _Alignas(16) uint8_t carry[16] = {0};
    int64_t in, out, xs = x->strides[s->axis], os = o->strides[s->axis],
                     size = hd_dtype_size(s->x->cdt);
    scanner sum = scanner_of(s->x->cdt);
    find_line(s, line, &in, &out);
    for (int64_t i = 0, n; i < s->length; i += n) {
        n = hdi_min64(BLOCK, s->length - i);
        fetch(s, x, in + i * xs, xs, n, block, spare);
        if (i == 0) {   /* the first sum is the first element, even -0 */
            memcpy(carry, block, (size_t)size);
            sum(block + size, n - 1, carry);
        } else
            sum(block, n, carry);
        put(s, o, out + i * os, os, n, block, spare);
        if (s->lines == 1 && i % (BLOCK << 12) == 0 && i > 0 && s->ask != NULL && s->ask()) {
            s->stopped = true;
            return;
        }
    }
}

static void across(scan *s, int64_t task, uint8_t *sum, uint8_t *row, uint8_t *spare)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    int64_t in, out, at = task % s->pieces * BLOCK, n = hdi_min64(BLOCK, x->dims[s->inner] - at);
    int64_t xs = x->strides[s->inner], os = o->strides[s->inner];
    const void *both[3] = {sum, row, row};
    find_line(s, task / s->pieces, &in, &out);
    in += at * xs;
    out += at * os;
    for (int64_t i = 0; i < s->length; i++) {
        fetch(s, x, in + i * x->strides[s->axis], xs, n, i == 0 ? sum : row, spare);
        if (i > 0)
            s->l->ew[HD_OP_add][s->x->cdt][HDI_VV](sum, both, n);
        put(s, o, out + i * o->strides[s->axis], os, n, sum, spare);
    }
}

static bool scan_task(void *ctx, int64_t task)
{
    scan *s = ctx;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *block = hdi_cpu_scratch(3 * BLOCK * 16);
    if (block != NULL)
        for (int64_t i = task * s->per_task;
             i < hdi_min64((task + 1) * s->per_task, s->lines * s->pieces); i++) {
            if (s->inner < 0)
                along(s, i, block, block + BLOCK * 16);
            else
                across(s, i, block, block + BLOCK * 16, block + 2 * BLOCK * 16);
        }
    hdi_cpu_scratch_release(mark);
    return block != NULL;
}

/* The axis that is fastest in the output's memory, if it is not the scanned one. */
static int choose_inner(const hdi_xcall *x)
{
    int best = (int)x->param;
    for (int a = 0; a < x->out.nd; a++)
        if (x->out.dims[a] > 1 && hdi_abs64(x->out.strides[a]) < hdi_abs64(x->out.strides[best]))
            best = a;
    return best == (int)x->param ? -1 : best;
}

hd_status hdi_cpu_cumsum(const hdi_xcall *x)
{
    scan s = {.x = x,
              .l = hdi_loops_best(),
              .axis = (int)x->param,
              .inner = choose_inner(x),
              .lines = 1,
              .pieces = 1,
              .length = x->in[0].dims[x->param],
              .ask = hdi_cpu_may_stop(x)};
    int64_t next = 0;
    for (int a = 0; a < x->out.nd; a++)
        if (a != s.axis && a != s.inner)
            s.lines *= x->out.dims[a];
    if (s.inner >= 0)
        s.pieces = (x->out.dims[s.inner] + BLOCK - 1) / BLOCK;
    if (s.length == 0 || s.lines * s.pieces == 0)
        return HD_OK;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    if (hdi_cpu_scratch(3 * BLOCK * 16) == NULL)   /* then tasks find it too */
        return hdi_fail(HD_NOMEM, "out of memory for a running sum");
    hdi_cpu_scratch_release(mark);
    s.per_task = hdi_max64(16 * BLOCK / (s.length * (s.inner < 0 ? 1 : BLOCK)), 1);
    hd_status status = hdi_pool_run((s.lines * s.pieces + s.per_task - 1) / s.per_task, scan_task,
                                    &s, &next, s.ask);
    return s.stopped ? HD_INTERRUPTED : status;
}
