/* SPDX-License-Identifier: BSD-3-Clause */
/* test_canon.c - the key of a chunk: equal for programs that need one plan, different for those
 * that need another, and complete: what is decoded from its words is what was recorded. */
#include "core/op.h"
#include "window/inspect.h"

typedef struct key { int n; uint64_t hash; uint64_t *words; } key;

/* The key of everything pending; runs it afterwards. */
static key take_key(void)
{
    planned *p = plan_pending();
    key k = {p->canon.nwords, p->canon.hash, malloc(sizeof(uint64_t) * (size_t)p->canon.nwords)};
    memcpy(k.words, p->canon.word, sizeof(uint64_t) * (size_t)k.n);
    return k;
}

static bool same(const key *a, const key *b)
{
    bool equal = a->n == b->n && memcmp(a->words, b->words, sizeof *a->words * (size_t)a->n) == 0;
    CHECK(!equal || a->hash == b->hash);
    return equal;
}

/* Runs program(i) for i = 0 .. n - 1 and puts the number of the first equal key into out[i]. */
static void classes(int n, void (*program)(int), int *out)
{
    key k[16];
    begin_null();
    for (int i = 0; i < n; i++) {
        int scope = hd_scope_begin();
        program(i);
        k[i] = take_key();
        hd_scope_end(scope, NULL);
        hd_synchronize(NULL);
        out[i] = i;
        for (int j = i - 1; j >= 0; j--)
            out[i] = same(&k[j], &k[i]) ? j : out[i];
    }
    for (int i = 0; i < n; i++)
        free(k[i].words);
    CHECK(t_clean());
}

static void all_equal(int n, void (*program)(int))
{
    int first[16];
    classes(n, program, first);
    for (int i = 0; i < n; i++)
        CHECK_EQ_I64(first[i], 0);
}

static void all_different(int n, void (*program)(int))
{
    int first[16];
    classes(n, program, first);
    for (int i = 0; i < n; i++)
        CHECK_EQ_I64(first[i], i);
}

static hd_array *line(int64_t n)
{
    return t_ready(1, &n, HD_FLOAT64);
}

/* ---- one plan serves them all ---------------------------------------------------------------- */

static void other_extents(int i)
{
    hd_array *x = line(10 + 7 * i), *y = line(10 + 7 * i);
    hd_sum(hd_multiply(hd_add(x, y), x), HD_ALL_AXES, NULL, 0);
}

static void other_numbers(int i)
{
    hd_array *x = line(10);
    hd_add(hd_multiply(x, hd_float(0.5 * i)), hd_float(i));
}

static void moving_slices(int i)
{
    hd_array *x = line(100), *v = t_slice(x, SLICE(3 * i, 3 * i + 20, 1)),
             *w = t_slice(x, SLICE(40 + i, 60 + i, 1));
    hd_inplace(HD_OP_add, v, w);
    hd_inplace(HD_OP_multiply, w, hd_float(2));
}

static void growing_slices(int i)
{
    hd_array *x = line(100), *v = t_slice(x, SLICE(0, 10 + i, 1)),
             *w = t_slice(x, SLICE(50, 60 + i, 1));
    hd_inplace(HD_OP_add, v, w);
}

static void other_strides(int i)
{
    hd_array *x = line(200), *v = t_slice(x, SLICE(0, HD_NONE, 2 + i)), *y = hd_add(v, v);
    hd_multiply(y, v);
}

static void transposed(int i)
{
    hd_array *m = t_ready(SHAPE(6, 4 + i), HD_FLOAT64), *t = hd_transpose(m, NULL);
    hd_sum(hd_add(t, t), HD_ALL_AXES, NULL, 0);
}

static void unit_axes(int i)
{
    static const int64_t shape[4][3] = {{12, 1, 1}, {1, 12, 1}, {1, 1, 12}, {12, 1, 1}};
    hd_array *x = t_ready(3, shape[i], HD_FLOAT64);
    hd_exp(hd_add(x, x));
}

TEST(canon, one_key_for_what_one_plan_serves)
{
    all_equal(4, other_extents);
    all_equal(4, other_numbers);
    all_equal(5, moving_slices);
    all_equal(5, growing_slices);
    all_equal(4, other_strides);
    all_equal(3, transposed);
    all_equal(4, unit_axes);
}

/* ---- what needs another plan ----------------------------------------------------------------- */

/* b = a[k:k+4] after a[0:4] was written: the same map, overlapping, disjoint. */
static void verdicts(int i)
{
    static const int64_t from[] = {0, 2, 6};
    hd_array *a = line(12);
    store_slice(a, 0, 4, 1, 1);
    read_slice(a, from[i], from[i] + 4, 1);
}

/* The same records through a rule that only the verdict of their edge tells apart: WAR. */
static void verdicts_of_writes(int i)
{
    static const int64_t from[] = {0, 2, 6};
    hd_array *a = line(12);
    read_slice(a, from[i], from[i] + 4, 1);
    store_slice(a, 0, 4, 1, 1);
}

static void broadcast_axes(int i)
{
    static const int64_t shape[3][2] = {{5, 5}, {1, 5}, {5, 1}};
    hd_array *x = t_ready(SHAPE(5, 5), HD_FLOAT64), *y = t_ready(2, shape[i], HD_FLOAT64);
    hd_add(x, y);
}

static void liveness(int i)
{
    hd_array *x = line(8), *y = hd_add(x, x), *z = hd_multiply(y, y);
    (void)z;
    if (i > 0)   /* nobody holds y; then nobody holds x either */
        hd_release(hd_keep(y));
    if (i > 1)
        hd_release(hd_keep(x));
}

static void freshness(int i)
{
    hd_array *x = hd_empty(SHAPE(8), HD_FLOAT64);
    if (i > 0)
        hd_eval(x);
    store_slice(x, 0, 4, 1, 1);
}

static void pinned(int i)
{
    hd_array *x = line(8), *y = line(8);
    /* as if exported; records on it are submitted at once, so only x is written here */
    hdi_array_buf(y)->pins = i;
    store_slice(x, 0, 4, 1, 1);
    hd_array *z = hd_add(x, x);
    (void)z;
    hdi_array_buf(y)->pins = 0;
    hdi_array_buf(x)->pins = i;   /* what the key sees */
}

static void domains(int i)
{
    hd_array *x = line(8), *y = line(8 + (i == 1));
    hd_add(x, x);
    hd_add(y, y);
}

static void rows_of_reductions(int i)
{
    hd_array *x = t_ready(SHAPE(6, 7), HD_FLOAT64);
    hd_sum(x, i < 2 ? 1 : HD_ALL_AXES, (const int[]){i}, 0);
}

static void dtypes(int i)
{
    static const hd_dtype dt[] = {HD_FLOAT64, HD_FLOAT32, HD_INT32, HD_INT64};
    hd_array *x = t_ready(SHAPE(8), dt[i]);
    hd_add(x, x);
}

static void operations(int i)
{
    hd_array *x = line(8);
    hd_binary(i == 0 ? HD_OP_add : i == 1 ? HD_OP_subtract : HD_OP_multiply, x, x);
}

static void operands(int i)
{
    hd_array *x = line(8), *y = line(8);
    hd_add(i == 0 ? x : y, i == 2 ? x : y);
    hd_add(x, y);
}

static void memory_orders(int i)
{
    hd_array *m = t_ready(SHAPE(6, 7), HD_FLOAT64), *t = i == 0 ? m : hd_transpose(m, NULL);
    hd_sum(t, HD_ALL_AXES, NULL, 0);
}

static void whole_or_part(int i)
{
    hd_array *x = line(8 + i), *v = t_slice(x, SLICE(0, 8, 1));
    hd_release(hd_keep(x));
    hd_add(v, v);
}

static void short_and_long_rows(int i)
{
    hd_array *x = t_ready(SHAPE(4, i == 0 ? 100 : 1000000), HD_FLOAT64);
    hd_max(x, AXES(1), 1);
}

TEST(canon, another_key_for_what_needs_another_plan)
{
    all_different(3, verdicts);
    all_different(3, verdicts_of_writes);
    all_different(3, broadcast_axes);
    all_different(3, liveness);
    all_different(2, freshness);
    all_different(2, pinned);
    all_different(2, domains);
    all_different(3, rows_of_reductions);
    all_different(4, dtypes);
    all_different(3, operations);
    all_different(3, operands);
    all_different(2, memory_orders);
    all_different(2, whole_or_part);
    all_different(2, short_and_long_rows);
}

static void fusion_off(int i)
{
    hd_set_fusion(i == 0);
    hd_array *x = line(8);
    hd_add(hd_add(x, x), x);
}

TEST(canon, fusion_is_in_the_key)
{
    all_different(2, fusion_off);
    hd_set_fusion(1);
}

/* Numbers of offsets count within one generation: two arrays' slices that coincide by chance say
 * nothing. */
static void coinciding_offsets(int i)
{
    hd_array *x = line(40), *y = line(40), *v = t_slice(x, SLICE(i, i + 10, 1)),
             *w = t_slice(y, SLICE(3, 13, 1));
    hd_add(v, w);
}

TEST(canon, offsets_of_different_arrays_are_apart)
{
    all_equal(6, coinciding_offsets);
}

/* ---- the words say it all -------------------------------------------------------------------- */

static void check_operand(const hdi_record *r, const hdi_coperand *o, int k)
{
    CHECK_EQ_I64(o->kind, r->kind[k]);
    CHECK_EQ_I64(o->dt, r->dt[k]);
    if (r->kind[k] != HDI_ARRAY)
        return;
    const hdi_operand *p = &r->operand[k];
    CHECK_EQ_I64(o->gen, p->buf->number);
    CHECK_EQ_I64(o->core, p->lay->core->number);
    CHECK(o->zmask == p->lay->zmask);
    CHECK_EQ_I64(o->whole, p->lay->dense &&
                               hd_dtype_size((hd_dtype)r->dt[k]) * p->lay->size == p->buf->nbytes);
}

static void check_record(const hdi_canon *c, const hdi_chunk *chunk, int i)
{
    const hdi_record *r = chunk->record[i];
    const hdi_crecord *d = &c->record[i];
    CHECK(d->op == r->op && d->cls == r->cls && d->cdt == r->cdt && d->nin == r->nin &&
          d->row_fits == r->row_fits);
    CHECK(d->sqaxes == r->sqaxes);
    CHECK_EQ_I64(d->domain, r->domain->shape->number);
    if (r->row != NULL)
        CHECK_EQ_I64(d->row, r->row->number);
    for (int k = 0; k <= r->nin; k++)
        check_operand(r, &d->operand[k], k);
    int edges = 0;
    for (int j = 0; j < i; j++)
        edges += edge(chunk, j, i) != HDI_DISJOINT;
    CHECK_EQ_I64(d->nedges, edges);
    for (int k = 0; k < d->nedges; k++) {
        hdi_cedge e = c->edge[d->first_edge + k];
        CHECK(e.to < i && edge(chunk, e.to, i) == (hdi_verdict)e.verdict);
    }
}

/* Equal offsets within a generation have equal numbers, others different ones. */
static void check_views(const hdi_canon *c, const hdi_chunk *chunk)
{
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++) {
            const hdi_coperand *a = &c->record[i].operand[0],
                               *b = &c->record[j].operand[c->record[j].nin];
            const hdi_operand *p = &chunk->record[i]->operand[0],
                              *q = &chunk->record[j]->operand[c->record[j].nin];
            if (b->kind == HDI_ARRAY && a->gen == b->gen)
                CHECK((a->view == b->view) == (p->off == q->off));
        }
}

static void random_operation(hd_array **x, int n)
{
    hd_array *a = x[t_below(n)], *b = x[t_below(n)], *r = NULL;
    switch (t_below(6)) {
    case 0: r = hd_add(a, b); break;
    case 1: r = hd_where(hd_less(a, b), a, hd_float(1)); break;
    case 2: r = hd_subtract(a, hd_sum(b, AXES(1), 1)); break;
    case 3: r = hd_multiply(a, hd_transpose(b, NULL)); break;
    case 4:
        store_number(
            t_slice(a, SLICE(t_below(3), t_between(3, 6), 1), SLICE(0, HD_NONE, t_between(1, 2))),
            3);
        break;
    default:
        r = hd_astype(hd_matmul(a, hd_transpose(b, NULL), NULL), HD_FLOAT32, 'K', HD_CAST_UNSAFE,
                      1);
        break;
    }
    if (r != NULL)
        x[t_below(n)] = hd_astype(r, HD_FLOAT64, 'K', HD_CAST_SAFE, 0);
}

TEST(canon, decoding_gives_back_what_was_recorded)
{
    enum { N = 5 };
    int records = 0;
    for (int repeat = 0; repeat < 60; repeat++) {
        begin_null();
        int scope = hd_scope_begin();
        hd_array *x[N];
        for (int k = 0; k < N; k++)
            x[k] = t_ready(SHAPE(6, 6), HD_FLOAT64);
        for (int k = 0; k < 25; k++)
            random_operation(x, N);
        hdi_chunk *chunk = pending(true);
        planned *p = plan_chunk(chunk);
        hdi_lock();
        /* the scratch numbers of buffers and layouts are this key's again */
        hdi_canon_build(&p->canon, chunk);
        hdi_canon_decode(&p->canon);
        for (int i = 0; i < chunk->n; i++)
            check_record(&p->canon, chunk, i);
        check_views(&p->canon, chunk);
        hdi_unlock();
        records += chunk->n;
        hd_scope_end(scope, NULL);
    }
    CHECK(records > 1000);
}

/* A window full of rows that are stored and columns that are read, each across all of the others
 * before it: the widest key there is still fits its words. */
TEST(canon, the_widest_key_fits)
{
    begin_null();
    int64_t n = HDI_WINDOW_MAX;
    hd_array *x = t_ready(SHAPE(n, n), HD_FLOAT64), *y[HDI_WINDOW_MAX];
    int count = 0;
    for (int64_t k = 0; k + 1 < HDI_WINDOW_MAX / 2; k++) {
        store_slice(x, k, k + 1, 1, k);
        hd_array *column = t_slice(x, SLICE(HD_NONE, HD_NONE, 1), AT(k));
        y[count++] = hd_add(column, column);
        hd_release(column);
    }
    planned *p = plan_pending();
    CHECK(p->canon.n >= HDI_WINDOW_MAX - 2);
    CHECK(p->canon.nwords <= HDI_KEY_WORDS);
    CHECK(p->canon.nedges > 2000);
    drop(count, y);
    hd_release(x);
    CHECK(hd_synchronize(NULL) == HD_OK);
}

static void sort_of_axis(int axis)
{
    hd_array *x = t_ready(SHAPE(6, 6), HD_FLOAT64);
    hd_release(hd_keep(hd_add(hd_sort(x, axis, axis), x)));
}

/* As values of scalars, it is bound when the records are submitted. */
TEST(canon, what_a_library_call_is_told_is_no_part_of_it)
{
    all_equal(2, sort_of_axis);
}
