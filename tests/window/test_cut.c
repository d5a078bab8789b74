/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cut.c - where a full window is cut: the rule of docs/design/window.md against a plain
 * reading of it, over made-up records. */
#include "window/inspect.h"

enum { MOST = HDI_WINDOW_MAX, BUFFERS = 60 };

static hdi_record record[MOST];
static hdi_buf buffer[BUFFERS];
static hdi_chunk chunk;

static void make_random(int n, int nbuffers, int held_of_ten)
{
    memset(buffer, 0, sizeof buffer);
    memset(record, 0, sizeof record);
    for (int b = 0; b < nbuffers; b++)
        buffer[b].held = t_below(10) < held_of_ten;
    chunk.n = n;
    for (int i = 0; i < n; i++) {
        hdi_record *r = chunk.record[i] = &record[i];
        r->nin = (uint8_t)t_between(1, 3);
        r->hash = (uint32_t)t_below(4);   /* few kinds: ties happen */
        for (int k = 0; k <= r->nin; k++) {
            r->kind[k] = k > 0 && t_below(5) == 0 ? HDI_SCALAR : HDI_ARRAY;
            /* mostly near neighbours, so that lives are of different lengths */
            int64_t near = (int64_t)i * nbuffers / n + t_between(-4, 4);
            int64_t b = t_below(4) ? near : t_below(nbuffers);
            r->operand[k].buf = &buffer[b < 0 ? 0 : b >= nbuffers ? nbuffers - 1 : b];
        }
    }
}

static bool touches(const hdi_record *r, const hdi_buf *b, bool writes_only)
{
    for (int k = 0; k <= (writes_only ? 0 : r->nin); k++)
        if (r->kind[k] == HDI_ARRAY && r->operand[k].buf == b)
            return true;
    return false;
}

/* Generations nobody holds that are first written before the cut and used after it. */
static int crossing(int cut)
{
    int count = 0;
    for (int b = 0; b < BUFFERS; b++) {
        bool written = false, used = false;
        for (int i = 0; i < cut; i++)
            written |= touches(&record[i], &buffer[b], true);
        for (int i = cut; i < chunk.n; i++)
            used |= touches(&record[i], &buffer[b], false);
        count += written && used && !buffer[b].held;
    }
    return count;
}

static uint64_t context(int cut)
{
    uint64_t h = 0;
    for (int i = cut - 4; i < cut + 4; i++)
        h = h * 0x9E3779B97F4A7C15u + (i >= 0 && i < chunk.n ? record[i].hash : 0);
    return h ^ h >> 29;
}

static int cut_by_hand(int lo, int hi)
{
    int best = lo;
    for (int c = lo + 1; c <= hi; c++) {
        int x = crossing(c), y = crossing(best);
        uint64_t cx = lo > 1 ? context(c) : 0, cy = lo > 1 ? context(best) : 0;
        if (x < y || (x == y && cx <= cy))
            best = c;
    }
    return best;
}

TEST(cut, equals_brute_force)
{
    int places[MOST + 1] = {0}, different = 0;
    for (int repeat = 0; repeat < 300; repeat++) {
        int n = (int)t_between(130, MOST);
        make_random(n, (int)t_between(10, BUFFERS), (int)t_below(6));
        hdi_lock();
        int got = hdi_window_cut(&chunk, HDI_CUT_LO, HDI_CUT_HI);
        hdi_unlock();
        CHECK_EQ_I64(got, cut_by_hand(HDI_CUT_LO, HDI_CUT_HI));
        CHECK(got >= HDI_CUT_LO && got <= HDI_CUT_HI);
        different += places[got]++ == 0;
    }
    CHECK(different > 20);   /* the rule moved about */
}

TEST(cut, of_short_and_whole_windows)
{
    for (int repeat = 0; repeat < 200; repeat++) {
        int n = (int)t_between(1, 40);
        make_random(n, 10, 3);
        hdi_lock();
        int all = hdi_window_cut(&chunk, 1, n), one = hdi_window_cut(&chunk, 1, 1);
        hdi_unlock();
        CHECK_EQ_I64(all, cut_by_hand(1, n));
        /* nothing crosses the end: memory is wanted back, so everything runs */
        CHECK_EQ_I64(all, n);
        CHECK_EQ_I64(one, 1);
    }
}

/* ---- real windows ---------------------------------------------------------------------------- */

/* A body of 9 records: every cut inside it would store something; the window is cut between
 * bodies, wherever it was filled from. */
TEST(cut, falls_between_the_bodies_of_a_loop)
{
    hd_device *dev = begin_null();
    for (int offset = 0; offset < 9; offset++) {
        hd_array *x = t_ready(SHAPE(32), HD_FLOAT64);
        for (int k = 0; k < offset; k++)
            hd_inplace(HD_OP_add, x, x);
        hd_stats before = t_stats(dev);
        int64_t sizes = 0;
        for (int body = 0; body < 60; body++) {
            int scope = hd_scope_begin();
            hd_array *y = x;
            for (int k = 0; k < 8; k++)
                y = k % 2 ? hd_exp(y) : hd_negative(y);
            hd_array *next = hd_add(y, x);
            hd_keep(next);
            hd_scope_end(scope, NULL);
            hd_release(x);
            x = next;
        }
        hd_stats after = t_stats(dev);
        sizes = after.kernel_ops - before.kernel_ops;
        CHECK(after.flushes - before.flushes >= 3);
        CHECK_EQ_I64((sizes - offset) % 9, 0);
        hd_release(x);
        CHECK(hd_synchronize(dev) == HD_OK);
    }
}
