/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_generator.h - the library with LLVM in it: found beside this one, opened at the first compile.
 * Owns       that library, which stays open; the files that HEDDLE_DUMP asks for
 * Threads    any; it is opened under a lock of its own
 * Start at   hdi_cg_generator_open() */
#ifndef HDI_CG_GENERATOR_H
#define HDI_CG_GENERATOR_H

#include "base/base.h"
#include "codegen/llvm_api.h"

typedef struct hdi_cg_generator {
    hdi_llvm_compile_fn chain;
    hdi_llvm_compile_grid_fn grid;
    hdi_llvm_compile_sequence_fn sequence;
    hdi_llvm_compile_lir_fn lir;
    char version[32];
} hdi_cg_generator;

/* hdi_cg_generator_open - NULL, and an error that says why, if there is none. */
const hdi_cg_generator *hdi_cg_generator_open(void);

/* hdi_cg_generator_file - when its file was made and how long it is, without opening it: part of
 * the disk cache's keys, so that whoever changes the generator need not think of them. */
typedef struct hdi_cg_file { int64_t built, bytes; } hdi_cg_file;
const hdi_cg_file *hdi_cg_generator_file(void);

/* hdi_cg_dump_wish - HEDDLE_DUMP=ir,asm: which texts are wanted. hdi_cg_dump - writes them into the
 * current folder, the second one with this ending, and frees them. lowered: what they were made of,
 * if that has a text of its own (lowered IR), else NULL; it stays the caller's. */
int hdi_cg_dump_wish(void);
void hdi_cg_dump(hdi_llvm_object *o, const char *ending, const char *lowered);

#endif
