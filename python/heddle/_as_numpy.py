# SPDX-License-Identifier: BSD-3-Clause
"""Heddle as the module `numpy` that a program imports: its names, under NumPy's name and version,
since programs compare np.__version__. What a program sets here it sets for itself (np.float = float).
"""
import sys
from types import ModuleType

import heddle


class _Numpy(ModuleType):
    def __getattr__(self, name):
        value = getattr(heddle, name)
        if name in heddle.__all__:      # from now on found at once
            self.__dict__[name] = value
        return value

    def __dir__(self):
        return sorted({*dir(heddle), *self.__dict__})


def _version():
    import numpy
    return numpy.__version__


module = _Numpy("numpy", heddle.__doc__)
module.__dict__.update(__spec__=heddle.__spec__, __file__=heddle.__file__, __path__=heddle.__path__,
                       __package__="numpy", __version__=_version(), __all__=heddle.__all__)
sys.modules[__name__] = module      # what importing this gives
