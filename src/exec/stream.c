/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - streams and events of a device for its users. What was recorded before one of these
 * calls is enqueued first: to the user it was done before. */
#include <heddle/stream.h>

#include "base/lock.h"
#include "exec/lanes.h"
#include "window/windows.h"

/* The streams of *dev, which is the current device if it is NULL. */
static hd_status streams_of(hd_device **dev, const hdi_streams **s)
{
    if (*dev == NULL && (*dev = hd_device_current()) == NULL)
        return hd_error_peek()->code;
    *s = (*dev)->backend->streams;
    return *s != NULL ? HD_OK : hdi_fail(HD_DEVICE, "device %s has no streams", (*dev)->name);
}

/* The same of a call that has something to tell. */
static hd_status streams_for(const void *answer, hd_device **dev, const hdi_streams **s)
{
    return answer != NULL ? streams_of(dev, s) : hdi_fail_null("the place for the answer");
}

/* Enqueues what is pending. */
static hd_status enqueue_pending(hd_device *dev)
{
    hdi_lock();
    hdi_windows_flush(dev);
    hdi_leave();
    return hdi_drain_all(dev);
}

/* The streams of a device on which nothing is pending. */
static hd_status caught_up(hd_device **dev, const hdi_streams **s)
{
    hd_status status = streams_of(dev, s);
    return status != HD_OK ? status : enqueue_pending(*dev);
}

hd_status hd_stream_new(hd_device *dev, int non_blocking, uintptr_t *stream)
{
    const hdi_streams *s;
    hd_status status = streams_for(stream, &dev, &s);
    return status != HD_OK ? status : s->make(dev->state, non_blocking != 0, stream);
}

hd_status hd_stream_free(hd_device *dev, uintptr_t stream)
{
    const hdi_streams *s;
    hd_status status = streams_of(&dev, &s);
    if (status != HD_OK)
        return status;
    hdi_lanes_hold(dev);
    status = s->destroy(dev->state, stream);
    hdi_lanes_let_go(dev);
    return status;
}

hd_status hd_stream_get(hd_device *dev, uintptr_t *own, uintptr_t *current)
{
    const hdi_streams *s;
    hd_status status = streams_of(&dev, &s);
    if (status != HD_OK)
        return status;
    if (own != NULL)
        *own = s->own(dev->state);
    if (current != NULL)
        *current = s->current(dev->state);
    return HD_OK;
}

hd_status hd_stream_use(hd_device *dev, uintptr_t stream)
{
    const hdi_streams *s;
    hd_status status = caught_up(&dev, &s);
    if (status != HD_OK)
        return status;
    hdi_lanes_hold(dev);
    status = s->use(dev->state, stream);
    hdi_lanes_let_go(dev);
    return status;
}

hd_status hd_stream_synchronize(hd_device *dev, uintptr_t stream)
{
    const hdi_streams *s;
    hd_status status = caught_up(&dev, &s);
    if (status != HD_OK)
        return status;
    do {
        hdi_wait_begin(dev);
        status = s->wait(dev->state, stream);
    } while (hdi_wait_again(&status));
    return status;
}

hd_status hd_stream_done(hd_device *dev, uintptr_t stream, int *done)
{
    const hdi_streams *s;
    hd_status status = streams_for(done, &dev, &s);
    if (status != HD_OK)
        return status;
    bool over = false;
    if ((status = enqueue_pending(dev)) == HD_OK)
        status = s->query(dev->state, stream, &over);
    *done = over;
    return status;
}

hd_status hd_stream_order(hd_device *dev, uintptr_t earlier, uintptr_t later)
{
    const hdi_streams *s;
    hd_status status = caught_up(&dev, &s);
    return status != HD_OK ? status : s->order(dev->state, earlier, later);
}

hd_status hd_stream_follow(hd_device *dev, uintptr_t stream)
{
    const hdi_streams *s;
    hd_status status = streams_of(&dev, &s);
    if (status != HD_OK)
        return status;
    return stream == 1 ? s->order(dev->state, stream, s->current(dev->state))
                       : s->wait_all(dev->state);
}

hd_status hd_stream_wait_event(hd_device *dev, uintptr_t stream, uintptr_t event)
{
    const hdi_streams *s;
    hd_status status = caught_up(&dev, &s);
    return status != HD_OK ? status : s->event_order(dev->state, event, stream);
}

hd_status hd_device_wait_all(hd_device *dev)
{
    const hdi_streams *s;
    hd_status status = streams_of(&dev, &s);
    if (status == HD_OK) {
        hdi_lock();
        status = hdi_refuse_capture(dev);
        hdi_unlock();
    }
    if (status == HD_OK)
        status = enqueue_pending(dev);
    if (status != HD_OK)
        return status;
    do {
        hdi_wait_begin(dev);
        status = s->wait_all(dev->state);
    } while (hdi_wait_again(&status));
    return status;
}

hd_status hd_event_new(hd_device *dev, int timed, int blocking, uintptr_t *event)
{
    const hdi_streams *s;
    hd_status status = streams_for(event, &dev, &s);
    return status != HD_OK ? status : s->event_make(dev->state, timed != 0, blocking != 0, event);
}

hd_status hd_event_free(hd_device *dev, uintptr_t event)
{
    const hdi_streams *s;
    hd_status status = streams_of(&dev, &s);
    return status != HD_OK ? status : s->event_destroy(dev->state, event);
}

hd_status hd_event_record(hd_device *dev, uintptr_t event, uintptr_t stream)
{
    const hdi_streams *s;
    hd_status status = caught_up(&dev, &s);
    return status != HD_OK ? status : s->event_put(dev->state, event, stream);
}

hd_status hd_event_done(hd_device *dev, uintptr_t event, int *done)
{
    const hdi_streams *s;
    hd_status status = streams_for(done, &dev, &s);
    if (status != HD_OK)
        return status;
    bool over = false;
    status = s->event_query(dev->state, event, &over);
    *done = over;
    return status;
}

hd_status hd_event_synchronize(hd_device *dev, uintptr_t event)
{
    const hdi_streams *s;
    hd_status status = streams_of(&dev, &s);
    if (status != HD_OK)
        return status;
    do {
        hdi_wait_begin(dev);
        status = s->event_wait(dev->state, event);
    } while (hdi_wait_again(&status));
    return status;
}

hd_status hd_event_elapsed(hd_device *dev, uintptr_t first, uintptr_t last, double *ms)
{
    const hdi_streams *s;
    hd_status status = streams_for(ms, &dev, &s);
    return status != HD_OK ? status : s->elapsed(dev->state, first, last, ms);
}
