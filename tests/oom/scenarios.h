/* SPDX-License-Identifier: BSD-3-Clause */
/* scenarios.h - small programs that together allocate in every way the library can: each row of
 * the operation tables, and a list of programs. Each gives an array, or NULL if the library
 * reported a failure on the way; all of them release what they make.
 * Start at   scenario_run() */
#ifndef HEDDLE_TESTS_SCENARIOS_H
#define HEDDLE_TESTS_SCENARIOS_H

#include <heddle/fft.h>
#include <heddle/graph.h>
#include <heddle/kernel.h>
#include <heddle/linalg.h>
#include <heddle/random.h>
#include <heddle/signal.h>
#include <heddle/sort.h>

#include "core/op.h"
#include "support.h"

enum { SCENARIO_BYTES = 8192 };   /* of the largest result */

/* ---- rows of the tables ---------------------------------------------------------------------- */

/* A dtype that the row has a loop for, and elements that no operation minds. */
static inline hd_array *row_input(hd_op op, int64_t rows)
{
    const char *types = hd_op_info_of(op)->types;
    hd_dtype dt = strchr(types, 'F') != NULL   ? HD_FLOAT64
                  : strchr(types, 'I') != NULL ? HD_INT64
                                               : HD_BOOL;
    hd_array *x = t_ramp_from(1, SHAPE(rows, 3), dt);
    return x != NULL && dt == HD_FLOAT64 ? hd_multiply(x, hd_float(0.03)) : x;
}

static inline hd_array *run_row(hd_op op)
{
    const hd_op_info *info = hd_op_info_of(op);
    /* a shape of its own: nothing is remembered from another row */
    int64_t rows = 2 + (int64_t)op;
    if (info->cls == 'r')
        return hd_reduce(op, row_input(op, rows),
                         &(hd_reduce_options){.size = sizeof(hd_reduce_options),
                                              .naxes = 1,
                                              .axes = (const int[]){0},
                                              .dtype = HD_NO_DTYPE});
    hd_array *in[3] = {NULL, NULL, NULL};
    for (int k = 0; k < info->nin; k++)
        in[k] = k % 2 ? t_slice(row_input(op, 1), AT(0)) : row_input(op, rows);
    if (hdi_op_rows[op].rule == HDI_RULE_COND)
        in[0] = hd_less(in[0], hd_float(0.2));
    if (hdi_op_rows[op].rule == HDI_RULE_EXPO)
        in[1] = hd_astype(in[1], HD_INT64, 'K', HD_CAST_UNSAFE, 0);
    return hd_apply(op, info->nin, (const hd_array *const *)in, NULL);
}

static inline bool is_plain_row(hd_op op)
{
    char cls = hd_op_info_of(op)->cls;
    return (cls == 'e' && hdi_op_rows[op].rule != HDI_RULE_INDEX &&
            hdi_op_rows[op].rule != HDI_RULE_BITS) ||
           (cls == 'r' && op != HD_OP_sumproduct);
}

/* ---- programs -------------------------------------------------------------------------------- */

static inline hd_array *when(hd_status status, hd_array *x)
{
    return status == HD_OK ? x : NULL;
}

static inline hd_array *views(void)
{
    hd_array *x = t_ramp(SHAPE(4, 6), HD_COMPLEX128), *t = hd_transpose(x, NULL),
             *r = hd_reshape(t, SHAPE(8, 3), 'C');
    hd_array *d = hd_diagonal(hd_real(r), 0, 0, 1), *b = hd_broadcast_to(d, SHAPE(2, 3)),
             *e = hd_expand_dims(b, AXES(1));
    if (e == NULL)
        return NULL;
    hd_array *s = hd_squeeze(hd_as_strided(e, SHAPE(2, 1, 3), hd_strides(e), 0), -1, NULL);
    hd_array *bits = hd_view(hd_imag(x), HD_INT64);
    return hd_add(s, hd_sum(hd_add(hd_alias(bits), t_slice(bits, SLICE(HD_NONE, HD_NONE, -1))),
                            HD_ALL_AXES, NULL, 0));
}

static inline hd_array *stores(void)
{
    hd_array *x = t_ramp(SHAPE(60), HD_FLOAT64), *v = t_slice(x, SLICE(1, 60, 1)),
             *w = t_slice(x, SLICE(0, 59, 1));
    hd_status status = x != NULL && v != NULL && w != NULL ? HD_OK : HD_NOMEM;
    /* more conflicts than a record has room for */
    for (int64_t k = 0; k < 20 && status == HD_OK; k++)
        status = hd_assign(t_slice(x, SLICE(2 * k, 2 * k + 1, 1)), hd_int(k), HD_CAST_SAME_KIND);
    if (status == HD_OK)
        status = hd_inplace(HD_OP_add, v, w);
    if (status == HD_OK)
        status = hd_inplace(HD_OP_multiply, x, hd_float(2));
    if (status == HD_OK)
        status = hd_assign_number(w, &(hd_number){.kind = HD_WEAK_INT, .as.i = 7, .re = 7});
    return when(status, x);
}

static inline hd_array *long_chain(void)
{
    hd_array *x = t_ramp(SHAPE(7), HD_INT64);
    for (int k = 0; k < 300; k++)   /* more than a window holds */
        x = hd_add(x, hd_int(k));
    return x;
}

static inline hd_array *softmax_rows(void)
{
    hd_array *x = t_ramp(SHAPE(5, 9), HD_FLOAT32),
             *e = hd_exp(hd_subtract(x, hd_max(x, AXES(1), 1)));
    return hd_divide(e, hd_sum(e, AXES(1), 1));
}

static inline hd_array *statistics(void)
{
    hd_array *x = t_ramp(SHAPE(6, 5), HD_FLOAT64), *mask = hd_less(x, hd_float(20));
    hd_reduce_options o = {.size = sizeof o,
                           .naxes = 1,
                           .axes = (const int[]){0},
                           .dtype = HD_NO_DTYPE,
                           .where = mask,
                           .ddof = 1};
    hd_array *v = hd_std(x, &o), *m = hd_mean(x, &o);
    o.initial = hd_float(-1);
    return hd_stack(3, (const hd_array *const[]){v, m, hd_reduce(HD_OP_max, x, &o)}, 0, HD_NO_DTYPE,
                    NULL);
}

static inline hd_array *products(void)
{
    hd_array *thin = t_ramp(SHAPE(5, 4), HD_FLOAT64), *i = t_ramp(SHAPE(4, 5), HD_INT16),
             *big = t_ramp(SHAPE(20, 21), HD_FLOAT32);
    hd_array *p = hd_matmul(thin, i, NULL), *q = hd_matmul(big, hd_transpose(big, NULL), NULL);
    hd_array *d =
        hd_dot(t_ramp(SHAPE(2, 2, 3), HD_FLOAT64), t_ramp(SHAPE(2, 3, 2), HD_INT32), NULL);
    hd_array *parts[] = {p, q, d};
    return hd_concatenate(3, (const hd_array *const *)parts, HD_FLAT, HD_FLOAT64, NULL);
}

static inline hd_array *indexing(void)
{
    hd_array *x = t_ramp(SHAPE(6, 4), HD_FLOAT64),
             *i = hd_add(t_ramp(SHAPE(3), HD_INT16), hd_int(1)), *axes[2] = {NULL, NULL};
    hd_array *picked = hd_take(x, 1, (const hd_array *const[]){i});
    hd_status status = picked != NULL ? hd_put(x, 1, (const hd_array *const[]){i},
                                               hd_negative(picked), HD_CAST_SAME_KIND)
                                      : HD_NOMEM;
    if (status == HD_OK)
        status = hd_nonzero(hd_less(x, hd_float(0)), axes);
    return when(status, hd_concatenate(3, (const hd_array *const[]){picked, axes[0], axes[1]},
                                       HD_FLAT, HD_NO_DTYPE, NULL));
}

static inline hd_array *joins(void)
{
    hd_array *a = t_ramp(SHAPE(2, 3), HD_INT32), *b = hd_add(a, hd_float(0.5)),
             *c = hd_concatenate(2, (const hd_array *const[]){a, b}, 1, HD_NO_DTYPE, NULL);
    return hd_stack(2, (const hd_array *const[]){c, c}, 1, HD_FLOAT32, NULL);
}

static inline hd_array *creation(void)
{
    hd_generator g = hd_generator_seed(3);
    hd_array *u = hd_random_uniform(&g, SHAPE(4, 4), HD_FLOAT64),
             *n = hd_random_normal(&g, SHAPE(4, 4), HD_FLOAT32);
    hd_array *l = hd_linspace(0, 5, 4, 1, HD_INT32),
             *a = hd_arange(hd_int(1), hd_int(2), 4, HD_NO_DTYPE);
    hd_array *s = hd_add(hd_add(u, n), hd_multiply(l, hd_add(a, hd_eye(4, 4, 1, HD_FLOAT64))));
    return hd_add(s, hd_full(SHAPE(4), hd_ones(SHAPE(1), HD_INT8), HD_FLOAT64));
}

static inline hd_array *draws(void)
{
    hd_generator g = hd_generator_seed(3);
    hd_array *few = hd_random_order(&g, 2, 1000, 3), *many = hd_random_order(&g, 2, 4, 3),
             *n = hd_random_poisson(&g, SHAPE(2, 3), t_ramp(SHAPE(3), HD_FLOAT32)),
             *b = hd_random_binomial(&g, SHAPE(2, 3), n, hd_float(0.5)),
             *c = hd_random_choice(&g, 3, hd_linspace(0, 1, 4, 1, HD_FLOAT64));
    hd_array *i = hd_random_integers(&g, SHAPE(3), c, hd_int(9), HD_INT16);
    return hd_add(hd_add(hd_add(few, many), hd_add(b, i)),
                  hd_random_gamma(&g, SHAPE(3), hd_float(2), hd_float(1), HD_FLOAT64));
}

static inline hd_array *copies(void)
{
    hd_array *x = t_ramp(SHAPE(3, 4), HD_FLOAT64), *f = hd_copy(hd_transpose(x, NULL), 'F'),
             *i = hd_astype(f, HD_UINT8, 'C', HD_CAST_UNSAFE, 1);
    hd_array *like = hd_empty_like(f, HD_FLOAT32);
    return when(hd_assign(like, hd_power(i, hd_int(2)), HD_CAST_UNSAFE),
                hd_reshape(like, SHAPE(2, 6), 'F'));
}

static inline hd_array *running_sums(void)
{
    hd_array *x = t_ramp(SHAPE(3, 4), HD_INT8), *out = hd_zeros(SHAPE(3, 4), HD_FLOAT64);
    hd_array *r = hd_cumsum(x, 1, HD_NO_DTYPE, out),
             *flat = hd_cumsum(hd_transpose(x, NULL), HD_FLAT, HD_FLOAT32, NULL);
    return hd_add(hd_reshape(flat, SHAPE(3, 4), 'C'), r);
}

static inline hd_array *folds(void)
{
    hd_array *x = t_ramp(SHAPE(3, 4), HD_INT8), *y = hd_add(x, hd_float(0.5)),
             *mask = hd_greater(x, hd_int(2)), *out = hd_zeros(SHAPE(3), HD_FLOAT32);
    hd_reduce_options o = {.size = sizeof o, .naxes = 1, .axes = (const int[]){1},
                           .dtype = HD_NO_DTYPE};
    hd_array *plain = hd_reduce(HD_OP_subtract, y, &o);
    o.where = mask;
    hd_array *identity = hd_reduce(HD_OP_hypot, y, &o);
    o.initial = hd_int(7);
    o.out = out;
    hd_array *masked = hd_reduce(HD_OP_subtract, y, &o);
    hd_array *at = hd_from_data(1, (int64_t[]){2}, NULL, HD_INT64, (int64_t[]){0, 1}),
             *pieces = hd_sum(hd_reduceat(HD_OP_remainder, y, at, 1, HD_NO_DTYPE, NULL), 1,
                              (const int[]){1}, 0),
             *running = hd_accumulate(HD_OP_fmax, y, 0, HD_NO_DTYPE, NULL);
    return hd_add(hd_add(plain, identity),
                  hd_add(hd_add(masked, pieces), hd_max(running, 1, (const int[]){1}, 0)));
}

static inline hd_array *places(void)
{
    hd_array *x = t_ramp(SHAPE(3, 4), HD_FLOAT32), *r[2] = {NULL, NULL},
             *at = hd_from_data(1, (int64_t[]){2}, NULL, HD_INT64, (int64_t[]){1, 1});
    hd_status status = hd_at(HD_OP_add, x, 1, (const hd_array *const[]){at}, hd_float(1.5));
    if (status == HD_OK)
        status = hd_at(HD_OP_negative, x, 2, (const hd_array *const[]){at, at}, NULL);
    if (status == HD_OK && x != NULL)
        status = hd_apply_pair(hd_pair_info_of(0), (const hd_array *const[]){x, hd_int(2)}, NULL,
                               (hd_array *const[]){x, NULL}, r);
    return when(status, hd_add(r[0], r[1]));
}

static inline hd_array *options(void)
{
    hd_array *x = t_ramp(SHAPE(8), HD_FLOAT64), *out = hd_zeros(SHAPE(2, 8), HD_FLOAT32),
             *where = hd_greater(x, hd_int(3));
    hd_apply_options o = {.size = sizeof o,
                          .out = out,
                          .where = where,
                          .dtype = HD_FLOAT64,
                          .casting = HD_CAST_SAME_KIND};
    return where != NULL && out != NULL
               ? hd_apply(HD_OP_hypot, 2, (const hd_array *const[]){x, x}, &o)
               : NULL;
}

static inline hd_array *shared_memory(void)
{
    static double memory[6];
    for (int k = 0; k < 6; k++)
        memory[k] = k;
    int64_t n = 6;
    hd_array *x = hd_wrap(1, &n, NULL, HD_FLOAT64, memory, 0, NULL, NULL), *y = hd_add(x, x);
    hd_status status = y != NULL ? hd_inplace(HD_OP_subtract, x, y) : HD_NOMEM;
    double *p = status == HD_OK ? hd_export(y, 1) : NULL;
    if (p == NULL)
        return NULL;
    p[0] = 100;
    hd_array *z = hd_add(y, x);
    hd_unexport(y);
    return z;
}

static inline hd_array *explained(void)
{
    hd_array *x = t_ramp(SHAPE(4), HD_FLOAT64), *y = hd_exp(hd_add(x, x));
    char *text = hd_explain(y, 0), *dot = text != NULL ? hd_explain(y, 1) : NULL;
    hd_free_text(text);
    hd_free_text(dot);
    return dot != NULL ? y : NULL;
}

static inline hd_array *special_cases(void)
{
    hd_array *u = t_ramp(SHAPE(3), HD_UINT64), *i = t_ramp(SHAPE(3), HD_INT64), *b = hd_less(i, u),
             *c = hd_equal(u, hd_int(-1));
    hd_number cube = {.kind = HD_WEAK_INT, .as.i = 3, .re = 3};
    hd_array *p = hd_binary_number(HD_OP_power, i, &cube, 0), *q = hd_power(i, i),
             *s = hd_scalar_of(t_slice(q, AT(2)));
    return hd_add(hd_add(hd_where(b, p, q), c), s);
}

static inline hd_array *flushed(void)
{
    hd_array *x = t_ramp(SHAPE(5), HD_FLOAT64), *y = hd_sin(x),
             *m = hd_matmul(t_ramp(SHAPE(20, 20), HD_FLOAT64), hd_eye(20, 20, 0, HD_FLOAT64), NULL);
    hd_status status = y != NULL && m != NULL ? hd_synchronize(NULL) : HD_NOMEM;
    return when(status, hd_add(y, t_slice(m, AT(1), SLICE(0, 5, 1))));
}

/* Lengths of their own, so that plans are made: passes, Bluestein's way, halves. */
static inline hd_array *transforms(void)
{
    hd_array *x = t_ramp(SHAPE(6, 30), HD_FLOAT64), *z = hd_multiply(x, hd_complex(1, 2));
    hd_array *a = hd_irfftn(hd_rfftn(x, HD_ALL_AXES, NULL, NULL, HD_FFT_ORTHO, NULL),
                            HD_ALL_AXES, NULL, NULL, HD_FFT_ORTHO, NULL);
    hd_array *b = hd_fft(z, 101, -1, HD_FFT_BACKWARD, NULL);
    hd_array *c = hd_fftshift(hd_hfft(b, 9, 1, HD_FFT_BACKWARD, NULL), AXES(1));
    return hd_add(t_slice(a, ALL, SLICE(0, 9, 1)), c);
}

/* Lines of columns and rows, by themselves and side by side, and of a convolution. */
static inline hd_array *long_transforms(void)
{
    hd_array *x = t_ramp(SHAPE(9, 2), HD_FLOAT64), *y = t_slice(x, ALL, AT(0));
    hd_array *a = hd_fft(x, 131072, 0, HD_FFT_ORTHO, NULL);
    hd_array *b = hd_rfft(y, 262144, -1, HD_FFT_ORTHO, NULL);
    hd_array *c = hd_irfft(y, 262144, -1, HD_FFT_ORTHO, NULL);
    hd_array *d = hd_fft(y, 65537, -1, HD_FFT_ORTHO, NULL);
    hd_array *e = hd_add(t_slice(b, SLICE(0, 50, 1)), t_slice(c, SLICE(0, 50, 1)));
    return hd_add(hd_add(t_slice(a, SLICE(0, 50, 1), AT(1)), t_slice(d, SLICE(0, 50, 1))), e);
}

static inline hd_array *windows(void)
{
    hd_array *x = t_ramp(SHAPE(9, 8), HD_FLOAT16), *y = t_ramp(SHAPE(3, 2), HD_FLOAT16);
    hd_array *a = hd_correlate_window(x, y, HD_WINDOW_SAME, HD_WINDOW_FILL, hd_float(2));
    hd_array *row = hd_astype(t_slice(a, AT(0)), HD_COMPLEX64, 'K', HD_CAST_SAFE, 1);
    return hd_add(a, hd_real(hd_correlate(row, row, HD_WINDOW_SAME)));
}

/* A library call with one result, two with several, one of them waiting in the window; a batch. */
static inline hd_array *decompositions(void)
{
    hd_array *x = hd_add(t_ramp(SHAPE(2, 3, 3), HD_FLOAT32), hd_eye(3, 3, 0, HD_FLOAT64)), *u, *s,
             *vh, *q, *r, *w, *v;
    hd_array *y = hd_solve(x, t_ramp(SHAPE(3), HD_INT32));
    if (y == NULL || hd_svd(x, 0, 0, &u, &s, &vh) != HD_OK ||
        hd_qr(x, HD_QR_REDUCED, &q, &r) != HD_OK || hd_eig(x, &w, &v) != HD_OK)
        return NULL;
    return hd_add(hd_add(hd_add(s, y), hd_expand_dims(hd_det(x), AXES(-1))),
                  hd_sum(hd_multiply(q, r), AXES(1), 0));
}

static inline hd_array *sorting(void)
{
    hd_array *x = t_ramp(SHAPE(6, 5), HD_FLOAT32), *down = hd_sort(hd_negative(x), 0, 0),
             *order = hd_argsort(hd_astype(down, HD_COMPLEX64, 'K', HD_CAST_SAFE, 1), HD_FLAT, 1);
    const int64_t kth[2] = {2, -1};
    hd_array *part = hd_partition(down, 2, kth, HD_FLAT),
             *places = hd_argpartition(x, 1, kth, 1),
             *found = hd_searchsorted(hd_reshape(x, SHAPE(30), 'C'), hd_negative(down), 1);
    hd_array *few = hd_remainder(order, hd_int(4)), *index = NULL, *inverse = NULL, *counts = NULL,
             *values = NULL, *n = hd_bincount(few, part, 7);
    hd_status status = few != NULL ? hd_unique(few, 1, &values, &index, &inverse, &counts)
                                   : HD_NOMEM;
    if (status != HD_OK)
        return NULL;
    hd_array *all[] = {down, order, part, places, found, n, values, index, inverse, counts,
                       hd_bincount(few, NULL, 0), hd_histogram(part, hd_sort(part, 0, 0), 0),
                       hd_histogram(part, hd_sort(part, 0, 0), 1)};
    return hd_concatenate(13, (const hd_array *const *)all, HD_FLAT, HD_FLOAT64, NULL);
}

/* The kernel is read once, and kept: its source alone is thousands of allocations. */
static inline hd_array *kernel_applied(void)
{
    static hd_kernel *k;
    hd_array *x = t_ramp(SHAPE(40, 5), HD_FLOAT64), *y = hd_zeros(SHAPE(40, 5), HD_FLOAT64), *r[2];
    if (k == NULL)
        k = hd_kernel_new("extern \"C\" __global__ void k(double x, double *y, int *z) {"
                          "  if (x > 7) *y = sqrt(x) + *y; else *z = 3; *z = (int)x % 5; }",
                          "k", 0, NULL);
    const hd_launch_arg args[3] = {{.array = x}, {.array = y}, {0}};
    if (k == NULL || x == NULL || y == NULL || hd_kernel_apply(k, NULL, 3, args, r) != HD_OK)
        return NULL;
    return hd_add(r[0], r[1]);
}

static inline hd_array *module_variables(void)
{
    hd_module *m = hd_module_new("__device__ double x[6] = {1, 2}; __constant__ int n = 3;", 0, NULL);
    hd_array *x = m != NULL ? hd_module_memory(m, NULL) : NULL;
    hd_module_free(m);
    return x;
}

static inline void count_blocks(const hd_memory_event *e, void *ctx)
{
    *(int64_t *)ctx += e->address != 0;
}

static inline hd_array *hooked(void)
{
    int64_t blocks = 0;
    if (hd_set_memory_hook(count_blocks, &blocks) != HD_OK)
        return NULL;
    hd_array *x = hd_sqrt(t_ramp(SHAPE(60, 7), HD_FLOAT64));
    hd_status status = x != NULL ? hd_eval(x) : HD_NOMEM;
    hd_set_memory_hook(NULL, NULL);
    return status == HD_OK ? x : NULL;
}

static inline hd_array *written(void)
{
    hd_array *x = hd_multiply(t_ramp(SHAPE(20, 40), HD_FLOAT64), hd_float(0.37));
    const hd_format_options ends = {sizeof ends, .threshold = 100};
    char *text = hd_format(x, &ends);
    const bool done = text != NULL;
    hd_free_text(text);
    return done ? x : NULL;
}

static inline hd_array *captured(void)
{
    hd_graph *g = NULL;
    hd_array *x = t_ramp(SHAPE(40, 6), HD_FLOAT64), *y = hd_copy(x, 'C'), *r = NULL;
    hd_array *index = t_ramp(SHAPE(9), HD_INT64);
    const hd_array *list[1] = {index};
    if (y == NULL || index == NULL || hd_capture_begin(NULL) != HD_OK)
        return NULL;
    hd_array *sums = hd_sum(hd_multiply(y, x), AXES(1), 1), *at = hd_take(y, 1, list);
    hd_status status = sums != NULL ? hd_assign(y, hd_add(x, sums), HD_CAST_DEFAULT) : HD_NOMEM;
    if (status == HD_OK && at != NULL)
        r = hd_add(hd_sum(at, AXES(0), 0), hd_sort(t_slice(y, AT(1)), 0, 0));
    status = hd_capture_end(NULL, &g);
    for (int k = 0; k < 2 && status == HD_OK && r != NULL; k++)
        status = hd_graph_launch(g);
    hd_graph_free(g);
    return status == HD_OK ? r : NULL;
}

static hd_array *(*const scenario_programs[])(void) = {
    views,    stores, long_chain,   softmax_rows, statistics,    products,  indexing,      joins,
    creation, draws,   copies,        running_sums, options,      shared_memory,
    explained, special_cases, flushed, folds, places,
    transforms, long_transforms, windows, decompositions, sorting, kernel_applied,
    module_variables, hooked, written, captured};
enum { SCENARIO_PROGRAMS = (int)(sizeof scenario_programs / sizeof *scenario_programs) };

/* Scenario k: the programs, then the rows; -1 when there is none (a row that is not called like
 * this: -2). */
static inline int scenario_count(void)
{
    return SCENARIO_PROGRAMS + hd_op_count();
}

static inline bool scenario_exists(int k)
{
    return k < SCENARIO_PROGRAMS || is_plain_row((hd_op)(k - SCENARIO_PROGRAMS));
}

/* Runs scenario k and reads its result into bytes. HD_OK, or the error that the library
 * reported, taken. */
static inline hd_status scenario_run(int k, uint8_t *bytes)
{
    hd_error e = {.code = HD_OK};
    int scope = hd_scope_begin();
    hd_array *r =
        k < SCENARIO_PROGRAMS ? scenario_programs[k]() : run_row((hd_op)(k - SCENARIO_PROGRAMS));
    memset(bytes, 0, SCENARIO_BYTES);
    hd_status status =
        r != NULL && hd_nbytes(r) <= SCENARIO_BYTES ? hd_read(r, bytes) : HD_INTERNAL;
    hd_scope_end(scope, NULL);
    hd_error_take(&e);
    if (status == HD_OK)
        return e.code;                                  /* a result, and an error beside it? */
    return e.code != HD_OK ? e.code : HD_INTERNAL;      /* a failure without a reason */
}

#endif
