# SPDX-License-Identifier: BSD-3-Clause
"""Heddle: NumPy's arrays and rules, recorded as written, fused, and run when a value is needed.

    import heddle as np

dtypes are NumPy's own objects, fetched from NumPy when first asked for: importing heddle does not
import numpy.
"""
from ._heddle import (all, any, argmax, argmin, array, asarray, broadcast_to, concatenate, convolve,
                      copyto, correlate, cummax, cummin, cumprod, cumsum, dot, empty, expand_dims,
                      eye, full, get_num_threads, matmul, max,
                      may_share_memory, mean, min, ndarray, ones, prod, set_num_threads, stack, std,
                      sum, ufunc, var, where, zeros)
from ._heddle import elementwise as _elementwise
from ._heddle import version as __version__

globals().update((_name, _pair[0]) for _name, _pair in _elementwise.items()
                 if _pair[1] and _name != "where")

from ._applying import *    # noqa: E402
from ._contracting import *  # noqa: E402
from ._creation import *    # noqa: E402
from ._differences import * # noqa: E402
from ._einsum import *      # noqa: E402
from ._einsum_path import * # noqa: E402
from ._errstate import *    # noqa: E402
from ._facts import *       # noqa: E402
from ._files import *       # noqa: E402
from ._functions import *   # noqa: E402
from ._grids import *       # noqa: E402
from ._joining import *     # noqa: E402
from ._moving import *      # noqa: E402
from ._namespace import *   # noqa: E402
from ._nan import *         # noqa: E402
from ._numeric import *     # noqa: E402
from ._padding import *     # noqa: E402
from ._polynomials import * # noqa: E402
from ._positions import *   # noqa: E402
from ._fitting import *     # noqa: E402
from ._products import *    # noqa: E402
from ._selecting import *   # noqa: E402
from ._sorting import *     # noqa: E402
from ._sets import *        # noqa: E402
from ._quantiles import *   # noqa: E402
from ._histograms import *  # noqa: E402
from ._state import *       # noqa: E402
from ._triangles import *   # noqa: E402
from ._windows import *     # noqa: E402
from . import _borrowed     # noqa: E402
from . import _dispatching  # noqa: E402,F401
from . import _methods      # noqa: E402,F401  (methods of ndarray written in Python)

from ._handing import make_methods as _make_methods, make_public as _make_public   # noqa: E402

flatiter = _methods.flatiter
newaxis = None
pi = 3.141592653589793
e = 2.718281828459045
euler_gamma = 0.5772156649015329
inf = float("inf")
nan = float("nan")
little_endian = True

# Other names of the same functions: NumPy's, and those of the array API standard.
_ALIASES = {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "amax": "max", "amin": "min",
    "around": "round", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "bitwise_invert": "invert", "bitwise_left_shift": "left_shift",
    "bitwise_not": "invert", "bitwise_right_shift": "right_shift", "concat": "concatenate",
    "conj": "conjugate", "mod": "remainder", "permute_dims": "transpose", "pow": "power",
    "true_divide": "divide",
}
globals().update((_name, globals()[_of]) for _name, _of in _ALIASES.items())
_borrowed.install()
_make_methods(ndarray)
_make_public([_name for _name in globals() if not _name.startswith("_")], __name__, globals())

_SUBMODULES = frozenset(("cuda", "cupy", "cupyx", "exceptions", "fft", "lib", "linalg",
                         "polynomial", "random", "scipy", "testing", "typing"))
_LATER = {"benchmark": "._benchmark", "plot_roofline": "._profile", "profile": "._profile",
          "load_ipython_extension": "._run.notebook",
          "unload_ipython_extension": "._run.notebook"}


# Values of arguments, which NumPy has under such names.
_FLAGS = frozenset(("_CopyMode", "_NoValue"))


def _numpys():
    """NumPy's public names; those that are not here are its own objects: dtypes, and what heddle
    does not compute on."""
    import numpy
    return {name for name in dir(numpy) if not name.startswith("_")} - _borrowed.NOT_NUMPYS


def _missing(name):
    """What is said of a name that is not there: of one that NumPy had, what to write instead."""
    if not name.startswith("_"):
        import numpy
        try:
            getattr(numpy, name)
        except AttributeError as error:
            return str(error).replace("module 'numpy'", f"module {__name__!r}")
    return f"module {__name__!r} has no attribute {name!r}"


def __getattr__(name):
    if name in _SUBMODULES:
        from importlib import import_module
        return import_module("." + name, __name__)
    if name in _LATER:
        from importlib import import_module
        value = getattr(import_module(_LATER[name], __name__), name)
    elif name == "emath":
        from .lib import scimath as value
    elif name == "bfloat16":
        try:
            from ml_dtypes import bfloat16 as value
        except ImportError:
            raise AttributeError("heddle.bfloat16 is ml_dtypes.bfloat16, and ml_dtypes is not "
                                 "installed: pip install ml_dtypes") from None
    elif name == "AxisError":
        from numpy.exceptions import AxisError as value
    elif name == "__all__":     # what `from numpy import *` gives
        from numpy import __all__ as names
        value = sorted(set(names) - _borrowed.NOT_NUMPYS)
    elif name in _FLAGS or not name.startswith("_") and name in _numpys():
        import numpy
        value = getattr(numpy, name)
    else:
        raise AttributeError(_missing(name))
    globals()[name] = value
    return value


def __dir__():
    """All public names. They are loaded, as who asks for them (tools that complete or inspect)
    expects them in vars() too; a module can do nothing when vars() itself is asked."""
    own = (n for n in globals() if not n.startswith("_"))
    names = {*own, *_SUBMODULES, *_numpys(), "AxisError", "benchmark", "bfloat16", "emath",
             "plot_roofline", "profile", "__version__"}
    for name in names - globals().keys():
        try:
            __getattr__(name)
        except AttributeError:      # bfloat16 without ml_dtypes
            names.discard(name)
    return sorted(names)
