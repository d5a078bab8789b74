/* SPDX-License-Identifier: BSD-3-Clause */
/* py_fft.c - Fourier transforms, convolution: what heddle.fft and heddle.scipy.signal stand on.
 * Arguments have been looked at there. */
#include "py.h"

/* ---- transforms ------------------------------------------------------------------------------ */

typedef hd_array *(*along_one)(const hd_array *, int64_t, int, hd_fft_norm, hd_array *);
typedef hd_array *(*over_many)(const hd_array *, int, const int *, const int64_t *, hd_fft_norm,
                               hd_array *);

static int norm_of(PyObject *o, hd_fft_norm *norm)
{
    static const char *const names[] = {"backward", "ortho", "forward"};
    *norm = HD_FFT_BACKWARD;
    if (!o || o == Py_None)
        return 0;
    for (int i = 0; i < 3; i++)
        if (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, names[i]) == 0) {
            *norm = (hd_fft_norm)i;
            return 0;
        }
    PyErr_Format(PyExc_ValueError,
                 "Invalid norm value %S; should be \"backward\", \"ortho\" or \"forward\".", o);
    return -1;
}

/* (a, n=None, axis=-1, norm=None, out=None) */
static PyObject *transform_one(hp_signature *s, along_one f, HP_FAST)
{
    PyObject *v[5], *out;
    int axis = -1;
    int64_t n = HD_NONE;
    hd_fft_norm norm;
    if (hp_parse(s, args, nargs, kwnames, v) < 0 || hp_out(v[4], &out) < 0)
        return NULL;
    if (v[1] && v[1] != Py_None && hp_int64(v[1], &n) < 0)
        return NULL;
    if ((v[2] && hp_int(v[2], &axis) < 0) || norm_of(v[3], &norm) < 0)
        return NULL;
    hd_array *a = hp_to_array(v[0], HD_NO_DTYPE);
    PyObject *r = a ? hp_wrap_out(f(a, n, axis, norm, out ? hp_a(out) : NULL), out) : NULL;
    hd_release(a);
    return r;
}

/* (a, s, axes, norm, out), s and axes sequences of the same length, or s None */
static PyObject *transform_many(hp_signature *s, over_many f, HP_FAST)
{
    PyObject *v[5], *out;
    int axes[HD_MAXDIM], naxes, n;
    int64_t points[HD_MAXDIM];
    hd_fft_norm norm;
    if (hp_parse(s, args, nargs, kwnames, v) < 0 || hp_out(v[4], &out) < 0 ||
        hp_axes(v[2], axes, &naxes) < 0 || norm_of(v[3], &norm) < 0)
        return NULL;
    const int given = v[1] != Py_None;
    if (given && hp_shape(v[1], points, &n) < 0)
        return NULL;
    hd_array *a = hp_to_array(v[0], HD_NO_DTYPE);
    PyObject *r = a ? hp_wrap_out(f(a, naxes, axes, given ? points : NULL, norm,
                                    out ? hp_a(out) : NULL), out)
                    : NULL;
    hd_release(a);
    return r;
}

#define ONE(f)                                                                                \
    static PyObject *function_##f(PyObject *module, HP_FAST)                                  \
    {                                                                                         \
        static hp_signature s = {.name = #f, .required = 1, .positional = 5,                  \
                                 .names = {"a", "n", "axis", "norm", "out"}};                 \
        return (void)module, transform_one(&s, hd_##f, args, nargs, kwnames);                 \
    }
#define MANY(f)                                                                               \
    static PyObject *function_##f(PyObject *module, HP_FAST)                                  \
    {                                                                                         \
        static hp_signature s = {.name = #f, .required = 5, .positional = 5,                  \
                                 .names = {"a", "s", "axes", "norm", "out"}};                 \
        return (void)module, transform_many(&s, hd_##f, args, nargs, kwnames);                \
    }
ONE(fft)
ONE(ifft)
ONE(rfft)
ONE(irfft)
ONE(hfft)
ONE(ihfft)
MANY(fftn)
MANY(ifftn)
MANY(rfftn)
MANY(irfftn)

static PyObject *shift(hd_array *(*f)(const hd_array *, int, const int *), hp_signature *s, HP_FAST)
{
    PyObject *v[2];
    int axes[HD_MAXDIM], naxes;
    if (hp_parse(s, args, nargs, kwnames, v) < 0 || hp_axes(v[1], axes, &naxes) < 0)
        return NULL;
    hd_array *a = hp_to_array(v[0], HD_NO_DTYPE);
    PyObject *r = a ? hp_wrap(f(a, naxes, axes)) : NULL;
    hd_release(a);
    return r;
}

static PyObject *function_fftshift(PyObject *module, HP_FAST)
{
    static hp_signature s = {.name = "fftshift", .required = 1, .positional = 2,
                             .names = {"x", "axes"}};
    return (void)module, shift(hd_fftshift, &s, args, nargs, kwnames);
}

static PyObject *function_ifftshift(PyObject *module, HP_FAST)
{
    static hp_signature s = {.name = "ifftshift", .required = 1, .positional = 2,
                             .names = {"x", "axes"}};
    return (void)module, shift(hd_ifftshift, &s, args, nargs, kwnames);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* A word as its place among the choices; or that place itself. -1 with ValueError. */
static int choice(PyObject *o, const char *const *words, int n, const char *message)
{
    for (int i = 0; i < n; i++)
        if (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, words[i]) == 0)
            return i;
    if (PyLong_Check(o)) {
        int value;
        if (hp_int(o, &value) == 0 && value >= 0 && value < n)
            return value;
        PyErr_Clear();
    }
    PyErr_Format(PyExc_ValueError, message, o);
    return -1;
}

static const char *const modes[] = {"valid", "same", "full", "late"};
static const char *const bounds[] = {"fill", "wrap", "symm"};

static PyObject *one_dimension(hd_array *(*f)(const hd_array *, const hd_array *, hd_window_mode),
                               hp_signature *s, int mode, HP_FAST)
{
    PyObject *v[3];
    hd_array *in[2];
    if (hp_parse(s, args, nargs, kwnames, v) < 0)
        return NULL;
    if (v[2] && !PyUnicode_Check(v[2]) && !PyLong_Check(v[2])) {
        PyErr_Format(PyExc_TypeError, "mode must be a string, not %R", v[2]);
        return NULL;
    }
    if (v[2] && (mode = choice(v[2], modes, 3, "mode must be one of 'valid', 'same', or 'full' "
                                               "(got %R)")) < 0)
        return NULL;
    if (hp_array_pair(v[0], v[1], in) < 0)
        return NULL;
    PyObject *r = NULL;
    if (f == hd_correlate && (hd_ndim(in[0]) == 0 || hd_ndim(in[1]) == 0))
        PyErr_SetString(PyExc_ValueError, "object of too small depth for desired array");
    else
        r = hp_wrap(f(in[0], in[1], (hd_window_mode)mode));
    hd_release(in[0]);
    hd_release(in[1]);
    return r;
}

static PyObject *function_convolve(PyObject *module, HP_FAST)
{
    static hp_signature s = {.name = "convolve", .required = 2, .positional = 3,
                             .names = {"a", "v", "mode"}};
    return (void)module, one_dimension(hd_convolve, &s, HD_WINDOW_FULL, args, nargs, kwnames);
}

static PyObject *function_correlate(PyObject *module, HP_FAST)
{
    static hp_signature s = {.name = "correlate", .required = 2, .positional = 3,
                             .names = {"a", "v", "mode"}};
    return (void)module, one_dimension(hd_correlate, &s, HD_WINDOW_VALID, args, nargs, kwnames);
}

/* (x, y, mode, boundary, fill): y slides over x; fill is an array of one element or None. */
static PyObject *function_correlate_window(PyObject *module, HP_FAST)
{
    (void)module;
    static hp_signature s = {.name = "_correlate_window", .required = 5, .positional = 5,
                             .names = {"x", "y", "mode", "boundary", "fill"}};
    PyObject *v[5];
    hd_array *in[2], *fill = NULL;
    if (hp_parse(&s, args, nargs, kwnames, v) < 0)
        return NULL;
    int mode = choice(v[2], modes, 4, "Acceptable mode flags are 'valid', 'same', or 'full', "
                                      "not %R."),
        bound = mode < 0 ? -1 : choice(v[3], bounds, 3, "Acceptable boundary flags are 'fill', "
                                                        "'circular' (or 'wrap'), and 'symmetric' "
                                                        "(or 'symm'), not %R.");
    if (bound < 0 || (v[4] != Py_None && !(fill = hp_to_array(v[4], HD_NO_DTYPE))))
        return NULL;
    PyObject *r = NULL;
    if (hp_array_pair(v[0], v[1], in) == 0) {
        r = hp_wrap(hd_correlate_window(in[0], in[1], (hd_window_mode)mode,
                                        (hd_window_bound)bound, fill));
        hd_release(in[0]);
        hd_release(in[1]);
    }
    hd_release(fill);
    return r;
}

#define TEXT_ONE(f, text) \
    HP_METHOD(#f, function_##f, #f "(a, n=None, axis=-1, norm=None, out=None)\n--\n\n" text)

PyMethodDef hp_fft_functions[] = {
    TEXT_ONE(fft, "Discrete Fourier transform along one axis."),
    TEXT_ONE(ifft, "Inverse of fft: the same with the other sign in the exponent, divided by n."),
    TEXT_ONE(rfft, "The first n // 2 + 1 points of the transform of real numbers; the others are "
                   "their conjugates."),
    TEXT_ONE(irfft, "Inverse of rfft: n real numbers."),
    TEXT_ONE(hfft, "Transform of a signal that is the conjugate of itself backwards, given by its "
                   "first half: n real numbers."),
    TEXT_ONE(ihfft, "Inverse of hfft: the first n // 2 + 1 points."),
    HP_METHOD("_fftn", function_fftn, NULL),
    HP_METHOD("_ifftn", function_ifftn, NULL),
    HP_METHOD("_rfftn", function_rfftn, NULL),
    HP_METHOD("_irfftn", function_irfftn, NULL),
    HP_METHOD("fftshift", function_fftshift,
              "fftshift(x, axes=None)\n--\n\nThe spectrum with frequency 0 in the middle of these "
              "axes (an int, a tuple, None: all)."),
    HP_METHOD("ifftshift", function_ifftshift,
              "ifftshift(x, axes=None)\n--\n\nInverse of fftshift."),
    HP_METHOD("convolve", function_convolve,
              "convolve(a, v, mode='full')\n--\n\nConvolution of two vectors: sums of products of "
              "a and v backwards."),
    HP_METHOD("correlate", function_correlate,
              "correlate(a, v, mode='valid')\n--\n\nCross-correlation of two vectors: sums of "
              "products of a and the conjugate of v."),
    HP_METHOD("_correlate_window", function_correlate_window, NULL),
    {NULL, NULL, 0, NULL}};
