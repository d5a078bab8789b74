# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/gen.c from src/ops: do not edit; `make gen` writes it again.
from ._array import (FloatOfOne, FloatOfTwo, SameOfOne, SameOfTwo, SizeOfOne, TruthOfOne,
                     TruthOfTwo, ufunc)

negative: ufunc[SameOfOne]
"""-x"""
positive: ufunc[SameOfOne]
"""+x"""
absolute: ufunc[SizeOfOne]
"""absolute value; of a complex number its modulus, as a real"""
fabs: ufunc[FloatOfOne]
"""absolute value, as a real number"""
sign: ufunc[SameOfOne]
"""-1, 0 or 1 by the sign of x; x / abs(x) for complex"""
square: ufunc[SameOfOne]
"""x * x"""
sqrt: ufunc[FloatOfOne]
"""square root; nan below 0"""
cbrt: ufunc[FloatOfOne]
"""real cube root, negative below 0"""
reciprocal: ufunc[SameOfOne]
"""1 / x"""
exp: ufunc[FloatOfOne]
"""e to the power x"""
exp2: ufunc[FloatOfOne]
"""2 to the power x"""
expm1: ufunc[FloatOfOne]
"""exp(x) - 1, exact near 0"""
log: ufunc[FloatOfOne]
"""natural logarithm; nan below 0, -inf at 0"""
log2: ufunc[FloatOfOne]
"""logarithm to base 2"""
log10: ufunc[FloatOfOne]
"""logarithm to base 10"""
log1p: ufunc[FloatOfOne]
"""log(1 + x), exact near 0"""
sin: ufunc[FloatOfOne]
"""sine of x radians"""
cos: ufunc[FloatOfOne]
"""cosine of x radians"""
tan: ufunc[FloatOfOne]
"""tangent of x radians"""
arcsin: ufunc[FloatOfOne]
"""angle in radians whose sine is x"""
arccos: ufunc[FloatOfOne]
"""angle in radians whose cosine is x"""
arctan: ufunc[FloatOfOne]
"""angle in radians whose tangent is x"""
sinh: ufunc[FloatOfOne]
"""hyperbolic sine"""
cosh: ufunc[FloatOfOne]
"""hyperbolic cosine"""
tanh: ufunc[FloatOfOne]
"""hyperbolic tangent"""
arcsinh: ufunc[FloatOfOne]
"""inverse hyperbolic sine"""
arccosh: ufunc[FloatOfOne]
"""inverse hyperbolic cosine; nan below 1"""
arctanh: ufunc[FloatOfOne]
"""inverse hyperbolic tangent"""
deg2rad: ufunc[FloatOfOne]
"""degrees as radians"""
radians: ufunc[FloatOfOne]
"""degrees as radians"""
rad2deg: ufunc[FloatOfOne]
"""radians as degrees"""
degrees: ufunc[FloatOfOne]
"""radians as degrees"""
floor: ufunc[SameOfOne]
"""largest integer not above x"""
ceil: ufunc[SameOfOne]
"""smallest integer not below x"""
trunc: ufunc[SameOfOne]
"""x without its fraction"""
rint: ufunc[FloatOfOne]
"""nearest integer, ties to even"""
spacing: ufunc[FloatOfOne]
"""distance to the next number away from 0"""
conjugate: ufunc[SameOfOne]
"""complex conjugate"""
isnan: ufunc[TruthOfOne]
"""is x not a number"""
isinf: ufunc[TruthOfOne]
"""is x infinite"""
isfinite: ufunc[TruthOfOne]
"""is x neither infinite nor nan"""
signbit: ufunc[TruthOfOne]
"""is the sign bit set: x < 0, or -0.0"""
logical_not: ufunc[TruthOfOne]
"""x == 0, as bool"""
invert: ufunc[SameOfOne]
"""every bit of x flipped; logical not of a bool"""
bitwise_count: ufunc
"""number of bits set in the absolute value"""
add: ufunc[SameOfTwo]
"""x + y; of bools x or y"""
subtract: ufunc[SameOfTwo]
"""x - y"""
multiply: ufunc[SameOfTwo]
"""x * y; of bools x and y"""
divide: ufunc[FloatOfTwo]
"""x / y, as real or complex numbers"""
floor_divide: ufunc[SameOfTwo]
"""floor(x / y); 0 for an integer division by 0"""
remainder: ufunc[SameOfTwo]
"""x - y * floor(x / y), with the sign of y"""
fmod: ufunc[SameOfTwo]
"""x - y * trunc(x / y), with the sign of x; 0 for an integer division by 0"""
power: ufunc[SameOfTwo]
"""x to the power y"""
float_power: ufunc
"""x to the power y, in double precision"""
logaddexp: ufunc[FloatOfTwo]
"""log(exp(x) + exp(y)) without overflow"""
logaddexp2: ufunc[FloatOfTwo]
"""log2(2**x + 2**y) without overflow"""
arctan2: ufunc[FloatOfTwo]
"""angle in radians of the point with ordinate x and abscissa y"""
hypot: ufunc[FloatOfTwo]
"""sqrt(x*x + y*y) without overflow"""
copysign: ufunc[FloatOfTwo]
"""x with the sign of y"""
nextafter: ufunc[FloatOfTwo]
"""the next number after x in the direction of y"""
ldexp: ufunc
"""x * 2**y"""
heaviside: ufunc[FloatOfTwo]
"""0 where x < 0, 1 where x > 0, y where x is 0"""
maximum: ufunc[SameOfTwo]
"""the larger; nan if either is nan"""
minimum: ufunc[SameOfTwo]
"""the smaller; nan if either is nan"""
fmax: ufunc[SameOfTwo]
"""the larger; the other one where one is nan"""
fmin: ufunc[SameOfTwo]
"""the smaller; the other one where one is nan"""
equal: ufunc[TruthOfTwo]
"""x == y, as bool"""
not_equal: ufunc[TruthOfTwo]
"""x != y, as bool"""
less: ufunc[TruthOfTwo]
"""x < y, as bool"""
less_equal: ufunc[TruthOfTwo]
"""x <= y, as bool"""
greater: ufunc[TruthOfTwo]
"""x > y, as bool"""
greater_equal: ufunc[TruthOfTwo]
"""x >= y, as bool"""
logical_and: ufunc[TruthOfTwo]
"""truth of x and y"""
logical_or: ufunc[TruthOfTwo]
"""truth of x or y"""
logical_xor: ufunc[TruthOfTwo]
"""truth of x xor y"""
bitwise_and: ufunc[SameOfTwo]
"""bits set in both"""
bitwise_or: ufunc[SameOfTwo]
"""bits set in either"""
bitwise_xor: ufunc[SameOfTwo]
"""bits set in one of them"""
gcd: ufunc[SameOfTwo]
"""greatest common divisor of the absolute values"""
lcm: ufunc[SameOfTwo]
"""least common multiple of the absolute values"""
left_shift: ufunc[SameOfTwo]
"""x * 2**y; 0 for shifts by the width or more"""
right_shift: ufunc[SameOfTwo]
"""floor(x / 2**y)"""
divmod: ufunc
"""floor(x / y) and the remainder that goes with it"""
modf: ufunc
"""fraction and whole part of x, both with its sign"""
frexp: ufunc
"""mantissa in [0.5, 1) and power of 2 of x"""
