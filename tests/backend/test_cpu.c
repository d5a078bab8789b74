/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cpu.c - the CPU back end's interpreter against the reference in kernel_ref.h, bit for bit. */
#include <stdio.h>

#include "backend/kernel_ref.h"
#include "base/alloc.h"
#include "base/pool.h"

/* ---- random kernels -------------------------------------------------------------------------------------------------------------- */

static const hd_dtype full_types[] = {HD_FLOAT64, HD_FLOAT32, HD_INT64, HD_INT32, HD_UINT8, HD_BOOL, HD_COMPLEX128};
static const hd_dtype row_types[] = {HD_FLOAT64, HD_FLOAT32, HD_INT64, HD_INT32};

typedef struct value { int inst; hd_dtype dt; uint8_t level, phase; } value;

typedef struct maker {
    ref_kernel r;
    value value[REF_INSTS];
    int nvalues, nproducts;
    int loads[REF_SLOTS], nloads;   /* slots that could be stored to in place, once they are loaded */
    uint8_t load_phase[REF_SLOTS];
    bool rows;
} maker;

static int random_dims(int64_t *dims, int max_nd, int64_t limit)
{
    static const int64_t choice[] = {2, 3, 4, 5, 7, 16, 31, 33, 64, 65, 100, 257, 600, 1500, 5000, 40000};
    int nd = (int)ref_below(max_nd + 1);
    int64_t size = 1;
    for (int a = 0; a < nd; a++) {
        do
            dims[a] = choice[ref_below(16)];
        while (size * dims[a] > limit && limit / size >= 2);
        if (size * dims[a] > limit)
            return a;
        size *= dims[a];
    }
    if (nd > 0 && ref_below(40) == 0)
        dims[ref_below(nd)] = 0;
    return nd;
}

static void random_perm(int *perm, int nd)
{
    for (int a = 0; a < nd; a++)
        perm[a] = a;
    for (int a = nd - 1; a > 0; a--) {
        int b = (int)ref_below(a + 1), t = perm[a];
        perm[a] = perm[b];
        perm[b] = t;
    }
}

/* Half the arrays are plain, the others permuted, padded, backwards, broadcast. */
static int random_array(maker *m, hd_dtype dt, uint8_t level, bool write)
{
    int perm[REF_AXES];
    if (ref_below(2) == 0)
        return ref_array(&m->r, dt, level, write, NULL, 0, 0, 0);
    random_perm(perm, m->r.nd);
    unsigned back = ref_below(3) == 0 ? (unsigned)ref_below(1 << REF_AXES) : 0;
    unsigned broadcast = !write && ref_below(3) == 0 ? (unsigned)ref_below(1 << REF_AXES) : 0;
    int64_t pad = ref_below(2) * ref_below(5);
    return ref_array(&m->r, dt, level, write, ref_below(2) ? perm : NULL, pad, back, broadcast);
}

static void push(maker *m, int inst, hd_dtype dt, uint8_t level, uint8_t phase)
{
    m->value[m->nvalues++] = (value){inst, dt, level, phase};
}

static void random_load(maker *m, uint8_t level, uint8_t phase)
{
    hd_dtype dt = m->rows ? row_types[ref_below(4)] : full_types[ref_below(7)];
    int slot = random_array(m, dt, level, false);
    m->load_phase[m->nloads] = phase;
    m->loads[m->nloads++] = slot;
    push(m, ref_load(&m->r, slot, phase), dt, level, phase);
}

static void random_index(maker *m, uint8_t phase)
{
    int slot = ref_slot(&m->r, HDI_SLOT_INDEX, HD_INT64, KIR_FULL, false);
    ref_operand *o = &m->r.operand[slot];
    o->base = ref_below(1000) - 500;
    int64_t step = 1;
    for (int a = m->r.nd - 1; a >= 0; a--) {
        o->strides[a] = ref_below(2) ? step : ref_below(9) - 4;
        step *= m->r.dims[a];
    }
    push(m, ref_emit(&m->r, (hdi_kinst){.kind = KIR_INDEX, .dt = HD_INT64, .level = KIR_FULL, .phase = phase, .slot = (uint16_t)slot}),
         HD_INT64, KIR_FULL, phase);
}

/* A value that a step of that level and phase may use, or NULL. */
static const value *pick(const maker *m, uint8_t level, uint8_t phase)
{
    for (int tries = 0; tries < 30; tries++) {
        const value *v = &m->value[ref_below(m->nvalues)];
        bool scalar = m->r.inst[v->inst].kind == KIR_SCALAR;
        if (v->phase > phase || (level == KIR_ROW && v->level == KIR_FULL))
            continue;
        if (level == KIR_FULL && v->level == KIR_ROW && v->phase == phase && !scalar)
            continue;
        return v;
    }
    return NULL;
}

/* v as dt, seen from that level. */
static int as_type(maker *m, const value *v, hd_dtype dt, uint8_t level, uint8_t phase)
{
    if (v->dt == dt)
        return v->inst;
    int inst = ref_cast(&m->r, v->inst, dt, level, phase);
    push(m, inst, dt, level, phase);
    return inst;
}

static void random_op(maker *m, uint8_t level, uint8_t phase)
{
    const value *x = pick(m, level, phase), *y = pick(m, level, phase), *z = pick(m, level, phase);
    if (x == NULL || y == NULL || z == NULL || m->r.k.ninst > REF_INSTS - 12)
        return;
    hd_dtype dt = x->dt == HD_BOOL ? HD_FLOAT64 : x->dt;
    value xv = *x, yv = *y, zv = *z;
    int a = as_type(m, &xv, dt, level, phase), b = as_type(m, &yv, dt, level, phase);
    static const hd_op ops[] = {HD_OP_add, HD_OP_subtract, HD_OP_maximum, HD_OP_minimum};
    switch (ref_below(8)) {
    case 0:
        if (m->nproducts++ < 4) {
            push(m, ref_ew(&m->r, HD_OP_multiply, dt, dt, level, phase, 2, a, b, 0), dt, level, phase);
            return;
        }
        break;
    case 1:
        if (m->nproducts++ < 4) {
            push(m, ref_ew(&m->r, HD_OP_square, dt, dt, level, phase, 1, a, 0, 0), dt, level, phase);
            return;
        }
        break;
    case 2:
        push(m, ref_ew(&m->r, HD_OP_less, dt, HD_BOOL, level, phase, 2, a, b, 0), HD_BOOL, level, phase);
        return;
    case 3: {
        int c = as_type(m, &zv, HD_BOOL, level, phase);
        push(m, ref_ew(&m->r, HD_OP_where, dt, dt, level, phase, 3, c, a, b), dt, level, phase);
        return;
    }
    case 4:
        push(m, ref_ew(&m->r, HD_OP_negative, dt, dt, level, phase, 1, a, 0, 0), dt, level, phase);
        return;
    default:
        break;
    }
    push(m, ref_ew(&m->r, ops[ref_below(dt == HD_COMPLEX128 ? 2 : 4)], dt, dt, level, phase, 2, a, b, 0), dt, level, phase);
}

/* Stores a value: to a new array, or in place of one that was loaded as densely. */
static void random_store(maker *m, const value *v, uint8_t phase)
{
    uint8_t level = m->r.inst[v->inst].kind == KIR_SCALAR ? KIR_FULL : v->level;
    for (int i = 0; i < m->nloads && ref_below(2) == 0; i++) {
        int which = (int)ref_below(m->nloads), from = m->loads[which];
        const ref_operand *o = &m->r.operand[from];
        bool broadcast = false;
        for (int a = 0; a < m->r.nd; a++)
            broadcast |= o->strides[a] == 0 && !ref_kept_only(&m->r, a, level);
        if (m->r.slot[from].dt != v->dt || m->r.slot[from].level != level || broadcast || m->load_phase[which] > phase)
            continue;
        int slot = ref_slot(&m->r, HDI_SLOT_ARRAY, v->dt, level, true);
        m->r.operand[slot] = m->r.operand[from];
        ref_store(&m->r, v->inst, slot, phase);
        return;
    }
    ref_store(&m->r, v->inst, random_array(m, v->dt, level, true), phase);
}

static void make_elementwise(maker *m, int64_t limit)
{
    int64_t dims[REF_AXES];
    m->nvalues = m->nproducts = m->nloads = 0;
    m->rows = false;
    ref_init(&m->r, random_dims(dims, 5, limit), dims, 0);
    for (int i = (int)ref_below(4); i >= 0; i--)
        random_load(m, KIR_FULL, 0);
    for (int i = (int)ref_below(3); i > 0; i--) {
        hd_dtype dt = full_types[ref_below(7)];
        push(m, ref_scalar(&m->r, dt, KIR_FULL, 0), dt, KIR_FULL, 0);
    }
    if (ref_below(3) == 0)
        random_index(m, 0);
    for (int i = (int)ref_below(14); i > 0; i--) {
        random_op(m, KIR_FULL, 0);
        if (ref_below(9) == 0 && m->nloads < 8)
            random_load(m, KIR_FULL, 0);
    }
    for (int i = (int)ref_below(3); i >= 0; i--) {
        random_store(m, &m->value[ref_below(2) ? m->nvalues - 1 : ref_below(m->nvalues)], 0);
        m->r.order_arg = m->r.k.nslots - 1;
    }
}

static void random_reduction(maker *m, uint8_t phase)
{
    static const hd_op ops[] = {HD_OP_sum, HD_OP_sum, HD_OP_max, HD_OP_min, HD_OP_any, HD_OP_all, HD_OP_argmin, HD_OP_argmax,
                                HD_OP_sumproduct, HD_OP_prod};
    const value *x = pick(m, KIR_FULL, phase), *y = pick(m, KIR_FULL, phase);
    if (x == NULL || y == NULL)
        return;
    value xv = *x, yv = *y;
    hd_op op = ops[ref_below(10)];
    hd_dtype dt = xv.dt == HD_BOOL ? HD_INT64 : xv.dt;
    if (op == HD_OP_prod)
        dt = HD_INT64;   /* wraps; real products would overflow */
    int a = as_type(m, &xv, dt, KIR_FULL, phase), b = op == HD_OP_sumproduct ? as_type(m, &yv, dt, KIR_FULL, phase) : -1;
    hd_dtype out = op == HD_OP_any || op == HD_OP_all ? HD_BOOL : op == HD_OP_argmin || op == HD_OP_argmax ? HD_INT64 : dt;
    push(m, ref_reduce(&m->r, op, dt, out, phase, a, b), out, KIR_ROW, phase);
}

/* The order of axes that reductions follow: that of an array over all axes. */
static void random_order(maker *m)
{
    int perm[REF_AXES];
    ref_operand *o = &m->r.operand[REF_SLOTS];
    if (ref_below(3) > 0)
        return;
    random_perm(perm, m->r.nd);
    int64_t step = 8;
    for (int i = m->r.nd - 1; i >= 0; i--) {
        o->strides[perm[i]] = step;
        step *= m->r.dims[perm[i]];
    }
    o->linear = false;
}

static void make_rows(maker *m, int64_t limit, int nphases)
{
    int64_t dims[REF_AXES];
    m->nvalues = m->nproducts = m->nloads = 0;
    m->rows = true;
    int nd = random_dims(dims, 4, limit);
    uint64_t all = ((uint64_t)1 << nd) - 1, reduced = (uint64_t)ref_below((int64_t)all + 1);
    bool empty = false;
    for (int a = 0; a < nd; a++) {
        if (reduced >> a & 1 && dims[a] == 0)   /* no maximum of nothing: keep to a domain with elements */
            dims[a] = 2;
        empty |= dims[a] == 0;
    }
    ref_init(&m->r, nd, dims, ref_below(3) == 0 ? all : reduced);
    if (empty)
        m->r.reduced = reduced;
    m->r.k.cls = nphases > 1 ? 'w' : 'r';
    m->r.k.nphases = (uint8_t)nphases;
    random_order(m);
    for (int p = 0; p < nphases; p++) {
        for (int i = (int)ref_below(3) + (p == 0); i > 0; i--)
            random_load(m, ref_below(5) == 0 ? KIR_ROW : KIR_FULL, (uint8_t)p);
        if (p == 0)
            random_load(m, KIR_FULL, 0);
        if (ref_below(2)) {
            uint8_t level = ref_below(2) ? KIR_ROW : KIR_FULL;
            push(m, ref_scalar(&m->r, HD_FLOAT64, level, (uint8_t)p), HD_FLOAT64, level, (uint8_t)p);
        }
        if (ref_below(4) == 0)
            random_index(m, (uint8_t)p);
        for (int i = (int)ref_below(6); i > 0; i--)
            random_op(m, KIR_FULL, (uint8_t)p);
        for (int i = (int)ref_below(2); i >= 0; i--)
            random_reduction(m, (uint8_t)p);
        for (int i = (int)ref_below(4); i > 0; i--)
            random_op(m, KIR_ROW, (uint8_t)p);
    }
    uint8_t phase = 0;   /* stores run phase by phase, so they stand in that order too */
    for (int i = (int)ref_below(4) + 1; i > 0; i--) {
        value v = m->value[m->nvalues - 1 - ref_below(m->nvalues > 6 ? 6 : m->nvalues)];
        phase = v.phase > phase ? v.phase : phase;
        phase = (uint8_t)(phase + ref_below(nphases - phase));
        if (m->r.inst[v.inst].kind != KIR_SCALAR)
            random_store(m, &v, phase);
    }
}

static maker the_maker;

static void fuzz(int repeats, int64_t limit, int nphases)
{
    for (int i = 0; i < repeats; i++) {
        uint64_t seed = ref_state;
        if (nphases == 0)
            make_elementwise(&the_maker, limit);
        else
            make_rows(&the_maker, limit, nphases);
        bool ok = ref_agrees(&the_maker.r);
        ref_free(&the_maker.r);
        if (!ok) {
            fprintf(stderr, "seed %llu, %d phases, limit %lld\n", (unsigned long long)seed, nphases, (long long)limit);
            return;
        }
    }
}

/* More rounds: HEDDLE_TEST_ROUNDS=10 */
static int rounds(int n)
{
    const char *text = getenv("HEDDLE_TEST_ROUNDS");
    return text != NULL ? n * atoi(text) : n;
}

TEST(cpu, elementwise_small)
{
    fuzz(rounds(1500), 200, 0);
}

TEST(cpu, elementwise_tiny_blocks)
{
    setenv("HEDDLE_BLOCK", "8", 1);
    fuzz(rounds(800), 1000, 0);
    setenv("HEDDLE_BLOCK", "1", 1);
    fuzz(rounds(200), 200, 0);
    unsetenv("HEDDLE_BLOCK");
}

TEST(cpu, elementwise_large)
{
    for (int threads = 1; threads <= 3; threads++) {
        hdi_pool_set_threads(threads);
        fuzz(rounds(60), 60000, 0);
    }
    hdi_pool_set_threads(0);
}

TEST(cpu, reductions_small)
{
    fuzz(rounds(800), 300, 1);
    fuzz(rounds(500), 300, 2);
    fuzz(rounds(300), 300, 3);
}

TEST(cpu, reductions_small_blocks)
{
    setenv("HEDDLE_BLOCK", "256", 1);
    fuzz(rounds(150), 4000, 1);
    fuzz(rounds(150), 4000, 2);
    fuzz(rounds(100), 4000, 4);
    unsetenv("HEDDLE_BLOCK");
}

TEST(cpu, reductions_large)
{
    for (int threads = 1; threads <= 3; threads++) {
        hdi_pool_set_threads(threads);
        fuzz(rounds(30), 80000, 1);
        fuzz(rounds(20), 80000, 2);
    }
    hdi_pool_set_threads(0);
}
