# SPDX-License-Identifier: BSD-3-Clause
"""The C interface: every function of the public headers takes NULL, zeros and impossible sizes without harm."""
import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

from common import needs_heddle, python, xp

pytestmark = needs_heddle
ROOT = Path(__file__).resolve().parents[2]


def prototypes():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        from prototypes import prototypes as read
        return read(ROOT)
    finally:
        sys.path.remove(str(ROOT / "tools"))


def called(*only):
    library = next(Path(xp.__file__).parent.glob("libheddle.so.?"))
    # on the CPU: a made-up number as a stream or an event is an address to the CUDA driver
    r = subprocess.run([sys.executable, Path(__file__).with_name("c_calls.py"), library, *only], timeout=900,
                       input=json.dumps(prototypes()), text=True, capture_output=True,
                       env=os.environ | {"HEDDLE_DEVICE": "cpu"})
    assert r.returncode == 0, r.stderr
    return r.stdout.splitlines()


def test_every_function__takes_null_zeros_and_impossible_sizes():
    *wrong, last = called()
    assert not wrong, "\n".join(wrong)
    assert last == f"{len(prototypes())} functions called" and len(prototypes()) > 300


def test_prototypes__are_read_whole():
    found = prototypes()
    assert found["hd_as_strided"].parameters == [("hd_array *", "x"), ("int", "nd"), ("int64_t *", "shape"),
                                                 ("int64_t *", "strides"), ("int64_t", "offset")]
    assert found["hd_apply"].returns == "hd_array *" and found["hd_apply"].parameters[2] == ("hd_array **", "in")
    assert found["hd_wrap"].parameters[-2] == ("void *", "deleter") and found["hd_version"].parameters == []


def test_library__of_another_interface_is_refused(tmp_path):
    """The library keeps its name, so the number alone tells."""
    library = next(Path(xp.__file__).parent.glob("libheddle.so.?"))
    assert library.name == "libheddle.so.0"
    version = ctypes.CDLL(str(library)).hd_abi_version()
    assert version >= 1         # 0: HD_BOOL was what a zero said
    source, other = tmp_path / "other.c", tmp_path / "other.so"
    source.write_text(f"int hd_abi_version(void) {{ return {version - 1}; }}")
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", other], check=True)
    preload = " ".join(filter(None, [os.environ.get("LD_PRELOAD"), str(other)]))
    r = python("import heddle", check=False, LD_PRELOAD=preload)
    assert f"interface version {version - 1}, this package needs {version}" in r.stderr
