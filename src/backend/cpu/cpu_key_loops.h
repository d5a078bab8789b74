/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_key_loops.h - elements of BITS bits to keys and back, as hdi_cpu_key() has them, in the width
 * of the elements: T is the unsigned type, S the signed one. flip is what a key of integers differs
 * by from its element; inf the bits of infinity, 0 for integers; down has all bits where the order
 * is reversed. Included once for each width. */

#define NAME(f) HDI_CPU_KEY_NAME(f, BITS)
#define HDI_CPU_KEY_NAME(f, bits) HDI_CPU_KEY_NAME_(f, bits)
#define HDI_CPU_KEY_NAME_(f, bits) f##_##bits

/* True if a key has lost something: the sign of a zero, the bits of a nan. */
HDI_CPU_INLINE bool NAME(to_keys)(void *keys, const uint8_t *from, int64_t step, int64_t n, T flip,
                                  T inf, T down)
{
    T *to = keys, odd = 0;
    const T sign = (T)((T)1 << (BITS - 1));
    for (int64_t i = 0; i < n; i++) {
        T v, key;
        memcpy(&v, from + i * step, sizeof v);
        if (inf == 0) {
            key = v ^ flip;
        } else {
            const T size = v & (T)(sign - 1), nan = size > inf ? (T)-1 : 0;
            key = v ^ (T)((T)((S)v >> (BITS - 1)) | sign);
            key = size == 0 ? sign : key;
            key |= nan;
            odd |= nan | (T)(v == sign);
        }
        to[i] = key ^ down;
    }
    return odd != 0;
}

HDI_CPU_INLINE void NAME(from_keys)(uint8_t *to, const void *keys, int64_t step, int64_t n, T flip,
                                    T inf, T down)
{
    const T *from = keys, sign = (T)((T)1 << (BITS - 1));
    for (int64_t i = 0; i < n; i++) {
        const T key = from[i] ^ down;
        const T v = inf == 0 ? key ^ flip : key ^ (T)((T)((S)~key >> (BITS - 1)) | sign);
        memcpy(to + i * step, &v, sizeof v);
    }
}

/* The loops that are worth it become vectors. */
static bool NAME(load_keys)(void *keys, const uint8_t *from, int64_t step, int64_t n, T flip,
                            T inf, T down)
{
    if (step != (int64_t)sizeof(T))
        return NAME(to_keys)(keys, from, step, n, flip, inf, down);
    return inf != 0 ? NAME(to_keys)(keys, from, sizeof(T), n, 0, inf, down)
                    : NAME(to_keys)(keys, from, sizeof(T), n, flip, 0, down);
}

static void NAME(store_keys)(uint8_t *to, const void *keys, int64_t step, int64_t n, T flip, T inf,
                             T down)
{
    if (step != (int64_t)sizeof(T))
        NAME(from_keys)(to, keys, step, n, flip, inf, down);
    else if (inf != 0)
        NAME(from_keys)(to, keys, sizeof(T), n, 0, inf, down);
    else
        NAME(from_keys)(to, keys, sizeof(T), n, flip, 0, down);
}

#undef T
#undef S
#undef BITS
#undef NAME
#undef HDI_CPU_KEY_NAME
#undef HDI_CPU_KEY_NAME_
