/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_libraries.h - the CUDA libraries: one table of their names, opened at first use.
 * Threads    any
 * Start at   hdi_cuda_symbol() */
#ifndef HDI_CUDA_LIBRARIES_H
#define HDI_CUDA_LIBRARIES_H

#include "base/base.h"

typedef enum hdi_cuda_library_name {
    HDI_CUBLAS, HDI_CUSOLVER, HDI_CUFFT, HDI_CUDA_LIBRARIES
} hdi_cuda_library_name;
typedef void (*hdi_cuda_code_address)(void);

/* hdi_cuda_symbol - a function of a library; NULL, and an error that names the library and how to
 * get it, if there is none. Looked for by the dynamic linker, in $CUDA_HOME and $CUDA_PATH, in
 * /usr/local/cuda, and where PyPI's nvidia-* packages lie beside this package; of CUDA 13 first,
 * then of 12. */
hdi_cuda_code_address hdi_cuda_symbol(hdi_cuda_library_name library, const char *name);

#endif
