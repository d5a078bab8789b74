/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_driver.h - libcuda, opened at its first use; no header of CUDA is needed to build.
 * Owns       hdi_cu, the table of the driver's functions; the types and numbers of its interface
 *            that we use, as its documentation gives them
 * Invariant  libcuda is looked for once in a process; no function of it is called before the
 *            first device is asked for
 * Threads    any
 * Start at   hdi_cuda_driver() */
#ifndef HDI_CUDA_DRIVER_H
#define HDI_CUDA_DRIVER_H

#include "base/base.h"

typedef int CUresult, CUdevice, CUdevice_attribute, CUpointer_attribute, CUfunction_attribute,
    CUmemPool_attribute, CUjit_option;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;

/* Later versions of CUDA took fields from the reserve; zeros mean what they meant before. */
typedef struct CUmemPoolProps {
    int allocation_type;          /* 1: pinned, which is what device memory is called here */
    int handle_types;             /* 0: not shared with other processes */
    int location_type;            /* 1: a device */
    int location_id;
    void *unused;
    unsigned char reserved[64];
} CUmemPoolProps;

typedef struct CUmemAccessDesc { int location_type, location_id, flags; } CUmemAccessDesc;

typedef struct CUDA_KERNEL_NODE_PARAMS {
    CUfunction function;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void **parameters, **extra;
    void *kernel;                 /* NULL: function says which */
    CUcontext context;            /* NULL: the function's */
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUlaunchAttribute { int id, unused, value[16]; } CUlaunchAttribute;
typedef struct CUlaunchConfig {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    CUstream stream;
    CUlaunchAttribute *attributes;
    unsigned nattributes;
} CUlaunchConfig;
/* A kernel may begin when the one before has come to its end, and waits itself until that one's
 * writes are to be seen. */
enum { CU_LAUNCH_PROGRAMMATIC = 6, CU_GRAPH_PROGRAMMATIC = 1 };
typedef struct CUgraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

enum {   /* CUresult */
    CUDA_SUCCESS = 0, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4, CUDA_ERROR_NO_DEVICE = 100, CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_ILLEGAL_ADDRESS = 700, CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709, CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714, CUDA_ERROR_LAUNCH_FAILED = 719
};
enum {   /* CUdevice_attribute */
    CU_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_ATTRIBUTE_SHARED_PER_BLOCK = 8,
    CU_ATTRIBUTE_WARP_SIZE = 10, CU_ATTRIBUTE_CLOCK_RATE = 13, CU_ATTRIBUTE_SMS = 16,
    CU_ATTRIBUTE_L2_BYTES = 38, CU_ATTRIBUTE_MAX_THREADS_PER_SM = 39,
    CU_ATTRIBUTE_MAJOR = 75, CU_ATTRIBUTE_MINOR = 76, CU_ATTRIBUTE_SHARED_PER_SM = 81,
    CU_ATTRIBUTE_REGISTERS_PER_SM = 82, CU_ATTRIBUTE_SHARED_OPTIN = 97,
    CU_ATTRIBUTE_MEMORY_POOLS = 115
};
enum { CU_POINTER_MEMORY_TYPE = 2, CU_POINTER_DEVICE_ORDINAL = 9 };
enum { CU_MEMORYTYPE_DEVICE = 2 };
enum { CU_MEMPOOL_RELEASE_THRESHOLD = 4 };
enum { CU_MEM_ACCESS_READ_WRITE = 3 };
enum { CU_HOSTALLOC_PORTABLE = 1 };
enum { CU_STREAM_BLOCKING = 0, CU_STREAM_NON_BLOCKING = 1 };
enum { CU_EVENT_TIMED = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };
/* Streams that always exist, by number: the legacy default one and that of the calling thread. */
#define CU_STREAM_LEGACY ((CUstream)(uintptr_t)1)
#define CU_STREAM_PER_THREAD ((CUstream)(uintptr_t)2)

typedef struct hdi_cuda_table {
#define CU(name, symbol, arguments) CUresult (*name) arguments;
#include "backend/cuda/cuda_driver.def"
} hdi_cuda_table;
extern hdi_cuda_table hdi_cu;

enum { HDI_CUDA_DRIVER_MIN = 12000 };   /* CUDA 12.0, as cuDriverGetVersion() counts */

/* hdi_cuda_driver - opens libcuda (HEDDLE_LIBCUDA: that file) and initialises it; HD_DEVICE and
 * the reason if it is not there, too old, or sees no device. The answer is remembered. */
hd_status hdi_cuda_driver(void);
/* hdi_cuda_count - devices that the driver sees; 0 without one, and no error. */
int hdi_cuda_count(void);
/* hdi_cuda_driver_version - as "13.0". */
void hdi_cuda_driver_version(char *text, size_t size);
/* hdi_cuda_error_text - "CUDA_ERROR_..., what the driver says of it". */
void hdi_cuda_error_text(CUresult error, char *text, size_t size);

#endif
