/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_scan.c - running results of an elementwise operation, each element combined with the result
 * before it, in order: NumPy's bits. Along a line that is the fastest in memory the loop of the
 * operation's row in scan.def runs through a block at a time; an operation without a row goes from
 * element to element. Otherwise a row of many lines is combined at once. */
#include "backend/cpu/cpu_lines.h"

#include <sched.h>
#include <stdatomic.h>

#include "backend/cpu/cpu_scratch.h"
#include "base/pool.h"

/* The loop of an operation that has a row, or NULL. */
static hdi_scan_loop loop_of(const hdi_loops *l, hd_op op, hd_dtype dt)
{
    static const hd_op of[HDI_SCAN_COUNT] = {
#define SCAN(name, of, types, combine, doc) [HDI_SCAN_##name] = HD_OP_##of,
#include "ops/scan/scan.def"
    };
    for (int row = 0; row < HDI_SCAN_COUNT; row++)
        if (of[row] == op)
            return l->scan[row][dt];
    return NULL;
}

/* As the loops of the rows: x[0..n) in place, from *carry on, which becomes the last result. */
static void run_through(const hdi_cpu_lines *s, uint8_t *x, int64_t n, uint8_t *carry)
{
    hdi_scan_loop loop = loop_of(s->l, s->op, s->x->cdt);
    hdi_ew_loop one = s->l->ew[s->op][s->cdt][HDI_VV];
    size_t size = (size_t)hd_dtype_size(s->cdt);
    if (loop != NULL) {
        loop(x, x, n, carry);
        return;
    }
    for (int64_t i = 0; i < n; i++, x += size) {
        const void *both[3] = {carry, x, x};
        one(x, both, 1);
        hdi_cpu_line_round(s, x, 1);
        memcpy(carry, x, size);
    }
}

/* Do the loops of a row take elements and leave results where they lie? */
static bool lies_dense(const hdi_xcall *x, int axis)
{
    int64_t size = hd_dtype_size(x->cdt);
    return x->in[0].dt == x->cdt && x->out.dt == x->cdt && x->in[0].strides[axis] == size &&
           x->out.strides[axis] == size;
}

/* n elements of a line from number i on, as dt. */
static void block_along(const hdi_cpu_lines *s, const hdi_cpu_line *line, hd_dtype dt, int64_t i,
                        int64_t n, uint8_t *carry)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    int64_t xs = x->strides[s->axis], os = o->strides[s->axis], size = hd_dtype_size(dt);
    hdi_cpu_line_fetch(s, x, dt, line->in + i * xs, xs, n, line->block, line->spare);
    if (i == 0) {   /* the first result is the first element, even -0 */
        memcpy(carry, line->block, (size_t)size);
        run_through(s, line->block + size, n - 1, carry);
    } else {
        run_through(s, line->block, n, carry);
    }
    hdi_cpu_line_put(s, o, dt, line->out + i * os, os, n, line->block, line->spare);
}

static void along(hdi_cpu_lines *s, const hdi_cpu_line *line)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    _Alignas(16) uint8_t carry[16] = {0};
    hdi_scan_loop loop = loop_of(s->l, s->op, s->x->cdt);
    hd_dtype dt = loop != NULL ? s->x->cdt : s->cdt;   /* half types have loops of rows */
    int64_t size = hd_dtype_size(dt);
    bool dense = loop != NULL && lies_dense(s->x, s->axis);
    for (int64_t i = 0, n; i < s->length; i += n) {
        n = hdi_min64(HDI_CPU_LINE_BLOCK, s->length - i);
        if (dense && i > 0)
            loop(o->ptr + line->out + i * size, x->ptr + line->in + i * size, n, carry);
        else
            block_along(s, line, dt, i, n, carry);
        if (s->lines == 1 && i % (HDI_CPU_LINE_BLOCK << 12) == 0 && i > 0 && s->ask != NULL &&
            s->ask()) {
            s->stopped = true;
            return;
        }
    }
}

static void across(hdi_cpu_lines *s, const hdi_cpu_line *line)
{
    const hdi_xarg *x = &s->x->in[0], *o = &s->x->out;
    int64_t xs = x->strides[s->inner], os = o->strides[s->inner];
    const void *both[3] = {line->block, line->row, line->row};
    for (int64_t i = 0; i < s->length; i++) {
        hdi_cpu_line_fetch(s, x, s->cdt, line->in + i * x->strides[s->axis], xs, line->n,
                           i == 0 ? line->block : line->row, line->spare);
        if (i > 0) {
            s->l->ew[s->op][s->cdt][HDI_VV](line->block, both, line->n);
            hdi_cpu_line_round(s, line->block, line->n);
        }
        hdi_cpu_line_put(s, o, s->cdt, line->out + i * o->strides[s->axis], os, line->n,
                         line->block, line->spare);
    }
}

static void scan(hdi_cpu_lines *s, const hdi_cpu_line *line)
{
    if (s->inner < 0)
        along(s, line);
    else
        across(s, line);
}

/* ---- one long line for several threads ------------------------------------------------------- */

/* Where order leaves the bits as they are, a piece of the line is reduced first, which brings it
 * into the cache, and then scanned from what all before it came to. Pieces are handed out in
 * ascending order, so those before are done or being done: nobody waits for ever. Tasks take no
 * memory, since one that is refused is done last. */
enum { PIECE = 1 << 15, PIECES_WORTH = 4 };

typedef struct piece {
    _Alignas(64) uint8_t all[16];   /* the line up to the end of this piece */
    atomic_bool there;
} piece;

typedef struct long_line {
    const hdi_xcall *x;
    const hdi_loops *l;
    int axis;
    hdi_red_extend extend;
    hdi_scan_loop loop;
    piece *piece;
} long_line;

/* The reduction that repeats an operation on x; NULL where order shows. */
static hdi_red_extend extend_of(const hdi_loops *l, hd_op op, hd_dtype dt)
{
    enum { HD_OP_NONE = -1 };
    static const int of[HDI_EW_COUNT] = {
#define FOLD(name, reduction, identity) [HD_OP_##name] = HD_OP_##reduction,
#include "ops/reduce/fold.def"
    };
    bool exact = dt == HD_BOOL || hdi_is_int(dt);
    return exact && of[op] >= HD_OP_sum ? l->red_extend[of[op] - HD_OP_sum][dt] : NULL;
}

static void wait_for(const piece *p)
{
    for (int spins = 0; !atomic_load_explicit(&p->there, memory_order_acquire); spins++)
        if (spins > 1000)
            sched_yield();
}

/* The piece as one element, and what comes before it. */
static void total(const long_line *t, int64_t task, const uint8_t *x, int64_t step, int64_t n,
                  uint8_t *before)
{
    piece *mine = &t->piece[task];
    int64_t size = hd_dtype_size(t->x->cdt);
    _Alignas(16) uint8_t sum[16];
    _Alignas(64) uint8_t block[HDI_CPU_LINE_BYTES];
    for (int64_t i = 0, m; i < n; i += m) {
        m = step == size ? n : hdi_min64(HDI_CPU_LINE_BLOCK, n - i);
        const uint8_t *from = x + i * step;
        if (step != size) {
            t->l->gather[__builtin_ctz((unsigned)size)](block, from, step, m);
            from = block;
        }
        t->extend(sum, from, from, m, i == 0);
    }
    memcpy(mine->all, sum, sizeof sum);
    if (task > 0) {
        wait_for(mine - 1);
        memcpy(before, mine[-1].all, sizeof sum);
        memcpy(mine->all, before, sizeof sum);
        t->extend(mine->all, sum, sum, 1, false);
    }
    atomic_store_explicit(&mine->there, true, memory_order_release);
}

/* Elements [from, from + n) of the line, from the carry on. */
static void scan_piece(const long_line *t, int64_t from, int64_t n, uint8_t *carry)
{
    const hdi_xarg *x = &t->x->in[0], *o = &t->x->out;
    int64_t xs = x->strides[t->axis], os = o->strides[t->axis];
    int lsize = __builtin_ctz((unsigned)hd_dtype_size(t->x->cdt));
    _Alignas(64) uint8_t block[HDI_CPU_LINE_BYTES];
    if (lies_dense(t->x, t->axis)) {
        t->loop(o->ptr + from * os, x->ptr + from * xs, n, carry);
        return;
    }
    for (int64_t i = from, m; i < from + n; i += m) {
        m = hdi_min64(HDI_CPU_LINE_BLOCK, from + n - i);
        t->l->gather[lsize](block, x->ptr + i * xs, xs, m);
        t->loop(block, block, m, carry);
        t->l->scatter[lsize](o->ptr + i * os, os, block, m);
    }
}

static bool piece_task(void *ctx, int64_t task)
{
    const long_line *t = ctx;
    const hdi_xarg *x = &t->x->in[0], *o = &t->x->out;
    int64_t step = x->strides[t->axis], from = task * PIECE,
            n = hdi_min64(PIECE, x->dims[t->axis] - from);
    size_t size = (size_t)hd_dtype_size(t->x->cdt);
    _Alignas(16) uint8_t carry[16];
    total(t, task, x->ptr + from * step, step, n, carry);
    if (task == 0) {   /* begins with its first element */
        memcpy(carry, x->ptr, size);
        memcpy(o->ptr, carry, size);
        from++;
        n--;
    }
    scan_piece(t, from, n, carry);
    return true;
}

/* One line of whole elements that is long enough; *status is then what came of it. */
static bool run_pieces(const hdi_xcall *x, hd_status *status)
{
    hd_op op = hdi_param_op(x->param);
    hd_dtype dt = x->cdt;
    long_line t = {.x = x, .l = hdi_loops_best(), .axis = hdi_param_number(x->param)};
    int64_t length = x->in[0].dims[t.axis], n = (length + PIECE - 1) / PIECE, next = 0;
    if (n < PIECES_WORTH || hdi_pool_threads() == 1 || x->in[0].dt != dt || x->out.dt != dt)
        return false;
    for (int a = 0; a < x->out.nd; a++)
        if (a != t.axis && x->out.dims[a] != 1)
            return false;
    t.extend = extend_of(t.l, op, dt);
    t.loop = loop_of(t.l, op, dt);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    if (t.extend == NULL || t.loop == NULL ||
        (t.piece = hdi_cpu_scratch(n * (int64_t)sizeof *t.piece)) == NULL)
        return false;
    for (int64_t i = 0; i < n; i++)
        atomic_init(&t.piece[i].there, false);
    *status = hdi_pool_run(n, piece_task, &t, &next, hdi_cpu_may_stop(x));
    hdi_cpu_scratch_release(mark);
    return true;
}

hd_status hdi_cpu_accumulate(const hdi_xcall *x)
{
    hd_status status;
    return run_pieces(x, &status) ? status : hdi_cpu_run_lines(x, scan);
}
