# SPDX-License-Identifier: BSD-3-Clause
"""profile(): what ran, when and how long, as a table, as a trace for Perfetto, and beside what the
device can do."""
import collections
import json
import math

from . import _heddle
from ._benchmark import _is_gpu, _times, ceiling
from ._state import device, synchronize

__all__ = ["Profile", "Span", "plot_roofline", "profile"]


class Span(collections.namedtuple("Span", "kind name device shape thread begin seconds bytes "
                                          "operations")):
    """One thing that ran.

    kind: "kernel", "library call", "copy" (between the host and a device) or "compilation". name:
    its operations, in their order. shape: what a kernel runs over, as text. thread: of the host, by
    number; on a GPU the one that launched it. begin, seconds: since the profile began, by the
    device's clock. bytes: of the operands, each element once; operations: on elements; None where
    they are not known.
    """

    __slots__ = ()

    @property
    def bandwidth(self):
        """Bytes a second; nan where they are not known."""
        return self.bytes / self.seconds if self.bytes and self.seconds > 0 else math.nan

    @property
    def speed(self):
        """Operations a second; nan where they are not known."""
        return self.operations / self.seconds if self.operations and self.seconds > 0 else math.nan


class Profile:
    """What profile() gives: spans is the list of what ran, in the order of the beginnings, when the
    with statement is over. lost: how many there was no memory for. Printed as a table, what took
    longest first."""

    def __init__(self, file=None):
        self.file, self.spans, self.lost = file, [], 0

    def start(self):
        """Begins it; what was pending before runs first."""
        _heddle._profile_start()
        return self

    def stop(self):
        """Ends it: what is pending runs, and is waited for. Writes the file, if there is one."""
        try:
            synchronize()       # what fails is told
        finally:
            spans, self.lost = _heddle._profile_stop()
            self._take(spans)

    def _take(self, spans):
        self.spans = [Span(*s[:7], *(n if n >= 0 else None for n in s[7:])) for s in spans]
        if self.file is not None:
            self.save(self.file)

    def __enter__(self):
        return self.start()

    def __exit__(self, *exception):
        self.stop()

    def by_name(self):
        """A list of (kind, name, device, calls, seconds, bytes, operations) for each sort of span,
        what took longest first."""
        groups = collections.defaultdict(list)
        for s in self.spans:
            groups[s.kind, s.name, s.device].append(s)
        return sorted(((*key, len(of), sum(s.seconds for s in of), sum(s.bytes or 0 for s in of),
                        sum(s.operations or 0 for s in of)) for key, of in groups.items()),
                      key=lambda row: -row[4])

    def __str__(self):
        rows, total = self.by_name(), sum(s.seconds for s in self.spans) or 1
        lines = [f"{'ms':>10} {'%':>5} {'calls':>7} {'GB/s':>8} {'GFLOP/s':>9}  what"]
        for kind, name, where, calls, seconds, moved, operations in rows:
            speeds = [f"{n / seconds / 1e9:.3g}" if n and seconds else "" for n in (moved, operations)]
            lines.append(f"{seconds * 1e3:10.3f} {100 * seconds / total:5.1f} {calls:7} {speeds[0]:>8} "
                         f"{speeds[1]:>9}  {name if kind == 'kernel' else f'{kind}: {name}'} ({where})")
        if self.lost:
            lines.append(f"{self.lost} more, for which there was no memory")
        return "\n".join(lines)

    def trace(self):
        """The spans in the format of chrome://tracing and Perfetto, as a dict for json."""
        rows = {}    # a process for each device, a row for each thread
        events = []
        for s in self.spans:
            row = rows.setdefault((s.device if s.kind != "compilation" else "compiler", s.thread), len(rows))
            known = {"shape": s.shape, "bytes": s.bytes, "operations": s.operations,
                     "GB/s": round(s.bandwidth / 1e9, 3), "GFLOP/s": round(s.speed / 1e9, 3)}
            events.append({"ph": "X", "name": s.name, "cat": s.kind, "pid": 1, "tid": row,
                           "ts": s.begin * 1e6, "dur": s.seconds * 1e6,
                           "args": {k: v for k, v in known.items() if v not in (None, "") and v == v}})
        names = [{"ph": "M", "name": "thread_name", "pid": 1, "tid": row,
                  "args": {"name": f"{where}, thread {thread}"}} for (where, thread), row in rows.items()]
        title = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "heddle"}}]
        return {"traceEvents": title + names + events, "displayTimeUnit": "ns"}

    def save(self, file):
        """Writes trace() to a file, named or open for text."""
        if hasattr(file, "write"):
            json.dump(self.trace(), file)
            return
        with open(file, "w", encoding="utf-8") as f:
            json.dump(self.trace(), f)

    def plot_roofline(self, ax=None):
        """As heddle.plot_roofline(self, ax)."""
        return plot_roofline(self, ax)


def profile(file=None):
    """Takes note of what runs within a with statement: each kernel, library call, copy between the
    host and a device, and compilation.

    Parameters
    ----------
    file : str, path or file, optional
        Where a trace goes that ui.perfetto.dev and chrome://tracing open.

    Returns
    -------
    context manager
        It gives a Profile, which prints as a table.

    Raises
    ------
    ValueError
        There is one already: a profile is of the whole process.

    See Also
    --------
    plot_roofline, explain, benchmark

    Notes
    -----
    What runs within its call, because it is small, is no kernel and leaves no span;
    set_fusion("always") has all work recorded. Kernels of a GPU are launched one by one meanwhile,
    each between two events.

    Examples
    --------
    >>> import heddle as np
    >>> x = np.ones(100_000)
    >>> with np.profile() as p:
    ...     total = float((x * 2 + 1).sum())
    >>> "kernel" in str(p)
    True
    """
    return Profile(file)


_speeds = {}


def _fastest(where):
    """Operations a second that a chain of 128 multiplications and additions of 4e6 float32 does on a
    device. Measured once in a process."""
    if where not in _speeds:
        from . import ones

        def chain():
            y = x
            for _ in range(64):
                y = y * 0.5 + 0.25
            return y

        with where:
            x, best = ones(1 << 22, "f4"), math.inf
            for _ in range(8):      # the first ones are compiled
                times, _ = _times(chain, [where] if _is_gpu(where) else [])
                best = min(best, times[-1])
        _speeds[where] = 128 * x.size / best
    return _speeds[where]


def plot_roofline(profile, ax=None):
    """Draws the kernels of a profile beside what the device can do: operations a second over
    operations for each byte, both logarithmic, under the line of its memory's speed and that of its
    arithmetic, which are measured here (a second, once in a process).

    profile: a Profile. ax: matplotlib's axes; by default new ones. Returns the axes. ImportError
    without matplotlib; ValueError where no kernel has operations.
    """
    kernels = [s for s in profile.spans if s.kind in ("kernel", "library call")
               and s.operations and s.bytes and s.seconds > 0]
    if not kernels:
        raise ValueError("the profile has no kernel with operations")
    import matplotlib.pyplot as plt
    ax = ax if ax is not None else plt.subplots()[1]
    x = [s.operations / s.bytes for s in kernels]
    for where in dict.fromkeys(s.device for s in kernels):
        memory, most = ceiling(where), _fastest(device(where))
        bend = most / memory
        ends = [min(*x, bend) / 4, bend, max(*x, bend) * 4]
        line, = ax.plot(ends, [min(most, memory * e) / 1e9 for e in ends],
                        label=f"{where}: {memory / 1e9:.3g} GB/s, {most / 1e9:.3g} GFLOP/s")
        here = [s for s in kernels if s.device == where]
        ax.scatter([s.operations / s.bytes for s in here], [s.speed / 1e9 for s in here],
                   s=[20 + 400 * s.seconds / sum(k.seconds for k in here) for s in here],
                   color=line.get_color(), alpha=0.5)
        for row in [r for r in profile.by_name() if r[2] == where and r[5] and r[6] and r[4]][:8]:
            ax.annotate(row[1][:40], (row[6] / row[5], row[6] / row[4] / 1e9), fontsize=7)
    ax.set(xscale="log", yscale="log", xlabel="operations for each byte", ylabel="GFLOP/s")
    ax.legend()
    return ax
