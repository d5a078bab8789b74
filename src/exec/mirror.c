/* SPDX-License-Identifier: BSD-3-Clause */
/* mirror.c - small arrays of a device whose memory the host cannot read: their contents come to a
 * mirror on the host when they are first asked for, and go from there to the device with the job
 * that needs them.
 * See        docs/design/window.md, "Mirrors" */
#include "base/alloc.h"
#include "base/lock.h"
#include "exec/lanes.h"
#include "exec/profile.h"

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
        status = hdi_profile_out(b->dev, into, b->mem + off, nbytes);
    } while (hdi_wait_again(&status));
    return status;
}

/* Contents on their way to a mirror. */
typedef struct fetch {
    uint8_t *room;               /* on the heap, if they are large */
    uint32_t version;            /* theirs: others may be on their way as well */
    const uint8_t *host;         /* where the host reads them already, or NULL */
    uint8_t few[HDI_MIRROR_MOST];
} fetch;

/* Is b to have a mirror that it has not? */
static bool wants_mirror(hdi_buf *b, bool ask, fetch *f)
{
    enum { ELEMENT = 16 };
    hdi_lock();
    bool may = b->host == NULL && b->mem != NULL && b->writes == 0 && b->error == NULL &&
               hdi_buf_may_ask(b) && hdi_lane_finished(b->dev, b->wrote);
    if (may && ask) {
        hdi_buf_ask(b, 1 << b->dev->reluctance);
        if (b->nbytes <= ELEMENT)
            hdi_trust_bringing(hdi_window_of(b->dev), HDI_ASK_BY_WAITING);
    }
    bool wants = may && (hdi_buf_may_mirror(b) || hdi_buf_is_asked(b));
    f->version = b->version;
    f->host = b->host;
    hdi_unlock();
    f->room = b->nbytes <= (int64_t)sizeof f->few ? f->few
              : wants                             ? hdi_alloc((size_t)b->nbytes)
                                                  : NULL;
    return wants && f->room != NULL;
}

/* NULL: there is no mirror, because of other contents or for want of memory. */
static const uint8_t *set_mirror(hdi_buf *b, fetch *f)
{
    hdi_lock();
    bool fits = b->host == NULL && b->version == f->version && b->pins == 0;
    if (fits && b->mirror == NULL && f->room != f->few) {
        hdi_buf_set_mirror(b, f->room);
        b->host = b->mirror;
        b->stale = false;
        f->room = NULL;
    } else if (fits && hdi_buf_take_mirror(b)) {
        memcpy(b->mirror, f->room, (size_t)b->nbytes);
        b->stale = false;
    }
    if (fits && b->host != NULL && hdi_buf_is_asked(b))
        b->asked = HDI_BROUGHT;
    const uint8_t *host = b->version == f->version ? b->host : NULL;
    hdi_unlock();
    return host;
}

/* All of b to f->room, and what is asked of it to `into`, if anything is. */
static hd_status fetch_all(hdi_buf *b, fetch *f, int64_t off, void *into, int64_t nbytes)
{
    hd_status status = copy_far(b, 0, f->room, b->nbytes);
    if (status == HD_OK) {
        if (into != NULL)
            memcpy(into, f->room + off, (size_t)nbytes);
        f->host = set_mirror(b, f);
    }
    if (f->room != NULL && f->room != f->few)
        hdi_free(f->room, (size_t)b->nbytes);
    return status;
}

hd_status hdi_mirror(hdi_buf *b, const uint8_t **host)
{
    fetch f;
    hd_status status = HD_OK;
    if (b->dev->host_memory) {
        *host = b->host;
        return HD_OK;
    }
    if (wants_mirror(b, false, &f))
        status = fetch_all(b, &f, 0, NULL, 0);
    *host = f.host;
    return status;
}

hd_status hdi_copy_out(hdi_buf *b, int64_t off, void *into, int64_t nbytes)
{
    fetch f;
    if (!b->dev->host_memory && copy_mirror(b, off, into, nbytes))
        return HD_OK;
    if (b->dev->host_memory || !wants_mirror(b, nbytes <= HDI_MIRROR_MOST, &f))
        return copy_far(b, off, into, nbytes);
    return fetch_all(b, &f, off, into, nbytes);
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

/* The next generation that is to be brought, still counted as used by a job; NULL: none is. */
static hdi_buf *next_wanted(hd_device *dev)
{
    hdi_lock();
    hdi_window *w = hdi_window_of(dev);
    hdi_buf *b = w->nbring > 0 ? w->bring[--w->nbring] : NULL;
    hdi_unlock();
    return b;
}

/* Nobody waits for them: a failure is for those to hear who ask for the contents. */
void hdi_bring_wanted(hd_device *dev)
{
    for (hdi_buf *b; (b = next_wanted(dev)) != NULL;) {
        const uint8_t *host;
        bool had = hd_error_peek()->code != HD_OK;
        if (hdi_mirror(b, &host) != HD_OK && !had)
            hd_error_take(NULL);
        hdi_lock();
        b->jobs--;
        hdi_buf_settle(b);
        hdi_unlock();
    }
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
        status = hdi_profile_in(b->dev, b->mem + at, from, nbytes);
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
        status = hdi_profile_in(b->dev, b->mem, from, b->nbytes);
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
        status = hdi_profile_in(dev, u->to, u->from, u->b->nbytes);
        job->uploaded += status == HD_OK;
    }
    return status;
}

/* Nobody wrote to the mirrors meanwhile: that waits for the job. */
void hdi_end_uploads(hdi_job *job)
{
    for (int k = 0; k < job->uploaded; k++)
        if (job->upload[k].b->host == job->upload[k].from) {
            job->upload[k].b->stale = false;
            job->upload[k].b->asked = 0;
        }
}
