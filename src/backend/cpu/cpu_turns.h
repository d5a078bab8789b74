/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_turns.h - which calls of BLAS and LAPACK may run at the same time. Other library calls share
 * nothing but caches that look after themselves, and ask nobody.
 *
 * OpenBLAS has one number of threads for the whole process, and the last bits of its results depend
 * on it. So calls that use the calling thread alone run beside each other, and one that gets
 * OpenBLAS's threads (large matrices of LAPACK) runs beside none. So does every call where BLAS
 * shares its work in a way of its own, or the address space is limited, and while BLAS is opened.
 * Owns       the count of calls under way
 * Invariant  who waits for a turn alone lets none begin that came later: it is not put off for ever
 * Threads    any, without the library's lock. A turn is held over one call, and so by nobody while
 *            a fork() is under way. Small work (cpu_small.h) takes none: it is too small for BLAS
 *            to share it whatever the number of threads, and is not done where address space is
 *            limited
 * Start at   hdi_cpu_begin_call()
 * See        docs/design/linalg.md, Turns */
#ifndef HDI_CPU_TURNS_H
#define HDI_CPU_TURNS_H

#include "backend/backend.h"

typedef enum hdi_cpu_turn {
    HDI_CPU_FREE,                /* needs no turn */
    HDI_CPU_BESIDE,              /* beside others of its kind */
    HDI_CPU_ALONE
} hdi_cpu_turn;

/* hdi_cpu_turn_of - what the call needs now. */
hdi_cpu_turn hdi_cpu_turn_of(const hdi_xcall *x);

/* hdi_cpu_take_turn - waits for it; HD_INTERRUPTED: the host wants this thread, and it has none.
 * hdi_cpu_leave_turn - the call is over. */
hd_status hdi_cpu_take_turn(hdi_cpu_turn turn);
void hdi_cpu_leave_turn(hdi_cpu_turn turn);

/* hdi_backend.begin_call, .end_call. */
hd_status hdi_cpu_begin_call(void *state, const hdi_xcall *x, int *turn);
void hdi_cpu_end_call(void *state, int turn);

#endif
