/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cpu.c - the CPU back end's interpreter against the reference in kernel_ref.h, bit for
 * bit. */
#include <pthread.h>
#include <stdio.h>

#include "backend/kernel_ref.h"
#include "base/alloc.h"
#include "base/pool.h"

/* ---- random kernels -------------------------------------------------------------------------- */

static const hd_dtype full_types[] = {HD_FLOAT64, HD_FLOAT32, HD_INT64,     HD_INT32,
                                      HD_UINT8,   HD_BOOL,    HD_COMPLEX128, HD_FLOAT16,
                                      HD_BFLOAT16};
static const hd_dtype row_types[] = {HD_FLOAT64, HD_FLOAT32, HD_INT64, HD_INT32, HD_FLOAT16};

typedef struct value { int inst; hd_dtype dt; uint8_t level, phase; } value;

typedef struct maker {
    ref_kernel r;
    value value[REF_INSTS];
    int nvalues, nproducts;
    /* slots that could be stored to in place, once they are loaded */
    int loads[REF_SLOTS], nloads;
    uint8_t load_phase[REF_SLOTS];
    bool rows;
} maker;

static int random_dims(int64_t *dims, int max_nd, int64_t limit)
{
    static const int64_t choice[] = {2,  3,  4,   5,   7,   16,   31,   33,
                                     64, 65, 100, 257, 600, 1500, 5000, 40000};
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
    hd_dtype dt = m->rows ? row_types[ref_below(5)] : full_types[ref_below(9)];
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
    push(m,
         ref_emit(&m->r, (hdi_kinst){.kind = KIR_INDEX,
                                     .dt = HD_INT64,
                                     .level = KIR_FULL,
                                     .phase = phase,
                                     .slot = (uint16_t)slot}),
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

/* What is computed with values of dt in; bools as `of_bools`. */
static hd_dtype loop_of(hd_dtype dt, hd_dtype of_bools)
{
    bool half = dt == HD_FLOAT16 || dt == HD_BFLOAT16;
    return dt == HD_BOOL ? of_bools : half ? HD_FLOAT32 : dt;
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
    hd_dtype dt = loop_of(x->dt, HD_FLOAT64);
    value xv = *x, yv = *y, zv = *z;
    int a = as_type(m, &xv, dt, level, phase), b = as_type(m, &yv, dt, level, phase);
    static const hd_op ops[] = {HD_OP_add, HD_OP_subtract, HD_OP_maximum, HD_OP_minimum};
    switch (ref_below(8)) {
    case 0:
        if (m->nproducts++ < 4) {
            push(m, ref_ew(&m->r, HD_OP_multiply, dt, dt, level, phase, 2, a, b, 0), dt, level,
                 phase);
            return;
        }
        break;
    case 1:
        if (m->nproducts++ < 4) {
            push(m, ref_ew(&m->r, HD_OP_square, dt, dt, level, phase, 1, a, 0, 0), dt, level,
                 phase);
            return;
        }
        break;
    case 2:
        push(m, ref_ew(&m->r, HD_OP_less, dt, HD_BOOL, level, phase, 2, a, b, 0), HD_BOOL, level,
             phase);
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
    push(m,
         ref_ew(&m->r, ops[ref_below(dt == HD_COMPLEX128 ? 2 : 4)], dt, dt, level, phase, 2, a, b,
                0),
         dt, level, phase);
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
        if (m->r.slot[from].dt != v->dt || m->r.slot[from].level != level || broadcast ||
            m->load_phase[which] > phase)
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
        hd_dtype dt = full_types[ref_below(9)];
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
    static const hd_op ops[] = {HD_OP_sum,        HD_OP_sum, HD_OP_max,    HD_OP_min,
                                HD_OP_any,        HD_OP_all, HD_OP_argmin, HD_OP_argmax,
                                HD_OP_sumproduct, HD_OP_prod};
    const value *x = pick(m, KIR_FULL, phase), *y = pick(m, KIR_FULL, phase);
    if (x == NULL || y == NULL)
        return;
    value xv = *x, yv = *y;
    hd_op op = ops[ref_below(10)];
    hd_dtype dt = loop_of(xv.dt, HD_INT64);
    if (op == HD_OP_prod)
        dt = HD_INT64;   /* wraps; real products would overflow */
    int a = as_type(m, &xv, dt, KIR_FULL, phase),
        b = op == HD_OP_sumproduct ? as_type(m, &yv, dt, KIR_FULL, phase) : -1;
    hd_dtype out = op == HD_OP_any || op == HD_OP_all         ? HD_BOOL
                   : op == HD_OP_argmin || op == HD_OP_argmax ? HD_INT64
                                                              : dt;
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
        /* no maximum of nothing: keep to a domain with elements */
        if (reduced >> a & 1 && dims[a] == 0)
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
            push(m, ref_scalar(&m->r, HD_FLOAT64, level, (uint8_t)p), HD_FLOAT64, level,
                 (uint8_t)p);
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
            fprintf(stderr, "seed %llu, %d phases, limit %lld\n", (unsigned long long)seed, nphases,
                    (long long)limit);
            return;
        }
    }
}

/* More rounds: HEDDLE_TEST_ROUNDS=10. Fewer under ThreadSanitizer, which takes ten times as long:
 * what threads do to each other shows early. */
static int rounds(int n)
{
#ifdef __SANITIZE_THREAD__
    n = (n + 3) / 4;
#endif
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

/* ---- stopping and going on ------------------------------------------------------------------- */

static bool stop_always(void)
{
    return true;
}

/* Launches until it is through; returns how often that was. */
static int launch_stubbornly(hdi_launch *l, bool (*poll)(void))
{
    int calls = 0;
    hd_status status;
    hdi_poll_interrupt = poll;
    do {
        status = hdi_backend_cpu.launch(NULL, l);
        calls++;
    } while (status == HD_INTERRUPTED);
    hdi_poll_interrupt = NULL;
    CHECK(status == HD_OK);
    CHECK(l->progress == NULL);
    return calls;
}

/* x = (x * x) + 1 over memory that a second run must not touch again. */
static void make_in_place(ref_kernel *r, int64_t n)
{
    ref_init(r, 1, &n, 0);
    int x = ref_load(r, ref_array(r, HD_FLOAT64, KIR_FULL, false, NULL, 0, 0, 0), 0);
    int one = ref_scalar(r, HD_FLOAT64, KIR_FULL, 0);
    int y = ref_ew(r, HD_OP_square, HD_FLOAT64, HD_FLOAT64, KIR_FULL, 0, 1, x, 0, 0);
    y = ref_ew(r, HD_OP_subtract, HD_FLOAT64, HD_FLOAT64, KIR_FULL, 0, 2, y, one, 0);
    int slot = ref_slot(r, HDI_SLOT_ARRAY, HD_FLOAT64, KIR_FULL, true);
    r->operand[slot] = r->operand[0];
    r->order_arg = slot;
    ref_store(r, y, slot, 0);
}

TEST(cpu, interrupted_in_place_goes_on)
{
    for (int threads = 1; threads <= 3; threads++) {
        ref_kernel *r = &the_maker.r;
        hdi_arg args[REF_SLOTS + 1];
        void *program = NULL;
        hdi_pool_set_threads(threads);
        make_in_place(r, 6000000);
        REQUIRE(ref_compile(r, &program) == HD_OK);
        hdi_launch l = ref_launch(r, program, args);
        int calls = launch_stubbornly(&l, stop_always);
        /* others may have finished everything before the launcher looked */
        CHECK(threads > 1 || calls > 1);
        const double *got = (const void *)r->run[0], *old = (const void *)r->ref[0];
        double one;
        memcpy(&one, r->operand[1].scalar, sizeof one);
        int64_t wrong = 0;
        for (int64_t i = 0; i < 6000000; i++)
            wrong += got[i] != old[i] * old[i] - one;
        CHECK_EQ_I64(wrong, 0);
        hdi_backend_cpu.destroy(NULL, program);
        ref_free(r);
    }
    hdi_pool_set_threads(0);
}

/* Mean, then the sum of squared distances from it, and the distances themselves: two phases, two
 * results. */
static void make_variance(ref_kernel *r, int nd, const int64_t *dims, uint64_t reduced)
{
    ref_init(r, nd, dims, reduced);
    r->k.cls = 'w';
    r->k.nphases = 2;
    int x = ref_load(r, ref_array(r, HD_FLOAT64, KIR_FULL, false, NULL, 0, 0, 0), 0);
    int n = ref_scalar(r, HD_FLOAT64, KIR_ROW, 0);
    int mean = ref_reduce(r, HD_OP_sum, HD_FLOAT64, HD_FLOAT64, 0, x, -1);
    mean = ref_ew(r, HD_OP_multiply, HD_FLOAT64, HD_FLOAT64, KIR_ROW, 0, 2, mean, n, 0);
    int d = ref_ew(r, HD_OP_subtract, HD_FLOAT64, HD_FLOAT64, KIR_FULL, 1, 2, x, mean, 0);
    int s = ref_reduce(r, HD_OP_sumproduct, HD_FLOAT64, HD_FLOAT64, 1, d, d);
    ref_store(r, s, ref_array(r, HD_FLOAT64, KIR_ROW, true, NULL, 0, 0, 0), 1);
    ref_store(r, d, ref_array(r, HD_FLOAT64, KIR_FULL, true, NULL, 0, 0, 0), 1);
}

static const int64_t shapes[][2] = {{1, 3000000}, {3000000, 1}, {2, 1500000},
                                    {1000000, 3}, {400000, 20}, {3000, 1000},
                                    {1000, 3000}, {60000, 50},  {7, 400001}};

/* One launch of the variance over shape s, reduced over `axis`; the bytes of its results are
 * left in the maker. */
static int run_variance(int s, int axis, bool (*poll)(void))
{
    ref_kernel *r = &the_maker.r;
    hdi_arg args[REF_SLOTS + 1];
    void *program = NULL;
    int64_t dims[2];
    int nd = 0;
    uint64_t reduced = 0;
    for (int a = 0; a < 2; a++)
        if (shapes[s][a] > 1) {
            reduced |= a == axis || shapes[s][1 - a] == 1 ? (uint64_t)1 << nd : 0;
            dims[nd++] = shapes[s][a];
        }
    ref_state = 12345;
    make_variance(r, nd, dims, reduced);
    if (!CHECK(ref_compile(r, &program) == HD_OK))
        return 0;
    hdi_launch l = ref_launch(r, program, args);
    int calls = launch_stubbornly(&l, poll);
    hdi_backend_cpu.destroy(NULL, program);
    return calls;
}

TEST(cpu, same_bits_with_any_number_of_threads_and_interruptions)
{
    int interrupted = 0, step = rounds(4) > 1 ? 1 : 2;
    for (int s = 0; s < 9; s += step)
        for (int axis = 0; axis < 2; axis++) {
            hdi_pool_set_threads(1);
            run_variance(s, axis, NULL);
            ref_kernel *r = &the_maker.r;
            int nbuffers = r->nbuffers;
            uint8_t *first[4];
            memcpy(first, r->run, sizeof *first * (size_t)nbuffers);
            memset(r->run, 0, sizeof *first * (size_t)nbuffers);
            ref_free(r);
            for (int threads = 1; threads <= 3; threads++) {
                hdi_pool_set_threads(threads);
                interrupted += run_variance(s, axis, threads == 2 ? NULL : stop_always) > 1;
                for (int b = 0; b < nbuffers; b++)
                    CHECK(memcmp(first[b], r->run[b], (size_t)r->nbytes[b]) == 0);
                ref_free(r);
            }
            for (int b = 0; b < nbuffers; b++)
                free(first[b]);
        }
    CHECK(interrupted > 5);
    hdi_pool_set_threads(0);
}

TEST(cpu, forgotten_launches_leave_nothing)
{
    hdi_pool_set_threads(2);
    for (int s = 0; s < 9; s++) {
        ref_kernel *r = &the_maker.r;
        hdi_arg args[REF_SLOTS + 1];
        void *program = NULL;
        make_variance(r, 2, shapes[2], (uint64_t)1 << (s & 1));
        REQUIRE(ref_compile(r, &program) == HD_OK);
        hdi_launch l = ref_launch(r, program, args);
        hdi_poll_interrupt = stop_always;
        hdi_backend_cpu.launch(NULL, &l);
        hdi_poll_interrupt = NULL;
        hdi_backend_cpu.forget(NULL, &l);
        CHECK(l.progress == NULL);
        hdi_backend_cpu.destroy(NULL, program);
        ref_free(r);
    }
    hdi_pool_set_threads(0);
}

/* ---- running out of memory ------------------------------------------------------------------- */

/* Every allocation of compilation and launch fails once; a launch that failed has changed
 * nothing and can be made again. */
static void fail_each_allocation(ref_kernel *r)
{
    for (int n = 1; n < 200; n++) {
        hdi_arg args[REF_SLOTS + 1];
        void *program = NULL;
        bool failed = false;
        hdi_fail_after(n);
        hd_status status = ref_compile(r, &program);
        if (status == HD_NOMEM) {
            failed = true;
            status = ref_compile(r, &program);
        }
        REQUIRE(status == HD_OK);
        hdi_launch l = ref_launch(r, program, args);
        status = hdi_backend_cpu.launch(NULL, &l);
        while (status == HD_NOMEM || status == HD_INTERRUPTED) {
            failed |= status == HD_NOMEM;
            status = hdi_backend_cpu.launch(NULL, &l);
        }
        CHECK(status == HD_OK);
        hdi_backend_cpu.destroy(NULL, program);
        ref_run(r);
        CHECK_EQ_I64(ref_differences(r), 0);
        hd_error_take(NULL);
        if (!failed && n > 20)
            break;
    }
    hdi_fail_after(0);
}

/* A thread of its own, whose scratch memory is not there yet. */
static void *fail_in_thread(void *arg)
{
    fail_each_allocation(arg);
    return NULL;
}

TEST(cpu, out_of_memory_loses_nothing)
{
    for (int i = 0; i < rounds(24); i++) {
        pthread_t thread;
        hdi_pool_set_threads(1);   /* new workers each time */
        hdi_pool_set_threads(1 + i % 3);
        if (i % 4 == 0)
            make_in_place(&the_maker.r, 30000);
        else if (i % 4 == 1)
            make_elementwise(&the_maker, 30000);
        else
            make_rows(&the_maker, i % 4 == 2 ? 30000 : 200000, 1 + i % 2);
        REQUIRE(pthread_create(&thread, NULL, fail_in_thread, &the_maker.r) == 0);
        pthread_join(thread, NULL);
        ref_free(&the_maker.r);
    }
    hdi_pool_set_threads(0);
}

/* ---- no elements ----------------------------------------------------------------------------- */

TEST(cpu, reductions_of_nothing_give_the_identity)
{
    static const struct { hd_op op; hd_dtype dt, out; double want;
    } cases[] = {{HD_OP_sum, HD_FLOAT64, HD_FLOAT64, 0},
                 {HD_OP_prod, HD_FLOAT64, HD_FLOAT64, 1},
                 {HD_OP_sumproduct, HD_FLOAT64, HD_FLOAT64, 0}};
    for (int c = 0; c < 3; c++)
        for (int kept_first = 0; kept_first < 2; kept_first++) {
            ref_kernel *r = &the_maker.r;
            int64_t dims[2] = {kept_first ? 4 : 0, kept_first ? 0 : 4};
            ref_init(r, 2, dims, kept_first ? 2 : 1);
            r->k.cls = 'r';
            int x = ref_load(r, ref_array(r, cases[c].dt, KIR_FULL, false, NULL, 0, 0, 0), 0);
            int s = ref_reduce(r, cases[c].op, cases[c].dt, cases[c].out, 0, x,
                               cases[c].op == HD_OP_sumproduct ? x : -1);
            int slot = ref_array(r, cases[c].out, KIR_ROW, true, NULL, 0, 0, 0);
            ref_store(r, s, slot, 0);
            CHECK(ref_agrees(r));
            const double *out =
                (const void *)(r->run[r->operand[slot].buffer] + r->operand[slot].offset);
            for (int i = 0; i < 4; i++)
                CHECK(out[i] == cases[c].want);
            ref_free(r);
        }
}

TEST(cpu, sums_are_never_minus_zero)
{
    for (int64_t n = 1; n < 700; n += 23) {
        ref_kernel *r = &the_maker.r;
        ref_init(r, 1, &n, 1);
        r->k.cls = 'r';
        int in = ref_array(r, HD_FLOAT64, KIR_FULL, false, NULL, 0, 0, 0);
        int s = ref_reduce(r, HD_OP_sum, HD_FLOAT64, HD_FLOAT64, 0, ref_load(r, in, 0), -1);
        int slot = ref_array(r, HD_FLOAT64, KIR_ROW, true, NULL, 0, 0, 0);
        ref_store(r, s, slot, 0);
        double *x = (void *)r->run[0];
        for (int64_t i = 0; i < n; i++)
            x[i] = -0.0;
        memcpy(r->ref[0], x, (size_t)r->nbytes[0]);
        CHECK(ref_agrees(r));
        const double *out = (const void *)r->run[r->operand[slot].buffer];
        CHECK(*out == 0 && !__builtin_signbit(*out));
        ref_free(r);
    }
}

TEST(cpu, kinds_that_do_not_run_are_refused)
{
    ref_kernel *r = &the_maker.r;
    void *program = NULL;
    ref_init(r, 0, NULL, 0);
    ref_emit(r, (hdi_kinst){.kind = KIR_BARRIER});
    r->k.inst = r->inst;
    r->k.slots = r->slot;
    CHECK(hdi_backend_cpu.compile(hdi_cpu_compiler(), &r->k, &program) == HD_UNSUPPORTED);
    hd_error_take(NULL);
}
