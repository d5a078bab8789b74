# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's functions of images, with the arguments and errors of scipy.ndimage.

They are whole-array operations: they fuse, and run on a GPU as well.
"""
from . import (_distances, _filters, _fourier, _generic, _grey, _interpolation, _label,
               _measurements, _morphology, _splines)
from ._distances import *   # noqa: F403
from ._filters import *     # noqa: F403
from ._fourier import *     # noqa: F403
from ._generic import *     # noqa: F403
from ._grey import *        # noqa: F403
from ._interpolation import *   # noqa: F403
from ._label import *       # noqa: F403
from ._measurements import *    # noqa: F403
from ._morphology import *  # noqa: F403
from ._splines import *     # noqa: F403

_MODULES = (_distances, _filters, _fourier, _generic, _grey, _interpolation, _label,
            _measurements, _morphology, _splines)
__all__ = sorted(name for module in _MODULES for name in module.__all__)
