/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_solver_right.c - equations with LU factors, from the right. To cuBLAS what lies in C order
 * is transposed: of a x = b it is asked for x^T = b^T u^-1 l^-1 p, where p l u is a^T. So b^T is
 * worked on as it lies, and the factors' exchanges, of its columns, come last, all at once at
 * memory's speed. cuSOLVER's getrs, from the left, makes them one after the other. */
#include "backend/cuda/cuda_cub.h"
#include "backend/cuda/cuda_solver_api.h"

/* Columns of the identity that are solved for at once: above them is what earlier ones made, below
 * them is nothing, and nothing is computed there. 6000 x 6000 float32 on an H200: 5.3 ms, by 1024
 * 5.5, all at once 6.5. */
enum { BLOCK = 2048 };

/* One right-hand side, or a few, are a product with vectors, which getrs is better at: 6000 x 6000
 * float32, 1 of them: 2.1 ms, here 3.6; 16: 4.9, 3.9; 1024: 8.8, 5.3. */
enum { FEW = 16 };

bool hdi_cuda_la_from_right(const hdi_cuda_la *p, int64_t k)
{
    return k >= FEW && p->batches * p->n <= INT32_MAX && p->d->limits.major >= 8 &&
           hdi_cuda_cub_open() != NULL;
}

/* to = in p, each matrix k x n column by column. */
static hd_status exchange(hdi_cuda_la *p, const void *in, const int64_t *pivots, int64_t k,
                          void *to)
{
    hdi_cub_call c = {.in = in, .in2 = pivots, .out = to, .lines = p->batches, .m = k, .n = p->n,
                      .width = (int)p->size};
    return hdi_cuda_cub_run(p->d, hdi_cuda_cub_open()->exchange, &c, p->name);
}

hd_status hdi_cuda_la_solve_right(hdi_cuda_la *p, const uint8_t *lu, const int64_t *pivots,
                                  int64_t k, uint8_t *b, uint8_t *to)
{
    int64_t n = p->n;
    hd_status status = HD_OK;
    for (int64_t i = 0; i < p->batches && status == HD_OK; i++) {
        const uint8_t *a = lu + i * n * n * p->size;
        uint8_t *x = b + i * n * k * p->size;
        status = hdi_solver_trsm(p, HDI_FILL_UPPER, false, k, n, a, n, x, k);
        if (status == HD_OK)
            status = hdi_solver_trsm(p, HDI_FILL_LOWER, true, k, n, a, n, x, k);
    }
    return status == HD_OK ? exchange(p, b, pivots, k, to) : status;
}

/* The identity becomes u^-1. */
static hd_status invert_upper(hdi_cuda_la *p, const uint8_t *u, uint8_t *x)
{
    int64_t n = p->n, column = n * p->size;
    hd_status status = HD_OK;
    for (int64_t j = 0; j < n && status == HD_OK; j += BLOCK) {
        int64_t width = hdi_min64(BLOCK, n - j);
        if (j > 0)
            status = hdi_solver_subtracted(p, j, width, j, x, n, u + j * column, n, x + j * column,
                                           n);
        if (status == HD_OK)
            status = hdi_solver_trsm(p, HDI_FILL_UPPER, false, j + width, width,
                                     u + j * column + j * p->size, n, x + j * column, n);
    }
    return status;
}

hd_status hdi_cuda_la_invert_right(hdi_cuda_la *p, uint8_t *lu, const int64_t *pivots,
                                   hdi_cuda_matrix to)
{
    int64_t n = p->n, bytes = n * n * p->size;
    hd_status status = hdi_cuda_la_identity(p, to, n, n);
    for (int64_t i = 0; i < p->batches && status == HD_OK; i++) {
        const uint8_t *a = lu + i * bytes;
        uint8_t *x = to.ptr + i * bytes;
        status = invert_upper(p, a, x);
        if (status == HD_OK)
            status = hdi_solver_trsm(p, HDI_FILL_LOWER, true, n, n, a, n, x, n);
    }
    if (status == HD_OK)   /* the factors have served */
        status = exchange(p, to.ptr, pivots, n, lu);
    return status == HD_OK
               ? hdi_cuda_la_move(p, to, hdi_cuda_la_columns(lu, p->dt, n, n * n, true), n, n,
                                  p->x->payload.la & HDI_LA_NAN ? HDI_MOVE_NAN : 0)
               : status;
}
