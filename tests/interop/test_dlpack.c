/* SPDX-License-Identifier: BSD-3-Clause */
/* test_dlpack.c - tensors of DLPack out and in; tests/python has them beside other libraries. */
#include "interop/dlpack_structs.h"
#include "support.h"

TEST(dlpack, there_and_back)
{
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
        hd_array *x = t_ramp(SHAPE(2, 3), (hd_dtype)dt), *t = hd_transpose(x, NULL);
        dl_versioned *m = hd_to_dlpack(t, 0, HD_NO_STREAM);
        REQUIRE(m != NULL);
        CHECK(m->major == 1 && m->flags == 0 && m->tensor.ndim == 2 && m->tensor.device.type == DL_CPU);
        CHECK(m->tensor.shape[0] == 3 && m->tensor.strides[0] == 1 && m->tensor.strides[1] == 3);
        CHECK(m->tensor.dtype.bits == 8 * hd_dtype_size((hd_dtype)dt) && m->tensor.dtype.lanes == 1);
        hd_release(t);
        hd_array *back = hd_from_dlpack(m);
        REQUIRE(back != NULL);
        CHECK(hd_dtype_of(back) == (hd_dtype)dt && hd_shape(back)[0] == 3 && hd_is_writeable(back));
        char want[96], got[96];
        hd_array *again = hd_transpose(back, NULL);
        CHECK(hd_read(x, want) == HD_OK && hd_read(again, got) == HD_OK);
        CHECK(memcmp(want, got, (size_t)hd_nbytes(x)) == 0);
        hd_release(again);
        hd_release(x);
        hd_release(back);
    }
}

TEST(dlpack, memory_is_shared)
{
    hd_array *x = hd_zeros(SHAPE(4), HD_FLOAT64), *seven = hd_float(7);
    hd_array *y = hd_from_dlpack_unversioned(hd_to_dlpack_unversioned(x, 0, HD_NO_STREAM));
    REQUIRE(y != NULL);
    CHECK(hd_assign(x, seven, HD_CAST_DEFAULT) == HD_OK);
    hd_release(x);
    hd_value v;
    CHECK(hd_item(y, 3, &v) == HD_OK && v.as.f == 7);
    hd_release(y);
    hd_release(seven);
}

TEST(dlpack, read_only_arrays)
{
    hd_array *one = hd_ones(SHAPE(1), HD_FLOAT32), *x = hd_broadcast_to(one, SHAPE(3));
    CHECK(hd_to_dlpack_unversioned(x, 0, HD_NO_STREAM) == NULL && hd_error_take(NULL) == HD_EXPORT);
    dl_versioned *m = hd_to_dlpack(x, 1, HD_NO_STREAM);
    REQUIRE(m != NULL);
    CHECK(m->flags == (DL_READ_ONLY | DL_IS_COPIED));
    hd_array *y = hd_from_dlpack(m);
    CHECK(y != NULL && !hd_is_writeable(y));
    hd_release(y);
    hd_release(x);
    hd_release(one);
}

static int deleted;
static void count_plain(dl_managed *m) { (void)m; deleted++; }
static void count_versioned(dl_versioned *m) { (void)m; deleted++; }

TEST(dlpack, tensors_of_others)
{
    static float data[6] = {0, 1, 2, 3, 4, 5};
    int64_t shape[2] = {2, 2}, strides[2] = {3, 1};
    dl_managed m = {{data, {DL_CPU, 0}, 2, {DL_FLOAT, 32, 1}, shape, strides, 4}, NULL, count_plain};
    hd_array *x = hd_from_dlpack_unversioned(&m);
    float got[4];
    CHECK(hd_read(x, got) == HD_OK && got[0] == 1 && got[1] == 2 && got[2] == 4 && got[3] == 5);
    CHECK_EQ_I64(deleted, 0);
    hd_release(x);
    CHECK_EQ_I64(deleted, 1);
    /* what is refused stays its owner's */
    dl_versioned bad = {1, 0, NULL, count_versioned, 0, m.tensor};
    bad.major = 2;
    CHECK(hd_from_dlpack(&bad) == NULL && hd_error_take(NULL) == HD_EXPORT);
    bad.major = 1;
    bad.tensor.dtype.lanes = 4;
    CHECK(hd_from_dlpack(&bad) == NULL && hd_error_take(NULL) == HD_EXPORT);
    bad.tensor.dtype = (dl_dtype){DL_FLOAT, 32, 1};
    bad.tensor.device.type = 10;
    CHECK(hd_from_dlpack(&bad) == NULL && hd_error_take(NULL) == HD_EXPORT);
    bad.tensor.device.type = DL_CPU;
    for (int nd = -1; nd <= 65; nd += 66) {
        bad.tensor.ndim = nd;
        CHECK(hd_from_dlpack(&bad) == NULL && hd_error_take(NULL) == HD_EXPORT);
    }
    CHECK_EQ_I64(deleted, 1);
    hd_dlpack_free(&bad);
    hd_dlpack_free(NULL);
    CHECK_EQ_I64(deleted, 2);
}
