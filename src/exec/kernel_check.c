/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_check.c - what kernels that look at their accesses are told, and what they tell. */
#include "exec/kernel_check.h"

#include <stdio.h>

#include "base/lock.h"
#include "exec/exec.h"
#include "lir/passes.h"
#include "ops/ops.h"

/* Of memory whose size nobody has told: an address that was given as a number. */
enum { FAR_BITS = 62 };

/* Where the memory of an array begins and ends, from where its first element is. */
static void bounds_of(const hd_launch_arg *a, int64_t *low, int64_t *high)
{
    *low = -((int64_t)1 << FAR_BITS);
    *high = (int64_t)1 << FAR_BITS;
    if (a->array == NULL)
        return;
    hdi_lock();
    if (!hdi_is_weak(a->array)) {
        *low = -a->array->off;
        *high = a->array->st->buf->nbytes - a->array->off;
    }
    hdi_unlock();
}

static hd_array *new_record(hd_device *dev)
{
    static const int64_t nothing[HDI_LIR_RECORD_WORDS], n = HDI_LIR_RECORD_WORDS;
    return hdi_exec_from_host(dev, 1, &n, HD_INT64, nothing);
}

hd_status hdi_check_give(hdi_checking *c, hd_device *dev, const hdi_hidden *p,
                         const hd_launch_arg *args, hd_launch_arg *arg, int64_t *value)
{
    int64_t low, high;
    if (p->role == HDI_LIR_RECORD) {
        c->record = new_record(dev);
        *arg = (hd_launch_arg){.array = c->record, .access = HD_READS | HD_WRITES};
        return c->record != NULL ? HD_OK : hd_error_peek()->code;
    }
    *value = c->shared_bytes;
    if (p->role != HDI_LIR_SHARED_BYTES) {
        bounds_of(&args[p->of], &low, &high);
        *value = p->role == HDI_LIR_LOW ? low : high;
    }
    *arg = (hd_launch_arg){.value = value, .bytes = sizeof *value};
    return HD_OK;
}

static hd_status tell(const int64_t *record, const char *kernel, const char *names)
{
    const hdi_lir_trespass t = hdi_lir_trespass_of(record);
    char name[120] = "a variable", why[60] = "before its memory";
    if (names[t.name] != '\0')
        snprintf(name, sizeof name, "'%.100s'", names + t.name);
    if (t.at >= 0)
        snprintf(why, sizeof why, "whose memory ends at byte %lld", (long long)t.end);
    return hdi_fail(HD_INDEX, "%s: line %d: thread (%lld, %lld, %lld) of block (%lld, %lld, %lld) "
                    "%s bytes %lld to %lld of %s, %s", kernel, t.line, (long long)t.thread[0],
                    (long long)t.thread[1], (long long)t.thread[2], (long long)t.block[0],
                    (long long)t.block[1], (long long)t.block[2], t.writes ? "writes" : "reads",
                    (long long)t.at, (long long)(t.at + t.bytes - 1), name, why);
}

hd_status hdi_check_end(hdi_checking *c, hd_status status, const char *kernel, const char *names)
{
    int64_t record[HDI_LIR_RECORD_WORDS] = {0};
    if (c->record == NULL)
        return status;
    if (status == HD_OK)
        status = hd_read(c->record, record);
    if (status == HD_OK && record[0] != 0)
        status = tell(record, kernel, names);
    hd_release(c->record);
    c->record = NULL;
    return status;
}
