# SPDX-License-Identifier: BSD-3-Clause
"""What once went wrong in other libraries, a use for each cause. test_uses.py says how they run."""

# ---- before
import numpy

a = np.arange(3.0)

# ---- masked arrays: a mean heeds the mask
m = numpy.ma.masked_array([1.0, 2.0, 999.0], mask=[0, 0, 1])
r = [float(np.mean(m)), float(np.sum(m))]

# ---- astropy: degrees are degrees
import astropy.units as u
r = float(np.sin(90 * u.deg))

# ---- numpy: shuffle of rows
h = np.arange(20).reshape(10, 2)
numpy.random.default_rng(0).shuffle(h)
r = sorted(h[:, 0].tolist())

# ---- numpy: permutation of rows
h = np.arange(20).reshape(10, 2)
r = numpy.random.default_rng(0).permutation(h)

# ---- scipy: label writes to its output
import scipy.ndimage as nd
o = np.zeros((4, 4), dtype=np.int32)
nd.label(numpy.eye(4) > 0, output=o)
r = o

# ---- scipy: correlate writes to its output
import scipy.ndimage as nd
o = np.zeros(3)
nd.uniform_filter(a, 2, output=o)
r = o

# ---- pandas: functions of a Series are Series
import pandas as pd
s = pd.Series([1.0, 2.0])
r = [type(f(s)).__name__ for f in (np.sqrt, np.exp)] + [float(np.sum(s)), float(np.mean(s))]

# ---- pint: functions of a quantity have units
import pint
u = pint.UnitRegistry()
q = numpy.ones(3) * u.m
r = [str(np.sum(q).units), str(np.linspace(0 * u.m, 1 * u.m, 3).units), str((q * a).units)]

# ---- xarray: functions of a DataArray are DataArrays
import xarray as xr
x = xr.DataArray(numpy.ones(3))
r = [type(f(x)).__name__ for f in (np.sum, np.sqrt, np.exp, np.mean)]

# ---- dask: functions of its arrays are lazy
import dask.array as da
d = da.ones(3)
r = [type(f(d)).__name__ for f in (np.sum, np.sqrt, np.exp, np.mean)]

# ---- pandas: a mask selects rows
import pandas as pd
d = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
r = d[np.array([3.0, 1.0, 2.0]) > 1.5].x.values

# ---- pandas: to_numpy() of a mask selects rows
import pandas as pd
d = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
m = np.array([3.0, 1.0, 2.0]) > 1.5
r = d[m.to_numpy() if hasattr(m, "to_numpy") else m].x.values

# ---- pandas: rows of results
import pandas as pd
d = pd.DataFrame([{"n": 1, "mean": a.mean()}, {"n": 2, "mean": a.max()}])
r = d["mean"].dtype.name

# ---- pandas: rows of item()s of results
import pandas as pd
d = pd.DataFrame([{"n": 1, "mean": a.mean().item()}, {"n": 2, "mean": a.max().item()}])
r = d["mean"].dtype.name

# ---- datetime: a result as seconds
import datetime
r = datetime.timedelta(seconds=a.sum()).seconds

# ---- datetime: an element as seconds
import datetime
r = datetime.timedelta(seconds=a[2]).seconds

# ---- time: sleep of a result
import time
time.sleep(a.sum() / 1e3)

# ---- decimal: Decimal of a result
import decimal
r = float(decimal.Decimal(a.sum()))

# ---- statistics: mean of results
import statistics
r = float(statistics.mean([a.sum(), a.sum()]))

# ---- sqlite3: a result is stored as a number
import sqlite3
r = sqlite3.connect(":memory:").execute("select ?", (a.sum(),)).fetchone()[0]

# ---- math: trunc of a result
import math
r = math.trunc(a.sum())

# ---- a new axis of a result can be written to
s = a.sum()
r = []
for f in (lambda: s[None], lambda: np.expand_dims(s, 0), lambda: s.reshape(1)):
    z = f()
    z[0] = 5.0
    r.append(float(z[0]))

# ---- scipy: array API on, statistics of one sample
import scipy.stats as st
r = [float(v) for f in (st.pearsonr, st.spearmanr) for v in f(a, a ** 2)]

# ---- array_api_extra: nunique
import array_api_extra as xpx
r = int(xpx.nunique(np.asarray([1, 1, 2])))

# ---- clip with a minimum only
r = np.clip(a, 1.0)

# ---- opencv: a filter
import cv2
r = cv2.GaussianBlur(np.zeros((9, 9, 3), dtype=np.uint8), (3, 3), 0)

# ---- opencv: a filter of to_numpy()
import cv2
x = np.full((9, 9, 3), 7, dtype=np.uint8)
r = cv2.GaussianBlur(x.to_numpy() if hasattr(x, "to_numpy") else x, (3, 3), 0)

# ---- pyarrow: a table
import pyarrow as pa
r = pa.table({"a": a}).column("a").to_numpy()

# ---- polars: a Series
import polars as pl
r = pl.Series("x", a).to_numpy()

# ---- einops: rearrange
import einops
r = einops.rearrange(np.ones((2, 3)), "a b -> b a")

# ---- einops: rearrange by the array API
import einops.array_api
r = einops.array_api.rearrange(np.ones((2, 3)), "a b -> b a")

# ---- numba: a method in a compiled function
import heddle._numba
import numba
heddle._numba.init()
@numba.njit
def f(x):
    return x.sum()
r = f(a)

# ---- jax: asarray
import jax.numpy as jnp
r = jnp.sin(jnp.asarray(a))

# ---- jax: DLPack
import jax
r = jax.dlpack.from_dlpack(a)

# ---- jax: its functions of an array
import jax.numpy as jnp
r = jnp.sin(a)

# ---- scipy.sparse: arithmetic with elements
import scipy.sparse as sp
A, dx = sp.csr_array(numpy.eye(3)), a[2]
r = [(A / dx).toarray(), (sp.csr_matrix(A) * dx).toarray(), (dx * sp.csr_matrix(A)).toarray()]

# ---- scipy.sparse: sparse + dense
import scipy.sparse as sp
r = sp.csr_array(numpy.eye(3)) + np.ones((3, 3))

# ---- scipy.sparse: dense - sparse
import scipy.sparse as sp
r = np.ones((3, 3)) - sp.csr_array(numpy.eye(3))

# ---- scipy.sparse: functions of a sparse array
import scipy.sparse as sp
r = np.sqrt(sp.csr_array(numpy.eye(3))).toarray()

# ---- scipy.sparse: conjugate gradients
import scipy.sparse.linalg as sl
r = sl.cg(np.eye(3), np.ones(3))[0]

# ---- scipy.sparse: splu
import scipy.sparse as sp
import scipy.sparse.linalg as sl
r = sl.splu(sp.csc_array(numpy.eye(3))).solve(np.ones(3))

# ---- sklearn: parameters that are elements
from sklearn.linear_model import Lasso
X = np.asarray(numpy.random.default_rng(0).random((20, 3)))
r = [Lasso(alpha=al).fit(X, X @ a).coef_ for al in np.logspace(-3, 0, 4)]

# ---- sklearn: a grid of parameters
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
X = np.asarray(numpy.random.default_rng(0).random((20, 3)))
r = GridSearchCV(Ridge(), {"alpha": np.logspace(-3, 0, 4)}).fit(X, X @ a).best_score_

# ---- matplotlib: elements as numbers, colours and counts
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
plt.plot(a, a, alpha=a[1])
plt.plot(a, a, color=np.array([0.1, 0.2, 0.3]))
r = len(plt.subplots(np.array([2])[0])[1])
plt.close("all")

# ---- netCDF4: a variable is written
import netCDF4
with netCDF4.Dataset("x", "w", diskless=True) as d:
    d.createDimension("x", 3)
    v = d.createVariable("v", "f8", ("x",))
    v[:] = a
    r = v[:].data

# ---- netCDF4: a variable is written from to_numpy()
import netCDF4
with netCDF4.Dataset("x", "w", diskless=True) as d:
    d.createDimension("x", 3)
    v = d.createVariable("v", "f8", ("x",))
    v[:] = numpy.asarray(a)
    r = v[:].data

# ---- h5py: a dataset is written and read
import io
import h5py
f = h5py.File(io.BytesIO(), "w")
f["x"] = a
r = f["x"][:]

# ---- h5py: read_direct
import io
import h5py
f = h5py.File(io.BytesIO(), "w")
f["x"] = a
r = np.zeros(3)
f["x"].read_direct(r)

# ---- h5py: a mask selects
import io
import h5py
f = h5py.File(io.BytesIO(), "w")
f["x"] = a
r = f["x"][a > 1]

# ---- sympy: a number of an element
import sympy
r = float(sympy.Float(a[1]))

# ---- sympy: an element for a symbol
import sympy
x = sympy.Symbol("x")
r = float(sympy.sin(x).evalf(subs={x: a[1]}))

# ---- xarray: vectorized selection
import xarray as xr
d = xr.DataArray(np.ones((3, 4)), dims=("x", "y"))
r = d.isel(x=xr.DataArray([0, 1], dims="p"), y=xr.DataArray([1, 2], dims="p")).values

# ---- dask: blocks stay ours
import dask.array as da
d = da.from_array(np.ones((4, 4)), chunks=2, asarray=False)
r = isinstance((d + 1).sum(axis=0).compute(), np.ndarray)

# ---- names: dir()
r = "float32" in dir(np)

# ---- names: the version is compared
r = np.lib.NumpyVersion(np.__version__) >= "2.0.0"

# ---- submodules: testing is imported
import importlib
r = importlib.import_module(np.__name__ + ".testing").assert_allclose.__name__

# ---- digits: cos of a small number
r = float(np.cos(np.asarray(1e-9)))

# ---- scipy: L-BFGS-B gets arrays of NumPy's
import scipy.optimize as so
def f(p):
    return np.sum((np.asarray(p) - a) ** 2), 2 * (np.asarray(p) - a)
r = so.minimize(f, numpy.zeros(3), jac=True, method="L-BFGS-B").x

# ---- skimage: objects are removed
from skimage.morphology import remove_small_objects
m = numpy.random.default_rng(0).random((16, 16)) > 0.5
r = remove_small_objects(np.asarray(m), max_size=3)

# ---- collections: arrays are not hashable
from collections.abc import Hashable
r = isinstance(np.ones(2), Hashable)

# ---- fractions: arrays of objects
from fractions import Fraction
r = [str(v) for v in np.arange(3) * Fraction(1, 2)]

# ---- uncertainties: arrays of objects
import uncertainties
r = [str(v) for v in np.arange(3) * uncertainties.ufloat(1, 0.1)]

# ---- sympy: arrays of objects
import sympy
r = [str(v) for v in np.arange(3) * sympy.Symbol("x")]

# ---- numpy: functions that write
h, b, r = np.arange(3.0), numpy.arange(3.0), []
numpy.place(h, h > 1, 0)
numpy.add.at(b, np.array([0, 1, 2]), h)
r = [h, b, numpy.dot(np.eye(2), np.eye(2), out=np.zeros((2, 2)))]
r.append(numpy.percentile(h, 50, out=np.zeros(())))

# ---- numpy: random numbers into an array
r = np.zeros(3)
numpy.random.default_rng(0).random(out=r)

# ---- numpy: random numbers into asarray()
r = np.zeros(3)
numpy.random.default_rng(0).random(out=numpy.asarray(r))

# ---- asarray of an array of NumPy's shares it
b = numpy.zeros(3)
h = np.asarray(b)
h += 5
r = b

# ---- asarray of an array of NumPy's shares it with copy=False
b = numpy.zeros(3)
h = np.asarray(b, copy=False)
h += 5
r = b
