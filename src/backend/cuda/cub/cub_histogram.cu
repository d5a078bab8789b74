/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_histogram.cu - how many elements are in each bin. Of equal bins an element's is computed, and
 * looked at, for rounding may lead to the one beside; other bins are found by halving. Few bins
 * have their edges and each block's counts in shared memory. */
#include "backend/cuda/cub/cub_walk.cuh"

using namespace hdi;

namespace {

enum { NEAR = 3072, EACH = 32 };   /* edges: 36 KB with the counts; elements of a thread */

using count_type = unsigned long long;

/* Edges [0 ... bins], ascending; an element outside is in bin `bins`. */
template <typename Edge>
__device__ __forceinline__ int64_t place_of(const Edge *edge, int64_t bins, Edge v)
{
    if (!(v >= edge[0] && v <= edge[bins]))
        return bins;
    const int64_t at = first_not(bins, [=](int64_t i) { return edge[i] <= v; });
    return at - 1;
}

/* By keys of the elements. */
struct searched {
    using edge = uint64_t;
    using element = uint64_t;
    key_how how;
    __device__ edge edge_at(const void *from, int64_t i) const
    {
        return key_word(from, i, how, 0);
    }
    __device__ element load(const void *from, int64_t i) const
    {
        return key_word(from, i, how, 0);
    }
    struct finder {
        const edge *edges;
        int64_t bins;
        __device__ finder(const edge *e, int64_t n) : edges(e), bins(n) {}
        __device__ int64_t operator()(element v) const { return place_of(edges, bins, v); }
    };
};

template <typename T> struct equal {
    using edge = double;
    using element = T;
    __device__ edge edge_at(const void *from, int64_t i) const
    {
        return static_cast<const T *>(from)[i];
    }
    __device__ element load(const void *from, int64_t i) const
    {
        return static_cast<const T *>(from)[i];
    }
    struct finder {
        const edge *edges;
        int64_t bins;
        double first, by;
        bool computes;
        __device__ finder(const edge *e, int64_t n) : edges(e), bins(n), first(e[0])
        {
            const double width = e[n] - e[0];
            by = static_cast<double>(n) / width;
            computes = width > 0 && isfinite(width) && isfinite(by);
        }
        __device__ int64_t operator()(element element_v) const
        {
            const double v = element_v;
            if (!computes)
                return place_of(edges, bins, v);
            if (!(v >= first && v <= edges[bins]))
                return bins;
            int64_t at = static_cast<int64_t>((v - first) * by);
            at = at < bins ? at : bins - 1;
            while (v < edges[at])
                at--;
            while (at + 1 < bins && v >= edges[at + 1])
                at++;
            return at;
        }
    };
};

template <typename How, typename Count>
__device__ __forceinline__ void each(const How &how, const void *in, int64_t n, Count count)
{
    load_ahead(n, [=](int64_t i) { return how.load(in, i); }, count);
}

template <typename How>
__global__ void __launch_bounds__(THREADS) near(How how, const void *in, int64_t n,
                                                const void *edges, int bins, count_type *out)
{
    __shared__ typename How::edge edge[NEAR];
    __shared__ unsigned own[NEAR];
    for (int i = threadIdx.x; i <= bins; i += THREADS) {
        edge[i] = how.edge_at(edges, i);
        own[i] = 0;
    }
    __syncthreads();
    const typename How::finder find(edge, bins);
    each(how, in, n, [&](typename How::element v) {
        const int64_t at = find(v);
        if (at < bins)
            atomicAdd(&own[at], 1u);
    });
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += THREADS)
        if (own[i] != 0)
            atomicAdd(&out[i], static_cast<count_type>(own[i]));
}

template <typename How>
__global__ void make_edges(How how, const void *edges, int64_t n, typename How::edge *to)
{
    for (CUB_EACH(i, n))
        to[i] = how.edge_at(edges, i);
}

template <typename How>
__global__ void __launch_bounds__(THREADS) far(How how, const void *in, int64_t n,
                                               const typename How::edge *edge, int64_t bins,
                                               count_type *out)
{
    const typename How::finder find(edge, bins);
    each(how, in, n, [&](typename How::element v) {
        const int64_t at = find(v);
        if (at < bins)
            atomicAdd(&out[at], static_cast<count_type>(1));
    });
}

template <typename How>
int histogram(const hdi_cub_call *c, How how, void *scratch, size_t *bytes, cudaStream_t s)
{
    pieces p = {static_cast<char *>(scratch)};
    const bool few = c->m < NEAR;
    auto *edge = few ? nullptr : p.take<typename How::edge>(c->m + 1);
    count_type *out = static_cast<count_type *>(c->out);
    *bytes = p.used;
    if (scratch == nullptr)
        return 0;
    CUB_TRY(cudaMemsetAsync(out, 0, static_cast<size_t>(c->m) * sizeof *out, s));
    if (c->n == 0 || c->m == 0)
        return 0;
    const int64_t most = blocks_for(c->n, EACH);
    const unsigned blocks = static_cast<unsigned>(most < 2048 ? most : 2048);
    if (few) {
        near<<<blocks, THREADS, 0, s>>>(how, c->in, c->n, c->in2, static_cast<int>(c->m), out);
    } else {
        make_edges<<<blocks_for(c->m + 1, 1), THREADS, 0, s>>>(how, c->in2, c->m + 1, edge);
        far<<<blocks, THREADS, 0, s>>>(how, c->in, c->n, edge, c->m, out);
    }
    return static_cast<int>(cudaGetLastError());
}

}

int hdi_cub_histogram(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    if (c->right && c->dt == HD_FLOAT32)
        return histogram(c, equal<float>(), scratch, bytes, s);
    if (c->right && c->dt == HD_FLOAT64)
        return histogram(c, equal<double>(), scratch, bytes, s);
    return histogram(c, searched{key_of(c->dt, false)}, scratch, bytes, s);
}
