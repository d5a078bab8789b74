/* SPDX-License-Identifier: BSD-3-Clause */
/* beside.h - files that come with the library and are opened when they are first needed.
 * Threads    any
 * Start at   hdi_beside() */
#ifndef HDI_BESIDE_H
#define HDI_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Beside this library, wherever that is; or in a folder lib beside its own, where programs are
 * that have all of it linked in (the unit tests). */
enum { HDI_BESIDE_PLACES = 2 };

/* hdi_beside - the path of file `name` at such a place; false: it is not known where this code
 * lies. Whether the file is there is not asked. */
bool hdi_beside(const char *name, int place, char *path, size_t size);

/* hdi_file_wish - what a variable of the environment says of files that are loaded or written, NULL
 * if nothing: in a process with raised privileges (its user is not whose files it may touch) nobody
 * is asked. */
const char *hdi_file_wish(const char *variable);

#endif
