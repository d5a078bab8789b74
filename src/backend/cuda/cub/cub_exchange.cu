/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_exchange.cu - the columns of matrices where an LU factorization's exchanges take them: to
 * make the exchanges one after the other, as LAPACK's laswp does, moves most of them many times. */
#include "backend/cuda/cub/cub_inside.cuh"

using namespace hdi;

namespace {

/* Each from its last exchange back to the first: from there on a later one never meets it. */
__global__ void __launch_bounds__(THREADS) find_places(const int64_t *pivots, int *places, int n,
                                                       int64_t total)
{
    for (CUB_EACH(i, total)) {
        const int64_t *p = pivots + i / n * n;
        const int own = static_cast<int>(i % n);
        int at = static_cast<int>(p[own]) - 1;
        at = at < own || at >= n ? own : at;   /* of a matrix with nan they may be anything */
        for (int k = own - 1; k >= 0; k--)
            at = static_cast<int>(p[k]) - 1 == at ? k : at;
        places[i] = at;
    }
}

/* words of a column, which are `by` of them for an element. */
template <typename T>
__global__ void __launch_bounds__(THREADS) move_columns(const T *from, T *to, const int *places,
                                                        int n, int64_t words)
{
    const int64_t column = blockIdx.x, first = column / n * n;
    const T *x = from + column * words;
    T *y = to + (first + places[column]) * words;
    for (int64_t i = threadIdx.x; i < words; i += blockDim.x)
        y[i] = x[i];
}

template <typename T>
cudaError_t enqueue(const hdi_cub_call *c, const int *places, cudaStream_t stream)
{
    const unsigned columns = static_cast<unsigned>(c->lines * c->n);
    move_columns<<<columns, THREADS, 0, stream>>>(static_cast<const T *>(c->in),
                                                  static_cast<T *>(c->out), places,
                                                  static_cast<int>(c->n),
                                                  c->m * c->width / static_cast<int>(sizeof(T)));
    return cudaGetLastError();
}

}

int hdi_cub_exchange(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    const int64_t total = c->lines * c->n;
    pieces have = {static_cast<char *>(scratch)};
    int *places = have.take<int>(total);
    *bytes = have.used;
    if (scratch == nullptr || total == 0 || c->m == 0)
        return 0;
    if (total > INT32_MAX)
        return static_cast<int>(cudaErrorInvalidValue);
    find_places<<<blocks_for(total, 1), THREADS, 0, s>>>(static_cast<const int64_t *>(c->in2),
                                                         places, static_cast<int>(c->n), total);
    CUB_TRY(cudaGetLastError());
    if (c->m * c->width % 16 == 0)
        return static_cast<int>(enqueue<double2>(c, places, s));
    return static_cast<int>(c->width % 8 == 0 ? enqueue<double>(c, places, s)
                                              : enqueue<float>(c, places, s));
}
