/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_write.cu - places that come more than once: a stable sort by place makes neighbours of what
 * goes to one place, in the order in which it came.
 *
 * Places are sorted as numbers from the lowest one on, in as few bits as hold the highest, and
 * elements of up to 32 bits go along; of wider ones their positions do. Why not without a sort: to
 * leave the largest position at each place by an atomic operation, and then to write those that
 * are still there, goes to memory at random twice, and each time takes longer than the sort. */
#include "backend/cuda/cub/cub_inside.cuh"

using namespace hdi;

namespace {

enum { EACH = 4 };

/* Byte offsets, or indices of an axis. */
struct place_how { int64_t low, extent, step; int shift; };

template <typename I> __device__ __forceinline__ int64_t place_of(I v, const place_how &h)
{
    const int64_t at = v;
    return (h.extent == 0 ? at : (at < 0 ? at + h.extent : at) * h.step) - h.low;
}

/* value NULL: positions go along. */
template <typename I, typename K, typename T>
__global__ void number(const I *in, uint32_t n, place_how h, const T *value, K *key, uint32_t *with)
{
    for (CUB_EACH(i, n)) {
        key[i] = static_cast<K>(place_of(in[i], h) >> h.shift);
        with[i] = value != nullptr ? static_cast<uint32_t>(value[i]) : static_cast<uint32_t>(i);
    }
}

template <typename K> __device__ __forceinline__ bool is_last(const K *key, int64_t i, uint32_t n)
{
    return i + 1 == n || key[i + 1] != key[i];
}

/* of NULL: what went along is the element itself. */
template <typename K, typename T>
__global__ void put(const K *key, const uint32_t *with, uint32_t n, place_how h, const T *of,
                    char *out)
{
    for (CUB_EACH(i, n)) {
        if (!is_last(key, i, n))
            continue;
        T *to = reinterpret_cast<T *>(out + h.low + (static_cast<int64_t>(key[i]) << h.shift));
        if constexpr (sizeof(T) <= sizeof(uint32_t))
            *to = static_cast<T>(with[i]);
        else
            *to = of[with[i]];
    }
}

/* Where the run that begins at i ends: steps that double, then halves. */
template <typename K> __device__ int64_t end_of_run(const K *key, int64_t i, uint32_t n)
{
    int64_t step = 1, same = i;
    while (same + step < n && key[same + step] == key[i]) {
        same += step;
        step *= 2;
    }
    for (; step > 0; step /= 2)
        if (same + step < n && key[same + step] == key[i])
            same += step;
    return same + 1;
}

/* out: offsets, offsets of values, and pieces, begin and end: of a run at its first element, others
 * are empty. only_last: no pieces, and all of a run have the value of its last one. */
template <typename K>
__global__ void mark(const K *key, const uint32_t *at, uint32_t n, place_how h, int64_t value_step,
                     bool only_last, int64_t *out)
{
    int64_t *from = out + n, *piece = from + n;
    for (CUB_EACH(i, n)) {
        const bool first = i == 0 || key[i - 1] != key[i];
        const int64_t end = only_last || first ? end_of_run(key, i, n) : i;
        out[i] = h.low + (static_cast<int64_t>(key[i]) << h.shift);
        from[i] = at[only_last ? end - 1 : i] * value_step;
        if (only_last)
            continue;
        piece[2 * i] = i;
        piece[2 * i + 1] = end;
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

struct sorted {
    void *key[2], *tmp;
    uint32_t *with[2];
    size_t tmp_bytes;
    int bits;
    bool second;
};

place_how how_of(const hdi_cub_call *c)
{
    place_how h = {c->low, c->extent, c->step, 0};
    while (2 << h.shift <= c->width)
        h.shift++;
    return h;
}

template <typename K, typename T>
void number_places(const hdi_cub_call *c, sorted *s, const T *value, cudaStream_t stream)
{
    const unsigned blocks = blocks_for(c->n, EACH);
    const uint32_t n = static_cast<uint32_t>(c->n);
    K *key = static_cast<K *>(s->key[0]);
    if (c->dt == HD_INT32)
        number<<<blocks, THREADS, 0, stream>>>(static_cast<const int32_t *>(c->in), n, how_of(c),
                                               value, key, s->with[0]);
    else
        number<<<blocks, THREADS, 0, stream>>>(static_cast<const int64_t *>(c->in), n, how_of(c),
                                               value, key, s->with[0]);
}

template <typename K, typename T>
cudaError_t put_elements(const hdi_cub_call *c, sorted *s, radix_pairs *sort, cudaStream_t stream)
{
    const T *values = static_cast<const T *>(c->in2);
    const uint32_t n = static_cast<uint32_t>(c->n);
    cudaError_t e = cudaSuccess;
    if constexpr (sizeof(T) <= sizeof(uint32_t))
        number_places<K>(c, s, values, stream);
    else
        number_places<K>(c, s, static_cast<const uint32_t *>(nullptr), stream);
    if (s->bits > 0)
        e = sort(s->tmp, s->tmp_bytes, s->key[0], s->key[1], s->with[0], s->with[1], &s->second, n,
                 s->bits, stream);
    put<<<blocks_for(n, EACH), THREADS, 0, stream>>>(static_cast<const K *>(s->key[s->second]),
                                                     s->with[s->second], n, how_of(c), values,
                                                     static_cast<char *>(c->out));
    return e;
}

template <typename K>
cudaError_t put_all(const hdi_cub_call *c, sorted *s, radix_pairs *sort, cudaStream_t stream)
{
    switch (c->width) {
    case 1: return put_elements<K, uint8_t>(c, s, sort, stream);
    case 2: return put_elements<K, uint16_t>(c, s, sort, stream);
    case 4: return put_elements<K, uint32_t>(c, s, sort, stream);
    case 8: return put_elements<K, uint64_t>(c, s, sort, stream);
    default: return put_elements<K, ulonglong2>(c, s, sort, stream);
    }
}

template <typename K>
cudaError_t mark_all(const hdi_cub_call *c, sorted *s, radix_pairs *sort, cudaStream_t stream)
{
    const uint32_t n = static_cast<uint32_t>(c->n);
    cudaError_t e = cudaSuccess;
    number_places<K>(c, s, static_cast<const uint32_t *>(nullptr), stream);
    if (s->bits > 0)
        e = sort(s->tmp, s->tmp_bytes, s->key[0], s->key[1], s->with[0], s->with[1], &s->second, n,
                 s->bits, stream);
    mark<<<blocks_for(n, EACH), THREADS, 0, stream>>>(
        static_cast<const K *>(s->key[s->second]), s->with[s->second], n, how_of(c), c->m,
        c->right != 0, static_cast<int64_t *>(c->out));
    return e;
}

template <typename K>
int make(const hdi_cub_call *c, bool marks, radix_pairs *sort, pieces p, size_t *bytes,
         cudaStream_t stream)
{
    sorted s = {};
    s.bits = bits_below((static_cast<uint64_t>(c->high - c->low) >> how_of(c).shift) + 1);
    for (int i = 0; i < 2; i++) {
        s.key[i] = p.take<K>(c->n);
        s.with[i] = p.take<uint32_t>(c->n);
    }
    CUB_TRY(sort(nullptr, s.tmp_bytes, nullptr, nullptr, nullptr, nullptr, &s.second,
                 static_cast<uint32_t>(c->n), s.bits, stream));
    s.second = false;
    s.tmp = p.take<char>(static_cast<int64_t>(s.tmp_bytes));
    *bytes = p.used;
    if (p.base == nullptr || c->n == 0)
        return 0;
    CUB_TRY(marks ? mark_all<K>(c, &s, sort, stream) : put_all<K>(c, &s, sort, stream));
    return static_cast<int>(cudaGetLastError());
}

int call(const hdi_cub_call *c, bool marks, void *scratch, size_t *bytes, void *stream)
{
    const pieces p = {static_cast<char *>(scratch)};
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    const bool narrow = static_cast<uint64_t>(c->high - c->low) >> how_of(c).shift <= UINT32_MAX;
    if (c->n > UINT32_MAX)
        return static_cast<int>(cudaErrorInvalidValue);
    return narrow ? make<uint32_t>(c, marks, radix_pairs_u32, p, bytes, s)
                  : make<uint64_t>(c, marks, radix_pairs_u64, p, bytes, s);
}

}

int hdi_cub_write(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    return call(c, false, scratch, bytes, stream);
}

int hdi_cub_runs(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    return call(c, true, scratch, bytes, stream);
}
