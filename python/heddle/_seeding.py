# SPDX-License-Identifier: BSD-3-Clause
"""Seeds of generators, and what they have in the place of NumPy's bit generators."""
from os import urandom

from ._heddle import _Stream

_WORD = (1 << 64) - 1
NAME = "Philox4x32-10"


def _mix(x):
    """SplitMix64's finalizer (Steele, Lea, Flood 2014): each bit depends on every other one."""
    x = (x + 0x9E3779B97F4A7C15) & _WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


def _key(seed):
    """64 bits from a non-negative int or a sequence of them. Small ints stand for themselves."""
    if hasattr(seed, "__index__") and getattr(seed, "shape", ()) == ():
        number = seed.__index__()
        if number < 0:
            raise ValueError("expected non-negative integer")
        if number <= _WORD:
            return number
        words = []
        while number:
            words.append(number & _WORD)
            number >>= 64
    elif hasattr(seed, "__iter__") and not isinstance(seed, (str, bytes)):
        words = [_key(_element(s)) for s in seed]
    else:
        raise TypeError(f"SeedSequence expects int or sequence of ints for entropy not {seed}")
    key = len(words)
    for word in words:
        key = _mix(key ^ word)
    return key


def _element(s):
    """An element of a seed: what NumPy's SeedSequence takes, texts of numbers among them."""
    if isinstance(s, str):
        return int(s, 0)
    if not hasattr(s, "__index__") and not hasattr(s, "__iter__"):
        raise TypeError("seed must be integer")
    return s


def _key_of_sequence(sequence):
    """The key of an object like NumPy's SeedSequence: the one of the seed that it was made of, or
    of spawned ones and others a word that it generates."""
    from numpy.random import SeedSequence
    kind = type(sequence)
    plain = kind is SeedSequence or vars(kind).get("_derived_from") is SeedSequence
    if plain and sequence.spawn_key == () and sequence.pool_size == SeedSequence(0).pool_size:
        return _key(sequence.entropy)
    return int(sequence.generate_state(1, "uint64")[0])


class Bits:
    """The source of a generator's numbers, Philox 4x32-10 counted by calls: what bit_generator of a
    generator is where NumPy's have a BitGenerator. It has no interface of C."""

    def __init__(self, seed=None):
        if seed is None:
            seed = int.from_bytes(urandom(8), "little")
        sequence = hasattr(seed, "generate_state")
        self.stream = _Stream(_key_of_sequence(seed) if sequence else _key(seed))
        # A number stands for a SeedSequence until that is asked for, which needs NumPy.
        self._seed = seed if sequence or type(seed) is int else _copied(seed)

    @property
    def seed_seq(self):
        """The numpy.random.SeedSequence of the seed; what spawn() spawns from."""
        if not hasattr(self._seed, "generate_state"):
            from numpy.random import SeedSequence
            self._seed = SeedSequence(self._seed)
        return self._seed

    def spawn(self, n_children):
        """That many of these, of seeds that seed_seq spawns. TypeError if it spawns none."""
        if not hasattr(self.seed_seq, "spawn"):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(seed) for seed in self.seed_seq.spawn(n_children)]

    def seed(self, seed=None):
        """Starts the stream anew, also for those that share it."""
        fresh = type(self)(seed)
        self.stream.state, self._seed = fresh.stream.state, fresh._seed

    @property
    def state(self):
        """A dict that tells where the stream is: its key, and how many calls have been made.

        What it gave may be assigned to it. TypeError unless it is a dict, ValueError if it is
        another bit generator's.
        """
        key, calls = self.stream.state
        return {"bit_generator": NAME, "state": {"key": key, "calls": calls}}

    @state.setter
    def state(self, state):
        if not isinstance(state, dict):
            raise TypeError("state must be a dict")
        if state.get("bit_generator") != NAME:
            raise ValueError(f"state must be for a {NAME} PRNG")
        self.stream.state = state["state"]["key"], state["state"]["calls"]

    def random_raw(self, size=None, output=True):
        """64 random bits as an int, or as many words as size says, uint64; None if not output."""
        words = self.stream.raw(() if size is None else size, None)
        if output:
            return int(words) if size is None else words

    def __getstate__(self):
        return (*self.stream.state, self._seed)

    def __setstate__(self, state):
        self.stream = _Stream(0)
        self.stream.state = state[:2]
        self._seed = state[2]

    def __repr__(self):
        key, calls = self.stream.state
        return f"{NAME}(key={key:#x}, calls={calls})"


def _copied(seed):
    """A seed that nobody else changes: ints in a list."""
    if hasattr(seed, "__index__") and getattr(seed, "shape", ()) == ():
        return seed.__index__()
    return [_copied(s) if hasattr(s, "__iter__") and not isinstance(s, str) else
            s if isinstance(s, str) else s.__index__() for s in seed]
