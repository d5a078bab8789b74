/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_search.cu - searchsorted: a thread for each value. */
#include "backend/cuda/cub/cub_inside.cuh"

using namespace hdi;

namespace {

__global__ void search(const void *table, int64_t n, const void *values, int64_t m, key_how k,
                       bool right, int64_t *out)
{
    const bool two = k.size == 16;
    for (CUB_EACH(j, m)) {
        const uint64_t high = key_word(values, j, k, 0), low = two ? key_word(values, j, k, 1) : 0;
        int64_t from = 0, length = n;
        while (length > 0) {
            const int64_t half = length / 2, at = from + half;
            const uint64_t h = key_word(table, at, k, 0);
            const uint64_t l = two && h == high ? key_word(table, at, k, 1) : 0;
            const bool before = h < high || (h == high && (l < low || (right && l == low)));
            from = before ? at + 1 : from;
            length = before ? length - half - 1 : half;
        }
        out[j] = from;
    }
}

}

int hdi_cub_search(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    *bytes = 0;
    if (scratch == nullptr)
        return 0;
    search<<<blocks_for(c->m, 1), THREADS, 0, static_cast<cudaStream_t>(stream)>>>(
        c->in, c->n, c->in2, c->m, key_of(c->dt, false), c->right != 0,
        static_cast<int64_t *>(c->out));
    return static_cast<int>(cudaGetLastError());
}
