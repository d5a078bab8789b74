/* SPDX-License-Identifier: BSD-3-Clause */
/* scan_on_host.cu - kernels of running results, compiled for the host, against results made in order: products of
 * ordinary, huge, tiny and subnormal numbers, zeros, inf and nan, and extremes of zeros with either sign, in short lines
 * and in such that are cut. Run by test_cuda_scan.py. */
#include "cuda/on_host.cuh"

#include <stdio.h>

#include <complex>
#include <limits>
#include <vector>

#include "backend/cuda/cub/cub_product.cuh"

using namespace hdi;

static double uniform() { return (draw(1u << 30) + 0.5) / (1u << 30); }

/* ---- elements -------------------------------------------------------------------------------- */

enum { POWERS, NEAR_ONE, WILD, FALLING, RISING, SWINGING, KINDS };

/* Powers of two have exact products: those are the same to the bit. */
template <typename R> static R ordinary(int kind, int64_t i)
{
    const int bits = std::numeric_limits<R>::max_exponent;
    const double sign = draw(2) ? 1 : -1;
    switch (kind) {
    case POWERS: return static_cast<R>(sign * ldexp(1, static_cast<int>(draw(9)) - 4));
    case NEAR_ONE: return static_cast<R>(sign * exp(0.02 * (uniform() - 0.5)));
    case WILD: return static_cast<R>(sign * exp2((uniform() - 0.5) * bits));
    case FALLING: return static_cast<R>(sign * exp2(-uniform() * bits / 64));
    case RISING: return static_cast<R>(sign * exp2(uniform() * bits / 64));
    default: return static_cast<R>(sign * exp2((i / 300 % 2 ? 1 : -1) * bits / 350.0 * (0.9 + 0.2 * uniform())));
    }
}

enum { LARGE_ODD = 7, ALL_ODD = 10 };
template <typename R> static R special(uint32_t of)
{
    using limits = std::numeric_limits<R>;
    const R all[ALL_ODD] = {0, -static_cast<R>(0), limits::infinity(), -limits::infinity(), limits::quiet_NaN(), limits::max(),
                            -limits::max(), limits::min(), limits::denorm_min(), -8 * limits::denorm_min()};
    return all[draw(of)];
}

template <typename R> struct element {
    static R of(int kind, int64_t i) { return ordinary<R>(kind, i); }
    static R odd() { return special<R>(ALL_ODD); }
};
template <typename R> struct element<complex_number<R>> {
    static complex_number<R> of(int kind, int64_t i)
    {
        const R size = ordinary<R>(kind, i);
        const double turn = uniform() * 6.28;
        if (kind == POWERS)
            return draw(2) ? complex_number<R>{size, 0} : complex_number<R>{0, size};
        return {static_cast<R>(size * cos(turn)), static_cast<R>(size * sin(turn))};
    }
    static complex_number<R> odd()   /* a subnormal part beside an ordinary one may be lost */
    {
        return {special<R>(LARGE_ODD), draw(2) ? special<R>(LARGE_ODD) : static_cast<R>(1)};
    }
};

/* ---- what is as it should be ----------------------------------------------------------------- */

template <typename R> static bool same_kind(R a, R b)
{
    if (a != a || b != b)
        return a != a && b != b;
    if (isinf(a) || isinf(b) || a == 0 || b == 0)
        return a == b && signbit(a) == signbit(b);
    return signbit(a) == signbit(b);
}

/* How far results may be from those in order, as a part of their size: each step rounds both, and what is subnormal
 * keeps what it lost. */
static double allowed;

template <typename R> static bool close_to(R a, R b, R size)
{
    return fabs(static_cast<double>(a) - b) <= allowed * size + 2 * std::numeric_limits<R>::denorm_min();
}

template <typename R> static void allow_step(R size)
{
    using limits = std::numeric_limits<R>;
    if (size - size == 0 && size != 0)
        allowed += 4 * static_cast<double>(limits::epsilon()) + static_cast<double>(limits::denorm_min() / size);
}

template <typename R> static bool same(R a, R b, bool exact)
{
    if (exact)
        return a == b ? signbit(a) == signbit(b) : a != a && b != b;
    allow_step<R>(fabs(b));
    return same_kind(a, b) && (b - b != 0 || close_to<R>(a, b, fabs(b)));
}

/* A part that is 0 may have any sign: it is a sum of two products, or of one and a zero. */
template <typename R> static bool same_part(R a, R b) { return (a == 0 && b == 0) || same_kind(a, b); }

template <typename R> static bool same(complex_number<R> a, complex_number<R> b, bool exact)
{
    const R size = fabs(b.re) + fabs(b.im);
    if (exact)
        return (a.re == b.re || (a.re != a.re && b.re != b.re)) && (a.im == b.im || (a.im != a.im && b.im != b.im));
    allow_step<R>(size);
    if (size - size != 0 || size == 0)
        return same_part(a.re, b.re) && same_part(a.im, b.im);
    return close_to(a.re, b.re, size) && close_to(a.im, b.im, size);
}

template <typename R> static void show(R x) { printf(" %.9g", static_cast<double>(x)); }
template <typename R> static void show(complex_number<R> z) { show(z.re), show(z.im); }

/* ---- lines ----------------------------------------------------------------------------------- */

static long long tried;

using scan_function = int(const hdi_cub_call *, pieces, size_t *, cudaStream_t);

/* In order, by op. */
template <typename T, typename Op>
static bool run(scan_function *scan, Op op, const std::vector<T> &in, int64_t lines, int64_t n, bool exact,
                const char *what)
{
    hdi_cub_call c = {};
    std::vector<T> out(in.size());
    size_t bytes = 0;
    c.in = in.data();
    c.out = out.data();
    c.lines = lines;
    c.n = n;
    c.dt = c.out_dt = c.cdt = numbers<T>::native;
    scan(&c, {nullptr}, &bytes, nullptr);
    std::vector<char> scratch(bytes + 1, 0x55);
    if (scan(&c, {scratch.data()}, &bytes, nullptr) != 0)
        return printf("%s: not done\n", what), false;
    for (int64_t line = 0; line < lines; line++) {
        allowed = 0;
        for (int64_t i = 0; i < n; i++) {
            static T want;
            const int64_t at = line * n + i;
            want = i == 0 ? in[at] : op(want, in[at]);
            tried++;
            if (same(out[at], want, exact))
                continue;
            printf("%s: result %lld of %lld in line %lld is", what, (long long)i, (long long)n, (long long)line);
            show(out[at]), printf(", not"), show(want), printf("\n");
            return false;
        }
    }
    return true;
}

template <typename T> static bool random_lines(const char *what, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        const int kind = static_cast<int>(draw(KINDS));
        const int64_t n = draw(3) == 0 ? 1 + draw(80) : draw(2) == 0 ? 1024 + draw(4000) : 1 + draw(1023);
        const int64_t lines = 1 + draw(3);
        const uint32_t odd = draw(2) == 0 ? 0 : 1 + draw(4);   /* of a line, about */
        std::vector<T> in;
        for (int64_t i = 0; i < lines * n; i++)
            in.push_back(odd > 0 && draw(static_cast<uint32_t>(n)) < odd ? element<T>::odd() : element<T>::of(kind, i));
        char text[80];
        snprintf(text, sizeof text, "%s, round %d, kind %d", what, round, kind);
        if (!run(scan_products<T>, op_multiply(), in, lines, n, kind == POWERS && odd == 0, text))
            return false;
    }
    return true;
}

/* What is said of these in docs/design/sort.md. */
template <typename R> static bool known_lines(const char *what)
{
    using limits = std::numeric_limits<R>;
    const R huge = limits::max() / 4, tiny = limits::min() * 4, inf = limits::infinity();
    const R begins[][4] = {
        {0, huge, huge, huge}, {-1, 0, huge, huge}, {huge, huge, tiny, tiny}, {tiny, tiny, huge, huge},
        {-huge, huge, tiny, 0}, {tiny, static_cast<R>(0.01), 1024, 1}, {inf, -1, 0, 1}, {0, -1, inf, 1}, {huge, tiny, huge, tiny},
    };
    for (const R(&begin)[4] : begins)
        for (const int64_t n : {4, 70, 900, 1024, 3000})
            for (const int64_t at : {int64_t(0), int64_t(3), n / 2, n - 4}) {
                std::vector<R> in(static_cast<size_t>(n), 1);
                for (int k = 0; k < 4; k++)
                    in[static_cast<size_t>(std::min(at, n - 4) + k)] = begin[k];
                if (!run(scan_products<R>, op_multiply(), in, 1, n, true, what))
                    return false;
            }
    return true;
}

/* Zeros, and now and then one of the others, all of one sign: the extreme is 0 if there is a zero. */
template <typename R, typename Op> static bool zeros(Op op, R other, const char *what, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        const int64_t n = draw(2) ? 1 + draw(200) : 1024 + draw(4000);
        const uint32_t rare = 1 + draw(700);
        std::vector<R> in;
        for (int64_t i = 0; i < n; i++)
            in.push_back(draw(rare) == 0 ? static_cast<R>(draw(2) ? 0.0 : -0.0) : draw(4000) == 0 ? NAN : other);
        if (!run(scan_numbers<R, Op>, op, in, 1, n, true, what))
            return false;
    }
    return true;
}

template <typename R> static bool all_zeros(int rounds)
{
    return zeros<R>(op_maximum(), -1, "maximum", rounds) && zeros<R>(op_minimum(), 1, "minimum", rounds) &&
           zeros<R>(op_fmax(), -1, "fmax", rounds) && zeros<R>(op_fmin(), 1, "fmin", rounds);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 300;
    if (!known_lines<float>("float32") || !known_lines<double>("float64") || !random_lines<float>("float32", rounds) ||
        !random_lines<double>("float64", rounds) || !random_lines<complex64>("complex64", rounds) ||
        !random_lines<complex128>("complex128", rounds) ||
        !all_zeros<float>(rounds) || !all_zeros<double>(rounds))
        return 1;
    printf("%lld results\n", tried);
    return 0;
}
