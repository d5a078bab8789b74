/* SPDX-License-Identifier: BSD-3-Clause */
/* heddle.hpp - the arrays of Heddle for C++17: handles that own themselves, operators, slices.
 * Owns       hd::array holds one reference; a copy is the same array, not another one
 * Errors     what fails in C throws hd::error, and nothing stays pending
 * Threads    as in C: an hd::array is used by one thread at a time, the arrays behind it by any */
#ifndef HEDDLE_HPP
#define HEDDLE_HPP

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <heddle/heddle.h>

namespace hd {

/* ---- errors ---------------------------------------------------------------------------------- */

class error : public std::runtime_error {
public:
    explicit error(const hd_error &e)
        : std::runtime_error(e.where[0] ? std::string(e.where) + ": " + e.message : e.message),
          code_(e.code), where_(e.where) {}
    hd_status code() const noexcept { return code_; }
    const std::string &where() const noexcept { return where_; }   /* the function that failed */
private:
    hd_status code_;
    std::string where_;
};

/* Throws the pending error, which is pending no more. */
[[noreturn]] inline void raise()
{
    hd_error e;
    hd_error_take(&e);
    throw error(e);
}

inline void check(hd_status status)
{
    if (status != HD_OK)
        raise();
}

/* ---- types and shapes ------------------------------------------------------------------------ */

namespace detail {
template <class T> struct is_complex : std::false_type {};
template <> struct is_complex<std::complex<float>> : std::true_type {};
template <> struct is_complex<std::complex<double>> : std::true_type {};

template <class T> constexpr bool is_number = std::is_arithmetic_v<T> || is_complex<T>::value;
template <class T> using if_number = std::enable_if_t<is_number<T>>;

template <class T> constexpr hd_dtype dtype_of()
{
    static_assert(is_number<T>, "arrays hold numbers and bool");
    static_assert(!std::is_same_v<T, long double>, "there are no arrays of long double");
    constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    if (std::is_same_v<T, bool>)
        return HD_BOOL;
    if (std::is_integral_v<T>)
        return static_cast<hd_dtype>((std::is_signed_v<T> ? HD_INT8 : HD_UINT8) + log2_size);
    if (std::is_floating_point_v<T>)
        return sizeof(T) == 4 ? HD_FLOAT32 : HD_FLOAT64;
    return sizeof(T) == 8 ? HD_COMPLEX64 : HD_COMPLEX128;
}

/* Numbers beside arrays adapt to their dtype, as Python's do. */
template <class T> hd_number number(T v)
{
    hd_number n = {};
    if constexpr (is_complex<T>::value) {
        n.kind = HD_WEAK_COMPLEX;
        n.re = v.real(), n.im = v.imag();
    } else {
        constexpr bool whole = std::is_integral_v<T>;
        n.kind = std::is_same_v<T, bool> ? HD_WEAK_BOOL : whole ? HD_WEAK_INT : HD_WEAK_FLOAT;
        n.re = static_cast<double>(v);
        if constexpr (whole)
            n.as.u = static_cast<uint64_t>(v);
        if constexpr (whole && std::is_unsigned_v<T>)
            n.range = n.as.u > INT64_MAX;
    }
    return n;
}
} // namespace detail

/* The dtype of a C++ type: dtype<float> is HD_FLOAT32. */
template <class T> constexpr hd_dtype dtype = detail::dtype_of<std::remove_cv_t<T>>();

/* Extents: {3, 4}, or a number for one axis. */
class shape {
public:
    shape(std::initializer_list<int64_t> extents) : v_(extents) {}
    shape(std::vector<int64_t> extents) : v_(std::move(extents)) {}
    shape(int64_t n) : v_(1, n) {}
    int nd() const { return static_cast<int>(v_.size()); }
    const int64_t *data() const { return v_.data(); }
private:
    std::vector<int64_t> v_;
};

/* Axes of a reduction: 1, {0, 2}, or none named, which means all. */
class axes {
public:
    axes() : v_(), all_(true) {}
    axes(int axis) : v_(1, axis), all_(false) {}
    axes(std::initializer_list<int> list) : v_(list), all_(false) {}
    int n() const { return all_ ? HD_ALL_AXES : static_cast<int>(v_.size()); }
    const int *data() const { return v_.data(); }
private:
    std::vector<int> v_;
    bool all_;
};

/* ---- indices --------------------------------------------------------------------------------- */

constexpr int64_t none = HD_NONE;   /* a bound that is left out */

/* start:stop:step, with Python's rules. */
struct slice {
    constexpr slice(int64_t start_, int64_t stop_, int64_t step_ = 1)
        : start(start_), stop(stop_), step(step_) {}
    int64_t start, stop, step;
};
constexpr slice all{none, none};
constexpr struct newaxis_type {} newaxis{};
constexpr struct ellipsis_type {} ellipsis{};

namespace detail {
inline hd_index item(const slice &s) { return {HD_INDEX_SLICE, s.start, s.stop, s.step}; }
inline hd_index item(newaxis_type) { return {HD_INDEX_NEWAXIS, 0, 0, 0}; }
inline hd_index item(ellipsis_type) { return {HD_INDEX_ELLIPSIS, 0, 0, 0}; }
template <class T, class = std::enable_if_t<std::is_integral_v<T>>> hd_index item(T i)
{
    return {HD_INDEX_INT, static_cast<int64_t>(i), 0, 0};
}
} // namespace detail

class array;

/* An operand: an array, or a number beside one. Borrows the array for one expression. */
class operand {
public:
    operand(const array &x);
    template <class T, class = detail::if_number<T>> operand(T v) : n_(detail::number(v)) {}
    const hd_array *get() const noexcept { return x_; }             /* nullptr: a number */
    const hd_number *number() const noexcept { return &n_; }
    array as_array() const;
private:
    const hd_array *x_ = nullptr;
    hd_number n_ = {};
};

template <class T> class memory;

/* ---- arrays ---------------------------------------------------------------------------------- */

class array {
    friend class operand;

public:
    array() noexcept = default;
    array(const array &o) : x_(o.x_ ? hd_retain(o.x_) : nullptr) {}
    array(array &&o) noexcept : x_(std::exchange(o.x_, nullptr)) {}
    ~array() { hd_release(x_); }
    /* A number that adapts to the arrays beside it. */
    template <class T, class = detail::if_number<T>> explicit array(T v) : array(operand(v)) {}
    explicit array(const operand &n)
        : array(take(n.get() ? hd_retain(const_cast<hd_array *>(n.get()))
                             : hd_from_number(n.number()))) {}
    /* One axis, of the dtype that T has. */
    template <class T, class = detail::if_number<T>> array(std::initializer_list<T> values)
        : array(from(values.begin(), static_cast<int64_t>(values.size()))) {}

    /* A variable becomes another array ... */
    array &operator=(const array &o) & { return *this = array(o); }
    array &operator=(array &&o) &noexcept
    {
        std::swap(x_, o.x_);
        return *this;
    }
    /* ... and a part of one is written to: x(hd::all, 1) = y. */
    void operator=(const operand &y) && { assign(y); }
    void operator=(const array &y) && { assign(y); }
    void operator=(array &&y) && { assign(y); }
    void assign(const operand &y, hd_casting casting = HD_CAST_DEFAULT)
    {
        check(y.get() ? hd_assign(x_, y.get(), casting) : hd_assign_number(x_, y.number()));
    }

    /* What a function in C gave: throws if that is NULL, and owns it from here on. */
    static array take(hd_array *x)
    {
        array r;
        r.x_ = x ? hd_keep(x) : (raise(), nullptr);
        return r;
    }
    hd_array *get() const noexcept { return x_; }

    /* A copy of elements in C order. */
    template <class T> static array from(const T *data, const shape &s)
    {
        return take(hd_from_data(s.nd(), s.data(), nullptr, dtype<T>, data));
    }
    template <class T> static array from(const std::vector<T> &v)
    {
        return from(v.data(), static_cast<int64_t>(v.size()));
    }
    static array from(const std::vector<bool> &v)
    {
        std::vector<unsigned char> bytes(v.begin(), v.end());
        return from(bytes).template astype<bool>();
    }
    template <class T> static array from(const std::vector<T> &v, const shape &s)
    {
        return from(v).reshape(s);
    }
    /* Memory of the caller's, which must outlive the array; that of a vector moves into it. */
    template <class T> static array wrap(T *data, const shape &s)
    {
        auto *p = const_cast<std::remove_cv_t<T> *>(data);
        constexpr bool readonly = std::is_const_v<T>;
        return take(hd_wrap(s.nd(), s.data(), nullptr, dtype<T>, p, readonly, nullptr, nullptr));
    }
    template <class T> static array wrap(std::vector<T> &&v)
    {
        static_assert(!std::is_same_v<T, bool>, "vector<bool> has no elements in memory");
        auto kept = std::make_unique<std::vector<T>>(std::move(v));
        int64_t n = static_cast<int64_t>(kept->size());
        auto drop = [](void *p) { delete static_cast<std::vector<T> *>(p); };
        array r = take(hd_wrap(1, &n, nullptr, dtype<T>, kept->data(), 0, drop, kept.get()));
        kept.release();
        return r;
    }

    int nd() const { return hd_ndim(here()); }
    int64_t size() const { return hd_size(here()); }
    std::vector<int64_t> extents() const { return {hd_shape(here()), hd_shape(x_) + nd()}; }
    int64_t extent(int axis) const
    {
        return extents().at(static_cast<size_t>(axis < 0 ? axis + nd() : axis));
    }
    hd_dtype type() const { return hd_dtype_of(here()); }

    /* Views: of x(1, hd::slice(0, 5), hd::ellipsis), of x[1]. */
    template <class... I> array operator()(I... index) const
    {
        const hd_index items[] = {detail::item(index)..., detail::item(ellipsis)};
        return take(hd_slice(x_, static_cast<int>(sizeof...(I)), items));
    }
    template <class I> array operator[](I index) const { return (*this)(index); }
    array T() const { return take(hd_transpose(x_, nullptr)); }
    array reshape(const shape &s, char order = 'C') const
    {
        return take(hd_reshape(x_, s.nd(), s.data(), order));
    }
    array real() const { return take(hd_real(x_)); }
    array imag() const { return take(hd_imag(x_)); }

    /* The elements at index arrays, and where a mask is true. */
    array at(const array &index) const
    {
        return take(index.type() == HD_BOOL ? hd_extract(index.x_, x_) : hd_take(x_, 1, &index.x_));
    }
    array copy(char order = 'K') const { return take(hd_copy(x_, order)); }
    array astype(hd_dtype dt, hd_casting casting = HD_CAST_DEFAULT) const
    {
        return take(hd_astype(x_, dt, 'K', casting, 1));
    }
    template <class T> array astype() const { return astype(dtype<T>); }
    array to(hd_device *dev) const { return take(hd_to_device(x_, dev)); }
    const array &eval() const { return check(hd_eval(x_)), *this; }

    /* One element, by its place in C order; of another type it is converted. */
    template <class T = double> T item(int64_t i = 0) const
    {
        hd_value v = {};
        check(hd_item(x_, i, &v));
        if constexpr (detail::is_complex<T>::value) {
            using R = typename T::value_type;
            return v.kind == 'c' ? T(static_cast<R>(v.as.c[0]), static_cast<R>(v.as.c[1]))
                                 : T(real_of<R>(v));
        } else {
            if (v.kind == 'c')
                throw std::invalid_argument("item: a complex number as a real one");
            return real_of<T>(v);
        }
    }
    /* All elements in C order, cast to T by NumPy's rule "same_kind". */
    template <class T> std::vector<T> to_vector() const
    {
        array x = take(hd_astype(x_, dtype<T>, 'C', HD_CAST_SAME_KIND, 0));
        using element = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
        std::vector<element> r(static_cast<size_t>(x.size()) + 1);   /* it has an address */
        check(hd_read(x.x_, r.data()));
        r.pop_back();
        if constexpr (std::is_same_v<T, bool>)
            return std::vector<bool>(r.begin(), r.end());
        else
            return r;
    }
    template <class T> hd::memory<T> memory() const { return hd::memory<T>(*this); }

#define HD_CPP_OPERATOR(sign, name) \
    friend array operator sign(operand x, operand y) { return binary(HD_OP_##name, x, y); }
#define HD_CPP_INPLACE(sign, name) \
    array &operator sign(const operand &y) { return inplace(HD_OP_##name, y); }
    HD_CPP_OPERATOR(+, add) HD_CPP_INPLACE(+=, add)
    HD_CPP_OPERATOR(-, subtract) HD_CPP_INPLACE(-=, subtract)
    HD_CPP_OPERATOR(*, multiply) HD_CPP_INPLACE(*=, multiply)
    HD_CPP_OPERATOR(/, divide) HD_CPP_INPLACE(/=, divide)
    HD_CPP_OPERATOR(%, remainder) HD_CPP_INPLACE(%=, remainder)
    HD_CPP_OPERATOR(&, bitwise_and) HD_CPP_INPLACE(&=, bitwise_and)
    HD_CPP_OPERATOR(|, bitwise_or) HD_CPP_INPLACE(|=, bitwise_or)
    HD_CPP_OPERATOR(^, bitwise_xor) HD_CPP_INPLACE(^=, bitwise_xor)
    HD_CPP_INPLACE(<<=, left_shift) HD_CPP_INPLACE(>>=, right_shift)
    HD_CPP_OPERATOR(==, equal) HD_CPP_OPERATOR(!=, not_equal)
    HD_CPP_OPERATOR(<, less) HD_CPP_OPERATOR(<=, less_equal)
    HD_CPP_OPERATOR(>, greater) HD_CPP_OPERATOR(>=, greater_equal)
    HD_CPP_OPERATOR(<<, left_shift) HD_CPP_OPERATOR(>>, right_shift)
#undef HD_CPP_OPERATOR
#undef HD_CPP_INPLACE
    friend array operator+(const array &x) { return take(hd_positive(x.x_)); }
    friend array operator-(const array &x) { return take(hd_negative(x.x_)); }
    friend array operator~(const array &x) { return take(hd_invert(x.x_)); }
    friend array operator!(const array &x) { return take(hd_logical_not(x.x_)); }
    /* As NumPy's print() has it. */
    friend std::ostream &operator<<(std::ostream &to, const array &x)
    {
        std::unique_ptr<char, void (*)(char *)> text(hd_format(x.x_, nullptr), hd_free_text);
        if (!text)
            raise();
        return to << text.get();
    }

    /* An elementwise operation of two operands, by its number. */
    static array binary(hd_op op, const operand &x, const operand &y)
    {
        if (x.get() && y.get())
            return take(hd_binary(op, x.get(), y.get()));
        if (x.get())
            return take(hd_binary_number(op, x.get(), y.number(), 0));
        if (y.get())
            return take(hd_binary_number(op, y.get(), x.number(), 1));
        return take(hd_binary_number(op, x.as_array().x_, y.number(), 0));
    }
private:
    hd_array *here() const
    {
        if (!x_)
            throw std::invalid_argument("an array that was never given one");
        return x_;
    }
    array &inplace(hd_op op, const operand &y)
    {
        check(y.get() ? hd_inplace(op, x_, y.get()) : hd_inplace_number(op, x_, y.number()));
        return *this;
    }
    template <class R> static R real_of(const hd_value &v)
    {
        if (v.kind == 'f')
            return static_cast<R>(v.as.f);
        return v.kind == 'u' ? static_cast<R>(v.as.u) : static_cast<R>(v.as.i);
    }

    hd_array *x_ = nullptr;
};

inline operand::operand(const array &x) : x_(x.here()) {}

inline array operand::as_array() const { return array(*this); }

/* The memory of an array that is dense in C order, while this lives. */
template <class T> class memory {
public:
    explicit memory(const array &x) : x_(x)
    {
        if (x.type() != dtype<T> || !(hd_flags(x.get()) & HD_C_CONTIGUOUS))
            throw std::invalid_argument("memory: another dtype, or not dense in C order");
        data_ = static_cast<T *>(hd_export(x.get(), !std::is_const_v<T>));
        if (!data_)
            raise();
    }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
    ~memory() { hd_unexport(x_.get()); }
    T *data() const noexcept { return data_; }
    size_t size() const { return static_cast<size_t>(x_.size()); }
    T *begin() const noexcept { return data_; }
    T *end() const { return data_ + size(); }
    T &operator[](size_t i) const { return data_[i]; }
private:
    array x_;
    T *data_;
};

/* ---- any function of the C API --------------------------------------------------------------- */

/* A result that a function gives through an hd_array **. */
class out {
public:
    explicit out(array &into) : into_(into) {}
    out(const out &) = delete;
    out &operator=(const out &) = delete;
    ~out() { into_ = got_ ? array::take(got_) : into_; }
    hd_array **slot() noexcept { return &got_; }
private:
    array &into_;
    hd_array *got_ = nullptr;
};

namespace detail {
inline hd_array *pass(const array &x) { return x.get(); }
inline hd_array **pass(out &&x) { return x.slot(); }
template <class T> T pass(T x) { return x; }
} // namespace detail

/* hd::call(hd_matmul, a, b, nullptr), hd::call(hd_qr, a, HD_QR_REDUCED, hd::out(q), hd::out(r)):
 * an array for each hd_array *; what fails throws. */
template <class R, class... P, class... A> auto call(R (*f)(P...), A &&...a)
{
    static_assert(sizeof...(P) == sizeof...(A), "another number of arguments than the function's");
    if constexpr (std::is_same_v<R, hd_array *>)
        return array::take(f(detail::pass(std::forward<A>(a))...));
    else if constexpr (std::is_same_v<R, hd_status>)
        check(f(detail::pass(std::forward<A>(a))...));
    else
        return f(detail::pass(std::forward<A>(a))...);
}

/* ---- making ---------------------------------------------------------------------------------- */

#define HD_CPP_MAKE(name)                                       \
    inline array name(const shape &s, hd_dtype dt = HD_FLOAT64) \
    { return call(hd_##name, s.nd(), s.data(), dt); }
HD_CPP_MAKE(empty) HD_CPP_MAKE(zeros) HD_CPP_MAKE(ones)
#undef HD_CPP_MAKE
inline array full(const shape &s, const operand &value, hd_dtype dt = HD_NO_DTYPE)
{
    return call(hd_full, s.nd(), s.data(), value.as_array(), dt);
}
inline array arange(int64_t n, hd_dtype dt = HD_INT64)
{
    return call(hd_arange, array(0), array(1), n, dt);
}
inline array linspace(double start, double stop, int64_t n, bool endpoint = true)
{
    return call(hd_linspace, start, stop, n, endpoint, HD_FLOAT64);
}
inline array eye(int64_t n, hd_dtype dt = HD_FLOAT64) { return call(hd_eye, n, n, 0, dt); }

/* Random numbers of a seed. */
class generator {
public:
    explicit generator(uint64_t seed) : g_(hd_generator_seed(seed)) {}
    array uniform(const shape &s, hd_dtype dt = HD_FLOAT64)
    {
        return call(hd_random_uniform, &g_, s.nd(), s.data(), dt);
    }
    array normal(const shape &s, hd_dtype dt = HD_FLOAT64)
    {
        return call(hd_random_normal, &g_, s.nd(), s.data(), dt);
    }
    array integers(const shape &s, int64_t low, int64_t last)
    {
        return call(hd_random_integers, &g_, s.nd(), s.data(), array(low), array(last), HD_INT64);
    }
private:
    hd_generator g_;
};

/* ---- functions of elements ------------------------------------------------------------------- */

#define HD_CPP_UNARY(X)                                                                         \
    X(absolute) X(sign) X(square) X(sqrt) X(cbrt) X(reciprocal) X(exp) X(exp2) X(expm1) X(log)  \
    X(log2) X(log10) X(log1p) X(sin) X(cos) X(tan) X(arcsin) X(arccos) X(arctan) X(sinh)        \
    X(cosh) X(tanh) X(arcsinh) X(arccosh) X(arctanh) X(expit) X(erf) X(erfc) X(gamma)           \
    X(gammaln) X(floor) X(ceil) X(trunc) X(rint) X(conjugate) X(isnan) X(isinf) X(isfinite)     \
    X(signbit) X(logical_not)
#define HD_CPP_FUNCTION(name) \
    inline array name(const array &x) { return array::take(hd_##name(x.get())); }
HD_CPP_UNARY(HD_CPP_FUNCTION)
#undef HD_CPP_FUNCTION
#undef HD_CPP_UNARY

#define HD_CPP_BINARY(X)                                                                        \
    X(power) X(floor_divide) X(remainder) X(fmod) X(arctan2) X(hypot) X(copysign) X(maximum)    \
    X(minimum) X(fmax) X(fmin) X(logical_and) X(logical_or) X(logical_xor) X(gcd) X(lcm)        \
    X(logaddexp)
#define HD_CPP_FUNCTION(name) \
    inline array name(operand x, operand y) { return array::binary(HD_OP_##name, x, y); }
HD_CPP_BINARY(HD_CPP_FUNCTION)
#undef HD_CPP_FUNCTION
#undef HD_CPP_BINARY

inline array abs(const array &x) { return absolute(x); }
inline array where(const array &c, const operand &x, const operand &y)
{
    return call(hd_where, c, x.as_array(), y.as_array());
}
inline array clip(const array &x, const operand &low, const operand &high)
{
    return call(hd_clip, x, low.as_array(), high.as_array());
}

/* ---- reductions, running results, order ------------------------------------------------------ */

#define HD_CPP_REDUCTION(name, as)                                                \
    inline array as(const array &x, const axes &over = {}, bool keepdims = false) \
    { return call(hd_##name, x, over.n(), over.data(), keepdims); }
HD_CPP_REDUCTION(sum, sum) HD_CPP_REDUCTION(prod, prod)
HD_CPP_REDUCTION(min, min) HD_CPP_REDUCTION(max, max)
HD_CPP_REDUCTION(argmin, argmin) HD_CPP_REDUCTION(argmax, argmax)
HD_CPP_REDUCTION(any, any_of) HD_CPP_REDUCTION(all, all_of)
#undef HD_CPP_REDUCTION

#define HD_CPP_MOMENT(name, as)                                                                 \
    inline array as(const array &x, const axes &over = {}, bool keep = false, double ddof = 0)   \
    {                                                                                           \
        hd_reduce_options o = {};                                                               \
        o.size = sizeof o, o.naxes = over.n(), o.axes = over.data(), o.keepdims = keep;         \
        o.ddof = ddof;                                                                          \
        return call(hd_##name, x, &o);                                                          \
    }
HD_CPP_MOMENT(mean, mean) HD_CPP_MOMENT(var, var) HD_CPP_MOMENT(std, stddev)
#undef HD_CPP_MOMENT

#define HD_CPP_SCAN(name)                                 \
    inline array name(const array &x, int axis = HD_FLAT) \
    { return call(hd_##name, x, axis, HD_NO_DTYPE, nullptr); }
HD_CPP_SCAN(cumsum) HD_CPP_SCAN(cumprod)
#undef HD_CPP_SCAN
inline array sort(const array &x, int axis = -1) { return call(hd_sort, x, axis, 0); }
inline array argsort(const array &x, int axis = -1) { return call(hd_argsort, x, axis, 0); }

/* ---- joining, products, matrices ------------------------------------------------------------- */

namespace detail {
inline std::vector<const hd_array *> handles(const std::vector<array> &list)
{
    std::vector<const hd_array *> r;
    for (const array &x : list)
        r.push_back(x.get());
    return r;
}
} // namespace detail
#define HD_CPP_JOIN(name)                                                                  \
    inline array name(const std::vector<array> &list, int axis = 0)                         \
    {                                                                                      \
        return call(hd_##name, static_cast<int>(list.size()), detail::handles(list).data(), \
                    axis, HD_NO_DTYPE, nullptr);                                            \
    }
HD_CPP_JOIN(concatenate) HD_CPP_JOIN(stack)
#undef HD_CPP_JOIN
inline array matmul(const array &a, const array &b) { return call(hd_matmul, a, b, nullptr); }
inline array dot(const array &a, const array &b) { return call(hd_dot, a, b, nullptr); }
inline array solve(const array &a, const array &b) { return call(hd_solve, a, b); }
inline array inv(const array &a) { return call(hd_inv, a, 0); }
inline array det(const array &a) { return call(hd_det, a); }
inline array cholesky(const array &a, bool upper = false) { return call(hd_cholesky, a, upper); }
/* auto [q, r] = hd::qr(a), and so on. */
inline std::pair<array, array> qr(const array &a)
{
    std::pair<array, array> r;
    call(hd_qr, a, HD_QR_REDUCED, out(r.first), out(r.second));
    return r;
}
inline std::tuple<array, array, array> svd(const array &a, bool full = false)
{
    array u, s, vh;
    call(hd_svd, a, full, 0, out(u), out(s), out(vh));
    return {u, s, vh};
}
inline std::pair<array, array> eigh(const array &a)
{
    std::pair<array, array> r;
    call(hd_eigh, a, 0, out(r.first), out(r.second));
    return r;
}
inline array lstsq(const array &a, const array &b, double rcond = -1)
{
    array x;
    call(hd_lstsq, a, b, rcond, out(x), nullptr, nullptr, nullptr);
    return x;
}
} // namespace hd
#endif
