/* SPDX-License-Identifier: BSD-3-Clause */
/* mirror.c - small arrays of a device whose memory the host cannot read: their contents come to a
 * mirror on the host when they are first asked for, and go from there to the device with the job
 * that needs them.
 * See        docs/design/window.md, "Mirrors" */
#include "base/lock.h"
#include "exec/exec.h"

/* ---- to the host ----------------------------------------------------------------------------- */

/* nbytes of b's mirror, or of the device's memory where there is no mirror. */
static bool copy_mirror(const hdi_buf *b, int64_t off, void *into, int64_t nbytes)
{
    hdi_lock();
    bool mirrored = hdi_buf_mirrored(b);
    if (mirrored)
        memcpy(into, b->host + off, (size_t)nbytes);
    hdi_unlock();
    return mirrored;
}

static hd_status copy_far(const hdi_buf *b, int64_t off, void *into, int64_t nbytes)
{
    hd_status status;
    do {
        hdi_wait_begin(b->dev);
        status = b->dev->backend->copy_out(b->dev->state, into, b->mem + off, nbytes);
    } while (hdi_wait_again(&status));
    return status;
}

/* Has b no mirror, though it may have one? Then the number of its contents; *host is where the host
 * reads them now. */
static bool wants_mirror(const hdi_buf *b, uint32_t *version, const uint8_t **host)
{
    hdi_lock();
    bool wants = b->host == NULL && b->mem != NULL && hdi_buf_may_mirror(b);
    *version = b->version;
    *host = b->host;
    hdi_unlock();
    return wants;
}

/* The contents are those of that number; others may be on their way meanwhile. NULL: there is no
 * mirror, for that reason or for want of memory. */
static const uint8_t *set_mirror(hdi_buf *b, uint32_t version, const void *contents)
{
    hdi_lock();
    if (b->host == NULL && b->version == version && hdi_buf_may_mirror(b) &&
        hdi_buf_take_mirror(b)) {
        memcpy(b->mirror, contents, (size_t)b->nbytes);
        b->stale = false;
    }
    const uint8_t *host = b->version == version ? b->host : NULL;
    hdi_unlock();
    return host;
}

hd_status hdi_mirror(hdi_buf *b, const uint8_t **host)
{
    uint8_t contents[HDI_MIRROR_MOST];
    uint32_t version;
    if (b->dev->host_memory)
        *host = b->host;
    if (b->dev->host_memory || !wants_mirror(b, &version, host))
        return HD_OK;
    hd_status status = copy_far(b, 0, contents, b->nbytes);
    if (status == HD_OK)
        *host = set_mirror(b, version, contents);
    return status;
}

hd_status hdi_copy_out(hdi_buf *b, int64_t off, void *into, int64_t nbytes)
{
    uint8_t contents[HDI_MIRROR_MOST];
    uint32_t version;
    const uint8_t *host;
    if (b->dev->host_memory)
        return copy_far(b, off, into, nbytes);
    if (copy_mirror(b, off, into, nbytes))
        return HD_OK;
    if (!wants_mirror(b, &version, &host))
        return copy_far(b, off, into, nbytes);
    hd_status status = copy_far(b, 0, contents, b->nbytes);
    if (status == HD_OK) {
        memcpy(into, contents + off, (size_t)nbytes);
        set_mirror(b, version, contents);
    }
    return status;
}

hd_status hdi_bring(const hd_array *x)
{
    hd_status status = HD_OK;
    hdi_buf *b = hdi_read_begin(x, &status);
    if (b == NULL)
        return status;
    const uint8_t *host;
    status = hdi_mirror(b, &host);
    hdi_read_end(b);
    return status;
}

/* ---- to the device --------------------------------------------------------------------------- */

hd_status hdi_copy_in(hdi_buf *b, int64_t at, const void *from, int64_t nbytes)
{
    hd_status status;
    if (hdi_buf_mirrored(b)) {
        memcpy(b->host + at, from, (size_t)nbytes);
        b->stale = true;
        return HD_OK;
    }
    do {
        hdi_wait_begin(b->dev);
        status = b->dev->backend->copy_in(b->dev->state, b->mem + at, from, nbytes);
    } while (hdi_wait_again(&status));
    return status;
}

hd_status hdi_leave_mirror(hdi_buf *b)
{
    hd_status status = HD_OK;
    hdi_lock();
    const uint8_t *from = hdi_buf_mirrored(b) ? b->host : NULL;
    if (from != NULL && b->mem == NULL && !hdi_buf_take_far(b))
        status = hdi_no_memory(b->dev, b->nbytes);
    hdi_unlock();
    if (from == NULL || status != HD_OK)
        return status;
    do {
        hdi_wait_begin(b->dev);
        status = b->dev->backend->copy_in(b->dev->state, b->mem, from, b->nbytes);
    } while (hdi_wait_again(&status));
    hdi_lock();   /* allowed: it knows b by a count */
    if (status == HD_OK && b->host == from) {
        b->host = NULL;
        b->stale = false;
    }
    hdi_unlock();
    return status;
}

bool hdi_leave_home(hdi_buf *b)
{
    if (HDI_LIKELY(!hdi_buf_mirrored(b) || b->mem != NULL))
        return true;
    b->stale = true;
    return hdi_buf_take_far(b);
}

void hdi_job_upload(hdi_job *job, hdi_buf *b, uint8_t *to)
{
    if (hdi_buf_mirrored(b) && b->stale)
        job->upload[job->nuploads++] = (hdi_upload){b, to, b->host};
}

hd_status hdi_run_uploads(hd_device *dev, hdi_job *job)
{
    hd_status status = HD_OK;
    while (job->uploaded < job->nuploads && status == HD_OK) {
        const hdi_upload *u = &job->upload[job->uploaded];
        status = dev->backend->copy_in(dev->state, u->to, u->from, u->b->nbytes);
        job->uploaded += status == HD_OK;
    }
    return status;
}

/* Nobody wrote to the mirrors meanwhile: that waits for the job. */
void hdi_end_uploads(hdi_job *job)
{
    for (int k = 0; k < job->uploaded; k++)
        if (job->upload[k].b->host == job->upload[k].from)
            job->upload[k].b->stale = false;
}
