# SPDX-License-Identifier: BSD-3-Clause
"""Names of heddle.random, for type checkers; at run time random.py makes most of them appear."""
from numpy.random import MT19937 as MT19937
from numpy.random import PCG64 as PCG64
from numpy.random import PCG64DXSM as PCG64DXSM
from numpy.random import SFC64 as SFC64
from numpy.random import BitGenerator as BitGenerator
from numpy.random import Philox as Philox
from numpy.random import SeedSequence as SeedSequence
from numpy.random import bit_generator as bit_generator

from . import random as mtrand
from ._generators import Generator as Generator
from ._generators import default_rng as default_rng
from ._legacy import Legacy
from ._numpys_generators import RandomState as RandomState
from ._seeding import Bits

__all__ = ["BitGenerator", "Generator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "RandomState",
           "SFC64", "SeedSequence", "beta", "binomial", "bytes", "chisquare", "choice",
           "default_rng", "dirichlet", "exponential", "f", "gamma", "geometric",
           "get_bit_generator", "get_state", "gumbel", "hypergeometric", "laplace", "logistic",
           "lognormal", "logseries", "multinomial", "multivariate_normal", "negative_binomial",
           "noncentral_chisquare", "noncentral_f", "normal", "pareto", "permutation", "poisson",
           "power", "rand", "randint", "randn", "random", "random_integers", "random_sample",
           "ranf", "rayleigh", "sample", "seed", "set_bit_generator", "set_state", "shuffle",
           "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal",
           "standard_t", "triangular", "uniform", "vonmises", "wald", "weibull", "zipf"]

_rand: Legacy

def get_bit_generator() -> Bits | BitGenerator: ...
def set_bit_generator(bitgen: Bits | BitGenerator) -> None: ...

ranf = _rand.random_sample
sample = _rand.random_sample
beta = _rand.beta
binomial = _rand.binomial
bytes = _rand.bytes
chisquare = _rand.chisquare
choice = _rand.choice
dirichlet = _rand.dirichlet
exponential = _rand.exponential
f = _rand.f
gamma = _rand.gamma
geometric = _rand.geometric
get_state = _rand.get_state
gumbel = _rand.gumbel
hypergeometric = _rand.hypergeometric
laplace = _rand.laplace
logistic = _rand.logistic
lognormal = _rand.lognormal
logseries = _rand.logseries
multinomial = _rand.multinomial
multivariate_normal = _rand.multivariate_normal
negative_binomial = _rand.negative_binomial
noncentral_chisquare = _rand.noncentral_chisquare
noncentral_f = _rand.noncentral_f
normal = _rand.normal
pareto = _rand.pareto
permutation = _rand.permutation
poisson = _rand.poisson
power = _rand.power
rand = _rand.rand
randint = _rand.randint
randn = _rand.randn
random = _rand.random
random_integers = _rand.random_integers
random_sample = _rand.random_sample
rayleigh = _rand.rayleigh
seed = _rand.seed
set_state = _rand.set_state
shuffle = _rand.shuffle
standard_cauchy = _rand.standard_cauchy
standard_exponential = _rand.standard_exponential
standard_gamma = _rand.standard_gamma
standard_normal = _rand.standard_normal
standard_t = _rand.standard_t
triangular = _rand.triangular
uniform = _rand.uniform
vonmises = _rand.vonmises
wald = _rand.wald
weibull = _rand.weibull
zipf = _rand.zipf
