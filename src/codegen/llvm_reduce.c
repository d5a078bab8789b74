/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_reduce.c - chains that end in reductions, in the order of loops_red.h: element i of a chunk
 * goes to lane i % 32, lanes take theirs in order, and halves of them are combined until one is
 * left. Elements are read one after the other, as memory likes it (lanes of one register first
 * through all of a chunk, then those of the next: twice the time, from memory); so all of the lanes
 * are at work at a time, in registers where there are enough of them, else in the first-level
 * cache. */
#include "codegen/llvm_loop.h"

enum { CHUNK = HDI_CHAIN_CHUNK, LANES = HDI_CHAIN_LANES, VECTORS = 8 };

typedef hdi_chain_loop loop;

/* Accumulators of `count` vectors: of each, those of every reduction. */
typedef struct sums { int count; hdi_value of[VECTORS][HDI_CHAIN_REDS]; } sums;

/* The lanes of a chunk in memory, per reduction: real parts, imaginary ones. */
typedef struct lanes { value part[HDI_CHAIN_REDS][2]; } lanes;

static bool is_complex(const hdi_chain_red *r)
{
    return hdi_chain_kind(r->dt) == 'c';
}

/* ---- accumulators ---------------------------------------------------------------------------- */

static int flatten(const loop *l, const sums *s, value *state)
{
    int n = 0;
    for (int u = 0; u < s->count; u++)
        for (int k = 0; k < l->c->nred; k++) {
            state[n++] = s->of[u][k].re;
            if (s->of[u][k].im != NULL)
                state[n++] = s->of[u][k].im;
        }
    return n;
}

static void unflatten(const loop *l, sums *s, value *state)
{
    for (int u = 0, n = 0; u < s->count; u++)
        for (int k = 0; k < l->c->nred; k++) {
            s->of[u][k].re = state[n++];
            if (s->of[u][k].im != NULL)
                s->of[u][k].im = state[n++];
        }
}

static hdi_value pick(loop *l, value mask, hdi_value x, hdi_value y)
{
    hdi_value r = {b_pick(&l->e, mask, x.re, y.re), NULL};
    if (x.im != NULL)
        r.im = b_pick(&l->e, mask, x.im, y.im);
    return r;
}

/* The values v of a vector go to its accumulators; lanes without their bit in the mask keep
 * theirs. */
static bool combine(loop *l, hdi_value *sum, const hdi_value *v, value mask)
{
    for (int k = 0; k < l->c->nred; k++) {
        const hdi_chain_red *r = &l->c->red[k];
        hdi_value in[3] = {sum[k], v[r->arg[0]], v[r->arg[1]]};
        sum[k] = hdi_emit_red(&l->e, (hd_op)r->op, (hd_dtype)r->cdt, in);
        if (sum[k].re == NULL)
            return false;
        if (mask != NULL)
            sum[k] = pick(l, mask, sum[k], in[0]);
    }
    return true;
}

/* The chain for the vectors at index, index + lanes, ...: so many of them side by side as it is
 * good for. */
static bool accumulate(loop *l, value index, value mask, sums *s, int together)
{
    hdi_value v[HDI_CHAIN_UNROLL][HDI_CHAIN_INPUTS + HDI_CHAIN_OPS];
    for (int u = 0; u < s->count; u += together) {
        value at = b_add(&l->e, index, b_i64(&l->e, (int64_t)u * l->e.lanes));
        if (!hdi_chain_vectors(l, at, together, mask, v))
            return false;
        for (int j = 0; j < together; j++)
            if (!combine(l, s->of[u + j], v[j], mask))
                return false;
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static LLVMTypeRef part_type(loop *l, const hdi_chain_red *r, int n)
{
    return hdi_lanes(b_element(hdi_emit_memory_type(&l->e, (hd_dtype)r->dt)), n);
}

static void make_lanes(loop *l, lanes *to)
{
    for (int k = 0; k < l->c->nred; k++)
        for (int part = 0; part <= is_complex(&l->c->red[k]); part++) {
            to->part[k][part] = LLVMBuildAlloca(l->e.build,
                                                part_type(l, &l->c->red[k], LANES), "");
            LLVMSetAlignment(to->part[k][part], 64);
        }
}

static value lane_address(loop *l, const lanes *at, int k, int part, value lane)
{
    LLVMTypeRef element = part_type(l, &l->c->red[k], 0);
    return LLVMBuildGEP2(l->e.build, element, at->part[k][part], &lane, 1, "");
}

static void put_lanes(loop *l, const lanes *to, const sums *s, value first)
{
    for (int u = 0; u < s->count; u++)
        for (int k = 0; k < l->c->nred; k++) {
            const hdi_chain_red *r = &l->c->red[k];
            value lane = b_add(&l->e, first, b_i64(&l->e, (int64_t)u * l->e.lanes));
            hdi_value v = s->of[u][k];
            if (r->dt == HD_BOOL)
                v.re = hdi_emit_cast(&l->e, v.re, HD_BOOL, HD_UINT8);
            for (int part = 0; part <= is_complex(r); part++)
                LLVMSetAlignment(LLVMBuildStore(l->e.build, part == 0 ? v.re : v.im,
                                                lane_address(l, to, k, part, lane)), 8);
        }
}

static value get_part(loop *l, const lanes *from, int k, int part, value first, int n)
{
    const hdi_chain_red *r = &l->c->red[k];
    value at = lane_address(l, from, k, part, first);
    value x = LLVMBuildLoad2(l->e.build, part_type(l, r, n), at, "");
    LLVMSetAlignment(x, 8);
    return r->dt == HD_BOOL ? hdi_emit_cast(&l->e, x, HD_UINT8, HD_BOOL) : x;
}

/* Accumulators among themselves: sums of products are added. */
static hdi_value merge(loop *l, const hdi_chain_red *r, hdi_value x, hdi_value y)
{
    hd_op op = r->op == HD_OP_sumproduct ? HD_OP_sum : (hd_op)r->op;
    return hdi_emit_red(&l->e, op, (hd_dtype)r->dt, (hdi_value[]){x, y, y});
}

static hdi_value half_of(loop *l, hdi_value x, int first, int n)
{
    hdi_value r = {hdi_shuffle(&l->e, x.re, first, 1, n), NULL};
    if (x.im != NULL)
        r.im = hdi_shuffle(&l->e, x.im, first, 1, n);
    return r;
}

/* The lanes of reduction k, of which only the first `present` took an element (NULL: all did). */
static hdi_value fold(loop *l, const lanes *from, int k, value present)
{
    const hdi_chain_red *r = &l->c->red[k];
    hdi_value x = {NULL, NULL};
    for (int half = LANES / 2; half > 0; half /= 2) {
        hdi_value low, high = {NULL, NULL};
        l->e.lanes = half;
        if (half == LANES / 2) {
            value first = b_i64(&l->e, 0), second = b_i64(&l->e, half);
            low = (hdi_value){get_part(l, from, k, 0, first, half), NULL};
            high.re = get_part(l, from, k, 0, second, half);
            if (is_complex(r)) {
                low.im = get_part(l, from, k, 1, first, half);
                high.im = get_part(l, from, k, 1, second, half);
            }
        } else {
            low = half_of(l, x, 0, half);
            high = half_of(l, x, half, half);
        }
        x = merge(l, r, low, high);
        if (present != NULL) {
            value least = b_i64(&l->e, half);
            x = pick(l, hdi_chain_mask(l, least, present), x, low);
            present = b_pick(&l->e, b_lt(&l->e, present, least), present, least);
        }
    }
    return x;
}

/* The chunk's accumulators, to their place number `entry`. */
static void put_entries(loop *l, const lanes *from, value entry, value present)
{
    int lanes_of_chain = l->e.lanes;
    value first = LLVMConstInt(LLVMInt32TypeInContext(l->e.context), 0, 0);
    for (int k = 0; k < l->c->nred; k++) {
        const hdi_chain_red *r = &l->c->red[k];
        hdi_value x = fold(l, from, k, present);
        if (r->dt == HD_BOOL)
            x.re = hdi_emit_cast(&l->e, x.re, HD_BOOL, HD_UINT8);
        value to = hdi_chain_address(l, l->c->nin + l->c->nout + k, (hd_dtype)r->dt, entry);
        for (int part = 0; part <= is_complex(r); part++) {
            value at = b_i64(&l->e, part);
            value element = LLVMBuildExtractElement(l->e.build, part == 0 ? x.re : x.im, first, "");
            at = LLVMBuildGEP2(l->e.build, LLVMTypeOf(element), to, &at, 1, "");
            LLVMSetAlignment(LLVMBuildStore(l->e.build, element, at), 1);
        }
    }
    l->e.lanes = lanes_of_chain;
}

static void begin(const loop *l, sums *s, int count)
{
    s->count = count;
    for (int u = 0; u < count; u++)
        for (int k = 0; k < l->c->nred; k++)
            s->of[u][k] = l->neutral[k];
}

static void get_lanes(loop *l, const lanes *from, sums *s, value first)
{
    for (int u = 0; u < s->count; u++)
        for (int k = 0; k < l->c->nred; k++) {
            value lane = b_add(&l->e, first, b_i64(&l->e, (int64_t)u * l->e.lanes));
            s->of[u][k].re = get_part(l, from, k, 0, lane, l->e.lanes);
            if (is_complex(&l->c->red[k]))
                s->of[u][k].im = get_part(l, from, k, 1, lane, l->e.lanes);
        }
}

/* A whole chunk, its lanes in registers: one vector of a short chain after the other, so that few
 * values are alive besides. */
static bool chunk_in_registers(loop *l, const lanes *to, value base)
{
    value state[HDI_COUNT_STATE];
    hdi_count turns;
    sums s;
    begin(l, &s, LANES / l->e.lanes);
    int n = flatten(l, &s, state);
    hdi_count_open(&l->e, &turns, b_i64(&l->e, 0), b_i64(&l->e, CHUNK), LANES, n, state);
    unflatten(l, &s, state);
    if (!accumulate(l, b_add(&l->e, base, turns.index), NULL, &s, 1))
        return false;
    flatten(l, &s, state);
    hdi_count_close(&l->e, &turns, state);
    unflatten(l, &s, state);
    put_lanes(l, to, &s, b_i64(&l->e, 0));
    return true;
}

static void begin_lanes(loop *l, const lanes *to)
{
    sums s;
    begin(l, &s, 1);
    for (int first = 0; first < LANES; first += l->e.lanes)
        put_lanes(l, to, &s, b_i64(&l->e, first));
}

/* Elements [from, end) of a chunk whose lanes are in memory, some vectors at a time; masked: one,
 * of which the last may be over the end. */
static bool run_in_memory(loop *l, const lanes *to, value base, value from, value end, int count,
                          bool masked)
{
    hdi_count turns;
    sums s = {.count = count};
    hdi_count_open(&l->e, &turns, from, end, (int64_t)count * l->e.lanes, 0, NULL);
    value first = b_and(&l->e, turns.index, b_i64(&l->e, LANES - 1));
    value mask = masked ? hdi_chain_mask(l, turns.index, end) : NULL;
    get_lanes(l, to, &s, first);
    if (!accumulate(l, b_add(&l->e, base, turns.index), mask, &s, count))
        return false;
    put_lanes(l, to, &s, first);
    hdi_count_close(&l->e, &turns, NULL);
    return true;
}

/* The elements [0, end) of a chunk, its lanes in memory. end NULL: all of it. */
static bool chunk_in_memory(loop *l, const lanes *to, value base, value end)
{
    int fit = LANES / l->e.lanes, count = l->unroll < fit ? l->unroll : fit;
    begin_lanes(l, to);
    if (end == NULL)
        return run_in_memory(l, to, base, b_i64(&l->e, 0), b_i64(&l->e, CHUNK), count, false);
    value whole = b_and(&l->e, end, b_i64(&l->e, -(int64_t)count * l->e.lanes));
    return run_in_memory(l, to, base, b_i64(&l->e, 0), whole, count, false) &&
           run_in_memory(l, to, base, whole, end, 1, true);
}

static bool whole_chunk(loop *l, const lanes *to, value base)
{
    bool few = LANES / l->e.lanes * l->c->nred <= VECTORS && l->unroll == HDI_CHAIN_UNROLL;
    return few ? chunk_in_registers(l, to, base)
               : chunk_in_memory(l, to, base, NULL);
}

/* One row, chunk by chunk, the first of them to accumulator number `entry`. */
static bool reduce_row(loop *l, const lanes *at, value base, value entry)
{
    hdi_emit *e = &l->e;
    hdi_count chunks, rest;
    value whole = b_and(e, l->n, b_i64(&l->e, -CHUNK)), all = b_i64(&l->e, LANES);
    hdi_count_open(e, &chunks, b_i64(&l->e, 0), whole, CHUNK, 0, NULL);
    if (!whole_chunk(l, at, b_add(e, base, chunks.index)))
        return false;
    value number = b_lshr(e, chunks.index, __builtin_ctz(CHUNK));
    put_entries(l, at, b_add(e, entry, number), NULL);
    hdi_count_close(e, &chunks, NULL);
    hdi_count_open(e, &rest, whole, l->n, CHUNK, 0, NULL);
    value left = b_sub(e, l->n, whole);
    if (!chunk_in_memory(l, at, b_add(e, base, whole), left))
        return false;
    number = b_lshr(e, whole, __builtin_ctz(CHUNK));
    put_entries(l, at, b_add(e, entry, number), b_pick(e, b_lt(e, left, all), left, all));
    hdi_count_close(e, &rest, NULL);
    return true;
}

static bool plain_row(loop *l, value base)
{
    value step = b_i64(&l->e, -(int64_t)l->unroll * l->e.lanes), whole = b_and(&l->e, l->n, step);
    return hdi_chain_run(l, base, b_i64(&l->e, 0), whole, l->unroll, false) &&
           hdi_chain_run(l, base, whole, l->n, 1, true);
}

bool hdi_chain_emit_rows(hdi_chain_loop *l)
{
    hdi_emit *e = &l->e;
    lanes at;
    hdi_count rows;
    make_lanes(l, &at);
    value per_row = b_lshr(e, b_add(e, l->n, b_i64(&l->e, CHUNK - 1)), __builtin_ctz(CHUNK));
    hdi_count_open(e, &rows, b_i64(&l->e, 0), l->rows, 1, 0, NULL);
    for (int k = 0; k < l->c->nin; k++)
        for (int u = 0; u < HDI_CHAIN_UNROLL && l->c->in_row[k]; u++)
            l->of_row[u][k] = u > 0 ? l->of_row[0][k]
                                    : hdi_chain_single(l, k, (hd_dtype)l->c->in_dt[k], rows.index);
    value base = b_mul(e, rows.index, l->pitch);
    if (l->c->nred > 0 ? !reduce_row(l, &at, base, b_mul(e, rows.index, per_row))
                       : !plain_row(l, base))
        return false;
    hdi_count_close(e, &rows, NULL);
    return true;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Columns from..to: their accumulators stay in registers from row to row. */
static bool columns(loop *l, value from, value to, int count, bool masked)
{
    hdi_emit *e = &l->e;
    int first = l->c->nin + l->c->nout;
    value state[HDI_COUNT_STATE], index[HDI_CHAIN_UNROLL];
    hdi_count turns, rows;
    sums s = {.count = count};
    hdi_count_open(e, &turns, from, to, (int64_t)count * e->lanes, 0, NULL);
    value mask = masked ? hdi_chain_mask(l, turns.index, to) : NULL;
    for (int u = 0; u < count; u++) {
        index[u] = b_add(e, turns.index, b_i64(&l->e, (int64_t)u * e->lanes));
        for (int k = 0; k < l->c->nred; k++)
            s.of[u][k] = hdi_chain_load(l, first + k, (hd_dtype)l->c->red[k].dt, index[u], mask);
        for (int k = 0; k < l->c->nin; k++)
            if (l->c->in_row[k])
                l->of_row[u][k] = hdi_chain_load(l, k, (hd_dtype)l->c->in_dt[k], index[u], mask);
    }
    hdi_count_open(e, &rows, b_i64(&l->e, 0), l->rows, 1, flatten(l, &s, state), state);
    unflatten(l, &s, state);
    value at = b_add(e, turns.index, b_mul(e, rows.index, l->pitch));
    if (!accumulate(l, at, mask, &s, count))
        return false;
    flatten(l, &s, state);
    hdi_count_close(e, &rows, state);
    unflatten(l, &s, state);
    for (int u = 0; u < count; u++)
        for (int k = 0; k < l->c->nred; k++)
            hdi_chain_store(l, first + k, (hd_dtype)l->c->red[k].dt, s.of[u][k], index[u], mask);
    hdi_count_close(e, &turns, NULL);
    return true;
}

bool hdi_chain_emit_columns(hdi_chain_loop *l)
{
    value step = b_i64(&l->e, -(int64_t)l->unroll * l->e.lanes), whole = b_and(&l->e, l->n, step);
    return columns(l, b_i64(&l->e, 0), whole, l->unroll, false) && columns(l, whole, l->n, 1, true);
}
