/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_blas.c - matrices where they lie: a transposed operand is an option, not a copy. IEEE
 * arithmetic: no TF32. cuBLAS counts columns first, so that a product in C order is to it the
 * product of the other two, turned round. */
#include "backend/cuda/cuda_blas.h"

#include <stdio.h>

#include "backend/cuda/cuda_libraries.h"

/* One side of a product as cuBLAS sees it. */
typedef struct side { void *ptr; int ld; bool turned; int64_t batch; } side;

/* In elements; false where neither axis has stride 1, or the other one is too short for it. */
static bool lies_well(const hdi_xarg *x, int *ld, bool *turned)
{
    int64_t size = hd_dtype_size(x->dt), rows = x->dims[x->nd - 2], columns = x->dims[x->nd - 1];
    int64_t row = x->strides[x->nd - 2], column = x->strides[x->nd - 1];
    if (row % size != 0 || column % size != 0 || row < 0 || column < 0 ||
        (uintptr_t)x->ptr % (uintptr_t)size != 0)
        return false;
    row /= size;
    column /= size;
    bool in_rows = (column == 1 || columns == 1) && (row >= columns || rows == 1);
    bool in_columns = (row == 1 || rows == 1) && (column >= rows || columns == 1);
    if (!in_rows && !in_columns)
        return false;
    int64_t step = in_rows ? hdi_max64(rows == 1 ? columns : row, 1)
                           : hdi_max64(columns == 1 ? rows : column, 1);
    *turned = !in_rows;
    *ld = (int)step;
    return step <= INT32_MAX && rows <= INT32_MAX && columns <= INT32_MAX;
}

static bool is_known(hd_dtype dt)
{
    return dt == HD_FLOAT32 || dt == HD_FLOAT64 || dt == HD_COMPLEX64 || dt == HD_COMPLEX128;
}

bool hdi_cuda_blas_can(const hdi_xcall *x)
{
    int ld;
    bool turned;
    if (!is_known(x->cdt) || x->out.dt != x->cdt || x->in[0].dt != x->cdt ||
        x->in[1].dt != x->cdt)
        return false;
    return lies_well(&x->in[0], &ld, &turned) && lies_well(&x->in[1], &ld, &turned) &&
           lies_well(&x->out, &ld, &turned) && !turned;
}

/* ---- the call -------------------------------------------------------------------------------- */

typedef int (*gemm_fn)(void *handle, int turn_a, int turn_b, int m, int n, int k,
                       const void *alpha, const void *a, int lda, long long batch_a, const void *b,
                       int ldb, long long batch_b, const void *beta, void *c, int ldc,
                       long long batch_c, int batches);

static const struct { hd_dtype dt; const char *name; } functions[] = {
    {HD_FLOAT32, "cublasSgemmStridedBatched"}, {HD_FLOAT64, "cublasDgemmStridedBatched"},
    {HD_COMPLEX64, "cublasCgemmStridedBatched"}, {HD_COMPLEX128, "cublasZgemmStridedBatched"},
};

static hd_status blas_check(int code, const char *doing)
{
    return code == 0 ? HD_OK : hdi_fail(HD_DEVICE, "cuBLAS: %s gave status %d", doing, code);
}

static hd_status open_handle(hdi_cuda *d)
{
    int (*create)(void **) = (int (*)(void **))hdi_cuda_symbol(HDI_CUBLAS, "cublasCreate_v2");
    int (*set)(void *, CUstream) =
        (int (*)(void *, CUstream))hdi_cuda_symbol(HDI_CUBLAS, "cublasSetStream_v2");
    if (create == NULL || set == NULL)
        return hd_error_peek()->code;
    hd_status status = d->blas != NULL ? HD_OK : blas_check(create(&d->blas), "cublasCreate");
    if (status != HD_OK)
        d->blas = NULL;
    return status == HD_OK ? blas_check(set(d->blas, d->stream), "cublasSetStream") : status;
}

static gemm_fn function_for(hd_dtype dt)
{
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (functions[k].dt == dt)
            return (gemm_fn)hdi_cuda_symbol(HDI_CUBLAS, functions[k].name);
    return NULL;
}

/* The innermost batch axis goes into the call; those outside are gone through here. */
static hd_status multiply(hdi_cuda *d, const hdi_xcall *x, gemm_fn gemm, const uint8_t *a,
                          const uint8_t *b, uint8_t *c, int inner)
{
    /* 1 and 0, as real or complex numbers of either size */
    static const double one64[2] = {1, 0}, zero64[2] = {0, 0};
    static const float one32[2] = {1, 0}, zero32[2] = {0, 0};
    bool wide = x->cdt == HD_FLOAT64 || x->cdt == HD_COMPLEX128;
    const void *one = wide ? (const void *)one64 : one32;
    const void *zero = wide ? (const void *)zero64 : zero32;
    int64_t size = hd_dtype_size(x->cdt), n = inner >= 0 ? x->out.dims[inner] : 1;
    int lda, ldb, ldc, last = x->out.nd - 1;
    bool ta, tb, tc;
    lies_well(&x->in[0], &lda, &ta);
    lies_well(&x->in[1], &ldb, &tb);
    lies_well(&x->out, &ldc, &tc);
    return blas_check(
        gemm(d->blas, tb, ta, (int)x->out.dims[last], (int)x->out.dims[last - 1],
             (int)x->in[0].dims[last], one, b, ldb, inner >= 0 ? x->in[1].strides[inner] / size : 0,
             a, lda, inner >= 0 ? x->in[0].strides[inner] / size : 0, zero, c, ldc,
             inner >= 0 ? x->out.strides[inner] / size : 0, (int)n),
        "a matrix product");
}

hd_status hdi_cuda_matmul(hdi_cuda *d, const hdi_xcall *x)
{
    int inner = x->out.nd - 3, axis;
    int64_t index[HD_MAXDIM] = {0};
    const uint8_t *a = x->in[0].ptr, *b = x->in[1].ptr;
    uint8_t *c = x->out.ptr;
    gemm_fn gemm = function_for(x->cdt);
    hd_status status = gemm == NULL ? hd_error_peek()->code : open_handle(d);
    for (int i = 0; i < x->out.nd; i++)
        if (x->out.dims[i] == 0)
            return HD_OK;
    do {
        if (status == HD_OK)
            status = multiply(d, x, gemm, a, b, c, inner);
        for (axis = inner - 1; axis >= 0 && status == HD_OK; axis--) {
            bool wraps = ++index[axis] == x->out.dims[axis];
            int64_t by = wraps ? 1 - x->out.dims[axis] : 1;
            a += by * x->in[0].strides[axis];
            b += by * x->in[1].strides[axis];
            c += by * x->out.strides[axis];
            index[axis] = wraps ? 0 : index[axis];
            if (!wraps)
                break;
        }
    } while (axis >= 0 && status == HD_OK);
    return status;
}
