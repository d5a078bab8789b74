/* SPDX-License-Identifier: BSD-3-Clause */
/* py_ufunc.c - the type heddle.ufunc: one callable object per elementwise row of the operation
 * tables, and one per pair of rows that are the two results of one operation. */
#include "py_element.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

PyTypeObject *hp_ufunc_type;

enum { MAXIN = 3, MAXOUT = 2 };

typedef struct ufunc {
    PyObject_HEAD
    hp_vectorcall call;
    hd_op op;                  /* of the first result */
    const hd_pair_info *pair;  /* NULL: there is one result */
    int nin, nout;
    const char *name, *doc, *core;   /* core: hp_ufunc_facts.core */
    hp_signature signature;
} ufunc;

/* places of the options, after the inputs */
enum { OUT, WHERE, DTYPE, CASTING, ORDER, SUBOK, SIGNATURE, SIG, NOPTIONS };

/* ---- arguments shared with reductions -------------------------------------------------------- */

int hp_out(PyObject *o, PyObject **out)
{
    *out = NULL;
    if (!o || o == Py_None)
        return 0;
    if (PyTuple_Check(o)) {
        if (PyTuple_Size(o) != 1) {
            PyErr_SetString(PyExc_ValueError,
                            "The 'out' tuple must have exactly one entry per ufunc output");
            return -1;
        }
        return hp_out(PyTuple_GetItem(o, 0), out);
    }
    if (!hp_check(o)) {   /* NumPy writes to its own */
        PyErr_Format(hp_is_numpy_array(o) ? hp_not_ours : PyExc_TypeError,
                     "return arrays must be of ArrayType, not %S", (PyObject *)Py_TYPE(o));
        return -1;
    }
    *out = o;
    return 0;
}

int hp_ufunc_out(PyObject *o, PyObject **out)
{
    if (o != HP_ANY_ARRAY)
        return hp_out(o, out);
    *out = o;
    return 0;
}

PyObject *hp_wrap_out(hd_array *r, PyObject *out)
{
    if (out == HP_ANY_ARRAY)
        return hp_wrap(hp_no_scalar(r));
    if (!r || !out)
        return hp_wrap(r);
    hd_release(r);   /* the same array as out's */
    return Py_NewRef(out);
}

char hp_resolve_order(char order, int n, hd_array *const *in)
{
    int columns = 1, rows = 1;
    for (int i = 0; i < n; i++) {
        columns = columns && hd_flags(in[i]) & HD_F_CONTIGUOUS;
        rows = rows && hd_flags(in[i]) & HD_C_CONTIGUOUS;
    }
    return order != 'A' ? order : columns && !rows ? 'F' : 'C';
}

hd_array *hp_reorder(hd_array *r, char order)
{
    if (!r || order == 'K' || hd_ndim(r) < 2 ||
        hd_flags(r) & (order == 'F' ? HD_F_CONTIGUOUS : HD_C_CONTIGUOUS))
        return r;
    hd_array *copy = hd_copy(r, order);
    hd_release(r);
    return copy;
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct call {
    hd_array *in[MAXIN], *where;          /* owned */
    PyObject *out[MAXOUT];                /* borrowed */
    hd_apply_options options;
    hd_dtype signature[MAXIN + MAXOUT];
    PyObject *const *args;                /* as given: the inputs first */
    int nargs, subok;
    char order;
} call;

static int not_for_type(const ufunc *u)
{
    PyErr_Format(
        hp_not_ours,
        "ufunc '%s' not supported for the input types, and the inputs could not be safely coerced "
        "to any supported types according to the casting rule ''safe''",
        u->name);
    return -1;
}

/* Numbers alone have their own dtypes; beside an array they adapt to it. */
static int convert_inputs(const ufunc *u, call *c, PyObject *const *args)
{
    hd_number n;
    int numbers = 0;
    for (int i = 0; i < u->nin; i++)
        numbers += hp_any_number(args[i], &n);
    for (int i = 0; i < u->nin; i++) {
        int status = 1;
        if (numbers == u->nin)
            status = (c->in[i] = hp_to_array(args[i], HD_NO_DTYPE)) ? 1 : -1;
        else
            status = hp_operand(args[i], &c->in[i]);
        if (status != 1)
            return status ? -1 : not_for_type(u);
    }
    return 0;
}

static int take_inputs(const ufunc *u, call *c, PyObject *const *args)
{
    hd_device *before = NULL;
    int foreign = 0;
    for (int i = 0; i < u->nin; i++)
        foreign |= hp_is_foreign(args[i]);
    if (foreign && hp_enter_beside(args, u->nin, &before) < 0)
        return -1;
    int status = convert_inputs(u, c, args);
    hp_leave(before);
    return status;
}

/* out of an operation with two results: None, or a tuple with an array or None for each. */
static int take_outs(const ufunc *u, call *c, PyObject *o)
{
    if (u->nout == 1 || !o || o == Py_None)
        return hp_ufunc_out(o, &c->out[0]);
    if (o == HP_ANY_ARRAY) {
        c->out[0] = c->out[1] = o;
        return 0;
    }
    if (!PyTuple_Check(o)) {
        PyErr_SetString(PyExc_TypeError, "'out' must be a tuple of arrays");
        return -1;
    }
    if (PyTuple_Size(o) != u->nout) {
        PyErr_SetString(PyExc_ValueError,
                        "The 'out' tuple must have exactly one entry per ufunc output");
        return -1;
    }
    int status = 0;
    for (int i = 0; i < u->nout && status == 0; i++)
        status = hp_out(PyTuple_GetItem(o, i), &c->out[i]);
    return status;
}

static int take_loop(const ufunc *u, call *c, PyObject *const *v)
{
    PyObject *signature = v[SIGNATURE] ? v[SIGNATURE] : v[SIG];
    const char *twice = v[SIGNATURE] && v[SIG]     ? "cannot specify both 'sig' and 'signature'"
                        : signature && v[DTYPE]    ? "cannot specify both 'signature' and 'dtype'"
                                                   : NULL;
    if (twice) {
        PyErr_SetString(PyExc_TypeError, twice);
        return -1;
    }
    if (!signature || signature == Py_None)
        return hp_dtype(v[DTYPE], &c->options.dtype);
    c->options.signature = c->signature;
    return hp_loop_signature(signature, u->name, u->nin, u->nout, c->signature);
}

static int take_options(const ufunc *u, call *c, PyObject *const *v)
{
    c->options = (hd_apply_options){
        .size = sizeof c->options, .dtype = HD_NO_DTYPE, .casting = HD_CAST_SAME_KIND};
    if (take_outs(u, c, v[OUT]) < 0 || take_loop(u, c, v) < 0 ||
        hp_casting(v[CASTING], &c->options.casting) < 0 || hp_order(v[ORDER], &c->order) < 0 ||
        hp_true(v[SUBOK], &c->subok) < 0)
        return -1;
    if (v[WHERE] && v[WHERE] != Py_True)
        if (!(c->options.where = c->where = hp_mask_beside(c->in[0], v[WHERE])))
            return -1;
    return 0;
}

static int wrong_count(const ufunc *u, Py_ssize_t nargs)
{
    PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd %s given",
                 u->name, u->nin, u->nin + u->nout, nargs, nargs == 1 ? "was" : "were");
    return -1;
}

static PyObject *finish(ufunc *u, const call *c, hd_array *r, int i)
{
    if (r && hp_out_array(c->out[i])) {
        hd_release(r);   /* the same array as out's */
        return hp_wrap_output(c->out[i], (PyObject *)u, c->args, u->nin);
    }
    r = hp_reorder(r, hp_resolve_order(c->order, u->nin, c->in));
    PyObject *o = hp_wrap_out(r, c->out[i]);
    return c->subok ? hp_wrap_result(o, (PyObject *)u, c->args, u->nin, c->nargs, i) : o;
}

static PyObject *compute(ufunc *u, call *c)
{
    c->options.out = hp_out_array(c->out[0]);
    return finish(u, c, hd_apply(u->op, u->nin, (const hd_array *const *)c->in, &c->options), 0);
}

static PyObject *compute_pair(ufunc *u, call *c)
{
    hd_array *out[MAXOUT], *r[MAXOUT];
    for (int i = 0; i < MAXOUT; i++)
        out[i] = hp_out_array(c->out[i]);
    if (hd_apply_pair(u->pair, (const hd_array *const *)c->in, &c->options, out, r) != HD_OK)
        return hp_raise();
    PyObject *first = finish(u, c, r[0], 0), *second = finish(u, c, r[1], 1);
    PyObject *both = first && second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return both;
}

static PyObject *run(ufunc *u, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *v[HP_MAXARGS], *result = NULL;
    call c = {.order = 'K', .args = args, .nargs = (int)nargs, .subok = 1};
    if (hp_parse(&u->signature, args, nargs, kwnames, v) < 0)
        return NULL;
    if (take_inputs(u, &c, v) == 0 && take_options(u, &c, v + u->nin) == 0)
        result = u->pair ? compute_pair(u, &c) : compute(u, &c);
    for (int i = 0; i < u->nin; i++)
        hd_release(c.in[i]);
    hd_release(c.where);
    return result;
}

/* Two outs by position, as one tuple by position. */
static PyObject *call_with_outs(ufunc *u, PyObject *const *args, Py_ssize_t nargs,
                                PyObject *kwnames)
{
    PyObject *stack[MAXIN + 1 + HP_MAXARGS], *r = NULL;
    Py_ssize_t nkw = kwnames ? PyTuple_Size(kwnames) : 0, n = u->nin;
    PyObject *outs = nkw > HP_MAXARGS
                         ? NULL
                         : PyTuple_Pack(2, args[n], nargs > n + 1 ? args[n + 1] : Py_None);
    if (!outs)
        return PyErr_Occurred() ? NULL : (wrong_count(u, nargs), NULL);
    memcpy(stack, args, sizeof *stack * (size_t)n);
    stack[n] = outs;
    memcpy(stack + n + 1, args + nargs, sizeof *stack * (size_t)nkw);
    r = run(u, stack, n + 1, kwnames);
    Py_DECREF(outs);
    return r;
}

static PyObject *call_general(ufunc *u, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    if (nargs < u->nin || nargs > u->nin + u->nout)
        return wrong_count(u, nargs), NULL;
    if (hp_refuse_ellipsis(args, u->nin, nargs) < 0)
        return NULL;
    PyObject *own;
    if (hp_asked(&own, (PyObject *)u, "__call__", args, nargs, kwnames))
        return own;
    int before = hp_ask_operands(1);
    PyObject *r = u->nout > 1 && nargs > u->nin ? call_with_outs(u, args, nargs, kwnames)
                                                : run(u, args, nargs, kwnames);
    hp_ask_operands(before);
    return r ? r : hp_hand_over_named(u->name, args, nargs, kwnames);
}

static PyObject *call_unary(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    ufunc *u = (ufunc *)self;
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    if (HP_LIKELY(nargs == 1 && !kwnames && hp_exact(args[0]) && !hp_watching))
        return hp_wrap(hd_unary(u->op, hp_a(args[0])));
    PyObject *r =
        nargs == 1 && !kwnames && !hp_watching ? hp_of_scalars(u->op, u->nin, args) : NULL;
    if (r || PyErr_Occurred())
        return r;
    return call_general(u, args, nargs, kwnames);
}

static PyObject *call_binary(PyObject *self, PyObject *const *args, size_t nargsf,
                             PyObject *kwnames)
{
    ufunc *u = (ufunc *)self;
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    if (HP_UNLIKELY(nargs != 2 || kwnames || hp_watching))
        return call_general(u, args, nargs, kwnames);
    hd_number n;
    PyObject *x = args[0], *y = args[1];
    if (hp_exact(x) && hp_exact(y))
        return hp_wrap(hd_binary(u->op, hp_a(x), hp_a(y)));
    if (hp_exact(x) && hp_exact_number(y, &n) && n.range != 2)
        return hp_wrap(hd_binary_number(u->op, hp_a(x), &n, 0));
    if (hp_exact(y) && hp_exact_number(x, &n) && n.range != 2)
        return hp_wrap(hd_binary_number(u->op, hp_a(y), &n, 1));
    PyObject *r = hp_exact(x) || hp_exact(y) ? hp_beside_scalar(u->op, x, y)
                                             : hp_of_scalars(u->op, u->nin, args);
    if (r || PyErr_Occurred())
        return r;
    return call_general(u, args, nargs, kwnames);
}

static PyObject *call_any(PyObject *self, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    return call_general((ufunc *)self, args, (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET), kwnames);
}

PyObject *hp_call_ufunc(PyObject *u, PyObject *const *args, Py_ssize_t nargs)
{
    return ((ufunc *)u)->call(u, args, (size_t)nargs, NULL);
}

/* For callers that know tp_call only. */
static PyObject *ufunc_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *stack[2 * HP_MAXARGS], *key, *value;
    Py_ssize_t n = 0, at = 0, nargs = PyTuple_Size(args), nkw = kwargs ? PyDict_Size(kwargs) : 0;
    if (nargs + nkw > 2 * HP_MAXARGS)
        return wrong_count((ufunc *)self, nargs), NULL;
    for (; n < nargs; n++)
        stack[n] = PyTuple_GetItem(args, n);
    PyObject *names = nkw ? PyTuple_New(nkw) : NULL;
    if (nkw && !names)
        return NULL;
    for (Py_ssize_t i = 0; names && PyDict_Next(kwargs, &at, &key, &value); i++) {
        stack[n++] = value;
        PyTuple_SetItem(names, i, Py_NewRef(key));
    }
    PyObject *r = ((ufunc *)self)->call(self, stack, (size_t)nargs, names);
    Py_XDECREF(names);
    return r;
}

/* ---- objects --------------------------------------------------------------------------------- */

static PyObject *by_op[HD_OP_COUNT], *pairs[HD_OP_COUNT];   /* the module keeps them */

PyObject *hp_ufunc_of(hd_op op) { return by_op[op]; }
PyObject *hp_pair_of(hd_op first) { return pairs[first]; }

static const hp_vectorcall calls[MAXIN + 1] = {NULL, call_unary, call_binary, call_any};

static void set_signature(ufunc *u)
{
    static const char *const inputs[] = {"x1", "x2", "x3"};
    static const char *const options[NOPTIONS] = {
        [OUT] = "out",     [WHERE] = "where", [DTYPE] = "dtype",         [CASTING] = "casting",
        [ORDER] = "order", [SUBOK] = "subok", [SIGNATURE] = "signature", [SIG] = "sig"};
    hp_signature *s = &u->signature;
    *s = (hp_signature){
        .name = u->name, .required = u->nin, .positional = u->nin + 1, .only_positional = u->nin};
    for (int i = 0; i < u->nin; i++)
        s->names[i] = inputs[i];
    for (int i = 0; i < NOPTIONS; i++)
        s->names[u->nin + i] = options[i];
}

static PyObject *call_matmul(PyObject *self, PyObject *const *args, size_t nargsf,
                             PyObject *kwnames)
{
    Py_ssize_t nargs = (Py_ssize_t)(nargsf & ~HP_ARGUMENTS_OFFSET);
    PyObject *own;
    if (nargs == 2 && !kwnames && hp_exact(args[0]) && hp_exact(args[1]))
        return hp_wrap(hd_matmul(hp_a(args[0]), hp_a(args[1]), NULL));
    if (hp_asked(&own, self, "__call__", args, nargs, kwnames))
        return own;
    int before = hp_ask_operands(1);
    PyObject *r = hp_matmul(args, nargs, kwnames);
    hp_ask_operands(before);
    return r ? r : hp_hand_over_named(((ufunc *)self)->name, args, nargs, kwnames);
}

/* The one function of whole axes that is no composition. */
static PyObject *make_matmul(void)
{
    ufunc *u = PyObject_New(ufunc, hp_ufunc_type);
    if (!u)
        return NULL;
    u->op = HD_OP_matmul;
    u->pair = NULL;
    u->nin = 2;
    u->nout = 1;
    u->name = "matmul";
    u->doc = "matrix product";
    u->core = "(n?,k),(k,m?)->(n?,m?)";
    u->call = call_matmul;
    set_signature(u);
    by_op[HD_OP_matmul] = (PyObject *)u;
    return (PyObject *)u;
}

static PyObject *make_ufunc(hd_op op, const hd_pair_info *pair)
{
    const hd_op_info *info = hd_op_info_of(op);
    ufunc *u = PyObject_New(ufunc, hp_ufunc_type);
    if (!u)
        return NULL;
    u->core = NULL;
    u->op = op;
    u->pair = pair;
    u->nin = info->nin;
    u->nout = pair ? 2 : 1;
    u->name = pair ? pair->name : info->name;
    u->doc = pair ? pair->doc : info->doc;
    u->call = pair ? call_any : calls[u->nin];
    set_signature(u);
    (pair ? pairs : by_op)[op] = (PyObject *)u;
    return (PyObject *)u;
}

static void ufunc_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    for (int i = 0; i < HP_MAXARGS; i++)
        Py_XDECREF(((ufunc *)self)->signature.interned[i]);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *ufunc_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<ufunc '%s'>", ((ufunc *)self)->name);
}

static PyObject *get_name(PyObject *self, void *ctx)
{
    (void)ctx;
    return PyUnicode_FromString(((ufunc *)self)->name);
}

/* The docstring, or the doc column of the operation's row. */
static PyObject *get_doc(PyObject *self, void *row)
{
    PyObject *text = PyUnicode_FromString(((ufunc *)self)->doc);
    return row ? text : hp_docstring(self, text);
}

static PyObject *get_count(PyObject *self, void *which)
{
    const ufunc *u = (ufunc *)self;
    return PyLong_FromLong(strchr(which, 'i') ? (strchr(which, 'o') ? u->nin + u->nout : u->nin)
                                              : u->nout);
}

/* The dtypes of the loop of a dtype; a product of matrices has one in each. */
static int loop_of(const ufunc *u, hd_dtype dt, hd_dtype *dts)
{
    if (!u->core)
        return hd_op_loop(u->op, dt, dts);
    dts[0] = dts[1] = dts[2] = dt;
    return 1;
}

/* The loops that there are, as NumPy writes them: "dd->d". It has no letter for bfloat16. */
static PyObject *get_types(PyObject *self, void *ctx)
{
    (void)ctx;
    const ufunc *u = (ufunc *)self;
    hd_dtype dts[MAXIN + 1], other[MAXIN + 1];
    PyObject *list = PyList_New(0);
    for (hd_dtype dt = HD_BOOL; list && dt < HD_DTYPE_COUNT; dt++) {
        char text[MAXIN + MAXOUT + 3];
        int n = 0;
        if (dt == HD_BFLOAT16 || !loop_of(u, dt, dts) ||
            (u->pair && !hd_op_loop(u->pair->result[1], dt, other)))
            continue;
        for (int k = 0; k < u->nin; k++)
            text[n++] = hd_dtype_char(dts[k]);
        text[n++] = '-', text[n++] = '>', text[n++] = hd_dtype_char(dts[u->nin]);
        if (u->pair)
            text[n++] = hd_dtype_char(other[u->nin]);
        PyObject *item = PyUnicode_FromStringAndSize(text, n);
        if (!item || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *get_ntypes(PyObject *self, void *ctx)
{
    PyObject *types = get_types(self, ctx);
    PyObject *n = types ? PyLong_FromSsize_t(PyList_Size(types)) : NULL;
    Py_XDECREF(types);
    return n;
}

static PyObject *get_signature(PyObject *self, void *ctx)
{
    const char *core = ((ufunc *)self)->core;
    (void)ctx;
    return core ? PyUnicode_FromString(core) : Py_NewRef(Py_None);
}

static PyObject *get_identity(PyObject *self, void *ctx)
{
    (void)ctx;
    const ufunc *u = (ufunc *)self;
    const hd_fold_info *fold = u->pair || u->core ? NULL : hd_fold_info_of(u->op);
    hd_dtype dts[MAXIN + 1];
    if (!fold || isnan(fold->identity))
        return Py_NewRef(Py_None);
    if (isinf(fold->identity))
        return PyFloat_FromDouble(fold->identity);
    if (hd_op_loop(u->op, HD_INT64, dts) && dts[u->nin] == HD_BOOL)
        return PyBool_FromLong(fold->identity != 0);
    return PyLong_FromDouble(fold->identity);
}

static PyGetSetDef getset[] = {
    {"__name__", get_name, NULL, NULL, NULL},  {"__qualname__", get_name, NULL, NULL, NULL},
    {"__doc__", get_doc, NULL, NULL, NULL}, {"_doc", get_doc, NULL, NULL, (void *)"row"},
    {"nin", get_count, NULL, "number of inputs", (void *)"i"},
    {"nout", get_count, NULL, "number of outputs", (void *)"o"},
    {"nargs", get_count, NULL, "inputs and outputs", (void *)"io"},
    {"types", get_types, NULL, "dtypes of the loops, as 'dd->d'", NULL},
    {"ntypes", get_ntypes, NULL, "number of loops", NULL},
    {"identity", get_identity, NULL, "what reduce() of no element gives, or None", NULL},
    {"signature", get_signature, NULL, "the axes it works on; None: element by element", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(ufunc, call), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

hp_ufunc_facts hp_ufunc_facts_of(PyObject *self)
{
    const ufunc *u = (ufunc *)self;
    return (hp_ufunc_facts){u->op, u->nin, u->nout, u->name, u->core};
}

static int add(PyObject *dict, const char *name, PyObject *u, int is_public)
{
    PyObject *pair = u ? Py_BuildValue("(NO)", u, is_public ? Py_True : Py_False) : NULL;
    int status = pair ? PyDict_SetItemString(dict, name, pair) : -1;
    Py_XDECREF(pair);
    return status;
}

/* A dict of all elementwise operations: name -> (ufunc, 1 if it is a public one). */
static int add_all(PyObject *dict)
{
    int status = 0;
    for (int op = 0; op < hd_op_count() && status == 0; op++) {
        const hd_op_info *info = hd_op_info_of((hd_op)op);
        if (info->cls == 'e' && info->nin >= 1 && info->nin <= MAXIN)
            status = add(dict, info->name, make_ufunc((hd_op)op, NULL), info->public_ufunc);
    }
    const hd_pair_info *p;
    for (int i = 0; status == 0 && (p = hd_pair_info_of(i)); i++)
        status = add(dict, p->name, make_ufunc(p->result[0], p), 1);
    return status;
}

int hp_ufunc_ready(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, ufunc_dealloc},
                                  {Py_tp_call, ufunc_call},
                                  {Py_tp_repr, ufunc_repr},
                                  {Py_tp_getset, getset},
                                  {Py_tp_members, members},
                                  {Py_tp_methods, hp_ufunc_methods},
                                  {0, NULL}};
    static PyType_Spec spec = {
        "heddle.ufunc", sizeof(ufunc), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | HP_HAVE_VECTORCALL, slots};
    PyObject *all = PyDict_New();
    hp_ufunc_type = (PyTypeObject *)PyType_FromSpec(&spec);
    int status = hp_ufunc_type && all ? add_all(all) : -1;
    if (status == 0)
        status = PyModule_AddObjectRef(module, "ufunc", (PyObject *)hp_ufunc_type);
    if (status == 0)
        status = PyModule_AddObjectRef(module, "elementwise", all);
    PyObject *matmul = status == 0 ? make_matmul() : NULL;
    status = matmul ? PyModule_AddObjectRef(module, "matmul", matmul) : -1;
    Py_XDECREF(matmul);
    Py_XDECREF(all);
    return status;
}
