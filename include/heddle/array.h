/* SPDX-License-Identifier: BSD-3-Clause */
/* array.h - array handles: making, viewing, reading, writing, ownership.
 * Owns       hd_array
 * Threads    handles may be shared between threads; one lock is taken once per call
 * Lazy       operations are recorded and run when a value is needed; see docs/design
 * Errors     a function that returns hd_array * returns NULL on failure and leaves the reason in
 *            hd_error_peek(); given a NULL array it returns NULL and keeps the first error, so
 *            expressions nest. The same goes for all of the library: NULL where something is
 *            needed is HD_VALUE, unless an error is pending; what is asked of a NULL array is 0
 * Zero       is the default everywhere: a dtype, casting level or order that is 0, an option that
 *            is 0 or NULL, a device that is NULL (the current one). A NULL pointer for a result
 *            array means that it is not wanted, for a list of axes (of length 0) all of them */
#ifndef HEDDLE_ARRAY_H
#define HEDDLE_ARRAY_H

#include <heddle/device.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hd_array hd_array;

/* ---- ownership ------------------------------------------------------------------------------- */

/* hd_retain - one more reference; returns x. hd_release - one less; NULL is allowed. */
HD_API hd_array *hd_retain(hd_array *x);
HD_API void hd_release(hd_array *x);

/* hd_scope_begin - from here on, arrays that this thread makes are released at hd_scope_end();
 * hd_scope_end(depth, keep) releases all of them but keep (which may be NULL), and returns keep.
 * Scopes nest. Without a scope every returned array is the caller's to release. */
HD_API int hd_scope_begin(void);
HD_API hd_array *hd_scope_end(int depth, hd_array *keep);
/* hd_keep - takes x out of the scopes of this thread: the caller owns it now; returns x. */
HD_API hd_array *hd_keep(hd_array *x);

/* ---- making ---------------------------------------------------------------------------------- */

/* A weak scalar adapts to the dtype of the array beside it, as a Python number does. */
HD_API hd_array *hd_int(int64_t value);
HD_API hd_array *hd_uint(uint64_t value);
HD_API hd_array *hd_float(double value);
HD_API hd_array *hd_complex(double re, double im);
HD_API hd_array *hd_bool(int value);

/* Arrays of nd axes on the current device; dt HD_NO_DTYPE: float64. hd_empty's contents are
 * undefined until written. */
HD_API hd_array *hd_empty(int nd, const int64_t *shape, hd_dtype dt);
HD_API hd_array *hd_zeros(int nd, const int64_t *shape, hd_dtype dt);
HD_API hd_array *hd_ones(int nd, const int64_t *shape, hd_dtype dt);
/* hd_full - value is any array that broadcasts to shape; dt HD_NO_DTYPE: value's own. */
HD_API hd_array *hd_full(int nd, const int64_t *shape, const hd_array *value, hd_dtype dt);
/* hd_arange - start, start+step, ... (length elements). Integers are exact; reals are start + i
 * * step, rounded twice. start and step are weak scalars (then NumPy's step (start + step) -
 * start in dt is taken) or arrays of one element (taken as they are). */
HD_API hd_array *hd_arange(const hd_array *start, const hd_array *step, int64_t length,
                           hd_dtype dt);
/* hd_linspace - n values from start to stop, both included if endpoint; HD_NO_DTYPE: float64. */
HD_API hd_array *hd_linspace(double start, double stop, int64_t n, int endpoint, hd_dtype dt);
/* hd_eye - rows x columns, ones on the k-th diagonal; HD_NO_DTYPE: float64. */
HD_API hd_array *hd_eye(int64_t rows, int64_t columns, int64_t k, hd_dtype dt);
/* hd_empty_like - same shape and order of axes in memory (NumPy's order='K'); dt HD_NO_DTYPE:
 * x's. */
HD_API hd_array *hd_empty_like(const hd_array *x, hd_dtype dt);

/* hd_from_data - copies elements from memory; strides in bytes, NULL for C order. */
HD_API hd_array *hd_from_data(int nd, const int64_t *shape, const int64_t *strides, hd_dtype dt,
                              const void *data);
/* hd_wrap - an array on the CPU that shares memory with its owner instead of copying: data is the
 * address of element (0, ..., 0); deleter(ctx) runs when the last array over it is gone, outside
 * our lock (NULL: nothing to do). Operations on shared memory run before the call returns. */
HD_API hd_array *hd_wrap(int nd, const int64_t *shape, const int64_t *strides, hd_dtype dt,
                         void *data, int readonly, void (*deleter)(void *ctx), void *ctx);
/* hd_wrap_device - the same over memory of a GPU. What others still do to it must come before
 * (hd_stream_order()); deleter runs when our work on it has run. */
HD_API hd_array *hd_wrap_device(hd_device *dev, int nd, const int64_t *shape,
                                const int64_t *strides, hd_dtype dt, void *data, int readonly,
                                void (*deleter)(void *ctx), void *ctx);

/* ---- asking ---------------------------------------------------------------------------------- */

/* hd_ndim - number of axes; hd_shape, hd_strides - extents and bytes from one element to the next
 * of each axis, valid while x lives; hd_size, hd_nbytes - number of elements, and their bytes;
 * hd_dtype_of, hd_device_of - what its elements are, and where. */
HD_API int hd_ndim(const hd_array *x);
HD_API const int64_t *hd_shape(const hd_array *x);
HD_API const int64_t *hd_strides(const hd_array *x);
HD_API int64_t hd_size(const hd_array *x);
HD_API int64_t hd_nbytes(const hd_array *x);
HD_API hd_dtype hd_dtype_of(const hd_array *x);
HD_API hd_device *hd_device_of(const hd_array *x);

/* hd_flags - the bits that hold for x. */
enum {
    HD_C_CONTIGUOUS = 1, HD_F_CONTIGUOUS = 2, HD_WRITEABLE = 4, HD_OWNS_DATA = 8,
    HD_SCALAR = 16,      /* a value, as NumPy's scalars: 0-d, read-only, never a view */
    HD_WEAK = 32,        /* made by hd_int() and its like */
    HD_PENDING = 64,     /* not computed yet */
    HD_ALIGNED = 128
};
HD_API unsigned hd_flags(const hd_array *x);
/* hd_is_scalar - 1 if x is a value (HD_SCALAR). */
HD_API int hd_is_scalar(const hd_array *x);
/* hd_is_writeable - 1 if x may be written to (HD_WRITEABLE), in less time than hd_flags(). */
HD_API int hd_is_writeable(const hd_array *x);
/* hd_set_writeable - may x be written to? HD_READONLY for on where its memory may not, and for
 * values and views that repeat elements. */
HD_API hd_status hd_set_writeable(hd_array *x, int on);
/* hd_same_memory - 1 if both are views of one storage; hd_may_share - 1 if their elements may
 * overlap. */
HD_API int hd_same_memory(const hd_array *a, const hd_array *b);
HD_API int hd_may_share(const hd_array *a, const hd_array *b);
/* hd_storage_of - a number that two arrays share exactly when they are views of one storage. */
HD_API uintptr_t hd_storage_of(const hd_array *x);
HD_API int64_t hd_offset(const hd_array *x);            /* bytes from the start of the storage */

/* ---- reading and writing --------------------------------------------------------------------- */

/* hd_eval - computes x now. */
HD_API hd_status hd_eval(const hd_array *x);
/* hd_read - computes x and copies its elements, in C order, to memory of at least hd_nbytes(x)
 * bytes. */
HD_API hd_status hd_read(const hd_array *x, void *into);
/* hd_write - x's elements from memory that has them in C order. */
HD_API hd_status hd_write(hd_array *x, const void *from);
/* hd_item - one element: *value is a double, int64_t, uint64_t or double[2] by the kind f, b/i,
 * u, c; index counts in C order. */
typedef struct hd_value {
    char kind;
    union {
        int64_t i;
        uint64_t u;
        double f;
        double c[2];
    } as;
} hd_value;
HD_API hd_status hd_item(const hd_array *x, int64_t index, hd_value *value);
/* hd_element_get - the element at x[index[0], ..., index[n - 1]] in its own representation (at most
 * 16 bytes); n is x's number of dimensions, negative indices count from the end of their axis.
 * HD_INDEX if one is out of range. hd_element_set writes one of x's dtype there. On the CPU both
 * are a load or a store once x has been computed. */
HD_API hd_status hd_element_get(const hd_array *x, int n, const int64_t *index, void *into);
HD_API hd_status hd_element_set(hd_array *x, int n, const int64_t *index, const void *element);
/* hd_value_known - 1 and the element of x if x is a value (HD_SCALAR) that the host knows already;
 * 0, without an error, if not. */
HD_API int hd_value_known(const hd_array *x, void *element);
/* hd_from_element - a scalar with that element of dtype dt, on dev (NULL: the current device). */
HD_API hd_array *hd_from_element(hd_device *dev, hd_dtype dt, const void *element);
/* hd_export - computes x and hands out the address of its first element. Until the matching
 * hd_unexport(), the storage counts as shared: it is never moved, and operations on it run
 * before they return. Fails with HD_READONLY if write is asked of a read-only array. */
HD_API void *hd_export(hd_array *x, int write);
HD_API void hd_unexport(hd_array *x);
/* hd_export_device - the same for an array on a GPU: the address is its memory's. The work that
 * computes x is enqueued on the device's stream, not waited for. */
HD_API void *hd_export_device(hd_array *x, int write);

/* hd_assign - writes src, broadcast and cast, to the elements of dst (dst[...] = src). */
HD_API hd_status hd_assign(hd_array *dst, const hd_array *src, hd_casting casting);
/* hd_copy - a new array with x's elements; order 'C', 'F', 'A' or 'K' (0: 'K'). */
HD_API hd_array *hd_copy(const hd_array *x, char order);
/* hd_astype - x cast to dt; a copy, unless copy is 0 and nothing changes. */
HD_API hd_array *hd_astype(const hd_array *x, hd_dtype dt, char order, hd_casting casting,
                           int copy);
/* hd_to_device - x itself if it is there already, else a copy. */
HD_API hd_array *hd_to_device(const hd_array *x, hd_device *dev);
/* hd_to_host - a copy on the CPU; large ones of a GPU's in memory that its bus reaches fast. */
HD_API hd_array *hd_to_host(const hd_array *x);

/* ---- views: they record nothing and force nothing -------------------------------------------- */

typedef enum hd_index_kind {
    HD_INDEX_INT,
    HD_INDEX_SLICE,
    HD_INDEX_NEWAXIS,
    HD_INDEX_ELLIPSIS
} hd_index_kind;
/* One item of a basic index. A slice's bounds are Python's: negative counts from the end;
 * HD_NONE leaves a bound out; step is never 0. */
#define HD_NONE INT64_MIN
/* INT: start is the position */
typedef struct hd_index { hd_index_kind kind; int64_t start, stop, step; } hd_index;
/* hd_slice - x[items]; all-integer indexing gives a 0-d view (use hd_scalar_of to make a value
 * of it). */
HD_API hd_array *hd_slice(const hd_array *x, int nitems, const hd_index *items);
/* hd_transpose - axes is a permutation, or NULL to reverse. */
HD_API hd_array *hd_transpose(const hd_array *x, const int *axes);
/* hd_reshape - a view where strides allow, else a copy; one extent may be -1; order 'C', 'F' or
 * 'A'. hd_reshape_view fails instead of copying. */
HD_API hd_array *hd_reshape(const hd_array *x, int nd, const int64_t *shape, char order);
HD_API hd_array *hd_reshape_view(const hd_array *x, int nd, const int64_t *shape);
/* hd_broadcast_to - a read-only view with the elements of axes of extent 1 repeated. */
HD_API hd_array *hd_broadcast_to(const hd_array *x, int nd, const int64_t *shape);
/* hd_diagonal - the elements x[i, i + offset] of two axes, as the last axis of a view. */
HD_API hd_array *hd_diagonal(const hd_array *x, int64_t offset, int axis1, int axis2);
/* hd_real, hd_imag - views of a complex array's parts; of a real array: itself, and read-only
 * zeros. */
HD_API hd_array *hd_real(const hd_array *x);
HD_API hd_array *hd_imag(const hd_array *x);
/* hd_as_strided - any view inside x's storage; HD_VALUE if it would leave it. offset in bytes
 * from x's first element. */
HD_API hd_array *hd_as_strided(const hd_array *x, int nd, const int64_t *shape,
                               const int64_t *strides, int64_t offset);
/* hd_view - the same bytes read as another dtype (NumPy's rules for the last axis). */
HD_API hd_array *hd_view(const hd_array *x, hd_dtype dt);
/* naxes HD_ALL_AXES (-1), or 0 with axes NULL: every axis of extent 1 */
HD_API hd_array *hd_squeeze(const hd_array *x, int naxes, const int *axes);
HD_API hd_array *hd_expand_dims(const hd_array *x, int naxes, const int *axes);
/* hd_alias - a new handle of the same view. */
HD_API hd_array *hd_alias(const hd_array *x);
/* hd_scalar_of - the one element of x as a scalar value (a copy, marked HD_SCALAR). */
HD_API hd_array *hd_scalar_of(const hd_array *x);
/* hd_element - x[index[0], ..., index[n - 1]] likewise, which nothing waits for; n is x's number of
 * dimensions, negative indices count from the end of their axis. HD_INDEX if one is out of
 * range. */
HD_API hd_array *hd_element(const hd_array *x, int n, const int64_t *index);

/* ---- index arrays ---------------------------------------------------------------------------- */

/* hd_take - x[i0, i1, ...] over the first n axes: index arrays (integers) broadcast together;
 * out shape = theirs + x's remaining axes. HD_INDEX at the call if one is out of range. hd_put -
 * the same places written with values, in order (the last one wins). */
HD_API hd_array *hd_take(const hd_array *x, int n, const hd_array *const *index);
HD_API hd_status hd_put(hd_array *x, int n, const hd_array *const *index, const hd_array *values,
                        hd_casting casting);
/* hd_nonzero - positions of the true elements: one int64 array per axis of x, in C order. Waits
 * for x. */
HD_API hd_status hd_nonzero(const hd_array *x, hd_array **axes_out);
/* hd_extract - the elements of x where mask (bool, of x's shape) is true, in C order: one axis.
 * HD_VALUE for a mask of another kind or shape. Waits for the mask. */
HD_API hd_array *hd_extract(const hd_array *mask, const hd_array *x);

/* hd_explain - text (or Graphviz source if dot) about the kernels that computing x will run;
 * nothing runs. Free with hd_free_text(). */
HD_API char *hd_explain(const hd_array *x, int dot);
HD_API void hd_free_text(char *text);

/* How an array is written; all zero means NumPy's way. Set size first. */
typedef struct hd_format_options {
    size_t size;
    int precision;             /* digits behind the point of a real, at most; 0: 8 */
    int line_width;            /* characters; 0: 75 */
    int64_t threshold;         /* of an array of more elements only the ends of each axis are
                                * written; 0: 1000 */
    int64_t edge_items;        /* places at each of them; 0: 3 */
} hd_format_options;
/* hd_format - x's elements as text, as NumPy's str() has them: computes x, and reads what is
 * written. options: NULL: none. Free with hd_free_text(). HD_VALUE: an option below 0. */
HD_API char *hd_format(const hd_array *x, const hd_format_options *options);
/* hd_print - writes that and the end of a line to the standard output. HD_LIBRARY: it was not
 * taken. */
HD_API hd_status hd_print(const hd_array *x);

#ifdef __cplusplus
}
#endif
#endif
