/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_compile.c - the table of codes of this process, and how a new one is come by. */
#include "codegen/cg_compile.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "codegen/cg_cache.h"
#include "codegen/cg_generator.h"

/* A kernel takes about two kilobytes, so this many are 32 MB; programs have hundreds. */
enum { SLOTS = 1 << 15, MOST_CODES = SLOTS / 2 };

typedef struct entry {
    uint64_t hash;
    size_t bytes;
    void *key;               /* the chain's */
    hdi_chain_code code;
} entry;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static entry *table;         /* open addressing; NULL until the first code */
static hdi_cg_stats stats;

/* ---- what is wanted -------------------------------------------------------------------------- */

enum { UNREAD = INT32_MIN };
static atomic_int tier = UNREAD;

int hdi_cg_tier(void)
{
    int wish = atomic_load_explicit(&tier, memory_order_relaxed);
    if (HDI_UNLIKELY(wish == UNREAD)) {
        const char *text = getenv("HEDDLE_TIER");
        wish = text == NULL ? -1 : text[0] == '0' ? 0 : text[0] == '1' ? 1 : -1;
        atomic_store(&tier, wish);
    }
    return wish;
}

void hdi_cg_set_tier(int wish)
{
    atomic_store(&tier, wish < 0 ? -1 : wish > 0);
}

bool hdi_cg_available(void)
{
#if defined(__x86_64__) && !defined(HDI_NO_CODEGEN)
    return true;
#else
    return false;
#endif
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* What code depends on besides the chain: the generator's and the loader's ways with it. */
typedef struct disk_key {
    char what[24];
    uint64_t rows;           /* what operations' numbers stand for */
    int64_t built, bytes;    /* the generator's file: whoever changes it need not think of this */
    hdi_chain chain;
} disk_key;

static size_t make_disk_key(disk_key *k, const hdi_chain *c)
{
    memset(k, 0, sizeof *k);
    snprintf(k->what, sizeof k->what, "chain %d " HDI_LLVM_NAME, HDI_LLVM_CODE_VERSION);
    k->rows = hdi_chain_fingerprint();
    k->built = hdi_cg_generator_file()->built;
    k->bytes = hdi_cg_generator_file()->bytes;
    memcpy(&k->chain, c, hdi_chain_key_bytes(c));
    return offsetof(disk_key, chain) + hdi_chain_key_bytes(c);
}

void *hdi_cg_code_kept(const void *key, size_t key_bytes, const char *function, const char *label,
                       hdi_cg_resolve resolve, void *ctx)
{
    size_t bytes;
    void *object = hdi_cg_dump_wish() ? NULL : hdi_cg_cache_get(key, key_bytes, &bytes);
    if (object == NULL)
        return NULL;
    void *code = hdi_cg_load(object, bytes, function, label, resolve, ctx);
    hdi_free(object, bytes);
    if (code == NULL)
        hd_error_take(NULL);   /* it is made anew, and replaced */
    return code;
}

static void *from_disk(const disk_key *key, size_t key_bytes, hdi_cg_resolve resolve, void *ctx)
{
    void *code =
        hdi_cg_code_kept(key, key_bytes, HDI_CHAIN_ENTRY, HDI_CHAIN_ENTRY, resolve, ctx);
    stats.from_disk += code != NULL;
    return code;
}

static void *generate(const disk_key *key, size_t key_bytes, hdi_cg_resolve resolve, void *ctx)
{
    hdi_llvm_object object;
    const hdi_cg_generator *g = hdi_cg_generator_open();
    if (g == NULL)
        return NULL;
    snprintf(stats.version, sizeof stats.version, "%s", g->version);
    stats.library_loaded = true;
    if (!g->chain(&key->chain, hdi_cg_dump_wish(), &object)) {
        hdi_fail(HD_UNSUPPORTED, "the code generator refused a kernel: %s", object.error);
        return NULL;
    }
    hdi_cg_dump(&object, "s", NULL);
    void *code = hdi_cg_load(object.bytes, object.size, HDI_CHAIN_ENTRY, HDI_CHAIN_ENTRY, resolve,
                             ctx);
    if (code != NULL)
        hdi_cg_cache_put(key, key_bytes, object.bytes, object.size);
    free(object.bytes);
    stats.compiled += code != NULL;
    return code;
}

/* The entry of a chain, or where it goes. */
static entry *find(const hdi_chain *c, uint64_t hash)
{
    size_t bytes = hdi_chain_key_bytes(c), at = hash % SLOTS;
    while (table[at].code != NULL &&
           !(table[at].hash == hash && table[at].bytes == bytes &&
             memcmp(table[at].key, c, bytes) == 0))
        at = (at + 1) % SLOTS;
    return &table[at];
}

static hd_status make(entry *e, const hdi_chain *c, hdi_cg_resolve resolve, void *ctx)
{
    disk_key key;
    size_t key_bytes = make_disk_key(&key, c);
    if (stats.kernels == MOST_CODES)
        return hdi_fail(HD_UNSUPPORTED, "%d kernels are compiled already", MOST_CODES);
    void *code = from_disk(&key, key_bytes, resolve, ctx);
    if (code == NULL)
        code = generate(&key, key_bytes, resolve, ctx);
    if (code == NULL)
        return hd_error_peek()->code;
    e->bytes = hdi_chain_key_bytes(c);
    e->key = hdi_alloc(e->bytes);
    if (e->key == NULL) {
        hdi_cg_unload(code);
        return hdi_fail(HD_NOMEM, "out of memory for a compiled kernel");
    }
    memcpy(e->key, c, e->bytes);
    *(void **)&e->code = code;
    stats.kernels++;
    return HD_OK;
}

hdi_chain_code hdi_cg_chain_code(const hdi_chain *c, hdi_cg_resolve resolve, void *ctx)
{
    hdi_chain_code code = NULL;
    uint64_t hash = hdi_hash_bytes(0, c, hdi_chain_key_bytes(c));
    hdi_cg_watch_forks();
    pthread_mutex_lock(&mutex);
    if (table == NULL && (table = hdi_calloc(sizeof *table * SLOTS)) == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for compiled kernels");
    } else {
        entry *e = find(c, hash);
        if (e->code != NULL || make(e, c, resolve, ctx) == HD_OK) {
            e->hash = hash;
            code = e->code;
        }
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

void hdi_cg_lock_codes(bool lock)
{
    if (lock)
        pthread_mutex_lock(&mutex);
    else
        pthread_mutex_unlock(&mutex);
}

void hdi_cg_stats_get(hdi_cg_stats *out)
{
    pthread_mutex_lock(&mutex);
    *out = stats;
    pthread_mutex_unlock(&mutex);
}

void hdi_cg_note_failure(const hd_error *why)
{
    pthread_mutex_lock(&mutex);
    snprintf(stats.reason, sizeof stats.reason, "%s", why->message);
    pthread_mutex_unlock(&mutex);
}
