/* SPDX-License-Identifier: BSD-3-Clause */
/* dlpack.c - arrays out as DLPack's tensors, and tensors in as arrays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/dlpack.h>
#include <heddle/stream.h>

#include "base/alloc.h"
#include "interop/dlpack_structs.h"

/* ---- dtypes and devices ---------------------------------------------------------------------- */

static dl_dtype to_dl_dtype(hd_dtype dt)
{
    static const struct { char kind; uint8_t code; } codes[] = {
        {'b', DL_BOOL}, {'i', DL_INT}, {'u', DL_UINT}, {'f', DL_FLOAT}, {'c', DL_COMPLEX}};
    dl_dtype d = {DL_BFLOAT, (uint8_t)(8 * hd_dtype_size(dt)), 1};
    for (size_t i = 0; i < sizeof codes / sizeof *codes && dt != HD_BFLOAT16; i++)
        if (codes[i].kind == hd_dtype_kind(dt))
            d.code = codes[i].code;
    return d;
}

static hd_dtype from_dl_dtype(dl_dtype d)
{
    for (int dt = HD_BOOL; dt < HD_DTYPE_COUNT; dt++) {
        dl_dtype candidate = to_dl_dtype((hd_dtype)dt);
        if (candidate.code == d.code && candidate.bits == d.bits && d.lanes == 1)
            return (hd_dtype)dt;
    }
    return HD_NO_DTYPE;
}

/* n of "cuda:n"; -1 for any other device. */
static int cuda_ordinal(const hd_device *dev)
{
    const char *name = hd_device_name(dev);
    return strncmp(name, "cuda:", 5) == 0 ? atoi(name + 5) : -1;
}

hd_status hd_dlpack_device(const hd_array *x, int *type, int *number)
{
    if (x == NULL || type == NULL || number == NULL)
        return hdi_fail_null(x == NULL ? "an array" : "a place for the device");
    const hd_device *dev = hd_device_of(x);
    const int ordinal = cuda_ordinal(dev);
    *type = ordinal >= 0 ? DL_CUDA : DL_CPU;
    *number = ordinal >= 0 ? ordinal : 0;
    if (ordinal >= 0 || strcmp(hd_device_name(dev), "cpu") == 0)
        return HD_OK;
    return hdi_fail(HD_EXPORT, "DLPack of this device is not supported");
}

/* ---- out ------------------------------------------------------------------------------------- */

/* One block: the struct of either kind, then shape and strides. */
typedef struct outgoing {
    union { dl_managed plain; dl_versioned versioned; } dl;
    hd_array *x;
    hd_device *gpu;          /* NULL: it is in the host's memory */
    int64_t stream;          /* the consumer's */
    size_t size;             /* of the block */
    int64_t numbers[];
} outgoing;

/* What comes over the memory from here on waits for the consumer's stream. */
static void come_after(hd_device *gpu, uintptr_t stream)
{
    const bool had = hd_error_peek()->code != HD_OK;
    const hd_status status = hd_stream_follow(gpu, stream);
    if (status != HD_OK && !had)   /* a lost device: nobody is at work on it */
        hd_error_take(NULL);
}

static void let_go(outgoing *o)
{
    if (o->gpu != NULL)
        come_after(o->gpu, (uintptr_t)o->stream);
    hd_unexport(o->x);
    hd_release(o->x);
    hdi_free(o, o->size);
}

static void delete_plain(dl_managed *m) { let_go(m->context); }
static void delete_versioned(dl_versioned *m) { let_go(m->context); }

static void fill_tensor(dl_tensor *t, outgoing *o, void *data)
{
    const hd_array *x = o->x;
    const int nd = hd_ndim(x), size = hd_dtype_size(hd_dtype_of(x));
    const dl_device device = {o->gpu ? DL_CUDA : DL_CPU, o->gpu ? cuda_ordinal(o->gpu) : 0};
    *t = (dl_tensor){data,       device,          nd, to_dl_dtype(hd_dtype_of(x)),
                     o->numbers, o->numbers + nd, 0};
    for (int i = 0; i < nd; i++) {
        t->shape[i] = hd_shape(x)[i];
        t->strides[i] = hd_strides(x)[i] / size;
    }
}

/* The address for the consumer, whose stream from here on waits for ours. */
static void *export_tensor(hd_array *x, int writeable, const outgoing *o)
{
    uintptr_t own, current;
    if (o->gpu == NULL)
        return hd_export(x, writeable);
    void *data = hd_export_device(x, writeable);
    if (data == NULL || o->stream < 0)
        return data;
    if (hd_stream_get(o->gpu, &own, &current) == HD_OK &&
        hd_stream_order(o->gpu, current, (uintptr_t)o->stream) == HD_OK)
        return data;
    hd_unexport(x);
    return NULL;
}

static bool stride_fits(const hd_array *x)
{
    const int size = hd_dtype_size(hd_dtype_of(x));
    for (int i = 0; i < hd_ndim(x); i++)
        if (hd_shape(x)[i] > 1 && hd_strides(x)[i] % size != 0)
            return false;
    return true;
}

/* The block for x with its tensor in *t; the rest of the struct is left to fill. NULL and an
 * error. */
static outgoing *make(hd_array *x, int64_t stream, bool versioned)
{
    int type, number;
    if (hd_dlpack_device(x, &type, &number) != HD_OK)
        return NULL;
    if (!stride_fits(x)) {
        hdi_fail(HD_EXPORT, "DLPack only supports strides which are a multiple of itemsize.");
        return NULL;
    }
    const int nd = hd_ndim(x);
    const size_t size = sizeof(outgoing) + 2 * (size_t)nd * sizeof(int64_t);
    outgoing *o = hdi_calloc(size);
    if (o == NULL) {
        hdi_fail(HD_NOMEM, "out of memory for a tensor of DLPack");
        return NULL;
    }
    o->size = size;
    o->gpu = type == DL_CUDA ? hd_device_of(x) : NULL;
    o->stream = stream;
    void *data = export_tensor(x, hd_is_writeable(x), o);
    if (data == NULL) {
        hdi_free(o, size);
        return NULL;
    }
    o->x = hd_retain(x);
    fill_tensor(versioned ? &o->dl.versioned.tensor : &o->dl.plain.tensor, o, data);
    return o;
}

hd_dlpack *hd_to_dlpack(hd_array *x, int copied, int64_t stream)
{
    if (x == NULL)
        return hdi_null("an array");
    outgoing *o = make(x, stream, true);
    if (o == NULL)
        return NULL;
    dl_versioned *m = &o->dl.versioned;
    m->major = DL_MAJOR;
    m->minor = DL_MINOR;
    m->context = o;
    m->deleter = delete_versioned;
    m->flags = (copied ? DL_IS_COPIED : 0) | (hd_is_writeable(x) ? 0 : DL_READ_ONLY);
    return m;
}

hd_dlpack_unversioned *hd_to_dlpack_unversioned(hd_array *x, int copied, int64_t stream)
{
    if (x == NULL)
        return hdi_null("an array");
    if (!copied && !hd_is_writeable(x)) {
        hdi_fail(HD_EXPORT, "Cannot export readonly array since signalling readonly is unsupported "
                 "by DLPack (supported by newer DLPack version).");
        return NULL;
    }
    outgoing *o = make(x, stream, false);
    if (o == NULL)
        return NULL;
    o->dl.plain.context = o;
    o->dl.plain.deleter = delete_plain;
    return &o->dl.plain;
}

/* ---- in -------------------------------------------------------------------------------------- */

void hd_dlpack_free(hd_dlpack *tensor)
{
    if (tensor != NULL && tensor->deleter != NULL)
        tensor->deleter(tensor);
}

void hd_dlpack_free_unversioned(hd_dlpack_unversioned *tensor)
{
    if (tensor != NULL && tensor->deleter != NULL)
        tensor->deleter(tensor);
}

static void release_versioned(void *tensor) { hd_dlpack_free(tensor); }
static void release_plain(void *tensor) { hd_dlpack_free_unversioned(tensor); }

/* An array over the tensor; on failure the tensor stays its owner's. */
static hd_array *wrap_tensor(const dl_tensor *t, int readonly, void (*deleter)(void *), void *ctx)
{
    int64_t strides[HD_MAXDIM];
    const hd_dtype dt = from_dl_dtype(t->dtype);
    const bool on_gpu = t->device.type == DL_CUDA;
    hd_device *gpu = NULL;
    hd_status status;
    if (on_gpu) {
        char name[24];
        snprintf(name, sizeof name, "cuda:%d", (int)t->device.id);
        gpu = hd_device_get(name);
        if (gpu == NULL)
            return NULL;
    }
    HD_REQUIRE(on_gpu || t->device.type == DL_CPU || t->device.type == DL_CUDA_HOST, HD_EXPORT,
               "from_dlpack: the tensor is neither in host memory nor on a CUDA device");
    HD_REQUIRE(dt != HD_NO_DTYPE, HD_EXPORT, "from_dlpack: heddle has no arrays of this dtype");
    HD_REQUIRE(t->ndim >= 0 && t->ndim <= HD_MAXDIM, HD_EXPORT, "from_dlpack: too many dimensions");
    for (int i = 0; i < t->ndim && t->strides != NULL; i++)
        strides[i] = t->strides[i] * hd_dtype_size(dt);
    const int64_t *given = t->strides != NULL ? strides : NULL;
    void *data = t->data != NULL ? (char *)t->data + t->byte_offset : NULL;
    return on_gpu
               ? hd_wrap_device(gpu, t->ndim, t->shape, given, dt, data, readonly, deleter, ctx)
               : hd_wrap(t->ndim, t->shape, given, dt, data, readonly, deleter, ctx);
done:
    (void)status;
    return NULL;
}

hd_array *hd_from_dlpack(hd_dlpack *tensor)
{
    if (tensor == NULL)
        return hdi_null("a tensor");
    if (tensor->major > DL_MAJOR) {
        hdi_fail(HD_EXPORT, "from_dlpack: the tensor's DLPack version is too new");
        return NULL;
    }
    const int readonly = (tensor->flags & DL_READ_ONLY) != 0;
    return wrap_tensor(&tensor->tensor, readonly, release_versioned, tensor);
}

hd_array *hd_from_dlpack_unversioned(hd_dlpack_unversioned *tensor)
{
    if (tensor == NULL)
        return hdi_null("a tensor");
    return wrap_tensor(&tensor->tensor, 0, release_plain, tensor);
}
