/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_copy.c - strided copies, transposition, and stores that pass the cache by. Element sizes
 * are constants wherever the inner functions are inlined, so that memcpy() is one move. */
#include "backend/cpu/cpu_copy.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

INLINE void copy_run(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride,
                     int64_t n, size_t size)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * to_stride, from + i * from_stride, size);
}

void hdi_cpu_copy_run(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride,
                      int64_t n, int lsize)
{
    switch (lsize) {
    case 0: copy_run(to, to_stride, from, from_stride, n, 1); break;
    case 1: copy_run(to, to_stride, from, from_stride, n, 2); break;
    case 2: copy_run(to, to_stride, from, from_stride, n, 4); break;
    case 3: copy_run(to, to_stride, from, from_stride, n, 8); break;
    default: copy_run(to, to_stride, from, from_stride, n, 16); break;
    }
}

/* Short rows, whose number of elements is a constant too where it is small. */
INLINE void copy_rows(hdi_cpu_side to, hdi_cpu_side from, int64_t rows, int64_t columns,
                      size_t size)
{
    for (int64_t i = 0; i < rows; i++, to.ptr += to.row, from.ptr += from.row)
        copy_run(to.ptr, to.column, from.ptr, from.column, columns, size);
}

INLINE void copy_rows_of(hdi_cpu_side to, hdi_cpu_side from, int64_t rows, int64_t columns,
                         size_t size)
{
    switch (columns) {
    case 1: copy_rows(to, from, rows, 1, size); break;
    case 2: copy_rows(to, from, rows, 2, size); break;
    case 3: copy_rows(to, from, rows, 3, size); break;
    case 4: copy_rows(to, from, rows, 4, size); break;
    default: copy_rows(to, from, rows, columns, size); break;
    }
}

void hdi_cpu_copy_rows(hdi_cpu_side to, hdi_cpu_side from, int64_t rows, int64_t columns, int lsize)
{
    switch (lsize) {
    case 0: copy_rows_of(to, from, rows, columns, 1); break;
    case 1: copy_rows_of(to, from, rows, columns, 2); break;
    case 2: copy_rows_of(to, from, rows, columns, 4); break;
    case 3: copy_rows_of(to, from, rows, columns, 8); break;
    default: copy_rows_of(to, from, rows, columns, 16); break;
    }
}

/* ---- transposition --------------------------------------------------------------------------- */

#if defined(__SSE2__)
static __m128i load(const uint8_t *p)
{
    return _mm_loadu_si128((const void *)p);
}

static void store(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((void *)p, v);
}

/* Column j of the source starts at from + j * from.column and is dense; row i of the result at
 * to + i * to.row. */
static void square_8(uint8_t *to, int64_t to_row, const uint8_t *from, int64_t from_column)
{
    __m128i a = load(from), b = load(from + from_column);
    store(to, _mm_unpacklo_epi64(a, b));
    store(to + to_row, _mm_unpackhi_epi64(a, b));
}

static void square_4(uint8_t *to, int64_t to_row, const uint8_t *from, int64_t from_column)
{
    __m128i a = load(from), b = load(from + from_column), c = load(from + 2 * from_column),
            d = load(from + 3 * from_column);
    __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
    store(to, _mm_unpacklo_epi64(ab, cd));
    store(to + to_row, _mm_unpackhi_epi64(ab, cd));
    ab = _mm_unpackhi_epi32(a, b);
    cd = _mm_unpackhi_epi32(c, d);
    store(to + 2 * to_row, _mm_unpacklo_epi64(ab, cd));
    store(to + 3 * to_row, _mm_unpackhi_epi64(ab, cd));
}

static void square_2(uint8_t *to, int64_t to_row, const uint8_t *from, int64_t from_column)
{
    __m128i v[8], w[8];
    for (int j = 0; j < 8; j++)
        v[j] = load(from + j * from_column);
    /* pairs of columns: 2-byte pieces, then 4-byte, then 8-byte ones */
    for (int half = 0; half < 4; half++) {
        w[2 * half] = _mm_unpacklo_epi16(v[2 * half], v[2 * half + 1]);
        w[2 * half + 1] = _mm_unpackhi_epi16(v[2 * half], v[2 * half + 1]);
    }
    for (int h = 0; h < 2; h++) {
        __m128i a = _mm_unpacklo_epi32(w[h], w[2 + h]), b = _mm_unpackhi_epi32(w[h], w[2 + h]);
        __m128i c = _mm_unpacklo_epi32(w[4 + h], w[6 + h]),
                d = _mm_unpackhi_epi32(w[4 + h], w[6 + h]);
        store(to + (4 * h) * to_row, _mm_unpacklo_epi64(a, c));
        store(to + (4 * h + 1) * to_row, _mm_unpackhi_epi64(a, c));
        store(to + (4 * h + 2) * to_row, _mm_unpacklo_epi64(b, d));
        store(to + (4 * h + 3) * to_row, _mm_unpackhi_epi64(b, d));
    }
}

/* Squares of so many elements a side; 1 where there is no faster way than one by one. */
static const int side_of[5] = {1, 8, 4, 2, 1};

static void squares(hdi_cpu_side to, hdi_cpu_side from, int64_t rows, int64_t columns, int lsize)
{
    int64_t side = side_of[lsize], size = (int64_t)1 << lsize;
    for (int64_t i = 0; i < rows; i += side)
        for (int64_t j = 0; j < columns; j += side) {
            uint8_t *t = to.ptr + i * to.row + j * size;
            const uint8_t *f = from.ptr + j * from.column + i * size;
            if (lsize == 3)
                square_8(t, to.row, f, from.column);
            else if (lsize == 2)
                square_4(t, to.row, f, from.column);
            else
                square_2(t, to.row, f, from.column);
        }
}
#else
static const int side_of[5] = {1, 1, 1, 1, 1};
#endif

void hdi_cpu_transpose(hdi_cpu_side to, hdi_cpu_side from, int64_t rows, int64_t columns, int lsize)
{
    int64_t side = side_of[lsize], r = rows / side * side, c = columns / side * side,
            size = (int64_t)1 << lsize;
    if (side == 1)
        r = c = 0;
#if defined(__SSE2__)
    if (r > 0 && c > 0)
        squares(to, from, r, c, lsize);
#endif
    /* what is left at the right, column by column, each line of the source being visited once */
    if (c < columns) {
        hdi_cpu_side t = {to.ptr + c * size, size, to.row},
                     f = {from.ptr + c * from.column, from.column, from.row};
        for (int64_t j = c; j < columns; j++, t.ptr += size, f.ptr += from.column)
            hdi_cpu_copy_run(t.ptr, t.column, f.ptr, f.column, rows, lsize);
    }
    for (int64_t i = r; c > 0 && i < rows; i++)   /* and below */
        hdi_cpu_copy_run(to.ptr + i * to.row, size, from.ptr + i * size, from.column, c, lsize);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Sixteen bytes wherever they lie. */
typedef uint64_t word __attribute__((vector_size(16), aligned(1), may_alias));
enum { PIECE = 16 * sizeof(word) };

/* All of a piece is loaded, into registers, before any of it is stored. Where the target is a few
 * bytes above the source but for whole pages, a load that follows the store of the bytes before it
 * waits for that store, since they differ in no address bit that is compared at first: memcpy()
 * takes five to ten times as long. Downwards would do within a page, but memory is fetched ahead
 * upwards. */
static void copy_piece(word *to, const word *from)
{
    word a = from[0], b = from[1], c = from[2], d = from[3], e = from[4], f = from[5], g = from[6],
         h = from[7], i = from[8], j = from[9], k = from[10], l = from[11], m = from[12],
         n = from[13], o = from[14], p = from[15];
    to[0] = a, to[1] = b, to[2] = c, to[3] = d, to[4] = e, to[5] = f, to[6] = g, to[7] = h;
    to[8] = i, to[9] = j, to[10] = k, to[11] = l, to[12] = m, to[13] = n, to[14] = o, to[15] = p;
}

void hdi_cpu_copy_line(void *to, const void *from, int64_t nbytes)
{
    uint8_t *t = to;
    const uint8_t *f = from;
    uintptr_t ahead = ((uintptr_t)t - (uintptr_t)f) & 4095;
    if (ahead - 1 < 63)
        for (; nbytes >= PIECE; nbytes -= PIECE, t += PIECE, f += PIECE)
            copy_piece((word *)(void *)t, (const word *)(const void *)f);
    memcpy(t, f, (size_t)nbytes);
}

/* ---- past the cache -------------------------------------------------------------------------- */

#if defined(__SSE2__)
void hdi_cpu_stream(void *to, const void *from, int64_t nbytes)
{
    uint8_t *t = to;
    const uint8_t *f = from;
    int64_t i = (int64_t)(-(uintptr_t)t & 63);
    if (i > nbytes)
        i = nbytes;
    memcpy(t, f, (size_t)i);   /* up to the next line: lines are written whole or not at all */
    for (; i + 64 <= nbytes; i += 64) {
        __m128i a = load(f + i), b = load(f + i + 16), c = load(f + i + 32), d = load(f + i + 48);
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
