# SPDX-License-Identifier: BSD-3-Clause
"""Arrays from and to files and texts, in NumPy's formats and by NumPy's readers and writers."""
from ._heddle import _is_array, NotOurs, asarray

__all__ = ["fromfile", "fromiter", "fromregex", "fromstring", "genfromtxt", "load", "loadtxt",
           "save", "savetxt", "savez", "savez_compressed"]


def ours_if_numbers(x):
    """What was read: ours, or NumPy's where heddle does not compute on it."""
    try:
        return asarray(x)
    except NotOurs:
        return x


def _read(name, *args, **kwargs):
    import numpy
    result = getattr(numpy, name)(*args, **kwargs)
    if isinstance(result, (list, tuple)):       # loadtxt(unpack=True) and the like
        return type(result)(map(ours_if_numbers, result))
    return ours_if_numbers(result)


def _numpys(x):
    import numpy
    return numpy.asarray(x) if _is_array(x) else x


# ---- NumPy's binary files ------------------------------------------------------------------------


def save(file, arr, allow_pickle=True):
    """Writes an array to a .npy file."""
    import numpy
    numpy.save(file, numpy.asarray(asarray(arr)), allow_pickle=allow_pickle)


def savez(file, *args, allow_pickle=True, **kwds):
    """Writes arrays to a .npz file: under their names, or as arr_0, arr_1 ..."""
    import numpy
    numpy.savez(file, *map(_numpys, args), allow_pickle=allow_pickle,
                **{k: _numpys(v) for k, v in kwds.items()})


def savez_compressed(file, *args, allow_pickle=True, **kwds):
    """As savez(), compressed."""
    import numpy
    numpy.savez_compressed(file, *map(_numpys, args), allow_pickle=allow_pickle,
                           **{k: _numpys(v) for k, v in kwds.items()})


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *,
         max_header_size=10000):
    """The array of a .npy file, or the arrays of a .npz file by name. It is a copy in any case."""
    import numpy
    result = numpy.load(file, mmap_mode, allow_pickle, fix_imports, encoding,
                        max_header_size=max_header_size)
    if not isinstance(result, numpy.lib.npyio.NpzFile):
        return ours_if_numbers(result)
    from ._npz import NpzFile
    return NpzFile(result)


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None):
    """The numbers in a file: binary, or as text with a separator."""
    return _read("fromfile", file, dtype, count, sep, offset)


# ---- text ----------------------------------------------------------------------------------------


def fromstring(string, dtype=float, count=-1, *, sep="", like=None):
    """The numbers in a text, with a separator between them."""
    return _read("fromstring", string, dtype, count, sep=sep)


def loadtxt(fname, *args, **kwargs):
    """The numbers in a text file."""
    return _read("loadtxt", fname, *args, **kwargs)


def genfromtxt(fname, *args, **kwargs):
    """The numbers in a text file that may lack some."""
    return _read("genfromtxt", fname, *args, **kwargs)


def fromregex(file, regexp, dtype, encoding=None):
    """The numbers that a regular expression finds in a text file."""
    return _read("fromregex", file, regexp, dtype, encoding)


def savetxt(fname, X, *args, **kwargs):
    """Writes a vector or matrix to a text file."""
    import numpy
    numpy.savetxt(fname, _numpys(X), *args, **kwargs)


def fromiter(iter, dtype, count=-1, *, like=None):
    """The numbers that an iterable gives, along one axis."""
    return _read("fromiter", iter, dtype, count)
