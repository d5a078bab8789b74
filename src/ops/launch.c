/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.c - kernels of the user's own as operations. What a kernel reaches from the address of an
 * array is not known, so the operands are whole generations: those that it may write to are
 * outputs, the others inputs. */
#include <heddle/launch.h>

#include <stdio.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "core/object.h"
#include "ops/ops.h"
#include "window/append.h"

enum {
    MOST_READ = HDI_MAX_IN * (HDI_SLOTS_MOST - 1),
    MOST_ARGUMENTS = 4096, MOST_BYTES = 32764   /* the driver's limit for all of them together */
};

/* The operands of one launch. */
typedef struct operands {
    int nwritten, nread;
    hdi_buf *written[HDI_SLOTS_MOST], *read[MOST_READ];
} operands;

/* ---- what is launched ------------------------------------------------------------------------ */

static void end(void *ctx)
{
    hdi_grid_launch *l = ctx;
    if (l->kernel != NULL)
        hdi_object_release_away(l->kernel);
    hdi_free(l, l->bytes);
}

static size_t value_room(const hd_launch_arg *a)
{
    return a->array == NULL ? (a->bytes + 15) & ~(size_t)15 : 0;
}

static hdi_grid_launch *launch_new(const hdi_launched *f, int nargs, const hd_launch_arg *args)
{
    size_t values = (sizeof(hdi_grid_launch) + sizeof(hdi_grid_arg) * (size_t)nargs + 15) &
                    ~(size_t)15, bytes = values;
    for (int i = 0; i < nargs; i++)
        bytes += value_room(&args[i]);
    hdi_grid_launch *l = hdi_calloc(bytes);
    if (l == NULL) {
        hdi_fail(HD_NOMEM, "out of memory to launch %s", f->name);
        return NULL;
    }
    atomic_store(&l->object.count, 1);
    l->object.end = (hdi_deleter){.run = end, .ctx = l};
    l->bytes = bytes;
    l->function = f->function;
    l->kernel = f->kernel;
    l->work = f->work;
    if (l->kernel != NULL)
        hdi_object_hold(l->kernel);
    memcpy(l->grid, f->grid, sizeof l->grid);
    memcpy(l->block, f->block, sizeof l->block);
    l->shared_bytes = f->shared_bytes;
    strncpy(l->name, f->name, sizeof l->name - 1);   /* a copy of snprintf() takes 100 ns */
    l->nargs = nargs;
    l->values = (uint8_t *)l + values;
    int64_t at = 0;
    for (int i = 0; i < nargs; i++) {
        l->arg[i] = (hdi_grid_arg){-1, -1, at};
        if (args[i].array == NULL && args[i].bytes > 0)
            memcpy(l->values + at, args[i].value, args[i].bytes);
        at += (int64_t)value_room(&args[i]);
    }
    return l;
}

/* ---- operands -------------------------------------------------------------------------------- */

static hd_status check_sizes(const char *name, const unsigned grid[3], const unsigned block[3])
{
    for (int a = 0; a < 3; a++)
        if (grid[a] == 0 || block[a] == 0)
            return hdi_fail(HD_VALUE, "%s: a grid of %u x %u x %u blocks of %u x %u x %u threads "
                            "has none", name, grid[0], grid[1], grid[2], block[0], block[1],
                            block[2]);
    return HD_OK;
}

static hd_status check_array(const char *name, const hd_device *dev, int i, const hd_launch_arg *a)
{
    if (hdi_is_weak(a->array) || a->array->st->buf->dev != dev)
        return hdi_fail(HD_DEVICE, "%s: argument %d is on device %s, the kernel on %s", name, i,
                        hdi_device_of(a->array)->name, dev->name);
    if (a->access & HD_WRITES && a->array->flags & HDI_A_READONLY)
        return hdi_fail(HD_READONLY, "%s: argument %d is a read-only array", name, i);
    return HD_OK;
}

static int place_of(hdi_buf *const *list, int n, const hdi_buf *b)
{
    for (int k = 0; k < n; k++)
        if (list[k] == b)
            return k;
    return -1;
}

/* Adds b to a list, unless it is there. False: the list is full. */
static bool put(hdi_buf **list, int *n, int most, hdi_buf *b)
{
    if (place_of(list, *n, b) >= 0)
        return true;
    if (*n == most)
        return false;
    list[(*n)++] = b;
    return true;
}

/* Which generations are written, which are only read. Arrays that others have a snapshot of get
 * generations of their own first. */
static hd_status collect(const char *name, const hd_device *dev, int nargs,
                         const hd_launch_arg *args, operands *o)
{
    bool fits = true;
    hd_status status = HD_OK;
    for (int i = 0; i < nargs && status == HD_OK; i++)
        if (args[i].array != NULL)
            status = check_array(name, dev, i, &args[i]);
    for (int i = 0; i < nargs && status == HD_OK; i++)
        if (args[i].array != NULL && args[i].access & HD_WRITES)
            status = hdi_window_unshare(args[i].array);
    if (status != HD_OK)
        return status;
    for (int i = 0; i < nargs; i++)
        if (args[i].array != NULL && args[i].access & HD_WRITES)
            fits &= put(o->written, &o->nwritten, HDI_SLOTS_MOST, args[i].array->st->buf);
    for (int i = 0; i < nargs; i++) {
        hdi_buf *b = args[i].array != NULL ? args[i].array->st->buf : NULL;
        if (b != NULL && place_of(o->written, o->nwritten, b) < 0)
            fits &= put(o->read, &o->nread, MOST_READ, b);
    }
    return fits ? HD_OK
                : hdi_fail(HD_VALUE, "%s: more than %d arrays that are written, or %d that are "
                           "read", name, HDI_SLOTS_MOST, MOST_READ);
}

static void bind_arguments(hdi_grid_launch *l, const operands *o, const hd_launch_arg *args)
{
    for (int i = 0; i < l->nargs; i++) {
        const hd_array *x = args[i].array;
        if (x == NULL)
            continue;
        l->arg[i].result = place_of(o->written, o->nwritten, x->st->buf);
        l->arg[i].input = place_of(o->read, o->nread, x->st->buf);
        l->arg[i].off = x->off;
    }
}

/* ---- the record ------------------------------------------------------------------------------ */

static bool name_whole(hdi_record *r, int k, hdi_buf *b)
{
    hdi_layout *whole = hdi_layout_c(1, &b->nbytes, 1);
    if (whole != NULL)
        hdi_record_buffer(r, k, b, HD_UINT8, whole, 0);
    return whole != NULL;
}

/* Slot i: an output, if there is one left, and three inputs. */
static bool fill_slot(const operands *o, hdi_record *r, int i)
{
    bool there = true;
    if (i < o->nwritten)
        there = name_whole(r, 0, o->written[i]);
    else
        hdi_record_no_output(r);
    for (int k = 0; k < r->nin && there; k++)
        there = name_whole(r, k + 1, o->read[HDI_MAX_IN * i + k]);
    return there;
}

static int inputs_of(const operands *o, int i)
{
    return (int)hdi_max64(0, hdi_min64(HDI_MAX_IN, o->nread - HDI_MAX_IN * i));
}

static hd_status record(hd_device *dev, hdi_grid_launch *l, const operands *o)
{
    const int of_reads = (o->nread + HDI_MAX_IN - 1) / HDI_MAX_IN;
    const int slots = of_reads > o->nwritten ? of_reads : o->nwritten;
    hdi_window *w = hdi_window_of(dev);
    hdi_record *r =
        hdi_record_begin_many(w, HD_OP_user_grid, 'x', HD_UINT8, inputs_of(o, 0), slots);
    bool there = r != NULL && fill_slot(o, r, 0);
    for (int i = 1; i < slots && there; i++)
        there = fill_slot(o, hdi_record_more(r, inputs_of(o, i)), i);
    if (!there)
        return hd_error_peek()->code;
    for (int i = 0; i < slots; i++)
        hdi_record_slot(r, i)->domain = r->operand[0].lay;
    r->payload.object = &l->object;
    hdi_object_hold(&l->object);
    hd_status status = hdi_record_end(w, r);
    if (status == HD_OK && r->pending)
        status = hdi_submit_now(w, r);
    if (status != HD_OK)
        hdi_object_release(&l->object);
    return status;
}

static hd_status check_given(const char *name, const unsigned *grid, const unsigned *block,
                             int nargs, const hd_launch_arg *args)
{
    if (name == NULL || grid == NULL || block == NULL || (args == NULL && nargs > 0))
        return hdi_fail_null("a name, sizes and arguments");
    if (nargs < 0 || nargs > MOST_ARGUMENTS)
        return hdi_fail(HD_VALUE, "%s: %d arguments, of at most %d", name, nargs, MOST_ARGUMENTS);
    for (int i = 0; i < nargs; i++)
        if (args[i].array == NULL && (args[i].value == NULL || args[i].bytes > MOST_BYTES))
            return hdi_fail(HD_VALUE, "%s: argument %d has no value, or one of more than %d bytes",
                            name, i, MOST_BYTES);
    return check_sizes(name, grid, block);
}

/* What a kernel without arrays to write to changes is not known: a byte stands for it. */
static hd_array *stand_in(hd_device *dev, operands *o)
{
    hd_array *nothing = hdi_new(dev, 1, (const int64_t[]){1}, HD_UINT8);
    if (nothing != NULL)
        o->written[o->nwritten++] = nothing->st->buf;
    return nothing;
}

static hd_status record_with(hd_device *dev, hdi_grid_launch *l, operands *o,
                             const hd_launch_arg *args)
{
    hd_array *nothing = NULL;
    if (o->nwritten == 0 && (nothing = stand_in(dev, o)) == NULL)
        return hd_error_peek()->code;
    bind_arguments(l, o, args);
    hd_status status = record(dev, l, o);
    if (nothing != NULL)
        hdi_array_release(nothing);
    return status;
}

hd_status hdi_launch_grid(hd_device *dev, const hdi_launched *f, int nargs,
                          const hd_launch_arg *args)
{
    operands o;   /* two kilobytes: only what is counted is read */
    o.nwritten = o.nread = 0;
    hd_status status = check_given(f->name, f->grid, f->block, nargs, args);
    hdi_grid_launch *l = status == HD_OK ? launch_new(f, nargs, args) : NULL;
    if (l == NULL)
        return hd_error_peek()->code;
    hdi_lock();
    status = collect(f->name, dev, nargs, args, &o);
    if (status == HD_OK)
        status = record_with(dev, l, &o, args);
    hdi_object_release(&l->object);
    return hdi_done_status(status, dev, f->name);
}

hd_status hd_launch(hd_device *dev, uintptr_t function, const char *name, const unsigned *grid,
                    const unsigned *block, unsigned shared_bytes, int nargs,
                    const hd_launch_arg *args)
{
    if (dev == NULL && (dev = hdi_current_device()) == NULL)
        return hd_error_peek()->code;
    if (dev->host_memory && name != NULL)
        return hdi_fail(HD_UNSUPPORTED, "%s: %s has no driver whose kernels could be launched",
                        name, dev->name);
    return hdi_launch_grid(dev, &(hdi_launched){function, NULL, name, grid, block, shared_bytes, 0},
                           nargs, args);
}
