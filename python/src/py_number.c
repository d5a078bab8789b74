/* SPDX-License-Identifier: BSD-3-Clause */
/* py_number.c - the operators. The first lines of each are the hot path of the whole library:
 * exact types are compared by pointer, a Python number goes into the record as it is, and
 * anything else is tried only after that.
 * See        docs/design/recording.md */
#include "py_element.h"

#include <math.h>

/* ---- operands -------------------------------------------------------------------------------- */

/* Both operands as arrays (owned): 1, 0 if one has no value for us, -1 with an exception. */
static int both(PyObject *x, PyObject *y, hd_array *in[2])
{
    in[0] = in[1] = NULL;
    /* bytes would join our memory to itself, were it asked next */
    if (PyBytes_Check(x) || PyBytes_Check(y)) {
        PyErr_SetString(PyExc_TypeError, "unsupported operand types: bytes and heddle.ndarray");
        return -1;
    }
    if (hp_has_rules(x) || hp_has_rules(y))   /* Python asks the other operand */
        return 0;
    int status = hp_operand(x, &in[0]);
    if (status == 1)
        status = hp_operand(y, &in[1]);
    if (status != 1)
        hd_release(in[0]);
    return status;
}

/* Who answers for an operand that is no array to us. */
typedef enum answer { ASK_IT, ASK_ITS_UFUNC, ASK_NUMPY } answer;

/* NumPy's rules: __array_ufunc__ is called with NumPy's ufunc, None there and __array_priority__
 * mean that Python is to ask the operand, and what has none of it is an object in an array. A
 * subclass of NumPy's array is asked as well: of NumPy it would be before any ufunc. */
static answer who_answers(PyObject *o)
{
    answer who = ASK_NUMPY;
    PyObject *ufunc = hp_type_attr(o, "__array_ufunc__"), *other = NULL;
    if (hp_is_numpy_array(o) || ufunc == Py_None)
        who = hp_has_rules(o) ? ASK_IT : ASK_NUMPY;
    else if (ufunc)
        who = ASK_ITS_UFUNC;
    else if ((other = hp_type_attr(o, "__array_priority__")) ||
             (other = hp_type_attr(o, "__array_function__")))
        who = ASK_IT;
    Py_XDECREF(ufunc);
    Py_XDECREF(other);
    return who;
}

/* After both(), which gave 0 or an exception: the other operand's answer where it has one of its
 * own, else NumPy's, which computes with objects. */
static PyObject *others_answer(const char *ufunc, int status, PyObject *x, PyObject *y)
{
    char path[64];
    PyObject *other = hp_check(x) ? y : x;
    answer who = status == 0 ? who_answers(other) : ASK_NUMPY;
    if (who == ASK_IT && other == y)
        return Py_NewRef(Py_NotImplemented);
    /* a left operand that is asked has declined: it has its answer for a NumPy array */
    PyOS_snprintf(path, sizeof path, who == ASK_IT ? "operator.%s" : "%s", ufunc);
    if (status == 0)
        PyErr_Format(hp_not_ours, "unsupported operand types for %s: %R and %R", ufunc,
                     (PyObject *)Py_TYPE(x), (PyObject *)Py_TYPE(y));
    return hp_hand_over_named(path, (PyObject *const[]){x, y}, 2, NULL);
}

static PyObject *finish_slow(hd_op op, hd_array *r, hd_array *in[2], PyObject *x, PyObject *y)
{
    hd_release(in[0]);
    hd_release(in[1]);
    return hp_wrap_result(hp_wrap(r), hp_ufunc_of(op), (PyObject *const[]){x, y}, 2, 2, 0);
}

static int is_comparison(hd_op op)
{
    return op == HD_OP_equal || op == HD_OP_not_equal || op == HD_OP_less ||
           op == HD_OP_less_equal || op == HD_OP_greater || op == HD_OP_greater_equal;
}

/* An int that no double reaches has a value for comparisons with integers only. */
static int beyond_double(hd_op op, PyObject *x, const hd_number *n)
{
    if (HP_LIKELY(n->range != 2 || isfinite(n->re)))
        return 0;
    char kind = hd_dtype_kind(hd_dtype_of(hp_a(x)));
    if (is_comparison(op) && kind != 'f' && kind != 'c')
        return 0;
    PyErr_SetString(PyExc_OverflowError, kind == 'f' || kind == 'c'
                                             ? "int too large to convert to float"
                                             : "Python int too large to convert to C long");
    return 1;
}

static PyObject *with_number(hd_op op, PyObject *x, const hd_number *n, int first)
{
    if (HP_UNLIKELY(beyond_double(op, x, n)))
        return NULL;
    return hp_wrap(hd_binary_number(op, hp_a(x), n, first));
}

/* numpy.float64 has a dtype of its own; where that gives what a Python float gives, its value
 * goes into the record likewise. */
static int acts_as_float(PyObject *x, PyObject *y, hd_number *n)
{
    if (!hp_check(x) || !PyFloat_Check(y))
        return 0;
    hd_dtype dt = hd_dtype_of(hp_a(x));
    *n = (hd_number){.kind = HD_WEAK_FLOAT, .re = PyFloat_AsDouble(y)};
    return hd_promote(dt, HD_FLOAT64) == hd_promote_weak(dt, HD_WEAK_FLOAT);
}

/* [1] * s, s * [1] and "x" * s repeat the sequence where s is an integer scalar: NumPy's scalars
 * leave it to a type that can be repeated and has no product of its own. */
static int repeats(hd_op op, PyObject *x, PyObject *y)
{
    PyObject *array = hp_check(x) ? x : y, *other = hp_check(x) ? y : x;
    if (op != HD_OP_multiply || !hp_is_scalar(array) ||
        !PyType_GetSlot(Py_TYPE(other), Py_sq_repeat) ||
        PyType_GetSlot(Py_TYPE(other), Py_nb_multiply))
        return 0;
    char kind = hd_dtype_kind(hd_dtype_of(hp_a(array)));
    return kind == 'i' || kind == 'u';
}

/* One of NumPy's scalars beside an array on the host, as a scalar of ours (owned); NULL without an
 * exception: it is something else. */
static hd_array *scalar_beside(PyObject *array, PyObject *o)
{
    hd_dtype dt;
    uint64_t element[2];
    hd_device *dev = hp_check(array) ? hd_device_of(hp_a(array)) : NULL;
    if (!dev || !hd_device_is_host(dev) || !hp_exact_scalar(o, &dt, element))
        return NULL;
    return hd_from_element(dev, dt, element);
}

static PyObject *with_scalar(hd_op op, hd_array *x, hd_array *y, hd_array *owned)
{
    PyObject *r = hp_wrap(hd_binary(op, x, y));
    hd_release(owned);
    return r;
}

PyObject *hp_beside_scalar(hd_op op, PyObject *x, PyObject *y)
{
    hd_array *scalar;
    hd_number n;
    if (acts_as_float(x, y, &n))
        return with_number(op, x, &n, 0);
    if (acts_as_float(y, x, &n))
        return with_number(op, y, &n, 1);
    if ((scalar = scalar_beside(x, y)) != NULL)
        return with_scalar(op, hp_a(x), scalar, scalar);
    if ((scalar = scalar_beside(y, x)) != NULL)
        return with_scalar(op, scalar, hp_a(y), scalar);
    return NULL;
}

/* Is a subclass of ours among the operands, and no one who has other rules? Then a ufunc does the
 * work of the operator. */
static int of_subclass(PyObject *x, PyObject *y)
{
    return HP_UNLIKELY(hp_subclasses) && (hp_is_sub(x) || hp_is_sub(y)) && !hp_has_rules(x) &&
           !hp_has_rules(y) && !PyBytes_Check(x) && !PyBytes_Check(y);
}

/* Is o's __array_ufunc__ None? */
static int has_no_ufuncs(PyObject *o)
{
    PyObject *attr = hp_type_attr(o, "__array_ufunc__");
    Py_XDECREF(attr);
    return attr == Py_None;
}

/* That ufunc of both, unless the right operand does not want it. */
static PyObject *by_ufunc(PyObject *u, PyObject *x, PyObject *y)
{
    return Py_TYPE(x) != Py_TYPE(y) && has_no_ufuncs(y)
               ? Py_NewRef(Py_NotImplemented)
               : hp_call_ufunc(u, (PyObject *const[]){x, y}, 2);
}

static PyObject *binary_slow(hd_op op, PyObject *x, PyObject *y)
{
    hd_array *in[2];
    if (repeats(op, x, y))
        return Py_NewRef(Py_NotImplemented);
    if (of_subclass(x, y))
        return by_ufunc(hp_ufunc_of(op), x, y);
    PyObject *r = hp_beside_scalar(op, x, y);
    if (r || PyErr_Occurred())
        return r;
    hd_device *before;
    if (hp_enter_beside((PyObject *const[]){x, y}, 2, &before) < 0)
        return NULL;
    int status = both(x, y, in);
    hp_leave(before);
    if (status == 1)
        return finish_slow(op, hd_binary(op, in[0], in[1]), in, x, y);
    int unlike = status || !(hp_has_rules(x) || hp_has_rules(y));
    if (unlike && (op == HD_OP_equal || op == HD_OP_not_equal))   /* compare_slow() goes on */
        return status ? NULL : Py_NewRef(Py_NotImplemented);
    return others_answer(hd_op_info_of(op)->name, status, x, y);
}

static inline __attribute__((always_inline)) PyObject *binary(hd_op op, PyObject *x, PyObject *y)
{
    hd_number n;
    if (HP_LIKELY(hp_exact(x))) {
        if (hp_exact(y))
            return hp_wrap(hd_binary(op, hp_a(x), hp_a(y)));
        if (HP_LIKELY(hp_exact_number(y, &n)))
            return with_number(op, x, &n, 0);
    } else if (hp_exact(y) && hp_exact_number(x, &n)) {
        return with_number(op, y, &n, 1);
    }
    return binary_slow(op, x, y);
}

PyObject *hp_operator(hd_op op, PyObject *x, PyObject *y) { return binary(op, x, y); }

/* ---- in place -------------------------------------------------------------------------------- */

static PyObject *inplace_done(PyObject *self, hd_status status)
{
    return status == HD_OK ? Py_NewRef(self) : hp_raise();
}

/* NumPy's op(self, y, out=self): by its rules no operand with __array_ufunc__ is asked first. */
static PyObject *inplace_by_numpy(hd_op op, PyObject *self, PyObject *y)
{
    if (!PyErr_Occurred())
        PyErr_Format(hp_not_ours, "%R has rules of its own for arrays", (PyObject *)Py_TYPE(y));
    PyObject *const all[] = {self, y, self};
    return op == HD_OP_matmul ? hp_hand_over_named("operator.imatmul", all, 2, NULL)
                              : hp_hand_over_named(hd_op_info_of(op)->name, all, 3, NULL);
}

static PyObject *inplace_slow(hd_op op, PyObject *self, PyObject *y)
{
    hd_array *in = NULL;
    hd_device *before;
    if (of_subclass(self, y))
        return hp_call_ufunc(hp_ufunc_of(op), (PyObject *const[]){self, y, self}, 3);
    if (hp_enter_beside((PyObject *const[]){self, y}, 2, &before) < 0)
        return NULL;
    int status = hp_has_rules(y) ? 0 : hp_operand(y, &in);
    hp_leave(before);
    if (status == 0 && who_answers(y) == ASK_IT && !hp_type_has(y, "__array_ufunc__"))
        return Py_NewRef(Py_NotImplemented);
    if (status != 1)
        return inplace_by_numpy(op, self, y);
    PyObject *r = inplace_done(self, hd_inplace(op, hp_a(self), in));
    hd_release(in);
    return r;
}

static inline __attribute__((always_inline)) PyObject *inplace(hd_op op, PyObject *self,
                                                               PyObject *y)
{
    hd_number n;
    if (HP_UNLIKELY(hp_is_scalar(self)))   /* a value: the name is bound to a new one */
        return binary(op, self, y);
    if (HP_UNLIKELY(!hp_exact(self)))
        return inplace_slow(op, self, y);
    if (hp_exact(y))
        return inplace_done(self, hd_inplace(op, hp_a(self), hp_a(y)));
    if (HP_LIKELY(hp_exact_number(y, &n)))
        return beyond_double(op, self, &n)
                   ? NULL
                   : inplace_done(self, hd_inplace_number(op, hp_a(self), &n));
    return inplace_slow(op, self, y);
}

/* ---- the slots ------------------------------------------------------------------------------- */

#define OPERATORS(X)                                                              \
    X(add, add)                                                                   \
    X(subtract, subtract) X(multiply, multiply) X(true_divide, divide)            \
        X(floor_divide, floor_divide) X(remainder, remainder) X(and, bitwise_and) \
            X(or, bitwise_or) X(xor, bitwise_xor) X(lshift, left_shift) X(rshift, right_shift)

#define BINARY_SLOT(slot, op)                            \
    static PyObject *nb_##slot(PyObject *x, PyObject *y) \
    {                                                    \
        return binary(HD_OP_##op, x, y);                 \
    }
#define INPLACE_SLOT(slot, op)                                   \
    static PyObject *nb_inplace_##slot(PyObject *x, PyObject *y) \
    {                                                            \
        return inplace(HD_OP_##op, x, y);                        \
    }
OPERATORS(BINARY_SLOT)
OPERATORS(INPLACE_SLOT)

/* NumPy's operator on arrays (not its function, not that of its scalars) makes int8 of a squared
 * bool. */
static int is_square_of_bool(PyObject *x, PyObject *y)
{
    hd_number n;
    return hp_exact(x) && hd_dtype_of(hp_a(x)) == HD_BOOL && hp_exact_number(y, &n) &&
           n.kind != HD_WEAK_BOOL && n.re == 2 && n.im == 0 && !hp_is_scalar(x);
}

PyObject *hp_power(PyObject *x, PyObject *y, PyObject *modulus)
{
    if (HP_UNLIKELY(is_square_of_bool(x, y)))
        return hp_wrap(hd_unary(HD_OP_square, hp_a(x)));
    return modulus == Py_None ? binary(HD_OP_power, x, y) : Py_NewRef(Py_NotImplemented);
}

static PyObject *nb_inplace_power(PyObject *x, PyObject *y, PyObject *modulus)
{
    return modulus == Py_None ? inplace(HD_OP_power, x, y) : Py_NewRef(Py_NotImplemented);
}

static inline PyObject *unary(hd_op op, PyObject *x)
{
    return HP_LIKELY(hp_exact(x)) ? hp_wrap(hd_unary(op, hp_a(x)))
                                  : hp_call_ufunc(hp_ufunc_of(op), &x, 1);
}

static PyObject *nb_negative(PyObject *x) { return unary(HD_OP_negative, x); }
static PyObject *nb_positive(PyObject *x) { return unary(HD_OP_positive, x); }
static PyObject *nb_absolute(PyObject *x) { return unary(HD_OP_absolute, x); }
static PyObject *nb_invert(PyObject *x) { return unary(HD_OP_invert, x); }

static const hd_pair_info *pair_of(hd_op first)
{
    int i = 0;
    while (hd_pair_info_of(i) && hd_pair_info_of(i)->result[0] != first)
        i++;
    return hd_pair_info_of(i);
}

static PyObject *nb_divmod(PyObject *x, PyObject *y)
{
    hd_array *in[2], *r[2];
    if (of_subclass(x, y))
        return by_ufunc(hp_pair_of(HD_OP_floor_divide), x, y);
    int status = both(x, y, in);
    if (status != 1)
        return others_answer("divmod", status, x, y);
    hd_status computed = hd_apply_pair(pair_of(HD_OP_floor_divide),
                                       (const hd_array *const *)in, NULL, NULL, r);
    hd_release(in[0]);
    hd_release(in[1]);
    if (computed != HD_OK)
        return hp_raise();
    PyObject *q = hp_wrap(r[0]), *rest = hp_wrap(r[1]);
    PyObject *pair = q && rest ? PyTuple_Pack(2, q, rest) : NULL;
    Py_XDECREF(q);
    Py_XDECREF(rest);
    return pair;
}

static PyObject *nb_matmul(PyObject *x, PyObject *y)
{
    if (HP_LIKELY(hp_exact(x) && hp_exact(y)))
        return hp_wrap(hd_matmul(hp_a(x), hp_a(y), NULL));
    hd_array *in[2];
    if (of_subclass(x, y))
        return by_ufunc(hp_ufunc_of(HD_OP_matmul), x, y);
    int status = both(x, y, in);
    if (status != 1)
        return others_answer("matmul", status, x, y);
    return finish_slow(HD_OP_matmul, hd_matmul(in[0], in[1], NULL), in, x, y);
}

static PyObject *nb_inplace_matmul(PyObject *x, PyObject *y)
{
    if (hp_is_scalar(x))
        return nb_matmul(x, y);
    hd_array *in[2];
    if (of_subclass(x, y))
        return hp_call_ufunc(hp_ufunc_of(HD_OP_matmul), (PyObject *const[]){x, y, x}, 3);
    int status = both(x, y, in);
    if (status != 1)
        return inplace_by_numpy(HD_OP_matmul, x, y);
    if (hd_ndim(in[0]) > 0 && hd_ndim(in[1]) == 1) {
        hd_release(in[0]);
        hd_release(in[1]);
        PyErr_SetString(PyExc_ValueError,
                        "inplace matrix multiplication requires the first operand to have at least "
                        "one and the second at least two dimensions.");
        return NULL;
    }
    hd_array *r = hd_matmul(in[0], in[1], in[0]);
    hd_release(in[0]);
    hd_release(in[1]);
    hd_release(r);
    return inplace_done(x, r ? HD_OK : hd_error_peek()->code);
}

/* ---- comparison ------------------------------------------------------------------------------ */

static PyObject *compare_slow(hd_op op, PyObject *x, PyObject *y)
{
    /* asked first: it must not come between an exception and its caller */
    int final = hp_has_rules(y) || (op != HD_OP_equal && op != HD_OP_not_equal);
    int refuses = hp_subclasses && (has_no_ufuncs(x) || has_no_ufuncs(y));
    PyObject *r = PyUnicode_Check(y) || PyBytes_Check(y) ? Py_NewRef(Py_NotImplemented)
                                                         : binary_slow(op, x, y);
    if (final || (r && r != Py_NotImplemented))
        return r;
    if (!r && (refuses || !PyErr_ExceptionMatches(PyExc_TypeError)))
        return NULL;
    PyErr_Clear();   /* a dtype that we do not have: unequal to NumPy too, or compared by it */
    Py_XDECREF(r);
    return hp_as_owner(hp_compare_unlike(x, y, op == HD_OP_not_equal), x);
}

/* A real number that the host knows: o is a value of ours on the host, a NumPy scalar or Python's.
 */
typedef struct real { int is_int; int64_t i; double f; } real;
static int real_of(PyObject *o, real *r)
{
    hd_number n;
    if (hp_exact(o) && !hd_device_is_host(hd_device_of(hp_a(o))))
        return 0;
    if (!hp_plain_real(o, &n))
        return 0;
    *r = (real){n.kind == HD_WEAK_INT, n.as.i, n.re};
    return 1;
}

/* A value of ours compared with another or with a number: one of NumPy's bools, as of two of its
 * scalars. NULL without an exception: it is another case. */
static PyObject *compare_values(PyObject *x, PyObject *y, int which)
{
    real a, b;
    uint8_t truth;
    if (hp_watching || !hp_has_scalars() || !real_of(x, &a) || !real_of(y, &b))
        return NULL;
    const int ints = a.is_int && b.is_int;
    const int less = ints ? a.i < b.i : a.f < b.f, equal = ints ? a.i == b.i : a.f == b.f,
              more = ints ? a.i > b.i : a.f > b.f;
    switch (which) {
    case Py_LT: truth = (uint8_t)less; break;
    case Py_LE: truth = (uint8_t)(less | equal); break;
    case Py_EQ: truth = (uint8_t)equal; break;
    case Py_NE: truth = (uint8_t)!equal; break;
    case Py_GT: truth = (uint8_t)more; break;
    default: truth = (uint8_t)(more | equal);
    }
    return hp_numpy_scalar(HD_BOOL, &truth);
}

PyObject *hp_richcompare(PyObject *x, PyObject *y, int which)
{
    static const hd_op ops[] = {
        [Py_LT] = HD_OP_less,      [Py_LE] = HD_OP_less_equal, [Py_EQ] = HD_OP_equal,
        [Py_NE] = HD_OP_not_equal, [Py_GT] = HD_OP_greater,    [Py_GE] = HD_OP_greater_equal};
    hd_number n;
    hd_op op = ops[which];
    if (HP_UNLIKELY(!hp_exact(x)))
        return compare_slow(op, x, y);
    PyObject *r = hp_is_scalar(x) ? compare_values(x, y, which) : NULL;
    if (r)
        return r;
    if (hp_exact(y))
        return hp_wrap(hd_binary(op, hp_a(x), hp_a(y)));
    if (HP_LIKELY(hp_exact_number(y, &n)))
        return with_number(op, x, &n, 0);
    return compare_slow(op, x, y);
}

#define SLOT(slot, op) {Py_nb_##slot, nb_##slot}, {Py_nb_inplace_##slot, nb_inplace_##slot},
PyType_Slot hp_number_slots[] = {
    OPERATORS(SLOT)
    {Py_nb_power, hp_power},
    {Py_nb_inplace_power, nb_inplace_power},
    {Py_nb_negative, nb_negative},
    {Py_nb_positive, nb_positive},
    {Py_nb_absolute, nb_absolute},
    {Py_nb_invert, nb_invert},
    {Py_nb_divmod, nb_divmod},
    {Py_nb_matrix_multiply, nb_matmul},
    {Py_nb_inplace_matrix_multiply, nb_inplace_matmul},
    {Py_tp_richcompare, hp_richcompare},
    {0, NULL}};
