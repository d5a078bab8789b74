/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_correlate.h - a window that slides over an array: a kernel of our own, as PTX.
 * Owns       hdi_slide_kind, what its code depends on; the words of a launch
 * Threads    by the thread that drains the device's queue, without the library's lock
 * Start at   hdi_cuda_correlate()
 * See        docs/design/fft.md */
#ifndef HDI_CUDA_CORRELATE_H
#define HDI_CUDA_CORRELATE_H

#include "backend/cuda/cuda_device.h"
#include "base/strbuf.h"
#include "core/op.h"

hd_status hdi_cuda_correlate(hdi_cuda *d, const hdi_xcall *x);

/* The code does one plane of the window over one plane of x; rows and columns of both are words of
 * the launch. flat: everything has one column. */
typedef struct hdi_slide_kind { uint8_t dt, beyond; bool flat; } hdi_slide_kind;

/* What a block of threads does: `across` x `down` threads, each HDI_SLIDE_OUTPUTS results below
 * each other; of the window it takes pieces of rows x columns at a time. */
enum { HDI_SLIDE_OUTPUTS = 15 };
typedef struct hdi_slide_shape { int across, down, rows, columns; } hdi_slide_shape;
hdi_slide_shape hdi_cuda_slide_shape(hdi_slide_kind kind);

/* Words of a launch, 64 bits each: addresses, extents, strides in bytes. */
enum {
    HDI_SLIDE_X, HDI_SLIDE_Y, HDI_SLIDE_OUT,
    HDI_SLIDE_FILL,              /* address of an element, or 0 */
    HDI_SLIDE_XM, HDI_SLIDE_XN, HDI_SLIDE_XROW, HDI_SLIDE_XCOLUMN,
    HDI_SLIDE_YM, HDI_SLIDE_YN, HDI_SLIDE_YROW, HDI_SLIDE_YCOLUMN,
    HDI_SLIDE_OM, HDI_SLIDE_ON, HDI_SLIDE_OROW, HDI_SLIDE_OCOLUMN,
    HDI_SLIDE_BEFORE_ROW, HDI_SLIDE_BEFORE_COLUMN,   /* how far the window is before x at first */
    HDI_SLIDE_ADD,               /* 1: to what is there */
    HDI_SLIDE_ACROSS,            /* blocks beside each other */
    HDI_SLIDE_WORDS
};
#define HDI_SLIDE_ENTRY "heddle_slide"

/* hdi_cuda_slide_text - the PTX. */
void hdi_cuda_slide_text(hdi_slide_kind kind, hdi_strbuf *text);

#endif
