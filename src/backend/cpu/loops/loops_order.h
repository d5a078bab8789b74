/* SPDX-License-Identifier: BSD-3-Clause */
/* loops_order.h - putting unsigned words in order: vectors are split by a threshold down to what
 * registers sort.
 * Wants      T, LANES, NAME, vec; LOAD, STORE, and of the first n lanes LOAD_FIRST, STORE_FIRST;
 *            LOWER, UPPER (of two vectors, lane by lane), BELOW (which lanes are less than a
 *            threshold), PARTED (those first), TURNED (lanes in reverse), SMOOTH (what
 *            rises and then falls in each of two), TRANSPOSE (of LANES vectors)
 * Invariant  vectors in registers have their bits as STORE's and LOAD's macros say, those of
 *            BELOW and PARTED as memory has them */

#define own(f) HDI_CAT(NAME, f)
/* Words that so many vectors sort: 8 of them, or 16. */
#define FEW (8 * LANES)
#define LEAF (16 * LANES)

#define EXCHANGE(a, b)                    \
    do {                                  \
        const vec lower_ = LOWER(a, b);   \
        b = UPPER(a, b);                  \
        a = lower_;                       \
    } while (0)

#define EXCHANGE_AT(i, j) EXCHANGE(v[i], v[j]);

/* Each column of 8 or 16 vectors, by a network of exchanges, and then the columns
 * side by side as rows of count / LANES vectors. */
HDI_INLINE void own(columns)(vec *v, int count)
{
    if (count == 8) {
        ORDER8(EXCHANGE_AT)
    } else {
        ORDER16(EXCHANGE_AT)
    }
    vec turned[16];
    HDI_WHOLE
    for (int i = 0; i < count; i += LANES)
        TRANSPOSE(v + i);
    HDI_WHOLE
    for (int i = 0; i < count; i++)
        turned[i % LANES * (count / LANES) + i / LANES] = v[i];
    HDI_WHOLE
    for (int i = 0; i < count; i++)
        v[i] = turned[i];
}

/* Each of `count` vectors with the one so far apart, in groups of twice as many. */
HDI_INLINE void own(exchange)(vec *v, int count, int apart)
{
    HDI_WHOLE
    for (int i = 0; i < count; i++)
        if ((i & apart) == 0)
            EXCHANGE(v[i], v[i + apart]);
}

/* Two runs of `run` vectors to one. */
HDI_INLINE void own(merge)(vec *v, int run)
{
    HDI_WHOLE
    for (int i = 0; i < run / 2; i++) {
        const vec turned = TURNED(v[run + i]);
        v[run + i] = TURNED(v[2 * run - 1 - i]);
        v[2 * run - 1 - i] = turned;
    }
    if (run == 1)
        v[1] = TURNED(v[1]);
    HDI_WHOLE
    for (int i = 0; i < run; i++)
        EXCHANGE(v[i], v[run + i]);
    if (run > 4)
        own(exchange)(v, 2 * run, 4);
    if (run > 2)
        own(exchange)(v, 2 * run, 2);
    if (run > 1)
        own(exchange)(v, 2 * run, 1);
    HDI_WHOLE
    for (int i = 0; i < 2 * run; i += 2)
        SMOOTH(v[i], v[i + 1]);
}

HDI_INLINE void own(merge_runs)(vec *v, int run, int count)
{
    HDI_WHOLE
    for (int i = 0; i < count; i += 2 * run)
        own(merge)(v + i, run);
}

/* n <= count * LANES words; what is not there counts as the largest of all. */
HDI_INLINE void own(registers)(const T *from, T *to, int64_t n, int count)
{
    vec v[16];
    HDI_WHOLE
    for (int i = 0; i < count; i++)
        v[i] = (i + 1) * LANES <= n ? LOAD(from + i * LANES)
                                    : LOAD_FIRST(from + i * LANES, n - i * LANES);
    own(columns)(v, count);
    if (count == LANES)
        own(merge_runs)(v, 1, count);
    if (count <= 2 * LANES)
        own(merge_runs)(v, 2, count);
    own(merge_runs)(v, 4, count);
    if (count == 16)
        own(merge_runs)(v, 8, count);
    HDI_WHOLE
    for (int i = 0; i < count; i++) {
        if ((i + 1) * LANES <= n)
            STORE(to + i * LANES, v[i]);
        else if (i * LANES < n)      /* a store of no lanes takes long all the same */
            STORE_FIRST(to + i * LANES, v[i], n - i * LANES);
    }
}

static __attribute__((noinline)) void own(few)(const T *from, T *to, int64_t n)
{
    own(registers)(from, to, n, 8);
}

static __attribute__((noinline)) void own(leaf)(const T *from, T *to, int64_t n)
{
    own(registers)(from, to, n, 16);
}

/* At most LANES rows of n <= count words, in the columns of `count` vectors: lane r of vector k is
 * word k of row r. Stores of whole vectors reach into the next row, which is stored after them. */
HDI_INLINE void own(side_by_side)(const T *from, T *to, int64_t rows, int64_t n, int count)
{
    vec v[16];
    HDI_WHOLE
    for (int i = 0; i < count; i++) {
        const int64_t row = hdi_min64(i % LANES, rows - 1), first = i / LANES * LANES;
        v[i] = LOAD_FIRST(from + row * n + first, n - first);
    }
    HDI_WHOLE
    for (int i = 0; i < count; i += LANES)
        TRANSPOSE(v + i);
    if (count == 8) {
        ORDER8(EXCHANGE_AT)
    } else {
        ORDER16(EXCHANGE_AT)
    }
    HDI_WHOLE
    for (int i = 0; i < count; i += LANES)
        TRANSPOSE(v + i);
    HDI_WHOLE
    for (int row = 0; row < LANES; row++)
        for (int i = row; row < rows && i < count; i += LANES)
            STORE(to + row * n + i - row, v[i]);
}

static void own(rows)(const void *words, void *ordered, int64_t rows, int64_t n)
{
    const T *from = words;
    T *to = ordered;
    for (int64_t i = 0; i < rows; i += LANES) {
        if (n <= 8)
            own(side_by_side)(from + i * n, to + i * n, hdi_min64(LANES, rows - i), n, 8);
        else
            own(side_by_side)(from + i * n, to + i * n, hdi_min64(LANES, rows - i), n, 16);
    }
}

/* What of `from` is less than `least` goes to the beginning of `to`, the rest to its end. A vector
 * is written to both ends: what does not belong there is overwritten later. That leaves what is
 * already there alone if the room between is a number of vectors: hence the odd words first.
 * Returns how many are at the beginning. */
static int64_t own(split)(const void *words, void *to, int64_t n, uint64_t least)
{
    const T *from = words;
    T *low = to, *high = low + n;
    const vec threshold = THRESHOLD(least);
    int64_t i = 0;
    for (; i < n % LANES; i++) {
        const T v = from[i];
        const bool below = v < (T)least;
        *low = v;
        high[-1] = v;
        low += below;
        high -= !below;
    }
    HDI_ORDER_UNROLL
    for (; i < n; i += LANES) {
        const vec v = *(const own(loose) *)(from + i);
        const uint64_t below = BELOW(v, threshold);
        const int64_t many = __builtin_popcountll(below);
        const vec parted = PARTED(v, below);
        *(own(loose) *)low = parted;
        *(own(loose) *)(high - LANES) = parted;
        low += many;
        high += many - LANES;
    }
    return low - (T *)to;
}

static int64_t own(below)(const void *words, int64_t n, uint64_t least)
{
    const T *x = words, top = (T)least;
    T many = 0;
    for (int64_t i = 0; i < n; i++)
        many += x[i] < top;
    return (int64_t)many;
}

/* About the middle of n > LEAF words: of many of them, of some that lie evenly; of fewer, the
 * middle of three lanes of the middle of five vectors. */
static T own(middle)(const T *x, int64_t n)
{
    T some[FEW];
    if (n > MANY) {
        const int64_t step = n / FEW;
        for (int64_t i = 0; i < FEW; i++)
            some[i] = x[i * step + step / 2];
        own(few)(some, some, FEW);
        return some[FEW / 2];
    }
    const int64_t step = (n - LANES) / 4;
    vec a = LOAD(x), b = LOAD(x + step), c = LOAD(x + 2 * step), d = LOAD(x + 3 * step),
        e = LOAD(x + n - LANES);
    EXCHANGE(a, b);
    EXCHANGE(d, e);
    a = UPPER(a, d);             /* the least and the greatest of the four are out */
    b = LOWER(b, e);
    EXCHANGE(a, b);
    STORE(some, UPPER(a, LOWER(b, c)));
    const T low = some[0] < some[1] ? some[0] : some[1],
            high = some[0] < some[1] ? some[1] : some[0], more = some[2];
    return more < low ? low : more > high ? high : more;
}

/* Every step halves the words, more or less. One that does not, and there is a bounded number of
 * them, is followed in the end by steps that halve what the words can be. */
static void own(order)(hdi_order o)
{
    int patience = 64 - __builtin_clzll((uint64_t)o.n | 1);
    while (o.n > LEAF) {
        T *x = o.x, *y = o.y;
        if (o.low == o.high || (o.rank != NULL && o.ranks == 0)) {
            if (o.to_y)
                memcpy(y, x, (size_t)o.n * sizeof(T));
            return;
        }
        const uint64_t middle = own(middle)(x, o.n),
                       least = patience < 0 ? o.low + (o.high - o.low) / 2 + 1
                                            : middle + (middle == o.low);
        const int64_t m = own(split)(x, y, o.n, least);
        patience -= hdi_min64(m, o.n - m) < o.n / 8;
        int64_t k = 0;
        while (k < o.ranks && o.rank[k] < o.first + m)
            k++;
        const hdi_order part[2] = {
            {y, x, m, !o.to_y, o.low, least - 1, o.rank, k, o.first},
            {y + m, x + m, o.n - m, !o.to_y, least, o.high, o.rank != NULL ? o.rank + k : NULL,
             o.ranks - k, o.first + m}};
        const bool second = m < o.n - m;
        own(order)(part[!second]);
        o = part[second];
    }
    if (o.n > FEW)
        own(leaf)(o.x, o.to_y ? o.y : o.x, o.n);
    else if (o.n > 0)
        own(few)(o.x, o.to_y ? o.y : o.x, o.n);
}

const hdi_order_loops HDI_SYM3(order, loops, DTYPE) = {own(order), own(rows), own(split),
                                                       own(below)};

#undef own
#undef FEW
#undef LEAF
#undef EXCHANGE
#undef EXCHANGE_AT
