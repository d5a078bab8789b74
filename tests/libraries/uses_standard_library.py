# SPDX-License-Identifier: BSD-3-Clause
"""Uses of Python's standard library. test_uses.py says how they run."""

# ---- before
a = np.array([3.0, 1.0, 2.0])
i = np.array([3, 1, 2])

# ---- for x in arr
r = [float(x) for x in a]

# ---- sorted
r = sorted(a)

# ---- sum
r = sum(a)

# ---- max
r = max(a)

# ---- min key
r = min(a, key=lambda v: -v)

# ---- in
r = [2.0 in a, 7 in a]

# ---- numpy.float64(h0)
r = numpy.float64(a[0])

# ---- range(h_int)
r = list(range(i[0]))

# ---- fstring
r = f'{a[0]:.3f} {i[0]:05d} {a[0]} {a[0]!r}'

# ---- fstring spec
r = f'{a[0]:>10} {a.sum():e} {i.sum():x}'

# ---- percent fmt
r = '%d %s %.2f %r' % (i[0], a[0], a[0], float(a[0]))

# ---- fmt array
r = f'{a} {a!r}'

# ---- str.format
r = '{:.2f} {}'.format(a[1], i[1])

# ---- dict key
d = {i[0]: 'x'}
r = d[3]

# ---- dict key lookup
d = {3: 'x'}
r = d[i[0]]

# ---- dict float
d = {3.0: 'x'}
r = d[a[0]]

# ---- set of scalars
r = len({v for v in np.array([1, 1, 2, 2, 3])})

# ---- set union
r = sorted((int(v) for v in set(i) | {1, 2, 9}))

# ---- Counter
from collections import Counter
r = Counter(np.array([1, 1, 2]).tolist())[1]

# ---- Counter scalars
from collections import Counter
r = Counter(np.array([1, 1, 2]))[1]

# ---- defaultdict
from collections import defaultdict
d = defaultdict(list)
for k, v in zip(np.array([0, 1, 0]), a):
    d[k].append(v)
r = len(d)

# ---- match value
match i[0]:
    case 3:
        r = 'three'
    case _:
        r = 'other'

# ---- match seq
match a:
    case [x, y, z]:
        r = 'seq'
    case _:
        r = 'no'

# ---- match class float
match a[0]:
    case float():
        r = 'float'
    case _:
        r = 'other'

# ---- match tuple shape
match a.shape:
    case [n]:
        r = n
    case _:
        r = -1

# ---- struct.pack
import struct
r = struct.pack('<d', a[0]) + struct.pack('<i', i[0])

# ---- random.choice
import random
random.seed(1)
r = random.choice(a)

# ---- random.shuffle
import random
random.seed(1)
b = a.copy()
random.shuffle(b)
r = sorted(b.tolist())

# ---- random.sample
import random
random.seed(1)
r = random.sample(list(a), 2)

# ---- random.choices weights
import random
random.seed(1)
r = random.choices([1, 2, 3], weights=a, k=3)

# ---- bisect
import bisect
r = bisect.bisect(np.array([1.0, 2.0, 3.0]), 2.5)

# ---- insort
import bisect
l = [1.0, 2.0, 3.0]
bisect.insort(l, a[0])
r = l

# ---- heapq
import heapq
h = []
[heapq.heappush(h, (v, k)) for k, v in enumerate(a)]
r = [k for v, k in (heapq.heappop(h), heapq.heappop(h))]

# ---- heapq.nlargest
import heapq
r = heapq.nlargest(2, a)

# ---- statistics.mean
import statistics
r = statistics.mean(a)

# ---- statistics.stdev
import statistics
r = statistics.stdev(a)

# ---- statistics.median
import statistics
r = statistics.median(a)

# ---- statistics.fmean
import statistics
r = statistics.fmean(a)

# ---- math.fsum
import math
r = math.fsum(a)

# ---- math.sqrt
import math
r = math.sqrt(a[0])

# ---- math.floor/ceil
import math
r = [math.floor(a[0]), math.ceil(a[0]), math.trunc(a[0])]

# ---- math.isclose
import math
r = math.isclose(a[0], 3)

# ---- math.gcd
import math
r = math.gcd(i[0], 6)

# ---- math.prod
import math
r = math.prod(i)

# ---- math.hypot
import math
r = math.hypot(*a)

# ---- math.dist
import math
r = math.dist(a, a + 1)

# ---- math.factorial
import math
r = math.factorial(i[0])

# ---- cmath.exp
import cmath
r = cmath.exp(a[0])

# ---- json.dumps scalar
import json
r = json.dumps(a[0])

# ---- json.dumps tolist
import json
r = json.dumps(a.tolist())

# ---- json default
import json
r = json.dumps({'a': a}, default=lambda o: o.tolist())

# ---- csv writer
import csv, io
f = io.StringIO()
csv.writer(f).writerow(a)
r = f.getvalue()

# ---- csv ints
import csv, io
f = io.StringIO()
csv.writer(f).writerows(np.arange(4).reshape(2, 2))
r = f.getvalue()

# ---- sqlite3 param
import sqlite3
r = sqlite3.connect(':memory:').execute('select ?', (a[0],)).fetchone()[0]

# ---- sqlite3 executemany tolist
import sqlite3
c = sqlite3.connect(':memory:')
c.execute('create table t(x real)')
c.executemany('insert into t values(?)', a.reshape(-1, 1).tolist())
r = c.execute('select sum(x) from t').fetchone()[0]

# ---- sqlite blob
import sqlite3
r = len(sqlite3.connect(':memory:').execute('select ?', (a.tobytes(),)).fetchone()[0])

# ---- sqlite blob buffer
import sqlite3
r = len(sqlite3.connect(':memory:').execute('select ?', (a,)).fetchone()[0])

# ---- timedelta
import datetime
r = str(datetime.timedelta(seconds=a[0]))

# ---- datetime.fromtimestamp
import datetime
r = datetime.datetime.fromtimestamp(a[0], datetime.timezone.utc).isoformat()

# ---- date int
import datetime
r = str(datetime.date(2020, i[0], i[1]))

# ---- time.sleep
import time
time.sleep(a[1] / 1000)
r = 1

# ---- itertools.product
import itertools
r = [float(x * y) for x, y in itertools.product(a, a)]

# ---- accumulate
import itertools
r = list(itertools.accumulate(a))

# ---- groupby
import itertools
r = [(int(k), len(list(g))) for k, g in itertools.groupby(np.array([1, 1, 2]))]

# ---- zip
r = [float(x * y) for x, y in zip(a, i)]

# ---- enumerate
r = [k * float(v) for k, v in enumerate(a)]

# ---- reversed
r = list(reversed(a))

# ---- map
r = list(map(float, a))

# ---- filter
r = list(filter(lambda v: v > 1, a))

# ---- any/all
r = [any(a > 2), all(a > 2)]

# ---- unpack
x, y, z = a
r = [x, y, z]

# ---- star
r = max(*a)

# ---- unpack 2d
x, y = np.arange(4.0).reshape(2, 2)
r = x

# ---- functools.reduce
import functools, operator
r = functools.reduce(operator.add, [a, a, a])

# ---- reduce over arr
import functools, operator
r = functools.reduce(operator.mul, a)

# ---- operator.add
import operator
r = operator.add(a, 1)

# ---- operator.itemgetter
import operator
r = operator.itemgetter(0, 2)(a)

# ---- operator.index
import operator
r = operator.index(i[0])

# ---- operator.matmul
import operator
r = operator.matmul(a, a)

# ---- lru_cache
import functools
f = functools.lru_cache(lambda v: v * 2)
r = [f(a[0]), f(a[0])]

# ---- singledispatch
import functools
@functools.singledispatch
def f(v):
    return 'obj'
@f.register(float)
def _(v):
    return 'float'
r = f(a[0])

# ---- deepcopy
import copy
r = copy.deepcopy({'a': a, 'l': [a]})['a']

# ---- copy.copy
import copy
r = copy.copy(a)

# ---- pickle
import pickle
r = pickle.loads(pickle.dumps(a))

# ---- pickle 5 oob
import pickle
b = []
s = pickle.dumps(a, protocol=5, buffer_callback=b.append)
r = pickle.loads(s, buffers=b)

# ---- pickle scalar
import pickle
r = pickle.loads(pickle.dumps(a[0]))

# ---- list index
r = [10, 20, 30, 40][i[1]]

# ---- str mul
r = 'ab' * i[2]

# ---- list mul
r = [0] * int(i[2])

# ---- list mul h
r = [0] * i[2]

# ---- slice with h
r = list(range(10))[i[1]:i[0]]

# ---- round
r = [round(a[0]), round(a[0], 1), round(i[0])]

# ---- divmod
r = divmod(i[0], 2)

# ---- pow3
r = pow(int(i[0]), 2, 5)

# ---- abs
r = abs(-a)

# ---- int()
r = int(a[0])

# ---- complex()
r = complex(a[0])

# ---- bool
r = bool(a[0])

# ---- bool array raises
try:
    bool(a)
    r = 'no'
except ValueError:
    r = 'raises'

# ---- hex/bin/oct
r = [hex(i[0]), bin(i[0]), oct(i[0])]

# ---- chr
r = chr(i[0] + 65)

# ---- bytes(int)
r = bytes(i.astype(np.uint8))

# ---- bytearray
r = bytearray(i.astype(np.uint8))

# ---- bytes list
r = bytes([i[0], i[1]])

# ---- memoryview
r = memoryview(a).shape

# ---- memoryview cast
r = bytes(memoryview(a))

# ---- array.array
import array
r = list(array.array('d', a))

# ---- array from buffer
import array
r = np.frombuffer(array.array('d', [1, 2]), dtype=float)

# ---- np.array(array.array)
import array
r = np.array(array.array('d', [1, 2]))

# ---- range arr
r = np.array(range(5))

# ---- np.array(generator list)
r = np.array([v for v in a])

# ---- np.array(dict.values)
r = np.array(list({'a': a[0], 'b': a[1]}.values()))

# ---- np.array(map)
r = np.array(list(map(lambda v: v * 2, a)))

# ---- np.fromiter
r = np.fromiter((v * 2 for v in a), dtype=float)

# ---- nested list of scalars
r = np.array([[a[0], a[1]], [a[2], 1.0]])

# ---- list of arrays
r = np.array([a, a])

# ---- mix array list
r = np.array([a, [1, 2, 3]])

# ---- isinstance int
r = isinstance(i[0], (int, numpy.integer))

# ---- isinstance float
r = isinstance(a[0], float)

# ---- isinstance Number
import numbers
r = isinstance(a[0], numbers.Number)

# ---- isinstance np.ndarray
r = isinstance(a, np.ndarray)

# ---- isinstance numpy.ndarray
r = isinstance(a, numpy.ndarray)

# ---- isinstance Iterable, Hashable
from collections.abc import Iterable, Sized, Collection, Container, Hashable
r = [isinstance(a, kind) for kind in (Iterable, Sized, Collection, Hashable)]

# ---- np.isscalar
r = [np.isscalar(a[0]), np.isscalar(3.0)]

# ---- scalar type name
r = type(a[0]).__name__

# ---- scalar iter raises
try:
    iter(a[0])
    r = 'iter'
except TypeError:
    r = 'TypeError'

# ---- len scalar raises
try:
    len(a[0])
    r = 'len'
except TypeError:
    r = 'TypeError'

# ---- hash scalar
r = hash(a[0]) == hash(3.0)

# ---- hash array raises
try:
    hash(a)
    r = 'hash'
except TypeError:
    r = 'TypeError'

# ---- scalar is immutable
x = a[0]
y = x
x += 1
r = [x, y, a[0]]

# ---- scalar augment
s = a[0]
for v in a:
    s += v
r = [s, a[0]]

# ---- scalar snapshot
x = a[0]
a[0] = 99
r = x

# ---- sum snapshot
s = a.sum()
t = s
s += 1
r = [s, t]

# ---- reduction item view
m = np.arange(4.0).reshape(2, 2)
x = m[0, 0]
m *= 10
m += 5
r = x

# ---- fractions
from fractions import Fraction
r = str(Fraction(a[0]))

# ---- decimal
from decimal import Decimal
r = str(Decimal(a[0]))

# ---- secrets/random.uniform
import random
random.seed(1)
r = random.uniform(a[1], a[0])

# ---- random.seed(h)
import random
random.seed(int(i[0]))
r = random.random()

# ---- random.randint
import random
random.seed(1)
r = random.randint(i[1], i[0])

# ---- random.gauss
import random
random.seed(1)
r = random.gauss(a[0], a[1])

# ---- time fmt
import time
r = time.strftime('%Y', time.gmtime(a[0]))

# ---- str int
r = [str(i[0]), str(a[0]), repr(i)]

# ---- string join
r = ','.join(map(str, a))

# ---- join f
r = ' '.join((f'{v:.2f}' for v in a))

# ---- print sep
import io
f = io.StringIO()
print(a[0], i[0], a, file=f)
r = f.getvalue()

# ---- textwrap/pprint
import pprint
r = pprint.pformat({'a': a, 'b': [a[0]]})

# ---- logging %
import logging, io
s = io.StringIO()
h = logging.StreamHandler(s)
l = logging.getLogger('e')
l.handlers = [h]
l.warning('v=%f n=%d', a[0], i[0])
r = s.getvalue()

# ---- dataclass eq
import dataclasses
@dataclasses.dataclass
class D:
    x: object
    y: float
r = [dataclasses.asdict(D(a, a[0]))['y'], dataclasses.replace(D(a, 1.0), y=2.0).y, repr(D(a, 1.0))]

# ---- namedtuple
from collections import namedtuple
P = namedtuple('P', 'x y')
r = P(a[0], a[1]).x

# ---- deque
from collections import deque
d = deque(a, maxlen=2)
r = list(d)

# ---- ChainMap/OrderedDict
from collections import OrderedDict
r = list(OrderedDict(zip(i.tolist(), a)).values())

# ---- weakref
import weakref
r = weakref.ref(a)() is a

# ---- weakref dict
import weakref
d = weakref.WeakValueDictionary()
d['x'] = a
r = d['x'] is a

# ---- gc
import gc
r = gc.collect() >= 0

# ---- setattr on array raises
try:
    a.foo = 1
    r = 'set'
except AttributeError:
    r = 'AttributeError'

# ---- subclass
class S(np.ndarray):
    pass
r = type(a.view(S)).__name__

# ---- contextlib/with
import contextlib
with contextlib.nullcontext(a) as q:
    r = q

# ---- typing ndarray[...]
r = str(np.ndarray[tuple[int], np.dtype])[:3]

# ---- NDArray typing
from numpy.typing import NDArray
import typing
def f(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x
r = typing.get_type_hints(f) is not None

# ---- np.typing
r = np.typing.NDArray is not None

# ---- inspect.signature
import inspect
r = len(inspect.signature(np.linspace).parameters) > 0

# ---- doc
r = bool(np.sin.__doc__) and bool(np.linspace.__doc__) and bool(np.ndarray.reshape.__doc__)

# ---- threading
import threading
L = []
def total(k):
    L.append(float((np.arange(1000.0) * k).sum()))
ts = [threading.Thread(target=total, args=(k,)) for k in range(8)]
[t.start() for t in ts]
[t.join() for t in ts]
r = sorted(L)

# ---- ThreadPoolExecutor.map
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as p:
    r = list(p.map(lambda v: float((a * v).sum()), a))

# ---- asyncio
import asyncio
async def f():
    return a * 2
r = asyncio.run(f())

# ---- exec eval
r = eval('a+1', {'a': a})

# ---- globals star import
d = {}
exec('from ' + np.__name__ + ' import *', d)
r = 'linspace' in d and 'sum' in d

# ---- complex idx tuple
t = (i[1],)
r = np.arange(10.0)[t]

# ---- np.ix_
r = np.arange(16).reshape(4, 4)[np.ix_(i - 1, i - 1)]

# ---- ast.literal
import ast
r = np.array(ast.literal_eval(str(a.tolist())))

# ---- difflib-ish ==
r = a.tolist() == [3.0, 1.0, 2.0]

# ---- tuple(arr)
r = tuple(a) == (3.0, 1.0, 2.0)

# ---- list(arr)==list
r = list(a) == [3.0, 1.0, 2.0]

# ---- set membership
r = a[0] in {3.0}

# ---- list.index
r = [1.0, 2.0, 3.0].index(a[0])

# ---- list.count
r = list(i).count(3)

# ---- scalar and/or
r = a[0] > 1 and a[1] < 2 or False

# ---- not scalar
r = not a[0] > 5

# ---- ternary
r = 1 if a[0] > 2 else 0

# ---- while scalar
x = a[0]
n = 0
while x > 0.5:
    x = x / 2
    n += 1
r = n

# ---- chained compare
r = 0 < a[1] < 2

# ---- enum value
import enum
class E(enum.IntEnum):
    A = 0
    B = 1
r = [np.arange(3)[E.B], E(i[1]).name]

# ---- pathlib fmt
import pathlib
r = str(pathlib.Path('x') / f'{i[0]:03d}.npy')

# ---- argparse default
import argparse
p = argparse.ArgumentParser()
p.add_argument('--n', type=int, default=i[0])
r = p.parse_args([]).n

# ---- base64
import base64
r = base64.b64encode(a)

# ---- hashlib
import hashlib
r = hashlib.sha1(a).hexdigest()

# ---- hashlib tobytes
import hashlib
r = hashlib.sha1(a.tobytes()).hexdigest()

# ---- zlib
import zlib
r = zlib.crc32(a)

# ---- zlib.compress
import zlib
r = zlib.compress(a)

# ---- BytesIO write
import io
b = io.BytesIO()
b.write(a)
r = b.getvalue()

# ---- file write
import tempfile
f = tempfile.TemporaryFile()
f.write(a)
r = f.tell()

# ---- file readinto
import tempfile
f = tempfile.TemporaryFile()
f.write(a.tobytes())
f.seek(0)
b = np.zeros(3)
f.readinto(b)
r = b

# ---- socket send
import socket
s, t = socket.socketpair()
s.send(a)
r = np.frombuffer(t.recv(100))

# ---- socket recv_into
import socket
s, t = socket.socketpair()
s.send(a.tobytes())
b = np.zeros(3)
t.recv_into(b)
r = b

# ---- ctypes ptr
import ctypes
r = ctypes.cast(a.ctypes.data, ctypes.POINTER(ctypes.c_double))[1]

# ---- ctypes data_as
import ctypes
r = a.ctypes.data_as(ctypes.POINTER(ctypes.c_double))[2]

# ---- ctypes from_buffer
import ctypes
r = list((ctypes.c_double * 3).from_buffer(a))

# ---- np.ctypeslib.as_array
import ctypes
r = np.ctypeslib.as_array((ctypes.c_double * 3)(1, 2, 3))

# ---- numpy.ctypeslib ndpointer
import ctypes
t = numpy.ctypeslib.ndpointer(dtype=float, ndim=1, flags='C')
t.from_param(a)
r = 1

# ---- ctypes array arg
import ctypes
libm = ctypes.CDLL(None)
libm.memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
b = a.copy()
r = libm.memcmp(a.ctypes.data, b.ctypes.data, 24)

# ---- shared_memory
from multiprocessing import shared_memory
s = shared_memory.SharedMemory(create=True, size=80)
b = np.ndarray((10,), dtype=np.float64, buffer=s.buf)
b[:] = np.arange(10.0)
b *= 2
c2 = numpy.ndarray((10,), dtype='f8', buffer=s.buf)
r = c2.copy()
del b, c2
s.close()
s.unlink()

# ---- mmap frombuffer
import mmap
m = mmap.mmap(-1, 80)
b = np.frombuffer(m, dtype=np.float64)
b[:] = 1
r = b.sum()

# ---- np.memmap
import tempfile, os
f = tempfile.mktemp()
m = np.memmap(f, dtype='f8', mode='w+', shape=(4,))
m[:] = 1
m.flush()
r = m.sum()

# ---- np.load mmap_mode
import tempfile
f = tempfile.mktemp() + '.npy'
np.save(f, a)
r = np.load(f, mmap_mode='r').sum()

# ---- asarray(numpy.memmap)
import tempfile
f = tempfile.mktemp()
m = numpy.memmap(f, dtype='f8', mode='w+', shape=(4,))
m[:] = 1
h = np.asarray(m)
r = h.sum()

# ---- np.save/load
import tempfile
f = tempfile.mktemp() + '.npy'
np.save(f, a)
r = np.load(f)

# ---- np.savez
import tempfile
f = tempfile.mktemp() + '.npz'
np.savez(f, a=a, i=i)
z = np.load(f)
r = z['a']

# ---- savetxt/loadtxt
import io
f = io.StringIO()
np.savetxt(f, np.arange(4.0).reshape(2, 2))
f.seek(0)
r = np.loadtxt(f)

# ---- genfromtxt
import io
r = np.genfromtxt(io.StringIO('1,2\n3,4'), delimiter=',')

# ---- genfromtxt names
import io
r = np.genfromtxt(io.StringIO('a,b\n1,2\n3,4'), delimiter=',', names=True)['a']

# ---- tofile/fromfile
import tempfile
f = tempfile.mktemp()
a.tofile(f)
r = np.fromfile(f)

# ---- mp Pool fork
import multiprocessing as mp
ctx = mp.get_context('fork')
p = ctx.Pool(2)
r = p.map(abs, [-a, a])
p.close()
p.join()

# ---- mp Pool spawn
import multiprocessing as mp, operator
ctx = mp.get_context('spawn')
if True:
    p = ctx.Pool(1)
    r = p.starmap(operator.mul, [(a, 2), (a, 3)])
    p.close()
    p.join()

# ---- ProcessPool fork
import multiprocessing as mp, operator
from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor(2, mp_context=mp.get_context('fork')) as p:
    r = list(p.map(operator.neg, [a, a]))

# ---- mp Queue
import multiprocessing as mp
q = mp.get_context('fork').Queue()
q.put(a)
r = q.get()

# ---- mp.Array frombuffer
import multiprocessing as mp
s = mp.RawArray('d', 4)
b = np.frombuffer(s)
b[:] = 2
r = b.sum()

# ---- warnings div
import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    np.ones(2) / np.zeros(2)
    r = 1

# ---- errstate raise
try:
    with np.errstate(divide='raise'):
        x = np.ones(2) / np.zeros(2)
    r = 'none'
except FloatingPointError:
    r = 'FPE'

# ---- np.testing
np.testing.assert_allclose(a, [3, 1, 2])
np.testing.assert_array_equal(i, [3, 1, 2])
r = 1

# ---- numpy.testing
numpy.testing.assert_allclose(a, [3, 1, 2])
numpy.testing.assert_array_equal(i, [3, 1, 2])
numpy.testing.assert_array_almost_equal(a, a)
r = 1

# ---- unittest
import unittest
t = unittest.TestCase()
t.assertEqual(a[0], 3.0)
t.assertAlmostEqual(a[0], 3.0)
t.assertTrue(a[0] > 1)
t.assertIn(3.0, a)
r = 1

# ---- subclass Sequence reg
from collections.abc import Sequence
r = isinstance(a, Sequence)

# ---- sys.getsizeof
import sys
r = sys.getsizeof(a) >= 24

# ---- id/is
r = a is a and a[0] is not a[1]

# ---- locale/format n
r = format(i[0], 'n')

# ---- format ,
r = format(i.sum() * 100000, ',')

# ---- format %
r = format(a[1] / 4, '.1%')

# ---- format g
r = format(a[0] / 7, 'g')

# ---- format bool
r = f'{(a > 1)[0]}'

# ---- bool scalar is True eq
r = [(a > 1)[0] == True, bool((a > 1).all())]

# ---- bool index list
r = ['n', 'y'][(a > 1)[0]]

# ---- bool sum
r = sum(a > 1)

# ---- bool to int
r = int((a > 1)[0]) + 1

# ---- np.bool not
r = ~(a > 1)[0]

# ---- complex parts
z = (a + 1j)[0]
r = [z.real, z.imag, z.conjugate(), abs(z)]

# ---- float methods
r = [a[0].is_integer(), a[0].hex(), a[0].as_integer_ratio()]

# ---- int methods
r = [i[0].bit_count()]

# ---- item()
r = a[0].item()

# ---- tolist scalar
r = a[0].tolist()

# ---- scalar attr
r = [a[0].shape, a[0].ndim, a[0].size, a[0].dtype.name, a[0].itemsize]

# ---- scalar T
r = a[0].T

# ---- scalar idx ()
r = a[0][()]

# ---- scalar [None]
r = a[0][None]

# ---- scalar astype
r = a[0].astype(int)

# ---- scalar methods
r = [a[0].sum(), a[0].max(), a[0].round(), a[0].reshape(1)]
