# SPDX-License-Identifier: BSD-3-Clause
"""heddle.typing, and small things that programs written for NumPy ask the package for."""
import inspect
import typing

import heddle
import numpy as np
import pytest


def test_ndarray_of_a_dtype():
    from heddle.typing import ArrayLike, DTypeLike, NDArray

    def double(x: NDArray[np.float64], like: ArrayLike, dtype: DTypeLike = None) -> NDArray[np.float64]:
        return 2 * x

    hint = typing.get_type_hints(double)["x"]
    assert typing.get_origin(hint) is heddle.ndarray
    assert typing.get_args(hint)[1] == np.dtype[np.float64]
    assert heddle.typing.NDArray[typing.Any] == NDArray[typing.Any]
    assert "typing" in dir(heddle)


def test_exceptions_are_numpys():
    for name in ("AxisError", "RankWarning", "TooHardError", "ModuleDeprecationWarning"):
        assert getattr(heddle.exceptions, name) is getattr(np.exceptions, name)


def test_size__axes():
    for axis, want in ((None, 24), (1, 3), (-1, 4), ((0, 2), 8), ([1], 3), ((), 1)):
        assert heddle.size(heddle.zeros((2, 3, 4)), axis) == want
    assert heddle.size([[1, 2, 3]], axis=1) == 3
    with pytest.raises(ValueError):
        heddle.size(heddle.zeros((2, 3)), (0, 0))


@pytest.mark.parametrize("given", [[0, 1, 2, 0], (0, 1, 0), [0, 0], range(3), [1.5], []])
def test_trim_zeros__sequences_stay_what_they_are(given):
    want = np.trim_zeros(given)
    got = heddle.trim_zeros(given)
    assert type(got) is type(want) and list(got) == list(want)


def own_callables(module):
    """What a module has of heddle's own that can be called, by name."""
    for name in module.__all__:
        value = getattr(module, name)
        if callable(value) and (getattr(value, "__module__", None) or "heddle").startswith("heddle"):
            yield name, value


@pytest.mark.parametrize(("module", "most"), [(heddle, 280), (heddle.linalg, 30), (heddle.fft, 18), (heddle.random, 50)],
                         ids=lambda x: getattr(x, "__name__", ""))
def test_signature__of_every_public_callable(module, most):
    seen = dict(own_callables(module))
    assert len(seen) >= most
    for name, value in seen.items():
        assert inspect.signature(value) is not None, name
