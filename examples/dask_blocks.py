# SPDX-License-Identifier: BSD-3-Clause
"""A table larger than memory: Dask's blocks are arrays of Heddle's, in threads and processes.

dask_blocks.py                   a table of one and a quarter times this machine's memory
dask_blocks.py --gigabytes 4     of that size
dask_blocks.py --rows 100000     rows of a block

The report has NumPy's blocks in threads beside Heddle's: seconds, the most memory that a process
had, and one of the results. Exit status 1 if results differ or a process held half of the table.
"""

import argparse
import os
import resource
import sys
import time

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import heddle

COLUMNS = 4
BYTES_OF_A_ROW = 8 * COLUMNS
CLOSE = 1e-9  # sums run in another order


def make_block(xp, first, rows):
    """Rows first, first + 1, ... of the table; nothing is read, so that it can have any size."""
    k = xp.arange(first, first + rows, dtype="f8")
    return xp.stack([xp.sin(k * 1e-3), xp.cos(k * 7e-4), xp.sqrt(k % 97), xp.ones(rows)], axis=1)


def make_table(xp, blocks, rows):
    """Dask's array of the blocks, none of which exists before something is computed from it."""
    delayed = [dask.delayed(make_block)(xp, k * rows, rows) for k in range(blocks)]
    empty = xp.empty((0, COLUMNS))
    return da.concatenate([da.from_delayed(b, (rows, COLUMNS), meta=empty) for b in delayed])


def asked(table):
    """What is computed, in one pass over the table."""
    waves, roots, _ = table[:, :2], table[:, 2], table[:, 3]
    return {
        "mean": table.mean(axis=0),
        "std": table.std(axis=0),
        "largest": table.max(axis=0),
        "products": table.T @ table,
        "norm": da.sqrt((waves**2).sum()),
        "high": (roots > 9).sum(),
    }


def peak(_=None):
    """Bytes that this process had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run(xp, blocks, rows):
    started = time.perf_counter()
    lazy = asked(make_table(xp, blocks, rows))
    results = dict(zip(lazy, dask.compute(*lazy.values())))
    return time.perf_counter() - started, results


def in_threads(xp, blocks, rows):
    with dask.config.set(scheduler="threads"):
        seconds, results = run(xp, blocks, rows)
    return seconds, peak(), results


def in_processes(xp, blocks, rows):
    two = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**two) as cluster, Client(cluster) as client:
        seconds, results = run(xp, blocks, rows)
        return seconds, max(client.run(peak).values()), results


def memory_of_machine():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def report(size, outcomes):
    print(f"table of {size / 1e9:.2f} GB; this machine has {memory_of_machine() / 1e9:.2f} GB")
    for title, (seconds, most, results) in outcomes.items():
        print(f"{title:24} {seconds:7.2f} s   at most {most / 1e9:.2f} GB a process   "
              f"norm {float(results['norm']):.6f}")


def faults(size, outcomes):
    """What is not as it should be."""
    want = outcomes["NumPy in threads"][2]
    for title, (_, most, results) in outcomes.items():
        for name, value in results.items():
            if not np.allclose(np.asarray(value), np.asarray(want[name]), CLOSE, CLOSE):
                yield f"{title}: {name} is {value}, NumPy's {want[name]}"
            if "Heddle" in title and not isinstance(value, heddle.ndarray):
                yield f"{title}: {name} is a {type(value).__name__}"
        if size > 1e9 and most > size / 2:
            yield f"{title}: a process had {most / 1e9:.2f} GB of a table of {size / 1e9:.2f} GB"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=1.25 * memory_of_machine() / 1e9)
    parser.add_argument("--rows", type=int, default=1_000_000)
    args = parser.parse_args()
    blocks = max(2, round(args.gigabytes * 1e9 / (args.rows * BYTES_OF_A_ROW)))
    size = blocks * args.rows * BYTES_OF_A_ROW
    outcomes = {
        "NumPy in threads": in_threads(np, blocks, args.rows),
        "Heddle in threads": in_threads(heddle, blocks, args.rows),
        "Heddle in two processes": in_processes(heddle, blocks, args.rows),
    }
    report(size, outcomes)
    found = list(faults(size, outcomes))
    print("\n".join(found) or "results are equal")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
