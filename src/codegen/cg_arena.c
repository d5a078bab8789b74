/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_arena.c - chunks of granules with three bits each, so that no kernel needs a record.
 *
 * A chunk is one reservation: the code, and behind it as much private memory for what kernels
 * write to (.data, .bss), at the same offsets, so that one offset serves both and everything of
 * an object is within reach of 32-bit displacements. The view to write to lies elsewhere.
 *
 * Mapped twice: granules of 64 bytes of a memory file (memfd_create). It is shared between the
 * processes of a fork(), so each bit set `frozen` is a granule that the other side may run.
 * By pages: granules of 4 KB of anonymous memory, writable, then executable, one kernel each;
 * neighbours merge into one mapping. A fork() copies them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* memfd_create, fallocate */
#endif
#include "codegen/cg_arena.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"

/* A chunk's memory is there from the start (see open_file()): large enough that mappings are few,
 * small enough for a program with one kernel. */
enum { CHUNK = 256 << 10, PAGE = 4096, GRANULE = 64, WORD = 64 };

typedef struct chunk {
    struct chunk *next;
    uint8_t *code, *write;   /* write: NULL in the child of a fork() */
    int64_t size, granule, n;
    int64_t taken_n;         /* granules */
    int64_t kernels;
    int64_t low;             /* every granule below it is taken */
    bool twice;
    /* bits of granules: in use; the last of a piece; in use at a fork() */
    uint64_t *taken, *last, *frozen;
    uint64_t bits[];
} chunk;

static struct arena {
    chunk *chunks;
    hdi_cg_code_stats stats;
    hdi_cg_way way;
} arena;

static bool bit(const uint64_t *bits, int64_t i)
{
    return bits[i / WORD] >> (i % WORD) & 1;
}

static void set_bit(uint64_t *bits, int64_t i, bool on)
{
    uint64_t mask = (uint64_t)1 << (i % WORD);
    bits[i / WORD] = on ? bits[i / WORD] | mask : bits[i / WORD] & ~mask;
}

static int64_t round_up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* A file in memory whose pages exist: running out of them later would be a signal, not an error.
 * -1: refused. */
static int open_file(int64_t size)
{
#ifndef MFD_NOEXEC_SEAL
    enum { MFD_NOEXEC_SEAL = 8 };   /* about execve(), not about mappings; Linux 6.3 */
#endif
    struct rlimit limit;   /* counts here, too, and going over it is a signal */
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < (rlim_t)size)
        return -1;
    int fd = memfd_create("heddle-code", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("heddle-code", MFD_CLOEXEC);
    if (fd >= 0 && fallocate(fd, 0, 0, size) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Puts the view to run over the first half of the reservation. */
static bool map_twice(chunk *c)
{
    int fd = open_file(c->size);
    if (fd < 0)
        return false;
    size_t size = (size_t)c->size;
    void *write = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    bool mapped = write != MAP_FAILED && mmap(c->code, size, PROT_READ | PROT_EXEC,
                                              MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
    close(fd);
    if (mapped)
        c->write = write;
    else if (write != MAP_FAILED)
        munmap(write, size);
    return mapped;
}

static void unmap(chunk *c)
{
    if (c->twice && c->write != NULL)
        munmap(c->write, (size_t)c->size);
    munmap(c->code, (size_t)c->size * 2);
}

static bool map_chunk(chunk *c)
{
    c->code = mmap(NULL, (size_t)c->size * 2, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c->code == MAP_FAILED)
        return false;
    c->twice = arena.way == HDI_CG_TWICE && map_twice(c);
    if (!c->twice)
        c->write = c->code;
    return true;
}

static chunk *add_chunk(size_t bytes)
{
    int64_t size = hdi_max64(CHUNK, round_up((int64_t)bytes, PAGE));
    size_t words = (size_t)round_up(size / GRANULE, WORD) / WORD;
    size_t record = sizeof(chunk) + 3 * words * sizeof(uint64_t);
    chunk *c = hdi_calloc(record);
    if (c == NULL)
        return NULL;
    c->size = size;
    if (hdi_alloc_should_fail() || !map_chunk(c)) {
        hdi_free(c, record);
        return NULL;
    }
    c->granule = c->twice ? GRANULE : PAGE;
    c->n = size / c->granule;
    c->taken = c->bits;
    c->last = c->bits + words;
    c->frozen = c->bits + 2 * words;
    c->next = arena.chunks;
    arena.chunks = c;
    arena.stats.mapped += size;
    return c;
}

static void drop_chunk(chunk *c)
{
    size_t words = (size_t)round_up(c->size / GRANULE, WORD) / WORD;
    chunk **link = &arena.chunks;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    arena.stats.mapped -= c->size;
    unmap(c);
    hdi_free(c, sizeof(chunk) + 3 * words * sizeof(uint64_t));
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* The first of n free granules whose number is a multiple of align, -1: none. */
static int64_t find_run(chunk *c, int64_t n, int64_t align)
{
    while (c->low < c->n && bit(c->taken, c->low))
        c->low++;
    int64_t start = round_up(c->low, align), length = 0;
    while (start + n <= c->n) {
        if (start % WORD == 0 && c->taken[start / WORD] == UINT64_MAX) {
            start = round_up(start + WORD, align);
            continue;
        }
        for (length = 0; length < n && !bit(c->taken, start + length); length++)
            ;
        if (length == n)
            return start;
        start = round_up(start + length + 1, align);
    }
    return -1;
}

/* May new code be written here? */
static bool open_for(const chunk *c)
{
    return c->write != NULL && (!c->twice || arena.way == HDI_CG_TWICE);
}

/* Pages stay executable after their kernel: going back at once, every second kernel that goes would
 * cost the process two mappings. */
static bool reopen(const chunk *c, int64_t start, int64_t n)
{
    return c->twice || mprotect(c->code + start * c->granule, (size_t)(n * c->granule),
                                PROT_READ | PROT_WRITE) == 0;
}

static bool take_from(chunk *c, size_t bytes, size_t align, hdi_cg_piece *out)
{
    int64_t n = round_up((int64_t)hdi_max64(1, (int64_t)bytes), c->granule) / c->granule;
    if (!open_for(c) || c->n - c->taken_n < n)
        return false;
    int64_t start = find_run(c, n, hdi_max64(1, (int64_t)align / c->granule));
    if (start < 0 || !reopen(c, start, n))
        return false;
    for (int64_t i = start; i < start + n; i++) {
        set_bit(c->taken, i, true);
        set_bit(c->last, i, i + 1 == start + n);
    }
    c->taken_n += n;
    c->kernels++;
    int64_t offset = start * c->granule;
    *out = (hdi_cg_piece){.code = c->code + offset, .write = c->write + offset,
                          .data = c->code + c->size + offset, .bytes = (size_t)(n * c->granule)};
    arena.stats.kernels++;
    arena.stats.bytes += n * c->granule;
    return true;
}

static hd_status refused(void)
{
    return hdi_fail(HD_UNSUPPORTED, "this system does not allow executable memory, "
                                    "which compiled kernels need");
}

hd_status hdi_cg_arena_take(size_t bytes, size_t align, hdi_cg_piece *out)
{
    if (arena.way == HDI_CG_REFUSED)
        return refused();
    for (chunk *c = arena.chunks; c != NULL; c = c->next)
        if (take_from(c, bytes, align, out))
            return HD_OK;
    chunk *c = add_chunk(bytes);
    if (c == NULL || !take_from(c, bytes, align, out))
        return hdi_fail(HD_NOMEM, "no memory for a compiled kernel of %zu bytes", bytes);
    return HD_OK;
}

/* A processor may have fetched or decoded what was in this memory before, and on x86-64 that it
 * notices the write is only promised for writes through the address it runs at (Intel SDM 3A,
 * 9.1.3): every thread of the process passes a serializing instruction. Without the call (an old
 * kernel) nothing is known to go wrong, other just-in-time compilers do not even try. */
static void serialize(const hdi_cg_piece *piece)
{
    __builtin___clear_cache((char *)piece->code, (char *)piece->code + piece->bytes);
#ifdef MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) != 0 &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0)
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
#endif
}

hd_status hdi_cg_arena_seal(const hdi_cg_piece *piece)
{
    if (piece->write == piece->code &&
        mprotect(piece->code, piece->bytes, PROT_READ | PROT_EXEC) != 0)
        return errno == ENOMEM ? hdi_fail(HD_NOMEM, "no memory for a compiled kernel") : refused();
    serialize(piece);
    return HD_OK;
}

/* One empty chunk is kept, for programs whose only kernel comes and goes. */
static bool worth_keeping(const chunk *c)
{
    if (c->taken_n > 0 || c->size > CHUNK || !open_for(c))
        return false;
    for (const chunk *other = arena.chunks; other != NULL; other = other->next)
        if (other != c && other->taken_n == 0)
            return false;
    return true;
}

static void give_to(chunk *c, int64_t inside)
{
    int64_t start = inside, end = inside;
    while (start > 0 && bit(c->taken, start - 1) && !bit(c->last, start - 1))
        start--;
    while (end + 1 < c->n && !bit(c->last, end))
        end++;
    int64_t n = end + 1 - start;
    arena.stats.kernels--;
    arena.stats.bytes -= n * c->granule;
    c->kernels--;
    if (!bit(c->frozen, start)) {
        for (int64_t i = start; i <= end; i++)
            set_bit(c->taken, i, false);
        c->taken_n -= n;
        c->low = hdi_min64(c->low, start);
    }
    if (c->kernels == 0 && !worth_keeping(c))
        drop_chunk(c);
}

void hdi_cg_arena_give(const void *inside)
{
    uintptr_t address = (uintptr_t)inside;
    for (chunk *c = arena.chunks; c != NULL; c = c->next) {
        uintptr_t offset = address - (uintptr_t)c->code;
        if (offset < (uintptr_t)c->size) {
            give_to(c, (int64_t)offset / c->granule);
            return;
        }
    }
    hd_assert(!"the address of a loaded kernel");
}

void hdi_cg_arena_forked(bool child)
{
    for (chunk *c = arena.chunks; c != NULL; c = c->next) {
        if (!c->twice)
            continue;
        memcpy(c->frozen, c->taken, (size_t)(c->last - c->taken) * sizeof(uint64_t));
        if (child && c->write != NULL) {
            munmap(c->write, (size_t)c->size);
            c->write = NULL;
        }
    }
}

void hdi_cg_arena_stats(hdi_cg_code_stats *out)
{
    *out = arena.stats;
}

void hdi_cg_arena_set_way(hdi_cg_way way)
{
    arena.way = way;
}
