/* SPDX-License-Identifier: BSD-3-Clause */
/* fft.h - discrete Fourier transforms: NumPy's numpy.fft and the array API's fft extension.
 * Dtypes     float32, complex64 and half types in float32, all else in float64. Results are
 *            complex64 or complex128; of hd_irfft, hd_irfftn and hd_hfft real, in x's precision
 * Owns       results are new references; arguments are borrowed
 * Errors     HD_AXIS, HD_VALUE (a length below 1, an unknown norm), HD_SHAPE (out), HD_DTYPE
 *            (complex numbers where real ones are wanted; out cannot hold the result), HD_NOMEM */
#ifndef HEDDLE_FFT_H
#define HEDDLE_FFT_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which way is divided by the number of points: back, both by its square root, forward. */
typedef enum hd_fft_norm { HD_FFT_BACKWARD, HD_FFT_ORTHO, HD_FFT_FORWARD } hd_fft_norm;

/* Along one axis. x is cut off or filled up with zeros to n points (HD_NONE: as many as there are;
 * of hd_irfft and hd_hfft 2 (m - 1) for m given). rfft gives n / 2 + 1 points, all that those of
 * real numbers have to say; irfft takes them. hfft has real results of the half of a signal, ihfft
 * is its inverse. out: NULL, or an array of the result's shape, which is returned. */
HD_API hd_array *hd_fft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out);
HD_API hd_array *hd_ifft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out);
HD_API hd_array *hd_rfft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out);
HD_API hd_array *hd_irfft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out);
HD_API hd_array *hd_hfft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out);
HD_API hd_array *hd_ihfft(const hd_array *x, int64_t n, int axis, hd_fft_norm norm, hd_array *out);

/* Over several axes, the last one named first: rfftn's real one, and irfftn's. naxes HD_ALL_AXES,
 * or 0 with axes NULL: every axis. s: points of each axis named, -1 for all there are; NULL: all
 * there are (irfftn's last: 2 (m - 1)). An axis that is named twice is transformed twice. */
HD_API hd_array *hd_fftn(const hd_array *x, int naxes, const int *axes, const int64_t *s,
                         hd_fft_norm norm, hd_array *out);
HD_API hd_array *hd_ifftn(const hd_array *x, int naxes, const int *axes, const int64_t *s,
                          hd_fft_norm norm, hd_array *out);
HD_API hd_array *hd_rfftn(const hd_array *x, int naxes, const int *axes, const int64_t *s,
                          hd_fft_norm norm, hd_array *out);
HD_API hd_array *hd_irfftn(const hd_array *x, int naxes, const int *axes, const int64_t *s,
                           hd_fft_norm norm, hd_array *out);

/* hd_fftfreq, hd_rfftfreq - the frequencies of the points of hd_fft and hd_rfft over n samples at
 * distance d, as float64. */
HD_API hd_array *hd_fftfreq(int64_t n, double d);
HD_API hd_array *hd_rfftfreq(int64_t n, double d);

/* hd_fftshift - frequency 0 from the front to the middle of these axes; hd_ifftshift - back. */
HD_API hd_array *hd_fftshift(const hd_array *x, int naxes, const int *axes);
HD_API hd_array *hd_ifftshift(const hd_array *x, int naxes, const int *axes);

#ifdef __cplusplus
}
#endif
#endif
