/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes of Fourier transforms in float64. */
#include <string.h>

#define DTYPE FLOAT64
#define T double
#define WIDE 2
#define WIDER 4
#define WIDEST 8
#include "backend/cpu/loops/loops_fft.h"
