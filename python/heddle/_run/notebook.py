# SPDX-License-Identifier: BSD-3-Clause
"""%load_ext heddle: imports in the cells of IPython, mapped as `python -m heddle run` maps them."""
from . import mapping

_USAGE = "%heddle [--numpy | --no-numpy] [--device D]"


def _magic(line):
    """%heddle --numpy, --no-numpy: do imports of numpy lead to Heddle from here on? --device D: where
    arrays are made from here on."""
    words = line.split()
    while words:
        word = words.pop(0)
        if word in ("--numpy", "--no-numpy"):
            from .._state import default_scalars
            mapping.Mapping(numpy=word == "--numpy").install()
            default_scalars("numpy" if word == "--numpy" else "mixed")
        elif word == "--device" and words:
            from .._state import device
            device(words.pop(0)).use()
        else:
            raise ValueError(f"usage: {_USAGE}")


def load_ipython_extension(shell):
    """Maps cupy and cupyx for the cells; %heddle --numpy does it for numpy."""
    mapping.Mapping().install()
    shell.register_magic_function(_magic, "line", "heddle")


def unload_ipython_extension(shell):
    """Imports mean again what they did before."""
    from .._state import default_scalars
    default_scalars()
    if mapping.current is not None:
        mapping.current.uninstall()
