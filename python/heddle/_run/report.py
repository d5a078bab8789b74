# SPDX-License-Identifier: BSD-3-Clause
"""What `run --explain` says at the end: how the work of the program was put together."""
import sys

from .._state import device, stats


def text():
    """A line for the CPU and one for the device that arrays are made on, if there was work."""
    lines = []
    for name in sorted({"cpu", device().name}):
        s = stats(name)
        if s["records"] or s["kernels"]:
            lines.append(
                f"heddle on {name}: {s['records']} operations recorded, {s['dead']} of them needed "
                f"by nobody, {s['kernel_ops']} run in {s['kernels']} kernels, {s['temporaries']} "
                f"temporaries never in memory, {s['takeovers']} results in the memory of an "
                f"operand, {s['plans']} plans made and {s['plan_hits']} found again, at most "
                f"{s['memory_peak'] / 1e6:.1f} MB in arrays")
    return "\n".join(lines) or "heddle: nothing was recorded"


def write():
    print(text(), file=sys.stderr)
