# SPDX-License-Identifier: BSD-3-Clause
"""Numba's functions take our arrays: their type, and reading them where they lie.

Numba finds init() by the entry point "numba_extensions" of the installed package when it compiles
its first function. Nothing of heddle's imports this module.
"""
import functools

from numba.core import types
from numba.core.boxing import unbox_buffer
from numba.core.errors import NumbaError
from numba.core.imputils import lower_cast
from numba.core.typing.typeof import typeof_impl
from numba.extending import models, register_model, unbox
from numba.np.numpy_support import from_dtype

from . import _heddle
from ._heddle import ndarray


class HeddleArray(types.Array):
    """The type of an array of ours that is an argument. Within a function it is an array as any
    other: views, copies and what is made like it are NumPy's, and so is what leaves the function.
    """

    def __init__(self, dtype, ndim, layout, readonly=False):
        name = f"heddle.ndarray({dtype}, {ndim}d, {layout}{', readonly' * readonly})"
        super().__init__(dtype, ndim, layout, readonly=readonly, name=name)


register_model(HeddleArray)(models.ArrayModel)


def _layout(flags):
    return "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"


def typeof_array(x, context):
    """Numba's type of an array: of results without axes that are real that of the number.

    Raises TypeError for arrays on a GPU and dtypes that Numba has not. It depends on no more than
    buffers tell, since Numba remembers it by these: not on alignment, which loads of x86 need not.
    """
    if not _heddle._is_host(x.device):
        raise TypeError(f"the array is on device {x.device}, and this function of Numba's runs on "
                        "the CPU: heddle.asnumpy(x) is a copy there")
    try:
        dtype = from_dtype(x.dtype)
    except NumbaError:
        raise TypeError(f"Numba has no arrays of {x.dtype}") from None
    readonly = not x.flags.writeable
    if x.ndim == 0 and readonly and x.dtype.kind != "c":
        return dtype
    return HeddleArray(dtype, x.ndim, _layout(x.flags), readonly)


def array_to_array(context, builder, given, wanted, value):
    """An array of ours as one of NumPy's, which looks the same in memory."""
    return value


@functools.cache
def init():
    """What Numba calls when it compiles its first function; a program may have done so before."""
    typeof_impl.register(ndarray, typeof_array)
    unbox(HeddleArray)(unbox_buffer)
    lower_cast(HeddleArray, types.Array)(array_to_array)
