/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_select.c - elements, and their numbers, where a mask is true. Parts of the mask are counted
 * by all threads, so that each part then knows where its elements go. */
#include "backend/cpu/cpu_library.h"
#include "backend/cpu/cpu_scratch.h"
#include "base/pool.h"

enum { PART = 1 << 16 };         /* elements of a task */

typedef struct selection {
    const uint8_t *from, *flag;  /* from NULL: numbers are wanted */
    uint8_t *to;
    int width;
    int64_t n, *before;          /* before[k]: how many are found before part k */
} selection;

static bool count_task(void *ctx, int64_t part)
{
    const selection *s = ctx;
    int64_t found = 0;
    for (int64_t i = part * PART; i < hdi_min64((part + 1) * PART, s->n); i++)
        found += s->flag[i] != 0;
    s->before[part + 1] = found;
    return true;
}

/* Elements may lie at any byte. */
#define ANYWHERE __attribute__((aligned(1), may_alias))
typedef uint8_t bytes1;
typedef uint16_t ANYWHERE bytes2;
typedef uint32_t ANYWHERE bytes4;
typedef uint64_t ANYWHERE bytes8;
typedef __uint128_t ANYWHERE bytes16;

/* Each element is written to where the next one belongs, and stays there if its flag is set. */
#define SELECT(T, value)                                                 \
    for (int64_t i = part * PART, n = s->before[part]; n < last; i++) {  \
        ((T *)(void *)s->to)[n] = (value);                               \
        n += s->flag[i] != 0;                                            \
    }                                                                    \
    break
#define ELEMENTS(T) SELECT(T, ((const T *)(const void *)s->from)[i])

static bool put_task(void *ctx, int64_t part)
{
    const selection *s = ctx;
    const int64_t last = s->before[part + 1];
    switch (s->from != NULL ? s->width : 0) {
    case 0: SELECT(int64_t, i);
    case 1: ELEMENTS(bytes1);
    case 2: ELEMENTS(bytes2);
    case 4: ELEMENTS(bytes4);
    case 8: ELEMENTS(bytes8);
    default: ELEMENTS(bytes16);
    }
    return true;
}

/* in[0] (n) and, of compress, the mask in[1] (n): dense. out is dense, and as long as the mask
 * says. */
hd_status hdi_cpu_select(const hdi_xcall *x)
{
    const bool elements = x->nin > 1;
    selection s = {.from = elements ? x->in[0].ptr : NULL, .flag = x->in[elements].ptr,
                   .to = x->out.ptr, .width = hd_dtype_size(x->in[0].dt),
                   .n = x->in[0].dims[0]};
    const int64_t parts = (s.n + PART - 1) / PART;
    int64_t next = 0;
    hdi_cpu_mark mark = hdi_cpu_scratch_mark();
    s.before = hdi_cpu_scratch((parts + 1) * (int64_t)sizeof *s.before);
    hd_status status = s.before != NULL
                           ? hdi_pool_run(parts, count_task, &s, &next, hdi_cpu_may_stop(x))
                           : hdi_fail(HD_NOMEM, "out of memory for %lld counts", (long long)parts);
    if (status == HD_OK) {
        s.before[0] = next = 0;
        for (int64_t k = 0; k < parts; k++)
            s.before[k + 1] += s.before[k];
        hd_assert(s.before[parts] <= x->out.dims[0]);
        status = hdi_pool_run(parts, put_task, &s, &next, hdi_cpu_may_stop(x));
    }
    hdi_cpu_scratch_release(mark);
    return status;
}
