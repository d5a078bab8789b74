# SPDX-License-Identifier: BSD-3-Clause
"""Names of the package, for type checkers; at run time __init__.py makes some of them appear."""
from typing import Literal

from ml_dtypes import bfloat16 as bfloat16
from numpy import asmatrix as asmatrix
from numpy import base_repr as base_repr
from numpy import binary_repr as binary_repr
from numpy import bool as bool
from numpy import bool_ as bool_
from numpy import busday_count as busday_count
from numpy import busday_offset as busday_offset
from numpy import busdaycalendar as busdaycalendar
from numpy import byte as byte
from numpy import bytes_ as bytes_
from numpy import cdouble as cdouble
from numpy import char as char
from numpy import character as character
from numpy import clongdouble as clongdouble
from numpy import complex128 as complex128
from numpy import complex256 as complex256
from numpy import complex64 as complex64
from numpy import complexfloating as complexfloating
from numpy import csingle as csingle
from numpy import ctypeslib as ctypeslib
from numpy import datetime64 as datetime64
from numpy import datetime_as_string as datetime_as_string
from numpy import datetime_data as datetime_data
from numpy import double as double
from numpy import dtype as dtype
from numpy import dtypes as dtypes
from numpy import False_ as False_
from numpy import finfo as finfo
from numpy import flexible as flexible
from numpy import float128 as float128
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import floating as floating
from numpy import format_float_positional as format_float_positional
from numpy import format_float_scientific as format_float_scientific
from numpy import frompyfunc as frompyfunc
from numpy import generic as generic
from numpy import get_include as get_include
from numpy import get_printoptions as get_printoptions
from numpy import getbufsize as getbufsize
from numpy import half as half
from numpy import iinfo as iinfo
from numpy import inexact as inexact
from numpy import info as info
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import int8 as int8
from numpy import int_ as int_
from numpy import intc as intc
from numpy import integer as integer
from numpy import intp as intp
from numpy import is_busday as is_busday
from numpy import isdtype as isdtype
from numpy import issubdtype as issubdtype
from numpy import long as long
from numpy import longdouble as longdouble
from numpy import longlong as longlong
from numpy import ma as ma
from numpy import matrix as matrix
from numpy import memmap as memmap
from numpy import min_scalar_type as min_scalar_type
from numpy import mintypecode as mintypecode
from numpy import ndindex as ndindex
from numpy import nditer as nditer
from numpy import nested_iters as nested_iters
from numpy import number as number
from numpy import object_ as object_
from numpy import poly1d as poly1d
from numpy import polynomial as polynomial
from numpy import printoptions as printoptions
from numpy import promote_types as promote_types
from numpy import rec as rec
from numpy import recarray as recarray
from numpy import record as record
from numpy import ScalarType as ScalarType
from numpy import sctypeDict as sctypeDict
from numpy import set_printoptions as set_printoptions
from numpy import setbufsize as setbufsize
from numpy import short as short
from numpy import show_runtime as show_runtime
from numpy import signedinteger as signedinteger
from numpy import single as single
from numpy import str_ as str_
from numpy import strings as strings
from numpy import timedelta64 as timedelta64
from numpy import True_ as True_
from numpy import typecodes as typecodes
from numpy import typename as typename
from numpy import ubyte as ubyte
from numpy import uint as uint
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy import uint8 as uint8
from numpy import uintc as uintc
from numpy import uintp as uintp
from numpy import ulong as ulong
from numpy import ulonglong as ulonglong
from numpy import unsignedinteger as unsignedinteger
from numpy import ushort as ushort
from numpy import void as void
from numpy.exceptions import AxisError as AxisError

from . import cuda as cuda
from . import cupy as cupy
from . import cupyx as cupyx
from . import exceptions as exceptions
from . import fft as fft
from . import lib as lib
from . import linalg as linalg
from . import random as random
from . import scipy as scipy
from . import testing as testing
from . import typing as typing
from .lib import scimath as _scimath
from ._array import ndarray as ndarray
from ._array import ufunc as ufunc
from ._applying import *
from ._contracting import *
from ._creation import *
from ._differences import *
from ._einsum import *
from ._einsum_path import *
from ._functions import *
from ._heddle import all as all
from ._heddle import any as any
from ._heddle import argmax as argmax
from ._heddle import argmin as argmin
from ._heddle import array as array
from ._heddle import asarray as asarray
from ._heddle import broadcast_to as broadcast_to
from ._heddle import concatenate as concatenate
from ._heddle import convolve as convolve
from ._heddle import copyto as copyto
from ._heddle import correlate as correlate
from ._heddle import cummax as cummax
from ._heddle import cummin as cummin
from ._heddle import cumprod as cumprod
from ._heddle import cumsum as cumsum
from ._heddle import dot as dot
from ._heddle import empty as empty
from ._heddle import expand_dims as expand_dims
from ._heddle import eye as eye
from ._heddle import full as full
from ._heddle import get_num_threads as get_num_threads
from ._heddle import matmul as matmul
from ._heddle import max as max
from ._heddle import may_share_memory as may_share_memory
from ._heddle import mean as mean
from ._heddle import min as min
from ._heddle import ones as ones
from ._heddle import prod as prod
from ._heddle import set_num_threads as set_num_threads
from ._heddle import stack as stack
from ._heddle import std as std
from ._heddle import sum as sum
from ._heddle import var as var
from ._heddle import where as where
from ._heddle import zeros as zeros
from ._benchmark import benchmark as benchmark
from ._profile import plot_roofline as plot_roofline
from ._profile import profile as profile
from ._ops import *
from ._errstate import *
from ._facts import *
from ._files import *
from ._grids import *
from ._joining import *
from ._moving import *
from ._namespace import *
from ._methods import flatiter as flatiter
from ._nan import *
from ._numeric import *
from ._padding import *
from ._fitting import *
from ._polynomials import *
from ._positions import *
from ._products import *
from ._selecting import *
from ._histograms import *
from ._quantiles import *
from ._sets import *
from ._sorting import *
from ._state import *
from ._triangles import *
from ._windows import *

__version__: str
newaxis: None
pi: float
e: float
euler_gamma: float
inf: float
nan: float
little_endian: Literal[True]
emath = _scimath

abs = absolute
acos = arccos
acosh = arccosh
amax = max
amin = min
around = round
asin = arcsin
asinh = arcsinh
atan = arctan
atan2 = arctan2
atanh = arctanh
bitwise_invert = invert
bitwise_left_shift = left_shift
bitwise_not = invert
bitwise_right_shift = right_shift
concat = concatenate
conj = conjugate
mod = remainder
permute_dims = transpose
pow = power
true_divide = divide
