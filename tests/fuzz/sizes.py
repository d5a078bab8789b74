# SPDX-License-Identifier: BSD-3-Clause
"""Sizes at which the library does something else: what large arrays of the fuzzer are drawn around.

Each row names the file and the text there that sets the limit, so that a limit that is moved is
noticed: check()."""

import pathlib

SOURCES = pathlib.Path(__file__).parents[2] / "src"

# (elements, file, text): limits in elements, or in rows or columns
ELEMENTS = [
    (16, "backend/cpu/cpu_space.c", "SHORT_RUN = 16"),
    (64, "backend/cpu/cpu_ew.c", "SHORT_AXIS = 64"),
    (32, "backend/cpu/cpu_rows.h", "HDI_CPU_LONG_ROW = 32"),
    (128, "backend/cpu/cpu_reduce_chain.c", "SHORT_ROW = 128"),
    (128, "ops/index/select.c", "FEW = 128"),
    (192, "window/window.h", "HDI_WINDOW_MAX = 192"),
    (256, "window/window.h", "HDI_RING = 256"),
    (256, "backend/cpu/loops/loops.h", "HDI_RED_CHUNK = 256"),
    (512, "backend/cpu/cpu_small.c", "SMALL_MOST = 512"),
    (512, "backend/cpu/cpu_lines.h", "HDI_CPU_LINE_BLOCK = 512"),
    (512, "backend/cpu/cpu_places.h", "HDI_CPU_PLACES = 512"),
    (1 << 12, "backend/cpu/loops/loops.h", "HDI_RED_RUN = 16 * HDI_RED_CHUNK"),
    (1 << 12, "backend/cpu/cpu_rows.c", "SPLIT_ELEMENTS = 1 << 12"),
    (1 << 12, "ops/index/roll.c", "PARTS_MOST = 4096"),
    (96 * 96, "backend/cpu/cpu_linalg.c", "SMALL = 96 * 96"),
    (1 << 14, "backend/cpu/cpu_rows.c", "LONG_BLOCK = 1 << 14"),
    (1 << 14, "backend/cpu/cpu_sort.c", "TASK = 1 << 14"),
    (1 << 16, "backend/cpu/cpu_select.c", "PART = 1 << 16"),
    (1 << 17, "backend/cpu/cpu_sort.c", "LONG = 1 << 17"),
    (1 << 17, "backend/cpu/cpu_exec.h", "CPU_TASK_WORK = 1 << 17"),
    (1 << 18, "ops/index/select.c", "HOST_COUNTS = 1 << 18"),
    (1 << 18, "exec/exec.h", "LONG_JOB = 1 << 18"),
    (1 << 19, "backend/cpu/cpu_exec.h", "CPU_PARALLEL_WORK = 1 << 19"),
]

# (bytes, file, text)
BYTES = [
    (1024, "backend/cpu/cpu_memory.c", "EXACT = 1024"),
    (4096, "backend/cpu/cpu_compile.c", "BLOCK_BYTES = 4096"),
    (16384, "backend/cpu/cpu_memory.c", "SMALL = 16384"),
    (1 << 17, "backend/cpu/cpu_places.c", "ROWS_BYTES = 1 << 17"),
    ((1 << 18) - 64, "backend/cpu/cpu_scratch.c", "FIRST = (1 << 18) - HDI_CPU_CHUNK_HEAD"),
    (1 << 18, "backend/cpu/cpu_memory.c", "SLAB = 1 << 18"),
    (1 << 18, "exec/transfer.c", "PINNED_FROM = 1 << 18"),
    (256 << 10, "ops/reduce/red.c", "ROW_BYTES = 256 << 10"),
    (1 << 20, "backend/cpu/cpu_backend.c", "COPY_PIECE = 1 << 20"),
    (1 << 20, "backend/cpu/cpu_radix.c", "NEAR = 1 << 20"),
    (1 << 21, "backend/cpu/cpu_memory.c", "HUGE_PAGE = 1 << 21"),
    (32 << 20, "backend/cpu/cpu_memory.c", "KEEP_BESIDE ((int64_t)32 << 20)"),
    (8 << 20, "backend/cpu/cpu_scratch.c", "KEEP = 8 << 20"),
]

LARGEST = 1_000_000   # elements


def check():
    """The rows whose text is no longer in its file; none where the sources are not beside the
    tests."""
    if not SOURCES.is_dir():
        return []
    return [
        f"{name}: {text}"
        for _, name, text in ELEMENTS + BYTES
        if text not in (SOURCES / name).read_text()
    ]


def around(rng, largest=LARGEST):
    """A number of elements on one side of a limit or the other, exactly there, or anywhere."""
    r = rng.random()
    if r < 0.2:
        n = int(2 ** rng.uniform(0, 20))
    elif r < 0.6:
        n = rng.choice(ELEMENTS)[0] * rng.choice((1, 1, 1, 2, 3))
    else:
        n = rng.choice(BYTES)[0] // rng.choice((1, 2, 4, 8, 8, 8, 16)) * rng.choice((1, 1, 1, 2))
    return min(max(1, n + rng.choice((-1, 0, 0, 0, 1, 7))), largest)


def shapes(rng, largest=LARGEST):
    """Shapes that go together, the largest of about as many elements as around() draws."""
    n = around(rng, largest)
    c = min(n, rng.choice((3, 8, 16, 17, 64, 100, 256, 512, 513, 1000, 4096, 4097)))
    r = max(1, n // c)
    drawn = [(n,), (n,), (r, c), (r, c), (c,), (r, 1), (r * c,), (c, r), (), (around(rng, 600),)]
    return drawn[: rng.randint(3, len(drawn))]
