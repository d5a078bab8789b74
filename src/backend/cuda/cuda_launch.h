/* SPDX-License-Identifier: BSD-3-Clause */
/* cuda_launch.h - enqueues one kernel on the device's current stream.
 * Threads    by the thread that drains the device's queue, without the library's lock; the device
 *            has been entered
 * Start at   hdi_cuda_launch() */
#ifndef HDI_CUDA_LAUNCH_H
#define HDI_CUDA_LAUNCH_H

#include "backend/cuda/cuda_program.h"

hd_status hdi_cuda_launch(hdi_cuda *d, hdi_launch *l);

/* hdi_cuda_call - one of our functions, with its parameter. */
hd_status hdi_cuda_call(hdi_cuda *d, CUfunction f, unsigned blocks, unsigned threads,
                        void *parameter);

/* hdi_cuda_call_plainly - one that does not wait by itself for what was enqueued before. */
hd_status hdi_cuda_call_plainly(hdi_cuda *d, CUfunction f, unsigned blocks, unsigned threads,
                                void *parameter);

/* hdi_cuda_prepare - how a launch is laid out, with its words, in memory of the program's until its
 * next launch; and the function for it, which may have to be made. *v is NULL if there is nothing
 * to do. */
hd_status hdi_cuda_prepare(hdi_cuda *d, hdi_launch *l, hdi_cuda_layout **lay,
                           hdi_cuda_variant **v);
/* hdi_cuda_lend - memory for what the blocks of a launch tell each other: its address goes into the
 * words. To be given back with hdi_cuda_lent_back() when the launch has been enqueued. */
hd_status hdi_cuda_lend(hdi_cuda *d, const hdi_cuda_layout *lay);
void hdi_cuda_lent_back(hdi_cuda *d, uint64_t address, int64_t nbytes);
/* hdi_cuda_lends_anew - would that take memory from launches that were prepared before? */
bool hdi_cuda_lends_anew(const hdi_cuda *d, const hdi_cuda_layout *lay);

#endif
