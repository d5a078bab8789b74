/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.h - operations that are recorded once and run many times.
 * Meaning    between hd_capture_begin() and hd_capture_end() what the calling thread does with
 *            arrays of the device does not run but becomes a graph. Each launch does it again: it
 *            reads and writes the same arrays, so inputs that were changed in place are seen and
 *            results are where they were. Numbers are those of the capture, random ones too
 * Values     cannot be asked for meanwhile (HD_DEVICE): nothing has run. What is made of elements
 *            of the host is made at once, and its array is an input of the graph. Indices are not
 *            looked at: those out of range wrap around. Matrices that cannot be factored fail
 *            results of the launch
 * Threads    a graph may be launched by any thread; launches of one device run one after the other
 * Devices    all; NULL is the current one */
#ifndef HEDDLE_GRAPH_H
#define HEDDLE_GRAPH_H

#include <heddle/device.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hd_graph hd_graph;

/* hd_capture_begin - HD_VALUE if this thread captures on dev already. What is pending there is
 * submitted. Copies that share memory with what they are copies of get memory of their own.
 * hd_capture_end - *graph is to be freed with hd_graph_free(); NULL: the graph is not wanted.
 * hd_capture_pause - pause: what this thread does runs again; 0: it is captured again.
 * hd_capturing - does this thread capture on dev, and is not paused? */
HD_API hd_status hd_capture_begin(hd_device *dev);
HD_API hd_status hd_capture_end(hd_device *dev, hd_graph **graph);
HD_API hd_status hd_capture_pause(hd_device *dev, int pause);
HD_API int hd_capturing(hd_device *dev);

/* hd_graph_launch - all of it once more, in order with what else was recorded. Within a capture of
 * the same device it becomes part of that.
 * hd_graph_size - operations. hd_graph_operation - the name of one of them, NULL and HD_INDEX if
 * there is none with that number. */
HD_API hd_status hd_graph_launch(hd_graph *graph);
HD_API int64_t hd_graph_size(const hd_graph *graph);
HD_API const char *hd_graph_operation(const hd_graph *graph, int64_t i);
/* hd_graph_free - what was launched runs all the same. NULL does nothing. */
HD_API void hd_graph_free(hd_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
