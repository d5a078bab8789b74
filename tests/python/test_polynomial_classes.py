# SPDX-License-Identifier: BSD-3-Clause
"""The six classes of numpy.polynomial: coefficients and values are arrays of ours, equal to NumPy's."""
import importlib
import pickle

import numpy as np
import pytest

from common import needs_heddle, xp

CLASSES = ["Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE"]
X = np.linspace(-1, 1, 11)
USES = {
    "values": lambda m, C, p: p(m.asarray(X)),
    "values of integers": lambda m, C, p: C([1, 2])(m.arange(3)),
    "coefficients": lambda m, C, p: p.coef,
    "domain": lambda m, C, p: p.domain,
    "window": lambda m, C, p: p.window,
    "sum": lambda m, C, p: (p + C([1, 2, 3, 4], domain=[-2, 2])).coef,
    "product": lambda m, C, p: (p * p).coef,
    "power": lambda m, C, p: (p**3).coef,
    "quotient": lambda m, C, p: (p // C([1, 2], domain=[-2, 2])).coef,
    "array of coefficients": lambda m, C, p: (p * m.asarray([1.0, 2.0])).coef,
    "coefficients on the left": lambda m, C, p: (m.asarray([1.0, 2.0]) - p).coef,
    "composition": lambda m, C, p: p(C([0, 1])).coef,
    "derivative": lambda m, C, p: p.deriv(2).coef,
    "integral": lambda m, C, p: p.integ(2, k=[1, 2], lbnd=0.5).coef,
    "roots": lambda m, C, p: p.roots(),
    "from roots": lambda m, C, p: C.fromroots(m.asarray([1.0, -1.0, 0.5])).coef,
    "fit": lambda m, C, p: C.fit(m.asarray(X), m.asarray(X)**3 - 1, 3).coef,
    "weighted fit": lambda m, C, p: C.fit(m.asarray(X), m.asarray(X)**2, [0, 2], w=m.asarray(X + 2)).coef,
    "fit of several": lambda m, C, p: C.fit(m.asarray(X), m.asarray(X), 1, domain=[0, 4])(m.asarray(X)),
    "points": lambda m, C, p: p.linspace(5)[1],
    "conversion": lambda m, C, p: p.convert(domain=[0, 2]).coef,
    "complex": lambda m, C, p: C([1, 2j])(m.asarray(X)),
    "basis": lambda m, C, p: C.basis(3)(m.asarray(X)),
    "trimmed": lambda m, C, p: C([1.0, 2.0, 1e-20]).trim(1e-10).coef,
}


def both(name, use):
    for m in (xp, np):
        C = getattr(m.polynomial, name)
        yield use(m, C, C([1.0, -2.0, 3.0], domain=[-2, 2]))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("use", USES)
def test_classes__are_of_our_arrays(name, use):
    got, want = both(name, USES[use])
    assert type(got) is xp.ndarray
    assert got.dtype == want.dtype or use == "roots"     # since NumPy 2.5 eigenvalues are complex
    np.testing.assert_allclose(xp.asnumpy(got) if xp is not np else got, want, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("name", CLASSES)
def test_classes__say_what_numpy_s_say(name):
    for use in (lambda m, C, p: repr(p), lambda m, C, p: str(p), lambda m, C, p: f"{p:ascii}",
                lambda m, C, p: p == C([1.0, -2.0, 3.0]), lambda m, C, p: p == p.copy(),
                lambda m, C, p: p.degree(), lambda m, C, p: len(p), lambda m, C, p: repr(C.identity()),
                lambda m, C, p: repr(pickle.loads(pickle.dumps(p)))):
        got, want = both(name, use)
        assert got == want


@needs_heddle
def test_modules__are_our_own():
    names = ["polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e", "polyutils"]
    for name in names:
        ours = importlib.import_module(f"heddle.polynomial.{name}")
        theirs = importlib.import_module(f"numpy.polynomial.{name}")
        assert ours is not theirs and ours.np is xp and theirs.np is np
        assert {n for n in vars(theirs) if n[0] != "_"} == {n for n in vars(ours) if n[0] != "_"}
    assert type(np.polynomial.Polynomial([1, 2]).coef) is np.ndarray
    assert type(np.polynomial.Polynomial.domain) is np.ndarray


@needs_heddle
def test_functions__of_vectors():
    P = xp.polynomial.polynomial
    V = P.polyvander2d(xp.asarray(X), xp.asarray(X), [1, 2])
    np.testing.assert_allclose(xp.asnumpy(V), np.polynomial.polynomial.polyvander2d(X, X, [1, 2]))
    nodes, weights = xp.polynomial.legendre.leggauss(5)
    assert type(nodes) is type(weights) is xp.ndarray
    np.testing.assert_allclose(xp.asnumpy(nodes), np.polynomial.legendre.leggauss(5)[0], atol=1e-15)
    assert type(xp.polynomial.chebyshev.chebinterpolate(xp.tanh, 4)) is xp.ndarray
