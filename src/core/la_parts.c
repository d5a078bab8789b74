/* SPDX-License-Identifier: BSD-3-Clause */
/* la_parts.c - shapes of the results of linear algebra. */
#include "core/la_parts.h"

static int add(hdi_part *part, int at, hd_dtype dt, int nd, int64_t rows, int64_t columns)
{
    part[at] = (hdi_part){.dt = dt, .nd = nd, .dims = {rows, columns}};
    return at + 1;
}

static int qr_parts(uint64_t flags, hd_dtype dt, int64_t m, int64_t n, hdi_part *part)
{
    int64_t mn = hdi_min64(m, n), columns = flags & HDI_LA_FULL ? m : mn;
    if (flags & HDI_LA_RAW)
        return add(part, add(part, 0, dt, 2, n, m), dt, 1, mn, 1);
    if (flags & HDI_LA_R)
        return add(part, 0, dt, 2, mn, n);
    return add(part, add(part, 0, dt, 2, m, columns), dt, 2, columns, n);
}

static int svd_parts(uint64_t flags, hd_dtype dt, int64_t m, int64_t n, hdi_part *part)
{
    int64_t mn = hdi_min64(m, n);
    if (!(flags & HDI_LA_VECTORS))
        return add(part, 0, hd_dtype_real(dt), 1, mn, 1);
    add(part, 0, dt, 2, m, flags & HDI_LA_FULL ? m : mn);
    add(part, 1, hd_dtype_real(dt), 1, mn, 1);
    return add(part, 2, dt, 2, flags & HDI_LA_FULL ? n : mn, n);
}

int hdi_la_parts(hd_op op, hdi_payload how, hd_dtype dt, int64_t m, int64_t n, int64_t k,
                 hdi_part *part)
{
    hd_dtype real = hd_dtype_real(dt);
    int at = 0;
    switch ((int)op) {
    case HD_OP_solve:
        return add(part, 0, dt, 2, n, k);
    case HD_OP_inv:
    case HD_OP_cholesky:
        return add(part, 0, dt, 2, n, n);
    case HD_OP_det:
        return add(part, 0, dt, 0, 1, 1);
    case HD_OP_slogdet:
        return add(part, add(part, 0, dt, 0, 1, 1), real, 0, 1, 1);
    case HD_OP_qr:
        return qr_parts(how.la, dt, m, n, part);
    case HD_OP_svd:
        return svd_parts(how.la, dt, m, n, part);
    case HD_OP_eigh:
    case HD_OP_eig:
        at = add(part, 0, op == HD_OP_eigh ? real : dt, 1, n, 1);
        return how.la & HDI_LA_VECTORS ? add(part, at, dt, 2, n, n) : at;
    default:   /* lstsq: x, sums of squares, rank, singular values */
        at = add(part, add(part, 0, dt, 2, n, k), real, 1, k, 1);
        return add(part, add(part, at, HD_INT32, 0, 1, 1), real, 1, hdi_min64(m, n), 1);
    }
}
