/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_generator.c - where the library with LLVM lies, and what it offers. */
#include "codegen/cg_generator.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/beside.h"
#include "codegen/cg_compile.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static hdi_cg_file file;
static hdi_cg_generator generator;
static bool opened, tried;
static char reason[300];
static char path[4096] = "libheddle_llvm.so";

static void find(void)
{
    struct stat found;
    for (int k = 0; k < HDI_BESIDE_PLACES; k++) {
        if (!hdi_beside("libheddle_llvm.so", k, path, sizeof path) || stat(path, &found) != 0)
            continue;
        file.built = found.st_mtim.tv_sec * 1000000000LL + found.st_mtim.tv_nsec;
        file.bytes = found.st_size;
        break;
    }
}

const hdi_cg_file *hdi_cg_generator_file(void)
{
    pthread_once(&once, find);
    return &file;
}

/* A compile takes about as much as this, and cannot be told to take less, nor can those that are
 * under way; loading the library its file's size, and what its static objects take. */
enum { COMPILE_ROOM = 48 << 20 };

static bool has_room(int64_t bytes)
{
    return !hdi_alloc_should_fail() && hdi_could_map(bytes);
}

static void open_library(void)
{
    const char *(*version)(void) = NULL;
    int (*code_version)(void) = NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        snprintf(reason, sizeof reason, "there is no code generator beside the library (%.200s)",
                 path);
        return;
    }
    *(void **)&generator.chain = dlsym(handle, "hdi_llvm_compile");
    *(void **)&generator.grid = dlsym(handle, "hdi_llvm_compile_grid");
    *(void **)&generator.sequence = dlsym(handle, "hdi_llvm_compile_sequence");
    *(void **)&generator.lir = dlsym(handle, "hdi_llvm_compile_lir");
    *(void **)&version = dlsym(handle, "hdi_llvm_version");
    *(void **)&code_version = dlsym(handle, "hdi_llvm_code_version");
    if (generator.chain == NULL || generator.grid == NULL || generator.sequence == NULL ||
        generator.lir == NULL || version == NULL || code_version == NULL ||
        code_version() != HDI_LLVM_CODE_VERSION) {
        snprintf(reason, sizeof reason, "the code generator %.200s is of another release", path);
        return;
    }
    snprintf(generator.version, sizeof generator.version, "%s", version());
    opened = true;
}

const hdi_cg_generator *hdi_cg_generator_open(void)
{
    pthread_once(&once, find);
    pthread_mutex_lock(&mutex);
    const int compiles = hdi_cg_under_way();
    const bool room = has_room((int64_t)COMPILE_ROOM * (compiles < 1 ? 1 : compiles) +
                               (tried ? 0 : (int64_t)file.bytes));
    if (!tried && room) {
        open_library();
        tried = true;
    }
    pthread_mutex_unlock(&mutex);
    if (!room) {
        hdi_fail(HD_NOMEM, "out of memory to compile a kernel in");
        return NULL;
    }
    if (opened)
        return &generator;
    hdi_fail(HD_UNSUPPORTED, "%s", reason);
    return NULL;
}

/* ---- HEDDLE_DUMP ----------------------------------------------------------------------------- */

int hdi_cg_dump_wish(void)
{
    const char *text = hdi_file_wish("HEDDLE_DUMP");
    return text == NULL ? 0 : (strstr(text, "ir") != NULL ? HDI_LLVM_IR : 0) |
                                  (strstr(text, "asm") != NULL ? HDI_LLVM_ASM : 0);
}

/* What cannot be written is left out. */
static void write_text(int number, const char *ending, const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "heddle-kernel-%d.%s", number, ending);
    FILE *f = text != NULL ? fopen(name, "w") : NULL;
    if (f != NULL) {
        fputs(text, f);
        fclose(f);
    }
}

void hdi_cg_dump(hdi_llvm_object *o, const char *ending, const char *lowered)
{
    static _Atomic(int) count;
    if (o->text[0] == NULL && o->text[1] == NULL && lowered == NULL)
        return;
    const int number = atomic_fetch_add(&count, 1);
    write_text(number, "lir", lowered);
    write_text(number, "ll", o->text[0]);
    write_text(number, ending, o->text[1]);
    free(o->text[0]);
    free(o->text[1]);
}
