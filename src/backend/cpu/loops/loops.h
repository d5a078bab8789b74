/* SPDX-License-Identifier: BSD-3-Clause */
/* loops.h - the inner loops of tier 0: one table of functions per instruction set, made from the
 * operation tables.
 * Invariant  every loop gives the same bits for an element wherever it stands in the block (no
 *            scalar tail with other arithmetic), and all instruction sets give the same bits for
 *            + - * / sqrt, comparisons, integers, casts and reductions
 * Threads    the tables are constant
 * Start at   hdi_loops
 *
 * Blocks. Operands of a loop are dense vectors of n elements, or single elements (variants).
 * Output may be the same memory as an input of equal or larger element size (same address):
 * loops must not use restrict on them. Addresses may be unaligned. Rows of rule BITS take one
 * 16-byte state in in[1] in every variant. Reductions. Chunks of at most HDI_RED_CHUNK elements:
 * element i of a chunk goes to lane i % HDI_RED_LANES, lanes take their elements in order, and
 * lanes are then combined pairwise (l with l + width/2, halving). Absent elements count as the
 * identity only in the sense that their lane is left out. Chunks are combined by the
 * interpreter. A row that has an identity begins with it, in a chunk and in red_start alike: the
 * sum of -0.0 alone is 0.0, as in NumPy, and nobody needs to fold the identity in again. */
#ifndef HDI_LOOPS_H
#define HDI_LOOPS_H

#include <heddle/dtype.h>
#include <heddle/ops.h>
#include <stdbool.h>

enum { HDI_RED_CHUNK = 256, HDI_RED_LANES = 32, HDI_RED_RUN = 16 * HDI_RED_CHUNK };

/* Elementwise: out[i] = op(in[0][i], in[1][i], in[2][i]) for i in [0, n). */
typedef void (*hdi_ew_loop)(void *out, const void *const *in, int64_t n);
/* Variants of binary loops: which input is a single element. Other arities have HDI_VV only. */
enum { HDI_VV, HDI_VS, HDI_SV, HDI_VARIANTS };

typedef void (*hdi_cast_loop)(void *out, const void *in, int64_t n);

/* One chunk to one element: *acc = combination of x[0..n), 1 <= n <= HDI_RED_CHUNK (sumproduct:
 * of x[i] * y[i]). */
typedef void (*hdi_red_chunk)(void *acc, const void *x, const void *y, int64_t n);
/* Elementwise combination: acc[i] = acc[i] (+) x[i] (sumproduct: fma(x[i], y[i], acc[i])), with
 * variants for sumproduct's scalar inputs: HDI_VV, HDI_VS (y single), HDI_SV (x single). Others
 * fill HDI_VV only. */
typedef void (*hdi_red_step)(void *acc, const void *x, const void *y, int64_t n);
/* Start of an accumulation: acc[i] = x[i] or x[i] * y[i], already in the accumulator's type;
 * variants as above. */
typedef void (*hdi_red_start)(void *acc, const void *x, const void *y, int64_t n);
/* Many chunks at once. run: *acc = HDI_RED_RUN elements, chunk by chunk, combined like the digits
 * of a binary counter. extend: *acc = *acc (+) n >= 1 elements (first: those alone), for reductions
 * whose bits do not depend on order; whole chunks but for the last call. The result says whether no
 * element can change *acc any more: then some of x may not have been looked at. */
typedef void (*hdi_red_run)(void *acc, const void *x, const void *y);
typedef bool (*hdi_red_extend)(void *acc, const void *x, const void *y, int64_t n, bool first);
/* Sums of products of a thin matrix x, whose rows have 2 to HDI_THIN elements (`width`), and a
 * vector y. thin_rows: out[i] = sum over r of x[i * width + r] * y[r], for n rows, with the bits
 * of red_start, red_step, ..., and red_merge with 0. thin_turned: the same where columns are
 * dense and `column` bytes apart. thin_columns: acc[k] = what red_chunk gives for column k of
 * HDI_RED_CHUNK rows, and y, which has an element for each row. */
enum { HDI_THIN = 16 };
typedef void (*hdi_thin_rows)(void *out, const void *x, const void *y, int64_t n, int width);
typedef void (*hdi_thin_turned)(void *out, const void *x, int64_t column, const void *y, int64_t n,
                                int width);
typedef void (*hdi_thin_columns)(void *acc, const void *x, const void *y, int width);
/* Position reductions: value and position side by side. chunk: *val, *pos from x[0..n) whose
 * first element has position base. step: where x[i] beats val[i] (or is nan and val[i] is not),
 * takes x[i] and position pos_of_x; earlier positions win ties. */
typedef void (*hdi_arg_chunk)(void *val, int64_t *pos, const void *x, int64_t n, int64_t base);
typedef void (*hdi_arg_step)(void *val, int64_t *pos, const void *x, int64_t n, int64_t pos_of_x);
/* merge: (val, pos) is the earlier part, (val2, pos2) the later one. n elements. */
typedef void (*hdi_arg_merge)(void *val, int64_t *pos, const void *val2, const int64_t *pos2,
                              int64_t n);
/* extend: as red_extend; x[0] has position base, after all that came before. */
typedef bool (*hdi_arg_extend)(void *val, int64_t *pos, const void *x, int64_t n, int64_t base,
                               bool first);

/* Running results: out[i] = carry = carry (+) x[i] for i in [0, n), in order. */
typedef void (*hdi_scan_loop)(void *out, const void *x, int64_t n, void *carry);
/* The same at places: the element of out at byte offset[i] (+)= value i, for i in [0, n), in
 * order. stride: bytes from value to value. */
typedef void (*hdi_at_loop)(void *out, const int64_t *offset, const void *value, int64_t stride,
                            int64_t n);
enum {
#define SCAN(name, of, types, combine, doc) HDI_SCAN_##name,
#include "ops/scan/scan.def"
    HDI_SCAN_COUNT
};

/* Strided copies by element size (log2: 1, 2, 4, 8, 16 bytes). */
typedef void (*hdi_gather)(void *out, const void *in, int64_t stride, int64_t n);
typedef void (*hdi_scatter)(void *out, int64_t stride, const void *in, int64_t n);
typedef void (*hdi_fill)(void *out, const void *element, int64_t n);

/* Byte offsets of dense indices along an axis; negative ones count from its end. What is out of
 * range means the first place. */
typedef void (*hdi_index_loop)(int64_t *offset, const void *index, int64_t n, int64_t extent,
                               int64_t step);
/* Flags that are set: how many; and first + step * i for each flag[i], as many as `room`. */
typedef int64_t (*hdi_flags_count)(const uint8_t *flag, int64_t n);
typedef int64_t (*hdi_flags_find)(int64_t *at, int64_t room, const uint8_t *flag, int64_t n,
                                  int64_t first, int64_t step);

/* Superinstructions for float32 and float64: out = (x f y) g z, rounded twice. mask bit i: input
 * i is a single element. */
enum {
    HDI_SUPER_MUL_ADD,
    HDI_SUPER_MUL_SUB,
    HDI_SUPER_SUB_MUL,
    HDI_SUPER_ADD_MUL,
    HDI_SUPER_ADD_ADD,
    HDI_SUPER_MUL_MUL,
    HDI_SUPER_COUNT
};

/* Fourier transforms (docs/design/fft.md) of a group of transforms side by side, whole vectors of
 * `lanes` or 1, over planes: the real part of point k of transform j is re[k * lanes + j].
 * Forward; backward with the planes swapped. */
enum { HDI_FFT_RADIX = 97 };     /* the largest */
typedef struct hdi_fft_planes { void *re, *im; } hdi_fft_planes;
/* A pass takes transforms of radix * m points, s of them side by side, to radix times as many of m
 * points. Tables are of one real type, a row for each k in [1, radix), real parts first. */
typedef struct hdi_fft_pass {
    int radix;
    int64_t m, s;
    const void *twiddle;         /* row k: exp(-2 pi i k p / (radix * m)) for each p in [0, m) */
    const void *each;            /* the same, each s times: where s is small */
    const void *root;            /* cos, then sin, of 2 pi k / radix, if that is odd */
} hdi_fft_pass;
/* Points in memory: bytes from one to the next and from line to line. Of `lanes` lines `used` are
 * there; of n points the first have[0] have a real part there, the first have[1] an imaginary
 * one. */
typedef struct hdi_fft_lines {
    uint8_t *re, *im;
    int64_t step, lane, lanes, used, n, have[2];
} hdi_fft_lines;
/* A long transform is one of columns of n1 points and one of rows of n2 (cpu_fft_long.c). Between
 * them point k of column j is turned by exp(-2 pi i k j / (n1 n2)), the product of two roots:
 * coarse[k >> bits], fine[k & mask] + 1, each a table of real parts and one of imaginary parts. A
 * table has, for HDI_FFT_TURN columns after the other, a row for each of its k: what is used
 * together lies together. */
enum { HDI_FFT_TURN = 16 };
typedef struct hdi_fft_turn {
    int64_t n1, n2, coarses;     /* coarse roots of a column */
    int bits;
    const void *coarse[2], *fine[2];
} hdi_fft_turn;
typedef struct hdi_fft_range { int64_t first, end; } hdi_fft_range;
typedef struct hdi_fft_loops {
    int lanes;                   /* what suits the vectors */
    void (*pass)(const hdi_fft_pass *f, int64_t lanes, const hdi_fft_planes *out,
                 const hdi_fft_planes *in);
    /* what is not there is 0 */
    void (*load)(const hdi_fft_planes *to, const hdi_fft_lines *l);
    void (*store)(const hdi_fft_planes *from, const hdi_fft_lines *l, double scale,
                  double scale_im);
    /* x[k] *= table[k] for k in the range: n real parts, then n imaginary ones */
    void (*multiply)(const hdi_fft_planes *x, const void *table, int64_t n, int64_t lanes,
                     hdi_fft_range k);
    /* after: h + 1 points of the spectrum of 2 h real numbers, from the transform z of h pairs of
     * them, where `out` begins with the first of the range. before: the other way, unscaled, h
     * points. table: h cosines, then h sines, of 2 pi k / (2 h) */
    void (*after)(const hdi_fft_planes *out, const hdi_fft_planes *z, const void *table, int64_t h,
                  int64_t lanes, hdi_fft_range k);
    void (*before)(const hdi_fft_planes *z, const hdi_fft_planes *x, const void *table, int64_t h,
                   int64_t lanes, hdi_fft_range k);
    /* points n - k, beyond n / 2, from those before: k in the range, of [0, (n + 1) / 2) */
    void (*mirror)(const hdi_fft_planes *x, int64_t n, int64_t lanes, hdi_fft_range k);
    /* transformed columns, `used` of them from `first` on, `lanes` (of whole vectors) side by side,
     * to rows, as many side by side: point j of row k is at
     * (k / lanes * n2 + j) * lanes + k % lanes. The last lanes may repeat row n1 - 1 */
    void (*turn)(const hdi_fft_planes *rows, const hdi_fft_planes *columns, const hdi_fft_turn *t,
                 int64_t lanes, int64_t first, int64_t used);
    /* the same of one column of as many lines: point j of row k of each is at (k n2 + j) lanes */
    void (*turn_lines)(const hdi_fft_planes *rows, const hdi_fft_planes *columns,
                       const hdi_fft_turn *t, int64_t lanes, int64_t column);
} hdi_fft_loops;

/* Sums of products of the window y with x beneath it, added to acc: for i < rows and j < columns
 *     acc[i][j] += sum over k < ky and l < kx of y[k][l] * x[i + k][j + l]
 * in that order, from 0. Columns come in multiples of HDI_CORRELATE_BYTES, and x has a number
 * wherever that reaches. Rows are so many elements apart. Bool: any of both. */
enum { HDI_CORRELATE_BYTES = 64 };
typedef struct hdi_correlate_block {
    void *acc;
    const void *x, *y;
    int64_t rows, columns, ky, kx;
    int64_t acc_row, x_row, y_row;
} hdi_correlate_block;
typedef void (*hdi_correlate_loop)(const hdi_correlate_block *b);

/* Integers and reals to keys, unsigned integers of their size that are ordered as they are
 * (cpu_key.h), and back. */
typedef struct hdi_key {
    uint64_t flip;               /* what a key differs by from an integer */
    uint64_t inf;                /* bits of infinity; integers: 0 */
    uint64_t down;               /* all bits where the order is reversed, else 0 */
} hdi_key;
typedef struct hdi_key_loops {
    /* n elements, `step` bytes apart. True if a key has lost something: the sign of a zero, the
     * bits of a nan */
    bool (*load)(void *keys, const void *from, int64_t step, int64_t n, const hdi_key *k);
    void (*store)(void *to, const void *keys, int64_t step, int64_t n, const hdi_key *k);
} hdi_key_loops;

/* Unsigned words in order. */
enum { HDI_ORDER_SHORT = 16 };
typedef struct hdi_order {
    void *x, *y;                 /* n words, and room for as many */
    int64_t n;
    bool to_y;                   /* where they are wanted */
    uint64_t low, high;          /* no word is less, none greater */
    const int64_t *rank;         /* NULL, or the only places that matter, ascending: what is */
    int64_t ranks, first;        /* less comes before them. `first` is the number of x's first */
} hdi_order;
typedef struct hdi_order_loops {
    void (*order)(hdi_order o);
    /* Each of some rows of n <= HDI_ORDER_SHORT words, which lie one after the other; `to` has room
     * for HDI_ORDER_SHORT words more. */
    void (*rows)(const void *from, void *to, int64_t rows, int64_t n);
    /* What of n words is less than `least` to the beginning of `to`, the others to its end; how
     * many are at the beginning. */
    int64_t (*split)(const void *from, void *to, int64_t n, uint64_t least);
    int64_t (*below)(const void *x, int64_t n, uint64_t least);   /* n < 2^32 */
} hdi_order_loops;

/* rows of ew.def and red.def */
enum { HDI_EW_COUNT = HD_OP_sum, HDI_RED_COUNT = HD_OP_matmul - HD_OP_sum };

typedef struct hdi_loops {
    const char *isa;
    /* NULL where the row has no such type; copy: NULL (a cast) */
    hdi_ew_loop ew[HDI_EW_COUNT][HD_DTYPE_COUNT][HDI_VARIANTS];
    /* [from][to]; NULL on the diagonal */
    hdi_cast_loop cast[HD_DTYPE_COUNT][HD_DTYPE_COUNT];
    /* any, all: input of that dtype, accumulator uint8 (bool) */
    hdi_red_chunk red_chunk[HDI_RED_COUNT][HD_DTYPE_COUNT];
    hdi_red_step red_step[HDI_RED_COUNT][HD_DTYPE_COUNT][HDI_VARIANTS];
    hdi_red_start red_start[HDI_RED_COUNT][HD_DTYPE_COUNT][HDI_VARIANTS];
    /* accumulator with accumulator: acc[i] (+)= x[i]; y unused */
    hdi_red_step red_merge[HDI_RED_COUNT][HD_DTYPE_COUNT];
    /* each has one of them; sumproduct: of two arrays */
    hdi_red_run red_run[HDI_RED_COUNT][HD_DTYPE_COUNT];
    hdi_red_extend red_extend[HDI_RED_COUNT][HD_DTYPE_COUNT];
    /* NULL but for integers and reals */
    hdi_thin_rows thin_rows[HD_DTYPE_COUNT];
    hdi_thin_turned thin_turned[HD_DTYPE_COUNT];
    hdi_thin_columns thin_columns[HD_DTYPE_COUNT];
    hdi_arg_chunk arg_chunk[2][HD_DTYPE_COUNT];                   /* argmin, argmax */
    hdi_arg_step arg_step[2][HD_DTYPE_COUNT];
    hdi_arg_merge arg_merge[2][HD_DTYPE_COUNT];
    hdi_arg_extend arg_extend[2][HD_DTYPE_COUNT];
    hdi_scan_loop scan[HDI_SCAN_COUNT][HD_DTYPE_COUNT];
    hdi_at_loop at[HDI_SCAN_COUNT][HD_DTYPE_COUNT];               /* NULL: half types */
    /* [pattern][float32, float64][mask] */
    hdi_ew_loop super[HDI_SUPER_COUNT][2][8];
    hdi_gather gather[5];
    hdi_scatter scatter[5];
    hdi_fill fill[5];
    hdi_index_loop index[2];                                      /* int32, int64 */
    hdi_flags_count flags_count;
    hdi_flags_find flags_find;
    const hdi_fft_loops *fft[2];                                  /* float32, float64 */
    hdi_correlate_loop correlate[HD_DTYPE_COUNT];                 /* NULL: complex, half types */
    const hdi_key_loops *key[4];                                  /* by size (log2) */
    const hdi_order_loops *order[2];                              /* of 4 and 8 bytes, or NULL */
    /* identity of a reduction row, written as one element of the accumulator's dtype; false if
     * the row has none */
    bool (*identity)(int red, hd_dtype dt, void *out);
} hdi_loops;

extern const hdi_loops hdi_loops_v2;
#if defined(__x86_64__)
extern const hdi_loops hdi_loops_v3, hdi_loops_v4;
#endif

/* hdi_loops_best - the widest table this processor can run (HEDDLE_ISA=v2|v3|v4 narrows it, a
 * test aid). */
const hdi_loops *hdi_loops_best(void);
/* hdi_loops_chosen - the same, as it was when first asked for. */
const hdi_loops *hdi_loops_chosen(void);

#endif
