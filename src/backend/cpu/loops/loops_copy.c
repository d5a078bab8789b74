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

/* Every third element, as in a column of n x 3: three vectors are read and shuffled into one,
 * three times as fast as one by one (measured on Zen 5). The last elements are left to the caller,
 * since a vector reads past the element it needs. */
HDI_INLINE int64_t gather_thirds(char *out, const char *in, int64_t n, int64_t size)
{
    int64_t i = 0;
#ifdef __AVX512F__
    typedef double lanes8 __attribute__((vector_size(64), aligned(8)));
    typedef float lanes16 __attribute__((vector_size(64), aligned(4)));
    for (; size == 8 && i + 8 < n; i += 8) {
        const lanes8 *v = (const void *)(in + i * 24);
        lanes8 low = __builtin_shufflevector(v[0], v[1], 0, 3, 6, 9, 12, 15, -1, -1);
        *(lanes8 *)(void *)(out + i * 8) =
            __builtin_shufflevector(low, v[2], 0, 1, 2, 3, 4, 5, 10, 13);
    }
    for (; size == 4 && i + 16 < n; i += 16) {
        const lanes16 *v = (const void *)(in + i * 12);
        lanes16 low = __builtin_shufflevector(v[0], v[1], 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30,
                                              -1, -1, -1, -1, -1);
        *(lanes16 *)(void *)(out + i * 4) =
            __builtin_shufflevector(low, v[2], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26,
                                    29);
    }
#else
    (void)out, (void)in, (void)n, (void)size;
#endif
    return i;
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
    else {
        int64_t done = stride == 3 * size ? gather_thirds(out, in, n, size) : 0;
        copy_strided(out + done * size, size, in + done * stride, stride, n - done, (size_t)size);
    }
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
