# SPDX-License-Identifier: BSD-3-Clause
"""cupyx.scipy.fft: heddle.scipy.fft, and its plans as objects."""
from ...cupy._sharing import sharing as _sharing
from ...scipy.fft import __ua_domain__, __ua_function__    # noqa: F401
from ._plans import get_fft_plan as get_fft_plan

__getattr__, __dir__ = _sharing("cupyx.scipy.fft", "heddle.scipy.fft")
