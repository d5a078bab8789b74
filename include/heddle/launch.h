/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.h - kernels of the user's own on a device whose driver has compiled them.
 * Threads    any
 * See        docs/design/records.md */
#ifndef HEDDLE_LAUNCH_H
#define HEDDLE_LAUNCH_H

#include <heddle/array.h>
#include <heddle/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a kernel does with an array: bits. */
enum { HD_READS = 1, HD_WRITES = 2 };

/* An argument: the address of an array's first element, or a value of `bytes` bytes. */
typedef struct hd_launch_arg {
    hd_array *array;             /* NULL: a value */
    int access;                  /* HD_READS, HD_WRITES or both: of any of its storage */
    const void *value;
    size_t bytes;
} hd_launch_arg;

/* hd_launch - runs a kernel over a grid of grid[0] x grid[1] x grid[2] blocks of
 * block[0] x block[1] x block[2] threads each, after all work that was recorded before and has to
 * do with its arrays, and before all that comes later; nobody waits for it.
 * dev           the device, NULL: the current one
 * function      the driver's handle of the kernel (CUfunction), which must stay until it has run
 * name          for messages
 * shared_bytes  dynamic shared memory of a block
 * HD_UNSUPPORTED: the device has no driver that launches. HD_DEVICE: an array is on another device,
 * or the driver refuses the launch. HD_READONLY: it would write to a read-only array. HD_VALUE: a
 * size of 0; more than 64 arrays that are written, or 189 that are read; nothing was given where
 * something is needed. */
HD_API hd_status hd_launch(hd_device *dev, uintptr_t function, const char *name,
                           const unsigned *grid, const unsigned *block, unsigned shared_bytes,
                           int nargs, const hd_launch_arg *args);

#ifdef __cplusplus
}
#endif
#endif
