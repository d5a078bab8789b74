# SPDX-License-Identifier: BSD-3-Clause
"""Devices, waiting, statistics, and a look at what will run."""
import sys
from _thread import get_ident
from os import environ

from . import _conversions, _handing, _heddle
from ._heddle import _is_array, asarray

__all__ = ["asnumpy", "config", "device", "explain", "reset_memory_peak", "set_fusion", "set_tier",
           "show_config", "stats", "synchronize", "to_device", "trim"]


class device(str):
    """A place where arrays live and work runs; its name is what it is equal to: a.device == "cpu".

    In a with statement, arrays made in the block are made there.

    Parameters
    ----------
    name : str, optional
        "cpu", "cuda" or "cuda:0"; by default the current device.

    Raises
    ------
    ValueError
        There is no such device.

    See Also
    --------
    to_device, synchronize

    Examples
    --------
    >>> import heddle as np
    >>> with np.device("cpu"):
    ...     x = np.zeros(3)
    >>> x.device == "cpu"
    True
    """
    __slots__ = ("_before",)

    def __new__(cls, name=None):
        self = super().__new__(cls, _heddle._device_name(name))
        self._before = {}
        return self

    @property
    def name(self):
        """"cpu", "cuda:0"."""
        return str.__str__(self)

    @property
    def id(self):
        """Its number among the devices of its kind: 1 of "cuda:1"."""
        return int(str.partition(self, ":")[2] or 0)

    def __repr__(self):
        return f"device({self.name!r})"

    def __enter__(self):
        self._before.setdefault(get_ident(), []).append(_heddle._set_device(self.name))
        return self

    def __exit__(self, *exception):
        _heddle._set_device(self._before[get_ident()].pop())

    def use(self):
        """Makes this the current device of the thread."""
        _heddle._set_device(self.name)

    def synchronize(self):
        """Runs everything that is pending here and waits for it."""
        _heddle._synchronize(self.name)

    def __reduce__(self):
        return device, (self.name,)


_heddle._set_device_type(device)


def _check_choice(name, value, *choices):
    if value not in choices:
        *others, last = (f'"{choice}"' for choice in choices)
        raise ValueError(f"{name} is {', '.join(others)} or {last}, not {value!r}")


_SCALARS = ("mixed", "numpy", "array")


def _scalars_wanted(default):
    wish = environ.get("HEDDLE_SCALARS", default)
    return wish if wish in _SCALARS else "mixed"


class _Config:
    """Settings of the library: heddle.config."""
    __slots__ = ("_deterministic", "_guard", "_precision", "_scalars")

    def __init__(self):
        self._deterministic = False
        self._guard = "allow"
        self._precision = "ieee"
        self.scalars = _scalars_wanted("mixed")

    @property
    def scalars(self):
        """What full reductions, other results of rank 0, and elements are, where NumPy gives a scalar.

        "mixed" (the default): results are arrays of rank 0, which wait for nothing and fuse with
        what follows; elements that are read, x[i, j], are NumPy's scalars on the CPU, and arrays of
        rank 0 on a GPU.
        "numpy": NumPy's scalars, computed at once, on every device: then `(x * y).sum()` stores the
        products.
        "array": arrays of rank 0, elements on the CPU too.
        The environment variable HEDDLE_SCALARS sets it at the start.
        """
        return self._scalars

    @scalars.setter
    def scalars(self, value):
        _check_choice("scalars", value, *_SCALARS)
        self._scalars = value
        _heddle._set_scalars(value == "numpy", value != "array")

    @property
    def transfer_guard(self):
        """May NumPy arrays and lists be sent to a GPU because they stand beside an array there, and
        arrays of a GPU to the host because Arrow's consumers ask for them?

        "allow" (the default), or "disallow": then that raises; asarray() and get() are the ways.
        """
        return self._guard

    @transfer_guard.setter
    def transfer_guard(self, value):
        _check_choice("transfer_guard", value, "allow", "disallow")
        self._guard = value
        _heddle._set_transfer_guard(value == "disallow")

    @property
    def hand_over(self):
        """May NumPy do the calls whose operands heddle does not compute on: text, dates, objects,
        records, masked arrays, Series?

        "allow" (the default): NumPy's function of the same name is called, and stats() counts it.
        "error": heddle.exceptions.NotOurs, a TypeError. The environment variable HEDDLE_HAND_OVER
        sets it at the start.
        """
        return _handing.policy[0]

    @hand_over.setter
    def hand_over(self, value):
        _check_choice("hand_over", value, "allow", "error")
        _handing.policy[0] = value

    @property
    def to_numpy(self):
        """May arrays become NumPy's where the program does not say so: by numpy.asarray(), NumPy's
        functions that heddle has none of its own for, code in C that reads buffers?

        "allow" (the default): stats()["to_numpy"] counts it. "warn": also a
        heddle.exceptions.ConversionWarning that names function and caller. "error": TypeError.
        asnumpy(), get(), tolist() and what heddle itself converts are always fine. The environment
        variable HEDDLE_TO_NUMPY sets it at the start.
        """
        return _conversions.policy[0]

    @to_numpy.setter
    def to_numpy(self, value):
        _check_choice("to_numpy", value, "allow", "warn", "error")
        _conversions.policy[0] = value

    @property
    def matmul_precision(self):
        """How matrix products of float32 and complex64 are computed on a GPU.

        "ieee" (the default): in float32. "tf32": operands may be rounded to 11 bits, which is
        several times as fast. Of products recorded from here on.
        """
        return self._precision

    @matmul_precision.setter
    def matmul_precision(self, value):
        _check_choice("matmul_precision", value, "ieee", "tf32")
        self._precision = value
        _heddle._set_matmul_tf32(value == "tf32")

    @property
    def deterministic(self):
        """Have sums of real numbers by ufunc.at the same bits each time?

        False (the default): a GPU adds what goes to one place as it comes. True: in order, which
        takes longer there. Of operations recorded from here on. All else is the same each time.
        """
        return self._deterministic

    @deterministic.setter
    def deterministic(self, value):
        self._deterministic = bool(value)
        _heddle._set_deterministic(self._deterministic)


config = _Config()


def default_scalars(default="mixed"):
    """Full reductions give what the environment says, or else the default."""
    config.scalars = _scalars_wanted(default)


def to_device(x, device, /):
    """The array on a device: itself if it is there already, else a copy."""
    return asarray(x).to_device(device)


def asnumpy(a):
    """The elements as a numpy.ndarray of their own."""
    import numpy
    if _is_array(a) and not _heddle._is_host(a.device):
        return numpy.asarray(_heddle._to_host(a))
    return numpy.array(a)


def synchronize(device=None):
    """Runs everything that is pending on a device (on all of them) and waits for it."""
    _heddle._synchronize(device)


def stats(device=None):
    """Counters of a device: operations recorded and fused, plans, kernels, memory; and whatever the
    device, calls that NumPy did, "hand_overs": a Counter of functions, and arrays that became
    NumPy's without the program having said so, "to_numpy": a Counter of (function, caller)."""
    from collections import Counter
    return {**_heddle._stats(device), "hand_overs": Counter(_handing.counts),
            "to_numpy": _conversions.counts()}


def reset_memory_peak(device=None):
    """From here on memory_peak counts anew."""
    _heddle._reset_memory_peak(device)


def trim(device=None):
    """Gives cached memory back to the system."""
    return _heddle._trim(device)


def set_fusion(on):
    """How the work of the current device is put together.

    True (the default) records operations and fuses them, but for small ones on the CPU, which run within
    their call; "always" records those as well; False records and makes every operation a kernel of its
    own, for tests. All give the same bits.
    """
    modes = (False, True, "always")
    if isinstance(on, str) and on != "always":
        raise ValueError(f'fusion must be True, False or "always", not {on!r}')
    return modes[_heddle._set_fusion(2 if isinstance(on, str) else int(bool(on)))]


def set_tier(tier):
    """How kernels run, in the whole process: 0 interpreted, 1 compiled before they run, None (the
    default) compiled in the background once they have done enough work. Both give the same bits."""
    if tier not in (0, 1, None) or tier is True or tier is False:
        raise ValueError(f"tier must be 0, 1 or None, not {tier!r}")
    old = _heddle._set_tier(-1 if tier is None else tier)
    return None if old < 0 else old


def explain(x, file=None, dot=None):
    """Prints the kernels that computing x will run. Nothing runs."""
    x = x if _is_array(x) else asarray(x)
    print(_heddle._explain(x, False), end="", file=sys.stdout if file is None else file)
    if dot is not None:
        with open(dot, "w", encoding="utf-8") as graph:
            graph.write(_heddle._explain(x, True))


def _config():
    from importlib.metadata import PackageNotFoundError, version
    found = {}
    for package in ("numpy", "scipy-openblas32"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    switches = {name: value for name, value in environ.items() if name.startswith("HEDDLE_")}
    return {"heddle": _heddle.version, "extension": _heddle.__file__,
            "python": sys.version.split()[0], **found, "device": _heddle._device_name(None),
            "threads": _heddle.get_num_threads(),
            **dict(line.split("\t", 1) for line in _heddle._device_info(None).splitlines()),
            **switches}


def show_config(mode="stdout"):
    """Prints versions, device, threads and the HEDDLE_ variables that are set."""
    config = _config()
    if mode == "dicts":
        return config
    if mode != "stdout":
        raise AttributeError(f"Invalid `mode`, use one of: stdout, dicts. Got {mode!r}.")
    for name, value in config.items():
        print(f"{name:18} {value}")
    return None
