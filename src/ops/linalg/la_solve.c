/* SPDX-License-Identifier: BSD-3-Clause */
/* la_solve.c - equations, inverses, determinants, Cholesky factors, least squares. */
#include "base/lock.h"
#include "ops/linalg/la.h"

#define SMALLEST 0x1p-1074   /* above 0 */

static hd_array *one_result(hd_op op, uint64_t flags, const hd_array *a)
{
    hdi_la_call c;
    if (a == NULL)
        return hdi_null("an array");
    hdi_lock();
    hd_status status = hdi_la_begin(&c, op, (hdi_payload){.la = flags}, a, true);
    return hdi_la_done_one(&c, status == HD_OK ? hdi_la_record(&c) : status);
}

hd_array *hd_solve(const hd_array *a, const hd_array *b)
{
    hdi_la_call c;
    if (a == NULL || b == NULL)
        return hdi_null("an array");
    hdi_lock();
    hd_status status = hdi_la_begin_pair(&c, HD_OP_solve, (hdi_payload){.la = 0}, a, b, true);
    return hdi_la_done_one(&c, status == HD_OK ? hdi_la_record(&c) : status);
}

hd_array *hd_inv(const hd_array *a, int nan_if_singular)
{
    return one_result(HD_OP_inv, nan_if_singular ? HDI_LA_NAN : 0, a);
}

hd_array *hd_det(const hd_array *a)
{
    return one_result(HD_OP_det, 0, a);
}

hd_array *hd_cholesky(const hd_array *a, int upper)
{
    return one_result(HD_OP_cholesky, upper ? HDI_LA_UPPER : 0, a);
}

hd_status hd_slogdet(const hd_array *a, hd_array **sign, hd_array **logdet)
{
    hdi_la_call c;
    hdi_la_none(2, (hd_array **[]){sign, logdet});
    if (a == NULL)
        return hdi_fail_null("an array");
    hdi_lock();
    hd_status status = hdi_la_begin(&c, HD_OP_slogdet, (hdi_payload){.la = 0}, a, true);
    return hdi_la_done(&c, status == HD_OK ? hdi_la_record(&c) : status, 2,
                   (hd_array **[]){sign, logdet});
}

hd_status hd_lstsq(const hd_array *a, const hd_array *b, double rcond, hd_array **x,
                   hd_array **residuals, hd_array **rank, hd_array **s)
{
    hdi_la_call c = {.op = HD_OP_lstsq};
    hdi_la_none(4, (hd_array **[]){x, residuals, rank, s});
    if (a == NULL || b == NULL)
        return hdi_fail_null("an array");
    if (rcond != rcond)   /* nothing is below nan, so all values count; LAPACK prints of it */
        rcond = SMALLEST;
    int na = a->lay->nd, nb = b->lay->nd;
    hd_status status = HD_OK;
    hdi_lock();
    if (na != 2 || nb < 1 || nb > 2)
        status = hdi_fail(HD_LINALG,
                          "%d-dimensional array given. Array must be two-dimensional",
                          na != 2 ? na : nb);
    else if (a->lay->dims[0] != b->lay->dims[0])
        status = hdi_fail(HD_LINALG, "Incompatible dimensions: a has %lld rows, b %lld",
                          (long long)a->lay->dims[0], (long long)b->lay->dims[0]);
    if (status == HD_OK)
        status = hdi_la_begin_pair(&c, HD_OP_lstsq, (hdi_payload){.rcond = rcond}, a, b, false);
    return hdi_la_done(&c, status == HD_OK ? hdi_la_record(&c) : status, 4,
                   (hd_array **[]){x, residuals, rank, s});
}
