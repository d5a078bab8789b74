/* SPDX-License-Identifier: BSD-3-Clause */
/* overlap.c - where two views of one buffer meet, and whether one lies within the other.
 *
 * Both questions go from the largest stride to the smallest. At stride p a view is so many rows, p
 * bytes apart, of the same inner view: the axes with smaller strides, which spans some bytes. Rows,
 * columns and blocks of one matrix are then told apart by one division or two. */
#include "core/layout.h"

/* Spans beyond it could overflow sums of a few of them: only of arrays that are never stored. */
#define LARGEST ((int64_t)1 << 59)
enum { MOST_FORKS = 4 };

/* What is left of a view: axes whose strides are below the one looked at last. */
typedef struct rest {
    const hdi_layout *l;
    int64_t span;   /* from the lowest to the highest element, in bytes */
} rest;

static inline int64_t largest_stride(const hdi_layout *l, int64_t below)
{
    int64_t p = 0;
    for (int a = 0; a < l->nsq; a++) {
        int64_t s = hdi_abs64(l->sqstrides[a]);
        if (s < below && s > p)
            p = s;
    }
    return p;
}

static inline int64_t largest_of(const rest *a, const rest *b, int64_t below)
{
    return hdi_max64(largest_stride(a->l, below), largest_stride(b->l, below));
}

/* Steps of p from the first row to the last one, which then leave x's span: of the axes with
 * strides from p up to `below`. -1 if one of these is no multiple of p. */
static inline int64_t take_rows(rest *x, int64_t p, int64_t below)
{
    int64_t steps = 0;
    for (int a = 0; a < x->l->nsq; a++) {
        int64_t s = hdi_abs64(x->l->sqstrides[a]);
        if (s == p)
            steps += x->l->sqdims[a] - 1;
        else if (s > p && s < below && s % p != 0)
            return -1;
        else if (s > p && s < below)
            steps += (x->l->sqdims[a] - 1) * (s / p);
    }
    x->span -= steps * p;
    return steps;
}

static inline int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Elements start d apart modulo the gcd of all strides; bytes [0, a) and [d, d + b) meet modulo it
 * unless the gap fits both. */
static bool meet_modulo(const hdi_layout *a, const hdi_layout *b, int64_t d)
{
    int64_t g = hdi_gcd64(a->gcd, b->gcd);
    if (g == 0)
        return true;
    d %= g;
    if (d < 0)
        d += g;
    return !(d >= a->item && g - d >= b->item);
}

/* Row i of b and row j of a, whose lowest rows are d apart: which steps i - j bring the inner views
 * together? From *first to *last. */
static void find_steps(const rest *a, int64_t down, const rest *b, int64_t up, int64_t d, int64_t p,
                       int64_t *first, int64_t *last)
{
    /* these begin less than `ahead` after a's, and less than `behind` before */
    int64_t ahead = a->span + a->l->item, behind = b->span + b->l->item;
    *first = *last = floor_div(ahead - 1 - d, p);
    if (ahead + behind - 1 > p)
        *first = -floor_div(behind - 1 + d, p);
    else if (d + *last * p <= -behind)
        *first = *last + 1;
    *first = hdi_max64(*first, -down);
    *last = hdi_min64(*last, up);
}

/* The lowest element of b lies d bytes after the lowest one of a. `forks`: how often two pairs of
 * rows may be looked at. */
static bool meet(rest a, rest b, int64_t d, int64_t below, int forks)
{
    while (d < a.span + a.l->item && -d < b.span + b.l->item) {
        int64_t p = largest_of(&a, &b, below), first = 0, last = INT64_MAX;
        if (p == 0)
            return true;
        rest inner_a = a, inner_b = b;
        for (;; p = largest_of(&a, &b, p)) {
            if (p == 0)
                return meet_modulo(a.l, b.l, d);
            inner_a = a;
            inner_b = b;
            int64_t down = take_rows(&inner_a, p, below), up = take_rows(&inner_b, p, below);
            if (down >= 0 && up >= 0)
                find_steps(&inner_a, down, &inner_b, up, d, p, &first, &last);
            if (last <= first + (forks > 0))
                break;
            /* The inner views are longer than p: it may be a multiple of the stride from row to
             * row, as in m[::2]. */
        }
        if (last > first && meet(inner_a, inner_b, d + last * p, p, --forks))
            return true;
        if (first > last)
            return false;
        a = inner_a;
        b = inner_b;
        d += first * p;
        below = p;
    }
    return false;
}

bool hdi_overlap_within(const hdi_layout *a, int64_t ao, const hdi_layout *b, int64_t bo)
{
    if (HDI_UNLIKELY(a->hi - a->lo > LARGEST || b->hi - b->lo > LARGEST))
        return meet_modulo(a, b, bo - ao);
    return meet((rest){a, a->hi - a->lo}, (rest){b, b->hi - b->lo}, bo + b->lo - (ao + a->lo),
                INT64_MAX, MOST_FORKS);
}

bool hdi_contains(const hdi_layout *a, int64_t ao, const hdi_layout *b, int64_t bo)
{
    int64_t d = bo + b->lo - (ao + a->lo), below = INT64_MAX;
    if (a->size == 0 || b->size == 0 || a->hi - a->lo > LARGEST || b->hi - b->lo > LARGEST)
        return b->size == 0;
    rest outer = {a, a->hi - a->lo}, inner = {b, b->hi - b->lo};
    while (d >= 0 && d + inner.span + b->item <= outer.span + a->item) {
        int64_t p = largest_stride(a, below);
        if (p <= a->item || (below == INT64_MAX && a->dense))
            return true;   /* what is left of a has no gaps */
        int64_t rows = take_rows(&outer, p, below), steps = take_rows(&inner, p, below);
        if (steps < 0 || d / p + steps > rows)
            return false;
        d %= p;
        below = p;
    }
    return false;
}
