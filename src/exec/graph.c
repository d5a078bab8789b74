/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.c - graphs as their users have them, over tapes (window/tape.h). */
#include <heddle/graph.h>

#include "base/lock.h"
#include "exec/exec.h"
#include "ops/ops.h"
#include "window/tape.h"
#include "window/windows.h"

static hdi_tape *tape_of(hd_graph *g) { return (hdi_tape *)g; }

/* The current device if *dev is NULL. */
static hd_status find_device(hd_device **dev)
{
    return *dev != NULL || (*dev = hd_device_current()) != NULL ? HD_OK : hd_error_peek()->code;
}

hd_status hd_capture_begin(hd_device *dev)
{
    if (find_device(&dev) != HD_OK)
        return hd_error_peek()->code;
    hdi_lock();
    hd_status status = hdi_tape_begin(dev);
    return hdi_done_status(status, dev, "capture");
}

hd_status hd_capture_end(hd_device *dev, hd_graph **graph)
{
    if (find_device(&dev) != HD_OK)
        return hd_error_peek()->code;
    hdi_lock();
    hdi_tape *t = hdi_tape_end(dev);
    hd_status status = t != NULL ? HD_OK : hd_error_peek()->code;
    if (graph != NULL)
        *graph = (hd_graph *)t;
    else
        hdi_tape_free(t);
    hdi_leave();
    return status;
}

hd_status hd_capture_pause(hd_device *dev, int pause)
{
    if (find_device(&dev) != HD_OK)
        return hd_error_peek()->code;
    hdi_lock();
    hd_status status = hdi_tape_pause(dev, pause != 0);
    return hdi_done_status(status, dev, "capture");
}

int hd_capturing(hd_device *dev)
{
    if (!hdi_may_capture() || (dev == NULL && (dev = hd_device_current()) == NULL))
        return 0;
    hdi_lock();
    const bool captures = hdi_window_captures(dev);
    hdi_unlock();
    return captures;
}

/* What was recorded before is submitted by itself, and so is the graph: in a loop over launches the
 * same chunks come again and again. */
hd_status hd_graph_launch(hd_graph *graph)
{
    if (graph == NULL)
        return hdi_fail_null("a graph");
    hdi_lock();
    hd_device *dev = hdi_tape_device(tape_of(graph));
    hdi_window_flush(hdi_window_of(dev));
    hd_status status = hdi_tape_play(tape_of(graph));
    hdi_window_flush(hdi_window_of(dev));
    return hdi_done_status(status, dev, "launch");
}

int64_t hd_graph_size(const hd_graph *graph)
{
    if (graph == NULL) {
        hdi_fail_null("a graph");
        return 0;
    }
    return hdi_tape_operations((const hdi_tape *)graph);
}

const char *hd_graph_operation(const hd_graph *graph, int64_t i)
{
    if (graph == NULL)
        return hdi_null("a graph");
    const char *name = i >= 0 ? hdi_tape_operation((const hdi_tape *)graph, i) : NULL;
    if (name == NULL)
        hdi_fail(HD_INDEX, "operation %lld of a graph of %lld", (long long)i,
                 (long long)hdi_tape_operations((const hdi_tape *)graph));
    return name;
}

void hd_graph_free(hd_graph *graph)
{
    if (graph == NULL)
        return;
    hdi_lock();
    hdi_tape_free(tape_of(graph));
    hdi_leave();
}
