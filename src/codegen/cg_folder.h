/* SPDX-License-Identifier: BSD-3-Clause */
/* cg_folder.h - the folder of the disk cache: where it is, whether it can be trusted, and what is
 * deleted from it when it has grown too large.
 * Owns       files named by HDI_CG_NAME hexadecimal digits, and those whose names begin with
 *            HDI_CG_NEW; no other file is counted or touched
 * Threads    any, and several processes
 * Start at   hdi_cg_folder_open() */
#ifndef HDI_CG_FOLDER_H
#define HDI_CG_FOLDER_H

#include "base/base.h"

enum { HDI_CG_NAME = 32, HDI_CG_PATH = 1024 };
#define HDI_CG_NEW ".new-"

typedef struct hdi_cg_place {
    char path[HDI_CG_PATH];   /* "": no cache */
    char note[256];           /* why there is none, or which setting was ignored; else "" */
    int64_t limit;            /* bytes */
    size_t there;             /* bytes of path which are not made: a home */
} hdi_cg_place;

/* hdi_cg_place_find - what the environment says. Looks at no folder. */
void hdi_cg_place_find(hdi_cg_place *out);

/* hdi_cg_folder_open - a descriptor of the folder, which belongs to this user and can be written by
 * nobody else. make: creates it when it is not there. -1: *problem (may be NULL) says what is
 * wrong, and errno why, 0 when the words say it all. */
int hdi_cg_folder_open(const hdi_cg_place *place, bool make, const char **problem);

/* hdi_cg_folder_space - what a file of so many bytes takes on a disk: whole blocks of 4 KB. */
int64_t hdi_cg_folder_space(int64_t bytes);
/* hdi_cg_folder_bytes - of all entries. */
int64_t hdi_cg_folder_bytes(int folder);
/* hdi_cg_folder_sweep - when the entries take more than limit, deletes the oldest until seven
 * eighths of it are left. Files that somebody began to write an hour ago go as well. */
void hdi_cg_folder_sweep(int folder, int64_t limit);

#endif
