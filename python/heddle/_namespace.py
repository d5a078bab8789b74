# SPDX-License-Identifier: BSD-3-Clause
"""What the array API standard asks of a module about itself."""
from . import _heddle

__all__ = ["__array_api_version__", "__array_namespace_info__"]

__array_api_version__ = "2024.12"

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]


class __array_namespace_info__:
    """What the module can do, and which dtypes and devices it has: the standard's inspection.

    The dtypes are those of the standard; float16 and bfloat16 are there besides.
    """
    __slots__ = ()

    def capabilities(self):
        """Which optional parts of the standard there are."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self):
        """Where new arrays are made."""
        from ._state import device
        return device()

    def devices(self):
        """All devices of this machine."""
        from ._state import device
        return [device("cpu"),
                *(device(f"cuda:{n}") for n in range(_heddle._device_count("cuda")))]

    @staticmethod
    def _check(device):
        if device is not None:
            _heddle._device_name(device)

    def default_dtypes(self, *, device=None):
        """The dtypes of what is made of Python's numbers."""
        import numpy
        self._check(device)
        return {"real floating": numpy.dtype("f8"), "complex floating": numpy.dtype("c16"),
                "integral": numpy.dtype("i8"), "indexing": numpy.dtype("i8")}

    def dtypes(self, *, device=None, kind=None):
        """The dtypes by name: all of them, or those of a kind or of a tuple of kinds."""
        import numpy
        self._check(device)
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for k in kinds:
            if k not in _KINDS:
                raise ValueError(f"unsupported kind: {k!r}")
        return {name: numpy.dtype(name) for k in kinds for name in _KINDS[k]}
