/* SPDX-License-Identifier: BSD-3-Clause */
/* test_snapshot.c - copies that share a generation until one of the two is written to (rule M10):
 * whoever is written to keeps nothing from the other, whatever is pending, shared or exported. */
#include "support.h"

RECORDS_SMALL_WORK

enum { N = 6 };

static hd_array *slice(hd_array *x, int64_t from, int64_t to)
{
    return t_slice(x, SLICE(from, to, 1));
}

static void put(hd_array *x, int64_t from, int64_t to, double value)
{
    hd_assign(slice(x, from, to), hd_float(value), HD_CAST_SAME_KIND);
}

TEST(snapshot, a_write_to_either_leaves_the_other)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64), *c = hd_copy(x, 'C'), *d = hd_copy(c, 'C');
    CHECK(!hd_may_share(x, c) && !hd_same_memory(x, c));
    put(x, 1, 3, 50);
    put(d, 0, 1, 70);
    CHECK(t_equals(x, 0, 50, 50, 3, 4, 5));
    CHECK(t_equals(c, 0, 1, 2, 3, 4, 5));
    CHECK(t_equals(d, 70, 1, 2, 3, 4, 5));
    hd_scope_end(scope, NULL);
}

TEST(snapshot, of_what_is_pending)
{
    int scope = hd_scope_begin();
    hd_array *x = hd_add(t_ramp(SHAPE(N), HD_FLOAT64), hd_float(1)), *c = hd_copy(x, 'K');
    hd_array *view = slice(x, 2, 6);
    hd_inplace(HD_OP_multiply, view, hd_float(10));       /* a write through a view */
    hd_inplace(HD_OP_add, c, x);                          /* covers c: reads the old c and x */
    CHECK(t_equals(x, 1, 2, 30, 40, 50, 60));
    CHECK(t_equals(c, 2, 4, 33, 44, 55, 66));
    CHECK(t_equals(view, 30, 40, 50, 60));
    hd_scope_end(scope, NULL);
}

TEST(snapshot, costs_nothing_until_a_write)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64);
    int64_t records = t_stats(NULL).records;
    hd_array *c = hd_copy(x, 'C');
    CHECK_EQ_I64(t_stats(NULL).records, records);
    put(c, 0, 1, 9);                                      /* the copy, then the store */
    CHECK_EQ_I64(t_stats(NULL).records, records + 2);
    put(c, 1, 2, 9);
    CHECK_EQ_I64(t_stats(NULL).records, records + 3);
    CHECK(t_equals(c, 9, 9, 2, 3, 4, 5));
    hd_scope_end(scope, NULL);
}

TEST(snapshot, shifted_update_of_a_copy)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(N), HD_INT32), *c = hd_copy(x, 'C');
    hd_inplace(HD_OP_add, slice(c, 1, N), slice(c, 0, N - 1));   /* c[1:] += c[:-1] */
    hd_inplace(HD_OP_add, slice(x, 1, N), slice(c, 0, N - 1));
    CHECK(t_equals(c, 0, 1, 3, 5, 7, 9));
    CHECK(t_equals(x, 0, 1, 3, 6, 9, 12));
    hd_scope_end(scope, NULL);
}

TEST(snapshot, index_arrays)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64), *c = hd_copy(x, 'C');
    hd_array *places = t_ramp_from(2, SHAPE(2), HD_INT64);
    CHECK(hd_put(x, 1, (const hd_array *const[]){places}, hd_float(-1), HD_CAST_SAME_KIND) ==
          HD_OK);
    CHECK(t_equals(x, 0, 1, -1, -1, 4, 5));
    CHECK(t_equals(c, 0, 1, 2, 3, 4, 5));
    hd_scope_end(scope, NULL);
}

TEST(snapshot, another_dtype_over_the_same_bytes)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(5), HD_UINT8), *c = hd_copy(x, 'C');
    hd_array *words = hd_view(slice(c, 0, 4), HD_UINT16);   /* 5 bytes are no whole words */
    hd_assign(slice(words, 1, 2), hd_int(0x0909), HD_CAST_SAME_KIND);
    CHECK(t_equals(c, 0, 1, 9, 9, 4));
    CHECK(t_equals(x, 0, 1, 2, 3, 4));
    hd_scope_end(scope, NULL);
}

TEST(snapshot, exported_memory_is_its_own)
{
    int scope = hd_scope_begin();
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64), *c = hd_copy(x, 'C');
    double *memory = hd_export(x, 1);
    REQUIRE(memory != NULL);
    memory[0] = 100;                                      /* somebody else writes */
    hd_array *d = hd_copy(x, 'C');                        /* copied at once: it can be reached */
    memory[1] = 200;
    CHECK(t_equals(c, 0, 1, 2, 3, 4, 5));
    CHECK(t_equals(d, 100, 1, 2, 3, 4, 5));
    CHECK(t_equals(x, 100, 200, 2, 3, 4, 5));
    hd_unexport(x);
    hd_scope_end(scope, NULL);
}

TEST(snapshot, the_original_may_go_first)
{
    hd_array *x = t_ramp(SHAPE(N), HD_FLOAT64), *c = hd_copy(x, 'C');
    hd_release(x);
    hd_array *v = t_slice(c, SLICE(0, 2, 1)), *eight = hd_float(8);
    hd_assign(v, eight, HD_CAST_SAME_KIND);               /* alone by now: in place */
    hd_release(eight);
    CHECK(t_equals(c, 8, 8, 2, 3, 4, 5));
    hd_release(v);
    hd_release(c);
}
