# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's functions of signals, with the arguments and errors of scipy.signal."""
from . import _by_name, _convolution, _peaks, _spectral, _waveforms, _wavelets
from . import windows as windows
from ._by_name import *         # noqa: F403
from ._convolution import *     # noqa: F403
from ._peaks import *           # noqa: F403
from ._spectral import *        # noqa: F403
from ._waveforms import *       # noqa: F403
from ._wavelets import *        # noqa: F403

_MODULES = (_by_name, _convolution, _peaks, _spectral, _waveforms, _wavelets)
__all__ = sorted(name for module in _MODULES for name in module.__all__)
