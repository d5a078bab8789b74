# SPDX-License-Identifier: BSD-3-Clause
"""A backtest day by day: crossing averages, bands and momentum trade with costs; trades are kept in a list."""
import numpy as np

SIZES = {"tiny": (40, 3, 8), "medium": (1500, 10, 50), "large": (12000, 20, 100)}
days, fast, slow = SIZES[SIZE]
COST = 0.001


def moving_average(x, n):
    total = np.cumsum(np.insert(x, 0, 0.0))
    out = np.full(x.shape, np.nan)
    out[n - 1:] = (total[n:] - total[:-n]) / n
    return out


def rolling_std(x, n):
    windows = np.lib.stride_tricks.sliding_window_view(x, n)
    return np.append(np.full(n - 1, np.nan), windows.std(axis=-1))


def exponential(x, span):
    out = np.empty_like(x)
    k = 2 / (span + 1)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = k * x[i] + (1 - k) * out[i - 1]
    return out


def crossing(p):
    return np.where(moving_average(p, fast) > moving_average(p, slow), 1, 0)


def bands(p):
    mean, std = moving_average(p, slow), rolling_std(p, slow)
    signal = np.zeros(len(p), dtype=int)
    held = 0
    for i, (x, m, s) in enumerate(zip(p, mean, std)):
        if np.isnan(m):
            continue
        if held == 0 and x < m - 1.2 * s:
            held = 1
        elif held and x > m:
            held = 0
        signal[i] = held
    return signal


def momentum(p):
    macd = exponential(p, fast) - exponential(p, slow)
    return (macd > exponential(macd, 9)).astype(int)


class Account:
    def __init__(self, cash):
        self.cash, self.shares, self.entry = cash, 0.0, None
        self.trades, self.equity = [], []

    def day(self, i, price, wanted):
        if wanted and self.shares == 0:
            self.shares = self.cash * (1 - COST) / price
            self.cash, self.entry = 0.0, (i, price)
        elif not wanted and self.shares > 0:
            self.cash = self.shares * price * (1 - COST)
            self.shares = 0.0
            self.trades.append((self.entry[0], i, price / self.entry[1] - 1))
        self.equity.append(self.cash + self.shares * price)


rng = np.random.default_rng(1602)
noise = rng.standard_normal(days) * 0.012 + 0.0002
price = 100 * np.exp(np.cumsum(noise + 0.004 * np.sin(np.arange(days) / slow)))
reports = {}
for strategy in (crossing, bands, momentum):
    signal = strategy(price)
    account = Account(1000.0)
    for i in range(1, days):
        account.day(i, price[i], signal[i - 1])
    equity = np.array(account.equity)
    r = np.diff(np.log(equity))
    trades = np.array([t[2] for t in account.trades])
    reports[strategy.__name__] = {
        "end": equity[-1], "sharpe": r.mean() / r.std() * np.sqrt(252) if r.std() > 0 else 0.0,
        "drawdown": (1 - equity / np.maximum.accumulate(equity)).max(), "trades": len(trades),
        "won": int((trades > 0).sum()), "best": max(trades) if len(trades) else 0.0, "flips": np.abs(np.diff(signal)).sum()}
for name, rep in reports.items():
    print(name, *(f"{k}={v:.5f}" if k in ("end", "sharpe", "drawdown", "best") else f"{k}={v}" for k, v in rep.items()))
