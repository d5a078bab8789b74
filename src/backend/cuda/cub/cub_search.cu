/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_search.cu - searchsorted: a thread for each value, among keys that are made first unless
 * there are more of them than values. */
#include "backend/cuda/cub/cub_walk.cuh"

using namespace hdi;

namespace {

__global__ void make_keys(const void *table, int64_t n, key_how k, uint64_t *keys)
{
    for (CUB_EACH(i, n))
        keys[i] = key_word(table, i, k, 0);
}

__global__ void search(const void *table, const uint64_t *keys, int64_t n, const void *values,
                       int64_t m, key_how k, bool right, int64_t *out)
{
    const bool two = k.size == 16;
    for (CUB_EACH(j, m)) {
        const uint64_t high = key_word(values, j, k, 0);
        if (keys != nullptr) {
            out[j] = first_not(n, [=](int64_t at) {
                return right ? keys[at] <= high : keys[at] < high;
            });
            continue;
        }
        const uint64_t low = two ? key_word(values, j, k, 1) : 0;
        out[j] = first_not(n, [=](int64_t at) {
            const uint64_t h = key_word(table, at, k, 0);
            const uint64_t l = two && h == high ? key_word(table, at, k, 1) : 0;
            return h < high || (h == high && (l < low || (right && l == low)));
        });
    }
}

}

int hdi_cub_search(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    const key_how k = key_of(c->dt, false);
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    pieces p = {static_cast<char *>(scratch)};
    uint64_t *keys = k.size <= 8 && c->n <= c->m ? p.take<uint64_t>(c->n) : nullptr;
    *bytes = p.used;
    if (scratch == nullptr)
        return 0;
    if (keys != nullptr)
        make_keys<<<blocks_for(c->n, 1), THREADS, 0, s>>>(c->in, c->n, k, keys);
    search<<<blocks_for(c->m, 1), THREADS, 0, s>>>(c->in, keys, c->n, c->in2, c->m, k,
                                                   c->right != 0, static_cast<int64_t *>(c->out));
    return static_cast<int>(cudaGetLastError());
}
