# SPDX-License-Identifier: BSD-3-Clause
"""Uses of matplotlib. test_uses.py says how they run."""

# ---- before
import matplotlib
import matplotlib.pyplot as plt, io

a = np.array([3.0, 1.0, 2.0])
i = np.array([3, 1, 2])
m = np.arange(12.0).reshape(3, 4)
matplotlib.use('Agg')
fig, ax = plt.subplots()

def draw():
    pixels = io.BytesIO()
    fig.savefig(pixels, dpi=40, format='rgba')
    plt.close(fig)
    return numpy.frombuffer(pixels.getvalue(), dtype='u1')

x = np.linspace(0, 1, 20)
Z = np.outer(x, x)
X, Y = np.meshgrid(x, x)

def some(*shape):
    return np.asarray(numpy.random.default_rng(0).random(shape))


# ---- plot
l, = ax.plot(x, np.sin(x))
draw()
r = l.get_ydata()

# ---- plot kw
ax.plot(x, x ** 2, 'r--', lw=x[3])
r = draw()

# ---- plot 2d
ax.plot(x, np.stack([x, x ** 2], 1))
r = draw()

# ---- semilogy
ax.semilogy(x + 1, x + 1)
r = draw()

# ---- imshow
ax.imshow(Z, vmin=Z.min(), vmax=Z.max())
r = draw()

# ---- imshow extent
ax.imshow(Z, extent=[x.min(), x.max(), x[0], x[-1]], origin='lower')
r = draw()

# ---- imshow uint8 rgb
ax.imshow((np.ones((4, 4, 3)) * 200).astype(np.uint8))
r = draw()

# ---- imshow bool
ax.imshow(Z > 0.5)
r = draw()

# ---- imshow LogNorm
import matplotlib.colors as mc
ax.imshow(Z + 0.1, norm=mc.LogNorm(Z.max() * 0.1, Z.max()))
r = draw()

# ---- colorbar
q = ax.imshow(Z)
fig.colorbar(q)
r = draw()

# ---- hist
r = ax.hist(x, bins=5)[0]
draw()

# ---- hist bins h
r = ax.hist(x, bins=np.linspace(0, 1, 5))[0]
draw()

# ---- hist weights
r = ax.hist(x, weights=x)[0]
draw()

# ---- hist list
r = ax.hist([x, x ** 2])[0]
draw()

# ---- hist2d
r = ax.hist2d(x, x)[0]
draw()

# ---- hexbin
ax.hexbin(x, x, gridsize=5)
r = draw()

# ---- contour
ax.contour(X, Y, Z)
r = draw()

# ---- contourf levels
ax.contourf(X, Y, Z, levels=np.linspace(0, 1, 5))
r = draw()

# ---- clabel
q = ax.contour(X, Y, Z)
ax.clabel(q)
r = draw()

# ---- pcolormesh
ax.pcolormesh(X, Y, Z, shading='auto')
r = draw()

# ---- quiver
ax.quiver(X, Y, Z, Z)
r = draw()

# ---- streamplot
ax.streamplot(x, x, Z + 1, Z + 1)
r = draw()

# ---- scatter c=
ax.scatter(x, x, c=x, s=x * 20)
r = draw()

# ---- scatter rgb
ax.scatter(x, x, c=some(20, 3))
r = draw()

# ---- fill_between
ax.fill_between(x, x, x ** 2, where=x > 0.3)
r = draw()

# ---- errorbar
ax.errorbar(x, x, yerr=x * 0.1, xerr=np.full(20, 0.01))
r = draw()

# ---- bar
ax.bar(np.arange(3), a)
r = draw()

# ---- bar bottom
ax.bar(np.arange(3), a, bottom=a)
r = draw()

# ---- barh
ax.barh(i, a)
r = draw()

# ---- bar_label
b = ax.bar(i, a)
ax.bar_label(b)
r = draw()

# ---- step
ax.step(x, x)
r = draw()

# ---- stem
ax.stem(x, x)
r = draw()

# ---- boxplot
ax.boxplot([x, x ** 2])
r = draw()

# ---- boxplot 2d
ax.boxplot(some(20, 3))
r = draw()

# ---- violinplot
ax.violinplot([x, x ** 2])
r = draw()

# ---- pie
ax.pie(a)
r = draw()

# ---- stackplot
ax.stackplot(x, x, x)
r = draw()

# ---- eventplot
ax.eventplot(x)
r = draw()

# ---- axvline scalar
ax.axvline(x[3])
ax.axhline(x.mean())
r = draw()

# ---- axvspan
ax.axvspan(x[1], x[5])
r = draw()

# ---- set_xlim scalars
ax.set_xlim(x.min(), x.max())
ax.set_ylim((x[0], x[-1]))
r = draw()

# ---- set_xticks
ax.set_xticks(x[::5])
ax.set_xticklabels([f'{v:.1f}' for v in x[::5]])
r = draw()

# ---- text
ax.text(x[3], x[4], f'{x[3]:.2f}')
ax.annotate('p', xy=(x[3], x[3]), xytext=(x[4], x[5]), arrowprops={})
r = draw()

# ---- plot_surface
plt.close(fig)
fig = plt.figure()
ax = fig.add_subplot(projection='3d')
ax.plot_surface(X, Y, Z)
r = draw()

# ---- scatter3d
plt.close(fig)
fig = plt.figure()
ax = fig.add_subplot(projection='3d')
ax.scatter(x, x, x, c=x)
r = draw()

# ---- plot_wireframe
plt.close(fig)
fig = plt.figure()
ax = fig.add_subplot(projection='3d')
ax.plot_wireframe(X, Y, Z)
r = draw()

# ---- polar
plt.close(fig)
fig = plt.figure()
ax = fig.add_subplot(projection='polar')
ax.plot(x, x)
r = draw()

# ---- tripcolor
ax.tripcolor(np.array([0, 1, 0.0]), np.array([0, 0, 1.0]), np.array([1.0, 2, 3]))
r = draw()

# ---- cm(x)
r = plt.cm.viridis(x)

# ---- cm scalar
r = plt.cm.viridis(x[3])

# ---- color=cm(x[i])
ax.plot(x, x, color=plt.cm.viridis(x[3]))
r = draw()

# ---- Normalize
import matplotlib.colors as mc
r = mc.Normalize(x.min(), x.max())(x)

# ---- color tuple scalars
ax.plot(x, x, color=(x[3], x[4], x[5]))
r = draw()

# ---- color array rgb
ax.plot(x, x, color=np.array([0.1, 0.2, 0.3]))
r = draw()

# ---- to_rgba h
import matplotlib.colors as mc
r = mc.to_rgba(np.array([0.1, 0.2, 0.3]))

# ---- ListedColormap
import matplotlib.colors as mc
r = mc.ListedColormap(np.random.rand(4, 3)).N

# ---- alpha scalar
ax.plot(x, x, alpha=x[5])
r = draw()

# ---- legend labels
ax.plot(x, x, label=f'a={x[3]:.1f}')
ax.legend()
r = draw()

# ---- figsize
plt.close(fig)
fig = plt.figure(figsize=(i[0], i[2]))
r = draw()

# ---- subplots(n)
plt.close(fig)
fig, axs = plt.subplots(i[2], i[1])
r = draw()

# ---- axs indexing
plt.close(fig)
fig, axs = plt.subplots(2, 2)
axs[np.array(1), np.array(0)].plot(x)
r = draw()

# ---- LineCollection
from matplotlib.collections import LineCollection
ax.add_collection(LineCollection(np.stack([X, Y], -1), array=x))
r = draw()

# ---- Polygon
from matplotlib.patches import Polygon, Circle, Rectangle
ax.add_patch(Polygon(some(4, 2)))
ax.add_patch(Circle((x[2], x[3]), x[4]))
ax.add_patch(Rectangle((x[2], x[3]), x[1], x[1]))
r = draw()

# ---- Path
from matplotlib.path import Path
p = Path(np.array([[0, 0], [1, 0], [1, 1], [0, 0.0]]))
r = p.contains_points(np.array([[0.6, 0.3], [2, 2.0]]))

# ---- set_data
l, = ax.plot(x, x)
l.set_data(x, x * 2)
l.set_ydata(x * 3)
draw()
r = l.get_ydata()

# ---- imshow set_data
q = ax.imshow(Z)
q.set_data(Z * 2)
q.set_clim(Z.min(), Z.max())
r = draw()

# ---- imsave
plt.imsave(io.BytesIO(), Z)
plt.close(fig)
r = 1

# ---- imread
b = io.BytesIO()
plt.imsave(b, Z)
b.seek(0)
r = np.asarray(plt.imread(b)).shape
plt.close(fig)

# ---- spy
ax.spy(Z > 0.5)
r = draw()

# ---- matshow
ax.matshow(Z)
r = draw()

# ---- psd
ax.psd(some(512))
r = draw()

# ---- specgram
ax.specgram(some(2048))
r = draw()

# ---- acorr
ax.acorr(x)
r = draw()

# ---- loglog
ax.loglog(x + 1, x + 1)
r = draw()

# ---- plot scalar h
ax.plot(x[3], x[4], 'o')
r = draw()

# ---- plot list of scalars
ax.plot([v for v in x], [v * 2 for v in x])
r = draw()

# ---- plot complex parts
z = np.exp(1j * x)
ax.plot(z.real, z.imag)
r = draw()

# ---- ecdf
ax.ecdf(x)
r = draw()

# ---- stairs
ax.stairs(a, np.arange(4))
r = draw()

# ---- animation
import matplotlib.animation as an
l, = ax.plot(x, x)
an.FuncAnimation(fig, lambda k: (l.set_ydata(x * k), l)[1:], frames=np.arange(3))._draw_frame(1)
plt.close(fig)
r = 1

# ---- dates
import datetime
ax.plot([datetime.datetime(2020, 1, int(k)) for k in i], a)
r = draw()

# ---- hlines/vlines
ax.hlines(a, 0, a)
ax.vlines(a, 0, 1)
r = draw()

# ---- arrow
ax.arrow(x[0], x[1], x[2], x[3])
r = draw()

# ---- table
ax.table(cellText=np.round(m, 1).tolist())
r = draw()

# ---- bool plot
ax.plot(x, x > 0.5)
r = draw()

# ---- f2 plot
ax.plot(x.astype(np.float16), x.astype(np.float32))
r = draw()

# ---- nan plot
ax.plot(np.where(x > 0.5, x, np.nan))
r = draw()

# ---- masked
ax.plot(numpy.ma.masked_array(numpy.asarray(x), numpy.asarray(x > 0.5)))
r = draw()

# ---- ma of h
r = numpy.ma.masked_where(x > 0.5, x).sum()
plt.close(fig)

# ---- np.ma
r = np.ma.masked_where(x > 0.5, x).sum()
plt.close(fig)

# ---- grouped cat
ax.bar(['a', 'b', 'c'], a)
r = draw()

# ---- seaborn-ish lines
[ax.plot(x, row) for row in Z[:3]]
r = draw()

# ---- fill
ax.fill(x, x ** 2)
r = draw()

# ---- secondary_axis
ax.plot(x)
ax.secondary_xaxis('top', functions=(lambda v: v * 2, lambda v: v / 2))
r = draw()

# ---- twin
ax.twinx().plot(x)
r = draw()

# ---- triangulation
import matplotlib.tri as t
T = t.Triangulation(some(10), some(10))
ax.triplot(T)
r = draw()

# ---- Affine2D
from matplotlib.transforms import Affine2D
r = Affine2D().rotate(x[3]).transform(np.array([[1.0, 0]]))
plt.close(fig)

# ---- Bbox
from matplotlib.transforms import Bbox
r = Bbox(np.array([[0, 0], [1, 1.0]])).width
plt.close(fig)
