# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/stubs.py from python/heddle/scipy/signal/_spectral.py and tools/stubs.toml: do not edit; `make gen` writes it again.
from typing import Any
from ..._array import NDArray, _Axis, _Operand

__all__ = ["coherence", "csd", "detrend", "periodogram", "spectrogram", "stft", "welch"]

def detrend(data: Any, axis: _Axis = -1, type: Any = 'linear', bp: Any = 0,
            overwrite_data: Any = False) -> NDArray[Any]: ...
def csd(x: _Operand, y: _Operand, fs: Any = 1.0, window: Any = 'hann', nperseg: Any = None,
        noverlap: Any = None, nfft: Any = None, detrend: Any = 'constant',
        return_onesided: Any = True, scaling: Any = 'density', axis: _Axis = -1,
        average: Any = 'mean') -> Any: ...
def welch(x: _Operand, fs: Any = 1.0, window: Any = 'hann', nperseg: Any = None,
          noverlap: Any = None, nfft: Any = None, detrend: Any = 'constant',
          return_onesided: Any = True, scaling: Any = 'density', axis: _Axis = -1,
          average: Any = 'mean') -> Any: ...
def periodogram(x: _Operand, fs: Any = 1.0, window: Any = 'boxcar', nfft: Any = None,
                detrend: Any = 'constant', return_onesided: Any = True, scaling: Any = 'density',
                axis: _Axis = -1) -> Any: ...
def coherence(x: _Operand, y: _Operand, fs: Any = 1.0, window: Any = 'hann', nperseg: Any = None,
              noverlap: Any = None, nfft: Any = None, detrend: Any = 'constant',
              axis: _Axis = -1) -> Any: ...
def stft(x: _Operand, fs: Any = 1.0, window: Any = 'hann', nperseg: Any = 256, noverlap: Any = None,
         nfft: Any = None, detrend: Any = False, return_onesided: Any = True,
         boundary: Any = 'zeros', padded: Any = True, axis: _Axis = -1,
         scaling: Any = 'spectrum') -> Any: ...
def spectrogram(x: _Operand, fs: Any = 1.0, window: Any = ('tukey', 0.25), nperseg: Any = None,
                noverlap: Any = None, nfft: Any = None, detrend: Any = 'constant',
                return_onesided: Any = True, scaling: Any = 'density', axis: _Axis = -1,
                mode: Any = 'psd') -> Any: ...
