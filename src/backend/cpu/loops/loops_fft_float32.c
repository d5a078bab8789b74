/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes of Fourier transforms in float32. */
#include <string.h>

#define DTYPE FLOAT32
#define T float
#define WIDE 4
#define WIDER 8
#define WIDEST 16
#include "backend/cpu/loops/loops_fft.h"
