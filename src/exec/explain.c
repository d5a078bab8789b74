/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.c - what computing an array would run: the partition of its closure, as text or as a
 * Graphviz graph. Nothing runs. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "base/strbuf.h"
#include "core/op.h"
#include "exec/lanes.h"

/* What is told of: the chunk as it would be planned now, in scratch of its device. */
typedef struct story {
    const hdi_chunk *c;
    hdi_planning *p;
    int ngroups;               /* 0, and no scratch: nothing is to be done */
} story;

static const char *class_name(const hdi_group *g)
{
    if (g->library)
        return "library call";
    if (g->first_reduction < 0)
        return "elementwise";
    return g->nphases > 1 ? "reduce, broadcast, elementwise per row" : "reduction";
}

/* Bytes of operand k of a record. Of one that it indexes into, only as many elements as the other
 * side has are touched. */
static int64_t bytes_of(const hdi_record *r, int k)
{
    const hdi_layout *core = r->operand[k].lay->core;
    int64_t size = core->size;
    if (k == hdi_op_rows[r->op].indexed && r->cls != HDI_MORE) {
        int64_t touched = r->operand[1 - k].lay->core->size;
        size = touched < size ? touched : size;
    }
    return size * core->item;
}

/* Bytes that group n must move: each view of a generation in memory once for reading and once
 * for writing. */
static int64_t bytes_moved(const story *e, int n)
{
    const hdi_planning *p = e->p;
    const hdi_group *g = &p->partition.group[n];
    int64_t bytes = 0;
    for (int m = 0; m < g->n; m++) {
        const hdi_crecord *r = &p->canon.record[g->record[m]];
        for (int k = 0; k <= r->nin; k++) {
            const hdi_coperand *o = &r->operand[k];
            if (o->kind != HDI_ARRAY || !p->use[o->gen].memory)
                continue;
            bool seen = false;   /* the same view, the same way, earlier in the group */
            for (int f = 0; f <= m && !seen; f++) {
                const hdi_crecord *q = &p->canon.record[g->record[f]];
                for (int j = 0; j <= (f == m ? k - 1 : q->nin) && !seen; j++) {
                    const hdi_coperand *v = &q->operand[j];
                    bool written = j == 0, same = v->kind == HDI_ARRAY && v->gen == o->gen &&
                                                  v->core == o->core && v->view == o->view;
                    seen = same && (written == (k == 0) || (written && k > 0));
                }
            }
            bytes += seen ? 0 : bytes_of(e->c->record[g->record[m]], k);
        }
    }
    return bytes;
}

static int count_temporaries(const hdi_planning *p, int n)
{
    int count = 0;
    for (int g = 0; g < p->canon.ngens; g++)
        count += p->use[g].first_group == n && !p->use[g].memory;
    return count;
}

static const char *shape_of(const story *e, const hdi_group *g, char *text, size_t size)
{
    for (int m = 0; m < g->n; m++)
        if (e->p->canon.record[g->record[m]].domain == g->domain) {
            const hdi_layout *l = e->c->record[g->record[m]]->domain;
            return hdi_shape_text(l->nd, l->dims, text, size);
        }
    return "()";
}

/* "3200 bytes", "24.0 MB" */
static const char *bytes_text(int64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    double amount = (double)bytes / 1000;
    size_t unit = 0;
    for (; amount >= 1000 && unit < 3; unit++)
        amount /= 1000;
    if (bytes < 10000)
        snprintf(text, size, "%lld bytes", (long long)bytes);
    else
        snprintf(text, size, "%.*f %s", amount < 100 ? 1 : 0, amount, units[unit]);
    return text;
}

/* The operations of a kernel in their order, in lines of at most 96 columns. */
static void write_operations(hdi_strbuf *s, const hdi_canon *c, const hdi_group *g)
{
    size_t column = 0;
    for (int m = 0; m < g->n; m++) {
        if (c->record[g->record[m]].cls == HDI_MORE)
            continue;
        const char *name = hdi_op_rows[c->record[g->record[m]].op].info.name;
        if (column == 0 || column + 1 + strlen(name) > 96) {
            hdi_strbuf_add(s, "%s    %s", column == 0 ? "" : "\n", name);
            column = 4 + strlen(name);
        } else {
            hdi_strbuf_add(s, " %s", name);
            column += 1 + strlen(name);
        }
    }
    hdi_strbuf_add(s, "\n");
}

static int count_operations(const hdi_canon *c, const hdi_group *g)
{
    int n = 0;
    for (int m = 0; m < g->n; m++)
        n += c->record[g->record[m]].cls != HDI_MORE;
    return n;
}

/* Of the kernel as it would run now. A plan has a step for each group, in their order. */
static const char *tier_name(const hd_device *dev, const hdi_exec_plan *plan, int n)
{
    if (plan == NULL || dev->backend->tier == NULL || plan->steps[n].program == NULL)
        return "tier 0";
    return dev->backend->tier(dev->state, plan->steps[n].program->code) == 1 ? "tier 1" : "tier 0";
}

static void write_text(hdi_strbuf *s, const story *e)
{
    hd_device *dev = e->ngroups > 0 ? e->c->window->dev : NULL;
    hdi_exec_plan *plan = NULL;
    if (e->ngroups > 0 && hdi_plan_for(dev, e->p, &plan) != HD_OK)
        hd_error_take(NULL);   /* it will be told when the chunk runs */
    char shape[256], amount[32];
    int64_t total = 0;
    int all = 0;
    if (e->ngroups == 0)
        hdi_strbuf_add(s, "nothing to do: the value is there\n");
    for (int n = 0; n < e->ngroups; n++) {
        const hdi_group *g = &e->p->partition.group[n];
        int64_t bytes = bytes_moved(e, n);
        int removed = count_temporaries(e->p, n), ops = count_operations(&e->p->canon, g);
        total += bytes;
        all += ops;
        hdi_strbuf_add(
            s, "kernel %d: %s over %s, %d operation%s, %s moved, %d temporar%s removed, %s\n",
            n + 1, class_name(g), shape_of(e, g, shape, sizeof shape), ops, ops == 1 ? "" : "s",
            bytes_text(bytes, amount, sizeof amount), removed, removed == 1 ? "y" : "ies",
            g->library ? "library" : tier_name(dev, plan, n));
        write_operations(s, &e->p->canon, g);
    }
    if (e->ngroups > 1)
        hdi_strbuf_add(s, "%d kernels, %d operations, %s moved\n", e->ngroups, all,
                       bytes_text(total, amount, sizeof amount));
}

static void write_group(hdi_strbuf *s, const story *e, int n)
{
    const hdi_group *g = &e->p->partition.group[n];
    char shape[256], amount[32];
    hdi_strbuf_add(s, "  subgraph cluster_%d {\n", n);
    hdi_strbuf_add(s, "    label=\"kernel %d: %s over %s, %s moved\";\n", n + 1, class_name(g),
                   shape_of(e, g, shape, sizeof shape),
                   bytes_text(bytes_moved(e, n), amount, sizeof amount));
    for (int m = 0; m < g->n; m++) {
        const hdi_crecord *r = &e->p->canon.record[g->record[m]];
        if (r->cls == HDI_MORE)
            continue;
        hdi_strbuf_add(s, "    r%d [label=\"%s %s\"];\n", g->record[m],
                       hdi_op_rows[r->op].info.name, hd_dtype_name((hd_dtype)r->operand[0].dt));
    }
    hdi_strbuf_add(s, "  }\n");
}

/* Of the operation that slot i of the chunk belongs to. */
static int first_slot(const story *e, int i)
{
    const hdi_crecord *r = &e->p->canon.record[i];
    return r->cls == HDI_MORE ? i - r->more : i;
}

static void write_dot(hdi_strbuf *s, const story *e)
{
    hdi_strbuf_add(s, "digraph heddle {\n  node [shape=box, fontname=\"monospace\"];\n");
    if (e->ngroups == 0)
        hdi_strbuf_add(s, "  value [label=\"nothing to do: the value is there\"];\n");
    for (int n = 0; n < e->ngroups; n++)
        write_group(s, e, n);
    for (int i = 0; i < e->c->n; i++) {
        const hdi_crecord *r = &e->p->canon.record[i];
        for (int k = 0; k < r->nedges; k++)
            hdi_strbuf_add(s, "  r%d -> r%d;\n",
                           first_slot(e, e->p->canon.edge[r->first_edge + k].to),
                           first_slot(e, i));
    }
    hdi_strbuf_add(s, "}\n");
}

char *hd_explain(const hd_array *x, int dot)
{
    hdi_chunk c = {.n = 0};
    hdi_strbuf s = {0};
    story e = {.c = &c};
    if (x == NULL)
        return hdi_null("an array");
    hdi_lock();
    if (!hdi_is_weak(x) && x->st->buf->writes > 0) {
        hdi_window *w = hdi_window_with(x->st->buf->dev, x->st->buf->write_link);
        hdi_window_drop_dead(w);
        hdi_window_closure(w, x->st->buf, &c);
    }
    if (c.n > 0) {
        e.p = &c.window->dev->queue->submission->planning;
        hdi_canon_build(&e.p->canon, &c);
        hdi_planning_make(e.p);
        e.ngroups = e.p->partition.ngroups;
    }
    (dot ? write_dot : write_text)(&s, &e);
    hdi_unlock();
    return hdi_strbuf_take(&s);
}

void hd_free_text(char *text)
{
    if (text != NULL)
        hdi_free(text, strlen(text) + 1);
}
