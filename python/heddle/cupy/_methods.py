# SPDX-License-Identifier: BSD-3-Clause
"""Methods of ndarray that CuPy's arrays have and NumPy 2's have not; the import puts them there."""
from .. import _heddle, add, maximum, minimum, ptp
from .._heddle import ndarray


def _scatter(ufunc, doc):
    def scatter(self, slices, value):
        ufunc.at(self, slices, value)
    scatter.__doc__ = doc
    scatter.__name__ = f"scatter_{ufunc.__name__}"
    return scatter


scatter_add = _scatter(add, "self[slices] += value, where places that come twice get both.")
scatter_max = _scatter(maximum, "The maximum of self[slices] and value, written there.")
scatter_min = _scatter(minimum, "The minimum of self[slices] and value, written there.")


def _ptp(self, axis=None, out=None, keepdims=False):
    """Maximum minus minimum along an axis."""
    return ptp(self, axis, out, keepdims)


def _dumps(self):
    """The array as a pickle."""
    import pickle
    return pickle.dumps(self, protocol=-1)


def _dump(self, file):
    """Writes the array as a pickle to a file, or to one of that name."""
    if hasattr(file, "write"):
        file.write(_dumps(self))
    else:
        with open(file, "wb") as opened:
            opened.write(_dumps(self))


def _to_dlpack(self):
    """A capsule of DLPack's."""
    return self.__dlpack__()


_view_of_memory = ndarray.data


def _data(self):
    """On a GPU a MemoryPointer, as CuPy's; on the CPU a memoryview, as NumPy's."""
    if _heddle._is_host(self.device):
        return _view_of_memory.__get__(self)
    from .cuda.memory import MemoryPointer
    return MemoryPointer(self)


ndarray.scatter_add = scatter_add
ndarray.scatter_max = scatter_max
ndarray.scatter_min = scatter_min
ndarray.ptp = _ptp
ndarray.dump, ndarray.dumps = _dump, _dumps
ndarray.toDlpack = _to_dlpack
ndarray.data = property(_data, doc=_data.__doc__)
