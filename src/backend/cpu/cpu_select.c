/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_select.c - elements, and their numbers, where a mask is true. Parts of the mask are counted
 * by all threads, so that each part then knows where its elements go. */
#include "backend/cpu/cpu_places.h"
#include "backend/cpu/cpu_scratch.h"
#include "base/pool.h"

enum { PART = 1 << 16 };         /* elements of a task */

typedef struct selection {
    const hdi_loops *l;
    const uint8_t *from, *flag;  /* from NULL: numbers are wanted */
    uint8_t *to;
    int lsize;
    int64_t n, *before;          /* before[k]: how many are found before part k */
} selection;

static int64_t part_end(const selection *s, int64_t part)
{
    return hdi_min64((part + 1) * PART, s->n);
}

static bool count_task(void *ctx, int64_t part)
{
    const selection *s = ctx;
    const int64_t i = part * PART;
    s->before[part + 1] = s->l->flags_count(s->flag + i, part_end(s, part) - i);
    return true;
}

/* Never more than were counted, whatever the flags are by now. */
static bool put_task(void *ctx, int64_t part)
{
    const selection *s = ctx;
    const int64_t end = part_end(s, part), last = s->before[part + 1],
                  size = (int64_t)1 << s->lsize;
    int64_t at = s->before[part], i = part * PART, offset[HDI_CPU_PLACES];
    if (s->from == NULL) {
        s->l->flags_find((int64_t *)(void *)s->to + at, last - at, s->flag + i, end - i, i, 1);
        return true;
    }
    for (int64_t n; i < end; i += n) {
        n = hdi_min64(HDI_CPU_PLACES, end - i);
        const int64_t found = s->l->flags_find(offset, hdi_min64(n, last - at), s->flag + i, n,
                                               i << s->lsize, size);
        if (found == n)
            memcpy(s->to + (at << s->lsize), s->from + (i << s->lsize), (size_t)(n << s->lsize));
        else
            hdi_cpu_take_elements(s->to + (at << s->lsize), size, s->from, offset, found,
                                  s->lsize);
        at += found;
    }
    return true;
}

static hd_status count_all(const hdi_xcall *x, selection *s, int64_t parts)
{
    int64_t next = 0;
    s->before[0] = 0;
    if (parts == 1) {            /* known: all that there is room for */
        s->before[1] = x->out.dims[0];
        return HD_OK;
    }
    hd_status status = hdi_pool_run(parts, count_task, s, &next, hdi_cpu_may_stop(x));
    for (int64_t k = 0; k < parts && status == HD_OK; k++)
        s->before[k + 1] = hdi_min64(s->before[k + 1] + s->before[k], x->out.dims[0]);
    return status;
}

/* in[0] (n) and, of compress, the mask in[1] (n): dense. out is dense, and as long as the mask
 * says. */
hd_status hdi_cpu_select(const hdi_xcall *x)
{
    const bool elements = x->nin > 1;
    selection s = {.l = hdi_loops_chosen(), .from = elements ? x->in[0].ptr : NULL,
                   .flag = x->in[elements].ptr, .to = x->out.ptr,
                   .lsize = __builtin_ctz((unsigned)hd_dtype_size(x->in[0].dt)),
                   .n = x->in[0].dims[0]};
    const int64_t parts = (s.n + PART - 1) / PART;
    int64_t next = 0;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    s.before = hdi_cpu_scratch((parts + 1) * (int64_t)sizeof *s.before);
    hd_status status = s.before != NULL
                           ? count_all(x, &s, parts)
                           : hdi_fail(HD_NOMEM, "out of memory for %lld counts", (long long)parts);
    if (status == HD_OK)
        status = hdi_pool_run(parts, put_task, &s, &next, hdi_cpu_may_stop(x));
    hdi_cpu_scratch_release(mark);
    return status;
}
