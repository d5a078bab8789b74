# SPDX-License-Identifier: BSD-3-Clause
"""Uses of pandas. test_uses.py says how they run."""

# ---- before
import pandas as pd

a = np.array([3.0, 1.0, 2.0])
i = np.array([3, 1, 2])
m = np.arange(12.0).reshape(3, 4)

# ---- DataFrame(dict of h)
r = pd.DataFrame({'x': a, 'y': i}).values

# ---- DataFrame(2d h)
r = pd.DataFrame(m, columns=list('abcd')).sum()

# ---- Series(h)
r = pd.Series(a).mean()

# ---- Series(h, index=h)
r = pd.Series(a, index=i)[1]

# ---- df['z']=h
d = pd.DataFrame({'x': [1, 2, 3]})
d['z'] = a
r = d['z'].values

# ---- df.assign
d = pd.DataFrame({'x': [1, 2, 3]}).assign(z=a)
r = d.z.sum()

# ---- df[mask h]
d = pd.DataFrame({'x': [1, 2, 3]})
r = d[a > 1.5].x.values

# ---- df.loc[mask h]
d = pd.DataFrame({'x': [1, 2, 3]})
r = d.loc[a > 1.5, 'x'].values

# ---- df.loc set
d = pd.DataFrame({'x': [1.0, 2, 3]})
d.loc[a > 1.5, 'x'] = 0.0
r = d.x.values

# ---- df.iloc[h]
d = pd.DataFrame({'x': [1, 2, 3]})
r = d.iloc[i - 1].x.values

# ---- df.iloc scalar
d = pd.DataFrame({'x': [1, 2, 3]})
r = d.iloc[i[1]].x

# ---- Series[mask]
s = pd.Series([1.0, 2, 3])
r = s[a > 1.5].values

# ---- Series + h
r = pd.Series([1.0, 2, 3]) + a

# ---- h + Series
r = a + pd.Series([1.0, 2, 3])

# ---- Series * scalar h
r = pd.Series([1.0, 2, 3]) * a[0]

# ---- scalar h * Series
r = a[0] * pd.Series([1.0, 2, 3])

# ---- Series > h
r = pd.Series([1.0, 2, 3]) > a

# ---- df * h
r = pd.DataFrame({'x': [1, 2, 3], 'y': [1, 2, 3]}) * a[:2]

# ---- df - h 2d
r = pd.DataFrame(np.asarray(m)) - m

# ---- df.isin(h)
r = pd.Series([1.0, 2, 9]).isin(a).values

# ---- np.exp(Series)
r = np.exp(pd.Series([1.0, 2, 3]))

# ---- np.sum(Series)
r = np.sum(pd.Series([1.0, 2, 3]))

# ---- np.mean(df)
r = np.mean(pd.DataFrame({'x': [1, 2, 3]}))

# ---- np.asarray(Series)
r = np.asarray(pd.Series([1.0, 2, 3]))

# ---- np.asarray(df)
r = np.asarray(pd.DataFrame({'x': [1, 2], 'y': [3, 4.0]}))

# ---- np.where(Series>1)
r = np.where(pd.Series([1.0, 2, 3]) > 1, 1, 0)

# ---- np.array(df.x)
r = np.array(pd.DataFrame({'x': [1, 2]}).x) * 2

# ---- np.log(df)
r = np.log(pd.DataFrame({'x': [1.0, 2]}))

# ---- np.maximum(Series,h)
r = np.maximum(pd.Series([1.0, 2, 3]), a)

# ---- np.corrcoef(Series)
r = np.corrcoef(pd.Series([1.0, 2, 3]), a)

# ---- np.polyfit(Series)
r = np.polyfit(pd.Series([1.0, 2, 3]), pd.Series([1.0, 4, 9]), 1)

# ---- np.percentile(Series)
r = np.percentile(pd.Series([1.0, 2, 3]), 50)

# ---- h[Series mask]
r = a[pd.Series([True, False, True])]

# ---- h[Series idx]
r = a[pd.Series([0, 2])]

# ---- h[Index]
r = a[pd.Index([0, 2])]

# ---- groupby(h)
r = pd.DataFrame({'x': [1, 2, 3]}).groupby(i).x.sum().values

# ---- groupby agg np.mean
r = pd.DataFrame({'x': [1, 2, 3.0], 'g': [1, 1, 2]}).groupby('g').x.agg(np.mean).values

# ---- apply(np.sum)
r = pd.DataFrame({'x': [1, 2, 3.0]}).apply(np.sum).values

# ---- apply(np.sqrt)
r = pd.DataFrame({'x': [1, 4, 9.0]}).apply(np.sqrt).values

# ---- Series.apply(np.sqrt)
r = pd.Series([1, 4, 9.0]).apply(np.sqrt).values

# ---- Series.map(lambda)
r = pd.Series([1, 4, 9.0]).map(lambda v: np.sqrt(v) + 1).values

# ---- rolling.apply
r = pd.Series([1, 4, 9.0]).rolling(2).apply(np.mean, raw=True).values

# ---- agg list
r = pd.Series([1, 4, 9.0]).agg([np.min, np.max]).values

# ---- pd.cut(h)
r = pd.cut(a, 3).codes

# ---- pd.cut bins h
r = pd.cut([1.0, 2.0], np.linspace(0, 3, 4)).codes

# ---- qcut
r = pd.qcut(a, 2).codes

# ---- pd.unique(h)
r = pd.unique(i)

# ---- pd.factorize
r = pd.factorize(i)[0]

# ---- pd.isna(h)
r = pd.isna(a)

# ---- pd.isna(scalar)
r = pd.isna(a[0])

# ---- pd.concat
r = pd.concat([pd.Series(a), pd.Series(a)]).values

# ---- pd.Index(h)
r = pd.Index(i).get_loc(1)

# ---- to_datetime(h)
r = pd.to_datetime(i, unit='s').year.values

# ---- date_range(periods=h)
r = len(pd.date_range('2020', periods=i[0]))

# ---- Timedelta(h)
r = pd.Timedelta(seconds=float(a[0])).value

# ---- Timedelta scalar
r = pd.to_timedelta(a, unit='s').total_seconds().values

# ---- crosstab
r = pd.crosstab(i, i).values

# ---- pivot vals
d = pd.DataFrame({'a': i, 'b': i, 'v': a})
r = d.pivot_table(index='a', columns='b', values='v').fillna(0).values

# ---- interp
r = np.interp(pd.Series([1.0, 2.0]), [0, 3], [0, 30])

# ---- fillna(scalar)
r = pd.Series([1.0, None]).fillna(a[0]).values

# ---- fillna(mean)
r = pd.Series([1.0, None]).fillna(np.mean(a)).values

# ---- replace
r = pd.Series([1.0, 2.0]).replace(1.0, a[0]).values

# ---- between
r = pd.Series([1.0, 2.0]).between(a[1], a[2]).values

# ---- query @h
v = a[2]
r = pd.DataFrame({'x': [1, 2, 3]}).query('x>@v').x.values

# ---- eval @arr
r = pd.DataFrame({'x': [1, 2, 3]}).eval('x+@a').values

# ---- at set
d = pd.DataFrame({'x': [1.0, 2]})
d.at[0, 'x'] = a[0]
r = d.x.values

# ---- loc[i]=scalar
d = pd.DataFrame({'x': [1.0, 2]})
d.loc[0, 'x'] = a.sum()
r = d.x.values

# ---- loc row=arr
d = pd.DataFrame({'x': [1.0, 2], 'y': [1.0, 2]})
d.loc[0] = a[:2]
r = d.values

# ---- iloc col=arr
d = pd.DataFrame({'x': [1.0, 2, 3]})
d.iloc[:, 0] = a
r = d.values

# ---- list of dict rows
rows = [{'n': i[0], 'v': a.mean()}, {'n': i[1], 'v': a.max()}]
r = pd.DataFrame(rows).dtypes.astype(str).tolist()

# ---- list of lists rows
r = pd.DataFrame([[i[0], a.mean()], [i[1], a.max()]]).dtypes.astype(str).tolist()

# ---- dict of scalars
r = str(pd.Series({'a': a.mean(), 'b': a.max()}).dtype)

# ---- append rows mean
rows = []
for k in range(3):
    rows.append((k, np.mean(a * k)))
r = pd.DataFrame(rows, columns=['k', 'm']).m.mean()

# ---- to_numpy back
r = np.asarray(pd.DataFrame({'x': a}).to_numpy()) * 2

# ---- df.values @ h
r = np.asarray(pd.DataFrame(numpy.asarray(m)).values) @ np.ones(4)

# ---- df.dot(h)
r = pd.DataFrame(numpy.asarray(m)).dot(np.ones(4))

# ---- Series.dot
r = pd.Series([1.0, 2, 3]).dot(a)

# ---- h @ df.values
r = a @ pd.DataFrame(numpy.asarray(m)).values

# ---- corr
r = pd.Series(a).corr(pd.Series(i)).round(6)

# ---- plot
import matplotlib
matplotlib.use('Agg')
ax = pd.DataFrame({'x': a}).plot()
r = ax.lines[0].get_ydata()

# ---- merge
r = pd.DataFrame({'k': i, 'v': a}).merge(pd.DataFrame({'k': [1, 2], 'w': [5, 6]}), on='k').w.values

# ---- sort_values
r = pd.DataFrame({'k': i, 'v': a}).sort_values('v').k.values

# ---- csv roundtrip
import io
r = pd.read_csv(io.StringIO(pd.DataFrame({'v': a}).to_csv())).v.values

# ---- resample idx
s = pd.Series(a, index=pd.date_range('2020', periods=3))
r = s.resample('2D').sum().values

# ---- s.values in place h
d = pd.Series([1.0, 2.0, 3.0])
v = np.asarray(d.values)
r = v + 1

# ---- nan col
r = pd.DataFrame({'x': np.full(3, np.nan)}).isna().sum().values

# ---- df scalar broadcast
d = pd.DataFrame({'k': [1, 2]})
d['c'] = a[0]
r = str(d.c.dtype)

# ---- Series(scalar h)
r = str(pd.Series(a[0], index=[0, 1]).dtype)

# ---- MultiIndex.from_arrays
r = len(pd.MultiIndex.from_arrays([i, i]))

# ---- get_dummies
r = pd.get_dummies(pd.Series(i)).values

# ---- weights sample
r = len(pd.DataFrame({'x': [1, 2, 3]}).sample(2, weights=a, random_state=1))

# ---- np.where 3-arg col
d = pd.DataFrame({'x': [1, 2, 3]})
d['f'] = np.where(d.x > 1, 1.0, 0.0)
r = d.f.values

# ---- np.select col
d = pd.DataFrame({'x': [1, 2, 3]})
d['f'] = np.select([d.x > 2, d.x > 1], [2, 1], 0)
r = d.f.values

# ---- np.where str
d = pd.DataFrame({'x': [1, 2, 3]})
d['f'] = np.where(d.x > 1, 'hi', 'lo')
r = d.f.tolist()

# ---- np.random col
d = pd.DataFrame({'x': np.random.rand(5), 'y': np.random.randint(0, 3, 5)})
r = list(d.shape)

# ---- np.nan cells
r = pd.Series([1, np.nan]).sum()

# ---- df.agg dict
r = pd.DataFrame({'x': [1, 2.0]}).agg({'x': np.std}).values

# ---- np.dtype select
r = list(pd.DataFrame({'x': [1.0], 'y': ['a']}).select_dtypes(include=[np.number]).columns)

# ---- np.inf replace
r = pd.Series([1, np.inf]).replace([np.inf, -np.inf], np.nan).isna().values

# ---- Categorical codes
r = pd.Categorical.from_codes(i - 1, list('abc')).tolist()

# ---- df.mask(h)
r = pd.DataFrame(numpy.asarray(m)).mask(m > 5, 0).values

# ---- Series.where(h cond)
r = pd.Series([1.0, 2, 3]).where(a > 1.5, 0).values

# ---- Series.clip(h)
r = pd.Series([1.0, 2, 3]).clip(a[1], a[2]).values

# ---- searchsorted
r = pd.Series([1.0, 2, 3]).searchsorted(a)

# ---- take
r = pd.Series([1.0, 2, 3]).take(i - 1).values

# ---- reindex(h)
r = pd.Series([1.0, 2, 3]).reindex(i).fillna(0).values

# ---- is_numeric
r = pd.api.types.is_numeric_dtype(a)

# ---- is_list_like
t = pd.api.types
r = [t.is_list_like(a), t.is_list_like(a[0]), t.is_scalar(a[0]), t.is_float(a[0])]
r += [t.is_integer(i[0])]

# ---- testing.assert
pd.testing.assert_frame_equal(pd.DataFrame({'x': a}), pd.DataFrame({'x': [3.0, 1.0, 2.0]}))
r = 1

# ---- ewm on h
r = pd.Series(a).ewm(span=2).mean().values

# ---- hist
import matplotlib
matplotlib.use('Agg')
r = pd.Series(a).hist() is not None
