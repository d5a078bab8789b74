/* SPDX-License-Identifier: BSD-3-Clause */
/* test_partition.c - partitions of random programs are legal (byte by byte, rule M5), fuse what
 * can be fused, and never take over memory that is still wanted (M8). */
#include "fuse/legal.h"

enum { SIDE = 6, ARRAYS = 5 };

/* ---- random programs ------------------------------------------------------------------------- */

static hd_array *random_square(hd_array *m)
{
    switch (t_below(4)) {
    case 0:  return hd_transpose(m, NULL);
    case 1:  return t_slice(m, SLICE(HD_NONE, HD_NONE, -1));
    default: return m;
    }
}

static hd_array *random_part(hd_array *m)
{
    int64_t i = t_below(3), j = t_below(3);
    return t_slice(m, SLICE(i, i + 4, 1), SLICE(j, j + 4, 1));
}

/* Records one operation; gives a new value to one of the arrays or writes into one. */
static void random_operation(hd_array **x)
{
    hd_array *a = x[t_below(ARRAYS)], *b = x[t_below(ARRAYS)], *r = NULL;
    int axis = (int)t_below(2);
    switch (t_below(14)) {
    case 0:  r = hd_add(random_square(a), random_square(b)); break;
    case 1:  r = hd_multiply(a, hd_float(0.5)); break;
    case 2:  r = hd_subtract(a, hd_max(b, 1, &axis, 1)); break;
    case 3:  r = hd_divide(a, hd_sum(a, HD_ALL_AXES, NULL, 0)); break;
    case 4:  r = hd_where(hd_less(a, b), a, random_square(b)); break;
    case 5:  hd_assign(random_part(a), random_part(b), HD_CAST_SAME_KIND); break;
    case 6:  hd_inplace(HD_OP_add, random_part(a), random_part(a)); break;
    case 7:  store_number(random_part(a), 3); break;
    case 8:  hd_inplace(HD_OP_multiply, a, hd_sum(a, 1, &axis, 0)); break;
    case 9:  r = hd_matmul(a, random_square(b), NULL); break;
    case 10: r = hd_cumsum(a, axis, HD_NO_DTYPE, NULL); break;
    case 11: r = hd_roll(random_square(a), 1, &(int64_t){t_below(SIDE)}, &axis); break;
    case 12:
        r = hd_subtract(hd_roll(a, 1, &(int64_t){1}, &axis), hd_roll(b, 1, &(int64_t){-1}, &axis));
        break;
    default:
        hd_assign(t_slice(a, AT(t_below(SIDE))), hd_max(b, 1, &axis, 0), HD_CAST_SAME_KIND);
        break;
    }
    if (r != NULL)
        x[t_below(ARRAYS)] = r;
}

static void check_takeovers(const planned *p)
{
    bool given[HDI_MAX_GENS] = {false};
    for (int g = 0; g < p->canon.ngens; g++) {
        const hdi_gen_use *u = &p->use[g];
        if (u->take_from < 0)
            continue;
        const hdi_gen_use *from = &p->use[u->take_from];
        const hdi_cgen *giver = &p->canon.cgen[u->take_from];
        CHECK(u->memory && from->memory && p->canon.cgen[g].fresh);
        CHECK(from->last_group == u->first_group);   /* its last use is where the taker is born */
        CHECK(!giver->live && !giver->pinned && !given[u->take_from]);
        CHECK(p->canon.gen[g]->nbytes == p->canon.gen[u->take_from]->nbytes);
        given[u->take_from] = true;
    }
}

/* What is live, pinned or crosses kernels has memory; what has none lives and dies in one
 * kernel. */
static void check_memory(const planned *p)
{
    for (int g = 0; g < p->canon.ngens; g++) {
        const hdi_gen_use *u = &p->use[g];
        CHECK(u->memory ||
              (!p->canon.cgen[g].live && !p->canon.cgen[g].pinned && p->canon.cgen[g].fresh));
        CHECK(u->memory || u->first_group == u->last_group);
        CHECK(u->first_group >= 0 && u->last_group < p->partition.ngroups);
    }
}

static void check_random_programs(int programs, int length)
{
    int kernels = 0, records = 0, takeovers = 0, rows = 0, rolled = 0;
    for (int repeat = 0; repeat < programs; repeat++) {
        begin_null();
        int scope = hd_scope_begin();
        hd_array *x[ARRAYS], *kept[2];
        for (int k = 0; k < ARRAYS; k++)
            x[k] = t_ready(SHAPE(SIDE, SIDE), HD_FLOAT64);
        for (int k = 0; k < length; k++)
            random_operation(x);
        for (int k = 0; k < 2; k++)
            kept[k] = hd_retain(x[k]);
        hd_scope_end(scope, NULL);
        hdi_chunk *c = pending(true);
        planned *p = plan_chunk(c);
        check_legal(c, p);
        check_memory(p);
        check_takeovers(p);
        kernels += p->partition.ngroups;
        records += c->n;
        for (int g = 0; g < p->canon.ngens; g++)
            takeovers += p->use[g].take_from >= 0;
        for (int g = 0; g < p->partition.ngroups; g++) {
            const hdi_group *group = &p->partition.group[g];
            rows += group->nphases > 1;
            rolled += group->wraps > 1;
            CHECK(group->wraps == 0 || group->first_reduction < 0);
        }
        drop(2, kept);
    }
    CHECK(t_clean());
    /* chance met all of it */
    CHECK(kernels * 5 < records * 4 && takeovers > programs / 4 && rows > programs / 4 &&
          rolled > programs / 20);
}

TEST(partition, of_random_programs_is_legal)
{
    check_random_programs(60, 40);
}

TEST(partition, of_short_random_programs_is_legal)
{
    check_random_programs(300, 9);
}

/* ---- what fuses, what does not --------------------------------------------------------------- */

static int kernels_of(void (*program)(void))
{
    begin_null();
    int scope = hd_scope_begin();
    program();
    hdi_chunk *c = pending(false);
    planned *p = plan_chunk(c);
    check_legal(c, p);
    int n = p->partition.ngroups;
    hd_scope_end(scope, NULL);
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
    return n;
}

static hd_array *line(int64_t n)
{
    return t_ready(1, &n, HD_FLOAT64);
}

static void independent_chains(void)
{
    hd_array *x = line(8), *y = line(8);
    hd_exp(hd_add(x, x));
    hd_exp(hd_add(y, y));
}

static void two_domains(void)
{
    hd_array *x = line(8), *y = line(9);
    hd_exp(hd_add(x, x));
    hd_exp(hd_add(y, y));
    hd_negative(x);
    hd_negative(y);
}

static void sums_of_everything(void)
{
    hd_array *x = t_ready(SHAPE(8, 9), HD_FLOAT64);
    hd_sum(x, HD_ALL_AXES, NULL, 0);
    hd_max(hd_multiply(x, x), HD_ALL_AXES, NULL, 0);
    hd_any(hd_less(x, hd_float(0)), HD_ALL_AXES, NULL, 0);
}

static void sums_along_two_axes(void)
{
    hd_array *x = t_ready(SHAPE(8, 9), HD_FLOAT64);
    hd_sum(x, AXES(0), 0);
    hd_sum(x, AXES(1), 0);
}

/* A full sum in C order of one and in Fortran order of another input: each keeps its own order
 * of summation. */
static void sums_in_two_orders(void)
{
    hd_array *x = t_ready(SHAPE(8, 9), HD_FLOAT64),
             *t = hd_transpose(t_ready(SHAPE(9, 8), HD_FLOAT64), NULL);
    hd_sum(x, HD_ALL_AXES, NULL, 0);
    hd_sum(t, HD_ALL_AXES, NULL, 0);
}

static void library_between(void)
{
    hd_array *x = t_ready(SHAPE(40, 40), HD_FLOAT64), *y = hd_add(x, x), *z = hd_matmul(y, x, NULL);
    hd_exp(z);
    hd_exp(y);
}

static void overlapping_views(void)
{
    hd_array *x = line(10);
    store_slice(x, 0, 5, 1, 1);
    read_slice(x, 2, 7, 1);
}

static void disjoint_views(void)
{
    hd_array *x = line(10);
    store_slice(x, 0, 5, 1, 1);
    read_slice(x, 5, 10, 1);
}

static void long_rows(void)
{
    hd_array *x = t_ready(SHAPE(4, 1000000), HD_FLOAT64);
    hd_subtract(x, hd_max(x, AXES(1), 1));
}

static void short_rows(void)
{
    hd_array *x = t_ready(SHAPE(4, 1000), HD_FLOAT64);
    hd_subtract(x, hd_max(x, AXES(1), 1));
}

/* m has 4 elements for 4 rows; read along the wrong axis of a square it is no row value. */
static void rows_read_as_columns(void)
{
    hd_array *x = t_ready(SHAPE(4, 4), HD_FLOAT64), *m = hd_max(x, AXES(1), 0);
    hd_subtract(x, m);
}

static void rows_are_overwritten(void)
{
    hd_array *x = t_ready(SHAPE(4, 5), HD_FLOAT64), *m = hd_max(x, AXES(1), 1),
             *part = t_slice(x, ALL);
    hd_inplace(HD_OP_subtract, part, m);   /* the whole array: renamed, so the rows stay readable */
}

static void parts_are_overwritten(void)
{
    hd_array *x = t_ready(SHAPE(4, 6), HD_FLOAT64), *part = t_slice(x, ALL, SLICE(0, 5, 1)),
             *m = hd_max(part, AXES(1), 1);
    hd_inplace(HD_OP_subtract, part, m);   /* phase 1 writes what phase 0 reads */
}

TEST(partition, one_kernel)
{
    CHECK_EQ_I64(kernels_of(independent_chains), 1);
    CHECK_EQ_I64(kernels_of(sums_of_everything), 1);
    CHECK_EQ_I64(kernels_of(disjoint_views), 1);
    CHECK_EQ_I64(kernels_of(short_rows), 1);
    CHECK_EQ_I64(kernels_of(rows_are_overwritten), 1);
}

TEST(partition, several_kernels)
{
    CHECK_EQ_I64(kernels_of(two_domains), 2);
    CHECK_EQ_I64(kernels_of(sums_along_two_axes), 2);
    CHECK_EQ_I64(kernels_of(sums_in_two_orders), 2);
    CHECK_EQ_I64(kernels_of(library_between), 3);
    CHECK_EQ_I64(kernels_of(overlapping_views), 2);
    CHECK_EQ_I64(kernels_of(long_rows), 2);
    CHECK_EQ_I64(kernels_of(rows_read_as_columns), 2);
    CHECK_EQ_I64(kernels_of(parts_are_overwritten), 2);
}

/* x - sum(x) needs a kernel of its own; the square, which depends on nothing here, is read there. */
TEST(partition, what_depends_on_nothing_goes_with_its_readers)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = line(8), *total = hd_sum(x, HD_ALL_AXES, NULL, 0), *y = hd_subtract(x, total);
    hd_array *square = hd_multiply(x, x), *r = hd_add(y, square);
    DROP(hd_keep(y), hd_keep(square));
    planned *p = plan_chunk(pending(false));
    CHECK(p->canon.n == 4 && p->partition.ngroups == 2);
    CHECK(p->partition.where[2] == 1 && p->partition.where[3] == 1);
    CHECK(!p->use[p->canon.record[2].operand[0].gen].memory);
    CHECK(hd_eval(r) == HD_OK);
    hd_scope_end(scope, NULL);
}

TEST(partition, fusion_off_gives_a_kernel_each)
{
    begin_null();
    CHECK_EQ_I64(hd_set_fusion(0), 1);
    CHECK_EQ_I64(kernels_of(independent_chains), 4);
    CHECK_EQ_I64(kernels_of(sums_of_everything), 5);
    CHECK_EQ_I64(kernels_of(short_rows), 2);
    CHECK_EQ_I64(hd_set_fusion(1), 0);
}

/* No kernel holds more than its arrays have room for; the rest goes to the next. */
TEST(partition, kernels_have_a_limit)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *x = line(8), *y = x;
    for (int k = 0; k < 90; k++)
        y = hd_add(hd_sqrt(y), x);
    hdi_chunk *c = pending(true);
    planned *p = plan_chunk(c);
    check_legal(c, p);
    CHECK_EQ_I64(p->partition.ngroups, 2);
    CHECK_EQ_I64(p->partition.group[0].n, HDI_KERNEL_MAX_RECORDS);
    hd_scope_end(scope, NULL);
}

/* The largest kernel that a partition can ask for: three operands of other dtypes each,
 * everything stored. */
TEST(partition, the_largest_kernel_can_be_lowered)
{
    begin_null();
    int scope = hd_scope_begin();
    hd_array *in[3] = {t_ready(SHAPE(8), HD_BOOL), t_ready(SHAPE(8), HD_INT8),
                       t_ready(SHAPE(8), HD_FLOAT32)};
    for (int k = 0; k < HDI_KERNEL_MAX_RECORDS; k++) {
        hd_array *fresh[3];
        for (int a = 0; a < 3; a++)   /* no operand is shared */
            fresh[a] = t_ready(SHAPE(8), hd_dtype_of(in[a]));
        hd_apply_options o = {.size = sizeof o,
                              .dtype = HD_FLOAT64,
                              .casting = HD_CAST_SAME_KIND,
                              .out = t_ready(SHAPE(8), HD_FLOAT32)};
        CHECK(hd_apply(HD_OP_where, 3, (const hd_array *const *)fresh, &o) != NULL);
    }
    planned *p = plan_pending();
    REQUIRE(p->partition.ngroups == 1 && p->partition.group[0].n == HDI_KERNEL_MAX_RECORDS);
    hdi_lock();
    hdi_kernel *k = hdi_lower(p, 0);
    hdi_unlock();
    REQUIRE(k != NULL);
    CHECK(k->ninst <= HDI_KERNEL_MAX_INSTS && k->nslots <= HDI_KERNEL_MAX_SLOTS);
    CHECK_EQ_I64(k->nslots, 4 * HDI_KERNEL_MAX_RECORDS);
    CHECK(hdi_kernel_verify(k) == HD_OK);
    hdi_kernel_free(k);
    hd_scope_end(scope, NULL);
    CHECK(hd_synchronize(NULL) == HD_OK && t_clean());
}
