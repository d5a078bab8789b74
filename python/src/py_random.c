/* SPDX-License-Identifier: BSD-3-Clause */
/* py_random.c - the counter-based generator under heddle.random: a seed, a count of calls, and
 * arrays of random numbers. */
#include "py_element.h"

PyTypeObject *hp_generator_type;

typedef struct generator { PyObject_HEAD hd_generator g; } generator;

/* _Stream(seed): seed is an int below 2**64. */
static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    unsigned long long seed;
    PyObject *o;
    if (!PyArg_ParseTuple(args, "O", &o) || (kwargs && PyDict_Size(kwargs) > 0))
        return NULL;
    seed = PyLong_AsUnsignedLongLong(o);
    if (PyErr_Occurred())
        return NULL;
    generator *g = PyObject_New(generator, type);
    if (g)
        g->g = hd_generator_seed(seed);
    return (PyObject *)g;
}

static void stream_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

typedef hd_array *(*source)(hd_generator *g, int nd, const int64_t *shape, hd_dtype dt);

/* a, which it takes, as a scalar value. */
static PyObject *wrap_value(hd_array *a)
{
    if (!a || hd_is_scalar(a))
        return hp_wrap(a);
    hd_array *value = hd_scalar_of(a);
    hd_release(a);
    return hp_wrap(value);
}

/* A size as NumPy takes it: in a tuple bools count as numbers. */
static int take_size(PyObject *o, int64_t *shape, int *nd)
{
    const Py_ssize_t n = PyTuple_CheckExact(o) ? PyTuple_Size(o) : -1;
    if (n < 0 || n > HD_MAXDIM)
        return hp_shape(o, shape, nd);
    *nd = (int)n;
    for (int i = 0; i < n; i++) {
        PyObject *item = PyTuple_GetItem(o, i);
        if (PyBool_Check(item))
            shape[i] = item == Py_True;
        else if (hp_extent(item, &shape[i]) < 0)
            return -1;
    }
    return 0;
}

/* f(size, dtype): size None gives a scalar value. */
static PyObject *draw(source f, PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t shape[HD_MAXDIM];
    int nd = 0;
    hd_dtype dt = HD_NO_DTYPE;
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "size and dtype expected");
        return NULL;
    }
    if ((args[0] != Py_None && take_size(args[0], shape, &nd) < 0) || hp_dtype(args[1], &dt) < 0)
        return NULL;
    hd_array *a = f(&((generator *)self)->g, nd, shape, dt == HD_NO_DTYPE ? HD_FLOAT64 : dt);
    return args[0] != Py_None ? hp_wrap(a) : wrap_value(a);
}

static hd_array *raw_words(hd_generator *g, int nd, const int64_t *shape, hd_dtype dt)
{
    (void)dt;
    return hd_random_raw(g, nd, shape);
}

static PyObject *stream_uniform(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return draw(hd_random_uniform, self, args, nargs);
}

static PyObject *stream_normal(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return draw(hd_random_normal, self, args, nargs);
}

static PyObject *stream_raw(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return draw(raw_words, self, args, nargs);
}

/* ---- draws with parameters: f(size, parameters..., dtype) ------------------------------------ */

typedef hd_array *(*source2)(hd_generator *g, int nd, const int64_t *shape, const hd_array *y,
                             const hd_array *z, hd_dtype dt);

static hd_array *poisson(hd_generator *g, int nd, const int64_t *shape, const hd_array *y,
                         const hd_array *z, hd_dtype dt)
{
    (void)z, (void)dt;
    return hd_random_poisson(g, nd, shape, y);
}

static hd_array *binomial(hd_generator *g, int nd, const int64_t *shape, const hd_array *y,
                          const hd_array *z, hd_dtype dt)
{
    (void)dt;
    return hd_random_binomial(g, nd, shape, y, z);
}

static PyObject *draw2(source2 f, PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t shape[HD_MAXDIM];
    int nd = 0;
    hd_dtype dt = HD_NO_DTYPE;
    if (nargs != 4) {
        PyErr_SetString(PyExc_TypeError, "size, two parameters and dtype expected");
        return NULL;
    }
    if ((args[0] != Py_None && take_size(args[0], shape, &nd) < 0) || hp_dtype(args[3], &dt) < 0)
        return NULL;
    hd_array *y = hp_value(args[1]), *z = y ? hp_value(args[2]) : NULL, *x = NULL;
    if (z)
        x = f(&((generator *)self)->g, nd, shape, y, z, dt);
    hd_release(y);
    hd_release(z);
    if (!z)
        return NULL;
    return args[0] != Py_None ? hp_wrap(x) : wrap_value(x);
}

static PyObject *stream_integers(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return draw2(hd_random_integers, self, args, nargs);
}

static PyObject *stream_gamma(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return draw2(hd_random_gamma, self, args, nargs);
}

static PyObject *stream_beta(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return draw2(hd_random_beta, self, args, nargs);
}

static PyObject *stream_poisson(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return draw2(poisson, self, args, nargs);
}

static PyObject *stream_binomial(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    return draw2(binomial, self, args, nargs);
}

static PyObject *stream_order(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t rows, n, m;
    if (nargs != 3) {
        PyErr_SetString(PyExc_TypeError, "rows, n and m expected");
        return NULL;
    }
    if (hp_int64(args[0], &rows) < 0 || hp_int64(args[1], &n) < 0 || hp_int64(args[2], &m) < 0)
        return NULL;
    return hp_wrap(hd_random_order(&((generator *)self)->g, rows, n, m));
}

static PyObject *stream_choice(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t n;
    if (nargs != 2 || !hp_check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "n and an array expected");
        return NULL;
    }
    if (hp_int64(args[0], &n) < 0)
        return NULL;
    return hp_wrap(hd_random_choice(&((generator *)self)->g, n, hp_a(args[1])));
}

/* ---- one number: f(parameters...) ------------------------------------------------------------ */

/* o as a parameter: a float, or an integer that is one without rounding; of Python's or an element
 * of an array. 0: it is something else. */
static int parameter(PyObject *o, double *p)
{
    hd_dtype dt = HD_NO_DTYPE;
    union { uint64_t word[2]; int64_t i; double f; } element = {{0, 0}};
    int overflow = 0;
    if (PyFloat_CheckExact(o)) {
        *p = PyFloat_AsDouble(o);
        return 1;
    }
    if (PyLong_CheckExact(o))
        element.i = PyLong_AsLongLongAndOverflow(o, &overflow);
    else if (!hp_exact_scalar(o, &dt, &element) || (dt != HD_FLOAT64 && dt != HD_INT64))
        return 0;
    *p = dt == HD_FLOAT64 ? element.f : (double)element.i;
    const int64_t exact = (int64_t)1 << 53;
    return !overflow && (dt == HD_FLOAT64 || (element.i >= -exact && element.i <= exact));
}

/* Distributions whose compositions end in an element, x[()]. */
static int is_element(hd_distribution d)
{
    return d == HD_RANDOM_triangular || d == HD_RANDOM_wald || d == HD_RANDOM_vonmises ||
           d == HD_RANDOM_zipf || d == HD_RANDOM_hypergeometric;
}

/* NumPy's scalars, which intermediate numbers then are, have a power of their own. */
static int is_power_of_scalars(hd_distribution d)
{
    return hp_numpy_scalars && (d == HD_RANDOM_weibull || d == HD_RANDOM_power);
}

/* None: the arguments are for the function of arrays, which draws or refuses. */
static PyObject *one(hd_distribution d, int n, hd_dtype dt, PyObject *self, PyObject *const *args,
                     Py_ssize_t nargs)
{
    double p[HD_RANDOM_MOST_PARAMETERS], number = 0;
    int plain = nargs == n && !is_power_of_scalars(d);
    for (int i = 0; i < n && plain; i++)
        plain = parameter(args[i], &p[i]);
    if (!plain || !hd_random_one(&((generator *)self)->g, d, p, &number))
        return Py_NewRef(Py_None);
    const int64_t whole = dt == HD_INT64 ? (int64_t)number : 0;
    const void *element = dt == HD_INT64 ? (const void *)&whole : &number;
    return hp_numpy_scalars || is_element(d) ? hp_numpy_scalar(dt, element)
                                             : hp_wrap(hd_from_element(NULL, dt, element));
}

#define ONE(name, n, dtype)                                                                     \
    static PyObject *stream_one_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs) \
    {                                                                                           \
        return one(HD_RANDOM_##name, n, HD_##dtype, self, args, nargs);                         \
    }
HD_DISTRIBUTIONS(ONE)
#undef ONE

/* multinomial(n, pvals), of a list or tuple: an array. */
static PyObject *stream_one_multinomial(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    double p[HD_RANDOM_MOST_OUTCOMES];
    int64_t counts[HD_RANDOM_MOST_OUTCOMES], trials = 0;
    int plain = nargs == 2 && PyLong_CheckExact(args[0]), overflow = 0;
    const int list = plain && PyList_CheckExact(args[1]);
    plain = list || (plain && PyTuple_CheckExact(args[1]));
    const Py_ssize_t n = !plain ? 0 : list ? PyList_Size(args[1]) : PyTuple_Size(args[1]);
    plain = n > 0 && n <= HD_RANDOM_MOST_OUTCOMES;
    for (Py_ssize_t i = 0; i < n && plain; i++)
        plain = parameter(list ? PyList_GetItem(args[1], i) : PyTuple_GetItem(args[1], i), &p[i]);
    if (plain)
        trials = PyLong_AsLongLongAndOverflow(args[0], &overflow);
    if (!plain || overflow ||
        !hd_random_one_multinomial(&((generator *)self)->g, trials, (int)n, p, counts))
        return Py_NewRef(Py_None);
    return hp_wrap(hd_from_data(1, (const int64_t[]){n}, NULL, HD_INT64, counts));
}

/* ---- short orders ---------------------------------------------------------------------------- */

/* one_order(n): 0 ... n - 1 in random order, or None: they are many, or of a GPU. */
static PyObject *stream_one_order(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t n, places[HD_RANDOM_MOST_PLACES];
    if (nargs != 1 || hp_int64(args[0], &n) < 0)
        return NULL;
    if (n < 0 || n > HD_RANDOM_MOST_PLACES || !hd_device_is_host(NULL))
        return Py_NewRef(Py_None);
    if (hd_random_one_order(&((generator *)self)->g, n, places) != HD_OK)
        return hp_raise();
    return hp_wrap(hd_from_data(1, &n, NULL, HD_INT64, places));
}

/* shuffle(list): the list itself in random order, and True; False: it is no list, or long. */
static PyObject *stream_shuffle(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    int64_t places[HD_RANDOM_MOST_PLACES];
    const Py_ssize_t n = nargs == 1 && PyList_CheckExact(args[0]) ? PyList_Size(args[0]) : -1;
    if (n < 0 || n > HD_RANDOM_MOST_PLACES)
        return Py_NewRef(Py_False);
    PyObject *shuffled = PyList_New(n);
    if (!shuffled)
        return NULL;
    if (hd_random_one_order(&((generator *)self)->g, n, places) != HD_OK)
        return Py_DECREF(shuffled), hp_raise();
    for (Py_ssize_t i = 0; i < n; i++)
        PyList_SetItem(shuffled, i, Py_NewRef(PyList_GetItem(args[0], (Py_ssize_t)places[i])));
    const int status = PyList_SetSlice(args[0], 0, n, shuffled);
    Py_DECREF(shuffled);
    return status < 0 ? NULL : Py_NewRef(Py_True);
}

static PyObject *get_state(PyObject *self, void *ctx)
{
    (void)ctx;
    const hd_generator *g = &((generator *)self)->g;
    return Py_BuildValue("(KK)", (unsigned long long)g->key, (unsigned long long)g->calls);
}

static int set_state(PyObject *self, PyObject *value, void *ctx)
{
    (void)ctx;
    unsigned long long key, calls;
    if (!value || !PyArg_ParseTuple(value, "KK", &key, &calls))
        return -1;
    ((generator *)self)->g = (hd_generator){key, calls};
    return 0;
}

int hp_generator_ready(PyObject *module)
{
#define ROW(name, doc) {#name, (PyCFunction)(void (*)(void))stream_##name, METH_FASTCALL, doc}
    static PyMethodDef methods[] = {
        ROW(uniform, "uniform(size, dtype): [0, 1)"),
        ROW(normal, "normal(size, dtype): mean 0, deviation 1"),
        ROW(raw, "raw(size, None): 64-bit words"),
        ROW(integers, "integers(size, low, last, dtype): both ends included"),
        ROW(gamma, "gamma(size, shape, scale, dtype)"),
        ROW(beta, "beta(size, a, b, dtype)"),
        ROW(poisson, "poisson(size, mean, 0, None): int64"),
        ROW(binomial, "binomial(size, n, p, None): int64"),
        ROW(order, "order(rows, n, m): rows of the first m of 0 ... n - 1 in random order"),
        ROW(choice, "choice(n, cumulative): n positions by their probabilities"),
#define ONE(name, n, dtype) ROW(one_##name, "one number of parameters, or None"),
        HD_DISTRIBUTIONS(ONE)
#undef ONE
        ROW(one_multinomial, "the counts of one draw, or None"),
        ROW(one_order, "one_order(n): 0 ... n - 1 in random order, or None"),
        ROW(shuffle, "shuffle(list): whether it is done"),
        {NULL, NULL, 0, NULL}};
#undef ROW
    static PyGetSetDef getset[] = {
        {"state", get_state, set_state, "(key, number of calls made)", NULL},
        {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {
        {Py_tp_doc, "a stream of random numbers: Philox 4x32-10 with one counter value a call"},
        {Py_tp_new, stream_new},
        {Py_tp_dealloc, stream_dealloc},
        {Py_tp_methods, methods},
        {Py_tp_getset, getset},
        {0, NULL}};
    static PyType_Spec spec = {"heddle._Stream", sizeof(generator), 0, Py_TPFLAGS_DEFAULT, slots};
    hp_generator_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return hp_generator_type
               ? PyModule_AddObjectRef(module, "_Stream", (PyObject *)hp_generator_type)
               : -1;
}
