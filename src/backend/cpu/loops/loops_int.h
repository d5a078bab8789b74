/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_int.h - everything of an integer type: what the loops_int*.c and loops_uint*.c have in
 * common.
 * Wants      DTYPE, INT_T, UINT_T, INT_BITS, INT_SIGNED */
#define KIND I

#include "backend/cpu/loops/loops_symbols.h"

#include "backend/cpu/loops/loops_vocab_int.h"

#include "backend/cpu/loops/loops_drive.h"

#include "backend/cpu/loops/loops_random.h"
#include "backend/cpu/loops/loops_random_int.h"
#include "backend/cpu/loops/loops_draw.h"

#include "backend/cpu/loops/loops_cast.h"
#include "backend/cpu/loops/loops_ew.h"
#include "backend/cpu/loops/loops_scan.h"
#include "backend/cpu/loops/loops_red.h"
#include "backend/cpu/loops/loops_long.h"
#define THIN_PICKS (INT_BITS >= 32)
#include "backend/cpu/loops/loops_thin.h"
