/* SPDX-License-Identifier: BSD-3-Clause */
/* dlpack_structs.h - the structs of DLPack 1.0, as its specification lays them down
 * (dmlc.github.io/dlpack). */
#ifndef HDI_DLPACK_STRUCTS_H
#define HDI_DLPACK_STRUCTS_H

#include <stdint.h>

enum { DL_MAJOR = 1, DL_MINOR = 0 };
/* device types: the host's memory, a CUDA device's, the host's as CUDA pinned it */
enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3 };
/* dtype codes */
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_COMPLEX = 5, DL_BOOL = 6 };
enum { DL_READ_ONLY = 1, DL_IS_COPIED = 2 };                               /* flags */

typedef struct dl_device { int32_t type, id; } dl_device;
typedef struct dl_dtype { uint8_t code, bits; uint16_t lanes; } dl_dtype;

typedef struct dl_tensor {
    void *data;
    dl_device device;
    int32_t ndim;
    dl_dtype dtype;
    int64_t *shape;
    int64_t *strides;         /* in elements; NULL means C order */
    uint64_t byte_offset;
} dl_tensor;

/* Before version 1: capsule "dltensor". */
typedef struct DLManagedTensor {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct DLManagedTensor *self);
} dl_managed;

/* From version 1 on: capsule "dltensor_versioned". */
typedef struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    dl_tensor tensor;
} dl_versioned;

#endif
