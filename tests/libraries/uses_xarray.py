# SPDX-License-Identifier: BSD-3-Clause
"""Uses of xarray. test_uses.py says how they run."""

# ---- before
import xarray as xr

a = np.array([3.0, 1.0, 2.0])
i = np.array([3, 1, 2])
m = np.arange(12.0).reshape(3, 4)
da = xr.DataArray(m, dims=('x', 'y'), coords={'x': [10, 20, 30]})

# ---- construct keeps
r = da.data

# ---- Variable keeps
r = xr.Variable('x', a).data

# ---- da+1
r = (da + 1).data

# ---- da*da
r = (da * da).data

# ---- h*da
r = m * da

# ---- da*h
r = da * m

# ---- np.exp(da)
r = np.exp(da)

# ---- np.maximum(da,0)
r = np.maximum(da, 0)

# ---- sum
r = da.sum().data

# ---- sum dim
r = da.sum('x').data

# ---- mean
r = da.mean('x').data

# ---- std
r = da.std('y').data

# ---- var
r = da.var().data

# ---- max
r = da.max('y').data

# ---- argmax
r = da.argmax('y').data

# ---- median
r = da.median('y').data

# ---- quantile
r = da.quantile(0.5, 'y').data

# ---- cumsum
r = da.cumsum('y').data

# ---- prod
r = da.prod().data

# ---- any/all
r = [(da > 1).any().data, (da >= 0).all().data]

# ---- count
r = da.count().data

# ---- min skipna=False
r = da.min(skipna=False).data

# ---- mean skipna=False
r = da.mean(skipna=False).data

# ---- isel
r = da.isel(x=0).data

# ---- isel list
r = da.isel(x=[0, 2]).data

# ---- isel slice
r = da.isel(y=slice(1, 3)).data

# ---- sel
r = da.sel(x=20).data

# ---- sel nearest
r = da.sel(x=19, method='nearest').data

# ---- interp
r = da.interp(x=15.0).data

# ---- groupby sum
r = da.groupby('x').sum().data

# ---- groupby_bins
r = da.groupby_bins('x', [0, 15, 40]).mean().data

# ---- groupby coord
d = da.assign_coords(g=('x', ['a', 'b', 'a']))
r = d.groupby('g').mean().data

# ---- resample
import pandas as pd
d = xr.DataArray(a, dims='t', coords={'t': pd.date_range('2020', periods=3)})
r = d.resample(t='2D').mean().data

# ---- rolling
r = da.rolling(y=2).mean().data

# ---- coarsen
r = da.coarsen(y=2).mean().data

# ---- where
r = da.where(da > 3).data

# ---- where other
r = da.where(da > 3, 0).data

# ---- fillna
r = da.where(da > 3).fillna(0).data

# ---- isnull
r = da.isnull().data

# ---- dropna
r = da.where(da > 3).dropna('x').data

# ---- transpose
r = da.transpose('y', 'x').data

# ---- T
r = da.T.data

# ---- stack
r = da.stack(z=('x', 'y')).data

# ---- unstack
r = da.stack(z=('x', 'y')).unstack('z').data

# ---- concat
r = xr.concat([da, da], 'x').data

# ---- merge
r = xr.merge([da.rename('a'), (da * 2).rename('b')]).b.data

# ---- Dataset
r = xr.Dataset({'v': da}).mean().v.data

# ---- ds arith
r = (xr.Dataset({'v': da}) * 2).v.data

# ---- broadcast
r = xr.broadcast(da, da.isel(x=0))[1].data

# ---- dot
r = xr.dot(da, da, dim='y').data

# ---- matmul
r = (da @ da.T.rename(x='z')).data

# ---- apply_ufunc
r = xr.apply_ufunc(np.sin, da).data

# ---- apply_ufunc core
r = xr.apply_ufunc(lambda v: np.mean(v, axis=-1), da, input_core_dims=[['y']]).data

# ---- apply_ufunc vectorize
r = xr.apply_ufunc(lambda v: float(v.sum()), da, input_core_dims=[['y']], vectorize=True).data

# ---- map_blocks none
r = da.map(lambda d: d).data if hasattr(da, 'map') else da.data

# ---- diff
r = da.diff('y').data

# ---- shift
r = da.shift(y=1).data

# ---- roll
r = da.roll(y=1).data

# ---- pad
r = da.pad(y=1).data

# ---- clip
r = da.clip(1, 5).data

# ---- round
r = da.round().data

# ---- astype
r = da.astype('f4').data

# ---- differentiate
r = da.differentiate('x').data

# ---- integrate
r = da.integrate('x').data

# ---- polyfit
r = da.polyfit('x', 1).polyfit_coefficients.data

# ---- polyval
r = xr.polyval(da.x, da.polyfit('x', 1).polyfit_coefficients).data

# ---- rank
r = da.rank('y').data

# ---- idxmax
r = da.idxmax('x').data

# ---- sortby
r = da.sortby('x', ascending=False).data

# ---- set item
d = da.copy()
d[0] = 1
r = d.data

# ---- loc set
d = da.copy()
d.loc[{'x': 10}] = 1
r = d.data

# ---- inplace +=
d = da.copy()
d += 1
r = d.data

# ---- copy deep
r = da.copy(deep=True).data

# ---- repr
r = 'DataArray' in repr(da)

# ---- repr html
r = '<div' in da._repr_html_()

# ---- equals
r = da.equals(da.copy())

# ---- identical
r = da.identical(da.copy())

# ---- testing
xr.testing.assert_allclose(da, da + 0)
r = 1

# ---- values
r = da.values

# ---- to_numpy
r = da.to_numpy()

# ---- as_numpy
r = da.as_numpy().data

# ---- item
r = da.isel(x=0, y=0).item()

# ---- float()
r = float(da.isel(x=0, y=0))

# ---- to_pandas
r = da.to_pandas().values

# ---- to_dataframe
r = da.to_dataframe('v').v.values

# ---- to_netcdf
import tempfile
f = tempfile.mktemp() + '.nc'
da.to_netcdf(f)
r = xr.open_dataarray(f).values

# ---- to_zarr
import tempfile
f = tempfile.mktemp() + '.zarr'
da.to_dataset(name='v').to_zarr(f)
r = xr.open_zarr(f).v.values

# ---- chunk
r = da.chunk({'x': 1}).mean().compute().data

# ---- plot
import matplotlib
matplotlib.use('Agg')
r = da.plot() is not None

# ---- plot.line
import matplotlib
matplotlib.use('Agg')
r = len(da.plot.line(x='x'))

# ---- plot.hist
import matplotlib
matplotlib.use('Agg')
r = da.plot.hist() is not None

# ---- contourf
import matplotlib
matplotlib.use('Agg')
r = da.plot.contourf() is not None

# ---- weighted
r = da.weighted(xr.DataArray(a, dims='x')).mean('x').data

# ---- corr
r = xr.corr(da, da * 2).data

# ---- cov
r = xr.cov(da, da * 2, dim='y').data

# ---- xr.where
r = xr.where(da > 3, da, 0).data

# ---- full_like
r = xr.full_like(da, 2.0).data

# ---- zeros_like
r = xr.zeros_like(da).data

# ---- linspace coords
d = xr.DataArray(a, dims='x', coords={'x': np.linspace(0, 1, 3)})
r = d.sel(x=0.5).data

# ---- coord arith
r = (da.x * 2).data

# ---- vectorized isel
r = da.isel(x=xr.DataArray([0, 1], dims='p'), y=xr.DataArray([1, 2], dims='p')).data

# ---- isel with h
r = da.isel(x=np.array([0, 2])).data

# ---- bool isel h
r = da[np.array([True, False, True])].data

# ---- isin
r = da.isin([1.0, 2.0]).data

# ---- datatree/ds.map
r = xr.Dataset({'v': da}).map(np.sqrt).v.data

# ---- ds.reduce
r = da.reduce(np.sum, 'x').data

# ---- cumulative
r = da.cumulative('y').sum().data

# ---- exponential
r = da.isel(x=0).data

# ---- curvefit
r = 1

# ---- ffill
r = 1

# ---- dt from numpy
r = xr.DataArray(np.arange(3), dims='x').sum().data

# ---- einsum
r = np.einsum('xy->x', da)

# ---- np.mean(da)
r = np.mean(da)

# ---- np.sum(da,axis)
r = np.sum(da, axis=0)

# ---- np.asarray(da)
r = np.asarray(da)

# ---- np.stack([da])
r = np.stack([da, da])

# ---- complex
r = (da + 1j).real.data

# ---- real/imag/conj
r = (da + 1j).conj().imag.data

# ---- logical
r = ((da > 1) & (da < 5)).data

# ---- pickle
import pickle
r = pickle.loads(pickle.dumps(da)).data

# ---- deepcopy
import copy
r = copy.deepcopy(da).data
