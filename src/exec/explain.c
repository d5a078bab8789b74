/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.c - what computing an array would run: the partition of its closure, as text or as a
 * Graphviz graph. Nothing runs. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/lock.h"
#include "base/strbuf.h"
#include "core/op.h"
#include "exec/exec.h"

static hdi_canon the_canon;
static hdi_partition the_partition;
static hdi_gen_use the_uses[HDI_MAX_GENS];

static const char *class_name(const hdi_group *g)
{
    if (g->library)
        return "library call";
    if (g->first_reduction < 0)
        return "elementwise";
    return g->nphases > 1 ? "reduce, broadcast, elementwise per row" : "reduction";
}

/* Bytes that group n must move: each view of a generation in memory once for reading and once
 * for writing. */
static int64_t bytes_moved(const hdi_chunk *c, int n)
{
    const hdi_group *g = &the_partition.group[n];
    int64_t bytes = 0;
    for (int m = 0; m < g->n; m++) {
        const hdi_crecord *r = &the_canon.record[g->record[m]];
        for (int k = 0; k <= r->nin; k++) {
            const hdi_coperand *o = &r->operand[k];
            if (o->kind != HDI_ARRAY || !the_uses[o->gen].memory)
                continue;
            bool seen = false;   /* the same view, the same way, earlier in the group */
            for (int e = 0; e <= m && !seen; e++) {
                const hdi_crecord *q = &the_canon.record[g->record[e]];
                for (int j = 0; j <= (e == m ? k - 1 : q->nin) && !seen; j++) {
                    const hdi_coperand *p = &q->operand[j];
                    bool written = j == 0, same = p->kind == HDI_ARRAY && p->gen == o->gen &&
                                                  p->core == o->core && p->view == o->view;
                    seen = same && (written == (k == 0) || (written && k > 0));
                }
            }
            const hdi_layout *core = c->record[g->record[m]]->operand[k].lay->core;
            bytes += seen ? 0 : core->size * core->item;
        }
    }
    return bytes;
}

static int count_temporaries(int n)
{
    int count = 0;
    for (int g = 0; g < the_canon.ngens; g++)
        count += the_uses[g].first_group == n && !the_uses[g].memory;
    return count;
}

static const char *shape_of(const hdi_chunk *c, const hdi_group *g, char *text, size_t size)
{
    for (int m = 0; m < g->n; m++)
        if (the_canon.record[g->record[m]].domain == g->domain) {
            const hdi_layout *l = c->record[g->record[m]]->domain;
            return hdi_shape_text(l->nd, l->dims, text, size);
        }
    return "()";
}

static void write_text(hdi_strbuf *s, const hdi_chunk *c)
{
    char shape[256];
    int64_t total = 0;
    if (c->n == 0)
        hdi_strbuf_add(s, "nothing to do: the value is there\n");
    for (int n = 0; n < the_partition.ngroups; n++) {
        const hdi_group *g = &the_partition.group[n];
        int64_t bytes = bytes_moved(c, n);
        total += bytes;
        hdi_strbuf_add(
            s,
            "kernel %d: %s over %s, %d operation%s, %lld bytes moved, %d temporar%s removed, %s\n",
            n + 1, class_name(g), shape_of(c, g, shape, sizeof shape), g->n, g->n == 1 ? "" : "s",
            (long long)bytes, count_temporaries(n), count_temporaries(n) == 1 ? "y" : "ies",
            g->library ? "library" : "tier 0");
        hdi_strbuf_add(s, "   ");
        for (int m = 0; m < g->n; m++)
            hdi_strbuf_add(s, " %s", hdi_op_rows[the_canon.record[g->record[m]].op].info.name);
        hdi_strbuf_add(s, "\n");
    }
    if (the_partition.ngroups > 1)
        hdi_strbuf_add(s, "%d kernels, %d operations, %lld bytes moved\n", the_partition.ngroups,
                       c->n, (long long)total);
}

static void write_dot(hdi_strbuf *s, const hdi_chunk *c)
{
    hdi_strbuf_add(s, "digraph heddle {\n  node [shape=box, fontname=\"monospace\"];\n");
    for (int n = 0; n < the_partition.ngroups; n++) {
        const hdi_group *g = &the_partition.group[n];
        hdi_strbuf_add(s, "  subgraph cluster_%d {\n    label=\"kernel %d: %s\";\n", n, n + 1,
                       class_name(g));
        for (int m = 0; m < g->n; m++) {
            int i = g->record[m];
            hdi_strbuf_add(s, "    r%d [label=\"%s %s\"];\n", i,
                           hdi_op_rows[the_canon.record[i].op].info.name,
                           hd_dtype_name((hd_dtype)the_canon.record[i].operand[0].dt));
        }
        hdi_strbuf_add(s, "  }\n");
    }
    for (int i = 0; i < c->n; i++) {
        const hdi_crecord *r = &the_canon.record[i];
        for (int k = 0; k < r->nedges; k++)
            hdi_strbuf_add(s, "  r%d -> r%d;\n", the_canon.edge[r->first_edge + k].to, i);
    }
    hdi_strbuf_add(s, "}\n");
}

char *hd_explain(const hd_array *x, int dot)
{
    hdi_chunk c = {.n = 0};
    hdi_strbuf s = {0};
    if (x == NULL)
        return NULL;
    hdi_lock();
    if (!hdi_is_weak(x) && x->st->buf->writes > 0) {
        hdi_window *w = x->st->buf->dev->window;
        hdi_window_drop_dead(w);
        hdi_window_closure(w, x->st->buf, &c);
    }
    the_partition.ngroups = 0;
    if (c.n > 0) {
        hdi_canon_build(&the_canon, &c);
        hdi_canon_decode(&the_canon);
        hdi_partition_make(&the_partition, &the_canon);
        hdi_gen_uses(&the_canon, &the_partition, the_uses);
    }
    (dot ? write_dot : write_text)(&s, &c);
    hdi_unlock();
    return hdi_strbuf_take(&s);
}

void hd_free_text(char *text)
{
    if (text != NULL)
        hdi_free(text, strlen(text) + 1);
}
