"""How many small mistakes the tests find: ``python -m tests.mutants --seeds 0 1 --count 200``.

A mutant is one changed operator, comparison, constant or ``not`` in a function of the formulas, kinds or
intervals. The tests are collected and run once, which records the functions that each of them calls.
Then, for every mutant, a forked process gives the changed function its new code, and runs the tests
that call it, the most specific first, until one fails or the time is over. What is computed while
modules are imported is not computed anew, so mutants lie inside functions only.

``--root`` is another checkout whose tests are to run on the same mutants, found there by the name of the
function and by what is changed; ``--only`` takes the numbers of the mutants.
"""

from __future__ import annotations

import argparse
import ast
import copy
import gc
import os
import random
import resource
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

HERE = Path(__file__).parents[1]
ROOMS = ("skaucx/metrics/_formulas", "skaucx/metrics/_kinds", "skaucx/inference")
TESTS = ("tests/metrics", "tests/inference")
# Threads of these packages do not outlive a fork, and their locks stay closed.
THREADED = tuple(
    f"{os.sep}{name}{os.sep}" for name in ("polars", "duckdb", "dask", "pyarrow", "torch")
)
# Neither calls formulas for their values: texts of docstrings, and pictures.
LEFT_OUT = ("test_docstrings.py", "displays", "test_pages.py", "test_sklearn_judges.py")

OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip

Key = tuple[str, str, int]


@dataclass(frozen=True)
class Mutant:
    """One change: `before` becomes `after` where it stands the `nth` time in a function."""

    function: str
    before: str
    after: str
    nth: int


@dataclass(frozen=True)
class Site:
    """A mutant's place: the number of its node in the walk of a file."""

    mutant: Mutant
    path: Path
    text: str = field(repr=False)
    line: int
    number: int

    def __str__(self) -> str:
        what = self.mutant
        return f"{self.path.name}:{self.line} {what.function}: {what.before} -> {what.after}"


def changed(node: ast.AST) -> ast.AST | None:
    """Return a node with another operator, comparison or constant, or None."""
    new: Any = copy.copy(node)
    if isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in OPERATORS:
        new.op = OPERATORS[type(node.op)]()
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
        new.ops = [OPERATORS[type(node.ops[0])](), *node.ops[1:]]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        new = new.operand
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        new.value = node.value + 1 if type(node.value) is int else 2 * node.value + (not node.value)
    else:
        return None
    return new  # type: ignore[no-any-return]


def sites(root: Path, rooms: Sequence[str]) -> Iterator[Site]:
    """Yield every mutant of a checkout, file by file."""
    for path in sorted(path for room in rooms for path in (root / room).rglob("*.py")):
        text = path.read_text()
        tree = ast.parse(text)
        numbers = {node: number for number, node in enumerate(ast.walk(tree))}
        for name, function in functions(tree):
            seen: Counter[tuple[str, str]] = Counter()
            for node in (node for statement in function.body for node in ast.walk(statement)):
                new = changed(node)
                if new is not None:
                    both = ast.unparse(node), ast.unparse(new)
                    mutant = Mutant(name, *both, seen[both])
                    yield Site(mutant, path, text, node.lineno, numbers[node])  # type: ignore[attr-defined]
                    seen[both] += 1


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield functions and methods with their names, not those inside others."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from functions(node, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def key(code: CodeType) -> Key:
    return code.co_filename, code.co_name, code.co_firstlineno


def new_codes(site: Site) -> tuple[dict[Key, CodeType], set[Key]]:
    """Return the new code of the functions that hold a change, and the keys of those that make it.

    A function makes one that is inside it from the code that it holds, so it is replaced as well; but a
    test that calls it may never call the one inside.
    """
    name, tree = str(site.path), ast.parse(site.text)
    wanted = list(ast.walk(tree))[site.number]

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> Any:
            return changed(node) if node is wanted else self.generic_visit(node)

    after = compile(Replace().visit(tree), name, "exec")
    old_codes = list(codes(compile(site.text, name, "exec")))
    pairs = list(zip(old_codes, codes(after), strict=True))[1:]  # without that of the module
    made = {key(old) for old, new in pairs if own(old) != own(new)}
    return {key(old): new for old, new in pairs if old != new}, made


def own(code: CodeType) -> tuple[bytes, str]:
    """Return what a function does itself; functions inside have code of their own."""
    inside = [const for const in code.co_consts if not isinstance(const, CodeType)]
    return code.co_code, repr(inside)


@cache
def is_threaded(path: str) -> bool:
    return any(name in path for name in THREADED)


class Trial:
    """A plugin of pytest: which tests call what, and which mutants they find."""

    def __init__(self, chosen: Sequence[tuple[int, Site]], limit: float, longest: float) -> None:
        self.chosen, self.limit, self.failed = chosen, limit, False
        self.longest = longest
        self.files = {str(site.path) for _, site in chosen}
        self.calls: dict[Key, list[tuple[int, Any]]] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if not any(out in item.nodeid for out in LEFT_OUT)]

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        """Stop a test that takes too long; not what pytest does around it, which must not be stopped."""
        signal.signal(signal.SIGPROF, _stop)
        signal.setitimer(signal.ITIMER_PROF, self.longest)
        try:
            return (yield)  # type: ignore[misc]
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        session.config.pluginmanager.unregister(name="terminalreporter")
        start = time.process_time()
        for item, following in pairwise([*session.items, None]):
            self._record(item, following)
        print(f"\n{len(session.items)} tests, {time.process_time() - start:.0f} s of CPU time")
        ends: Counter[str] = Counter()
        for number, site in self.chosen:
            end = self._try(site)
            ends[end] += 1
            if end != "killed":
                print(f"{end:10} {number:4} {site}", flush=True)
        print(
            ", ".join(f"{count} {end}" for end, count in sorted(ends.items())),
            "of",
            len(self.chosen),
        )
        return True

    def _record(self, item: Any, following: Any) -> None:
        """Run a test, and note the functions that it calls in the files of the mutants."""
        called: set[Key] = set()
        self.failed, started = False, []

        def note(frame: Any, event: str, arg: Any) -> None:
            code = frame.f_code
            if event == "call":
                name = code.co_filename
                if name in self.files:
                    called.add(key(code))
                elif not started and is_threaded(name):
                    started.append(1)

        start = threading.Thread.start
        threading.Thread.start = lambda thread: started.append(1) or start(thread)  # type: ignore[method-assign, func-returns-value]
        sys.setprofile(note)
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        finally:
            sys.setprofile(None)
            threading.Thread.start = start  # type: ignore[method-assign]
        if self.failed:  # of itself: it finds nothing
            print(f"fails or takes too long without a mutant: {item.nodeid}", flush=True)
        if self.failed or started:
            return
        for code in called:
            self.calls.setdefault(code, []).append((len(called), item))

    def _try(self, site: Site) -> str:
        new, made = new_codes(site)
        found = {id(item): (size, item) for code in made for size, item in self.calls.get(code, ())}
        items = [item for _, item in sorted(found.values(), key=lambda entry: entry[0])]
        if not items:
            return "not called"
        sys.stdout.flush()
        process = os.fork()
        if not process:
            self._child(new, items)
        status = os.waitpid(process, 0)[1]
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
            return "waits"  # for a lock, not for the processor: says nothing of the mutant
        return "survived" if status == 0 else "killed"

    def _child(self, new: dict[Key, CodeType], items: list[Any]) -> None:
        """Run the tests of a mutant until one fails; killed by the system if one does not end."""
        resource.setrlimit(resource.RLIMIT_CPU, (int(4 * self.limit), int(4 * self.limit)))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # a lock that no thread of a fork gives back
        signal.alarm(int(10 * self.limit))
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        for function in [found for found in gc.get_objects() if isinstance(found, FunctionType)]:
            if key(function.__code__) in new:
                function.__code__ = new[key(function.__code__)]
        self.failed, self.longest = False, 0.0
        start = time.process_time()
        for item, following in pairwise([*items, None]):
            try:
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            except BaseException:
                os._exit(1)
            if self.failed:
                os._exit(1)
            if time.process_time() - start > self.limit:
                break
        os._exit(0)


def _stop(number: int, frame: Any) -> None:
    raise TimeoutError("The test takes too long to be recorded.")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--seeds", type=int, nargs="+", default=[0], help="each draws --count mutants"
    )
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of mutants")
    parser.add_argument("--limit", type=float, default=20, help="seconds of CPU time a mutant")
    parser.add_argument(
        "--longest", type=float, default=12, help="seconds of CPU time a test; longer are left out"
    )
    parser.add_argument("--root", type=Path, default=HERE, help="the checkout whose tests run")
    parser.add_argument("--tests", nargs="*", default=TESTS)
    given = parser.parse_args()
    every = list(sites(HERE, ROOMS))
    drawn = [one for seed in given.seeds for one in random.Random(seed).sample(every, given.count)]
    chosen = [(n, site) for n, site in enumerate(drawn) if given.only is None or n in given.only]
    if given.root.resolve() != HERE:
        there: dict[Mutant, list[Site]] = {}
        for site in sites(given.root.resolve(), ["skaucx"]):
            there.setdefault(site.mutant, []).append(site)
        missing = [n for n, site in chosen if len(there.get(site.mutant, ())) != 1]
        chosen = [(n, there[site.mutant][0]) for n, site in chosen if n not in missing]
        print(f"{len(missing)} mutants are not in {given.root}: {missing}")
    os.chdir(given.root)
    sys.path.insert(0, str(given.root.resolve()))
    options = ["-q", "-s", "-p", "no:cacheprovider", "--no-header", "--no-summary"]
    pytest.main([*options, *given.tests], plugins=[Trial(chosen, given.limit, given.longest)])


if __name__ == "__main__":
    main()
