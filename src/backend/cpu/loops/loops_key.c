/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements to unsigned integers that are ordered as they are, and back. */
#include <string.h>

#include "backend/cpu/loops/loops_symbols.h"

#define T uint8_t
#define S int8_t
#define BITS 8
#define LOG2 0
#include "backend/cpu/loops/loops_key.h"
#define T uint16_t
#define S int16_t
#define BITS 16
#define LOG2 1
#include "backend/cpu/loops/loops_key.h"
#define T uint32_t
#define S int32_t
#define BITS 32
#define LOG2 2
#include "backend/cpu/loops/loops_key.h"
#define T uint64_t
#define S int64_t
#define BITS 64
#define LOG2 3
#include "backend/cpu/loops/loops_key.h"
