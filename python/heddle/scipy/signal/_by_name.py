# SPDX-License-Identifier: BSD-3-Clause
"""Windows by the names that SciPy gives them."""

__all__ = ["get_window"]

_NAMES = {"barthann": "brthan bth", "bartlett": "bart brt", "blackman": "black blk",
          "blackmanharris": "blackharr bkh", "bohman": "bman bmn",
          "boxcar": "box ones rect rectangular", "chebwin": "cheb", "cosine": "halfcosine",
          "exponential": "poisson", "flattop": "flat flt", "gaussian": "gauss gss",
          "general_cosine": "", "general_gaussian": "general_gauss ggs", "general_hamming": "",
          "hamming": "hamm ham", "hann": "han", "kaiser": "ksr", "kaiser_bessel_derived": "kbd",
          "lanczos": "sinc", "nuttall": "nutl nut", "parzen": "parz par", "taylor": "taylorwin",
          "triang": "triangle tri", "tukey": "tuk"}
_BY_NAME = {short: name for name, shorts in _NAMES.items() for short in (name, *shorts.split())}
_BY_NAME["general gaussian"] = _BY_NAME["general gauss"] = "general_gaussian"
_WITH_PARAMETERS = frozenset(("chebwin", "gaussian", "general_cosine", "general_gaussian",
                              "general_hamming", "kaiser", "kaiser_bessel_derived"))


def get_window(window, Nx, fftbins=True):
    """A window of Nx points by name; a tuple has its parameters behind the name, a number is
    Kaiser's beta. fftbins: one period of it, for spectra, and not the symmetric one. ValueError:
    no such name, or its parameters are missing."""
    from . import windows
    try:
        beta = float(window)
    except (TypeError, ValueError):
        beta = None
    if beta is not None:
        return windows.kaiser(Nx, beta, sym=not fftbins)
    name, *parameters = window if isinstance(window, tuple) else (window,)
    if not isinstance(name, str):
        raise ValueError(f"{type(window)} as window type is not supported.")
    if name not in _BY_NAME:
        raise ValueError(f"Unknown window type: {name!r}")
    name = _BY_NAME[name]
    if name in _WITH_PARAMETERS and not parameters:
        raise ValueError(f"The {name!r} window needs one or more parameters -- pass a tuple.")
    return getattr(windows, name)(Nx, *parameters, sym=not fftbins)
