/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_cache.h - objects made for a key, kept on disk for the next process.
 * Owns       the files of one folder that are named by 32 hexadecimal digits, and ".new-*", files
 *            on the way to such a name. $HEDDLE_CACHE, else $XDG_CACHE_HOME/heddle, else
 *            ~/.cache/heddle; HEDDLE_CACHE=off (or 0): no cache. It is made with mode 0700 and
 *            refused when it belongs to somebody else, can be written by others, or is a link
 * Invariant  an object is only given out for exactly the key it was stored under, and only as it
 *            was stored: the file holds the whole key and a checksum. Anything else there is
 *            ignored, and replaced by the next put
 * Threads    any, and several processes at once: files appear whole, by rename(2). No locks
 * Memory     no error is ever recorded here: without a cache everything works, later. The folder
 *            is opened at each call, so no descriptor stays open
 * Start at   hdi_cg_cache_get() */
#ifndef HDI_CG_CACHE_H
#define HDI_CG_CACHE_H

#include "base/base.h"

/* hdi_cg_cache_get - the object stored under this key, to be freed with hdi_free(p, *bytes), or
 * NULL: not there, damaged, or out of memory. The key must hold all that the object depends on:
 * what is computed, the processor's features, the versions of compiler and library. */
void *hdi_cg_cache_get(const void *key, size_t key_bytes, size_t *bytes);

/* hdi_cg_cache_put - stores an object, in the place of an older one. false: not stored, and
 * hdi_cg_cache_info() says why. Now and then deletes what was not used for longest, when all
 * entries together are over HEDDLE_CACHE_SIZE bytes (default 256 MB). */
bool hdi_cg_cache_put(const void *key, size_t key_bytes, const void *object, size_t bytes);

typedef struct hdi_cg_cache_stats {
    char folder[1024];    /* "" when there is none */
    char reason[256];     /* why not usable, or which setting was ignored; "" when all is well */
    bool usable;          /* false: switched off, refused, or the last put failed */
    int64_t hits, misses; /* of this process; misses include the rejected */
    int64_t stored;       /* by this process */
    int64_t rejected;     /* files that were damaged or are not ours */
    int64_t bytes;        /* of all entries on disk, each rounded up to 4 KB; reads the folder */
    int64_t limit;        /* what they may grow to */
} hdi_cg_cache_stats;
void hdi_cg_cache_info(hdi_cg_cache_stats *out);

/* hdi_cg_cache_reread - test aid: reads the environment again, which otherwise is read once, at
 * the first call, and sets the counters to 0. No other call may be going on. */
void hdi_cg_cache_reread(void);

#endif
