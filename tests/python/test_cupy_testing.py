# SPDX-License-Identifier: BSD-3-Clause
"""cupy.testing: tests written with it run, and fail where they should."""

import numpy as np
import pytest
from common import IS_NUMPY, needs_heddle

if not IS_NUMPY:
    import heddle.cupy as cp
    from heddle.cupy import testing
else:
    pytest.skip("about Heddle itself", allow_module_level=True)

pytestmark = needs_heddle


class TestOfACupyUser:
    shape, order = (2, 3, 4), "F"

    @testing.for_all_dtypes(no_bool=True)
    @testing.numpy_cupy_allclose(rtol={np.float16: 1e-2, "default": 1e-5}, atol=1e-6)
    def test_sum(self, xp, dtype):
        return testing.shaped_arange((2, 3), xp, dtype).sum(axis=0)

    @testing.for_CF_orders()
    @testing.for_dtypes_combination([np.int32, np.float64], names=("a", "b"))
    @testing.numpy_cupy_array_equal()
    def test_two(self, xp, a, b, order):
        return testing.shaped_random((3, 4), xp, a, order=order) + testing.shaped_reverse_arange(
            (3, 4), xp, b
        )

    @testing.numpy_cupy_array_equal(accept_error=ValueError)
    def test_error(self, xp):
        return xp.ones(3) + xp.ones(4)

    @testing.numpy_cupy_array_list_equal()
    def test_list(self, xp):
        return [xp.arange(3), xp.ones((2, 2))]

    @testing.numpy_cupy_equal(name="module")
    def test_equal(self, module):
        return module.ones((2, 3)).shape

    @pytest.mark.parametrize("n", [1, 4])
    @testing.numpy_cupy_array_almost_equal(decimal=5)
    def test_with_pytests_parameters(self, xp, n):
        return xp.linspace(0, 1, 5) ** n

    def test_axes(self):
        seen = []

        class Case:
            shape, order = (2, 3, 4), "C"

            @testing.for_contiguous_axes()
            def run(self, axis):
                seen.append(axis)

        Case().run()
        Case.order = "F"
        Case().run()
        assert seen == [(0, 1, 2), (1, 2), (2,), (0,), (0, 1), (0, 1, 2)]


@testing.parameterize(*testing.product({"n": [1, 2], "f": [abs, lambda x: -x]}))
class TestWithParameters:
    def setup_method(self):
        assert self.n in (1, 2) and abs(self.f(-1)) == 1

    @testing.numpy_cupy_allclose(atol={"default": 1e-12}, scipy_name="scp")
    def test_signal(self, xp, scp):
        return scp.signal.convolve(xp.ones(3), xp.ones(self.n))


def test_parameters__are_all_used():
    seen = []

    @testing.parameterize({"n": 1}, {"n": 2})
    class Case:
        def test_n(self):
            seen.append(self.n)
            assert self.n < 3
    Case().test_n()
    assert seen == [1, 2]

    @testing.parameterize({"n": 1}, {"n": 5})
    class Failing:
        def test_n(self):
            assert self.n < 3
    with pytest.raises(AssertionError):
        Failing().test_n()


def test_marks():
    assert testing.installed("numpy>=1", "pytest") and not testing.installed("numpy<1")
    assert not testing.installed("no_such_package_at_all>=1") and testing.numpy_satisfies(">=2")
    for mark, skips in ((testing.multi_gpu(0), False), (testing.with_requires("numpy<1"), True)):
        assert mark.name == "skipif" and mark.args == (skips,)
    drawn = [testing.fix_random()(lambda: cp.random.rand(3).tolist())() for _ in range(2)]
    assert drawn[0] == drawn[1]

    @testing.slow
    def long_one():
        pass
    assert [mark.name for mark in long_one.pytestmark] == ["slow"]


def called_with(decorator):
    seen = []
    decorator(lambda dtype: seen.append(np.dtype(dtype)))()
    return seen


def test_loops__over_dtypes():
    assert called_with(testing.for_float_dtypes(no_float16=True)) == ["f4", "f8"]
    assert called_with(testing.for_complex_dtypes()) == ["c8", "c16"]
    assert {"i1", "i8"} <= {t.str[1:] for t in called_with(testing.for_signed_dtypes())}
    assert np.dtype("?") in called_with(testing.for_int_dtypes()) and np.dtype(
        "?"
    ) not in called_with(testing.for_int_dtypes(no_bool=True))
    assert {t.kind for t in called_with(testing.for_unsigned_dtypes())} == {"u"}
    assert {t.kind for t in called_with(testing.for_all_dtypes())} == set("biufc")
    pairs = []
    testing.for_all_dtypes_combination(names=("a", "b"), no_complex=True)(
        lambda a, b: pairs.append((a, b))
    )()
    assert {(np.float16, np.bool_), (np.uint8, np.uint8), (np.int64, np.float64)} <= set(pairs)


@pytest.mark.parametrize(
    "decorator, values",
    [
        (lambda: testing.numpy_cupy_allclose(), lambda xp: xp.ones(2) + (xp is cp) * 1e-3),
        (
            lambda: testing.numpy_cupy_array_equal(),
            lambda xp: xp.ones(2, "f4" if xp is cp else "f8"),
        ),
        (
            lambda: testing.numpy_cupy_array_equal(strides_check=True),
            lambda xp: xp.ones((2, 3), order="F" if xp is cp else "C"),
        ),
        (
            lambda: testing.numpy_cupy_allclose(accept_error=True),
            lambda xp: xp.ones(2) if xp is cp else 1 / 0,
        ),
        (
            lambda: testing.numpy_cupy_allclose(accept_error=True),
            lambda xp: 1 / 0 if xp is cp else [][1],
        ),
        (
            lambda: testing.numpy_cupy_array_list_equal(),
            lambda xp: [xp.ones(2)] * (1 if xp is cp else 2),
        ),
        (lambda: testing.numpy_cupy_allclose(), lambda xp: [xp.ones(2)] * (1 if xp is cp else 2)),
        (lambda: testing.numpy_cupy_equal(), lambda xp: xp is cp),
        (lambda: testing.numpy_cupy_array_less(), lambda xp: xp.ones(2)),
        (
            lambda: testing.numpy_cupy_array_max_ulp(),
            lambda xp: xp.ones(2) * (1 + (xp is cp) * 1e-12),
        ),
        (
            lambda: testing.numpy_cupy_array_almost_equal_nulp(),
            lambda xp: xp.ones(2) * (1 + (xp is cp) * 1e-12),
        ),
        (
            lambda: testing.numpy_cupy_array_almost_equal(),
            lambda xp: xp.ones(2) * (1 + (xp is cp) * 1e-3),
        ),
    ],
)
def test_comparison__that_must_fail(decorator, values):
    with pytest.raises(AssertionError):
        decorator()(lambda xp: values(xp))()


def test_errors__that_are_not_accepted_are_raised():
    with pytest.raises(ZeroDivisionError):
        testing.numpy_cupy_allclose(accept_error=ValueError)(lambda xp: 1 / 0)()


def test_assertions_and_arrays():
    x = testing.shaped_arange((2, 3), dtype=cp.float64)
    assert isinstance(x, cp.ndarray)
    testing.assert_allclose(x, [[1, 2, 3], [4, 5, 6]])
    testing.assert_array_list_equal([x, x], [x.get(), x])
    for failing in (
        lambda: testing.assert_array_equal(x, x + 1),
        lambda: testing.assert_array_less(x, x),
        lambda: testing.assert_array_list_equal([x], [x, x]),
    ):
        with pytest.raises(AssertionError):
            failing()
    assert testing.shaped_arange((3,), np, bool).tolist() == [False, True, False]
    assert testing.shaped_linspace(0, 1, (2, 2), np).tolist() == [
        [0, np.float32(1 / 3)],
        [np.float32(2 / 3), 1],
    ]
    a, b = (
        testing.shaped_random((4, 5), np, "c8", seed=3),
        testing.shaped_random((4, 5), cp, "c8", seed=3),
    )
    assert (
        (b.get() == a).all()
        and abs(a.real).max() < 10
        and testing.shaped_random((9,), np, bool).dtype == bool
    )
    values = np.array([3.0, 2.0, 0.5])
    m = testing.generate_matrix((2, 4, 3), cp, np.float64, singular_values=values)
    assert np.allclose(np.linalg.svd(m.get(), compute_uv=False), values)
    for bad in (
        lambda: testing.generate_matrix((3,)),
        lambda: testing.generate_matrix((2, 2), singular_values=[1, -1]),
    ):
        with pytest.raises(ValueError):
            bad()
    assert testing.product({"a": [1, 2], "b": [3]}) == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]
    assert testing.product([[{"a": 1}], [{"b": 2}, {"b": 3}]]) == [
        {"a": 1, "b": 2},
        {"a": 1, "b": 3},
    ]


def test_numpy_cupy_raises__wants_an_exception_of_both():
    def bad(xp):
        xp.ones(3).reshape(2)

    def fine(xp):
        return 1

    def one(xp):
        if xp is not np:
            raise ValueError("ours")

    testing.numpy_cupy_raises()(bad)()
    testing.numpy_cupy_raises(accept_error=ValueError)(bad)()
    with pytest.raises(ValueError):
        testing.numpy_cupy_raises(accept_error=TypeError)(bad)()
    for wrong in fine, one:
        with pytest.raises(AssertionError):
            testing.numpy_cupy_raises()(wrong)()


def test_generate_seed__is_fixed_in_a_test():
    seeds = []

    @testing.fix_random()
    def test():
        seeds.append((testing.generate_seed(), testing.generate_seed()))

    test()
    test()
    assert seeds[0] == seeds[1] and seeds[0][0] != seeds[0][1]
    with pytest.raises(AssertionError, match="fix_random"):
        testing.generate_seed()


def test_assert_function_is_called():
    for target in "cupy.asnumpy", "heddle.cupy.asnumpy":
        with testing.assert_function_is_called(target):
            cp.asnumpy(1)
        with testing.AssertFunctionIsCalled(target, times_called=2, return_value=3):
            assert cp.asnumpy(1) + cp.asnumpy(2) == 6
        with pytest.raises(AssertionError, match="0 times"):
            with testing.assert_function_is_called(target):
                pass


def test_alias_bases__test_a_function_beside_numpys():
    class Values(testing.NumpyAliasValuesTestBase):
        func, args = "broadcast_shapes", ((3, 1), (1, 4))

    class Basic(testing.NumpyAliasBasicTestBase):
        func = "broadcast_shapes"

    Values("test_values").test_values()
    Basic("test_docstring").test_docstring()
    Values.cupy_func = staticmethod(lambda *args: None)
    with pytest.raises(AssertionError):
        Values("test_values").test_values()
