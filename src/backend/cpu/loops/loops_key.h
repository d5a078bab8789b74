/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_key.h - elements of BITS bits to keys and back, as hdi_cpu_key() has them.
 * Wants      T and S, the unsigned and the signed type; BITS; LOG2, of their bytes */

#define own(f) HDI_CAT(f, BITS)

HDI_INLINE void own(turn_)(T *to, const uint8_t *from, int64_t step, int64_t n, T flip)
{
    for (int64_t i = 0; i < n; i++) {
        T v;
        memcpy(&v, from + i * step, sizeof v);
        to[i] = v ^ flip;
    }
}

/* Reals. True if a key has lost something: the sign of a zero, the bits of a nan. Choices are
 * masks, and compared signed, for vectors. */
HDI_INLINE bool own(to_keys_)(T *to, const uint8_t *from, int64_t step, int64_t n, T inf, T down)
{
    const T sign = (T)((T)1 << (BITS - 1));
    T odd = 0;
    for (int64_t i = 0; i < n; i++) {
        T v;
        memcpy(&v, from + i * step, sizeof v);
        const T size = v & (T)(sign - 1), nan = (S)size > (S)inf ? (T)-1 : 0,
                minus_zero = v == sign ? (T)-1 : 0,
                key = v ^ (T)((T)((S)v >> (BITS - 1)) | sign);
        odd |= nan | minus_zero;
        to[i] = (T)((key ^ minus_zero) | nan) ^ down;
    }
    return odd != 0;
}

HDI_INLINE void own(from_keys_)(uint8_t *to, const void *keys, int64_t step, int64_t n, T flip,
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
static bool own(load_keys_)(void *keys, const void *from, int64_t step, int64_t n,
                            const hdi_key *k)
{
    const T flip = (T)(k->flip ^ k->down), inf = (T)k->inf, down = (T)k->down;
    const bool dense = step == (int64_t)sizeof(T);
    if (inf != 0)
        return dense ? own(to_keys_)(keys, from, sizeof(T), n, inf, down)
                     : own(to_keys_)(keys, from, step, n, inf, down);
    if (dense)
        own(turn_)(keys, from, sizeof(T), n, flip);
    else
        own(turn_)(keys, from, step, n, flip);
    return false;
}

static void own(store_keys_)(void *to, const void *keys, int64_t step, int64_t n, const hdi_key *k)
{
    const T flip = (T)k->flip, inf = (T)k->inf, down = (T)k->down;
    if (step != (int64_t)sizeof(T))
        own(from_keys_)(to, keys, step, n, flip, inf, down);
    else if (inf != 0)
        own(from_keys_)(to, keys, sizeof(T), n, 0, inf, down);
    else
        own(from_keys_)(to, keys, sizeof(T), n, flip, 0, down);
}

const hdi_key_loops HDI_SYM3(key, loops, LOG2) = {own(load_keys_), own(store_keys_)};

#undef own
#undef T
#undef S
#undef BITS
#undef LOG2
