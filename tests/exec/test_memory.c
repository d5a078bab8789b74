/* SPDX-License-Identifier: BSD-3-Clause */
/* test_memory.c - memory within jobs: results that live in registers, outputs that take over
 * dying inputs, buffers that later steps of a job use again, nothing left behind; and the values
 * are those of operations run one by one. */
#include "support.h"

enum { N = 4000, BYTES = N * 8 };

static hd_array *line(double first)
{
    return t_ramp_from(first, SHAPE(N), HD_FLOAT64);
}

static hd_stats before;
static void begin(void)
{
    hd_synchronize(NULL);
    hd_reset_memory_peak(NULL);
    before = t_stats(NULL);
}

static int64_t peak(void)
{
    return t_stats(NULL).memory_peak - before.memory_used;
}

/* x = x + 1 over and over: one kernel, in the memory that was x's. */
TEST(memory, a_chain_needs_no_more_than_its_input)
{
    hd_array *x = line(0);
    begin();
    for (int k = 0; k < 50; k++) {
        hd_array *y = hd_add(x, x);
        hd_release(x);
        x = y;
        hd_array *z = hd_multiply(x, x);
        hd_release(x);
        x = hd_sqrt(z);
        hd_release(z);
        z = hd_subtract(x, x);
        hd_release(x);
        x = hd_cos(z);
        hd_release(z);
    }
    CHECK(hd_eval(x) == HD_OK);
    hd_stats now = t_stats(NULL);
    CHECK(now.takeovers - before.takeovers >= 1);
    CHECK(peak() <= 0);
    CHECK_NEAR(t_value(x, 17), 1, 0);
    hd_release(x);
    CHECK_EQ_I64(t_stats(NULL).memory_used, before.memory_used - BYTES);
}

/* An input that somebody still holds is not taken. */
TEST(memory, held_inputs_are_not_taken)
{
    hd_array *x = line(1), *v = t_slice(x, SLICE(0, 2, 1));
    begin();
    hd_array *y = hd_add(x, x);
    hd_release(x);
    CHECK(hd_eval(y) == HD_OK);
    CHECK_EQ_I64(t_stats(NULL).takeovers, before.takeovers);
    CHECK(t_equals(v, 1, 2));
    hd_release(v);
    hd_release(y);
}

/* Nor one that is read once more under another map. */
TEST(memory, shifted_readers_keep_their_input)
{
    hd_array *x = line(0);
    begin();
    int scope = hd_scope_begin();
    hd_array *back = t_slice(x, SLICE(HD_NONE, HD_NONE, -1)), *y = hd_keep(hd_subtract(x, back));
    hd_scope_end(scope, NULL);
    hd_release(x);
    CHECK(hd_eval(y) == HD_OK);
    CHECK_EQ_I64(t_stats(NULL).takeovers, before.takeovers);
    CHECK(t_value(y, 0) == 1 - N && t_value(y, N - 1) == N - 1 && t_value(y, 7) == 2 * 7 + 1 - N);
    hd_release(y);
}

/* A dozen running sums, one after another: each step's input is the next step's output buffer. */
TEST(memory, steps_of_a_job_share_buffers)
{
    hd_array *x = line(1);
    begin();
    int scope = hd_scope_begin();
    hd_array *y = x;
    for (int k = 0; k < 12; k++)
        y = hd_multiply(hd_cumsum(y, 0, HD_NO_DTYPE, NULL), hd_float(0.5));
    hd_keep(y);
    hd_scope_end(scope, NULL);
    CHECK(hd_eval(y) == HD_OK);
    CHECK(peak() <= 3 * BYTES);   /* not twelve */
    CHECK_EQ_I64(t_stats(NULL).kernels - before.kernels, 24);
    CHECK_NEAR(t_value(y, 0), 1.0 / 4096, 0);
    hd_release(x);
    hd_release(y);
}

TEST(memory, temporaries_never_get_any)
{
    hd_array *x = line(0), *y = line(1);
    begin();
    int scope = hd_scope_begin();
    hd_array *z = hd_sqrt(hd_add(hd_multiply(x, x), hd_multiply(y, y)));
    hd_scope_end(scope, z);
    CHECK(hd_eval(z) == HD_OK);
    CHECK_EQ_I64(peak(), BYTES);
    CHECK_EQ_I64(t_stats(NULL).temporaries - before.temporaries, 3);
    CHECK_NEAR(t_value(z, 3), 5, 0);
    hd_array *all[] = {x, y, z};
    for (int k = 0; k < 3; k++)
        hd_release(all[k]);
}

TEST(memory, dropped_work_leaves_nothing)
{
    begin();
    for (int k = 0; k < 500; k++) {
        int scope = hd_scope_begin();
        hd_array *x = hd_zeros(SHAPE(N), HD_FLOAT64), *y = hd_add(x, hd_int(k)),
                 *v = t_slice(y, SLICE(0, k, 1));
        hd_assign(v, hd_int(3), HD_CAST_SAME_KIND);
        if (k % 7 == 0)
            CHECK(hd_eval(y) == HD_OK);
        hd_scope_end(scope, NULL);
    }
    CHECK(hd_synchronize(NULL) == HD_OK);
    CHECK_EQ_I64(t_stats(NULL).memory_used, before.memory_used);
    CHECK(hd_trim(NULL) >= 0);
    CHECK_EQ_I64(t_stats(NULL).memory_cached, 0);
}

/* ---- the same values as one by one ----------------------------------------------------------- */

enum { SIDE = 12, ARRAYS = 4, STEPS = 60, PROGRAMS = 40 };

static hd_array *random_view(hd_array *m)
{
    hd_array *t = t_below(3) == 0 ? hd_transpose(m, NULL) : m;
    int64_t i = t_below(SIDE - 5), j = t_below(SIDE - 5), by = t_below(3) ? 1 : -1;
    t = t_slice(t, SLICE(i, i + 5, 1), SLICE(j, j + 5, 1));
    return t_slice(t, SLICE(HD_NONE, HD_NONE, by));
}

/* One random statement; x holds values of a moderate size. */
static void statement(hd_array **x)
{
    hd_array *a = x[t_below(ARRAYS)], *b = x[t_below(ARRAYS)], *r = NULL;
    int axis = (int)t_below(2);
    int64_t cell = t_below(SIDE);
    switch (t_below(13)) {
    case 0:  r = hd_add(a, hd_transpose(b, NULL)); break;
    case 1:  r = hd_multiply(a, hd_float(0.25)); break;
    case 2:  r = hd_subtract(a, hd_max(b, 1, &axis, 1)); break;
    case 3:  r = hd_sin(hd_subtract(a, hd_mean(b, NULL))); break;
    case 4:  r = hd_where(hd_less(a, b), a, hd_transpose(b, NULL)); break;
    case 5:  hd_assign(random_view(a), random_view(b), HD_CAST_SAME_KIND); break;
    case 6:  hd_inplace(HD_OP_maximum, random_view(a), random_view(a)); break;
    case 7:  hd_assign(random_view(a), hd_float(0.5), HD_CAST_SAME_KIND); break;
    case 8:  hd_inplace(HD_OP_minimum, a, hd_sum(b, 1, &axis, 0)); break;
    case 9:  r = hd_tanh(hd_matmul(a, b, NULL)); break;
    case 10: r = hd_cos(hd_cumsum(a, axis, HD_NO_DTYPE, NULL)); break;
    case 11:
        r = hd_tanh(hd_divide(hd_exp(hd_tanh(a)), hd_sum(hd_exp(hd_tanh(a)), 1, &axis, 1)));
        break;
    default: hd_assign(t_slice(a, AT(cell)), hd_max(b, 1, &axis, 0), HD_CAST_SAME_KIND); break;
    }
    if (r != NULL)
        x[t_below(ARRAYS)] = r;
}

/* Runs the program of that seed and adds up what is in memory at the end. */
static void run_program(uint64_t seed, bool fused, double *out)
{
    t_state = seed;
    int old_fusion = hd_set_fusion(fused), scope = hd_scope_begin();
    hd_array *x[ARRAYS];
    for (int k = 0; k < ARRAYS; k++)
        x[k] = hd_keep(hd_sin(t_ramp_from(k, SHAPE(SIDE, SIDE), HD_FLOAT64)));
    for (int k = 0; k < STEPS; k++) {
        int inner = hd_scope_begin();
        hd_array *old[ARRAYS];
        memcpy(old, x, sizeof old);
        statement(x);
        for (int j = 0; j < ARRAYS; j++)
            hd_retain(x[j]);
        hd_scope_end(inner, NULL);
        for (int j = 0; j < ARRAYS; j++)
            hd_release(old[j]);
        if (!fused)
            hd_synchronize(NULL);
    }
    for (int k = 0; k < ARRAYS; k++)
        CHECK(hd_read(x[k], out + k * SIDE * SIDE) == HD_OK);
    for (int k = 0; k < ARRAYS; k++)
        hd_release(x[k]);
    hd_scope_end(scope, NULL);
    hd_set_fusion(old_fusion);
}

TEST(memory, random_programs_fused_and_one_by_one)
{
    static double fused[ARRAYS * SIDE * SIDE], single[ARRAYS * SIDE * SIDE];
    begin();
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        run_program(seed * 0x9E3779B97F4A7C15u, true, fused);
        run_program(seed * 0x9E3779B97F4A7C15u, false, single);
        int wrong = 0;
        for (int k = 0; k < ARRAYS * SIDE * SIDE; k++)
            wrong += memcmp(&fused[k], &single[k], 8) != 0;
        CHECK_EQ_I64(wrong, 0);   /* the same bits: neither fusion nor company changes a sum */
    }
    CHECK(t_stats(NULL).takeovers > before.takeovers + PROGRAMS);
    CHECK(t_clean());
}
