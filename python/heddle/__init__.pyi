# SPDX-License-Identifier: BSD-3-Clause
"""Names of the package, for type checkers; at run time __init__.py makes some of them appear."""
from ml_dtypes import bfloat16 as bfloat16
from numpy import bool as bool
from numpy import complex64 as complex64
from numpy import complex128 as complex128
from numpy import dtype as dtype
from numpy import finfo as finfo
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import iinfo as iinfo
from numpy import int8 as int8
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import isdtype as isdtype
from numpy import issubdtype as issubdtype
from numpy import promote_types as promote_types
from numpy import uint8 as uint8
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy.exceptions import AxisError as AxisError

from . import cuda as cuda
from . import cupy as cupy
from . import cupyx as cupyx
from . import exceptions as exceptions
from . import lib as lib
from . import linalg as linalg
from . import random as random
from . import scipy as scipy
from .lib import scimath as emath
from ._array import ndarray as ndarray
from ._array import ufunc as ufunc
from ._applying import *
from ._contracting import *
from ._creation import *
from ._differences import *
from ._einsum import *
from ._einsum_path import *
from ._functions import *
from ._functions import round as around
from ._functions import transpose as permute_dims
from ._heddle import *
from ._heddle import concatenate as concat
from ._heddle import max as amax
from ._heddle import min as amin
from ._benchmark import benchmark as benchmark
from ._profile import plot_roofline as plot_roofline
from ._profile import profile as profile
from ._ops import *
from ._ops import absolute as abs
from ._ops import arccos as acos
from ._ops import arccosh as acosh
from ._ops import arcsin as asin
from ._ops import arcsinh as asinh
from ._ops import arctan as atan
from ._ops import arctan2 as atan2
from ._ops import arctanh as atanh
from ._ops import conjugate as conj
from ._ops import divide as true_divide
from ._ops import invert as bitwise_invert
from ._ops import invert as bitwise_not
from ._ops import left_shift as bitwise_left_shift
from ._ops import power as pow
from ._ops import remainder as mod
from ._ops import right_shift as bitwise_right_shift
from ._errstate import *
from ._facts import *
from ._files import *
from ._grids import *
from ._joining import *
from ._moving import *
from ._methods import flatiter as flatiter
from ._nan import *
from ._numeric import *
from ._padding import *
from ._fitting import *
from ._polynomials import *
from ._products import *
from ._selecting import *
from ._histograms import *
from ._quantiles import *
from ._sets import *
from ._sorting import *
from ._state import *
from ._triangles import *
from ._windows import *
from . import fft as fft   # not the function of _heddle

__version__: str
newaxis: None
pi: float
e: float
euler_gamma: float
inf: float
nan: float
little_endian: bool
