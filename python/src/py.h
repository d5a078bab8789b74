/* SPDX-License-Identifier: BSD-3-Clause */
/* py.h - what the files of the extension share: the array object, and turning Python objects
 * into arrays and back.
 * Owns       hp_array
 * Invariant  hp_array.a is never NULL while Python can see the object
 * Threads    every function here needs the GIL
 * Names      hp_ is shared inside the extension; results that are PyObject * are new references;
 *            NULL: an exception is set
 * Start at   hp_wrap() and hp_operand() */
#ifndef HP_PY_H
#define HP_PY_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <structmember.h>

#include <heddle/heddle.h>

#include "py_args.h"

#define HP_LIKELY(x) __builtin_expect(!!(x), 1)
#define HP_UNLIKELY(x) __builtin_expect(!!(x), 0)

#pragma GCC visibility push(hidden)

/* ---- the array object (py_array.c) ----------------------------------------------------------- */

/* What few arrays have. */
typedef struct hp_extras {
    /* exported for as long as the object lives (__array_interface__), or NULL */
    hd_array *pinned;
    /* the handle before x.shape = ... or x.dtype = ...: another thread may be waiting on it */
    hd_array *replaced;
    struct hp_extras *more;
} hp_extras;

typedef struct hp_array {
    PyObject_HEAD
    PyObject *weak;       /* weak references */
    PyObject *base;       /* what this is a view of, as NumPy's .base; also links the free list */
    hd_array *a;
    hp_extras *extras;    /* freed with the object */
} hp_array;

extern PyTypeObject *hp_array_type, *hp_iterator_type, *hp_ufunc_type, *hp_generator_type;

/* Dead objects are kept whole, so that making one is a pop and three stores (5 ns less than
 * tp_alloc). */
typedef struct hp_pool { hp_array *head; int count; } hp_pool;
extern hp_pool hp_free_arrays;

/* turns the pending hd_error into an exception; returns NULL */
PyObject *hp_raise(void);
PyObject *hp_wrap_cold(hd_array *a);

/* hp_exact - is o an array of the type itself? What is hot asks that, and leaves subclasses to what
 * follows. hp_is_sub - of a subclass? hp_check - of either? */
extern int hp_subclasses;   /* not 0 once there has been an array of a subclass */
static inline int hp_exact(PyObject *o) { return Py_TYPE(o) == hp_array_type; }
static inline int hp_is_sub(PyObject *o)
{
    return HP_UNLIKELY(hp_subclasses) && !hp_exact(o) &&
           PyType_IsSubtype(Py_TYPE(o), hp_array_type);
}
static inline int hp_check(PyObject *o) { return HP_LIKELY(hp_exact(o)) || hp_is_sub(o); }
static inline hd_array *hp_a(PyObject *o) { return ((hp_array *)o)->a; }

/* Are results of rank 0 NumPy's scalars (heddle.config.scalars == "numpy")? */
extern int hp_numpy_scalars;

/* hp_wrap_array - an array object for a, which it takes; NULL (with the exception set) for NULL. */
static inline PyObject *hp_wrap_array(hd_array *a)
{
    hp_array *o = hp_free_arrays.head;
    if (HP_UNLIKELY(!a || !o))
        return a ? hp_wrap_cold(a) : hp_raise();
    hp_free_arrays.head = (hp_array *)o->base;
    hp_free_arrays.count--;
    ((PyObject *)o)->ob_refcnt = 1;
    o->base = NULL;
    o->a = a;
    return (PyObject *)o;
}

/* hp_as_value - the value a, which it takes, as a NumPy scalar. */
PyObject *hp_as_value(hd_array *a);

/* hp_wrap - an object for the result a, which it takes; NULL (with the exception set) for NULL. */
static inline PyObject *hp_wrap(hd_array *a)
{
    return hp_numpy_scalars && a && hd_is_scalar(a) ? hp_as_value(a) : hp_wrap_array(a);
}

/* hp_wrap_view - as hp_wrap, for a view of owner, of owner's type. hp_wrap_maybe_view - a view only
 * if it shares owner's storage. */
PyObject *hp_wrap_view(hd_array *a, PyObject *owner);
PyObject *hp_wrap_maybe_view(hd_array *a, PyObject *owner);
/* hp_wrap_like - a scalar value if owner is one, else a view. */
PyObject *hp_wrap_like(hd_array *a, PyObject *owner);
int hp_is_scalar(PyObject *array);
/* hp_none - Py_None if status is HD_OK, else the exception. */
PyObject *hp_none(hd_status status);

/* hp_add_extras - a new, zeroed record in front of the others; NULL with MemoryError. */
hp_extras *hp_add_extras(PyObject *array);

int hp_array_ready(void);
int hp_instance_ready(void);   /* after it: isinstance() of the type (py_instance.c) */
extern PyMethodDef hp_instance_functions[];
/* hp_array_method - the row of a method of C, or NULL. */
const PyMethodDef *hp_array_method(const char *name);
int hp_iterator_ready(void);
int hp_ufunc_ready(PyObject *module);
int hp_generator_ready(PyObject *module);

/* ---- calls that NumPy does (py_handover.c) --------------------------------------------------- */

/* Vectorcall, whose flag the limited API of Python 3.11 does not name; its bit and the member that
 * it needs have not changed since. */
typedef PyObject *(*hp_vectorcall)(PyObject *callable, PyObject *const *args, size_t nargsf,
                                   PyObject *kwnames);
/* Exported by all versions since 3.9, and parts of the limited API since 3.12. The pointer that the
 * first one gives is called as it is: that spares 8 ns a call. */
PyAPI_FUNC(hp_vectorcall) PyVectorcall_Function(PyObject *callable);
PyAPI_FUNC(PyObject *) PyObject_Vectorcall(PyObject *callable, PyObject *const *args,
                                           size_t nargsf, PyObject *kwnames);
PyAPI_FUNC(PyObject *) PyVectorcall_Call(PyObject *callable, PyObject *args, PyObject *kwargs);
PyAPI_FUNC(PyObject *) PyMethod_New(PyObject *function, PyObject *self);
/* hp_bind - Py_tp_descr_get of what becomes a method of an object. */
static inline PyObject *hp_bind(PyObject *self, PyObject *object, PyObject *type)
{
    (void)type;
    return !object || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}
enum { HP_HAVE_VECTORCALL = 1 << 11 };
#define HP_ARGUMENTS_OFFSET ((size_t)1 << (8 * sizeof(size_t) - 1))

/* raised by conversions: a TypeError, but where NumPy has the function that was called */
extern PyObject *hp_not_ours;
int hp_handover_ready(PyObject *module);
extern PyMethodDef hp_handover_functions[];
/* hp_ask_operands - do conversions in this thread refuse what hp_has_rules() says (a subclass of
 * NumPy's array, a type with __array_ufunc__ or __array_function__)? The setting before. They do
 * inside of public functions and operators, and not where something is asked to become an array.
 * hp_refuse_rules - -1 with hp_not_ours if o is to be refused. */
extern _Thread_local int hp_asking __attribute__((tls_model("initial-exec")));
static inline int hp_ask_operands(int yes)
{
    int before = hp_asking;
    hp_asking = yes;
    return before;
}
int hp_has_rules(PyObject *o);
int hp_refuse_rules(PyObject *o);
/* hp_type_attr - an attribute of o's type (a new reference), or NULL without an exception.
 * hp_type_has - is there one? */
PyObject *hp_type_attr(PyObject *o, const char *name);
int hp_type_has(PyObject *o, const char *name);
/* hp_hand_over - while hp_not_ours is raised: NumPy's function of that path instead, as
 * "add.reduce". NULL: it failed, or another exception is raised. kwnames as in vectorcall.
 * hp_hand_over_named - the same by a C string. hp_array_of_text - numpy.array(o), which is NumPy's,
 * of a list or tuple of texts; NULL: o is none, or, with an exception, it failed. */
PyObject *hp_hand_over(PyObject *path, HP_FAST);
PyObject *hp_hand_over_named(const char *name, HP_FAST);
PyObject *hp_array_of_text(PyObject *o);

/* ---- conversions to NumPy's arrays (py_buffer.c) --------------------------------------------- */

typedef enum hp_way { HP_BUFFER, HP_ARRAY, HP_INTERFACE } hp_way;
/* hp_see - an array of ours is about to become one of NumPy's in that way. -1 with an exception
 * where heddle.config.to_numpy forbids it. hp_converting - not 0 while heddle itself asks for that
 * in this thread: then nothing is seen. hp_memory_view - a memoryview of an array, for heddle
 * itself. */
int hp_see(hp_way way);
extern _Thread_local int hp_converting;
PyObject *hp_memory_view(PyObject *self);
extern PyMethodDef hp_buffer_functions[];

/* ---- methods (py_method.c) ------------------------------------------------------------------- */

int hp_method_ready(PyObject *module);
extern PyMethodDef hp_method_functions[];
/* The docstring that heddle._docs makes of a short text, which is taken; NULL: an error is set. */
PyObject *hp_docstring(PyObject *self, PyObject *text);

/* ---- methods of NumPy's generators (py_numpys.c) --------------------------------------------- */

int hp_numpys_ready(PyObject *module);
extern PyMethodDef hp_numpys_functions[];

extern PyMethodDef hp_few_functions[];   /* of few elements (py_few.c) */

/* ---- subclasses (py_subclass.c) -------------------------------------------------------------- */

hd_array *hp_no_scalar(hd_array *r);             /* a scalar (taken) as a 0-d array */
PyTypeObject *hp_type_of_arrays(PyObject *o);   /* o, if it is a type of arrays of ours, or NULL */
/* hp_new_of - an array of that type over a (taken), finalized as one made like `like`, or NULL.
 * hp_view_as - the same for a view of owner. hp_as_owner - the exact array r (taken), which a
 * method of owner gives, as one of owner's type; NULL gives NULL. */
PyObject *hp_new_of(PyTypeObject *type, hd_array *a, PyObject *base, PyObject *like);
PyObject *hp_view_as(PyTypeObject *type, hd_array *a, PyObject *owner);
PyObject *hp_as_owner(PyObject *r, PyObject *owner);
double hp_priority(PyObject *o);   /* __array_priority__ among arrays: NumPy's */
/* hp_wrap_result - result i (taken) of a ufunc, or NULL, of these arguments, by the __array_wrap__
 * that NumPy would call, if any. hp_wrap_output - the same for an output of these inputs. */
PyObject *hp_wrap_result(PyObject *r, PyObject *ufunc, PyObject *const *args, int nin, int nargs,
                         int i);
PyObject *hp_wrap_output(PyObject *out, PyObject *ufunc, PyObject *const *args, int nin);
/* hp_wrap_fold - result (taken) of a reduction of args[0], unless it is an output among them. */
PyObject *hp_wrap_fold(PyObject *r, PyObject *const *args, Py_ssize_t n);
/* hp_asked - is the result of the ufunc, or NULL with an exception, what __array_ufunc__ of a
 * subclass among the arguments gives? hp_has_own_ufunc - is there one? */
int hp_ask_subclasses(PyObject **result, PyObject *ufunc, const char *method, HP_FAST);
static inline int hp_asked(PyObject **result, PyObject *ufunc, const char *method, HP_FAST)
{
    return HP_UNLIKELY(hp_subclasses) &&
           hp_ask_subclasses(result, ufunc, method, args, nargs, kwnames);
}
int hp_has_own_ufunc(PyObject *const *args, Py_ssize_t n);
/* hp_method_of_subclass - the method of args[0], which is of a subclass. hp_has_subclass - is an
 * array of a subclass among the arguments, or in a list or tuple of them? hp_function_of_subclass -
 * the public function of such arguments. */
PyObject *hp_method_of_subclass(PyObject *inner, PyObject *name, HP_FAST);
int hp_has_subclass(PyObject *const *args, Py_ssize_t n);
PyObject *hp_function_of_subclass(PyObject *function, HP_FAST);
/* hp_call_method - o.name(*args). */
PyObject *hp_call_method(PyObject *o, const char *name, HP_FAST);
extern PyMethodDef hp_subclass_methods[], hp_subclass_functions[];

/* ---- errors and waiting (py_errors.c) -------------------------------------------------------- */

int hp_install_wait_hooks(void);
/* hp_raise_caught - -1: the exception of a signal handler that ran during a wait. */
int hp_raise_caught(void);
/* not 0 while somebody watches for floating-point faults: functions then go the way that tells
 * them from operators */
extern int hp_watching;
/* hp_gil_is_held - this thread may call Python: it does not wait inside a call of the library
 * without the GIL, and the library was not called by one that had released it. */
int hp_gil_is_held(void);
/* hp_raise_axis - replaces the axis in the pending "index ... out of bounds for axis ..." by
 * axes[axis], then raises. */
PyObject *hp_raise_index(const int *axes, int naxes);

/* ---- dtypes and NumPy (py_dtype.c) ----------------------------------------------------------- */

/* hp_dtype - the dtype that o names, HD_NO_DTYPE for None or NULL. 0, or -1 with TypeError. */
int hp_dtype(PyObject *o, hd_dtype *dt);
PyObject *hp_dtype_object(hd_dtype dt);            /* NumPy's dtype object */
const char *hp_dtype_format(hd_dtype dt);   /* code of the buffer protocol; NULL: bfloat16 */
/* HD_NO_DTYPE if not ours */
hd_dtype hp_dtype_of_format(const char *format, Py_ssize_t itemsize);
int hp_casting(PyObject *o, hd_casting *casting);  /* NULL leaves the default */
PyObject *hp_numpy(void);                          /* borrowed; imported now if need be */
/* takes args and kwargs */
PyObject *hp_numpy_call(const char *name, PyObject *args, PyObject *kwargs);
/* borrowed; NULL if NumPy lacks it */
PyObject *hp_numpy_exception(const char *module, const char *name);

/* hp_warn_cast - NumPy's ComplexWarning where a cast from one dtype to the other drops imaginary
 * parts; -1 with an exception, where warnings are errors. Those of results (out=, dtype=) are not
 * told of. */
int hp_warn_discards(void);
static inline int hp_warn_cast(hd_dtype from, hd_dtype to)
{
    return HP_LIKELY(from < HD_COMPLEX64) || hd_dtype_kind(to) == 'c' || to == HD_BOOL
               ? 0
               : hp_warn_discards();
}
int hp_is_numpy_array(PyObject *o);                /* 0 while NumPy is not imported */
PyTypeObject *hp_numpy_array_type(void);           /* NULL while it is not */
int hp_is_numpy_scalar(PyObject *o);

/* ---- devices (py_device.c) ------------------------------------------------------------------- */

/* hp_device - the device that o names; None and NULL: the current one. NULL with an exception. */
hd_device *hp_device(PyObject *o);
/* hp_device_object - what x.device is for it. */
PyObject *hp_device_object(hd_device *dev);
/* hp_cuda_ordinal - n of "cuda:n"; -1 for any other device. */
int hp_cuda_ordinal(const hd_device *dev);
/* hp_come_after - others may still be at work, on that stream, on memory that becomes ours. */
void hp_come_after(hd_device *gpu, uintptr_t stream);
/* hp_is_foreign - must o be read, and perhaps sent to a device, before it is an operand? */
static inline int hp_is_foreign(PyObject *o)
{
    return !hp_check(o) && Py_TYPE(o) != &PyFloat_Type && Py_TYPE(o) != &PyLong_Type;
}
/* hp_enter_beside - foreign operands among args are converted where the first array among them
 * is, until hp_leave(). RuntimeError (-1) if that would send host data to a device while
 * heddle.config.transfer_guard forbids it. hp_enter_device - the same for one object beside an
 * array of dev. */
int hp_enter_beside(PyObject *const *args, Py_ssize_t n, hd_device **before);
int hp_enter_device(hd_device *dev, PyObject *o, hd_device **before);
/* hp_check_guard_out - may an array of dev be sent to the host because somebody asks for its
 * elements there? -1 with RuntimeError. */
int hp_check_guard_out(const hd_device *dev);
/* Stands for "the current device was the default one, which may not be known yet". */
#define HP_DEFAULT_DEVICE ((hd_device *)(uintptr_t)-1)
static inline void hp_leave(hd_device *before)
{
    if (HP_UNLIKELY(before != NULL))
        hd_device_set_current(before == HP_DEFAULT_DEVICE ? NULL : before);
}
/* hp_switch - dev becomes the current device; what hp_leave() wants: NULL if it was already. */
static inline hd_device *hp_switch(hd_device *dev)
{
    hd_device *before = hd_device_swap(dev);
    return before == dev ? NULL : before ? before : HP_DEFAULT_DEVICE;
}
/* hp_on_host - an array on the CPU with the elements of a (owned). */
hd_array *hp_on_host(const hd_array *a);
/* hp_from_cuda - o's elements through __cuda_array_interface__: 1 and *a (owned; it shares o's
 * memory), 0 if it has none, -1 with an exception. */
int hp_from_cuda(PyObject *o, hd_array **a);
extern PyMethodDef hp_device_functions[], hp_stream_functions[], hp_graph_functions[],
    hp_launch_functions[], hp_kernel_functions[];
/* hp_pin - the address of the array's memory, which stays where it is as long as the object
 * lives. */
void *hp_pin(PyObject *self, void *(*export)(hd_array *a, int write));
/* hp_array_pair - both as arrays (owned), on the device of one of them: 0, or -1 with an
 * exception. */
int hp_array_pair(PyObject *x, PyObject *y, hd_array *in[2]);

/* ---- values (py_convert.c) ------------------------------------------------------------------- */

/* hp_exact_number - 1 and *n if o is exactly a float, int, bool or complex; 0 if it is not. */
int hp_exact_number(PyObject *o, hd_number *n);
/* hp_any_number - as above, subclasses too, NumPy's scalars not. */
int hp_any_number(PyObject *o, hd_number *n);
/* hp_operand - o as an operand of an operation: 1 and *a (owned), 0 if o is nothing that has a
 * value, -1 with an exception. */
int hp_operand(PyObject *o, hd_array **a);
/* hp_to_array - o as an array (owned) or NULL with an exception; dt HD_NO_DTYPE: its own.
 * Numbers become strong. */
hd_array *hp_to_array(PyObject *o, hd_dtype dt);
/* hp_mask - o as a mask: lists are of truth values, arrays keep their dtype. */
hd_array *hp_mask(PyObject *o);
/* hp_mask_beside - the same where a is. */
hd_array *hp_mask_beside(const hd_array *a, PyObject *o);
/* hp_value - as hp_to_array, but Python numbers stay weak. */
hd_array *hp_value(PyObject *o);
/* hp_share - an array over o's memory (buffer protocol, __array_interface__, __array__), or NULL
 * with ValueError. */
hd_array *hp_share(PyObject *o);
/* hp_release_buffer - lets go of a Py_buffer and frees it, in any thread, with or without the
 * GIL. */
void hp_release_buffer(void *buffer);
PyObject *hp_python_value(hd_dtype dt, const void *element);
PyObject *hp_item(const hd_array *a, int64_t index);
PyObject *hp_as_numpy(PyObject *array, int copy);  /* numpy.ndarray of the same elements */

/* ---- shapes (py_shape.c) --------------------------------------------------------------------- */

PyObject *hp_int_tuple(int n, const int64_t *values);
int hp_shape(PyObject *o, int64_t *shape, int *nd);               /* an int or a sequence of ints */
/* "(2,3)", as in NumPy's messages */
const char *hp_shape_text(int nd, const int64_t *shape, char *text, size_t size);
int hp_axes(PyObject *o, int *axes, int *naxes);                  /* None: HD_ALL_AXES */
int hp_extent(PyObject *o, int64_t *value);                       /* of an axis; no bool */
/* hp_axis_limits - ndmin and ndmax of array(), NULL where not given. hp_within_limit - the array
 * (taken, or NULL); ValueError if it was made of a sequence and has more axes than that. */
int hp_axis_limits(PyObject *ndmin, PyObject *ndmax, int64_t *least, int64_t *most);
PyObject *hp_within_limit(PyObject *array, PyObject *of, int64_t most);
int hp_axis(PyObject *o, int *axis);                              /* no bool */
int hp_int(PyObject *o, int *value);
int hp_int64(PyObject *o, int64_t *value);
int hp_diagonal(PyObject *o, int64_t *k);
/* NULL and None leave the default */
int hp_order(PyObject *o, char *order);
int hp_true(PyObject *o, int *flag);                              /* NULL leaves the default */

/* ---- slots and methods of the array type ----------------------------------------------------- */

extern PyType_Slot hp_number_slots[], hp_index_slots[], hp_text_slots[], hp_buffer_slots[];
/* What the methods of a ufunc need to know of it. */
typedef struct hp_ufunc_facts {
    hd_op op;
    int nin, nout;
    const char *name, *core;   /* core: the signature of a function of whole axes, or NULL */
} hp_ufunc_facts;
hp_ufunc_facts hp_ufunc_facts_of(PyObject *ufunc);
extern PyMethodDef hp_ufunc_methods[];
/* hp_call_ufunc - the ufunc of positional arguments. hp_ufunc_of - the ufunc of an operation;
 * hp_pair_of - of two results, of which that is the first (borrowed). */
PyObject *hp_call_ufunc(PyObject *ufunc, PyObject *const *args, Py_ssize_t nargs);
PyObject *hp_ufunc_of(hd_op op);
PyObject *hp_pair_of(hd_op first);

extern PyMethodDef hp_array_methods[], hp_reduce_methods[], hp_export_methods[],
    hp_arrow_methods[];
extern PyGetSetDef hp_array_getset[];
/* hp_replace - self becomes the array that other is. NULL with an exception. */
PyObject *hp_replace(PyObject *self, PyObject *other);
extern PyMethodDef hp_creation_functions[], hp_reduce_functions[], hp_core_functions[],
    hp_exchange_functions[], hp_state_functions[], hp_fft_functions[], hp_linalg_functions[],
    hp_sort_functions[], hp_compose_functions[], hp_profile_functions[];

/* hp_out - the array of an out= argument (an array, a tuple of one, None), borrowed, or NULL. 0
 * or -1. hp_ufunc_out - of a ufunc and its methods, which take the ellipsis too, HP_ANY_ARRAY: a
 * new array, and no scalar where it has no axes; by name only: hp_refuse_ellipsis - TypeError if it
 * is among the arguments by position from the first one on.
 * hp_wrap_out - r, or a new reference to out if there is one: r (taken) is then the same array. */
int hp_out(PyObject *o, PyObject **out);
int hp_ufunc_out(PyObject *o, PyObject **out);
int hp_refuse_ellipsis(PyObject *const *args, Py_ssize_t first, Py_ssize_t nargs);
#define HP_ANY_ARRAY Py_Ellipsis
/* hp_out_array - the array to write to, or NULL for a new one. */
static inline hd_array *hp_out_array(PyObject *out)
{
    return out && out != HP_ANY_ARRAY ? hp_a(out) : NULL;
}
PyObject *hp_wrap_out(hd_array *r, PyObject *out);
/* hp_reduced_axes - None, an integer or a tuple of integers (no list) as axes. hp_initial - a
 * starting value where a is, owned. */
int hp_reduced_axes(PyObject *o, int *axes, int *naxes);
hd_array *hp_initial(const hd_array *a, PyObject *o);
/* hp_loop_signature - signature= of a ufunc, "dd->d" or a tuple of dtypes, as nin + nout dtypes
 * (HD_NO_DTYPE: open). 0 or -1. */
int hp_loop_signature(PyObject *o, const char *ufunc, int nin, int nout, hd_dtype *dts);
/* hp_dot - dot of two objects. hp_matmul - a call of the ufunc matmul. */
PyObject *hp_dot(PyObject *x, PyObject *y, PyObject *out);
PyObject *hp_matmul(HP_FAST);
/* hp_resolve_order - what order='A' means beside these operands: F if all lie so only.
 * hp_reorder - r (taken) or a copy of it in order C or F; K leaves it. */
char hp_resolve_order(char order, int n, hd_array *const *in);
hd_array *hp_reorder(hd_array *r, char order);
/* fills the docstrings from the operation tables */
void hp_reduce_docs(void);

/* hp_compare_unlike - x == y or x != y where y is nothing that we can hold: NumPy's answer. */
PyObject *hp_compare_unlike(PyObject *x, PyObject *y, int negate);
PyObject *hp_richcompare(PyObject *x, PyObject *y, int which);

/* ---- indexing (py_index.c, py_fancy.c) ------------------------------------------------------- */

enum { HP_MAXITEMS = 2 * HD_MAXDIM + 1 };
/* An index of ints, slices, newaxes and ellipses only. */
typedef struct hp_basic {
    /* items; ints among them; ellipses and newaxes and slices among them */
    int n, nints, other;
    hd_index items[HP_MAXITEMS];
} hp_basic;
/* hp_parse_basic - 1 if key is a basic index, 0 if it needs more, -1 with an exception. */
int hp_parse_basic(PyObject *key, hp_basic *basic);
/* hp_parse_basic_item - the same of one item. */
int hp_parse_basic_item(PyObject *item, hd_index *ix);
PyObject *hp_fancy_get(PyObject *self, PyObject *key);
int hp_fancy_set(PyObject *self, PyObject *key, PyObject *value);
int hp_key_not_an_index(void);   /* -1 with the IndexError of what is no index */
/* hp_fancy_at - self[key] = op(self[key], values), a place that comes twice counting twice; values
 * (borrowed) is NULL for an operation with one input. 0 or -1. */
int hp_fancy_at(PyObject *self, PyObject *key, hd_op op, hd_array *values);
/* hp_overlaps_itself - may two elements of x lie in the same memory? */
int hp_overlaps_itself(const hd_array *x);
/* hp_store - view[...] = value, by NumPy's rule for assignment. Returns 0 or -1. */
int hp_store(hd_array *view, PyObject *value);
/* hp_store_element - the same where the key named one element: a sequence is refused then. */
int hp_store_element(hd_array *view, PyObject *value);
/* hp_stored_value - what storing value in an array of dtype dt writes; Python numbers are
 * checked and stay weak. */
hd_array *hp_stored_value(hd_dtype dt, PyObject *value);
/* hp_fit_value - value without the leading extents of 1 that NumPy ignores; takes and returns a
 * reference. */
hd_array *hp_fit_value(hd_array *value, int nd);

#pragma GCC visibility pop
#endif
