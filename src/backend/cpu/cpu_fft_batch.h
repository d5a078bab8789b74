/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_fft_batch.h - some long lines that are transformed at a time: where their points are, and the
 * steps that are cut into ranges of points (cpu_fft_ranges.c) rather than into blocks of columns
 * and rows (cpu_fft_long.c).
 * Owns       nothing: cpu_fft_long.c has the memory
 * Threads    constant while the pieces of a step run, of which any thread takes any
 * Start at   hdi_fft_batch */
#ifndef HDI_CPU_FFT_BATCH_H
#define HDI_CPU_FFT_BATCH_H

#include "backend/cpu/cpu_fft.h"

enum {
    HDI_FFT_LINES = 32,          /* at a time, at most */
    HDI_FFT_RANGE = 1 << 13      /* points of a piece */
};

/* Some lines of an axis, and the step that is being done with all of them. */
typedef struct hdi_fft_batch hdi_fft_batch;
typedef bool (*hdi_fft_piece)(const hdi_fft_batch *b, int64_t line, int64_t piece);
struct hdi_fft_batch {
    const hdi_fft_axis *f;
    const hdi_fft_plan *core;    /* the plan, or Bluestein's inner one: of columns and rows */
    int64_t nlines;              /* or groups of lines side by side */
    int64_t lanes, across;       /* of a block, and columns or rows in it: 1 if lanes are lines */
    int64_t points, padded;      /* of a line, and of its core */
    bool bluestein;
    bool neighbours;             /* lines share cache lines */
    bool back;                   /* backward: the planes change places on the way in and out */
    uint8_t *sheets, *wholes;
    int64_t sheet_plane, whole_plane;
    hdi_fft_lines in[HDI_FFT_LINES], out[HDI_FFT_LINES];
    /* the step */
    hdi_fft_piece piece;
    int64_t pieces;              /* of a line */
    bool swap;                   /* columns and rows: of swapped planes */
};

static inline hdi_fft_planes hdi_fft_sheet(const hdi_fft_batch *b, int64_t line)
{
    uint8_t *at = b->sheets + line * 2 * b->sheet_plane;
    return (hdi_fft_planes){at, at + b->sheet_plane};
}

/* All of a line's points in order, where they are not in the operand. */
static inline hdi_fft_planes hdi_fft_whole(const hdi_fft_batch *b, int64_t line)
{
    uint8_t *at = b->wholes + line * 2 * b->whole_plane;
    return (hdi_fft_planes){at, at + b->whole_plane};
}

static inline hdi_fft_planes hdi_fft_offset(const hdi_fft_batch *b, hdi_fft_planes x,
                                            int64_t points)
{
    const int64_t bytes = points * b->f->lanes * b->f->size;
    return (hdi_fft_planes){(uint8_t *)x.re + bytes, (uint8_t *)x.im + bytes};
}

static inline hdi_fft_planes hdi_fft_swapped(bool swap, hdi_fft_planes x)
{
    return swap ? (hdi_fft_planes){x.im, x.re} : x;
}

static inline hdi_fft_range hdi_fft_range_of(int64_t piece, int64_t n)
{
    return (hdi_fft_range){piece * HDI_FFT_RANGE, hdi_min64((piece + 1) * HDI_FFT_RANGE, n)};
}

/* ---- where points come from and go to -------------------------------------------------------- */

static inline bool hdi_fft_to_real(const hdi_fft_axis *f) { return f->how.kind == HDI_FFT_REAL; }
static inline bool hdi_fft_from_pairs(const hdi_fft_axis *f) { return f->real && f->plan->real; }

/* Do columns come from the whole rather than the operand, do rows go there? */
static inline bool hdi_fft_in_whole(const hdi_fft_batch *b)
{
    return b->bluestein || hdi_fft_to_real(b->f);
}

static inline bool hdi_fft_out_whole(const hdi_fft_batch *b)
{
    return b->bluestein || hdi_fft_from_pairs(b->f);
}

/* A line as the operand has it: points, pairs of neighbours, real numbers, or half a spectrum. */
static inline hdi_fft_lines hdi_fft_operand_in(const hdi_fft_batch *b, int64_t line)
{
    const hdi_fft_axis *f = b->f;
    hdi_fft_lines in = b->in[line];
    if (hdi_fft_from_pairs(f)) {
        hdi_fft_pairs(&in, f->n, f->have);
        return in;
    }
    hdi_fft_points(f, &in, hdi_fft_to_real(f) ? f->n / 2 + 1 : f->n, f->have);
    if (f->real) {
        in.im = in.re;
        in.have[1] = 0;
    }
    return in;
}

static inline hdi_fft_lines hdi_fft_operand_out(const hdi_fft_batch *b, int64_t line)
{
    const hdi_fft_axis *f = b->f;
    hdi_fft_lines out = b->out[line];
    if (hdi_fft_to_real(f) && f->plan->real) {
        hdi_fft_pairs(&out, f->n, f->n);
        return out;
    }
    const int64_t n = f->how.kind == HDI_FFT_HALF ? f->n / 2 + 1 : f->n;
    hdi_fft_points(f, &out, n, n);
    if (hdi_fft_to_real(f)) {
        out.im = out.re;
        out.have[1] = 0;
    }
    return out;
}

static inline hdi_fft_lines hdi_fft_lines_of(const hdi_fft_batch *b, hdi_fft_planes x)
{
    const int64_t lanes = b->f->lanes, size = b->f->size;
    return (hdi_fft_lines){.re = x.re, .im = x.im, .step = lanes * size, .lane = size,
                           .lanes = lanes, .used = lanes, .n = b->padded,
                           .have = {b->padded, b->padded}};
}

/* What real and imaginary parts are multiplied with on their way to the operand. */
static inline double hdi_fft_scale_im(const hdi_fft_axis *f)
{
    return f->real && f->how.backward ? -f->scale : f->scale;
}

/* hdi_fft_loaded - points that hdi_fft_load() is for, zeros behind the line's own among them. */
int64_t hdi_fft_loaded(const hdi_fft_batch *b);
/* Steps, of a piece of a line each; false where there is no scratch memory. From the operand to the
 * whole, with the chirp of Bluestein's way at once, or half a spectrum to the sheet, from where it
 * is put together (before) in the whole; the other half there (mirror). */
bool hdi_fft_load(const hdi_fft_batch *b, int64_t line, int64_t piece);
bool hdi_fft_before(const hdi_fft_batch *b, int64_t line, int64_t piece);
bool hdi_fft_mirror(const hdi_fft_batch *b, int64_t line, int64_t piece);
/* Products of the whole with the chirp, or with the transform of its conjugate. */
bool hdi_fft_chirp(const hdi_fft_batch *b, int64_t line, int64_t piece);
bool hdi_fft_filter(const hdi_fft_batch *b, int64_t line, int64_t piece);
/* From the whole to the operand: with the chirp, or taken apart. */
bool hdi_fft_store(const hdi_fft_batch *b, int64_t line, int64_t piece);
bool hdi_fft_after(const hdi_fft_batch *b, int64_t line, int64_t piece);

#endif
