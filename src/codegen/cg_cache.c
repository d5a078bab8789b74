/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_cache.c - one file per entry: a header of 40 bytes, the key, the object.
 *
 * A file gets its name when it is complete; nothing is ever changed in place, and nothing waits
 * for anybody. What two processes do at once ends as if one had done it first. No fsync: the
 * checksum finds what a crash left half written.
 *
 * Who may write to the folder can make us run what they like. So nobody but this user may, and
 * the folder is opened first, looked at second, and then used through its descriptor. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* O_NOFOLLOW, O_DIRECTORY */
#endif
#include "codegen/cg_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "codegen/cg_folder.h"

enum { NAME = HDI_CG_NAME, ENTRY_MAX = 64 << 20, DAY = 86400, PIECE = 4096 };

typedef struct header {
    char magic[8];
    uint64_t version;
    uint64_t key_bytes, object_bytes;
    uint64_t checksum;   /* of the two sizes, the key and the object */
} header;

static const header blank = {.magic = "HEDDLECG", .version = 1};

static struct cache {
    pthread_once_t once;
    hdi_cg_place place;          /* written once, read by all */
    _Atomic(int64_t) hits, misses, stored, rejected;
    _Atomic(int64_t) unswept;    /* bytes stored since the folder's size was looked at */
    _Atomic(const char *) failed;   /* what the last put could not do; NULL: nothing */
    _Atomic(int) failed_errno;
    _Atomic(uint32_t) serial;    /* of temporary files */
} cache = {.once = PTHREAD_ONCE_INIT};

/* ---- hashes ---------------------------------------------------------------------------------- */

/* Two hashes whose steps differ; files are few enough that even equal names would only make two
 * keys replace each other. */
static void name_of(const void *key, size_t n, char name[NAME + 1])
{
    uint64_t h = hdi_hash_bytes(0x243F6A8885A308D3u, key, n);   /* digits of pi */
    uint64_t g = hdi_hash_bytes(0x13198A2E03707344u ^ h, key, n);
    snprintf(name, NAME + 1, "%016llx%016llx", (unsigned long long)h, (unsigned long long)g);
}

static uint64_t checksum_of(const header *h)
{
    return hdi_mix(hdi_mix(0, h->key_bytes), h->object_bytes);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_all(int fd, void *to, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = read(fd, (char *)to + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* What became of an attempt to read. */
typedef enum { FOUND, ABSENT, BAD, NO_MEMORY } outcome;

/* Compares the file's key in pieces, adding them to the sum. A whole other key is an entry that
 * happens to have our name. */
static outcome read_key(int fd, const void *key, size_t n)
{
    char piece[PIECE];
    for (size_t done = 0; done < n;) {
        size_t part = n - done < PIECE ? n - done : PIECE;
        if (!read_all(fd, piece, part))
            return BAD;
        if (memcmp(piece, (const char *)key + done, part) != 0)
            return ABSENT;
        done += part;
    }
    return FOUND;
}

static outcome read_entry(int fd, const void *key, size_t key_bytes, void **object, size_t *bytes)
{
    struct stat s;
    header h;
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != geteuid() ||
        (s.st_mode & (S_IWGRP | S_IWOTH)) || !read_all(fd, &h, sizeof h) ||
        memcmp(h.magic, blank.magic, sizeof h.magic) != 0 || h.version != blank.version)
        return BAD;
    uint64_t rest = (uint64_t)s.st_size - sizeof h;   /* at least 0, it was read */
    if (h.key_bytes > rest || h.object_bytes != rest - h.key_bytes || h.object_bytes == 0 ||
        h.object_bytes > ENTRY_MAX)
        return BAD;
    if (h.key_bytes != key_bytes)
        return ABSENT;
    outcome same = read_key(fd, key, key_bytes);
    if (same != FOUND)
        return same;
    void *p = hdi_alloc((size_t)h.object_bytes);
    if (p == NULL)
        return NO_MEMORY;
    uint64_t sum = hdi_hash_bytes(checksum_of(&h), key, key_bytes);
    if (!read_all(fd, p, (size_t)h.object_bytes) ||
        hdi_hash_bytes(sum, p, (size_t)h.object_bytes) != h.checksum) {
        hdi_free(p, (size_t)h.object_bytes);
        return BAD;
    }
    *object = p;
    *bytes = (size_t)h.object_bytes;
    /* Used: it shall not be deleted as the oldest. Not more often than that needs. */
    if (time(NULL) - s.st_mtim.tv_sec > DAY)
        (void)!futimens(fd, NULL);
    return FOUND;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_all(int fd, const void *from, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t put = write(fd, (const char *)from + done, n - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

static bool failed(const char *what, int error)
{
    atomic_store(&cache.failed_errno, error);
    atomic_store(&cache.failed, what);
    return false;
}

/* A new file. A name may be taken by a process of the same number that died, or that lives in
 * another container: the clock tells them apart. */
static int open_new(int folder, char *name, size_t room)
{
    int fd = -1;
    for (int tries = 0; fd < 0 && tries < 8; tries++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(name, room, "%s%ld-%lx-%x", HDI_CG_NEW, (long)getpid(),
                 (unsigned long)now.tv_nsec, atomic_fetch_add(&cache.serial, 1));
        fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

static bool write_entry(int folder, const header *h, const void *key, const void *object)
{
    char temporary[64], name[NAME + 1];
    int fd = open_new(folder, temporary, sizeof temporary);
    if (fd < 0)
        return failed("cannot make a file in it", errno);
    errno = 0;
    bool written = write_all(fd, h, sizeof *h) && write_all(fd, key, (size_t)h->key_bytes) &&
                   write_all(fd, object, (size_t)h->object_bytes);
    int error = errno;
    if (close(fd) != 0 && written) {   /* where a network's disk says that it is full */
        written = false;
        error = errno;
    }
    name_of(key, (size_t)h->key_bytes, name);
    if (written && renameat(folder, temporary, folder, name) != 0) {
        written = false;
        error = errno;
    }
    if (!written) {
        unlinkat(folder, temporary, 0);
        return failed("cannot write a file in it", error);
    }
    return true;
}

/* Over a limit on file sizes (ulimit -f) the process would get a signal. */
static bool fits(const header *h)
{
    struct rlimit limit;
    uint64_t size = sizeof *h + h->key_bytes + h->object_bytes;
    return h->object_bytes > 0 && h->object_bytes <= ENTRY_MAX && h->key_bytes <= ENTRY_MAX &&
           hdi_cg_folder_space((int64_t)size) <= cache.place.limit &&
           (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= size);
}

/* Looking at all entries takes a millisecond per few thousand, so it is done once in an eighth of
 * the limit, and leaves room for the next eighth. The first time comes after a random part of that:
 * many short processes that store one entry each do it as often as a long one. */
static void sweep_now_and_then(int folder, int64_t added)
{
    int64_t before = atomic_fetch_add(&cache.unswept, added), often = cache.place.limit / 8;
    if (before + added < often)
        return;
    atomic_store(&cache.unswept, 0);
    hdi_cg_folder_sweep(folder, cache.place.limit - often);
}

/* ---- the interface --------------------------------------------------------------------------- */

static void read_settings(void)
{
    struct timespec now;
    hdi_cg_place_find(&cache.place);
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t dice = hdi_mix((uint64_t)now.tv_nsec, (uint64_t)getpid());
    int64_t often = cache.place.limit / 8;
    atomic_store(&cache.unswept, often > 0 ? (int64_t)(dice % (uint64_t)often) : 0);
}

void hdi_cg_cache_reread(void)
{
    pthread_once(&cache.once, read_settings);
    read_settings();
    atomic_store(&cache.hits, 0);
    atomic_store(&cache.misses, 0);
    atomic_store(&cache.stored, 0);
    atomic_store(&cache.rejected, 0);
    atomic_store(&cache.failed, NULL);
}

void *hdi_cg_cache_get(const void *key, size_t key_bytes, size_t *bytes)
{
    char name[NAME + 1];
    void *object = NULL;
    outcome result = ABSENT;
    *bytes = 0;
    pthread_once(&cache.once, read_settings);
    int folder = hdi_cg_folder_open(&cache.place, false, NULL);
    if (folder >= 0) {
        name_of(key, key_bytes, name);
        /* O_NONBLOCK: whatever is there under this name, opening it shall not wait */
        int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0) {
            result = read_entry(fd, key, key_bytes, &object, bytes);
            close(fd);
        } else if (errno == ELOOP)
            result = BAD;
        close(folder);
    }
    atomic_fetch_add(result == FOUND ? &cache.hits : &cache.misses, 1);
    if (result == BAD)
        atomic_fetch_add(&cache.rejected, 1);
    return object;
}

bool hdi_cg_cache_put(const void *key, size_t key_bytes, const void *object, size_t bytes)
{
    header h = blank;
    const char *problem = NULL;
    pthread_once(&cache.once, read_settings);
    h.key_bytes = key_bytes;
    h.object_bytes = bytes;
    if (cache.place.path[0] == '\0')
        return false;   /* the place has the reason */
    if (!fits(&h))
        return failed("an entry is empty or too large", 0);
    h.checksum = hdi_hash_bytes(hdi_hash_bytes(checksum_of(&h), key, key_bytes), object, bytes);
    int folder = hdi_cg_folder_open(&cache.place, true, &problem);
    if (folder < 0)
        return failed(problem, errno);
    bool stored = write_entry(folder, &h, key, object);
    if (stored) {
        atomic_store(&cache.failed, NULL);
        atomic_fetch_add(&cache.stored, 1);
        sweep_now_and_then(folder,
                           hdi_cg_folder_space((int64_t)(sizeof h + key_bytes + bytes)));
    }
    close(folder);
    return stored;
}

static void tell_reason(hdi_cg_cache_stats *out, const char *problem, int error)
{
    char text[128] = "";
    const char *said = error != 0 ? strerror_r(error, text, sizeof text) : "";
    snprintf(out->reason, sizeof out->reason, "%s%s%s", problem, error != 0 ? ": " : "", said);
}

void hdi_cg_cache_info(hdi_cg_cache_stats *out)
{
    const char *problem = NULL;
    memset(out, 0, sizeof *out);
    pthread_once(&cache.once, read_settings);
    snprintf(out->folder, sizeof out->folder, "%s", cache.place.path);
    snprintf(out->reason, sizeof out->reason, "%s", cache.place.note);
    out->limit = cache.place.limit;
    out->hits = atomic_load(&cache.hits);
    out->misses = atomic_load(&cache.misses);
    out->stored = atomic_load(&cache.stored);
    out->rejected = atomic_load(&cache.rejected);
    if (cache.place.path[0] == '\0')
        return;
    int folder = hdi_cg_folder_open(&cache.place, false, &problem), error = errno;
    if (folder >= 0) {
        out->bytes = hdi_cg_folder_bytes(folder);
        close(folder);
    } else if (error != ENOENT) {   /* ENOENT: the first put makes it */
        tell_reason(out, problem, error);
        return;
    }
    problem = atomic_load(&cache.failed);
    out->usable = problem == NULL;
    if (problem != NULL)
        tell_reason(out, problem, atomic_load(&cache.failed_errno));
}
