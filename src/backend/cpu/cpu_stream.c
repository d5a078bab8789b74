/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_stream.c - stores that pass the cache by, for results larger than it: memory is then not read before it is overwritten. */
#include "backend/cpu/cpu_exec.h"

#if defined(__SSE2__)
#include <emmintrin.h>

void hdi_cpu_stream(void *to, const void *from, int64_t nbytes)
{
    uint8_t *t = to;
    const uint8_t *f = from;
    int64_t head = (int64_t)(-(uintptr_t)t & 63);
    if (head > nbytes)
        head = nbytes;
    memcpy(t, f, (size_t)head);   /* up to the next line: lines are written whole or not at all */
    int64_t i = head;
    for (; i + 64 <= nbytes; i += 64) {
        __m128i a = _mm_loadu_si128((const void *)(f + i)), b = _mm_loadu_si128((const void *)(f + i + 16));
        __m128i c = _mm_loadu_si128((const void *)(f + i + 32)), d = _mm_loadu_si128((const void *)(f + i + 48));
        _mm_stream_si128((void *)(t + i), a);
        _mm_stream_si128((void *)(t + i + 16), b);
        _mm_stream_si128((void *)(t + i + 32), c);
        _mm_stream_si128((void *)(t + i + 48), d);
    }
    memcpy(t + i, f + i, (size_t)(nbytes - i));
}

void hdi_cpu_stream_end(void)
{
    _mm_sfence();
}
#else
void hdi_cpu_stream(void *to, const void *from, int64_t nbytes)
{
    memcpy(to, from, (size_t)nbytes);
}

void hdi_cpu_stream_end(void)
{
}
#endif
