# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's SeedSequence and bit generators, which take arrays of ours as seeds and sizes.

NumPy's classes look whether a seed is an int, a sequence or a numpy.ndarray. Those here are derived
from them and turn arrays of ours, in lists too, into what they know. NumPy's own objects count as
instances, since generators of NumPy's make them. Importing this imports NumPy.
"""
import numpy.random

from ._heddle import _is_array


def _plain(x):
    if _is_array(x):
        return x.get() if x.ndim else x.item()
    return type(x)(map(_plain, x)) if type(x) in (list, tuple) else x


class _Kind(type):
    def __instancecheck__(cls, x):
        return type.__instancecheck__(vars(cls).get("_derived_from", cls), x)

    def __subclasscheck__(cls, other):
        return type.__subclasscheck__(vars(cls).get("_derived_from", cls), other)


def _taking_ours(method):
    def call(self, *args, **kwargs):
        return method(self, *map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()})
    call.__name__, call.__qualname__ = method.__name__, method.__qualname__
    call.__doc__ = method.__doc__
    return call


def _derived(name):
    numpys = getattr(numpy.random, name)
    members = {"__module__": "heddle.random", "__doc__": numpys.__doc__, "_derived_from": numpys}
    for method in "__init__", "generate_state", "spawn", "random_raw", "advance", "jumped":
        if hasattr(numpys, method):
            members[method] = _taking_ours(getattr(numpys, method))
    return _Kind(name, (numpys,), members)


SeedSequence, MT19937, PCG64, PCG64DXSM, Philox, SFC64 = map(
    _derived, ("SeedSequence", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"))
