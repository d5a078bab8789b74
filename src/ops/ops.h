/* SPDX-License-Identifier: BSD-3-Clause */
/* ops.h - what all families of operations share: operands, broadcasting, results, stores.
 * Threads    everything here runs under the library's lock
 * Start at   hdi_ew() and hdi_store() */
#ifndef HDI_OPS_H
#define HDI_OPS_H

#include "core/op.h"
#include "core/services.h"
#include "window/window.h"

/* One input: an array, or a number that adapts. Weak arrays become numbers. */
typedef struct hdi_in {
    const hd_array *x;
    const hd_number *n;
} hdi_in;
static inline hdi_in hdi_in_array(const hd_array *x)
{
    return hdi_is_weak(x) ? (hdi_in){NULL, &x->weak} : (hdi_in){x, NULL};
}
static inline hdi_in hdi_in_number(const hd_number *n) { return (hdi_in){NULL, n}; }

/* hdi_known_loop - what hdi_common_loop() would say of row op and two inputs, if that needs no
 * more than two look-ups; else HD_NO_DTYPE, and no error. */
static inline hd_dtype hdi_known_loop(hd_op op, const hdi_in *in)
{
    int dt;
    if (in[0].x != NULL)
        dt = in[1].x != NULL ? hdi_promotion[in[0].x->dtype][in[1].x->dtype]
                             : hdi_weak_promotion[in[0].x->dtype][in[1].n->kind];
    else
        dt = in[1].x != NULL ? hdi_weak_promotion[in[1].x->dtype][in[0].n->kind] : HD_NO_DTYPE;
    return HDI_LIKELY(dt > 0 && !hdi_is_int((hd_dtype)dt)) ? (hd_dtype)hdi_loop_memo[op][dt]
                                                            : HD_NO_DTYPE;
}

/* hdi_common_device - the device of all arrays among the inputs (the current one if there is
 * none); HD_DEVICE names two that differ. Arrays without axes on the host go with any device.
 * hdi_one_device - NULL, and no error, if some of these would have to move first.
 * hdi_ew_mixed - hdi_ew() that moves them; the lock is away meanwhile. */
hd_device *hdi_common_device(int n, const hdi_in *in);
hd_device *hdi_one_device(int n, const hdi_in *in);
hd_array *hdi_ew_mixed(hd_op op, hd_dtype cdt, int n, const hdi_in *in);
/* hdi_common_dtype - NumPy 2's promotion of the inputs. */
hd_dtype hdi_common_dtype(int n, const hdi_in *in);
/* hdi_common_loop - dtype of the loop that NumPy picks for row op and these inputs; HD_NO_DTYPE
 * and an error if there is none. */
hd_dtype hdi_common_loop(hd_op op, int n, const hdi_in *in);
/* hdi_number_as - n as one element of dt; HD_OVERFLOW if a Python integer does not fit an
 * integer dtype.
 * hdi_integer_fits - does it? No error is recorded. */
bool hdi_integer_fits(const hd_number *n, hd_dtype dt);
hd_status hdi_number_as(const hd_number *n, hd_dtype dt, uint64_t out[2]);

/* Shapes of an elementwise operation: the domain, each array input read over it, the result's
 * layout. */
typedef struct hdi_shapes {
    /* of a fresh result with elements of `item` bytes, in NumPy's memory order */
    hdi_layout *out;
    hdi_layout *in[HDI_MAX_IN];            /* NULL for numbers */
} hdi_shapes;
bool hdi_broadcast(int n, const hdi_in *in, int64_t item, hdi_shapes *s);

/* hdi_ew - records row op in loop dtype cdt and returns its fresh result; scalar flag on 0-d
 * results. */
hd_array *hdi_ew(hd_op op, hd_dtype cdt, int n, const hdi_in *in);
/* hdi_ew_auto - the same with the loop that NumPy's promotion gives. */
hd_array *hdi_ew_auto(hd_op op, int n, const hdi_in *in);

/* hdi_store - dst[...] = op(in...) in loop dtype cdt, cast to dst's dtype: rules M5 and M7. The
 * cast has been checked. */
hd_status hdi_store(hd_array *dst, hd_op op, hd_dtype cdt, int n, const hdi_in *in);
/* hdi_stores_alike - do all elements of the result that meet in one place of dst have one value
 * there? hdi_store_repeated - hdi_store() where they may have several; reads_dst: inputs may lie in
 * the memory that is written to. */
bool hdi_stores_alike(const hd_array *dst, int n, const hdi_in *in, const hdi_shapes *s);
/* hdi_store_chosen - dst[where] = x, only these written; where hdi_stores_in_places() says so. */
bool hdi_stores_in_places(const hd_array *dst);
hd_status hdi_store_chosen(hd_array *dst, const hd_array *where, const hd_array *x);
/* hdi_store_lines - dst[...] = values, where elements of dst may meet: line after line along an
 * axis, each from its first element on, as NumPy stores what it makes of x. */
hd_status hdi_store_lines(hd_array *dst, const hd_array *values, const hd_array *x, int axis);
hd_status hdi_store_repeated(hd_array *dst, hd_op op, hd_dtype cdt, int n, const hdi_in *in,
                             const hdi_shapes *s, bool reads_dst);
/* hdi_store_checked - the same after checking writability and the cast of the result at
 * `casting`. */
hd_status hdi_store_checked(hd_array *dst, hd_op op, hd_dtype cdt, int n, const hdi_in *in,
                            hd_casting casting);
/* hdi_deliver - r (taken) where the caller wants it: r itself, or out (retained), if any, with
 * r's elements. fits: what the look at out said. hdi_out_fits - has out r's shape? what, whose: the
 * error's words before out's shape and before r's. Either may be NULL. */
hd_array *hdi_deliver(hd_array *r, hd_array *out, hd_status fits, hd_casting casting);
hd_status hdi_out_fits(const hd_array *r, const hd_array *out, const char *what,
                       const char *whose);

/* hdi_fill - dst[...] = element. */
hd_status hdi_fill(hd_array *dst, const uint64_t element[2]);
/* hdi_few_element - x, a number or an array of rank 0, as an element of dt where that takes no
 * waiting and cannot fail or be a fault; false: the general way does it. */
bool hdi_few_element(const hd_array *x, hd_dtype dt, uint64_t element[2]);

/* hdi_new - a fresh C-order array without contents. */
hd_array *hdi_new(hd_device *dev, int nd, const int64_t *dims, hd_dtype dt);
/* hdi_new_copy - x's elements as dt in a fresh array of that layout (x's extents). */
hd_array *hdi_new_copy(const hd_array *x, hd_dtype dt, hdi_layout *lay);
/* hdi_copy - what hd_copy() gives, as dt. */
hd_array *hdi_copy(const hd_array *x, hd_dtype dt, char order);

/* hdi_snapshot - an array with x's elements as they are now, whatever is written to x later (rule
 * M10): nothing is copied until one of the two is written to. If others can reach x's memory, a
 * copy under layout lay. */
hd_array *hdi_snapshot(const hd_array *x, hdi_layout *lay);

/* hdi_all_given - HD_VALUE, or the pending error, if one of the n arrays is NULL, or the list. */
hd_status hdi_all_given(int n, const hd_array *const *arrays);
/* hdi_axis - axis in [0, nd); HD_AXIS if it is not. */
hd_status hdi_axis(int axis, int nd, int *out);
/* hdi_axes_mask - the axes as bits (n == HD_ALL_AXES: all); HD_AXIS, or HD_VALUE for a repeated
 * one. */
hd_status hdi_axes_mask(int n, const int *axes, int nd, uint64_t *mask);

/* hdi_reduce_options - the caller's options, of whatever size he knows them, over the defaults.
 * NULL: the defaults. */
hd_reduce_options hdi_reduce_options(const hd_reduce_options *o);

/* Faults that NumPy reports and the processor's flags do not tell, and on a device without such
 * flags (hd_device.tells_faults) all of them; while this thread watches only. These may release and
 * retake the lock.
 * hdi_value_faults - notes those of an operation on these inputs, before it is recorded; dst: the
 * dtype of the array that takes its result, HD_NO_DTYPE for a fresh one. hdi_float_faults - its
 * part for floating point. hdi_cast_faults - what a cast can raise.
 * hdi_any_true - is any element of cond true? -1 on failure. Takes cond, NULL passes through.
 * hdi_all_scalars - does NumPy call this an operation on scalars?
 * hdi_fault_note - adds to what this operation reports; hdi_fault_name - its name in warnings.
 * hdi_faults_here - the list of this thread, for hdi_faults_list(), which adds what somebody else
 * saw; NULL while the handler runs. hdi_faults_report - hands the list to the handler; HD_FLOATING
 * if it objects. Without the lock.
 * hdi_faults_hold - reports wait, though work of this thread is done, until hdi_faults_let_go():
 * then the end of the operation reports them, also if nothing is left to run on dev.
 * hdi_ew_plain - hdi_ew() that reports nothing from values. */
hd_status hdi_value_faults(hd_op op, hd_dtype cdt, int n, const hdi_in *in, hd_dtype dst);
hd_status hdi_float_faults(hd_op op, hd_dtype cdt, int n, const hdi_in *in, hd_dtype dst);
int hdi_cast_faults(hd_dtype from, hd_dtype to);
int hdi_any_true(hd_array *cond);
bool hdi_all_scalars(int n, const hdi_in *in);
void hdi_fault_note(int faults, const char *operation);
const char *hdi_fault_name(hd_op op, bool scalar);
typedef struct hdi_fault_list hdi_fault_list;
hdi_fault_list *hdi_faults_here(void);
void hdi_faults_list(hdi_fault_list *list, int faults, const char *operation);
HDI_AWAY hd_status hdi_faults_report(void);
void hdi_faults_hold(void);
void hdi_faults_let_go(hd_device *dev);
hd_array *hdi_ew_plain(hd_op op, hd_dtype cdt, int n, const hdi_in *in);

/* hdi_element_run - row op on elements in memory, where work of the window's device runs within the
 * call: dts and elements as for hd_element_op(); result: one element of dt. Nothing is recorded.
 * False: it was not done, maybe with an error. */
bool hdi_element_run(hdi_window *w, hd_op op, hd_dtype cdt, int n, const hd_dtype *dts,
                     const void *const *elements, hd_dtype dt, void *result);

/* hdi_ew_number - hdi_ew_plain() of x and a whole number. hdi_all_axes - bits of nd axes. */
hd_array *hdi_ew_number(hd_op op, hd_dtype cdt, const hd_array *x, int64_t value);
static inline uint64_t hdi_all_axes(int nd)
{
    return nd == 64 ? UINT64_MAX : ((uint64_t)1 << nd) - 1;
}

/* Faults of what joins elements, read off its result r after it was recorded, on a device that
 * cannot tell of them itself. `steps` is the operation that r comes of when it is repeated (add for
 * sums of products). Nothing is done while nobody watches.
 * hdi_joined_faults - of n operands: element i of r comes of those that differ from i in the axes
 * of the mask only; operands whose stride is 0 along an axis repeat along it. hdi_fold_faults - of
 * what hdi_record_fold() records. hdi_at_faults - of an operation at places: x as it was before. */
typedef struct hdi_joined {
    const hd_array *x;
    uint64_t axes;
} hdi_joined;
static inline bool hdi_faults_unseen(const hd_device *dev)
{
    return HDI_UNLIKELY(hdi_faults() != 0) && !dev->tells_faults;
}
/* Are faults of a call that repeats `steps` to be read off values? */
static inline bool hdi_steps_unseen(const hd_device *dev, hd_op steps, hd_dtype cdt)
{
    return HDI_UNLIKELY(hdi_faults() != 0) && cdt != HD_BOOL && !hdi_is_int(cdt) &&
           (!dev->tells_faults || hdi_reports_values(steps, cdt));
}
hd_status hdi_joined_faults(hd_op op, hd_op steps, hd_dtype cdt, const hd_array *r, int n,
                            const hdi_joined *in, bool keepdims);
hd_status hdi_fold_faults(hd_op call, hd_op steps, hd_dtype cdt, int axis, const hd_array *r,
                          hdi_layout *lay, const hd_array *x, const hd_array *index);
hd_status hdi_at_faults(hd_op steps, hd_dtype cdt, const hd_array *r, const hd_array *before,
                        const hd_array *values);

/* A result on its way out of the lock. */
HDI_UNLOCKS static inline hd_array *hdi_done(hd_array *x, const char *operation)
{
    hd_device *dev = x != NULL && x->st != NULL ? x->st->buf->dev : NULL;
    if (HDI_UNLIKELY(x == NULL))
        hdi_fail_where(operation);
    return hdi_finish_array(x, dev);
}
HDI_UNLOCKS hd_status hdi_done_status(hd_status status, hd_device *dev, const char *operation);

/* Elementwise operations repeated over the elements of an axis (fold_loop.c).
 * hdi_foldable - HD_VALUE if row op does not combine two elements to one.
 * hdi_fold_loop - the loop for elements of dtype dt, by NumPy's rule, or the one asked for.
 * hdi_check_fold - hdi_check_exponent() for the steps along an axis.
 * hdi_record_fold - records library call op (accumulate, reduceat) of the repeated operation; lay:
 * r's layout as the call sees it.
 * hdi_sum_dtype - what sums of dt are made in. hdi_cast - x as dt: itself (retained) or a copy. */
hd_status hdi_foldable(hd_op op, const char *method);
hd_dtype hdi_fold_loop(hd_op op, hd_dtype dt, hd_dtype asked, const hd_array *out);
hd_status hdi_check_fold(hd_op op, hd_dtype cdt, const hd_array *x, int axis);
hd_status hdi_record_fold(hd_op op, hd_op repeated, hd_dtype cdt, int axis, hd_array *r,
                          hdi_layout *lay, const hd_array *x, const hd_array *index);
hd_dtype hdi_sum_dtype(hd_dtype dt);
hd_array *hdi_cast(const hd_array *x, hd_dtype dt);

/* hdi_record_places - records library call op (gather, scatter), which moves elements from in to
 * out; offsets: in bytes; flags: HDI_PLACES_... */
hd_status hdi_record_places(hd_op op, hd_array *out, const hd_array *in, const hd_array *offsets,
                            int flags);

/* Used across families (through here, so that families need not include each other): */
/* hdi_row_loop - hdi_common_loop() by the row's rule: some inputs have a dtype of their own. */
hd_dtype hdi_row_loop(hd_op op, int n, const hdi_in *in);
hd_status hdi_check_exponent(const hdi_in *exponent);   /* HD_VALUE if an integer one is negative;
                                                         * arrays are computed for it */
hd_array *hdi_reduce(hd_op op, hd_dtype cdt, const hd_array *x, const hd_array *y, uint64_t mask,
                     bool keepdims, hd_array *into);
hd_array *hdi_contiguous(const hd_array *x);   /* x itself (retained) or a C-order copy */

/* A kernel over a grid that is to run: the back end's function, and what keeps it (NULL: it stays
 * by itself). */
typedef struct hdi_launched {
    uintptr_t function;
    struct hdi_object *kernel;
    const char *name;
    const unsigned *grid, *block;
    unsigned shared_bytes;
    int64_t work;                /* instructions, roughly */
} hdi_launched;
struct hd_launch_arg;
/* hdi_launch_grid - hd_launch() on any device. */
hd_status hdi_launch_grid(hd_device *dev, const hdi_launched *f, int nargs,
                     const struct hd_launch_arg *args);

#endif
