/* SPDX-License-Identifier: BSD-3-Clause */
/* Inner loops of bool. */
#define DTYPE BOOL
#define KIND B

#include "backend/cpu/loops/loops_symbols.h"

#include "backend/cpu/loops/loops_vocab_bool.h"

#include "backend/cpu/loops/loops_drive.h"

#include "backend/cpu/loops/loops_cast.h"
#include "backend/cpu/loops/loops_ew.h"
#include "backend/cpu/loops/loops_scan.h"
#include "backend/cpu/loops/loops_red.h"

/* Either or both of two: as words on bytes, which compilers know to make vectors of. */
enum { FREE_B = 4096 };
HDI_INLINE T BLOCK_B(const operand *x, T (*f)(T, T))
{
    T any = 0, all = UINT8_MAX;
    if (f(ZERO, ONE) != 0)
        for (int i = 0; i < FREE_B; i++)
            any |= x[i];
    else
        for (int i = 0; i < FREE_B; i++)
            all = all < x[i] ? all : x[i];
    return f(ZERO, ONE) != 0 ? truth(any) : truth(all);
}
#include "backend/cpu/loops/loops_long.h"
