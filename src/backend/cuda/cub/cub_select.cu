/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_select.cu - elements and positions where flags are true. */
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "backend/cuda/cub/cub_inside.cuh"

using namespace hdi;

namespace {

template <typename In, typename Out>
int select(const hdi_cub_call *c, In in, const void *where, Out *out, void *scratch, size_t *bytes,
           void *stream)
{
    pieces p = {static_cast<char *>(scratch)};
    const uint8_t *flags = static_cast<const uint8_t *>(where);
    const cudaStream_t s = static_cast<cudaStream_t>(stream);
    size_t tmp_bytes = 0;
    int64_t *found = p.take<int64_t>(1);
    CUB_TRY(cub::DeviceSelect::Flagged(nullptr, tmp_bytes, in, flags, out, found, c->n, s));
    void *tmp = p.take<char>(static_cast<int64_t>(tmp_bytes));
    *bytes = p.used;
    if (scratch == nullptr)
        return 0;
    return static_cast<int>(
        cub::DeviceSelect::Flagged(tmp, tmp_bytes, in, flags, out, found, c->n, s));
}

template <typename T>
int compress(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    return select(c, static_cast<const T *>(c->in), c->in2, static_cast<T *>(c->out), scratch,
                  bytes, stream);
}

}

int hdi_cub_compress(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    switch (c->width) {
    case 1: return compress<uint8_t>(c, scratch, bytes, stream);
    case 2: return compress<uint16_t>(c, scratch, bytes, stream);
    case 4: return compress<uint32_t>(c, scratch, bytes, stream);
    case 8: return compress<uint64_t>(c, scratch, bytes, stream);
    case 16: return compress<ulonglong2>(c, scratch, bytes, stream);
    default: return static_cast<int>(cudaErrorInvalidValue);
    }
}

int hdi_cub_places(const hdi_cub_call *c, void *scratch, size_t *bytes, void *stream)
{
    return select(c, thrust::counting_iterator<int64_t>(0), c->in, static_cast<int64_t *>(c->out),
                  scratch, bytes, stream);
}
