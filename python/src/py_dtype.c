/* SPDX-License-Identifier: BSD-3-Clause */
/* py_dtype.c - dtypes between heddle's small integers and NumPy's objects, and the one way to
 * NumPy, imported when first needed. */
#include "py.h"

#include <string.h>

/* Borrowed for the life of the process. */
static PyObject *numpy_module, *numpy_ndarray, *numpy_generic, *numpy_dtype;
static PyObject *dtype_objects[HD_DTYPE_COUNT];

PyObject *hp_numpy(void)
{
    if (!numpy_module)
        numpy_module = PyImport_ImportModule("numpy");
    return numpy_module;
}

/* Finds NumPy's types once NumPy is imported by anybody; nobody can hold its objects before. */
static int numpy_types(void)
{
    if (HP_LIKELY(numpy_generic != NULL))
        return 1;
    PyObject *name = PyUnicode_InternFromString("numpy");
    PyObject *module = name ? PyImport_GetModule(name) : NULL;
    Py_XDECREF(name);
    if (!module)
        return PyErr_Clear(), 0;
    numpy_ndarray = PyObject_GetAttrString(module, "ndarray");
    numpy_generic = numpy_ndarray ? PyObject_GetAttrString(module, "generic") : NULL;
    Py_DECREF(module);
    if (!numpy_generic)
        PyErr_Clear();   /* NumPy is being imported just now */
    return numpy_generic != NULL;
}

int hp_is_numpy_array(PyObject *o)
{
    return numpy_types() && PyObject_TypeCheck(o, (PyTypeObject *)numpy_ndarray);
}

PyTypeObject *hp_numpy_array_type(void)
{
    return numpy_types() ? (PyTypeObject *)numpy_ndarray : NULL;
}

int hp_is_numpy_scalar(PyObject *o)
{
    return numpy_types() && PyObject_TypeCheck(o, (PyTypeObject *)numpy_generic);
}

PyObject *hp_numpy_call(const char *name, PyObject *args, PyObject *kwargs)
{
    PyObject *numpy = hp_numpy(), *result = NULL;
    PyObject *function = numpy && args ? PyObject_GetAttrString(numpy, name) : NULL;
    if (function)
        result = PyObject_Call(function, args, kwargs);
    Py_XDECREF(function);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    return result;
}

int hp_warn_discards(void)
{
    PyObject *warning = hp_numpy_exception("numpy.exceptions", "ComplexWarning");
    return warning ? PyErr_WarnEx(
                         warning, "Casting complex values to real discards the imaginary part", 1)
                   : 0;
}

PyObject *hp_numpy_exception(const char *module, const char *name)
{
    PyObject *m = PyImport_ImportModule(module);
    PyObject *type = m ? PyObject_GetAttrString(m, name) : NULL;
    Py_XDECREF(m);
    if (!type)
        PyErr_Clear();
    else
        Py_DECREF(type);   /* its module keeps it alive */
    return type;
}

/* ---- to NumPy -------------------------------------------------------------------------------- */

/* NumPy knows bfloat16 once ml_dtypes, whose type it is, has been imported. */
static int find_bfloat16(void)
{
    PyObject *module = PyImport_ImportModule("ml_dtypes");
    if (!module && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) {
        PyErr_Clear();
        PyErr_SetString(PyExc_ImportError,
                        "the dtype bfloat16 is ml_dtypes.bfloat16, and ml_dtypes is not installed: "
                        "pip install ml_dtypes");
    }
    Py_XDECREF(module);
    return module ? 0 : -1;
}

PyObject *hp_dtype_object(hd_dtype dt)
{
    if (HP_UNLIKELY(!dtype_objects[dt] && dt == HD_BFLOAT16) && find_bfloat16() < 0)
        return NULL;
    if (HP_UNLIKELY(!dtype_objects[dt]))
        dtype_objects[dt] = hp_numpy_call("dtype", Py_BuildValue("(s)", hd_dtype_name(dt)), NULL);
    Py_XINCREF(dtype_objects[dt]);
    return dtype_objects[dt];
}

const char *hp_dtype_format(hd_dtype dt)
{
    static const char *const formats[HD_DTYPE_COUNT] = {
        [HD_BOOL] = "?",    [HD_INT8] = "b",       [HD_INT16] = "h",      [HD_INT32] = "i",
        [HD_INT64] = "l",   [HD_UINT8] = "B",      [HD_UINT16] = "H",     [HD_UINT32] = "I",
        [HD_UINT64] = "L",  [HD_FLOAT16] = "e",    [HD_FLOAT32] = "f",    [HD_FLOAT64] = "d",
        [HD_COMPLEX64] = "Zf", [HD_COMPLEX128] = "Zd"};   /* there is none for bfloat16 */
    return formats[dt];
}

/* ---- from NumPy ------------------------------------------------------------------------------ */

static hd_dtype by_kind(char kind, Py_ssize_t itemsize)
{
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++)
        if (dt != HD_BFLOAT16 && hd_dtype_kind((hd_dtype)dt) == kind &&
            hd_dtype_size((hd_dtype)dt) == itemsize)
            return (hd_dtype)dt;
    return HD_NO_DTYPE;
}

hd_dtype hp_dtype_of_format(const char *format, Py_ssize_t itemsize)
{
    if (!format)
        format = "B";
    /* a little-endian machine: all three mean native order */
    if (*format == '@' || *format == '=' || *format == '<')
        format++;
    int complex = *format == 'Z';
    format += complex;
    if (format[0] == '\0' || format[1] != '\0')
        return HD_NO_DTYPE;
    if (strchr("fde", *format))
        return by_kind(complex ? 'c' : 'f', itemsize);
    if (complex)
        return HD_NO_DTYPE;
    return *format == '?'               ? HD_BOOL
           : strchr("bhilqn", *format) ? by_kind('i', itemsize)
           : strchr("BHILQN", *format) ? by_kind('u', itemsize)
                                       : HD_NO_DTYPE;
}

/* Is d the dtype that ml_dtypes registers? NumPy's own of kind V have other names. */
static int is_bfloat16(PyObject *d)
{
    PyObject *name = PyObject_GetAttrString(d, "name");
    int same = name && PyUnicode_Check(name) &&
               PyUnicode_CompareWithASCIIString(name, "bfloat16") == 0;
    Py_XDECREF(name);
    PyErr_Clear();
    return same;
}

/* Reads kind, itemsize and byte order of a numpy.dtype. */
static int from_dtype_object(PyObject *d, hd_dtype *dt)
{
    int status = -1;
    Py_ssize_t length;
    PyObject *text = PyObject_GetAttrString(d, "str");   /* as "<f8" */
    const char *s = text ? PyUnicode_AsUTF8AndSize(text, &length) : NULL;
    PyObject *size = s ? PyObject_GetAttrString(d, "itemsize") : NULL;
    if (size) {
        *dt = s[0] == '>' ? HD_NO_DTYPE : by_kind(s[1], PyLong_AsSsize_t(size));
        if (s[1] == 'V' && is_bfloat16(d))
            *dt = HD_BFLOAT16;
        status = *dt != HD_NO_DTYPE ? 0 : -1;
        if (status < 0)
            PyErr_SetObject(hp_not_ours, d);
    }
    Py_XDECREF(size);
    Py_XDECREF(text);
    return status;
}

/* "f4", "<i8", "d": a kind and a number of bytes, or a character. Anything else is NumPy's to
 * say. */
static hd_dtype by_code(const char *code, Py_ssize_t length)
{
    static const char characters[] = "?bhilBHILefdFDqQ";
    static const hd_dtype meant[] = {HD_BOOL,    HD_INT8,    HD_INT16,     HD_INT32,
                                     HD_INT64,   HD_UINT8,   HD_UINT16,    HD_UINT32,
                                     HD_UINT64,  HD_FLOAT16, HD_FLOAT32,   HD_FLOAT64,
                                     HD_COMPLEX64, HD_COMPLEX128, HD_INT64, HD_UINT64};
    if (length > 1 && (*code == '<' || *code == '=')) {
        code++;
        length--;
    }
    const char *c = length == 1 ? strchr(characters, *code) : NULL;
    if (c)
        return meant[c - characters];
    if (length == 2 && code[1] >= '1' && code[1] <= '8')
        return by_kind(*code, code[1] - '0');
    return length == 3 && strcmp(code, "c16") == 0 ? HD_COMPLEX128 : HD_NO_DTYPE;
}

static int by_name(PyObject *o, hd_dtype *dt)
{
    Py_ssize_t length;
    const char *name = PyUnicode_AsUTF8AndSize(o, &length);
    if (!name)
        return PyErr_Clear(), 0;
    *dt = hd_dtype_from_name(name);
    if (*dt == HD_NO_DTYPE)
        *dt = by_code(name, length);
    return *dt != HD_NO_DTYPE;
}

static int of_python(PyObject *o, hd_dtype *dt)
{
    *dt = o == (PyObject *)&PyFloat_Type     ? HD_FLOAT64
          : o == (PyObject *)&PyLong_Type    ? HD_INT64
          : o == (PyObject *)&PyBool_Type    ? HD_BOOL
          : o == (PyObject *)&PyComplex_Type ? HD_COMPLEX128
                                             : HD_NO_DTYPE;
    return *dt != HD_NO_DTYPE;
}

/* Names and types that were met before: "f4", numpy.float32. They mean the same for ever. */
static PyObject *known;
enum { KNOWN_LIMIT = 256 };

static int is_known(PyObject *o, hd_dtype *dt)
{
    PyObject *number =
        known && (PyUnicode_Check(o) || PyType_Check(o)) ? PyDict_GetItemWithError(known, o) : NULL;
    if (number)
        *dt = (hd_dtype)PyLong_AsLong(number);
    return number != NULL;
}

static int remember(PyObject *o, hd_dtype dt)
{
    if (!known)
        known = PyDict_New();
    if (!known || PyDict_Size(known) >= KNOWN_LIMIT ||
        !(PyUnicode_CheckExact(o) || PyType_Check(o)))
        return known ? 0 : -1;
    PyObject *number = PyLong_FromLong(dt);
    int status = number ? PyDict_SetItem(known, o, number) : -1;
    Py_XDECREF(number);
    return status;
}

static int ask_numpy(PyObject *o, hd_dtype *dt)
{
    if (!hp_numpy())
        return -1;
    if (!numpy_dtype && !(numpy_dtype = PyObject_GetAttrString(numpy_module, "dtype")))
        return -1;
    PyObject *d = PyObject_CallFunctionObjArgs(numpy_dtype, o, NULL);
    int status = d ? from_dtype_object(d, dt) : -1;
    Py_XDECREF(d);
    return status < 0 ? -1 : remember(o, *dt);
}

int hp_dtype(PyObject *o, hd_dtype *dt)
{
    *dt = HD_NO_DTYPE;
    if (!o || o == Py_None || of_python(o, dt) || is_known(o, dt))
        return 0;
    if (PyUnicode_Check(o) && by_name(o, dt))   /* a plain name needs no NumPy */
        return remember(o, *dt);
    for (int i = HD_BOOL; i < HD_DTYPE_COUNT; i++)
        if (o == dtype_objects[i]) {
            *dt = (hd_dtype)i;
            return 0;
        }
    return PyErr_Occurred() ? -1 : ask_numpy(o, dt);
}

int hp_casting(PyObject *o, hd_casting *casting)
{
    if (!o)
        return 0;
    for (hd_casting level = HD_CAST_NO; level <= HD_CAST_UNSAFE; level++)
        if (PyUnicode_Check(o) &&
            PyUnicode_CompareWithASCIIString(o, hd_casting_name(level)) == 0) {
            *casting = level;
            return 0;
        }
    if (!PyUnicode_Check(o)) {
        PyErr_Format(PyExc_TypeError, "casting must be str, not %S", (PyObject *)Py_TYPE(o));
        return -1;
    }
    PyErr_Format(PyExc_ValueError,
                 "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe' (got %R)", o);
    return -1;
}
