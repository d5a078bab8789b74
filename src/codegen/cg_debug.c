/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_debug.c - perf's map file, gdb's list of objects. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE   /* O_NOFOLLOW, O_CLOEXEC */
#endif
#include "codegen/cg_debug.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/beside.h"

static bool perf, gdb;

static bool is_one(const char *name)
{
    const char *text = hdi_file_wish(name);
    return text != NULL && strcmp(text, "1") == 0;
}

void hdi_cg_debug_reread(void)
{
    perf = is_one("HEDDLE_PERF_MAP");
    gdb = is_one("HEDDLE_GDB");
}

bool hdi_cg_debug_perf(void) { return perf; }
bool hdi_cg_debug_gdb(void) { return gdb; }

/* ---- perf ------------------------------------------------------------------------------------ */

void hdi_cg_debug_perf_line(const void *code, size_t bytes, const char *entry, const char *label)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    snprintf(line, sizeof line - 1, "%llx %zx %s%s%s", (unsigned long long)(uintptr_t)code, bytes,
             entry, label != NULL ? " " : "", label != NULL ? label : "");
    size_t n = strlen(line);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)line[i] < ' ')
            line[i] = ' ';
    line[n] = '\n';
    /* Everybody may put files into /tmp: no links, nothing but a file of ours. */
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    struct stat s;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid())
        (void)!write(fd, line, n + 1);   /* one call, so that lines of two threads do not mix */
    close(fd);
}

/* ---- gdb ------------------------------------------------------------------------------------- */

/* Names, layout and values are gdb's. */
typedef struct jit_code_entry {
    struct jit_code_entry *next_entry, *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
    const void *entry;   /* ours, behind what gdb reads */
} jit_code_entry;

typedef struct jit_descriptor {
    uint32_t version, action_flag;
    jit_code_entry *relevant_entry, *first_entry;
} jit_descriptor;

enum { JIT_NOACTION, JIT_REGISTER, JIT_UNREGISTER };

extern jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);

jit_descriptor __jit_debug_descriptor = {.version = 1};

/* gdb puts a breakpoint here, so the call must happen. */
__attribute__((noinline)) void __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

static void tell(uint32_t action, jit_code_entry *e)
{
    __jit_debug_descriptor.relevant_entry = e;
    __jit_debug_descriptor.action_flag = action;
    __jit_debug_register_code();
    __jit_debug_descriptor.action_flag = JIT_NOACTION;
    __jit_debug_descriptor.relevant_entry = NULL;
}

void hdi_cg_debug_gdb_add(const void *entry, uint8_t *copy, size_t bytes)
{
    jit_code_entry *e = hdi_calloc(sizeof *e);
    if (e == NULL) {
        hdi_free(copy, bytes);
        return;
    }
    e->symfile_addr = (const char *)copy;
    e->symfile_size = bytes;
    e->entry = entry;
    e->next_entry = __jit_debug_descriptor.first_entry;
    if (e->next_entry != NULL)
        e->next_entry->prev_entry = e;
    __jit_debug_descriptor.first_entry = e;
    tell(JIT_REGISTER, e);
}

void hdi_cg_debug_gdb_remove(const void *entry)
{
    jit_code_entry *e = __jit_debug_descriptor.first_entry;
    while (e != NULL && e->entry != entry)
        e = e->next_entry;
    if (e == NULL)
        return;
    *(e->prev_entry ? &e->prev_entry->next_entry : &__jit_debug_descriptor.first_entry) =
        e->next_entry;
    if (e->next_entry != NULL)
        e->next_entry->prev_entry = e->prev_entry;
    tell(JIT_UNREGISTER, e);
    hdi_free((char *)(uintptr_t)e->symfile_addr, (size_t)e->symfile_size);
    hdi_free(e, sizeof *e);
}
