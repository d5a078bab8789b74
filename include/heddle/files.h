/* SPDX-License-Identifier: BSD-3-Clause */
/* files.h - arrays to and from files in NumPy's formats: .npy, one array, and .npz, some by name.
 * Bytes      those that numpy.save() and numpy.savez() write
 * Reading    any byte order, C and Fortran order, versions 1 to 3; members of a .npz that are
 *            stored or deflated. What a file claims is held against its size first, so that a
 *            damaged one gives an error
 * Owns       results are new references, on the current device
 * Errors     HD_FILE: the system refuses to open, read or write; HD_VALUE: it is no such file, or
 *            damaged; HD_DTYPE: its elements are no numbers (text, objects, records), or x's are
 *            bfloat16, which NumPy has not; HD_UNSUPPORTED: a .npz that is encrypted or compressed
 *            in another way, or one of more than 2 GiB that is to be written. HD_NOMEM */
#ifndef HEDDLE_FILES_H
#define HEDDLE_FILES_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* hd_save - x to a .npy file of exactly that name, which is replaced. hd_load - the array of one.
 */
HD_API hd_status hd_save(const char *path, const hd_array *x);
HD_API hd_array *hd_load(const char *path);

/* hd_savez - n arrays to a .npz file under their names; names NULL: arr_0, arr_1 and so on.
 * HD_VALUE for a name that comes twice. hd_loadz - the array of that name, with or without the
 * .npy that its member's name ends in. HD_VALUE if there is none. */
HD_API hd_status hd_savez(const char *path, int n, const char *const *names,
                          const hd_array *const *arrays);
HD_API hd_array *hd_loadz(const char *path, const char *name);
/* hd_npz_names - the names in a .npz file, a line each. Free it with hd_free_text(). */
HD_API char *hd_npz_names(const char *path);

#ifdef __cplusplus
}
#endif
#endif
