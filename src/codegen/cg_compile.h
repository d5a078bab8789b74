/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_compile.h - chains to code: from what this process has, from the disk cache, or from LLVM,
 * whose library is opened when it is needed first; and the threads that do so in the background.
 * Invariant  nothing here is called with the library's lock held. One chain has one code
 * Threads    any; one makes chains at a time, several the kernels of GPUs
 * Start at   hdi_cg_chain_code(), hdi_cg_later()
 * See        docs/design/codegen.md */
#ifndef HDI_CG_COMPILE_H
#define HDI_CG_COMPILE_H

#include "base/base.h"
#include "codegen/cg_chain.h"
#include "codegen/cg_loader.h"

/* hdi_cg_available - can there be code at all on this machine? */
bool hdi_cg_available(void);

/* hdi_cg_chain_code - what c becomes; NULL and an error if there is no code generator, or no
 * executable memory. Takes milliseconds the first time. It stays for the life of the process. */
hdi_chain_code hdi_cg_chain_code(const hdi_chain *c, hdi_cg_resolve resolve, void *ctx);

/* hdi_cg_code_kept - the code of the object that the disk cache has under a key, as hdi_cg_load();
 * NULL, and no error: it has none, or one that is no good, or texts are wanted (HEDDLE_DUMP). */
void *hdi_cg_code_kept(const void *key, size_t key_bytes, const char *function, const char *label,
                       hdi_cg_resolve resolve, void *ctx);

/* hdi_cg_later - run(ctx) on a background thread. Of what waits, that is next for which worth(ctx)
 * is the largest then: it is called with a lock held, and may do no more than look at ctx. NULL: it
 * is worth more than anything else. false: there is no thread. hdi_cg_under_way - how many run now.
 * hdi_cg_wait - until all that was asked for is done. hdi_cg_end - waits for what is under way;
 * nothing is begun any more. */
bool hdi_cg_later(void (*run)(void *ctx), int64_t (*worth)(void *ctx), void *ctx);
int hdi_cg_under_way(void);
void hdi_cg_wait(void);
void hdi_cg_end(void);
/* hdi_cg_watch_forks - fork() and exit() wait for compiles from here on; called before there are
 * threads.
 * hdi_cg_lock_codes - no compile begins while it is locked. */
void hdi_cg_watch_forks(void);
void hdi_cg_lock_codes(bool lock);

/* hdi_cg_tier - what the user wants: 0 the interpreter, 1 compiled at once, -1 as it pays (the
 * default; HEDDLE_TIER sets it). */
int hdi_cg_tier(void);
void hdi_cg_set_tier(int tier);

/* For info. hdi_cg_note_failure - why a kernel stays on tier 0: the newest reason is kept. */
typedef struct hdi_cg_stats {
    int64_t compiled;        /* by LLVM in this process */
    int64_t from_disk, kernels;
    bool library_loaded;
    char version[32];        /* of LLVM, once loaded */
    char reason[512];        /* why the last failure failed; "" */
} hdi_cg_stats;
void hdi_cg_stats_get(hdi_cg_stats *out);
void hdi_cg_note_failure(const hd_error *why);

#endif
