/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_product.h - a product of matrices, or a batch of them, as the CPU runs it.
 * Owns       hdi_cpu_matrix, hdi_cpu_product, hdi_cpu_spot
 * Invariant  all matrices of a batch lie alike: what is decided from strides holds for each
 * Threads    a product that is set up is only read
 * Start at   cpu_matmul.c: hdi_cpu_matmul() */
#ifndef HDI_CPU_PRODUCT_H
#define HDI_CPU_PRODUCT_H

#include "backend/cpu/cpu_blas.h"
#include "backend/cpu/cpu_library.h"
#include "backend/cpu/cpu_space.h"

/* One matrix: strides in bytes. */
typedef struct hdi_cpu_matrix {
    uint8_t *ptr;
    int64_t rows, columns, row, column;
    hd_dtype dt;
} hdi_cpu_matrix;

enum { CPU_A, CPU_B, CPU_C, CPU_MATRICES };

typedef struct hdi_cpu_product {
    const hdi_loops *l;
    hd_dtype cdt;                /* of the loop: float32 for the half types */
    int64_t size;                /* of an element of it */
    int64_t m, n, k;
    hdi_cpu_matrix of[CPU_MATRICES];      /* c = a b: the first of the batch */
    bool aligned[CPU_MATRICES];           /* as C wants its elements, all over the batch */
    int nd;                      /* axes of the batch, none of extent 1 */
    int64_t dims[HD_MAXDIM], steps[HD_MAXDIM][CPU_MATRICES], batches;
    hdi_cpu_asker ask;
} hdi_cpu_product;

/* Where one product of the batch lies. */
typedef struct hdi_cpu_spot { uint8_t *ptr[CPU_MATRICES]; int64_t index[HD_MAXDIM]; } hdi_cpu_spot;

/* hdi_cpu_spot_start - product number `batch`; hdi_cpu_spot_next - the one after. */
void hdi_cpu_spot_start(hdi_cpu_spot *at, const hdi_cpu_product *p, int64_t batch);
static inline void hdi_cpu_spot_next(hdi_cpu_spot *at, const hdi_cpu_product *p)
{
    for (int i = p->nd - 1; i >= 0; i--) {
        bool more = ++at->index[i] < p->dims[i];
        for (int k = 0; k < CPU_MATRICES; k++)
            at->ptr[k] += more ? p->steps[i][k] : -p->steps[i][k] * (p->dims[i] - 1);
        if (more)
            return;
        at->index[i] = 0;
    }
}

/* hdi_cpu_pack - the matrix's elements, cast to the loop's dtype, to rows of `to` that are
 * `stride` bytes apart. hdi_cpu_unpack - the other way. */
void hdi_cpu_pack(const hdi_cpu_product *p, const hdi_cpu_matrix *a, uint8_t *to, int64_t stride);
void hdi_cpu_unpack(const hdi_cpu_product *p, const hdi_cpu_matrix *c, const uint8_t *from,
                    int64_t stride);

/* hdi_cpu_product_blas - by BLAS, which knows the type. hdi_cpu_product_own - by loops of our
 * own. */
hd_status hdi_cpu_product_blas(const hdi_cpu_product *p);
hd_status hdi_cpu_product_own(const hdi_cpu_product *p);

/* Work (multiplications) that is worth a task of its own: some ten microseconds. */
#define HDI_CPU_PRODUCT_TASK ((int64_t)1 << 17)

#endif
