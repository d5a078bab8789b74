/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.h - streams and events of a GPU. A handle is the driver's own (a CUstream, a CUevent), so
 * that other libraries can be given it, and theirs can be used here.
 * Order      all work of a device runs in one order. A stream says where it is enqueued, and so
 *            what work of others it comes before and after; a change of stream makes the new one
 *            wait for the one before
 * Lazy       what was recorded before one of these calls is enqueued by it
 * Devices    NULL is the current one
 * Errors     HD_DEVICE for a device without streams ("cpu"), or one that is lost */
#ifndef HEDDLE_STREAM_H
#define HEDDLE_STREAM_H

#include <heddle/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* hd_stream_new - non_blocking: it does not wait for CUDA's legacy default stream.
 * hd_stream_free - if it is in use, the device's own takes its place. */
HD_API hd_status hd_stream_new(hd_device *dev, int non_blocking, uintptr_t *stream);
HD_API hd_status hd_stream_free(hd_device *dev, uintptr_t stream);
/* hd_stream_get - the stream that the device started with, and the one it uses now. */
HD_API hd_status hd_stream_get(hd_device *dev, uintptr_t *own, uintptr_t *current);
/* hd_stream_use - from here on work goes to stream, of all threads. */
HD_API hd_status hd_stream_use(hd_device *dev, uintptr_t stream);
/* hd_stream_synchronize - waits until all that was given to it has run. */
HD_API hd_status hd_stream_synchronize(hd_device *dev, uintptr_t stream);
/* hd_stream_done - *done: all that was given to it has run. */
HD_API hd_status hd_stream_done(hd_device *dev, uintptr_t stream, int *done);
/* hd_stream_order - what is given to `later` from here on runs after what was given to
 * `earlier`. 1 and 2 are CUDA's legacy default stream and that of the thread. */
HD_API hd_status hd_stream_order(hd_device *dev, uintptr_t earlier, uintptr_t later);
/* hd_stream_follow - what the device is given from here on runs after what others gave to stream,
 * which need not exist any more (1 can be waited for by the device; else the caller waits). For
 * deleters: enqueues nothing and calls no wait hook. */
HD_API hd_status hd_stream_follow(hd_device *dev, uintptr_t stream);
/* hd_stream_wait_event - what is given to stream from here on runs after what event stands for. */
HD_API hd_status hd_stream_wait_event(hd_device *dev, uintptr_t stream, uintptr_t event);
/* hd_device_wait_all - waits for everything on the device, whoever enqueued it. */
HD_API hd_status hd_device_wait_all(hd_device *dev);

/* hd_event_new - timed: for hd_event_elapsed(); blocking: who waits for it sleeps meanwhile.
 * hd_event_free - gives it back.
 * hd_event_record - it stands for what was given to stream so far; hd_event_done - *done: that has
 * run; hd_event_synchronize - waits for it; hd_event_elapsed - milliseconds between two. */
HD_API hd_status hd_event_new(hd_device *dev, int timed, int blocking, uintptr_t *event);
HD_API hd_status hd_event_free(hd_device *dev, uintptr_t event);
HD_API hd_status hd_event_record(hd_device *dev, uintptr_t event, uintptr_t stream);
HD_API hd_status hd_event_done(hd_device *dev, uintptr_t event, int *done);
HD_API hd_status hd_event_synchronize(hd_device *dev, uintptr_t event);
HD_API hd_status hd_event_elapsed(hd_device *dev, uintptr_t first, uintptr_t last, double *ms);

#ifdef __cplusplus
}
#endif
#endif
