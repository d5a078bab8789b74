# SPDX-License-Identifier: BSD-3-Clause
"""errstate and its relatives with CuPy's kind "linalg", and what cupyx tells of the system."""
from .. import errstate as _errstate
from .. import geterr as _geterr
from .. import seterr as _seterr
from .._state import _config

__all__ = ["errstate", "get_runtime_info", "geterr", "seterr"]


def _check(linalg):
    if linalg not in (None, "raise"):
        raise NotImplementedError(f'linalg={linalg!r}: what fails in heddle.linalg raises '
                                  'LinAlgError, which is "raise"')


class errstate(_errstate):
    """heddle.errstate, which takes linalg="raise" as well: what is so in any case."""
    __slots__ = ()

    def __init__(self, *, linalg=None, **kinds):
        _check(linalg)
        super().__init__(**kinds)


def geterr():
    """What is done about each kind of fault."""
    return {**_geterr(), "linalg": "raise"}


def seterr(*, linalg=None, **kinds):
    """heddle.seterr, which takes linalg="raise" as well; the settings before."""
    _check(linalg)
    return {**_seterr(**kinds), "linalg": "raise"}


def get_runtime_info(*, full=False):
    """Versions, device and settings as a text: what heddle.show_config() prints."""
    return "\n".join(f"{name:18} {value}" for name, value in _config().items())
