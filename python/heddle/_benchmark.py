# SPDX-License-Identifier: BSD-3-Clause
"""benchmark(): how long a function takes, and how near that is to what the device can do."""
import math
import re
from time import perf_counter

from . import _heddle
from ._state import device, stats, synchronize

__all__ = ["benchmark"]

_UNITS = {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
_KERNEL = re.compile(r"kernel \d+: (.*) over \((.*)\), \d+ operations?, (\S+) (\w+) moved")


# ---- what one call is --------------------------------------------------------------------------


def _arrays(x):
    """The arrays in what a function returned."""
    if _heddle._is_array(x):
        yield x
    elif isinstance(x, dict):
        yield from _arrays(list(x.values()))
    elif isinstance(x, (list, tuple)):
        for part in x:
            yield from _arrays(part)


def _told(text):
    """Kernels, bytes moved and operations on elements, of what explain() said. nan: not known."""
    kernels, moved, operations = 0, 0.0, 0.0
    lines = text.splitlines()
    for n, line in enumerate(lines):
        found = _KERNEL.match(line)
        if not found:
            continue
        kind, shape, amount, unit = found.groups()
        elements = math.prod(int(extent) for extent in shape.split(",") if extent.strip())
        names = []
        for more in lines[n + 1:]:
            if not more.startswith("    "):
                break
            names += more.split()
        kernels += 1
        moved += float(amount) * _UNITS[unit]
        operations += math.nan if kind == "library call" else elements * sum(
            {"copy": 0, "sumproduct": 2}.get(name, 1) for name in names)
    return kernels, moved, operations


class _Account:
    """What one call of a function comes to: counters of the device, and what explain() says of the
    arrays that it returns. That is known if all its kernels are theirs."""

    def __init__(self, call):
        synchronize()
        before = stats()
        result = call()
        told = [_told(_heddle._explain(x, False)) for x in _arrays(result)]
        synchronize()
        after = stats()
        self.kernels = after["kernels"] - before["kernels"]
        self.temporaries = after["temporaries"] - before["temporaries"]
        kernels, moved, operations = map(sum, zip(*told)) if told else (0, 0, 0)
        known = self.kernels > 0 and kernels == self.kernels
        self.bytes_moved = moved if known else None
        self.operations = operations if known and not math.isnan(operations) else None


_ceilings = {}


def ceiling(where=None):
    """Bytes a second that `x * 2` of 128 MB moves on a device (the current one), the best of six.
    Measured once in a process."""
    where = device(where)
    if where not in _ceilings:
        from . import ones
        with where:
            x, best = ones(1 << 24, "f8"), math.inf
            for _ in range(6):      # the first one finds memory
                times, _ = _times(lambda: x * 2, [where] if _is_gpu(where) else [])
                best = min(best, times[-1])
        _ceilings[where] = 2 * x.nbytes / best
    return _ceilings[where]


# ---- times -------------------------------------------------------------------------------------


def _is_gpu(where):
    return where.startswith("cuda")


def _times(call, gpus):
    """Seconds of one call: the host's, and those of each GPU; and what it returned.

    On a GPU the host's time ends when the work is enqueued; elsewhere when it is done.
    """
    from . import cuda
    marks = []
    for gpu in gpus:
        with gpu:
            marks.append((cuda.Event(), cuda.Event()))
    synchronize()
    for start, _ in marks:
        start.record()
    begin = perf_counter()
    result = call()
    for _, end in marks:
        end.record()
    if not gpus:
        synchronize()
    times = [perf_counter() - begin]
    for start, end in marks:
        end.synchronize()
        times.append(cuda.get_elapsed_time(start, end) / 1e3)
    return (times if gpus else times * 2), result


class Timings:
    """What benchmark() returns; printed as CuPy prints it, with a second line of what was done.

    cpu_times: seconds of each call, (n,). gpu_times: those of each device, (devices, n); where
    arrays are on the CPU both are the time until the results are there. kernels, temporaries
    (results that never reached memory), bytes_moved, operations (on elements): of one call.
    bytes_moved and operations are None where they are not known: for what runs while the function
    does (it asked for a value), where no array is returned, and, operations, for library calls.
    """

    def __init__(self, name, times, devices, account):
        import numpy
        times = numpy.array(times).reshape(len(times), -1).T
        self.name, self.devices = name, devices
        self.cpu_times, self.gpu_times = times[0], times[1:]
        self.kernels, self.temporaries = account.kernels, account.temporaries
        self.bytes_moved, self.operations = account.bytes_moved, account.operations

    @staticmethod
    def _line(name, times):
        times = times * 1e6
        text = f"{name}:{times.mean():10.3f} us"
        if times.size > 1:
            text += (f"   +/- {times.std():6.3f} (min:{times.min():10.3f} / "
                     f"max:{times.max():10.3f}) us")
        return text

    def _done(self):
        """What one call did, and how fast."""
        seconds, where = self.gpu_times.mean(axis=1).max(), device(self.devices[0])
        text = (f"{self.kernels} kernel{'s' * (self.kernels != 1)}, "
                f"{self.temporaries} temporar{'y' if self.temporaries == 1 else 'ies'} removed")
        if self.bytes_moved is not None:
            speed, best = self.bytes_moved / seconds, ceiling(where)
            text += (f", {self.bytes_moved / 1e6:.3g} MB moved at {speed / 1e9:.3g} GB/s "
                     f"({100 * speed / best:.0f} % of the {best / 1e9:.3g} GB/s that {where} "
                     "reaches)")
        if self.operations is not None:
            text += (f", {self.operations / 1e6:.3g} million operations at "
                     f"{self.operations / seconds / 1e9:.3g} GFLOP/s")
        return text

    def to_str(self, show_gpu=False):
        """The times of the CPU; with show_gpu also those of GPUs, and what was done."""
        text = f"{self.name:<20}:" + self._line("    CPU", self.cpu_times)
        if not show_gpu:
            return text
        for where, times in zip(self.devices, self.gpu_times):
            if _is_gpu(where):
                text += self._line(f"     GPU-{where[5:]}", times)
        return f"{text}\n    {self._done()}"

    def __str__(self):
        return self.to_str(show_gpu=True)

    __repr__ = __str__


def benchmark(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10,
              max_duration=math.inf, devices=None):
    """How long func(*args, **kwargs) takes; what it returns is computed each time.

    Parameters
    ----------
    func : callable
        The function.
    args : tuple, default: ()
        Its arguments.
    kwargs : dict, default: {}
        Its arguments by name.
    n_repeat : int, default: 10000
        How many calls are timed, fewer if they take `max_duration` together.
    name : str, optional
        What to call it, by default `func.__name__`.
    n_warmup : int, default: 10
        Calls before those that are timed.
    max_duration : float, default: inf
        Seconds.
    devices : sequence of int, optional
        Numbers of GPUs to time, by default the current one.

    Returns
    -------
    Timings
        The times, which print as a line.

    Raises
    ------
    ValueError
        `n_repeat` is not above 0.
    TypeError
        `func` cannot be called.

    See Also
    --------
    profile, explain

    Examples
    --------
    >>> import heddle as np
    >>> x = np.ones(1000)
    >>> times = np.benchmark(lambda: x * 2 + 1, n_repeat=3, name="twice")
    >>> str(times).startswith("twice")
    True
    """
    if not callable(func):
        raise TypeError(f"func must be callable, not {type(func)}")
    if n_repeat < 1:
        raise ValueError("n_repeat must be positive")
    where = [device()] if devices is None else [device(f"cuda:{int(n)}") for n in devices]
    gpus = [place for place in where if _is_gpu(place)]

    def call():
        return func(*args, **kwargs)

    for _ in range(n_warmup):
        _times(call, gpus)
    account, times, begin = _Account(call), [], perf_counter()
    while len(times) < n_repeat and (not times or perf_counter() - begin < max_duration):
        times.append(_times(call, gpus)[0])
    return Timings(name or getattr(func, "__name__", "benchmark"), times, where, account)
