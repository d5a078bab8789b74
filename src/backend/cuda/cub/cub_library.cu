/* SPDX-License-Identifier: BSD-3-Clause */
/* cub_library.cu - which library this is. */
#include "backend/cuda/cub/cub_inside.cuh"

int hdi_cub_version(void) { return HDI_CUB_VERSION; }
int hdi_cub_runtime(void) { return CUDART_VERSION; }
