/* SPDX-License-Identifier: BSD-3-Clause */
/* py_module.c - the module heddle._heddle. Its types are in static pointers, which makes the hot
 * slots one comparison and rules sub-interpreters out (the limited API of Python 3.11 has no way
 * from a slot to its module). */
#include "py_element.h"

static int add_functions(PyObject *module)
{
    PyMethodDef *const tables[] = {hp_creation_functions, hp_core_functions, hp_reduce_functions,
                                   hp_exchange_functions, hp_buffer_functions,
                                   hp_state_functions, hp_element_functions, hp_device_functions,
                                   hp_instance_functions,
                                   hp_stream_functions, hp_graph_functions, hp_launch_functions,
                                   hp_kernel_functions, hp_handover_functions,
                                   hp_method_functions, hp_subclass_functions, hp_fft_functions,
                                   hp_linalg_functions, hp_sort_functions, hp_compose_functions,
                                   hp_profile_functions, hp_numpys_functions, hp_few_functions};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        if (PyModule_AddFunctions(module, tables[t]) < 0)
            return -1;
    return 0;
}

static int fill(PyObject *module)
{
    if (hd_abi_version() != HD_ABI_VERSION) {
        PyErr_Format(PyExc_ImportError,
                     "heddle: the library has interface version %d, this package needs %d",
                     hd_abi_version(), HD_ABI_VERSION);
        return -1;
    }
    hp_reduce_docs();
    if (hp_handover_ready(module) < 0 || hp_method_ready(module) < 0 || hp_array_ready() < 0 ||
        hp_instance_ready() < 0 || hp_iterator_ready() < 0 ||
        hp_ufunc_ready(module) < 0 || hp_generator_ready(module) < 0 ||
        hp_numpys_ready(module) < 0)
        return -1;
    if (PyModule_AddObjectRef(module, "ndarray", (PyObject *)hp_array_type) < 0 ||
        PyModule_AddStringConstant(module, "version", hd_version()) < 0)
        return -1;
    static const struct { const char *name; long value;
    } bits[] = {{"C_CONTIGUOUS", HD_C_CONTIGUOUS}, {"F_CONTIGUOUS", HD_F_CONTIGUOUS},
                {"WRITEABLE", HD_WRITEABLE},       {"OWNDATA", HD_OWNS_DATA},
                {"ALIGNED", HD_ALIGNED},           {"PENDING", HD_PENDING}};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (PyModule_AddIntConstant(module, bits[i].name, bits[i].value) < 0)
            return -1;
    return add_functions(module);
}

PyMODINIT_FUNC PyInit__heddle(void);

PyMODINIT_FUNC PyInit__heddle(void)
{
    static struct PyModuleDef def = {PyModuleDef_HEAD_INIT,
                                     "heddle._heddle",
                                     "the C side of heddle",
                                     -1,
                                     NULL,
                                     NULL,
                                     NULL,
                                     NULL,
                                     NULL};
    PyObject *module = PyModule_Create(&def);
    if (module && fill(module) < 0)
        Py_CLEAR(module);
    if (module && hp_install_wait_hooks() < 0)
        Py_CLEAR(module);
    if (module)
        Py_AtExit(hd_before_exit);   /* no room: the library's own atexit() is left */
    return module;
}
