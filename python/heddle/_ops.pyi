# SPDX-License-Identifier: BSD-3-Clause
# Made by tools/gen.c from src/ops: do not edit; `make gen` writes it again.
from ._array import ndarray, ufunc

negative: ufunc
"""-x"""
positive: ufunc
"""+x"""
absolute: ufunc
"""absolute value; of a complex number its modulus, as a real"""
fabs: ufunc
"""absolute value, as a real number"""
sign: ufunc
"""-1, 0 or 1 by the sign of x; x / abs(x) for complex"""
square: ufunc
"""x * x"""
sqrt: ufunc
"""square root; nan below 0"""
cbrt: ufunc
"""real cube root, negative below 0"""
reciprocal: ufunc
"""1 / x"""
exp: ufunc
"""e to the power x"""
exp2: ufunc
"""2 to the power x"""
expm1: ufunc
"""exp(x) - 1, exact near 0"""
log: ufunc
"""natural logarithm; nan below 0, -inf at 0"""
log2: ufunc
"""logarithm to base 2"""
log10: ufunc
"""logarithm to base 10"""
log1p: ufunc
"""log(1 + x), exact near 0"""
sin: ufunc
"""sine of x radians"""
cos: ufunc
"""cosine of x radians"""
tan: ufunc
"""tangent of x radians"""
arcsin: ufunc
"""angle in radians whose sine is x"""
arccos: ufunc
"""angle in radians whose cosine is x"""
arctan: ufunc
"""angle in radians whose tangent is x"""
sinh: ufunc
"""hyperbolic sine"""
cosh: ufunc
"""hyperbolic cosine"""
tanh: ufunc
"""hyperbolic tangent"""
arcsinh: ufunc
"""inverse hyperbolic sine"""
arccosh: ufunc
"""inverse hyperbolic cosine; nan below 1"""
arctanh: ufunc
"""inverse hyperbolic tangent"""
deg2rad: ufunc
"""degrees as radians"""
radians: ufunc
"""degrees as radians"""
rad2deg: ufunc
"""radians as degrees"""
degrees: ufunc
"""radians as degrees"""
floor: ufunc
"""largest integer not above x"""
ceil: ufunc
"""smallest integer not below x"""
trunc: ufunc
"""x without its fraction"""
rint: ufunc
"""nearest integer, ties to even"""
spacing: ufunc
"""distance to the next number away from 0"""
conjugate: ufunc
"""complex conjugate"""
isnan: ufunc
"""is x not a number"""
isinf: ufunc
"""is x infinite"""
isfinite: ufunc
"""is x neither infinite nor nan"""
signbit: ufunc
"""is the sign bit set: x < 0, or -0.0"""
logical_not: ufunc
"""x == 0, as bool"""
invert: ufunc
"""every bit of x flipped; logical not of a bool"""
bitwise_count: ufunc
"""number of bits set in the absolute value"""
add: ufunc
"""x + y; of bools x or y"""
subtract: ufunc
"""x - y"""
multiply: ufunc
"""x * y; of bools x and y"""
divide: ufunc
"""x / y, as real or complex numbers"""
floor_divide: ufunc
"""floor(x / y); 0 for an integer division by 0"""
remainder: ufunc
"""x - y * floor(x / y), with the sign of y"""
fmod: ufunc
"""x - y * trunc(x / y), with the sign of x; 0 for an integer division by 0"""
power: ufunc
"""x to the power y"""
float_power: ufunc
"""x to the power y, in double precision"""
logaddexp: ufunc
"""log(exp(x) + exp(y)) without overflow"""
logaddexp2: ufunc
"""log2(2**x + 2**y) without overflow"""
arctan2: ufunc
"""angle in radians of the point (y, x)"""
hypot: ufunc
"""sqrt(x*x + y*y) without overflow"""
copysign: ufunc
"""x with the sign of y"""
nextafter: ufunc
"""the next number after x in the direction of y"""
ldexp: ufunc
"""x * 2**y"""
heaviside: ufunc
"""0 where x < 0, 1 where x > 0, y where x is 0"""
maximum: ufunc
"""the larger; nan if either is nan"""
minimum: ufunc
"""the smaller; nan if either is nan"""
fmax: ufunc
"""the larger; the other one where one is nan"""
fmin: ufunc
"""the smaller; the other one where one is nan"""
equal: ufunc
"""x == y, as bool"""
not_equal: ufunc
"""x != y, as bool"""
less: ufunc
"""x < y, as bool"""
less_equal: ufunc
"""x <= y, as bool"""
greater: ufunc
"""x > y, as bool"""
greater_equal: ufunc
"""x >= y, as bool"""
logical_and: ufunc
"""truth of x and y"""
logical_or: ufunc
"""truth of x or y"""
logical_xor: ufunc
"""truth of x xor y"""
bitwise_and: ufunc
"""bits set in both"""
bitwise_or: ufunc
"""bits set in either"""
bitwise_xor: ufunc
"""bits set in one of them"""
gcd: ufunc
"""greatest common divisor of the absolute values"""
lcm: ufunc
"""least common multiple of the absolute values"""
left_shift: ufunc
"""x * 2**y; 0 for shifts by the width or more"""
right_shift: ufunc
"""floor(x / 2**y)"""
divmod: ufunc
"""floor(x / y) and the remainder that goes with it"""
modf: ufunc
"""fraction and whole part of x, both with its sign"""
frexp: ufunc
"""mantissa in [0.5, 1) and power of 2 of x"""
