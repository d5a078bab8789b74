/* SPDX-License-Identifier: BSD-3-Clause */
/* test_heddle.cpp - heddle.hpp: handles, operators, slices, reductions, matrices, errors. Run by
 * the stage `consumer`, beside the installed library. */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sstream>

#include <heddle/heddle.hpp>

static int failures;

static void say(bool good, const char *what, int line)
{
    if (!good) {
        std::printf("line %d: %s\n", line, what);
        failures++;
    }
}
#define CHECK(x) say((x), #x, __LINE__)

template <class T> using list = std::vector<T>;

/* The error that f() ends in; HD_OK: none. */
template <class F> static hd_status failure(F f)
{
    try {
        f();
    } catch (const hd::error &e) {
        say(hd_error_peek()->code == HD_OK, "an error is still pending", __LINE__);
        return e.code();
    }
    return HD_OK;
}

static_assert(hd::dtype<float> == HD_FLOAT32 && hd::dtype<const double> == HD_FLOAT64);
static_assert(hd::dtype<long> == HD_INT64 && hd::dtype<long long> == HD_INT64);
static_assert(hd::dtype<unsigned char> == HD_UINT8 && hd::dtype<bool> == HD_BOOL);
static_assert(hd::dtype<std::complex<float>> == HD_COMPLEX64);
static_assert(std::is_nothrow_move_constructible_v<hd::array>);
static_assert(std::is_nothrow_move_assignable_v<hd::array>);
static_assert(!std::is_convertible_v<double, hd::array> && !std::is_convertible_v<hd::array, bool>);

static void test_handles()
{
    hd::array x = {1.0, 2.0, 3.0};
    hd::array same = x;
    same += 1;                                            /* the same array */
    CHECK((x.to_vector<double>() == list<double>{2, 3, 4}));
    hd::array moved = std::move(same);
    CHECK(same.get() == nullptr && moved.get() == x.get());
    moved = x.copy();
    moved *= 2;
    CHECK(x.item() == 2 && moved.item() == 4);
    moved = moved(hd::slice(1, 3));                       /* another array for the variable */
    CHECK(moved.size() == 2 && moved.item() == 6);
    hd::array nothing, copy_of_nothing = nothing;
    CHECK(copy_of_nothing.get() == nullptr);
    bool thrown = false;
    try {
        x + nothing;
    } catch (const std::invalid_argument &) {
        thrown = true;
    }
    CHECK(thrown);
    std::vector<hd::array> many(3, x);
    std::swap(many[0], many[1]);
    many.erase(many.begin());
    CHECK(many.size() == 2 && many[0].get() == x.get());
}

static void test_scopes()
{
    int scope = hd_scope_begin();
    hd::array x = hd::ones({4});
    hd_array *of_the_scope = hd_add(x.get(), x.get());
    hd_scope_end(scope, nullptr);
    CHECK(of_the_scope != nullptr && hd::sum(x).item() == 4);    /* x is its own owner */
}

static void test_making()
{
    CHECK((hd::zeros({2, 3}).extents() == list<int64_t>{2, 3}));
    CHECK(hd::empty(5).size() == 5 && hd::ones({}, HD_INT8).nd() == 0);
    CHECK((hd::full({2}, 7).to_vector<int>() == list<int>{7, 7}));
    CHECK(hd::full({2}, 7).type() == HD_INT64);
    CHECK((hd::arange(3, HD_FLOAT32).to_vector<float>() == list<float>{0, 1, 2}));
    CHECK((hd::linspace(0, 1, 3).to_vector<double>() == list<double>{0, 0.5, 1}));
    CHECK((hd::eye(2).to_vector<double>() == list<double>{1, 0, 0, 1}));
    CHECK((hd::array::from(list<bool>{true, false}).to_vector<bool>() == list<bool>{true, false}));
    hd::array m = hd::array::from(list<short>{1, 2, 3, 4}, {2, 2});
    CHECK(m.type() == HD_INT16 && m.extent(-1) == 2 && m.item<int>(3) == 4);
    CHECK(hd::array::from(list<double>{}).to_vector<double>().empty());
    hd::generator g(7), again(7);
    CHECK((g.uniform({5}).to_vector<double>() == again.uniform({5}).to_vector<double>()));
    hd::array k = g.integers({100}, 2, 4);
    CHECK(hd::min(k).item<int>() == 2 && hd::max(k).item<int>() == 4);
    CHECK(std::abs(hd::mean(g.normal({10000})).item()) < 0.05);
}

static void test_memory()
{
    double mine[4] = {1, 2, 3, 4};
    {
        hd::array x = hd::array::wrap(mine, {2, 2});
        x += 10;
        CHECK(mine[0] == 11 && mine[3] == 14);
    }
    const double fixed[2] = {1, 2};
    hd::array f = hd::array::wrap(fixed, 2);
    CHECK(failure([&] { f += 1; }) == HD_READONLY && hd::sum(f).item() == 3);
    hd::array v = hd::array::wrap(list<float>{1, 2, 3});
    CHECK(v.type() == HD_FLOAT32 && hd::sum(v).item<float>() == 6);
    float total = 0;
    for (float &e : v.memory<float>()) {
        total += e;
        e = 0;
    }
    CHECK(total == 6 && hd::sum(v).item() == 0);
    bool thrown = false;
    try {
        v.memory<double>();
    } catch (const std::invalid_argument &) {
        thrown = true;
    }
    CHECK(thrown);
    CHECK(v.memory<const float>().size() == 3);
}

static void test_operators()
{
    hd::array x = {1, 2, 3}, y = {4, 5, 6};
    CHECK(((x + y).to_vector<int>() == list<int>{5, 7, 9}));
    CHECK(((y - x).to_vector<int>() == list<int>{3, 3, 3}));
    CHECK(((10 - x).to_vector<int>() == list<int>{9, 8, 7}));
    CHECK((x * 2).type() == HD_INT32 && (x * 2.5).type() == HD_FLOAT64);
    CHECK(((x / y).to_vector<double>() == list<double>{0.25, 0.4, 0.5}));
    CHECK(((-x % 2).to_vector<int>() == list<int>{1, 0, 1}));
    CHECK(((x << 2).to_vector<int>() == list<int>{4, 8, 12}));
    CHECK(((y >> 1).to_vector<int>() == list<int>{2, 2, 3}));
    CHECK((((x & 1) | (y ^ 4)).to_vector<int>() == list<int>{1, 1, 3}));
    CHECK(((~x).to_vector<int>() == list<int>{-2, -3, -4}));
    CHECK(((x == 2).to_vector<bool>() == list<bool>{false, true, false}));
    CHECK(((x != 2).to_vector<bool>() == list<bool>{true, false, true}));
    CHECK(((2 < x).to_vector<bool>() == list<bool>{false, false, true}));
    CHECK(((x <= x).to_vector<bool>() == list<bool>{true, true, true}));
    CHECK((!(x > 1)).item<bool>() && (x >= 1).item<bool>());
    CHECK(((+x).to_vector<int>() == x.to_vector<int>()));
    std::complex<double> i(0, 1);
    CHECK((x * i).item<std::complex<double>>(1) == std::complex<double>(0, 2));
    CHECK((x * i).imag().item(2) == 3 && (x * i).real().item(2) == 0);
    hd::array u = hd::array::from(list<uint64_t>{1, 2});
    CHECK((u + UINT64_MAX).item<uint64_t>(1) == 1);
    CHECK(((u == UINT64_MAX).to_vector<bool>() == list<bool>{false, false}));
    hd::array z = x.copy();
    z += y, z -= 1, z *= 2, z %= 7, z <<= 1, z |= 1, z &= 13, z ^= 1, z >>= 1;
    int e[3] = {1, 2, 3}, f[3] = {4, 5, 6};
    for (int k = 0; k < 3; k++)
        CHECK(z.item<int>(k) == ((((((e[k] + f[k] - 1) * 2 % 7) << 1 | 1) & 13) ^ 1) >> 1));
    CHECK(failure([&] { z /= 2; }) == HD_CAST);
    CHECK(hd::maximum(2.0, hd::array{1.0, 3.0}).item() == 2);
    CHECK(hd::power(2.0, 3.0).item() == 8);
    CHECK((hd::where(x > 1, x, 0).to_vector<int>() == list<int>{0, 2, 3}));
    CHECK((hd::clip(x, 2, 2).to_vector<int>() == list<int>{2, 2, 2}));
    CHECK(abs(-x).item<int>() == 1 && std::abs(exp(x).item() - std::exp(1.0)) < 1e-15);
}

static void test_slices()
{
    hd::array x = hd::arange(60).reshape({3, 4, 5});
    hd::array part = x(hd::all, hd::slice(1, 4, 2), 3);
    CHECK((part.extents() == list<int64_t>{3, 2}));
    CHECK((part.to_vector<int>() == list<int>{8, 18, 28, 38, 48, 58}));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            CHECK(part(i, j).item<int>() == 20 * i + 5 * (1 + 2 * j) + 3);
    CHECK(x[-1][0][2].item<int>() == 42 && x(hd::ellipsis, -1).extents().size() == 2);
    CHECK((x(hd::newaxis, 0, hd::slice(hd::none, hd::none, -1)).extents() ==
           list<int64_t>{1, 4, 5}));
    CHECK(x(0, hd::slice(hd::none, hd::none, -1), 0).item<int>() == 15);
    CHECK((x() + 0).nd() == 3);
    x(0, 0) = -1;                                         /* a row, from a number */
    CHECK(hd::sum(x(0, 0)).item<int>() == -5 && x(0, 1, 0).item<int>() == 5);
    x(hd::all, 1) = x(hd::all, 2);                        /* from another part, then a variable */
    CHECK(x(2, 1, 4).item<int>() == 54);
    hd::array row = {5, 5, 5, 5, 5};
    x[1][3] = row;
    x[1][2] += row;
    CHECK(x(1, 3, 0).item<int>() == 5 && x(1, 2, 0).item<int>() == 35);
    CHECK(failure([&] { x(5); }) == HD_INDEX && failure([&] { x(0, 0, 0, 0); }) == HD_INDEX);
    CHECK(failure([&] { x(hd::slice(0, 3, 0)); }) == HD_VALUE);
    hd::array v = {10, 20, 30};
    CHECK((v.at(hd::array{2, 0}).to_vector<int>() == list<int>{30, 10}));
    CHECK((v.at(v > 10).to_vector<int>() == list<int>{20, 30}));
    CHECK(failure([&] { v.at(hd::array{3}); }) == HD_INDEX);
    CHECK(x.T().extent(0) == 5);
}

static void test_reductions()
{
    hd::array x = hd::arange(6, HD_FLOAT64).reshape({2, 3});
    CHECK(hd::sum(x).item() == 15 && hd::prod(x + 1).item() == 720);
    CHECK((hd::sum(x, 0).to_vector<double>() == list<double>{3, 5, 7}));
    CHECK((hd::max(x, -1, true).extents() == list<int64_t>{2, 1}));
    CHECK(hd::min(x, {0, 1}).nd() == 0 && hd::argmax(x).item<int>() == 5);
    CHECK((hd::mean(x, 1).to_vector<double>() == list<double>{1, 4}));
    CHECK(hd::var(x, 0, false, 1).item() == 4.5 && hd::stddev(x, 1).item() > 0.816);
    CHECK(!hd::all_of(x > 0).item<bool>() && hd::any_of(x > 4).item<bool>());
    CHECK((hd::cumsum(x, 1).to_vector<double>() == list<double>{0, 1, 3, 3, 7, 12}));
    CHECK(hd::cumprod(x + 1).item(5) == 720);
    CHECK((hd::sort(-x).to_vector<double>() == list<double>{-2, -1, 0, -5, -4, -3}));
    CHECK((hd::argsort(-x).to_vector<int64_t>() == list<int64_t>{2, 1, 0, 2, 1, 0}));
    CHECK(failure([&] { hd::sum(x, 2); }) == HD_AXIS);
}

static void test_matrices()
{
    hd::array a = hd::array::from(list<double>{4, 1, 1, 3}, {2, 2}), b = {1.0, 2.0};
    CHECK((hd::matmul(a, b).to_vector<double>() == list<double>{6, 7}));
    CHECK(hd::dot(b, b).item() == 5);
    CHECK((hd::concatenate({b, b}).size() == 4) && hd::stack({b, b}, 1).extent(1) == 2);
    auto near = [](const hd::array &x, const hd::array &y) {
        return hd::max(abs(x - y)).item() < 1e-12;
    };
    CHECK(near(hd::matmul(a, hd::solve(a, b)), b) && near(hd::matmul(hd::inv(a), a), hd::eye(2)));
    CHECK(near(hd::det(a), hd::array(11.0)));
    hd::array l = hd::cholesky(a);
    CHECK(near(hd::matmul(l, l.T()), a));
    auto [q, r] = hd::qr(a);
    CHECK(near(hd::matmul(q, r), a));
    auto [u, s, vh] = hd::svd(a);
    CHECK(near(hd::matmul(u * s, vh), a));
    auto [w, v] = hd::eigh(a);
    CHECK(near(hd::matmul(a, v), v * w));
    CHECK(near(hd::lstsq(a, b), hd::solve(a, b)));
    CHECK(failure([&] { hd::inv(hd::zeros({2, 2})); }) == HD_LINALG);
}

static void test_call()
{
    hd::array x = {3.0, 1.0, 1.0};
    CHECK((hd::call(hd_unique_values, x).to_vector<double>() == list<double>{1, 3}));
    hd::array values, counts;
    hd::call(hd_unique_counts, x, hd::out(values), hd::out(counts));
    CHECK(counts.item<int>() == 2 && values.size() == 2);
    CHECK(hd::call(hd_may_share, x, values) == 0);
    CHECK(failure([&] { hd::call(hd_matmul, x, hd::zeros({2, 2}), nullptr); }) != HD_OK);
    try {
        x + hd::zeros({4});
        CHECK(false);
    } catch (const std::exception &e) {
        CHECK(std::strstr(e.what(), "(4)") != nullptr || std::strstr(e.what(), "4") != nullptr);
    }
}

static void test_text()
{
    std::ostringstream text;
    text << hd::array{1.5, 2.0} << " and " << hd::eye(2, HD_INT64);
    CHECK(text.str() == "[1.5 2. ] and [[1 0]\n [0 1]]");
    CHECK(failure([] { hd::array{1.5}.to_vector<int>(); }) == HD_DTYPE);
    bool thrown = false;
    try {
        (hd::array{1.0} * std::complex<double>(1, 1)).item<double>();
    } catch (const std::invalid_argument &) {
        thrown = true;
    }
    CHECK(thrown);
}

int main()
{
    test_handles();
    test_scopes();
    test_making();
    test_memory();
    test_operators();
    test_slices();
    test_reductions();
    test_matrices();
    test_call();
    test_text();
    if (!failures)
        std::printf("heddle.hpp: all checks hold\n");
    return failures != 0;
}
