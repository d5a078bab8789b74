/* SPDX-License-Identifier: BSD-3-Clause */
/* py_reduce.c - reductions as methods, x.sum(axis=1), and as functions, sum(x, axis=1). One row
 * each gives both, with NumPy's order of arguments spelled as letters. */
#include "py.h"

#include <stdio.h>

typedef hd_array *(*composition)(const hd_array *, const hd_reduce_options *);

/* Arguments: a axis, s a single axis, d dtype, o out, k keepdims, i initial, w where, f ddof, m
 * mean, c correction; those after '|' by keyword only. REDUCTION(name, operation or HD_OP_COUNT,
 * composition or NULL, arguments, doc if there is no operation) */
#define REDUCTIONS(X)                                                                            \
    X(sum, HD_OP_sum, NULL, "adokiw", NULL)                                                      \
    X(prod, HD_OP_prod, NULL, "adokiw", NULL)                                                    \
    X(min, HD_OP_min, NULL, "aokiw", NULL)                                                       \
    X(max, HD_OP_max, NULL, "aokiw", NULL)                                                       \
    X(any, HD_OP_any, NULL, "aok|w", NULL)                                                       \
    X(all, HD_OP_all, NULL, "aok|w", NULL)                                                       \
    X(argmin, HD_OP_argmin, NULL, "so|k", NULL)                                                  \
    X(argmax, HD_OP_argmax, NULL, "so|k", NULL)                                                  \
    X(mean, HD_OP_COUNT, hd_mean, "adok|w", "arithmetic mean")                                   \
    X(var, HD_OP_COUNT, hd_var, "adofk|wmc", "variance: mean of the squared deviations")          \
    X(std, HD_OP_COUNT, hd_std, "adofk|wmc", "standard deviation: square root of the variance")   \
    X(cumsum, HD_OP_add, NULL, "sdo", "running sum along one axis")                              \
    X(cumprod, HD_OP_multiply, NULL, "sdo", "running product along one axis")                    \
    X(cummax, HD_OP_maximum, NULL, "sdo", "largest element so far along one axis")               \
    X(cummin, HD_OP_minimum, NULL, "sdo", "smallest element so far along one axis")

typedef struct row {
    const char *name;
    hd_op op;
    composition compose;
    const char *letters, *doc;
} row;

enum {
#define ROW_NUMBER(name, op, compose, letters, doc) ROW_##name,
    REDUCTIONS(ROW_NUMBER)
    ROW_COUNT
};

static const row rows[] = {
#define ROW(name, op, compose, letters, doc) {#name, op, compose, letters, doc},
    REDUCTIONS(ROW)
};

static hp_signature signatures[ROW_COUNT][2];   /* method, function */

static const char *argument_name(char letter)
{
    switch (letter) {
    case 'a':
    case 's': return "axis";
    case 'd': return "dtype";
    case 'o': return "out";
    case 'k': return "keepdims";
    case 'i': return "initial";
    case 'w': return "where";
    case 'f': return "ddof";
    case 'm': return "mean";
    default: return "correction";
    }
}

static const char *argument_default(char letter)
{
    return letter == 'k' ? "False" : letter == 'w' ? "True" : letter == 'f' ? "0" : "None";
}

static hp_signature *signature(int r, int function)
{
    hp_signature *s = &signatures[r][function];
    if (HP_LIKELY(s->name != NULL))
        return s;
    int n = 0, keyword_only = 0;
    if (function)
        s->names[n++] = "a";
    for (const char *l = rows[r].letters; *l; l++)
        if (*l == '|')
            keyword_only = n;
        else
            s->names[n++] = argument_name(*l);
    s->required = function;
    s->positional = keyword_only ? keyword_only : n;
    s->name = rows[r].name;
    return s;
}

/* ---- one call -------------------------------------------------------------------------------- */

typedef struct call {
    hd_reduce_options options;
    int axes[HD_MAXDIM];
    hd_array *where, *initial, *mean;   /* owned */
    PyObject *out;                      /* borrowed */
    const hd_array *a;                  /* what is reduced, borrowed */
} call;

hd_array *hp_initial(const hd_array *a, PyObject *o)
{
    hd_device *before;
    if (hp_enter_device(hd_device_of(a), o, &before) < 0)
        return NULL;
    hd_array *initial = hp_value(o);
    hp_leave(before);
    if (!initial || hd_ndim(initial) == 0)
        return initial;
    PyErr_Format(PyExc_TypeError, "initial must be a scalar, not an array of %d dimensions",
                 hd_ndim(initial));
    hd_release(initial);
    return NULL;
}

static int take_initial(call *c, PyObject *o)
{
    if (o == Py_None)
        return 0;
    c->options.initial = c->initial = hp_initial(c->a, o);
    return c->initial ? 0 : -1;
}

static int take_axis(PyObject *o, int *axis)
{
    int64_t large;
    return hp_axis(o, axis) < 0 || hp_int64(o, &large) < 0 ? -1 : 0;
}

int hp_reduced_axes(PyObject *o, int *axes, int *naxes)
{
    if (o == Py_None || PyTuple_Check(o))
        return hp_axes(o, axes, naxes);
    *naxes = 1;
    return take_axis(o, axes);
}

/* An array; a tuple with one in it is for ufuncs. */
static int take_out(call *c, PyObject *o)
{
    if (o != Py_None && !hp_check(o)) {
        PyErr_Format(hp_is_numpy_array(o) ? hp_not_ours : PyExc_TypeError,
                     "return arrays must be of ArrayType, not %S", (PyObject *)Py_TYPE(o));
        return -1;
    }
    c->out = o == Py_None ? NULL : o;
    c->options.out = c->out ? hp_a(c->out) : NULL;
    return 0;
}

static int take_where(call *c, PyObject *o)
{
    if (o == Py_True)
        return 0;
    c->options.where = c->where = hp_mask_beside(c->a, o);
    return c->where ? 0 : -1;
}

static int take_mean(call *c, PyObject *o)
{
    hd_device *before;
    if (o == Py_None)
        return 0;
    if (hp_enter_device(hd_device_of(c->a), o, &before) < 0)
        return -1;
    c->options.initial = c->mean = hp_value(o);
    hp_leave(before);
    return c->mean ? 0 : -1;
}

static int take_ddof(call *c, PyObject *o)
{
    c->options.ddof = PyFloat_AsDouble(o);
    return PyErr_Occurred() ? -1 : 0;
}

static int take_argument(call *c, char letter, PyObject *o)
{
    switch (letter) {
    case 'a': return hp_reduced_axes(o, c->axes, &c->options.naxes);
    case 's':
        c->options.naxes = o == Py_None ? HD_ALL_AXES : 1;
        return o == Py_None ? 0 : take_axis(o, c->axes);
    case 'd': return hp_dtype(o, &c->options.dtype);
    case 'o': return take_out(c, o);
    case 'k': return hp_true(o, &c->options.keepdims);
    case 'i': return take_initial(c, o);
    case 'w': return take_where(c, o);
    case 'm': return take_mean(c, o);
    case 'c':
        if (c->options.ddof != 0) {
            PyErr_SetString(PyExc_ValueError,
                            "ddof and correction can't be provided simultaneously.");
            return -1;
        }
        return take_ddof(c, o);
    default: return take_ddof(c, o);
    }
}

static int take_arguments(call *c, const char *letters, PyObject **values)
{
    for (; *letters; letters++) {
        if (*letters == '|')
            continue;
        PyObject *o = *values++;
        if (o && take_argument(c, *letters, o) < 0)
            return -1;
    }
    return 0;
}

static hd_array *run(const row *r, const hd_array *a, const call *c)
{
    if (r->op < HD_OP_sum)   /* running results */
        return hd_accumulate(r->op, a, c->options.naxes == HD_ALL_AXES ? HD_FLAT : c->axes[0],
                         c->options.dtype, c->options.out);
    return r->compose ? r->compose(a, &c->options) : hd_reduce(r->op, a, &c->options);
}

static PyObject *reduce(const row *r, const hd_array *a, PyObject **values)
{
    call c;
    PyObject *result = NULL;
    c.options = (hd_reduce_options){
        .size = sizeof c.options, .naxes = HD_ALL_AXES, .axes = c.axes, .dtype = HD_NO_DTYPE};
    c.where = c.initial = c.mean = NULL;
    c.out = NULL;
    c.a = a;
    int status = take_arguments(&c, r->letters, values);
    if (hd_ndim(a) == 0 && !r->compose && c.options.naxes == 1 &&
        (c.axes[0] == 0 || c.axes[0] == -1))
        c.options.naxes = HD_ALL_AXES;   /* NumPy lets a value without axes have axis 0 */
    if (status == 0)
        result = hp_wrap_out(run(r, a, &c), c.out);
    hd_release(c.where);
    hd_release(c.initial);
    hd_release(c.mean);
    return result;
}

static PyObject *method(int r, PyObject *self, HP_FAST)
{
    PyObject *values[HP_MAXARGS] = {NULL};
    if (HP_UNLIKELY(nargs || kwnames) &&
        hp_parse(signature(r, 0), args, nargs, kwnames, values) < 0)
        return NULL;
    return reduce(rows + r, hp_a(self), values);
}

static PyObject *function(int r, HP_FAST)
{
    PyObject *values[HP_MAXARGS];
    if (hp_parse(signature(r, 1), args, nargs, kwnames, values) < 0)
        return NULL;
    if (nargs > 0 && hp_is_sub(args[0]))   /* as NumPy's functions: the type may have its own */
        return hp_call_method(args[0], rows[r].name, args + 1, nargs - 1, kwnames);
    hd_array *a = hp_to_array(values[0], HD_NO_DTYPE);
    PyObject *result = a ? reduce(rows + r, a, values + 1) : NULL;
    hd_release(a);
    return result;
}

#define ENTRIES(name, op, compose, letters, doc)                    \
    static PyObject *method_##name(PyObject *self, HP_FAST)         \
    {                                                               \
        return method(ROW_##name, self, args, nargs, kwnames);      \
    }                                                               \
    static PyObject *function_##name(PyObject *m, HP_FAST)          \
    {                                                               \
        return (void)m, function(ROW_##name, args, nargs, kwnames); \
    }
REDUCTIONS(ENTRIES)

#define METHOD(name, op, compose, letters, doc) HP_METHOD(#name, method_##name, NULL),
#define FUNCTION(name, op, compose, letters, doc) HP_METHOD(#name, function_##name, NULL),
PyMethodDef hp_reduce_methods[] = {REDUCTIONS(METHOD){NULL, NULL, 0, NULL}};
PyMethodDef hp_reduce_functions[] = {REDUCTIONS(FUNCTION){NULL, NULL, 0, NULL}};

/* "sum(a, axis=None, ...)\n--\n\n<doc>": what inspect.signature() and help() read. */
static void write_doc(int r, int function, char *text, size_t size)
{
    const char *doc = rows[r].doc ? rows[r].doc : hd_op_info_of(rows[r].op)->doc;
    size_t used = (size_t)snprintf(text, size, "%s(%s", rows[r].name, function ? "a" : "$self");
    for (const char *l = rows[r].letters; *l && used < size; l++)
        used += (size_t)(*l == '|' ? snprintf(text + used, size - used, ", *")
                                   : snprintf(text + used, size - used, ", %s=%s",
                                              argument_name(*l), argument_default(*l)));
    if (used < size)
        snprintf(text + used, size - used, ")\n--\n\n%s", doc);
}

void hp_reduce_docs(void)
{
    static char docs[ROW_COUNT][2][256];
    for (int r = 0; r < ROW_COUNT; r++) {
        write_doc(r, 0, docs[r][0], sizeof docs[r][0]);
        write_doc(r, 1, docs[r][1], sizeof docs[r][1]);
        hp_reduce_methods[r].ml_doc = docs[r][0];
        hp_reduce_functions[r].ml_doc = docs[r][1];
    }
}
