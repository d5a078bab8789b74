/* SPDX-License-Identifier: BSD-3-Clause */
/* Strided copies of elements by their size; no loop here knows a dtype. Strides that become
 * vector instructions are singled out. */
#include <string.h>

#include "backend/cpu/loops/loops_symbols.h"

HDI_INLINE void copy_strided(char *out, int64_t out_stride, const char *in, int64_t in_stride,
                             int64_t n, size_t size)
{
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * out_stride, in + i * in_stride, size);
}

HDI_INLINE void fill(char *out, const char *element, int64_t n, size_t size)
{
    char one[16];
    memcpy(one, element, size);
    HDI_NO_DEPENDENCE
    for (int64_t i = 0; i < n; i++)
        memcpy(out + i * (int64_t)size, one, size);
}

HDI_INLINE void gather(char *out, const char *in, int64_t stride, int64_t n, int64_t size)
{
    if (stride == size)
        memmove(out, in, (size_t)(n * size));
    else if (stride == -size)
        copy_strided(out, size, in, -size, n, (size_t)size);
    else if (stride == 2 * size)
        copy_strided(out, size, in, 2 * size, n, (size_t)size);
    else if (stride == 0)
        fill(out, in, n, (size_t)size);
    else
        copy_strided(out, size, in, stride, n, (size_t)size);
}

HDI_INLINE void scatter(char *out, int64_t stride, const char *in, int64_t n, int64_t size)
{
    if (stride == size)
        memmove(out, in, (size_t)(n * size));
    else if (stride == -size)
        copy_strided(out, -size, in, size, n, (size_t)size);
    else
        copy_strided(out, stride, in, size, n, (size_t)size);
}

#define COPY_LOOPS(log2, bytes)                                                                    \
    void HDI_SYM3(copy, gather, bytes)(void *out, const void *in, int64_t stride, int64_t n)       \
    {                                                                                              \
        gather(out, in, stride, n, bytes);                                                         \
    }                                                                                              \
    void HDI_SYM3(copy, scatter, bytes)(void *out, int64_t stride, const void *in, int64_t n)      \
    {                                                                                              \
        scatter(out, stride, in, n, bytes);                                                        \
    }                                                                                              \
    void HDI_SYM3(copy, fill, bytes)(void *out, const void *element, int64_t n)                    \
    {                                                                                              \
        fill(out, element, n, bytes);                                                              \
    }
HDI_EACH_SIZE(COPY_LOOPS)
