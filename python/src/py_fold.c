/* SPDX-License-Identifier: BSD-3-Clause */
/* py_fold.c - methods of heddle.ufunc: reduce, accumulate, reduceat, at. */
#include "py.h"

#include <math.h>
#include <string.h>

/* ---- what every one of them asks ------------------------------------------------------------- */

static int foldable(const hp_ufunc_facts *u, const char *method)
{
    if (u->core) {
        PyErr_SetString(PyExc_RuntimeError, "Reduction not defined on ufunc with signature");
        return 0;
    }
    if (u->nin == 2 && u->nout == 1)
        return 1;
    PyErr_Format(PyExc_ValueError, "%s only supported for %s", method,
                 u->nin != 2 ? "binary functions" : "functions returning a single value");
    return 0;
}

/* The one axis of accumulate and reduceat: an integer, a tuple of one, or None for the only axis
 * there is. */
static int single_axis(PyObject *o, const hd_array *a, const char *method, int *axis)
{
    int axes[HD_MAXDIM], naxes = 1;
    axes[0] = 0;
    if (o && hp_reduced_axes(o, axes, &naxes) < 0)
        return -1;
    if (hd_ndim(a) == 0) {
        PyErr_Format(PyExc_TypeError, "cannot %s on a scalar", method);
        return -1;
    }
    if (naxes != 1 && !(naxes == HD_ALL_AXES && hd_ndim(a) == 1)) {
        PyErr_Format(PyExc_ValueError, "%s does not allow multiple axes", method);
        return -1;
    }
    *axis = naxes == 1 ? axes[0] : 0;
    return 0;
}

/* ---- reduce ---------------------------------------------------------------------------------- */

static hp_signature reduce_signature = {
    .name = "reduce",
    .required = 1,
    .positional = 7,
    .names = {"array", "axis", "dtype", "out", "keepdims", "initial", "where"}};

typedef struct reduction {
    hd_reduce_options options;
    int axes[HD_MAXDIM];
    hd_array *where, *initial;   /* owned */
    PyObject *out;               /* borrowed */
} reduction;

static int64_t reduced_size(const hd_array *a, const reduction *r)
{
    int64_t n = 1;
    if (r->options.naxes == HD_ALL_AXES)
        return hd_size(a);
    for (int k = 0; k < r->options.naxes; k++) {
        int axis = r->axes[k] < 0 ? r->axes[k] + hd_ndim(a) : r->axes[k];
        n *= axis >= 0 && axis < hd_ndim(a) ? hd_shape(a)[axis] : 1;
    }
    return n;
}

/* initial=None: the operation shall do without its identity. */
static int without_identity(const hp_ufunc_facts *u, const hd_array *a, const reduction *r)
{
    const char *problem = r->where ? "reduction operation '%s' does not have an identity, so to "
                                     "use a where mask one has to specify 'initial'"
                                   : "zero-size array to reduction operation %s which has no "
                                     "identity";
    if (!r->where && reduced_size(a, r) > 0)
        return 0;
    PyErr_Format(PyExc_ValueError, problem, u->name);
    return -1;
}

static int take_reduction(const hp_ufunc_facts *u, const hd_array *a, PyObject *const *v,
                          reduction *r)
{
    r->options = (hd_reduce_options){
        .size = sizeof r->options, .naxes = 1, .axes = r->axes, .dtype = HD_NO_DTYPE};
    r->axes[0] = 0;
    if ((v[1] && hp_reduced_axes(v[1], r->axes, &r->options.naxes) < 0) ||
        hp_dtype(v[2], &r->options.dtype) < 0 || hp_ufunc_out(v[3], &r->out) < 0 ||
        hp_true(v[4], &r->options.keepdims) < 0)
        return -1;
    if (hd_ndim(a) == 0 && r->options.naxes == 1 && (r->axes[0] == 0 || r->axes[0] == -1))
        r->options.naxes = HD_ALL_AXES;   /* NumPy lets a value without axes have axis 0 */
    r->options.out = hp_out_array(r->out);
    if (v[6] && v[6] != Py_True && !(r->options.where = r->where = hp_mask_beside(a, v[6])))
        return -1;
    if (v[5] == Py_None)
        return without_identity(u, a, r);
    if (v[5] && !(r->options.initial = r->initial = hp_initial(a, v[5])))
        return -1;
    return 0;
}

static PyObject *ufunc_reduce(PyObject *self, HP_FAST)
{
    hp_ufunc_facts u = hp_ufunc_facts_of(self);
    PyObject *v[HP_MAXARGS], *result = NULL;
    reduction r = {.where = NULL};
    if (hp_parse(&reduce_signature, args, nargs, kwnames, v) < 0 || !foldable(&u, "reduce") ||
        hp_refuse_ellipsis(args, 3, nargs) < 0)
        return NULL;
    hd_array *a = hp_to_array(v[0], HD_NO_DTYPE);
    if (a && take_reduction(&u, a, v, &r) == 0)
        result = hp_wrap_out(hd_reduce(u.op, a, &r.options), r.out);
    hd_release(a);
    hd_release(r.where);
    hd_release(r.initial);
    return result;
}

/* ---- accumulate and reduceat ----------------------------------------------------------------- */

static hp_signature accumulate_signature = {.name = "accumulate",
                                            .required = 1,
                                            .positional = 4,
                                            .names = {"array", "axis", "dtype", "out"}};
static hp_signature reduceat_signature = {
    .name = "reduceat",
    .required = 2,
    .positional = 5,
    .names = {"array", "indices", "axis", "dtype", "out"}};

static PyObject *ufunc_accumulate(PyObject *self, HP_FAST)
{
    hp_ufunc_facts u = hp_ufunc_facts_of(self);
    PyObject *v[HP_MAXARGS], *result = NULL, *out;
    hd_dtype dt;
    int axis;
    if (hp_parse(&accumulate_signature, args, nargs, kwnames, v) < 0 ||
        !foldable(&u, "accumulate") || hp_refuse_ellipsis(args, 3, nargs) < 0)
        return NULL;
    hd_array *a = hp_to_array(v[0], HD_NO_DTYPE);
    if (a && single_axis(v[1], a, "accumulate", &axis) == 0 && hp_dtype(v[2], &dt) == 0 &&
        hp_ufunc_out(v[3], &out) == 0)
        result = hp_wrap_out(hd_accumulate(u.op, a, axis, dt, hp_out_array(out)), out);
    hd_release(a);
    return result;
}

static hd_array *piece_indices(PyObject *o)
{
    hd_array *given = hp_to_array(o, HD_NO_DTYPE);
    if (given && hd_ndim(given) != 1) {
        PyErr_SetString(PyExc_ValueError, hd_ndim(given) == 0
                                              ? "object of too small depth for desired array"
                                              : "object too deep for desired array");
        hd_release(given);
        return NULL;
    }
    /* numbers in a list are cast whatever they are, those of an array safely */
    int typed = hp_check(o) || hp_is_numpy_array(o) || hp_is_numpy_scalar(o);
    hd_casting casting = typed ? HD_CAST_SAFE : HD_CAST_UNSAFE;
    hd_array *index = given ? hd_astype(given, HD_INT64, 'K', casting, 0) : NULL;
    if (given && !index)
        hp_raise();
    hd_release(given);
    return index;
}

static PyObject *ufunc_reduceat(PyObject *self, HP_FAST)
{
    hp_ufunc_facts u = hp_ufunc_facts_of(self);
    PyObject *v[HP_MAXARGS], *result = NULL, *out;
    hd_array *a, *index = NULL;
    hd_dtype dt;
    int axis;
    if (hp_parse(&reduceat_signature, args, nargs, kwnames, v) < 0 || !foldable(&u, "reduceat") ||
        hp_refuse_ellipsis(args, 4, nargs) < 0)
        return NULL;
    if ((a = hp_to_array(v[0], HD_NO_DTYPE)) && (index = piece_indices(v[1])) &&
        single_axis(v[2], a, "reduceat", &axis) == 0 && hp_dtype(v[3], &dt) == 0 &&
        hp_ufunc_out(v[4], &out) == 0)
        result = hp_wrap_out(hd_reduceat(u.op, a, index, axis, dt, hp_out_array(out)), out);
    hd_release(a);
    hd_release(index);
    return result;
}

/* ---- at -------------------------------------------------------------------------------------- */

static hp_signature at_signature = {
    .name = "at", .required = 2, .positional = 3, .names = {"a", "indices", "b"}};

static int refuse(PyObject *type, const char *message)
{
    PyErr_SetString(type, message);
    return -1;
}

static int check_at(const hp_ufunc_facts *u, PyObject *const *v)
{
    if (u->core) {
        PyErr_Format(PyExc_TypeError,
                     "%s.at does not support ufunc with non-trivial signature: %s has signature "
                     "%s.",
                     u->name, u->name, u->core);
        return -1;
    }
    if (u->nin > 2)
        return refuse(PyExc_ValueError, "Only unary and binary ufuncs supported at this time");
    if (u->nout != 1)
        return refuse(PyExc_ValueError, "Only single output ufuncs supported at this time");
    if (hp_is_numpy_array(v[0]))    /* it is written to, where it is */
        return refuse(hp_not_ours, "first operand is an array of NumPy's");
    if (!hp_check(v[0]))
        return refuse(PyExc_TypeError, "first operand must be array");
    if (u->nin == 1 && v[2])
        return refuse(PyExc_ValueError, "second operand provided when ufunc is unary");
    if (u->nin == 2 && !v[2])
        return refuse(PyExc_ValueError, "second operand needed for ufunc");
    if (!(hd_flags(hp_a(v[0])) & HD_WRITEABLE))
        return refuse(PyExc_ValueError, "output array is read-only");
    return 0;
}

static PyObject *ufunc_at(PyObject *self, HP_FAST)
{
    hp_ufunc_facts u = hp_ufunc_facts_of(self);
    PyObject *v[HP_MAXARGS];
    hd_array *b = NULL;
    if (hp_parse(&at_signature, args, nargs, kwnames, v) < 0 || check_at(&u, v) < 0)
        return NULL;
    hd_device *before;
    int status = hp_enter_beside(v, v[2] ? 3 : 2, &before);
    if (status < 0)
        return NULL;
    if (v[2] && !(b = hp_to_array(v[2], HD_NO_DTYPE)))
        status = -1;
    if (status == 0)
        status = hp_fancy_at(v[0], v[1], u.op, b);
    hp_leave(before);
    hd_release(b);
    return status == 0 ? Py_NewRef(Py_None) : NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Pickled by name: heddle.<name>. */
static PyObject *ufunc_pickle(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return PyUnicode_FromString(hp_ufunc_facts_of(self).name);
}

/* The method of NumPy's ufunc, where the array is its own. */
static PyObject *or_numpy(PyObject *(*method)(PyObject *, HP_FAST), const char *name,
                          PyObject *self, HP_FAST)
{
    PyObject *own;
    if (hp_asked(&own, self, name, args, nargs, kwnames))
        return own;
    int before = hp_ask_operands(1);
    PyObject *r = method(self, args, nargs, kwnames);
    hp_ask_operands(before);
    if (HP_UNLIKELY(hp_subclasses) && r && nargs > 0)
        return hp_wrap_fold(r, args, nargs + (kwnames ? PyTuple_Size(kwnames) : 0));
    if (r || !PyErr_ExceptionMatches(hp_not_ours))
        return r;
    char path[64];
    PyOS_snprintf(path, sizeof path, "%s.%s", hp_ufunc_facts_of(self).name, name);
    return hp_hand_over_named(path, args, nargs, kwnames);
}
#define OR_NUMPY(name)                                               \
    static PyObject *call_##name(PyObject *self, HP_FAST)            \
    {                                                                \
        return or_numpy(ufunc_##name, #name, self, args, nargs, kwnames); \
    }
OR_NUMPY(reduce)
OR_NUMPY(accumulate)
OR_NUMPY(reduceat)
OR_NUMPY(at)

PyMethodDef hp_ufunc_methods[] = {
    {"__reduce__", ufunc_pickle, METH_NOARGS, NULL},
    HP_METHOD("reduce", call_reduce,
              "reduce($self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, "
              "where=True)\n--\n\nThe operation over all elements along an axis, from the first "
              "to the last (along all axes if axis is None)."),
    HP_METHOD("accumulate", call_accumulate,
              "accumulate($self, array, axis=0, dtype=None, out=None)\n--\n\nThe results of the "
              "operation over more and more elements along an axis."),
    HP_METHOD("reduceat", call_reduceat,
              "reduceat($self, array, indices, axis=0, dtype=None, out=None)\n--\n\nThe "
              "operation over array[indices[j]:indices[j + 1]] for each j; over the one element "
              "at indices[j] where that is empty."),
    HP_METHOD("at", call_at,
              "at($self, a, indices, b=None, /)\n--\n\na[indices] = ufunc(a[indices], b), place "
              "after place: one that is named twice counts twice."),
    {NULL, NULL, 0, NULL}};
