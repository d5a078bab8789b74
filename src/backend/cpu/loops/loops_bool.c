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
