# SPDX-License-Identifier: BSD-3-Clause
"""Sudoku by candidates kept in a boolean cube, with guesses on copies of it."""
import numpy as np

SIZES = {"tiny": 1, "medium": 2, "large": 5}
PUZZLES = [
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
    "..9748...7.........2.1.9.....7...24..64.1.59..98...3.....8.3.2.........6...2759..",
    "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
    "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
    "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
][:SIZES[SIZE]]
guesses = 0


def place(cube, r, c, d):
    """Digit d stands at (r, c): nowhere else in its row, column and box."""
    cube[r, c, :] = False
    cube[r, :, d] = False
    cube[:, c, d] = False
    cube[r // 3 * 3:r // 3 * 3 + 3, c // 3 * 3:c // 3 * 3 + 3, d] = False
    cube[r, c, d] = True


def settle(cube, done):
    while True:
        counts = cube.sum(axis=2)
        if (counts == 0).any():
            return False
        todo = np.argwhere((counts == 1) & ~done)
        if len(todo) == 0:
            # a digit with one place left in a row
            single = (cube & ~done[..., None]).sum(axis=1) == 1
            rows, digits = np.nonzero(single)
            if rows.size == 0:
                return True
            r, d = int(rows[0]), int(digits[0])
            todo = [(r, int(cube[r, :, d].argmax()))] if not done[r, cube[r, :, d]].any() else []
            if not todo:
                return False
            place(cube, *todo[0], d)
            done[todo[0]] = True
            continue
        for r, c in todo:
            if not cube[r, c].any():
                return False
            place(cube, r, c, int(cube[r, c].argmax()))
            done[r, c] = True


def solve(cube, done):
    global guesses
    if not settle(cube, done):
        return None
    if done.all():
        return cube.argmax(axis=2) + 1
    open_cells = np.where(done, 99, cube.sum(axis=2))
    r, c = np.unravel_index(open_cells.argmin(), open_cells.shape)
    for d in np.flatnonzero(cube[r, c]):
        guesses += 1
        cube2, done2 = cube.copy(), done.copy()
        place(cube2, r, c, d)
        done2[r, c] = True
        answer = solve(cube2, done2)
        if answer is not None:
            return answer
    return None


solutions, needed = [], []
for text in PUZZLES:
    start = np.array([0 if ch == "." else int(ch) for ch in text]).reshape(9, 9)
    cube = np.ones((9, 9, 9), dtype=bool)
    for (r, c), digit in np.ndenumerate(start):
        if digit:
            place(cube, r, c, digit - 1)
    before = guesses
    grid = solve(cube, start > 0)
    assert all((np.sort(line) == np.arange(1, 10)).all() for line in list(grid) + list(grid.T))
    assert ((grid == start) | (start == 0)).all()
    solutions.append(grid)
    needed.append(guesses - before)
print("guesses", needed)
print(solutions[0])
