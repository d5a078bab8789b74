/* SPDX-License-Identifier: BSD-3-Clause */
/* py_index.c - x[key] and x[key] = value where key is made of ints, slices, newaxes and an
 * ellipsis; the rest goes to py_fancy.c. */
#include "py_element.h"

#include <math.h>
#include <string.h>

/* ---- parsing --------------------------------------------------------------------------------- */

static int parse_slice(PyObject *o, hd_index *ix)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(o, &start, &stop, &step) < 0)
        return -1;
    /* Python clips bounds to its own range, whose least value means "no bound" to hd_slice():
     * right for the far end of a backward slice and the near end of a forward one, wrong for the
     * other two. */
    if (start == INT64_MIN && step < 0)
        start++;
    if (stop == INT64_MIN && step > 0)
        stop++;
    *ix = (hd_index){HD_INDEX_SLICE, start, stop, step};
    return 1;
}

/* An __index__ that refused leaves o to py_fancy.c. An int past int64 is too large, one past
 * uint64 no index at all: as NumPy. */
static int not_a_position(PyObject *o)
{
    PyErr_Clear();
    if (!PyLong_Check(o))
        return 0;
    PyLong_AsUnsignedLongLong(o);
    int no_word = PyErr_Occurred() != NULL;
    PyErr_Clear();
    if (!no_word)
        PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C long");
    return no_word ? 0 : -1;
}

/* An integer that is not a bool and not an array. */
static int parse_int(PyObject *o, hd_index *ix)
{
    Py_ssize_t i = PyNumber_AsSsize_t(o, PyExc_OverflowError);
    if (i == -1 && PyErr_Occurred())
        return not_a_position(o);
    *ix = (hd_index){HD_INDEX_INT, i, 0, 0};
    return 1;
}

int hp_parse_basic_item(PyObject *o, hd_index *ix)
{
    if (PyLong_Check(o))
        return PyBool_Check(o) ? 0 : parse_int(o, ix);
    if (PySlice_Check(o))
        return parse_slice(o, ix);
    if (o == Py_None || o == Py_Ellipsis) {
        *ix = (hd_index){o == Py_None ? HD_INDEX_NEWAXIS : HD_INDEX_ELLIPSIS, 0, 0, 0};
        return 1;
    }
    /* an integer scalar is a position; a 0-d array is one too, but makes a copy: py_fancy.c */
    if (hp_check(o)) {
        char kind = hd_dtype_kind(hd_dtype_of(hp_a(o)));
        return hp_is_scalar(o) && (kind == 'i' || kind == 'u') ? parse_int(o, ix) : 0;
    }
    return PyIndex_Check(o) && !hp_is_numpy_array(o) ? parse_int(o, ix) : 0;
}

static int add_item(hp_basic *b, PyObject *o, int *ellipses)
{
    if (b->n == HP_MAXITEMS) {
        PyErr_SetString(PyExc_IndexError, "too many indices for array");
        return -1;
    }
    hd_index *ix = b->items + b->n;
    int status = hp_parse_basic_item(o, ix);
    if (status != 1)
        return status;
    b->n++;
    b->nints += ix->kind == HD_INDEX_INT;
    b->other += ix->kind != HD_INDEX_INT;
    if (ix->kind == HD_INDEX_ELLIPSIS && ++*ellipses > 1) {
        PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
        return -1;
    }
    return 1;
}

/* Item i of the key is a slice of what is no integer, a TypeError: NumPy looks at the bounds of
 * slices last, so an item after it that can be no index at all comes first. */
static int first_refused(PyObject *key, Py_ssize_t i)
{
    while (PyErr_ExceptionMatches(PyExc_TypeError) && ++i < PyTuple_Size(key)) {
        PyObject *o = PyTuple_GetItem(key, i);
        if (PyFloat_Check(o) || PyComplex_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o))
            return hp_key_not_an_index();
    }
    return -1;
}

int hp_parse_basic(PyObject *key, hp_basic *b)
{
    int ellipses = 0, status = 1;
    b->n = b->nints = b->other = 0;
    if (!PyTuple_Check(key))
        return add_item(b, key, &ellipses);
    Py_ssize_t n = PyTuple_Size(key);
    for (Py_ssize_t i = 0; i < n && status == 1; i++) {
        status = add_item(b, PyTuple_GetItem(key, i), &ellipses);
        if (HP_UNLIKELY(status < 0))
            return first_refused(key, i);
    }
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* One element: a NumPy scalar, or a value of ours, which nothing waits for. */
static PyObject *element(const hd_array *a, const int64_t *index)
{
    return hp_gives_scalars(a) ? hp_read_element(a, hd_ndim(a), index)
                               : hp_wrap(hd_element(a, hd_ndim(a), index));
}

static PyObject *scalar_of(hd_array *view)
{
    if (hp_gives_scalars(view)) {
        PyObject *element = hp_read_element(view, 0, NULL);
        hd_release(view);
        return element;
    }
    hd_array *value = hd_scalar_of(view);
    hd_release(view);
    return hp_wrap(value);
}

static PyObject *get_beside(PyObject *self, PyObject *key)
{
    hd_device *before;
    if (hp_enter_device(hd_device_of(hp_a(self)), key, &before) < 0)
        return NULL;
    PyObject *r = hp_fancy_get(self, key);
    hp_leave(before);
    return HP_LIKELY(!hp_subclasses) ? r : hp_as_owner(r, self);
}

/* Is it an array of positions along the first axis, of the commonest kind? */
static int is_index_array(PyObject *self, PyObject *key)
{
    return hp_exact(key) && hd_dtype_of(hp_a(key)) == HD_INT64 && hd_ndim(hp_a(key)) > 0 &&
           hp_exact(self) && hd_ndim(hp_a(self)) > 0 &&
           hd_device_of(hp_a(key)) == hd_device_of(hp_a(self));
}

static PyObject *get_places(PyObject *self, PyObject *key)
{
    const hd_array *index = hp_a(key);
    hd_array *r = hd_take(hp_a(self), 1, &index);
    return r ? hp_wrap_array(r) : hp_raise_index((const int[]){0}, 1);
}

static PyObject *array_subscript(PyObject *self, PyObject *key)
{
    hp_basic b;
    int64_t index[HP_PLAIN_AXES];
    if (hp_plain_key(key, hd_ndim(hp_a(self)), index))
        return element(hp_a(self), index);
    if (is_index_array(self, key))
        return get_places(self, key);
    int status = hp_parse_basic(key, &b);
    if (HP_UNLIKELY(status != 1))
        return status ? NULL : get_beside(self, key);
    hd_array *a = hp_a(self);
    if (HP_UNLIKELY(b.nints && hd_ndim(a) == 0 && hp_is_scalar(self))) {
        PyErr_SetString(PyExc_IndexError, "invalid index to scalar variable.");
        return NULL;
    }
    hd_array *view = hd_slice(a, b.n, b.items);
    if (!view)
        return hp_raise();
    if (b.other == 0 && b.nints == hd_ndim(a))
        return scalar_of(view);
    return hp_wrap_view(view, self);
}

static PyObject *array_sequence_item(PyObject *self, Py_ssize_t i)
{
    hd_index ix = {HD_INDEX_INT, i, 0, 0};
    if (hd_ndim(hp_a(self)) == 1)
        return element(hp_a(self), &(int64_t){i});
    hd_array *view = hd_slice(hp_a(self), 1, &ix);
    if (!view)
        return hp_raise();
    return hp_wrap_view(view, self);
}

static Py_ssize_t array_length(PyObject *self)
{
    hd_array *a = hp_a(self);
    if (hd_ndim(a) > 0)
        return (Py_ssize_t)hd_shape(a)[0];
    PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    return -1;
}

static int array_contains(PyObject *self, PyObject *value)
{
    PyObject *equal = hp_richcompare(self, value, Py_EQ);
    if (!equal)
        return -1;
    int asked = equal == Py_NotImplemented && hp_has_rules(value);
    PyObject *answer = asked ? PyObject_RichCompare(self, value, Py_EQ) : Py_NewRef(equal);
    int found = answer ? 0 : -1;   /* NotImplemented: nothing like it can be in here */
    if (answer && answer != Py_NotImplemented) {
        PyObject *truth = hp_check(answer) ? hp_wrap(hd_any(hp_a(answer), HD_ALL_AXES, NULL, 0))
                                           : PyObject_CallMethod(answer, "any", NULL);
        found = truth ? PyObject_IsTrue(truth) : -1;
        Py_XDECREF(truth);
    }
    Py_XDECREF(answer);
    Py_DECREF(equal);
    return found;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int too_large(int real)
{
    PyErr_SetString(PyExc_OverflowError, real ? "int too large to convert to float"
                                              : "Python int too large to convert to C long");
    return -1;
}

/* A float goes into an integer dtype as int() makes it: checked against the dtype's range. */
static int whole_number(hd_number *n)
{
    double whole = trunc(n->re);
    if (whole >= 0x1p64 || whole < -0x1p63)
        return too_large(0);
    int large = whole >= 0x1p63;
    *n = (hd_number){.kind = HD_WEAK_INT, .range = large, .re = whole};
    if (large)
        n->as.u = (uint64_t)whole;
    else
        n->as.i = (int64_t)whole;
    return 0;
}

/* A Python number that the dtype has no place for: NumPy converts element by element, so the
 * words are those of int(), float(). A complex number for a bool becomes its truth. */
static int number_fits(hd_dtype dt, PyObject *value, hd_number *n)
{
    char kind = hd_dtype_kind(dt);
    int real = kind == 'f' || kind == 'c';
    if (kind == 'b') {
        if (n->kind == HD_WEAK_COMPLEX)
            *n = (hd_number){.kind = HD_WEAK_BOOL,
                             .as.i = n->re != 0 || n->im != 0,
                             .re = n->re != 0 || n->im != 0};
        return 0;
    }
    if (n->kind == HD_WEAK_INT && n->range == 2)
        return real && isfinite(n->re) ? 0 : too_large(real);
    if (n->kind == HD_WEAK_COMPLEX && kind != 'c') {
        PyErr_SetString(PyExc_TypeError,
                        kind == 'f'
                            ? "float() argument must be a string or a real number, not 'complex'"
                            : "int() argument must be a string, a bytes-like object or a real "
                              "number, not 'complex'");
        return -1;
    }
    if (!real && n->kind == HD_WEAK_FLOAT && !isfinite(n->re)) {
        PyObject *i = PyNumber_Long(value);   /* for its exception */
        Py_XDECREF(i);
        return -1;
    }
    return !real && n->kind == HD_WEAK_FLOAT ? whole_number(n) : 0;
}

static int status_of(hd_status status)
{
    if (status == HD_OK)
        return 0;
    hp_raise();
    return -1;
}

hd_array *hp_fit_value(hd_array *value, int nd)
{
    int extra = value ? hd_ndim(value) - nd : 0, drop = 0;
    int axes[HD_MAXDIM];
    while (drop < extra && hd_shape(value)[drop] == 1) {
        axes[drop] = drop;
        drop++;
    }
    if (drop == 0)
        return value;
    hd_array *fitted = hd_squeeze(value, drop, axes);
    hd_release(value);
    return fitted;
}

/* x[i] = value of anything else than numbers: what NumPy makes of it, as a 0-d array, or its
 * exception. */
static hd_array *element_by_numpy(hd_dtype dt, PyObject *value)
{
    PyObject *d = hp_dtype_object(dt), *zero = PyLong_FromLong(0), *one = PyLong_FromLong(1);
    PyObject *n = d && one ? hp_numpy_call("zeros", PyTuple_Pack(2, one, d), NULL) : NULL;
    PyObject *element =
        n && zero && PyObject_SetItem(n, zero, value) == 0 ? PyObject_GetItem(n, zero) : NULL;
    hd_array *a = element ? hp_to_array(element, dt) : NULL;
    Py_XDECREF(element);
    Py_XDECREF(d);
    Py_XDECREF(zero);
    Py_XDECREF(one);
    Py_XDECREF(n);
    return a;
}

hd_array *hp_stored_value(hd_dtype dt, PyObject *value)
{
    hd_number n;
    if (value == Py_None || PyUnicode_Check(value) || PyBytes_Check(value))
        return hp_to_array(value, dt);   /* NumPy knows what None and text mean to each dtype */
    if (PyList_Check(value) || PyTuple_Check(value))
        return hp_to_array(value, dt);   /* each number is checked against the dtype */
    if (!hp_any_number(value, &n)) {
        hd_array *own = hp_value(value);
        if (own || !hp_is_numpy_array(value) || !PyErr_ExceptionMatches(PyExc_TypeError))
            return own;
        PyErr_Clear();   /* objects and text */
        return hp_to_array(value, dt);
    }
    hd_array *a = number_fits(dt, value, &n) < 0 ? NULL : hd_from_number(&n), *own = a;
    if (a && n.kind == HD_WEAK_INT && n.range == 2) {   /* no operation takes it, but dt does */
        a = hd_full(0, NULL, own, dt);
        hd_release(own);
    }
    return a ? a : (hp_raise(), NULL);
}

static int too_deep(hd_array *src, int nd)
{
    hd_release(src);
    PyErr_Format(
        PyExc_ValueError,
        "setting an array element with a sequence. The requested array would exceed the maximum "
        "number of dimension of %d.",
        nd);
    return -1;
}

int hp_store(hd_array *view, PyObject *value)
{
    hd_number n;
    if (hp_any_number(value, &n) || hp_signed_number(hd_dtype_of(view), value, &n)) {
        if (number_fits(hd_dtype_of(view), value, &n) < 0)
            return -1;
        if (n.kind == HD_WEAK_COMPLEX && hp_warn_cast(HD_COMPLEX128, hd_dtype_of(view)) < 0)
            return -1;
        return status_of(hd_assign_number(view, &n));
    }
    if (HP_LIKELY(hp_check(value) && hd_ndim(hp_a(value)) <= hd_ndim(view)))
        return hp_warn_cast(hd_dtype_of(hp_a(value)), hd_dtype_of(view)) < 0
                   ? -1
                   : status_of(hd_assign(view, hp_a(value), HD_CAST_UNSAFE));
    hd_device *before;
    if (hp_enter_device(hd_device_of(view), value, &before) < 0)
        return -1;
    hd_array *src = hp_stored_value(hd_dtype_of(view), value);
    hp_leave(before);
    if (src && hd_ndim(src) > hd_ndim(view) && (PyList_Check(value) || PyTuple_Check(value)))
        return too_deep(src, hd_ndim(view));
    src = hp_fit_value(src, hd_ndim(view));
    if (!src)
        return hp_raise(), -1;
    int status = hp_warn_cast(hd_dtype_of(src), hd_dtype_of(view));
    if (status == 0)
        status = status_of(hd_assign(view, src, HD_CAST_UNSAFE));
    hd_release(src);
    return status;
}

int hp_store_element(hd_array *view, PyObject *value)
{
    hd_number n;
    if (hp_any_number(value, &n) || hp_is_numpy_scalar(value) ||
        (hp_check(value) && hd_ndim(hp_a(value)) == 0))
        return hp_store(view, value);
    if (hp_check(value)) {
        PyErr_Format(PyExc_ValueError,
                     "setting an array element with a sequence: the value has %d dimensions",
                     hd_ndim(hp_a(value)));
        return -1;
    }
    hd_device *before;
    if (hp_enter_device(hd_device_of(view), value, &before) < 0)
        return -1;
    hd_array *src = element_by_numpy(hd_dtype_of(view), value);
    hp_leave(before);
    int status = src ? status_of(hd_assign(view, src, HD_CAST_UNSAFE)) : -1;
    hd_release(src);
    return status;
}

/* Index arrays and values from outside go where self is. */
static int set_beside(PyObject *self, PyObject *key, PyObject *value)
{
    hd_device *before, *same;
    if (hp_enter_device(hd_device_of(hp_a(self)), value, &before) < 0)
        return -1;
    int status = hp_enter_device(hd_device_of(hp_a(self)), key, &same);
    if (status == 0) {
        status = hp_fancy_set(self, key, value);
        hp_leave(same);
    }
    hp_leave(before);
    return status;
}

/* x[places] = value, along an x of one axis, where value is a Python number or a row of x's dtype
 * on its device: 1; 0: it is another case; -1 with an exception. */
static int set_places(PyObject *self, PyObject *key, PyObject *value)
{
    hd_number n;
    hd_array *x = hp_a(self), *v = NULL;
    const hd_array *index = hp_a(key);
    if (hd_ndim(x) != 1 || hd_ndim(index) != 1)
        return 0;
    if (hp_exact_number(value, &n)) {
        if (number_fits(hd_dtype_of(x), value, &n) < 0)
            return -1;
        if (n.range == 2)
            return 0;
        v = hd_from_number(&n);
    } else if (hp_exact(value) && hd_ndim(hp_a(value)) == 1 &&
               hd_dtype_of(hp_a(value)) == hd_dtype_of(x) &&
               hd_device_of(hp_a(value)) == hd_device_of(x) &&
               hd_shape(hp_a(value))[0] == hd_shape(index)[0]) {
        v = hd_retain(hp_a(value));
    } else {
        return 0;
    }
    const hd_status st = v ? hd_put(x, 1, &index, v, HD_CAST_UNSAFE) : HD_NOMEM;
    hd_release(v);
    if (st != HD_OK)
        hp_raise_index((const int[]){0}, 1);
    return st == HD_OK ? 1 : -1;
}

/* x[mask] = value, where the mask is one of all of x on its device and x's dtype takes the number
 * as it is: as set_places(). */
static int set_where(PyObject *self, PyObject *key, PyObject *value)
{
    hd_array *x = hp_a(self), *mask = hp_exact(key) ? hp_a(key) : NULL;
    const int nd = hd_ndim(x);
    if (!mask || hd_dtype_of(mask) != HD_BOOL || nd == 0 || hd_ndim(mask) != nd ||
        hd_size(x) == 0 || hd_device_of(mask) != hd_device_of(x) ||
        memcmp(hd_shape(mask), hd_shape(x), sizeof(int64_t) * (size_t)nd) != 0)
        return 0;
    hd_array *v = hp_plain_value(x, value);
    if (!v)
        return PyErr_Occurred() ? -1 : 0;
    const hd_apply_options options = {sizeof options, x, mask, HD_NO_DTYPE, HD_CAST_UNSAFE, NULL};
    hd_array *r = hd_apply(HD_OP_copy, 1, (const hd_array *const[]){v}, &options);
    hd_release(v);
    if (!r)
        return hp_raise(), -1;
    hd_release(r);
    return 1;
}

static int assign(PyObject *self, PyObject *key, PyObject *value);

/* s[...] = value, s[mask] = value: to its program a result of rank 0 is an array that can be
 * written to. */
static int new_value(PyObject *self, PyObject *key, PyObject *value)
{
    hd_array *r = NULL;
    PyObject *x = hp_wrap_array(hd_copy(hp_a(self), 'K'));
    if (!x)
        return -1;
    if (assign(x, key, value) == 0 && !(r = hd_scalar_of(hp_a(x))))
        hp_raise();
    Py_DECREF(x);
    PyObject *o = r ? hp_wrap_array(r) : NULL, *done = o ? hp_replace(self, o) : NULL;
    Py_XDECREF(o);
    Py_XDECREF(done);
    if (!done && PyErr_ExceptionMatches(PyExc_IndexError))
        PyErr_SetString(PyExc_TypeError, "a heddle scalar does not support item assignment");
    return done ? 0 : -1;
}

static int assign(PyObject *self, PyObject *key, PyObject *value)
{
    hp_basic b;
    int64_t index[HP_PLAIN_AXES];
    int nd = hd_ndim(hp_a(self)), status = 0;
    if (!value) {
        PyErr_SetString(PyExc_ValueError, "cannot delete array elements");
        return -1;
    }
    if (hp_plain_key(key, nd, index))
        status = hp_write_element(hp_a(self), nd, index, value);
    else if (nd > 1 && nd <= HP_PLAIN_AXES && hp_plain_key(key, nd - 1, index))
        status = hp_write_row(hp_a(self), nd, index, value);
    if (status != 0)
        return status > 0 ? 0 : -1;
    if (hp_is_scalar(self))
        return new_value(self, key, value);
    if (!hd_is_writeable(hp_a(self))) {
        PyErr_SetString(PyExc_ValueError, "assignment destination is read-only");
        return -1;
    }
    if (is_index_array(self, key) && (status = set_places(self, key, value)) != 0)
        return status > 0 ? 0 : -1;
    if ((status = set_where(self, key, value)) != 0)
        return status > 0 ? 0 : -1;
    status = hp_parse_basic(key, &b);
    if (HP_UNLIKELY(status != 1))
        return status ? status : set_beside(self, key, value);
    hd_array *view = hd_slice(hp_a(self), b.n, b.items);
    if (!view)
        return hp_raise(), -1;
    int element = b.other == 0 && b.nints == hd_ndim(hp_a(self));
    status = element ? hp_store_element(view, value) : hp_store(view, value);
    hd_release(view);
    return status;
}

static int array_assign_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    int status = assign(self, key, value);
    if (HP_LIKELY(status == 0))
        return 0;
    /* a fraction, a date, longdoubles: NumPy casts them, if they are not ours */
    PyObject *all[] = {self, key, value};
    PyObject *done = value ? hp_hand_over_named("ndarray.__setitem__", all, 3, NULL) : NULL;
    Py_XDECREF(done);
    return done ? 0 : -1;
}

PyType_Slot hp_index_slots[] = {
    {Py_mp_length, array_length},
    {Py_mp_subscript, array_subscript},
    {Py_mp_ass_subscript, array_assign_subscript},
    {Py_sq_length, array_length},
    {Py_sq_item, array_sequence_item},
    {Py_sq_contains, array_contains},
    {0, NULL}};
