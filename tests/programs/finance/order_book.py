# SPDX-License-Identifier: BSD-3-Clause
"""A limit order book on arrays of volumes by price: orders arrive, match level after level, or are cancelled."""
import numpy as np

SIZES = {"tiny": (20, 30), "medium": (200, 1500), "large": (1000, 6000)}
levels, orders = SIZES[SIZE]
rng = np.random.default_rng(1792)


class Book:
    def __init__(self, levels):
        self.volume = {"buy": np.zeros(levels, dtype=np.int64), "sell": np.zeros(levels, dtype=np.int64)}
        self.tape = []

    def best(self, side):
        at = np.nonzero(self.volume[side])[0]
        if len(at) == 0:
            return None
        return int(at[-1] if side == "buy" else at[0])

    def match(self, side, price, size):
        """Takes volume of the other side up to the price; returns what is left."""
        other = self.volume["sell" if side == "buy" else "buy"]
        if side == "buy":
            reach = other[:price + 1]
        else:
            reach = other[price:][::-1]           # from the best price on; a view
        total = reach.cumsum()
        if total[-1] == 0:
            return size
        k = np.searchsorted(total, size)
        if k == len(total):
            taken = reach.copy()
            reach[:] = 0
        else:
            taken = np.zeros_like(reach)
            taken[:k] = reach[:k]
            taken[k] = size - (total[k - 1] if k > 0 else 0)
            reach -= taken
        for i in np.flatnonzero(taken):
            level = int(i) if side == "buy" else len(other) - 1 - int(i)
            self.tape.append((level, int(taken[i]), side))
        return size - int(taken.sum())

    def limit(self, side, price, size):
        left = self.match(side, price, size)
        if left:
            self.volume[side][price] += left
        return left

    def cancel(self, side, level):
        gone = self.volume[side][level]
        self.volume[side][level] = 0
        return gone


book = Book(levels)
middle, cancelled, spreads = levels / 2, 0, []
depth = np.zeros((2, levels))
for n in range(orders):
    side = "buy" if rng.random() < 0.5 else "sell"
    away = rng.normal(1, 3)
    price = int(np.clip(np.round(middle + (-away if side == "buy" else away)), 0, levels - 1))
    kind = rng.random()
    size = int(rng.integers(1, 100))
    if kind < 0.75:
        book.limit(side, price, size)
    elif kind < 0.9:
        book.match(side, levels - 1 if side == "buy" else 0, size)
    else:
        at = np.flatnonzero(book.volume[side])
        if at.size:
            cancelled += book.cancel(side, at[rng.integers(at.size)])
    bid, ask = book.best("buy"), book.best("sell")
    if bid is not None and ask is not None:
        assert bid < ask
        spreads.append(ask - bid)
    middle = min(max(middle + 0.1 * rng.standard_normal(), 5), levels - 5)
    if n % 10 == 0:
        depth[0] += book.volume["buy"]
        depth[1] += book.volume["sell"]
levels_hit, sizes_hit, sides = zip(*book.tape)
prices, sizes = np.array(levels_hit), np.array(sizes_hit)
bought = np.array([s == "buy" for s in sides])
vwap = (prices * sizes).sum() / sizes.sum()
spreads = np.array(spreads)
bars = [(p[0], p.max(), p.min(), p[-1]) for p in np.array_split(prices, 5)]
print("trades", len(prices), "vwap %.6f" % vwap, "bought", sizes[bought].sum(), "sold", sizes[~bought].sum())
print("spread", np.bincount(spreads)[:6], "cancelled", cancelled)
for bar in bars:
    print("open %d high %d low %d close %d" % tuple(bar))
