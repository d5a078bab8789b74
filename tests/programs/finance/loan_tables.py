# SPDX-License-Identifier: BSD-3-Clause
"""Amortisation tables of many loans: a structured loop a month, cents rounded, early repayments, rates found again."""
import numpy as np

SIZES = {"tiny": (2, 6), "medium": (40, 120), "large": (150, 240)}
loans, months = SIZES[SIZE]


def table(amount, yearly, months, extra=None):
    """Rows of (payment, interest, principal, balance) in cents, until nothing is owed."""
    rate = yearly / 12
    payment = round(amount * rate / (1 - (1 + rate) ** -months)) if rate > 0 else -(-amount // months)
    rows = np.zeros((months, 4), dtype=np.int64)
    balance = amount
    for m in range(months):
        interest = round(balance * rate)
        principal = min(payment - interest, balance)
        if m == months - 1:
            principal = balance
        if extra is not None and m in extra:
            principal = min(principal + extra[m], balance)
        balance -= principal
        rows[m] = principal + interest, interest, principal, balance
        if balance == 0:
            rows = rows[:m + 1].copy()
            break
    return rows


def rate_of(amounts, payments, months):
    """Monthly rates of many loans at once, by bisection on the annuity."""
    lo, hi = np.full(len(amounts), 1e-9), np.full(len(amounts), 0.05)
    for _ in range(40):
        mid = 0.5 * (lo + hi)
        value = payments * (1 - (1 + mid) ** -months) / mid
        lo = np.where(value > amounts, mid, lo)
        hi = np.where(value > amounts, hi, mid)
    return (lo + hi) / 2


rng = np.random.default_rng(1609)
amounts = rng.integers(5_000, 400_000, loans) * 100
rates = rng.integers(0, 60, loans) / 1000
tables = {}
for k in range(loans):
    extra = {int(rng.integers(0, months)): int(amounts[k]) // 10} if k % 3 == 0 else None
    tables[k] = table(int(amounts[k]), float(rates[k]), months, extra)
for k, rows in tables.items():
    assert rows[:, 2].sum() == amounts[k], k
    assert rows[-1, 3] == 0
    assert (np.diff(rows[:, 3]) <= 0).all()

cash = np.zeros((months, 3), dtype=np.int64)
for rows in tables.values():
    cash[:len(rows)] += rows[:, :3]
first = np.array([rows[0, 0] for rows in tables.values()])
plain = np.arange(loans) % 3 != 0
found = rate_of(amounts[plain].astype(float), first[plain].astype(float), months) * 12
error = np.abs(found - rates[plain])
assert error.max() < 1e-4
del error, found                          # where the rate is 0 the bisection ends at rounding errors
lengths = np.array([len(r) for r in tables.values()])
early = np.flatnonzero(lengths < months)
interest = sum(int(r[:, 1].sum()) for r in tables.values())
longest = tables[int(lengths.argmax())]
for row in longest[:3]:
    print(*("%12.2f" % (c / 100) for c in row))
print("interest %.2f" % (interest / 100), "repaid early:", early.tolist()[:10])
year = cash[:months // 12 * 12].reshape(-1, 12, 3).sum(axis=1) if months >= 12 else cash.sum(axis=0, keepdims=True)
print(year[:3])
