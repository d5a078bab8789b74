# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/signal/__init__.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from . import windows as windows
from ._by_name import *
from ._convolution import *
from ._peaks import *
from ._spectral import *
from ._waveforms import *
from ._wavelets import *

__all__ = ["argrelextrema", "argrelmax", "argrelmin", "chirp", "choose_conv_method", "coherence",
           "convolve", "convolve2d", "correlate", "correlate2d", "csd", "cwt", "detrend",
           "fftconvolve", "gausspulse", "get_window", "morlet", "morlet2", "periodogram", "qmf",
           "ricker", "sawtooth", "spectrogram", "square", "stft", "sweep_poly", "unit_impulse",
           "welch"]
