# SPDX-License-Identifier: BSD-3-Clause
"""Distributions of whole vectors, which are the last axis of what is drawn: docs/design/random.md
has every formula."""
from operator import index

from ._heddle import asarray, elementwise, empty, stack, where, zeros
from ._parameters import as_shape, count, parameter, refuse, shape_of
from ._rounds import Rounds

_exp, _log, _maximum, _sqrt = (elementwise[name][0] for name in ("exp", "log", "maximum", "sqrt"))

_MINUS_INF = float("-inf")
_SMALL_ALPHA = 0.1      # below it gamma numbers may all be too small for a float64
_COLORS_LIMIT = 2**63 - 1
_MARGINALS_LIMIT = 10**9


class Vectors(Rounds):
    """The methods of a Generator that draw vectors."""

    # ---- outcomes of trials ---------------------------------------------------------------------

    def multinomial(self, n, pvals, size=None):
        """How often each outcome comes in n trials; pvals has their probabilities along its last
        axis. The last outcome has what the others leave."""
        if size is None and (x := self._stream.one_multinomial(n, pvals)) is not None:
            return x
        n, pvals = count(n), parameter(pvals)
        pvals = asarray(pvals, float)
        refuse(n < 0, "n < 0")
        if pvals.ndim == 0 or pvals.shape[-1] == 0:
            raise ValueError("pvals must have at least 1 dimension and the last dimension of pvals "
                             "must be greater than 0.")
        if bool(((pvals < 0) | (pvals > 1) | (pvals != pvals)).any()):
            raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
        if bool((pvals[..., :-1].sum(axis=-1) > 1.0 + 1e-12).any()):
            raise ValueError("sum(pvals[:-1]) > 1.0")
        shape = shape_of(size, n, pvals[..., 0])
        left, rest, counts = n, 1.0, []
        for k in range(pvals.shape[-1] - 1):
            p = pvals[..., k]
            share = where(p < rest, p / where(p < rest, rest, 1.0), where(p > 0, 1.0, 0.0))
            counts.append(self._stream.binomial(shape, left, share, None))
            left, rest = left - counts[-1], rest - p
        if not counts:
            left = left + self._stream.binomial(shape, 0, 0.0, None)
        return stack([*counts, left], axis=-1)

    # ---- points of a simplex ---------------------------------------------------------------------

    def dirichlet(self, alpha, size=None):
        """Vectors of len(alpha) parts that add up to 1, of density proportional to the product of
        part**(alpha - 1): of shape size, and one more axis.

        TypeError if alpha has no axis; ValueError if it has several, or a part is below 0.
        """
        if getattr(alpha, "shape", None) == () or not hasattr(alpha, "__len__"):
            raise TypeError(f"object of type {type(alpha).__name__!r} has no len()")
        if isinstance(alpha, (str, bytes, dict, set)):
            raise ValueError(f"alpha must be a row of numbers, not {type(alpha)}")
        alpha = asarray(parameter(alpha), float)
        if alpha.ndim != 1:
            raise ValueError("setting an array element with a sequence. The requested array would "
                             "exceed the maximum number of dimension of 1.")
        self._check_alpha(alpha)
        shape = _lines(size) + alpha.shape
        largest = float(alpha.max()) if alpha.size else 1.0
        if largest >= _SMALL_ALPHA or largest == 0:
            x = self._stream.gamma(shape, alpha, 1.0, float)
        else:       # also where one is nan, and then all are
            e = self.standard_exponential(shape)
            log = _log(self._stream.gamma(shape, alpha + 1.0, 1.0, float))
            log = where(alpha == 0, _MINUS_INF, log - e / _maximum(alpha, 1e-300))
            x = _exp(log - log.max(axis=-1, keepdims=True))
        total = x.sum(axis=-1, keepdims=True)
        return x / (total if largest > 0 else 1.0)

    @staticmethod
    def _check_alpha(alpha):
        refuse(alpha < 0, "alpha < 0")

    # ---- normal vectors --------------------------------------------------------------------------

    def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *,
                            method="svd"):
        """Normal vectors of that mean (n,) and covariance cov (n, n): of shape size, and (n,).

        check_valid: "warn", "raise" or "ignore" where cov is not symmetric and positive
        semidefinite within tol. method: "svd", "eigh" or "cholesky", how its root is found. The
        root by "cholesky" exists of positive definite covariances only and reads one triangle.
        ValueError for other shapes and words, TypeError for complex numbers, LinAlgError where
        there is no such root.
        """
        if method not in ("eigh", "svd", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        mean = _numbers(mean, "mean must be 1 dimensional")
        cov = _numbers(cov, "cov must be 2 dimensional and square")
        if "c" in (mean.dtype.kind, cov.dtype.kind):
            raise TypeError("mean and cov must not be complex")
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if mean.shape[0] != cov.shape[0]:
            raise ValueError("mean and cov must have same length")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
        shape = _lines(size) + mean.shape
        z = self.standard_normal(shape)
        root, valid = _root(cov.astype(float), tol, method)
        if method != "cholesky" and check_valid != "ignore" and not bool(valid):
            text = "covariance is not symmetric positive-semidefinite."
            if check_valid == "raise":
                raise ValueError(text)
            from warnings import warn
            warn(text, RuntimeWarning, stacklevel=2)
        return mean + z @ root

    # ---- counts ----------------------------------------------------------------------------------

    def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
        """How many of each color are among nsample that are drawn without putting any back, where
        there are colors[k] of color k: of shape size, and one more axis.

        method: "marginals" or "count", which are drawn alike; the first has NumPy's limit of 10**9
        for the sum. ValueError for colors that are not a row of non-negative integers, and where
        nsample is negative, no integer or above their sum.
        """
        if method not in ("count", "marginals"):
            raise ValueError('method must be "count" or "marginals".')
        colors, total = _colors(colors)
        try:
            nsample = index(nsample)
        except TypeError:
            raise ValueError("nsample must be an integer") from None
        if nsample < 0:
            raise ValueError("nsample must be nonnegative.")
        if total > _COLORS_LIMIT:
            raise ValueError("sum(colors) must not exceed the maximum value of a 64 bit signed "
                             f"integer ({_COLORS_LIMIT})")
        if method == "marginals" and total >= _MARGINALS_LIMIT:
            raise ValueError('When method is "marginals", sum(colors) must be less than '
                             f"{_MARGINALS_LIMIT}.")
        if nsample > total:
            raise ValueError("nsample > sum(colors)")
        shape, counts = _lines(size), []
        left = zeros(shape, int) + nsample
        for color in colors[:-1]:
            total -= color
            counts.append(self._urn(color, total, left, shape))
            left = left - counts[-1]
        if not colors:
            return empty((*shape, 0), int)
        return stack([*counts, left], axis=-1)


def _lines(size):
    """The shape of the vectors: size is that of a scalar if it is None."""
    shape = () if size is None else as_shape(size)
    if any(n < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


def _numbers(x, wanted):
    """x as an array; what has no dtype of ours is not what is wanted, whatever its shape."""
    try:
        return asarray(x)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(wanted) from None


def _root(cov, tol, method):
    """r with transpose(r) @ r = cov, and whether cov is a covariance (None by Cholesky)."""
    from . import linalg
    if method == "cholesky":
        return linalg.cholesky(cov).T, None
    if method == "eigh":
        s, u = linalg.eigh(cov)
        return (u * _sqrt(abs(s))).T, (s >= -tol).all()
    _, s, v = linalg.svd(cov)
    near = abs((v.T * s) @ v - cov) <= tol + tol * abs(cov)
    return _sqrt(s)[:, None] * v, near.all()


def _colors(colors):
    """The numbers of each color as ints, and their sum."""
    wanted = ("colors must be a one-dimensional sequence of nonnegative integers not exceeding "
              f"{_COLORS_LIMIT}.")
    if not hasattr(colors, "__len__"):
        raise ValueError(wanted)
    colors = _numbers(colors, wanted)
    if colors.ndim == 1 and (colors.size == 0 or colors.dtype.kind in "iu"):
        numbers = colors.tolist()
        if all(0 <= n <= _COLORS_LIMIT for n in numbers):
            return numbers, sum(numbers)
    raise ValueError(wanted)
