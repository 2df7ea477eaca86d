"""How cost grows: processor time and peak memory of every public call at n and at 4 n.

``python -m benchmarks.growth`` measures the calls of ``benchmarks/growth_calls.py`` and writes
``benchmarks/results/growth.md``. Each line is kept in a file (``--kept``, growth.jsonl by default) as
soon as it is measured, so that a run goes on where the last one stopped; ``--only TEXT`` measures the
lines that hold a text ("kind: call") anew.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import tracemalloc
import warnings
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from . import growth_calls
from .growth_calls import Axis
from .machine import machine, sentence

RESULT = Path(__file__).parent / "results" / "growth.md"
ABOVE = """# Growth

Processor time and peak memory of public calls at n and at 4 n, and their exponents: 1 is proportional, 0
does not grow. `python -m benchmarks.growth` writes this table; `benchmarks/growth_calls.py` holds the
calls, and a test that every public call that takes rows, groups, models, folds or the like has a line or
an excuse there. n is the first of 4, 16, ... times the least size at which a call takes long enough to
be timed. Times are the least of three turns after a first one, of one turn above a tenth of a second;
memory is what tracemalloc sees in a further turn.

An exponent above 1.1 has its reason in the last column, read from the code and not profiled; where 4 n
takes neither long nor much memory, the exponent between 4 n and 16 n stands there first: what leaves the
processor's caches between n and 4 n grows in proportion beyond. A line without a reason says "open".
Lines are kept from run to run, so they are of several loads; the last line says of what machine.

| call | grows with | n, 4 n | ms | exponent | MB | exponent | reason |
|---|---|---|---|---|---|---|---|"""
LARGE = """
## Large

One call each, at sizes near the end of what it is meant for.

| call | size | s | MB |
|---|---|---|---|"""

_LIMIT, _QUICK, _TURNS = 1.1, 0.1, 3
_FURTHER, _ROOM = 1_100_000, 2e8  # size and bytes up to which a line is looked at beyond 4 n
_LONG = 2.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--only", help="measure the lines that hold this text, anew")
    parser.add_argument(
        "--kept", type=Path, default=Path("growth.jsonl"), help="file of the lines done"
    )
    given = parser.parse_args()
    text = given.kept.read_text(encoding="utf-8") if given.kept.exists() else ""
    kept = {row["line"]: row for row in map(json.loads, text.splitlines())}
    work = works()
    for line, measure in work.items():
        if given.only in line if given.only else line not in kept:
            kept[line] = {"line": line, **measure()}
            with given.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept[line]) + "\n")
            print(shown(kept[line]), flush=True)
    RESULT.write_text(page([kept.get(line, {"line": line}) for line in work]), encoding="utf-8")


def works() -> dict[str, Callable[[], dict[str, Any]]]:
    """Return what is measured: a function by "kind: call" each."""
    found = {
        f"{axis.kind}: {name}": partial(_grown, axis, name)
        for axis in growth_calls.axes()
        for name in axis.calls
    }
    return found | {
        f"large: {name}, {size}": partial(_once, name, size, work)
        for name, size, work in growth_calls.large()
    }


def page(rows: list[dict[str, Any]]) -> str:
    """Return the page of all lines."""
    done = [row for row in rows if len(row) > 1]
    once = [shown(row) for row in done if "size" in row]
    grown = [shown(row) for row in done if "size" not in row]
    left = [row["line"] for row in rows if len(row) == 1]
    failed = [row for row in done if "error" in row]
    n_open = sum(line.endswith("open |") for line in grown)
    said = [
        f"{len(done)} lines are measured, {n_open} of them open, {len(failed)} raised an error; not "
        f"measured: {', '.join(left) or 'none'}."
    ]
    slow = sorted({row["line"] for row in done if max(row.get("seconds", [0])) > _LONG})
    said.append(f"Above {_LONG:g} s: {'; '.join(slow) or 'none'}.")
    return "\n".join([ABOVE, *grown, LARGE, *once, "", *said, "", sentence(machine()), ""])


def shown(row: dict[str, Any]) -> str:
    """Return one line of the table."""
    kind, _, name = row["line"].partition(": ")
    if "error" in row:
        return f"| {name} | {kind} | | | | | | {row['error']} |"
    if "size" in row:
        [seconds], [peak] = row["seconds"], row["bytes"]
        return f"| {row['name']} | {row['size']} | {seconds:.3g} | {peak / 1e6:.4g} |"
    cells, exponents = [], []
    for key, unit in (("seconds", 1e3), ("bytes", 1e-6)):
        first, second = row[key][:2]
        exponents.append(math.log(max(second, 1e-9) / max(first, 1e-9), 4))
        cells += [f"{first * unit:.3g} / {second * unit:.3g}", f"{exponents[-1]:.2f}"]
    why = growth_calls.reason(row["line"])
    if len(row["seconds"]) > 2:
        beyond = math.log(row["seconds"][2] / row["seconds"][1], 4)
        why = why or ("" if beyond <= _LIMIT else "open")
        why = f"{beyond:.2f} from 4 n to 16 n{'; ' * bool(why)}{why}"
    above = max(round(each, 2) for each in exponents) > _LIMIT
    sizes = " / ".join(f"{size:,}" for size in row["sizes"][:2])
    return (
        f"| {name} | {kind} | {sizes} | {' | '.join(cells)} | {(why or 'open') if above else ''} |"
    )


def _grown(axis: Axis, name: str) -> dict[str, Any]:
    work, size = axis.calls[name], axis.least
    try:
        while size * 16 <= axis.most and _seconds(partial(work, _data(axis, size))) < axis.seconds:
            size *= 4
        sizes = [size, 4 * size]
        found = [measured(partial(work, _data(axis, n))) for n in sizes]
        steep = math.log(found[1][0] / found[0][0], 4) > _LIMIT
        if steep and sizes[1] < _FURTHER and found[1][0] < 0.3 and found[1][1] < _ROOM:
            sizes.append(4 * sizes[1])
            found.append(measured(partial(work, _data(axis, sizes[2]))))
    except Exception as error:
        return {"error": f"{type(error).__name__}: {str(error).splitlines()[0]}"}
    seconds, peaks = zip(*found, strict=True)
    return {"sizes": sizes, "seconds": seconds, "bytes": peaks}


@lru_cache(maxsize=8)
def _data(axis: Axis, size: int) -> Any:
    return axis.data_of(size)


def _once(name: str, size: str, work: Callable[[], Any]) -> dict[str, Any]:
    seconds, peak = measured(work)
    return {"name": name, "size": size, "seconds": [seconds], "bytes": [peak]}


def measured(work: Callable[[], Any]) -> tuple[float, float]:
    """Return the least seconds of CPU time, and the peak of the memory."""
    times = [_seconds(work)]
    while len(times) < (2 if times[0] > _QUICK else 1 + _TURNS) and times[0] < 1:
        times.append(_seconds(work))
    tracemalloc.start()
    _seconds(work)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(times[1:] or times), peak


def _seconds(work: Callable[[], Any]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = time.process_time()
        work()
        return time.process_time() - before


if __name__ == "__main__":
    main()
