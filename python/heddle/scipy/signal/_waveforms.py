# SPDX-License-Identifier: BSD-3-Clause
"""Waveforms of scipy.signal, by their definitions there."""
import math

from ... import where, zeros
from ..._heddle import asarray, elementwise
from ..._polynomials import polyint, polyval

__all__ = ["chirp", "gausspulse", "sawtooth", "square", "sweep_poly", "unit_impulse"]

_absolute, _cos, _exp, _log, _remainder, _sin = (
    elementwise[name][0] for name in ("absolute", "cos", "exp", "log", "remainder", "sin"))
_TURN = 2 * math.pi


def _floating(t):
    t = asarray(t)
    return t if t.dtype.kind == "f" else t.astype(float)


def sawtooth(t, width=1):
    """Rises from -1 to 1 in the share width of each 2 pi, and falls in the rest; nan where width is
    not within 0 and 1."""
    t, width = _floating(t), _floating(width)
    phase = _remainder(t, _TURN)
    up = phase < width * _TURN
    rising = phase / (math.pi * where(width > 0, width, 1.0)) - 1
    falling = (math.pi * (width + 1) - phase) / (math.pi * where(width < 1, 1 - width, 1.0))
    return where((width > 1) | (width < 0), math.nan, where(up, rising, falling))


def square(t, duty=0.5):
    """1 in the share duty of each 2 pi, and -1 in the rest; nan where duty is not within 0 and
    1."""
    t, duty = _floating(t), _floating(duty)
    wave = where(_remainder(t, _TURN) < duty * _TURN, 1.0, -1.0)
    return where((duty > 1) | (duty < 0), math.nan, wave)


def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    """A cosine of frequency fc under Gauss' bell, whose spectrum is bwr decibels down at the share
    bw of fc. t may be "cutoff": the time at which the bell is tpr decibels down. retquad, retenv:
    gives the sine and the bell as well."""
    for bad, text in ((fc < 0, f"Center frequency (fc={fc:.2f}) must be >=0."),
                      (bw <= 0, f"Fractional bandwidth (bw={bw:.2f}) must be > 0."),
                      (bwr >= 0, f"Reference level for bandwidth (bwr={bwr:.2f}) must be < 0 dB")):
        if bad:
            raise ValueError(text)
    a = -((math.pi * fc * bw) ** 2) / (4 * math.log(10 ** (bwr / 20)))
    if isinstance(t, str):
        if t != "cutoff":
            raise ValueError("If `t` is a string, it must be 'cutoff'")
        if tpr >= 0:
            raise ValueError("Reference level for time cutoff must be < 0 dB")
        return math.sqrt(-math.log(10 ** (tpr / 20)) / a)
    t = _floating(t)
    bell = _exp(-a * t * t)
    inside = bell * _cos(_TURN * fc * t)
    if not (retquad or retenv):
        return inside
    return (inside, *((bell * _sin(_TURN * fc * t),) * bool(retquad)), *((bell,) * bool(retenv)))


def _hyperbolic_phase(t, f0, t1, f1):
    if f0 == 0 or f1 == 0:
        raise ValueError("Hyperbolic chirp: f0 and f1 must be nonzero.")
    if f0 == f1:
        return _TURN * f0 * t
    singular = -f1 * t1 / (f0 - f1)
    return _TURN * (-singular * f0) * _log(_absolute(1 - t / singular))


def _phase(t, f0, t1, f1, method, vertex_zero):
    if method in ("linear", "lin", "li"):
        return _TURN * (f0 * t + 0.5 * (f1 - f0) / t1 * t * t)
    if method in ("quadratic", "quad", "q"):
        slope = (f1 - f0) / t1**2
        if vertex_zero:
            return _TURN * (f0 * t + slope * t**3 / 3)
        return _TURN * (f1 * t + slope * ((t1 - t) ** 3 - t1**3) / 3)
    if method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0:
            raise ValueError("For a logarithmic chirp, f0 and f1 must be nonzero and have the same "
                             "sign.")
        if f0 == f1:
            return _TURN * f0 * t
        beta = t1 / math.log(f1 / f0)
        return _TURN * beta * f0 * ((f1 / f0) ** (t / t1) - 1.0)
    if method in ("hyperbolic", "hyp"):
        return _hyperbolic_phase(t, f0, t1, f1)
    raise ValueError("method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', but a "
                     f"value of {method!r} was given.")


def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True):
    """A cosine whose frequency goes from f0, at 0, to f1, at t1. phi: degrees at 0. vertex_zero:
    the parabola of "quadratic" has its vertex at 0, and not at t1. ValueError: an unknown method,
    or frequencies that it does not take."""
    phase = _phase(_floating(t), float(f0), float(t1), float(f1), method, vertex_zero)
    return _cos(phase + phi * (math.pi / 180))


def sweep_poly(t, poly, phi=0):
    """A cosine whose frequency is a polynomial of time, the highest power first."""
    return _cos(_TURN * polyval(polyint(poly), _floating(t)) + phi * (math.pi / 180))


def unit_impulse(shape, idx=None, dtype=float):
    """Zeros but for a 1 at idx (all zeros), "mid" for the middle."""
    out = zeros(shape, dtype)
    if idx is None:
        idx = (0,) * out.ndim
    elif isinstance(idx, str):
        if idx != "mid":
            raise ValueError("idx is a place, or 'mid'")
        idx = tuple(n // 2 for n in out.shape)
    elif not hasattr(idx, "__iter__"):
        idx = (idx,) * out.ndim
    out[tuple(idx)] = 1
    return out
