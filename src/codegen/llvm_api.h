/* SPDX-License-Identifier: BSD-3-Clause */
/* llvm_api.h - the code generator's library as libheddle sees it: opened at the first compile, with
 * LLVM linked into it. It needs nothing of libheddle.
 * Threads    any number at a time
 * Start at   hdi_llvm_compile() */
#ifndef HDI_LLVM_API_H
#define HDI_LLVM_API_H

#include "codegen/cg_chain.h"
#include "codegen/cg_grid.h"
#include "codegen/cg_lir.h"
#include "codegen/cg_words.h"

/* Part of the key of the disk cache: raise it when the code generated for a chain changes. */
enum { HDI_LLVM_CODE_VERSION = 28 };
#define HDI_LLVM_MAJOR 19
#define HDI_LLVM_NAME "LLVM 19"

typedef struct hdi_llvm_object {
    void *bytes;             /* an ELF object, or PTX; free() it */
    size_t size;
    char *text[2];           /* if asked for: the IR and the assembly; free() them */
    char error[200];         /* why there is none */
} hdi_llvm_object;

/* Which texts are wanted. */
enum { HDI_LLVM_IR = 1, HDI_LLVM_ASM = 2 };

#define HDI_LLVM_EXPORT __attribute__((visibility("default")))
typedef bool (*hdi_llvm_compile_fn)(const hdi_chain *c, int texts, hdi_llvm_object *out);
HDI_LLVM_EXPORT bool hdi_llvm_compile(const hdi_chain *c, int texts, hdi_llvm_object *out);
/* The kernel of a GPU as PTX. */
typedef bool (*hdi_llvm_compile_grid_fn)(const hdi_kernel *k, const hdi_grid *g, int texts,
                                         hdi_llvm_object *out);
HDI_LLVM_EXPORT bool hdi_llvm_compile_grid(const hdi_kernel *k, const hdi_grid *g, int texts,
                                           hdi_llvm_object *out);
/* Several of them as one. */
typedef bool (*hdi_llvm_compile_sequence_fn)(const hdi_sequence *s, int texts,
                                             hdi_llvm_object *out);
HDI_LLVM_EXPORT bool hdi_llvm_compile_sequence(const hdi_sequence *s, int texts,
                                               hdi_llvm_object *out);
/* A kernel in lowered IR. */
typedef bool (*hdi_llvm_compile_lir_fn)(const hdi_lir *l, const hdi_lir_target *t, int texts,
                                        hdi_llvm_object *out);
HDI_LLVM_EXPORT bool hdi_llvm_compile_lir(const hdi_lir *l, const hdi_lir_target *t, int texts,
                                          hdi_llvm_object *out);
/* For the build of tier 0 of GPUs: out->text[0] is the IR of a module with these words. */
HDI_LLVM_EXPORT bool hdi_llvm_words(const hdi_word *list, int n, hdi_llvm_object *out);
HDI_LLVM_EXPORT const char *hdi_llvm_version(void);
HDI_LLVM_EXPORT int hdi_llvm_code_version(void);

#endif
