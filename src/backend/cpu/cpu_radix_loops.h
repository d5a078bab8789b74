/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_radix_loops.h - the loops of cpu_radix.c for one type of element: T is the type, KEY(v) what
 * it is sorted by, NAME(f) the name of its function f. Included once for each type. */

enum { NAME(LINE) = 64 / sizeof(T) };

/* Up to which place is it in order? */
static int64_t NAME(ascending)(const void *x, int64_t n)
{
    const T *v = x;
    int64_t i = 1;
    while (i < n && KEY(v[i - 1]) <= KEY(v[i]))
        i++;
    return i;
}

/* The bits in which elements differ from first. */
static uint64_t NAME(differ)(const void *x, int64_t n, const void *first)
{
    const T *v = x, one = *(const T *)first;
    uint64_t bits = 0;
    for (int64_t i = 0; i < n; i++)
        bits |= (uint64_t)(KEY(v[i]) ^ KEY(one));
    return bits;
}

/* ---- one pass over much memory: 8 bits ------------------------------------------------------- */

static void NAME(count)(const void *x, int64_t n, int shift, int64_t *count)
{
    const T *from = x;
    for (int64_t i = 0; i < n; i++)
        count[KEY(from[i]) >> shift & 255]++;
}

/* Elements gather by value in lines of the cache, which go to memory whole: dealt one by one, the
 * values' places evict each other. at: the place of each value's next element. */
static void NAME(deal)(const void *x, void *y, int64_t n, int shift, int64_t *at)
{
    T line[256][NAME(LINE)] __attribute__((aligned(64)));
    int64_t first[256];
    const T *from = x;
    const int64_t skew = (int64_t)((uintptr_t)y % 64 / sizeof(T)), mask = NAME(LINE) - 1;
    T *to = (T *)y - skew;
    for (int v = 0; v < 256; v++)
        first[v] = at[v] += skew;
    for (int64_t i = 0; i < n; i++) {
        const T new = from[i];
        const unsigned v = (unsigned)(KEY(new) >> shift & 255);
        const int64_t place = at[v]++;
        line[v][place & mask] = new;
        if ((place & mask) != mask)
            continue;
        if (place - mask >= first[v])
            line_to_memory(to + place - mask, line[v]);
        else
            memcpy(to + first[v], &line[v][first[v] & mask],
                   sizeof new * (size_t)(place + 1 - first[v]));
    }
    for (int v = 0; v < 256; v++) {
        const int64_t start = hdi_max64(at[v] & ~mask, first[v]);
        memcpy(to + start, &line[v][start & mask], sizeof(T) * (size_t)(at[v] - start));
        at[v] -= skew;
    }
    lines_are_written();
}

/* ---- what fits the cache --------------------------------------------------------------------- */

static void NAME(insert)(T *v, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const T new = v[i];
        int64_t j = i;
        for (; j > 0 && KEY(v[j - 1]) > KEY(new); j--)
            v[j] = v[j - 1];
        v[j] = new;
    }
}

/* from[0..middle) and from[middle..n), both sorted, to one: without branches but for the ends. */
static void NAME(merge)(const T *from, T *to, int64_t middle, int64_t n)
{
    int64_t i = 0, j = middle, k = 0;
    while (i < middle && j < n) {
        const bool right = KEY(from[j]) < KEY(from[i]);
        to[k++] = from[right ? j : i];
        i += !right;
        j += right;
    }
    memcpy(to + k, from + i, sizeof *to * (size_t)(middle - i));
    k += middle - i;
    memcpy(to + k, from + j, sizeof *to * (size_t)(n - j));
}

/* Runs sorted by insertion, then merged: few elements, whose counts would cost more than they. */
static void NAME(small)(void *x, void *y, int64_t n)
{
    T *from = x, *to = y;
    int64_t run = n <= 2 * RUN ? n : RUN;
    for (int64_t i = 0; i < n; i += run)
        NAME(insert)(from + i, hdi_min64(run, n - i));
    for (; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run)
            NAME(merge)(from + i, to + i, hdi_min64(run, n - i), hdi_min64(2 * run, n - i));
        T *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != x)
        memcpy(x, from, sizeof(T) * (size_t)n);
}

/* Counts of two digits, the lower one first, to places. False for a digit that is the same
 * everywhere. */
static void NAME(two_counts)(const T *x, int64_t n, int shift, int width,
                             uint32_t (*at)[1 << DIGIT], bool *varies)
{
    const uint64_t mask = ((uint64_t)1 << width) - 1;
    memset(at[0], 0, sizeof at[0][0] << width);
    memset(at[1], 0, sizeof at[1][0] << width);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t key = (uint64_t)KEY(x[i]) >> shift;
        at[0][key & mask]++;
        at[1][key >> width & mask]++;
    }
    for (int d = 0; d < 2; d++) {
        uint32_t place = 0;
        varies[d] = true;
        for (uint64_t v = 0; v <= mask; v++) {
            const uint32_t here = at[d][v];
            at[d][v] = place;
            place += here;
            varies[d] = varies[d] && here != (uint32_t)n;
        }
    }
}

static void NAME(deal_near)(const T *from, T *to, int64_t n, int shift, int width, uint32_t *at)
{
    const uint64_t mask = ((uint64_t)1 << width) - 1;
    for (int64_t i = 0; i < n; i++)
        to[at[(uint64_t)KEY(from[i]) >> shift & mask]++] = from[i];
}

/* Sorts x, n < 2^32, by bits [low, high): by the highest two digits, from the lower to the upper
 * one; what agrees in them, seldom much, once more by the bits below. */
static void NAME(near)(void *memory, void *spare, int64_t n, int low, int high)
{
    uint32_t at[2][1 << DIGIT];
    bool varies[2];
    T *x = memory, *y = spare;
    const uint64_t bits = n > SMALL && high > low ? NAME(differ)(x, n, x) >> low << low : 1;
    if (n <= SMALL || high <= low || bits == 0) {
        if (n > 1 && high > low && bits != 0)
            NAME(small)(x, y, n);
        return;
    }
    high = (int)hdi_min64(high, 64 - __builtin_clzll(bits));
    low = (int)hdi_max64(low, __builtin_ctzll(bits));
    const int most = n < 1 << DIGIT ? 8 : DIGIT, taken = (int)hdi_min64(high - low, 2 * most);
    const int width = (taken + 1) / 2, shift = high - taken;
    NAME(two_counts)(x, n, shift, width, at, varies);
    T *from = x, *to = y;
    for (int d = 0; d < 2; d++) {
        if (!varies[d])
            continue;
        NAME(deal_near)(from, to, n, shift + d * width, width, at[d]);
        T *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != x)
        memcpy(x, from, sizeof *x * (size_t)n);
    if (shift <= low)
        return;
    for (int64_t i = 0, end; i < n; i = end) {
        const uint64_t key = (uint64_t)KEY(x[i]) >> shift;
        for (end = i + 1; end < n && (uint64_t)KEY(x[end]) >> shift == key; end++)
            ;
        if (end - i > 1)
            NAME(near)(x + i, y + i, end - i, low, shift);
    }
}

#undef T
#undef KEY
#undef NAME
