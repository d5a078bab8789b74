/* SPDX-License-Identifier: BSD-3-Clause */
/* py_scalar.c - the types of the scalars that elements are. They are NumPy's, but for operators
 * beside arrays of ours: numpy.float64 * x asks x by way of __array_ufunc__, which takes 0.5 us. So
 * the most frequent types have a subclass whose operators go to ours at once, and to NumPy's for
 * all else; what those give has the subclass again.
 * See        docs/design/window.md, "Elements" */
#include "py_element.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- the types ------------------------------------------------------------------------------- */

#define BINARY_OPERATORS(X)                                                                     \
    X(add, add) X(subtract, subtract) X(multiply, multiply) X(true_divide, divide)              \
    X(floor_divide, floor_divide) X(remainder, remainder) X(and, bitwise_and)                   \
    X(or, bitwise_or) X(xor, bitwise_xor) X(lshift, left_shift) X(rshift, right_shift)

#define NAME(slot, op) SLOT_##slot,
enum { BINARY_OPERATORS(NAME) SLOTS, SLOT_power = SLOTS };
#undef NAME

typedef struct kind {
    hd_dtype dt;
    const char *name;
    PyTypeObject *numpy, *own;   /* NULL until NumPy has been opened, as all that follows */
    size_t size;
    binaryfunc binary[SLOTS];    /* NumPy's */
    ternaryfunc power;
    unaryfunc negative, absolute;
    richcmpfunc compare;
    /* dead ones, kept whole; each holds the next in the place of its element */
    PyObject *dead;
    int ndead;
} kind;

/* The most frequent ones first: they are searched. */
static kind kinds[] = {{.dt = HD_FLOAT64, .name = "numpy.float64"},
                       {.dt = HD_INT64, .name = "numpy.int64"},
                       {.dt = HD_FLOAT32, .name = "numpy.float32"},
                       {.dt = HD_COMPLEX128, .name = "numpy.complex128"}};
enum { KINDS = sizeof kinds / sizeof *kinds, MOST_DEAD = 64 };
static PyObject *truth[2];   /* numpy.False_ and numpy.True_ */

static inline kind *kind_of(PyObject *o)
{
    for (int k = 0; k < KINDS; k++)
        if (Py_TYPE(o) == kinds[k].own)
            return &kinds[k];
    return NULL;
}

int hp_own_scalar(PyObject *o, hd_dtype *dt)
{
    const kind *k = kind_of(o);
    if (k)
        *dt = k->dt;
    return k != NULL;
}

static PyObject *new_object(const kind *k)
{
    PyObject *o = PyObject_Malloc(sizeof(PyObject) + sizeof(uint64_t[2]));
    return o ? PyObject_Init(o, k->own) : PyErr_NoMemory();
}

static inline PyObject *new_scalar(kind *k, const void *element)
{
    PyObject *o = k->dead;
    if (HP_LIKELY(o)) {
        memcpy(&k->dead, hp_held(o), sizeof k->dead);
        k->ndead--;
        o->ob_refcnt = 1;
    } else if (!(o = new_object(k))) {
        return NULL;
    }
    if (HP_LIKELY(k->size == sizeof(uint64_t)))
        memcpy(hp_held(o), element, sizeof(uint64_t));
    else
        memcpy(hp_held(o), element, k->size);
    return o;
}

PyObject *hp_new_scalar(hd_dtype dt, const void *element)
{
    for (int k = 0; k < KINDS; k++)
        if (kinds[k].dt == dt)
            return kinds[k].own ? new_scalar(&kinds[k], element) : NULL;
    return NULL;
}

/* r (taken), in a type of ours if it is one of NumPy's that has one. */
static PyObject *as_own(PyObject *r)
{
    for (int k = 0; r && k < KINDS; k++)
        if (Py_TYPE(r) == kinds[k].numpy) {
            PyObject *o = new_scalar(&kinds[k], hp_held(r));
            Py_DECREF(r);
            return o;
        }
    return r;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* A real number: an int64 or a float64 of NumPy's or ours, or Python's int or float. */
typedef struct real { bool is_int; int64_t i; double f; } real;

static inline bool real_of(PyObject *o, real *r)
{
    enum { FLOAT64, INT64 };
    PyTypeObject *type = Py_TYPE(o);
    int overflow = 0;
    if (type == kinds[FLOAT64].own || type == kinds[FLOAT64].numpy) {
        memcpy(&r->f, hp_held(o), sizeof r->f);
        r->is_int = false;
    } else if (type == kinds[INT64].own || type == kinds[INT64].numpy) {
        memcpy(&r->i, hp_held(o), sizeof r->i);
        r->is_int = true;
    } else if (PyFloat_CheckExact(o)) {
        r->f = PyFloat_AsDouble(o);
        r->is_int = false;
    } else if (PyLong_CheckExact(o)) {
        r->i = PyLong_AsLongLongAndOverflow(o, &overflow);
        r->is_int = true;
    } else {
        return false;
    }
    if (r->is_int)
        r->f = (double)r->i;
    return overflow == 0;
}

static PyObject *of_float(double r) { return hp_new_scalar(HD_FLOAT64, &r); }

/* A product or quotient that is 0 without underflow. 0 * inf is nan, and a fault. */
static inline bool is_exact_zero(double r, double x, double y)
{
    return r == 0 && (x == 0 || y == 0);
}

/* Without a fault, whose warning is NumPy's to give: NULL (no exception) if there may be one. */
static PyObject *of_floats(int slot, double x, double y)
{
    double r = NAN;
    bool fine = false;
    if (slot == SLOT_add || slot == SLOT_subtract) {
        r = slot == SLOT_add ? x + y : x - y;
        fine = isfinite(r);
    } else if (slot == SLOT_multiply) {
        r = x * y;
        fine = isnormal(r) || is_exact_zero(r, x, y);
    } else if (slot == SLOT_true_divide) {
        r = x / y;
        fine = isnormal(r) || is_exact_zero(r, x, x);
    }
    return fine ? of_float(r) : NULL;
}

static PyObject *of_int(int64_t r) { return hp_new_scalar(HD_INT64, &r); }

static PyObject *of_ints(int slot, int64_t x, int64_t y)
{
    int64_t r;
    if (slot == SLOT_floor_divide || slot == SLOT_remainder) {
        if (y == 0 || y == -1)   /* faults */
            return NULL;
        const int64_t below = x % y != 0 && (x < 0) != (y < 0);
        return of_int(slot == SLOT_remainder ? x % y + below * y : x / y - below);
    }
    switch (slot) {
    case SLOT_add: return __builtin_add_overflow(x, y, &r) ? NULL : of_int(r);
    case SLOT_subtract: return __builtin_sub_overflow(x, y, &r) ? NULL : of_int(r);
    case SLOT_multiply: return __builtin_mul_overflow(x, y, &r) ? NULL : of_int(r);
    default: return NULL;
    }
}

/* What is frequent, without NumPy. NULL without an exception: it is something else. */
static inline PyObject *arithmetic(int slot, PyObject *x, PyObject *y)
{
    real a = {.is_int = false}, b = a;
    if (!real_of(x, &a) || !real_of(y, &b))
        return NULL;
    return a.is_int && b.is_int && slot != SLOT_true_divide ? of_ints(slot, a.i, b.i)
                                                            : of_floats(slot, a.f, b.f);
}

/* An int64 of NumPy's and a float it raises by its loop over arrays, whose last bit may differ. */
static PyObject *power_of_floats(PyObject *x, PyObject *y)
{
    real a = {.is_int = false}, b = a;
    if (!real_of(x, &a) || !real_of(y, &b) || (a.is_int && !PyLong_CheckExact(x)) ||
        (b.is_int && !PyLong_CheckExact(y)))
        return NULL;
    const double r = pow(a.f, b.f);
    return isnormal(r) ? of_float(r) : NULL;
}

/* 1 and 0: true and false; -1: it is something else. */
static inline int compare_reals(PyObject *x, PyObject *y, int which)
{
    real a = {.is_int = false}, b = a;
    if (!real_of(x, &a) || !real_of(y, &b))
        return -1;
    const bool ints = a.is_int && b.is_int;
    switch (which) {
    case Py_LT: return ints ? a.i < b.i : a.f < b.f;
    case Py_LE: return ints ? a.i <= b.i : a.f <= b.f;
    case Py_GT: return ints ? a.i > b.i : a.f > b.f;
    case Py_GE: return ints ? a.i >= b.i : a.f >= b.f;
    case Py_EQ: return ints ? a.i == b.i : a.f == b.f;
    default: return ints ? a.i != b.i : a.f != b.f;
    }
}

/* ---- operators ------------------------------------------------------------------------------- */

static PyObject *numpys(const kind *k, int slot, PyObject *x, PyObject *y, PyObject *modulus)
{
    return slot == SLOT_power ? k->power(x, y, modulus) : k->binary[slot](x, y);
}

/* NumPy's operator of either operand: Python asks one only, for both types have the same function.
 * modulus: of powers. */
static PyObject *numpys_of_either(int slot, PyObject *x, PyObject *y, PyObject *modulus)
{
    const kind *first = kind_of(x), *second = kind_of(y);
    PyObject *r = first ? numpys(first, slot, x, y, modulus) : Py_NewRef(Py_NotImplemented);
    if (r != Py_NotImplemented || !second || second == first)
        return as_own(r);
    Py_DECREF(r);
    return as_own(numpys(second, slot, x, y, modulus));
}

static PyObject *of_scalars(int slot, PyObject *x, PyObject *y)
{
    PyObject *r = arithmetic(slot, x, y);
    return HP_LIKELY(r) || PyErr_Occurred() ? r : numpys_of_either(slot, x, y, NULL);
}

#define OPERATOR(slot, op)                                                \
    static PyObject *nb_##slot(PyObject *x, PyObject *y)                  \
    {                                                                     \
        return hp_check(x) || hp_check(y) ? hp_operator(HD_OP_##op, x, y) \
                                          : of_scalars(SLOT_##slot, x, y); \
    }
BINARY_OPERATORS(OPERATOR)

static PyObject *nb_power(PyObject *x, PyObject *y, PyObject *modulus)
{
    if (modulus == Py_None && (hp_check(x) || hp_check(y)))
        return hp_power(x, y, modulus);
    PyObject *r = modulus == Py_None ? power_of_floats(x, y) : NULL;
    return r || PyErr_Occurred() ? r : numpys_of_either(SLOT_power, x, y, modulus);
}

static PyObject *nb_negative(PyObject *x)
{
    real a = {.is_int = false};
    if (real_of(x, &a) && (!a.is_int || a.i != INT64_MIN))
        return a.is_int ? of_int(-a.i) : of_float(-a.f);
    return as_own(kind_of(x)->negative(x));
}

static PyObject *nb_absolute(PyObject *x)
{
    real a = {.is_int = false};
    if (real_of(x, &a) && (!a.is_int || a.i != INT64_MIN))
        return a.is_int ? of_int(a.i < 0 ? -a.i : a.i) : of_float(fabs(a.f));
    return as_own(kind_of(x)->absolute(x));
}

static PyObject *compare(PyObject *x, PyObject *y, int which)
{
    static const int mirrored[] = {[Py_LT] = Py_GT, [Py_LE] = Py_GE, [Py_EQ] = Py_EQ,
                                   [Py_NE] = Py_NE, [Py_GT] = Py_LT, [Py_GE] = Py_LE};
    if (hp_check(y))
        return hp_richcompare(y, x, mirrored[which]);
    int known = compare_reals(x, y, which);
    return known >= 0 ? Py_NewRef(truth[known]) : kind_of(x)->compare(x, y, which);
}

/* NumPy's names the type where it prints integers. */
static PyObject *repr(PyObject *x)
{
    PyObject *numpy = PyNumber_Positive(x), *text = numpy ? PyObject_Repr(numpy) : NULL;
    Py_XDECREF(numpy);
    return text;
}

static void dealloc(PyObject *x)
{
    kind *k = kind_of(x);
    if (HP_LIKELY(k && k->ndead < MOST_DEAD)) {
        memcpy(hp_held(x), &k->dead, sizeof k->dead);
        k->dead = x;
        k->ndead++;
        return;
    }
    PyTypeObject *type = Py_TYPE(x);
    PyObject_Free(x);
    Py_DECREF(type);
}

/* ---- making the types ------------------------------------------------------------------------ */

static void take_slots(kind *k)
{
#define TAKE(slot, op)                                                     \
    {                                                                      \
        void *f = PyType_GetSlot(k->numpy, Py_nb_##slot);                  \
        memcpy(&k->binary[SLOT_##slot], &f, sizeof f);                     \
    }
    BINARY_OPERATORS(TAKE)
#undef TAKE
    void *others[] = {
        PyType_GetSlot(k->numpy, Py_nb_power), PyType_GetSlot(k->numpy, Py_nb_negative),
        PyType_GetSlot(k->numpy, Py_nb_absolute), PyType_GetSlot(k->numpy, Py_tp_richcompare)};
    memcpy(&k->power, &others[0], sizeof others[0]);
    memcpy(&k->negative, &others[1], sizeof others[1]);
    memcpy(&k->absolute, &others[2], sizeof others[2]);
    memcpy(&k->compare, &others[3], sizeof others[3]);
}

static PyTypeObject *make_type(const kind *k)
{
#define SLOT(slot, op) {Py_nb_##slot, nb_##slot},
    PyType_Slot slots[] = {BINARY_OPERATORS(SLOT) {Py_nb_power, nb_power},
                           {Py_nb_negative, nb_negative},
                           {Py_nb_absolute, nb_absolute},
                           {Py_tp_richcompare, compare},
                           {Py_tp_hash, PyType_GetSlot(k->numpy, Py_tp_hash)},
                           {Py_tp_repr, repr},
                           {Py_tp_dealloc, dealloc},
                           {Py_tp_doc, (void *)(uintptr_t)"what an element of an array is"},
                           {0, NULL}};
#undef SLOT
    PyType_Spec spec = {.name = k->name, .flags = Py_TPFLAGS_DEFAULT, .slots = slots};
    PyObject *bases = PyTuple_Pack(1, k->numpy);
    PyObject *type = bases ? PyType_FromSpecWithBases(&spec, bases) : NULL;
    Py_XDECREF(bases);
    return (PyTypeObject *)type;
}

int hp_make_scalar_types(PyTypeObject *const *numpy)
{
    for (int i = 0; i < 2; i++)
        if (!(truth[i] = hp_numpy_scalar(HD_BOOL, &(uint8_t){(uint8_t)i})))
            return -1;
    for (int k = 0; k < KINDS; k++) {
        kinds[k].numpy = numpy[kinds[k].dt];
        kinds[k].size = (size_t)hd_dtype_size(kinds[k].dt);
        take_slots(&kinds[k]);
        if (!(kinds[k].own = make_type(&kinds[k])))
            return -1;
    }
    return 0;
}
