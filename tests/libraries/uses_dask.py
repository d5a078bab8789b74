# SPDX-License-Identifier: BSD-3-Clause
"""Uses of Dask, with arrays of ours as blocks. test_uses.py says how they run."""

# ---- before
import dask, dask.array as da, operator

h = np.arange(24.0).reshape(4, 6)
d = da.from_array(h, chunks=(2, 3), asarray=False)

# ---- compute keeps type
r = d.compute()

# ---- meta type
r = d._meta

# ---- +1
r = (d + 1).compute()

# ---- d+d.T@
r = (d @ d.T).compute()

# ---- sum
r = d.sum().compute()

# ---- sum axis
r = d.sum(axis=0).compute()

# ---- mean
r = d.mean(axis=1).compute()

# ---- std
r = d.std().compute()

# ---- var
r = d.var(axis=0).compute()

# ---- max
r = d.max().compute()

# ---- argmax
r = d.argmax(axis=1).compute()

# ---- any/all
r = [(d > 3).any().compute(), (d >= 0).all().compute()]

# ---- cumsum
r = d.cumsum(axis=0).compute()

# ---- prod
r = (d + 1).prod(axis=0).compute()

# ---- nansum
r = da.nansum(d).compute()

# ---- nanmean
r = da.nanmean(d, axis=0).compute()

# ---- median
r = da.median(d, axis=0).compute()

# ---- percentile
r = da.percentile(d.ravel(), [25, 50]).compute()

# ---- quantile
r = da.quantile(d, 0.5, axis=1).compute()

# ---- slice
r = d[1:3, ::2].compute()

# ---- fancy
r = d[[0, 2]].compute()

# ---- fancy h
r = d[np.array([0, 2])].compute()

# ---- mask
r = d[d > 5].compute()

# ---- mask h
r = d[np.array([True, False, True, False])].compute()

# ---- int
r = d[1, 2].compute()

# ---- newaxis
r = d[:, None].compute()

# ---- setitem
e = d.copy()
e[0] = 9
r = e.compute()

# ---- setitem mask
e = d.copy()
e[e > 5] = 0
r = e.compute()

# ---- map_blocks
r = d.map_blocks(np.sin).compute()

# ---- map_blocks lambda
r = d.map_blocks(lambda b: b * 2 + np.ones(b.shape)).compute()

# ---- map_overlap
r = d.map_overlap(lambda b: b * 2, depth=1, boundary='reflect').compute()

# ---- blockwise
r = da.blockwise(operator.add, 'ij', d, 'ij', d, 'ij', dtype=float).compute()

# ---- elementwise numpy ufunc
r = numpy.exp(-d).compute()

# ---- elementwise np ufunc
r = da.asarray(np.exp(-d)).compute()

# ---- da.exp
r = da.exp(-d).compute()

# ---- where
r = da.where(d > 3, d, 0).compute()

# ---- clip
r = da.clip(d, 1, 5).compute()

# ---- tensordot
r = da.tensordot(d, d, axes=([1], [1])).compute()

# ---- dot
r = da.dot(d, d.T).compute()

# ---- einsum
r = da.einsum('ij,kj->ik', d, d).compute()

# ---- matmul
r = da.matmul(d, d.T).compute()

# ---- outer
r = da.outer(d[0], d[1]).compute()

# ---- transpose
r = d.T.compute()

# ---- reshape
r = d.reshape(2, 2, 6).compute()

# ---- ravel
r = d.ravel().compute()

# ---- rechunk
r = d.rechunk((4, 1)).compute()

# ---- concatenate
r = da.concatenate([d, d]).compute()

# ---- stack
r = da.stack([d, d]).compute()

# ---- vstack
r = da.vstack([d, d]).compute()

# ---- block
r = da.block([[d, d], [d, d]]).compute()

# ---- broadcast
r = da.broadcast_to(d[0], (3, 6)).compute()

# ---- roll
r = da.roll(d, 1, axis=0).compute()

# ---- flip
r = da.flip(d, 0).compute()

# ---- pad
r = da.pad(d, 1).compute()

# ---- pad reflect
r = da.pad(d, 1, mode='reflect').compute()

# ---- repeat
r = da.repeat(d, 2, axis=0).compute()

# ---- tile
r = da.tile(d, 2).compute()

# ---- diff
r = da.diff(d, axis=0).compute()

# ---- gradient
r = da.gradient(d, axis=0).compute()

# ---- histogram
r = da.histogram(d, bins=4, range=(0, 24))[0].compute()

# ---- bincount
r = da.bincount(da.from_array(np.array([0, 1, 1]), asarray=False)).compute()

# ---- unique
r = da.unique(d).compute()

# ---- isin
r = da.isin(d, [1.0, 2.0]).compute()

# ---- topk
r = da.topk(d, 2, axis=1).compute()

# ---- argtopk
r = da.argtopk(d, 2, axis=1).compute()

# ---- searchsorted
r = da.searchsorted(d[0].rechunk(-1), da.from_array(np.array([1.5]), asarray=False)).compute()

# ---- digitize
r = da.digitize(d, numpy.array([3.0, 9.0])).compute()

# ---- svd
r = da.linalg.svd(d.rechunk((2, 6)).rechunk((4, 6)))[1].compute()

# ---- svd tall
tall = da.from_array(np.arange(60.0).reshape(20, 3) % 7, chunks=(5, 3), asarray=False)
r = da.linalg.svd(tall)[1].compute()

# ---- qr
r = abs(da.linalg.qr(d.rechunk((2, 6)).T.rechunk((3, 4)))[1]).compute()

# ---- tsqr
tall = da.from_array(np.arange(60.0).reshape(20, 3) % 7, chunks=(5, 3), asarray=False)
r = abs(da.linalg.tsqr(tall)[1]).compute()

# ---- svd_compressed
r = da.linalg.svd_compressed(d, 2, seed=0)[1].compute().shape

# ---- lu
r = da.linalg.lu(da.from_array(np.eye(4) * 3 + 1, chunks=(2, 2), asarray=False))[2].compute()

# ---- solve
A = da.from_array(np.eye(4) * 3 + 1, chunks=(2, 2), asarray=False)
b = da.from_array(np.ones(4), chunks=2, asarray=False)
r = da.linalg.solve(A, b).compute()

# ---- inv
r = da.linalg.inv(da.from_array(np.eye(4) * 3 + 1, chunks=(2, 2), asarray=False)).compute()

# ---- cholesky
r = da.linalg.cholesky(da.from_array(np.eye(4) * 3 + 1, chunks=(2, 2), asarray=False)).compute()

# ---- lstsq
tall = da.from_array(np.arange(60.0).reshape(20, 3) % 7, chunks=(5, 3), asarray=False)
b = da.from_array(np.ones(20), chunks=5, asarray=False)
r = da.linalg.lstsq(tall, b)[0].compute()

# ---- norm
r = da.linalg.norm(d).compute()

# ---- fft
r = da.fft.fft(d.rechunk((2, 6))).compute()

# ---- apply_along_axis
r = da.apply_along_axis(np.sum, 1, d).compute()

# ---- apply_gufunc
r = da.apply_gufunc(lambda v: np.mean(v, axis=-1), '(i)->()', d.rechunk((2, 6))).compute()

# ---- from_delayed
r = da.from_delayed(dask.delayed(np.ones)((3,)), (3,), dtype=float, meta=np.ones(0)).compute()

# ---- delayed
r = dask.delayed(np.sum)(h).compute()

# ---- delayed list
r = dask.delayed(sum)([h, h]).compute()

# ---- from_array default
r = da.from_array(h, chunks=2).sum().compute()

# ---- asarray
r = da.asarray(h).sum().compute()

# ---- ones_like
r = da.ones_like(d).compute()

# ---- zeros_like
r = da.zeros_like(d).compute()

# ---- full_like
r = da.full_like(d, 2).compute()

# ---- empty like shape
r = da.empty_like(d).compute().shape

# ---- ones_like of h
r = da.ones_like(h, chunks=2).compute()

# ---- arange like
r = da.arange(5, like=h).compute()

# ---- d+h
r = (d + h).compute()

# ---- h+d
r = h + d
r = r.compute() if hasattr(r, 'compute') else r

# ---- h+d type
r = type(h + d).__name__

# ---- h@d
r = h.T @ d
r = r.compute() if hasattr(r, 'compute') else r

# ---- h@d type
r = type(h.T @ d).__name__

# ---- h0*d type
r = type(h[0, 1] * d).__name__

# ---- np.sum(d) type
r = type(np.sum(d)).__name__

# ---- np.exp(d) type
r = type(np.exp(d)).__name__

# ---- np.concatenate([d]) type
r = type(np.concatenate([d, d])).__name__

# ---- processes
r = (d + 1).sum(axis=0).compute(scheduler='processes', num_workers=1)

# ---- threads
r = ((d + 1) ** 2).sum(axis=0).compute(scheduler='threads', num_workers=4)

# ---- sync
r = d.sum().compute(scheduler='sync')

# ---- big threads
x = da.from_array(np.arange(400000.0).reshape(400, 1000), chunks=(50, 100), asarray=False)
r = np.asarray((x * 2 + x.T.T).sum(axis=0).compute())

# ---- persist
r = d.persist().compute()

# ---- store h5
import h5py, io
f = h5py.File(io.BytesIO(), 'w')
ds = f.create_dataset('x', (4, 6))
d.store(ds)
r = ds[:]

# ---- store into h
o = np.zeros((4, 6))
da.store(d, o)
r = o

# ---- to_zarr
import tempfile
f = tempfile.mkdtemp()
d.to_zarr(f + '/z')
r = da.from_zarr(f + '/z').compute()

# ---- map_blocks to numpy
r = d.map_blocks(numpy.asarray).compute()

# ---- numpy->heddle map_blocks
r = da.ones((4, 4), chunks=2).map_blocks(np.asarray).compute()

# ---- da.random cs
r = da.random.default_rng(0).normal(size=(4, 4), chunks=2).map_blocks(np.abs).compute().shape

# ---- tokenize
from dask.base import tokenize
r = tokenize(h) == tokenize(h.copy())

# ---- tokenize differs
from dask.base import tokenize
r = tokenize(h) == tokenize(h + 1)

# ---- nbytes/repr html
r = '<table' in d._repr_html_()

# ---- cov
r = da.cov(d).compute()

# ---- corrcoef
r = da.corrcoef(da.from_array(np.arange(12.0).reshape(3, 4) % 5, chunks=2, asarray=False)).compute()

# ---- average
r = da.average(d, axis=0).compute()

# ---- ptp
r = da.ptp(d, axis=0).compute()

# ---- round
r = d.round(1).compute()

# ---- astype
r = d.astype('f4').compute()

# ---- view
r = d.rechunk((4, 6)).view('i8').compute()

# ---- real/imag
r = (d + 1j * d).imag.compute()

# ---- take
r = da.take(d, [0, 2], axis=1).compute()

# ---- compress
r = da.compress([True, False, True, False], d, axis=0).compute()

# ---- nonzero
r = da.nonzero(d)[0].compute()

# ---- argwhere
r = da.argwhere(d > 5).compute()

# ---- count_nonzero
r = da.count_nonzero(d).compute()

# ---- tril
r = da.tril(d).compute()

# ---- diag
r = da.diag(d[0]).compute()

# ---- eye
r = (da.eye(4, chunks=2) @ d).compute()

# ---- meshgrid
r = da.meshgrid(d[0], d[1])[0].compute()

# ---- insert
r = da.insert(d, 1, 9.0, axis=0).compute()

# ---- delete
r = da.delete(d, 1, axis=0).compute()

# ---- choose
r = da.select([d > 3, d > 1], [d, d * 2]).compute()

# ---- coarsen
r = da.coarsen(np.sum, d, {0: 2}).compute()

# ---- coarsen numpy
r = da.coarsen(numpy.sum, d, {0: 2}).compute()

# ---- reduction custom
def total(x, axis, keepdims):
    return np.sum(x, axis=axis, keepdims=keepdims)
r = da.reduction(d, chunk=total, aggregate=total, dtype=float).compute()

# ---- float(d.sum())
r = float(d.sum())

# ---- int idx dask
r = d[da.from_array(np.array([0, 2]), asarray=False)].compute()

# ---- ufunc out
e = d.copy()
numpy.add(d, 1, out=e)
r = e.compute()

# ---- add.reduce
r = da.add.reduce(d, axis=0).compute() if hasattr(da.add, 'reduce') else d.sum(0).compute()

# ---- distributed LocalCluster
from distributed import Client
with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as c:
    r = (d + 1).sum(axis=0).compute()

# ---- distributed submit
from distributed import Client
with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as c:
    r = c.submit(np.sum, h).result()

# ---- distributed serialize
from distributed.protocol import serialize, deserialize
r = deserialize(*serialize(h))
