/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_fft.h - one axis of a Fourier transform on the CPU, and the two ways it is done: lines in
 * groups (cpu_fft.c), and long lines, each of which all threads share (cpu_fft_long.c).
 * Owns       nothing; operands are the call's, the plan is held by hdi_cpu_fft()
 * Threads    constant while tasks run
 * Start at   hdi_fft_axis */
#ifndef HDI_CPU_FFT_H
#define HDI_CPU_FFT_H

#include "backend/cpu/cpu_fft_plan.h"
#include "backend/cpu/cpu_library.h"

enum {
    HDI_FFT_TASK_POINTS = 1 << 14,
    HDI_FFT_GAP = 192            /* bytes between planes: they should not share cache sets */
};

typedef struct hdi_fft_axis {
    hdi_fft_how how;
    const hdi_fft_loops *l;
    hdi_fft_plan *plan;
    hdi_xarg src, dst;
    int axis, lane_axis;         /* -1: lines go one by one */
    int64_t n, have;             /* points of a transform, and those that the source has */
    int64_t live[HD_MAXDIM];     /* extents of the other axes */
    int64_t lanes, pieces, groups, per_task, size;
    bool real;                   /* the source is */
    double scale;
} hdi_fft_axis;

/* hdi_fft_find - where the lines of a group are; nothing is said of their points. */
void hdi_fft_find(const hdi_fft_axis *f, int64_t group, hdi_fft_lines *in, hdi_fft_lines *out);

/* What a group of lines has in memory, given where it is: points of a spectrum, or neighbours of
 * real numbers taken for complex ones. */
void hdi_fft_points(const hdi_fft_axis *f, hdi_fft_lines *lines, int64_t n, int64_t have);
void hdi_fft_pairs(hdi_fft_lines *lines, int64_t n, int64_t have);

/* hdi_fft_plane - bytes from one plane to the next, of so many points and lanes. */
static inline int64_t hdi_fft_plane(const hdi_fft_axis *f, int64_t points, int64_t lanes)
{
    return ((points * lanes * f->size + 63) & -(int64_t)64) + HDI_FFT_GAP;
}

/* hdi_fft_reserve - sees to it that tasks of this thread find so much scratch memory until the
 * mark, taken before, is released; false when there is none. */
bool hdi_fft_reserve(int64_t nbytes);

/* hdi_fft_long_lines - every line of the axis, where hdi_cpu_fft_long(plan). */
hd_status hdi_fft_long_lines(const hdi_fft_axis *f, hdi_cpu_asker ask);

#endif
