/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_fft_ranges.c - what is done with long lines before and after their columns and rows, in
 * ranges of points: real numbers put together and taken apart, and Bluestein's products. */
#include "backend/cpu/cpu_fft_batch.h"
#include "backend/cpu/cpu_scratch.h"

/* Points of a range. */
static hdi_fft_lines part_of(hdi_fft_lines line, hdi_fft_range k)
{
    line.re += k.first * line.step;
    line.im += k.first * line.step;
    line.n = k.end - k.first;
    for (int c = 0; c < 2; c++)
        line.have[c] = hdi_max64(hdi_min64(line.have[c], k.end) - k.first, 0);
    return line;
}

/* Bluestein's way: the line's products with the chirp, and zeros behind them. */
static void chirp(const hdi_fft_batch *b, int64_t line, hdi_fft_range k)
{
    const int64_t end = hdi_min64(k.end, b->points), lanes = b->f->lanes;
    const hdi_fft_planes x = hdi_fft_swapped(b->back, hdi_fft_whole(b, line));
    const int64_t zeros = hdi_max64(k.first, b->points), n = k.end - zeros;
    const hdi_fft_planes behind = hdi_fft_offset(b, x, zeros);
    b->f->l->multiply(&x, b->f->plan->chirp, b->points, lanes, (hdi_fft_range){k.first, end});
    if (n > 0) {
        memset(behind.re, 0, (size_t)(n * lanes * b->f->size));
        memset(behind.im, 0, (size_t)(n * lanes * b->f->size));
    }
}

int64_t hdi_fft_loaded(const hdi_fft_batch *b)
{
    return hdi_fft_to_real(b->f) ? b->f->n / 2 + 1 : b->padded;
}

/* From the operand; half a spectrum that is to be put together goes to the sheet first. */
bool hdi_fft_load(const hdi_fft_batch *b, int64_t line, int64_t piece)
{
    const hdi_fft_axis *f = b->f;
    const hdi_fft_range range = hdi_fft_range_of(piece, hdi_fft_loaded(b));
    const hdi_fft_lines part = part_of(hdi_fft_operand_in(b, line), range);
    const bool half = hdi_fft_to_real(f) && f->plan->real;
    const hdi_fft_planes all = half ? hdi_fft_sheet(b, line) : hdi_fft_whole(b, line),
                         x = hdi_fft_offset(b, all, range.first);
    f->l->load(&x, &part);
    if (!hdi_fft_to_real(f))
        chirp(b, line, range);
    return true;
}

bool hdi_fft_before(const hdi_fft_batch *b, int64_t line, int64_t piece)
{
    const hdi_fft_planes x = hdi_fft_sheet(b, line), z = hdi_fft_whole(b, line);
    b->f->l->before(&z, &x, b->f->plan->ends, b->points, b->f->lanes,
                    hdi_fft_range_of(piece, b->points));
    return true;
}

bool hdi_fft_mirror(const hdi_fft_batch *b, int64_t line, int64_t piece)
{
    const hdi_fft_planes x = hdi_fft_whole(b, line);
    b->f->l->mirror(&x, b->f->n, b->f->lanes, hdi_fft_range_of(piece, (b->f->n + 1) / 2));
    return true;
}

bool hdi_fft_store(const hdi_fft_batch *b, int64_t line, int64_t piece)
{
    const hdi_fft_lines out = hdi_fft_operand_out(b, line);
    const hdi_fft_range range = hdi_fft_range_of(piece, out.n);
    const hdi_fft_lines part = part_of(out, range);
    const hdi_fft_planes y = hdi_fft_offset(b, hdi_fft_whole(b, line), range.first);
    chirp(b, line, (hdi_fft_range){range.first, hdi_min64(range.end, b->points)});
    b->f->l->store(&y, &part, b->f->scale, hdi_fft_scale_im(b->f));
    return true;
}

/* Points of a spectrum, and their mirror images where all of it is wanted. */
static void store_range(const hdi_fft_batch *b, int64_t line, hdi_fft_planes y, hdi_fft_range k)
{
    const hdi_fft_axis *f = b->f;
    const double scale_im = hdi_fft_scale_im(f);
    hdi_fft_lines out = b->out[line], rest = out;
    out.re += k.first * out.step;
    hdi_fft_points(f, &out, k.end - k.first, k.end - k.first);
    f->l->store(&y, &out, f->scale, scale_im);
    const int64_t first = hdi_max64(k.first, 1), n = hdi_min64(k.end, b->points) - first;
    if (f->how.kind == HDI_FFT_HALF || n <= 0)
        return;
    y = hdi_fft_offset(b, y, first - k.first);
    rest.re += (f->n - first) * rest.step;
    rest.step = -rest.step;
    hdi_fft_points(f, &rest, n, n);
    f->l->store(&y, &rest, f->scale, -scale_im);
}

bool hdi_fft_after(const hdi_fft_batch *b, int64_t line, int64_t piece)
{
    const hdi_fft_range range = hdi_fft_range_of(piece, b->points + 1);
    const hdi_fft_planes z = hdi_fft_whole(b, line);
    const int64_t plane = hdi_fft_plane(b->f, HDI_FFT_RANGE, b->f->lanes);
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    uint8_t *room = hdi_cpu_scratch(2 * plane);
    if (room != NULL) {
        const hdi_fft_planes y = {room, room + plane};
        b->f->l->after(&y, &z, b->f->plan->ends, b->points, b->f->lanes, range);
        store_range(b, line, y, range);
    }
    hdi_cpu_scratch_release(mark);
    return room != NULL;
}

bool hdi_fft_chirp(const hdi_fft_batch *b, int64_t line, int64_t piece)
{
    chirp(b, line, hdi_fft_range_of(piece, b->padded));
    return true;
}

bool hdi_fft_filter(const hdi_fft_batch *b, int64_t line, int64_t piece)
{
    const hdi_fft_planes x = hdi_fft_swapped(b->back, hdi_fft_whole(b, line));
    b->f->l->multiply(&x, b->f->plan->filter, b->padded, b->f->lanes,
                      hdi_fft_range_of(piece, b->padded));
    return true;
}
