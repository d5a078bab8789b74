/* SPDX-License-Identifier: BSD-3-Clause */
/* dlpack.h - arrays to and from other libraries without a copy, by DLPack (dmlc.github.io/dlpack),
 * version 1.0 of it and what was before. The structs are not declared here: dlpack.h of DLPack
 * does, for those who need it.
 * Devices    memory of the host and of CUDA devices
 * Owns       a tensor holds its array and the array's memory until its deleter is called, which
 *            may be from any thread; an array over a tensor calls that one's when the last view is
 *            gone
 * Errors     HD_EXPORT for what DLPack cannot say or Heddle has no arrays of. HD_DEVICE, HD_NOMEM
 */
#ifndef HEDDLE_DLPACK_H
#define HEDDLE_DLPACK_H

#include <heddle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* DLPack's structs, of version 1 and from before it. */
typedef struct DLManagedTensorVersioned hd_dlpack;
typedef struct DLManagedTensor hd_dlpack_unversioned;

/* The consumer's stream on a CUDA device, which waits for what computes x: 1 and 2 are CUDA's
 * default streams, of the process and of the thread, others handles; HD_NO_STREAM: it does not
 * wait. Of an array on the host it counts for nothing.
 * hd_to_dlpack - a tensor over x's memory; copied: x is a copy made for the consumer, which is told
 * so. hd_to_dlpack_unversioned - the struct from before version 1, which cannot say that an array
 * is read-only: HD_EXPORT if x is, unless it is a copy. */
#define HD_NO_STREAM (-1)
HD_API hd_dlpack *hd_to_dlpack(hd_array *x, int copied, int64_t stream);
HD_API hd_dlpack_unversioned *hd_to_dlpack_unversioned(hd_array *x, int copied, int64_t stream);

/* hd_from_dlpack, hd_from_dlpack_unversioned - an array over a tensor's memory, which owns the
 * tensor from here on; where they fail it stays the caller's. */
HD_API hd_array *hd_from_dlpack(hd_dlpack *tensor);
HD_API hd_array *hd_from_dlpack_unversioned(hd_dlpack_unversioned *tensor);

/* hd_dlpack_free, hd_dlpack_free_unversioned - call the deleter of a tensor that nobody took. */
HD_API void hd_dlpack_free(hd_dlpack *tensor);
HD_API void hd_dlpack_free_unversioned(hd_dlpack_unversioned *tensor);

/* hd_dlpack_device - where x is, as DLPack counts: *type 1 for the host, 2 for CUDA, and the
 * device's number; HD_EXPORT if DLPack does not know the device. */
HD_API hd_status hd_dlpack_device(const hd_array *x, int *type, int *number);

#ifdef __cplusplus
}
#endif
#endif
