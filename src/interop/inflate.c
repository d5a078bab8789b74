/* SPDX-License-Identifier: BSD-3-Clause */
/* inflate.c - deflate backwards. A code is looked up by the next 15 bits, the longest there are: an
 * entry is the symbol and, in its last four bits, the length of its code; 0 is no code. */
#include "interop/inflate.h"

#include <string.h>

#include "base/alloc.h"

enum {
    LONGEST = 15,
    ENTRIES = 1 << LONGEST,
    LITERALS = 288,
    DISTANCES = 32,
    END_OF_BLOCK = 256,
    LENGTH_CODES = 19
};

typedef struct tables { uint16_t literal[ENTRIES], distance[ENTRIES]; } tables;

typedef struct flow {
    const uint8_t *in, *in_end;
    uint64_t bits;               /* the next ones, from the lowest on */
    unsigned have;
    uint8_t *out, *out_begin, *out_end;
    tables *t;
} flow;

/* ---- bits ------------------------------------------------------------------------------------ */

static void refill(flow *f)
{
    while (f->have <= 56 && f->in < f->in_end) {
        f->bits |= (uint64_t)*f->in++ << f->have;
        f->have += 8;
    }
}

/* The next n bits, at most 16; false if there are less. */
static bool take(flow *f, unsigned n, unsigned *value)
{
    refill(f);
    if (f->have < n)
        return false;
    *value = (unsigned)(f->bits & ((1u << n) - 1));
    f->bits >>= n;
    f->have -= n;
    return true;
}

static bool symbol(flow *f, const uint16_t *table, unsigned *value)
{
    refill(f);
    const unsigned entry = table[f->bits & (ENTRIES - 1)], length = entry & 15;
    if (length == 0 || length > f->have)
        return false;
    f->bits >>= length;
    f->have -= length;
    *value = entry >> 4;
    return true;
}

/* ---- codes ----------------------------------------------------------------------------------- */

static unsigned reversed(unsigned code, unsigned length)
{
    unsigned r = 0;
    for (unsigned i = 0; i < length; i++)
        r |= (code >> i & 1) << (length - 1 - i);
    return r;
}

/* Codes of the same length follow each other in the order of their symbols, and short ones come
 * first. False if there are more than fit. */
static bool build(uint16_t *table, const uint8_t *lengths, unsigned n)
{
    unsigned count[LONGEST + 1] = {0}, next[LONGEST + 1], code = 0;
    for (unsigned i = 0; i < n; i++)
        count[lengths[i]]++;
    count[0] = 0;
    for (unsigned l = 1; l <= LONGEST; l++) {
        code = (code + count[l - 1]) << 1;
        next[l] = code;
        if (code + count[l] > 1u << l)
            return false;
    }
    memset(table, 0, ENTRIES * sizeof *table);
    for (unsigned i = 0; i < n; i++) {
        const unsigned length = lengths[i];
        if (length == 0)
            continue;
        const unsigned step = 1u << length;
        for (unsigned at = reversed(next[length]++, length); at < ENTRIES; at += step)
            table[at] = (uint16_t)(i << 4 | length);
    }
    return true;
}

static bool fixed_codes(flow *f)
{
    uint8_t lengths[LITERALS];
    for (int i = 0; i < LITERALS; i++)
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    if (!build(f->t->literal, lengths, LITERALS))
        return false;
    memset(lengths, 5, DISTANCES);
    return build(f->t->distance, lengths, DISTANCES);
}

/* The lengths of both codes, run-length coded by a third one. */
static bool read_lengths(flow *f, uint8_t *lengths, unsigned n)
{
    unsigned at = 0, s, more;
    while (at < n) {
        if (!symbol(f, f->t->literal, &s))
            return false;
        if (s < 16) {
            lengths[at++] = (uint8_t)s;
            continue;
        }
        const unsigned bits = s == 16 ? 2 : s == 17 ? 3 : 7, least = s == 18 ? 11 : 3;
        if ((s == 16 && at == 0) || !take(f, bits, &more) || least + more > n - at)
            return false;
        memset(lengths + at, s == 16 ? lengths[at - 1] : 0, least + more);
        at += least + more;
    }
    return true;
}

static bool own_codes(flow *f)
{
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + 2 * DISTANCES] = {0};
    unsigned literals, distances, n, length;
    if (!take(f, 5, &literals) || !take(f, 5, &distances) || !take(f, 4, &n))
        return false;
    literals += 257, distances += 1, n += 4;
    for (unsigned i = 0; i < n; i++) {
        if (!take(f, 3, &length))
            return false;
        lengths[order[i]] = (uint8_t)length;
    }
    if (!build(f->t->literal, lengths, LENGTH_CODES))
        return false;
    memset(lengths, 0, sizeof lengths);
    return read_lengths(f, lengths, literals + distances) &&
           build(f->t->distance, lengths + literals, distances) &&
           build(f->t->literal, lengths, literals);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool copy_back(flow *f, unsigned length_symbol)
{
    static const uint16_t lengths[] = {3,  4,  5,  6,  7,  8,  9,  10,  11,  13,
                                       15, 17, 19, 23, 27, 31, 35, 43,  51,  59,
                                       67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distances[] = {1,    2,    3,    4,    5,    7,    9,    13,
                                         17,   25,   33,   49,   65,   97,   129,  193,
                                         257,  385,  513,  769,  1025, 1537, 2049, 3073,
                                         4097, 6145, 8193, 12289, 16385, 24577};
    unsigned length, distance, far;
    const unsigned k = length_symbol - 257;
    if (k >= sizeof length_bits || !take(f, length_bits[k], &length) ||
        !symbol(f, f->t->distance, &far) || far >= 30 ||
        !take(f, far < 2 ? 0 : far / 2 - 1, &distance))
        return false;
    length += lengths[k];
    distance += distances[far];
    if (distance > (size_t)(f->out - f->out_begin) || length > (size_t)(f->out_end - f->out))
        return false;
    for (unsigned i = 0; i < length; i++, f->out++)   /* byte after byte, for they may overlap */
        *f->out = *(f->out - distance);
    return true;
}

static bool coded_block(flow *f)
{
    unsigned s;
    while (symbol(f, f->t->literal, &s)) {
        if (s == END_OF_BLOCK)
            return true;
        if (s > END_OF_BLOCK) {
            if (!copy_back(f, s))
                return false;
        } else if (f->out == f->out_end) {
            return false;
        } else {
            *f->out++ = (uint8_t)s;
        }
    }
    return false;
}

static bool stored_block(flow *f)
{
    unsigned none, n, complement;
    if (!take(f, f->have % 8, &none) || !take(f, 16, &n) || !take(f, 16, &complement) ||
        n != (complement ^ 0xffff))
        return false;
    f->in -= f->have / 8;               /* bytes that were read ahead */
    f->bits = 0;
    f->have = 0;
    if (n > (size_t)(f->in_end - f->in) || n > (size_t)(f->out_end - f->out))
        return false;
    memcpy(f->out, f->in, n);
    f->in += n;
    f->out += n;
    return true;
}

static bool block(flow *f, unsigned kind)
{
    if (kind == 0)
        return stored_block(f);
    return (kind == 1 ? fixed_codes(f) : kind == 2 && own_codes(f)) && coded_block(f);
}

bool hdi_inflate(const uint8_t *in, size_t size, uint8_t *out, size_t out_size)
{
    flow f = {in, in + size, 0, 0, out, out, out + out_size, hdi_alloc(sizeof(tables))};
    if (f.t == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for reading what is compressed");
        return false;
    }
    unsigned last = 0, kind;
    bool good = true;
    while (good && !last)
        good = take(&f, 1, &last) && take(&f, 2, &kind) && block(&f, kind);
    hdi_free(f.t, sizeof *f.t);
    return good && f.out == f.out_end;
}
