# SPDX-License-Identifier: BSD-3-Clause
"""cupy.cuda's memory hooks: what they are told of, when, in which thread; what raises."""

import gc
import io
import json
import re
import sys
import threading

import pytest
from common import IS_NUMPY, needs_heddle, xp

if not IS_NUMPY:
    import heddle.cupy as cp
    from heddle.cupy.cuda import memory_hook, memory_hooks

pytestmark = needs_heddle
N = 2000  # elements of 8 bytes: more than stay on the host for a GPU's sake
BYTES = 8 * N


@pytest.fixture
def notes():
    """A class of hooks that note each call: .calls of (method, keywords)."""

    class Notes(memory_hook.MemoryHook):
        name = "notes"

        def __init__(self, name="notes"):
            self.name, self.calls = name, []

        def names(self):
            return [name for name, _ in self.calls]

        def of(self, method):
            return [facts for name, facts in self.calls if name == method]

    def noting(method):
        return lambda self, **facts: self.calls.append((method, facts))

    for what in "alloc", "malloc", "free":
        for when in "preprocess", "postprocess":
            setattr(Notes, f"{what}_{when}", noting(f"{what}_{when}"))
    return Notes


def filled():
    x = cp.full(N, 3.0)
    xp._heddle._eval(x)
    return x


MALLOC = ["malloc_preprocess", "malloc_postprocess"]
FREE = ["free_preprocess", "free_postprocess"]


def test_names__are_one_class():
    assert cp.cuda.MemoryHook is memory_hook.MemoryHook is cp.cuda.memory_hook.MemoryHook
    assert cp.cuda.memory_hooks is memory_hooks
    assert issubclass(memory_hooks.DebugPrintHook, cp.cuda.MemoryHook)
    assert memory_hooks.debug_print.DebugPrintHook is memory_hooks.DebugPrintHook
    assert memory_hooks.line_profile.LineProfileHook is memory_hooks.LineProfileHook
    assert cp.cuda.MemoryHook.name == "MemoryHook"
    with pytest.raises(AttributeError, match=r"Heddle has no cupy\.cuda\.memory_hooks\.nothing"):
        _ = memory_hooks.nothing


def test_hook__hears_of_a_block_and_its_end(notes):
    filled()  # a block is kept
    with notes() as hook:
        x = filled()
        del x
    assert isinstance(hook, notes)
    assert hook.names() == MALLOC + FREE
    (before,), (after,) = hook.of("malloc_preprocess"), hook.of("malloc_postprocess")
    assert before == {"device_id": 0, "size": BYTES, "mem_size": before["mem_size"]}
    assert before["mem_size"] >= BYTES and after["mem_ptr"] and after["pmem_id"]
    assert {k: after[k] for k in before} == before
    for freed in hook.of("free_preprocess") + hook.of("free_postprocess"):
        assert freed == {k: v for k, v in after.items() if k != "size"}


def test_hook__hears_of_memory_of_the_system(notes):
    cp.cuda.get_default_memory_pool().free_all_blocks()
    n = 3 << 20
    with notes() as hook:
        for _ in range(2):
            xp._heddle._eval(cp.full(n, 3.0))
    first = ["malloc_preprocess", "alloc_preprocess", "alloc_postprocess", "malloc_postprocess"]
    assert hook.names() == first + FREE + MALLOC + FREE
    (fresh,) = hook.of("alloc_postprocess")
    assert fresh["mem_size"] >= 8 * n and set(fresh) == {"device_id", "mem_size", "mem_ptr"}
    assert fresh["mem_ptr"] == hook.of("malloc_postprocess")[0]["mem_ptr"]
    assert set(hook.of("alloc_preprocess")[0]) == {"device_id", "mem_size"}


def test_hook__what_was_recorded_belongs_to_the_block_it_was_recorded_in(notes):
    before = cp.full(N, 1.0) + 1
    with notes() as hook:
        within = cp.full(N, 1.0) + 2
    assert hook.names()[:1] == ["malloc_preprocess"] and len(hook.of("malloc_postprocess")) == 1
    count = len(hook.calls)
    after = cp.full(N, 1.0) + 3
    assert float(before[0] + within[0] + after[0]) == 9 and len(hook.calls) == count


def test_hook__what_fuses_has_no_memory(notes):
    x = filled()
    with notes() as hook:
        y = cp.sqrt(x * x + x)
    assert len(hook.of("malloc_postprocess")) == 1 and float(y[0]) == pytest.approx(12**0.5)


def test_hook__pools_and_pointers(notes):
    with notes() as hook:
        memory = cp.cuda.alloc(BYTES)
        address = memory.ptr
    assert hook.of("malloc_postprocess")[0]["mem_ptr"] == address
    assert hook.of("malloc_postprocess")[0]["size"] == BYTES


def test_hook__nested_ones_hear_both_in_order(notes):
    order = []

    def told(hook):
        return lambda **facts: order.append(hook)

    with notes("outer") as outer:
        filled()
        with notes("inner") as inner:
            assert len(outer.calls) > 0
            count = len(outer.calls)
            outer.free_preprocess, inner.free_preprocess = told("outer"), told("inner")
            filled()
            assert len(outer.calls) + 1 == count + len(inner.calls) + 1
        within = len(inner.calls)
        filled()
    assert len(inner.calls) == within and order == ["outer", "inner", "outer"]
    assert len(outer.calls) > count + within


def test_hook__name_twice_is_an_error(notes):
    with notes() as hook:
        with pytest.raises(KeyError, match="notes"), hook:
            pass
        with pytest.raises(KeyError, match="notes"), notes():
            pass
        filled()
    assert hook.calls
    with hook:  # once more is none
        pass
    with pytest.raises(KeyError):
        hook.__exit__(None, None, None)
    assert memory_hook.get_memory_hooks() == {}


def test_hook__base_class_hears_nothing():
    with cp.cuda.MemoryHook() as hook:
        filled()
    assert hook.malloc_postprocess(device_id=0) is None


def test_hook__is_its_threads(notes):
    elsewhere = notes()

    def other():
        filled()
        with elsewhere:
            filled()

    with notes() as hook:
        filled()
        count = len(hook.calls)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert len(hook.calls) == count
    assert elsewhere.calls and len(hook.calls) == count


def test_hook__many_threads_at_once(notes):
    hooks = [notes() for _ in range(4)]
    together = threading.Barrier(4)  # the ends of a block run what all threads have recorded

    def work(hook):
        with hook:
            together.wait()
            for _ in range(50):
                filled()
            together.wait()

    threads = [threading.Thread(target=work, args=(hook,)) for hook in hooks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for hook in hooks:
        assert len(hook.of("malloc_postprocess")) == 50
        assert all(facts["mem_ptr"] for facts in hook.of("malloc_postprocess"))


def test_hook__may_use_arrays(notes):
    sums = []
    hook = notes()
    hook.malloc_postprocess = lambda **facts: sums.append(float((filled() + 1).sum()))
    with hook:
        filled()
    assert sums == [4.0 * N]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("method", ["malloc_preprocess", "malloc_postprocess", "free_postprocess"])
def test_hook__that_raises_loses_nothing(notes, method):
    def fail(**facts):
        raise ZeroDivisionError(method)

    gc.collect()  # what tests before this one left
    hook, used = notes(), cp.cuda.get_default_memory_pool().used_bytes()
    setattr(hook, method, fail)
    with pytest.raises(ZeroDivisionError, match=method), hook:
        x = filled()
        assert float(x[1]) == 3
        del x
    assert memory_hook.get_memory_hooks() == {}
    gc.collect()
    assert cp.cuda.get_default_memory_pool().used_bytes() == used
    count = len(hook.calls)
    filled()
    assert len(hook.calls) == count


def test_hook__second_exception_is_unraisable(notes, monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    errors = [ValueError("first"), KeyError("second")]

    def fail(**facts):
        raise errors[len(seen) + fail.calls]

    fail.calls = -1
    hook = notes()

    def count(**facts):
        fail.calls += 1
        fail(**facts)

    hook.malloc_preprocess = count
    with pytest.raises(ValueError, match="first"), hook:
        filled()
        filled()
    assert [type(s.exc_value) for s in seen] == [KeyError] and seen[0].object is hook


def test_hook__exception_of_the_block_goes_first(notes):
    def fail(**facts):
        raise ZeroDivisionError

    hook = notes()
    hook.malloc_preprocess = fail
    with pytest.raises(LookupError, match="the block"), hook:
        filled()
        raise LookupError("the block")
    assert memory_hook.get_memory_hooks() == {}
    with hook:
        pass  # the exception was not kept


def test_hook__within_a_destructor(notes):
    """An exception is on its way when the block is given back: it stays."""

    def work():
        x = filled()
        raise IndexError(float(x[0]))

    gc.collect()  # what tracebacks of other tests hold
    with notes() as hook:
        with pytest.raises(IndexError, match="3"):
            work()
        gc.collect()
    large = [facts for facts in hook.of("free_postprocess") if facts["mem_size"] >= BYTES]
    assert len(large) == 1


def test_hook__memory_that_is_not_there(notes):
    if str(cp.empty(0).device) != "cpu":
        pytest.skip("the fake driver has memory without end")
    with notes() as hook:
        with pytest.raises(MemoryError):
            x = cp.full(1 << 43, 1.0)
            float(x[1])
        del hook.calls[:]
        filled()
    assert hook.names()[-4:] == MALLOC + FREE


def test_debug_print__lines_of_json():
    out = io.StringIO()
    with memory_hooks.DebugPrintHook(file=out, flush=False) as hook:
        x = filled()
        del x
    assert hook.file is out and hook.flush is False
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    kinds = [line["hook"] for line in lines]
    assert kinds in (["malloc", "free"], ["alloc", "malloc", "free"])
    malloc, free = lines[-2:]
    assert list(malloc) == ["hook", "device_id", "size", "mem_size", "mem_ptr", "pmem_id"]
    assert list(free) == ["hook", "device_id", "mem_size", "mem_ptr", "pmem_id"]
    assert malloc["size"] == BYTES and malloc["pmem_id"] == hex(malloc["mem_ptr"])
    assert free["mem_ptr"] == malloc["mem_ptr"]


def test_debug_print__alloc_and_stdout(capsys):
    cp.cuda.get_default_memory_pool().free_all_blocks()
    with memory_hooks.DebugPrintHook():
        xp._heddle._eval(cp.full(3 << 20, 1.0))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert list(lines[0]) == ["hook", "device_id", "mem_size", "mem_ptr"]
    assert lines[0]["hook"] == "alloc" and lines[0]["mem_size"] >= 24 << 20


def test_line_profile__sums_by_lines():
    def work():
        return filled()

    cp.cuda.get_default_memory_pool().free_all_blocks()
    with memory_hooks.LineProfileHook() as hook:
        x = [work(), work()]
        big = cp.full(3 << 20, 1.0)
        float(big[0])
    out = io.StringIO()
    hook.print_report(out)
    root, *lines = out.getvalue().splitlines()
    assert root.startswith("_root (") and root.count("MB") == 2 and len(x) == 2
    here = [line for line in lines if "test_cupy_memory_hooks.py" in line]
    assert any(":work (" in line for line in here) and any(":filled (" in line for line in here)
    # on a GPU the element has memory as well
    large = [line for line in here if re.search(r"\(24\.0\dMB, 2[46]\.\d\dMB\)", line)]
    assert len(large) == 1 and "test_line_profile__sums_by_lines" in large[0]
    depth = [len(line) - len(line.lstrip()) for line in here]
    assert min(depth) > 0 and max(depth) > min(depth)
    assert not any("memory_hook.py" in line for line in lines)


def test_line_profile__max_depth(capsys):
    with memory_hooks.LineProfileHook(max_depth=2) as hook:
        filled()
    hook.print_report()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[0].startswith("_root") and lines[1].startswith("  ")
