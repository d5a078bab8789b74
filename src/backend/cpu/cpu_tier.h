/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_tier.h - a program's way from the interpreter to machine code: work is counted, a thread in
 * the background compiles, the next launch finds the result.
 * Owns       hdi_cpu_tier
 * Invariant  a launch never waits for a compiler, unless tier 1 was asked for by name; both tiers
 *            give the same bits, so nobody can tell when the change was
 * Threads    any
 * Memory     counted: the program has one reference, a compile under way another
 * Start at   hdi_cpu_promote()
 * See        docs/design/codegen.md */
#ifndef HDI_CPU_TIER_H
#define HDI_CPU_TIER_H

#include "backend/backend.h"
#include "backend/cpu/cpu_program.h"
#include "base/strbuf.h"

/* hdi_cpu_promote - the program that a launch of p runs: p, or what it became. */
const hdi_cpu_program *hdi_cpu_promote(const hdi_cpu_program *p, const hdi_launch *l);

/* hdi_cpu_tier_of - 0 or 1: what hdi_cpu_promote() would say now. */
int hdi_cpu_tier_of(const hdi_cpu_program *p);

/* hdi_cpu_info - lines for hd_device_info(). */
void hdi_cpu_info(void *state, hdi_strbuf *lines);

/* hdi_cpu_watched - while floating-point faults are watched tier 0 runs: a masked lane may raise
 * what no element does. */
void hdi_cpu_watched(bool on);
bool hdi_cpu_is_watched(void);

#endif
