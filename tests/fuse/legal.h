/* SPDX-License-Identifier: BSD-3-Clause */
/* legal.h - is a partition legal? Asked of the real records, byte by byte, without the verdicts
 * that the partitioner goes by (rule M5).
 * Start at   check_legal() */
#ifndef HEDDLE_TESTS_LEGAL_H
#define HEDDLE_TESTS_LEGAL_H

#include "window/inspect.h"

enum { LEGAL_BYTES = 1 << 13 };   /* of the largest buffer looked into */

/* One bit for each byte of the buffer that an access touches. */
static inline void touched_bytes(const hdi_operand *p, uint8_t *map)
{
    const hdi_layout *l = p->lay;
    int64_t index[HD_MAXDIM] = {0};
    memset(map, 0, LEGAL_BYTES / 8);
    if (l->size == 0)
        return;
    for (;;) {
        int64_t off = p->off;
        for (int a = 0; a < l->nsq; a++)
            off += index[a] * l->sqstrides[a];
        for (int64_t b = off; b < off + l->item && b < LEGAL_BYTES; b++)
            map[b / 8] |= (uint8_t)(1 << b % 8);
        int a = l->nsq - 1;
        while (a >= 0 && ++index[a] == l->sqdims[a])
            index[a--] = 0;
        if (a < 0)
            return;
    }
}

static inline bool bytes_conflict(const hdi_operand *p, const hdi_operand *q)
{
    static uint8_t a[LEGAL_BYTES / 8], b[LEGAL_BYTES / 8];
    touched_bytes(p, a);
    touched_bytes(q, b);
    for (int k = 0; k < LEGAL_BYTES / 8; k++)
        if (a[k] & b[k])
            return true;
    return false;
}

/* Strides over the squeezed domain are equal, or (with a reduction) the ROW side has none on the
 * reduced axes. */
static inline bool maps_agree(const hdi_record *a, int j, const hdi_record *b, int k)
{
    const hdi_operand *p = &a->operand[j], *q = &b->operand[k];
    return p->off == q->off && p->lay->core == q->lay->core && a->dt[j] == b->dt[k];
}

/* Where the value of operand k of record i lives: a reduction reads FULL values and writes a ROW
 * value. */
static inline int level_of(const planned *p, const hdi_record *r, int i, int k)
{
    return r->cls == 'r' ? (k == 0 ? KIR_ROW : KIR_FULL) : p->partition.level[i];
}

static inline void check_conflict(const hdi_chunk *c, const planned *p, int i, int j, int k, int m)
{
    const hdi_record *a = c->record[i], *b = c->record[m];
    const hdi_partition *part = &p->partition;
    if (a->operand[j].buf != b->operand[k].buf || !bytes_conflict(&a->operand[j], &b->operand[k]))
        return;
    CHECK(part->where[i] <= part->where[m]);
    if (part->where[i] != part->where[m])
        return;
    CHECK(maps_agree(a, j, b, k));
    int first = level_of(p, a, i, j), second = level_of(p, b, m, k);
    if (first == second) {
        CHECK(first == KIR_ROW || (a->operand[j].lay->zmask == 0 && b->operand[k].lay->zmask == 0));
    /* a ROW value read at FULL level: in a later phase, repeated along the reduced axes */
    } else {
        CHECK(first == KIR_ROW && second == KIR_FULL && j == 0 && k > 0);
        CHECK(part->phase[m] > part->phase[i]);
        CHECK(b->operand[k].lay->zmask == part->group[part->where[i]].sqaxes);
    }
}

/* Every pair of conflicting accesses is in order, and within one kernel under one index map;
 * library calls are alone. */
static inline void check_legal(const hdi_chunk *c, const planned *p)
{
    const hdi_partition *part = &p->partition;
    int members = 0;
    for (int m = 0; m < c->n; m++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j <= c->record[i]->nin; j++)
                for (int k = 0; k <= c->record[m]->nin; k++)
                    if ((j == 0 || k == 0) && c->record[i]->kind[j] == HDI_ARRAY &&
                        c->record[m]->kind[k] == HDI_ARRAY)
                        check_conflict(c, p, i, j, k, m);
    for (int g = 0; g < part->ngroups; g++) {
        const hdi_group *group = &part->group[g];
        members += group->n;
        CHECK(group->n > 0 &&
              (!group->library ||
               group->n == hdi_record_slots(c->record[group->record[0]])));
        for (int m = 0; m < group->n; m++) {
            const hdi_record *r = c->record[group->record[m]], *f = c->record[group->record[0]];
            CHECK_EQ_I64(part->where[group->record[m]], g);
            CHECK(m == 0 || group->record[m] > group->record[m - 1]);
            CHECK(r->cls == HDI_MORE || (r->cls == 'x') == group->library);
            CHECK(r->cls != HDI_MORE || group->record[m] == group->record[m - 1] + 1);
            if (part->level[group->record[m]] == KIR_FULL || r->cls == 'r')
                CHECK(r->domain->shape == f->domain->shape ||
                      part->level[group->record[0]] == KIR_ROW);
        }
    }
    CHECK_EQ_I64(members, c->n);
}

#endif
