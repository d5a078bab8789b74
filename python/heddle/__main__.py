# SPDX-License-Identifier: BSD-3-Clause
"""python -m heddle info: versions, devices, settings and memory."""
import sys

from . import show_config, stats


def main(arguments):
    if arguments != ["info"]:
        print("usage: python -m heddle info", file=sys.stderr)
        return 2
    show_config()
    counters = stats()
    for name in ("memory_used", "memory_peak", "memory_cached"):
        print(f"{name:18} {counters[name]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
