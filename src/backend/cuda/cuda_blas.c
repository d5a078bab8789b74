/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_blas.c - matrices where they lie: a transposed operand is an option, not a copy; what lies
 * in no way that cuBLAS knows is copied first. IEEE arithmetic, unless the product was recorded
 * under heddle.config.matmul_precision = "tf32"; half types are summed in float32. cuBLAS counts
 * columns first, so that a product in C order is to it the product of the other two, turned
 * round. */
#include "backend/cuda/cuda_blas.h"

#include "backend/cuda/cuda_calls.h"
#include "backend/cuda/cuda_libraries.h"
#include "core/op.h"

/* ---- operands -------------------------------------------------------------------------------- */

/* How a matrix lies: leading dimension in elements, and is it column by column? */
typedef struct lie { int ld; bool turned; } lie;

/* False where neither axis has stride 1, or the other one is too short for it; or where matrices of
 * the batch do not begin at elements. */
static bool lies_well(const hdi_xarg *x, lie *how)
{
    int64_t size = hd_dtype_size(x->dt), rows = x->dims[x->nd - 2], columns = x->dims[x->nd - 1];
    int64_t row = x->strides[x->nd - 2], column = x->strides[x->nd - 1];
    for (int a = 0; a < x->nd; a++)
        if (x->strides[a] % size != 0)
            return false;
    if ((uintptr_t)x->ptr % (uintptr_t)size != 0)
        return false;
    row = rows == 1 ? columns : row / size;         /* of an only row any would do */
    column = columns == 1 ? rows : column / size;
    bool in_rows = (columns == 1 || column == 1) && row >= columns;
    bool in_columns = (rows == 1 || row == 1) && column >= rows;
    int64_t step = hdi_max64(in_rows ? row : column, 1);
    *how = (lie){.ld = (int)step, .turned = !in_rows};
    return (in_rows || in_columns) && step <= INT32_MAX && rows <= INT32_MAX &&
           columns <= INT32_MAX;
}

/* A dense copy in borrowed memory; a batch that repeats a matrix has it once. */
typedef struct copy { hdi_xarg x; int64_t dims[HD_MAXDIM], strides[HD_MAXDIM], bytes; } copy;

static hd_status make_room(hdi_cuda *d, const hdi_xarg *x, copy *to)
{
    int64_t step = hd_dtype_size(x->dt);
    to->x = *x;
    for (int a = x->nd - 1; a >= 0; a--) {
        bool once = a < x->nd - 2 && x->strides[a] == 0;
        to->dims[a] = once ? 1 : x->dims[a];
        to->strides[a] = once ? 0 : step;
        step *= to->dims[a];
    }
    to->x.dims = x->dims;
    to->x.strides = to->strides;
    to->bytes = hdi_max64(step, 1);
    to->x.ptr = hdi_cuda_alloc(d, to->bytes);
    return to->x.ptr != NULL
               ? HD_OK
               : hdi_fail(HD_NOMEM, "unable to allocate %lld bytes for a copy of matrices that "
                          "cuBLAS cannot take as they lie", (long long)to->bytes);
}

static void drop(hdi_cuda *d, copy *c)
{
    if (c->bytes > 0 && c->x.ptr != NULL)
        hdi_cuda_free(d, c->x.ptr, c->bytes);
}

static hd_status copy_over(hdi_cuda *d, const copy *room, const hdi_xarg *to, const hdi_xarg *from)
{
    hdi_xarg part = *to;
    part.dims = room->dims;
    return hdi_cuda_copy(d, &part, from);
}

/* ---- the call -------------------------------------------------------------------------------- */

enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32F_TF32 = 77 };

static const struct { hd_dtype dt; int type, compute; } known[] = {
    {HD_FLOAT16, 2, COMPUTE_32F},   {HD_BFLOAT16, 14, COMPUTE_32F},
    {HD_FLOAT32, 0, COMPUTE_32F},   {HD_FLOAT64, 1, COMPUTE_64F},
    {HD_COMPLEX64, 4, COMPUTE_32F}, {HD_COMPLEX128, 5, COMPUTE_64F},
};
enum { NKNOWN = sizeof known / sizeof *known };

static int find(hd_dtype dt)
{
    int k = 0;
    while (k < NKNOWN && known[k].dt != dt)
        k++;
    return k;
}

bool hdi_cuda_blas_knows(hd_dtype dt)
{
    return find(dt) < NKNOWN;
}

hd_status hdi_cuda_blas_open(hdi_cuda *d)
{
    hdi_cuda_create *create = (hdi_cuda_create *)hdi_cuda_symbol(HDI_CUBLAS, "cublasCreate_v2");
    int (*set)(void *, CUstream) =
        (int (*)(void *, CUstream))hdi_cuda_symbol(HDI_CUBLAS, "cublasSetStream_v2");
    if (create == NULL || set == NULL)
        return hd_error_peek()->code;
    int code = hdi_cuda_handle(d, create, &d->blas);
    if (code != 0)
        return hdi_fail(HD_DEVICE, "cuBLAS: cublasCreate gave status %d", code);
    code = set(d->blas, d->stream);
    return code == 0 ? HD_OK : hdi_fail(HD_DEVICE, "cuBLAS: cublasSetStream gave status %d", code);
}

typedef int (*gemm_fn)(void *handle, int turn_a, int turn_b, int m, int n, int k,
                       const void *alpha, const void *a, int type_a, int lda, long long batch_a,
                       const void *b, int type_b, int ldb, long long batch_b, const void *beta,
                       void *c, int type_c, int ldc, long long batch_c, int batches, int compute,
                       int algorithm);

/* A product being made: of the batch axes the call has one, `inner`, if it has any. */
typedef struct product {
    const hdi_xcall *x;
    gemm_fn gemm;
    lie a, b, c;
    int inner;
} product;

/* The longest axis along which all matrices go forward: that is all that cuBLAS takes. */
static int choose_inner(const hdi_xcall *x)
{
    int best = -1;
    for (int i = 0; i < x->out.nd - 2; i++) {
        bool forward = x->in[0].strides[i] >= 0 && x->in[1].strides[i] >= 0 &&
                       x->out.strides[i] > 0 && x->out.dims[i] <= INT32_MAX;
        if (forward && x->out.dims[i] > 1 &&
            (best < 0 || x->out.dims[i] > x->out.dims[best]))
            best = i;
    }
    return best;
}

static hd_status multiply(hdi_cuda *d, const product *p, const uint8_t *a, const uint8_t *b,
                          uint8_t *c)
{
    /* 1 and 0, as real or complex numbers of either size */
    static const double one64[2] = {1, 0}, zero64[2] = {0, 0};
    static const float one32[2] = {1, 0}, zero32[2] = {0, 0};
    const hdi_xcall *x = p->x;
    int row = find(x->cdt), type = known[row].type, compute = known[row].compute, i = p->inner;
    bool wide = compute == COMPUTE_64F;
    if (!wide && x->payload.tf32 != 0 && !hdi_is_half(x->cdt))
        compute = COMPUTE_32F_TF32;
    const void *one = wide ? (const void *)one64 : one32;
    const void *zero = wide ? (const void *)zero64 : zero32;
    int64_t size = hd_dtype_size(x->cdt);
    int last = x->out.nd - 1, m = (int)x->out.dims[last - 1], n = (int)x->out.dims[last],
        k = (int)x->in[0].dims[last], count = i >= 0 ? (int)x->out.dims[i] : 1;
    long long step[3] = {i >= 0 ? x->in[0].strides[i] / size : 0,
                         i >= 0 ? x->in[1].strides[i] / size : 0,
                         i >= 0 ? x->out.strides[i] / size : 0};
    int code = 1;   /* again: cuBLAS loads kernels when it needs them, into memory of its own */
    for (int tries = 0; tries < 2 && code != 0 && (tries == 0 || hdi_cuda_make_room(d)); tries++)
        code = p->gemm(d->blas, p->b.turned, p->a.turned, n, m, k, one, b, type, p->b.ld, step[1],
                       a, type, p->a.ld, step[0], zero, c, type, p->c.ld, step[2], count, compute,
                       -1);
    return code == 0 ? HD_OK
                     : hdi_fail(HD_DEVICE, "cuBLAS: %d products of %d x %d and %d x %d %s matrices "
                                "(leading dimensions %d, %d, %d; steps %lld, %lld, %lld) gave "
                                "status %d", count, m, k, k, n, hd_dtype_name(x->cdt), p->a.ld,
                                p->b.ld, p->c.ld, step[0], step[1], step[2], code);
}

/* Every index over the batch axes that are not in the call. */
static hd_status multiply_all(hdi_cuda *d, const product *p)
{
    const hdi_xcall *x = p->x;
    int axis;
    int64_t index[HD_MAXDIM] = {0};
    const uint8_t *a = x->in[0].ptr, *b = x->in[1].ptr;
    uint8_t *c = x->out.ptr;
    hd_status status;
    do {
        status = multiply(d, p, a, b, c);
        for (axis = x->out.nd - 3; axis >= 0 && status == HD_OK; axis--) {
            if (axis == p->inner)
                continue;
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

hd_status hdi_cuda_matmul(hdi_cuda *d, const hdi_xcall *x)
{
    hdi_xcall own = *x;
    copy room[3] = {{.bytes = 0}, {.bytes = 0}, {.bytes = 0}};
    hdi_xarg *side[3] = {&own.in[0], &own.in[1], &own.out};
    product p = {.x = &own};
    lie *how[3] = {&p.a, &p.b, &p.c};
    for (int i = 0; i < x->out.nd; i++)
        if (x->out.dims[i] == 0)
            return HD_OK;
    p.gemm = (gemm_fn)hdi_cuda_symbol(HDI_CUBLAS, "cublasGemmStridedBatchedEx");
    hd_status status = p.gemm == NULL ? hd_error_peek()->code : hdi_cuda_blas_open(d);
    for (int s = 0; s < 3 && status == HD_OK; s++) {
        if (lies_well(side[s], how[s]) && (s < 2 || !p.c.turned))
            continue;
        status = make_room(d, side[s], &room[s]);
        if (status == HD_OK && s < 2)
            status = copy_over(d, &room[s], &room[s].x, side[s]);
        *side[s] = room[s].x;
        if (status == HD_OK && !lies_well(side[s], how[s]))
            status = hdi_fail(HD_UNSUPPORTED, "a matrix of %lld x %lld is too large for cuBLAS",
                              (long long)side[s]->dims[side[s]->nd - 2],
                              (long long)side[s]->dims[side[s]->nd - 1]);
    }
    p.inner = choose_inner(&own);
    if (status == HD_OK)
        status = multiply_all(d, &p);
    if (status == HD_OK && room[2].bytes > 0)
        status = copy_over(d, &room[2], &x->out, &room[2].x);
    for (int s = 0; s < 3; s++)
        drop(d, &room[s]);
    return status;
}
