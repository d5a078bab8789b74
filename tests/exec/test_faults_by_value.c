/* SPDX-License-Identifier: BSD-3-Clause */
/* test_faults_by_value.c - faults of operations at places, on a device without flags: an infinity is
 * a division by zero where the operation has its pole, else an overflow. */
#include <heddle/faults.h>
#include <math.h>

#include "support.h"

__attribute__((constructor)) static void no_flags(void)
{
    setenv("HEDDLE_FAULTS", "values", 1);
}

/* What x[0] = op(x[0]) tells, or x[0] = op(x[0], y). */
static int told(hd_op op, double x, const double *y)
{
    const int64_t place = 0;
    int scope = hd_scope_begin();
    hd_array *a = hd_full(SHAPE(2), hd_float(x), HD_FLOAT64);
    hd_array *at = hd_from_data(SHAPE(1), NULL, HD_INT64, &place);
    hd_array *with = y != NULL ? hd_full(SHAPE(1), hd_float(*y), HD_FLOAT64) : NULL;
    hd_watch_faults(HD_FAULT_DIVIDE | HD_FAULT_OVERFLOW | HD_FAULT_INVALID);
    CHECK(hd_at(op, a, 1, (const hd_array *[]){at}, with) == HD_OK);
    hd_watch_faults(0);
    const int faults = hd_faults_take();
    hd_scope_end(scope, NULL);
    return faults;
}

TEST(faults_by_value, at_places)
{
    static const struct { hd_op op; double x; int faults; } one[] = {
        {HD_OP_log, 0, HD_FAULT_DIVIDE},
        {HD_OP_log, -1, HD_FAULT_INVALID},
        {HD_OP_log, 1, 0},
        {HD_OP_log1p, -1, HD_FAULT_DIVIDE},
        {HD_OP_arctanh, 1, HD_FAULT_DIVIDE},
        {HD_OP_logit, 0, HD_FAULT_DIVIDE},
        {HD_OP_logit, 1, HD_FAULT_DIVIDE},
        {HD_OP_gamma, 200, HD_FAULT_OVERFLOW},
        {HD_OP_reciprocal, 0, HD_FAULT_DIVIDE},
        {HD_OP_reciprocal, 0x1p-1074, HD_FAULT_OVERFLOW},
        {HD_OP_square, 1e200, HD_FAULT_OVERFLOW},
        {HD_OP_exp, 1000, HD_FAULT_OVERFLOW},
        {HD_OP_negative, INFINITY, 0},
    };
    for (size_t k = 0; k < sizeof one / sizeof *one; k++)
        CHECK_EQ_I64(told(one[k].op, one[k].x, NULL), one[k].faults);
    static const struct { hd_op op; double x, y; int faults; } two[] = {
        {HD_OP_divide, 1, 0, HD_FAULT_DIVIDE},
        {HD_OP_divide, 1e300, 1e-300, HD_FAULT_OVERFLOW},
        {HD_OP_power, 0, -1, HD_FAULT_DIVIDE},
        {HD_OP_power, 10, 400, HD_FAULT_OVERFLOW},
        {HD_OP_multiply, 1e200, 1e200, HD_FAULT_OVERFLOW},
        {HD_OP_add, 1, 2, 0},
        {HD_OP_maximum, 1, INFINITY, 0},
    };
    for (size_t k = 0; k < sizeof two / sizeof *two; k++)
        CHECK_EQ_I64(told(two[k].op, two[k].x, &two[k].y), two[k].faults);
}
