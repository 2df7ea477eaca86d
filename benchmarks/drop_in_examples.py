"""Whether scikit-learn's own examples print and draw the same with the import line changed.

``python -m benchmarks.drop_in_examples FOLDER`` takes the folder ``examples`` of scikit-learn's source
distribution, runs each example on which ``SED`` changes a line twice, as it is and changed, and
writes ``benchmarks/results/drop_in_examples.md``. Compared are the printed text and the arrays
in the figures. An example that needs more than ``--seconds`` of the processor, or that does not
end as it is (it wants data of the network, or a package), is listed and not compared; ``--budget`` ends
the whole. The examples stay where they are: only the table is kept.
"""

from __future__ import annotations

import argparse
import os
import pickle
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

RESULTS = Path(__file__).parent / "results" / "drop_in_examples.md"
SED = (
    r"s/^( *from )sklearn(\.metrics import)/\1skaucx\2/; "
    r"s/^( *from )sklearn( import metrics)$/\1skaucx\2/"
)
ABOVE = """# scikit-learn's examples with one line changed

`python -m benchmarks.drop_in_examples FOLDER`, with the folder `examples` of scikit-learn's source
distribution, runs each example that imports from `sklearn.metrics` as it is and after

    sed -E '{sed}'

and compares the printed text and the arrays of its figures: lines (without points on the straight way
between their neighbours), images, patches and points in units of the data, each of which has to occur
among those of the changed example, which may draw more
(scikit-learn {version}; one thread, Agg). Examples that differ from themselves when they are run again
are not compared. *time* is the ratio of processor times of the whole processes, one run each.

{summary}

| example | identical | printed characters | arrays drawn | time | why not |
|---|---|---|---|---|---|
"""
# What a run leaves: the figures' arrays, collected when the example has ended.
RUN = """
import pickle, runpy, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
script, kept = sys.argv[1:3]
sys.argv = [script]
runpy.run_path(script, run_name="__main__")
drawn = []


def corners(points):
    # Without the points on the straight way between their neighbours.
    kept = []
    for x, y in points.tolist():
        while len(kept) > 1:
            (a, b), (c, d) = kept[-2:]
            across = (c - a) * (y - b) - (d - b) * (x - a)
            ahead = (c - a) * (x - c) + (d - b) * (y - d)
            if abs(across) > 1e-12 or ahead < 0:
                break
            kept.pop()
        kept.append((x, y))
    return np.array(kept)


if "matplotlib.pyplot" in sys.modules:
    import matplotlib.pyplot as plt
    for number in plt.get_fignums():
        for axes in plt.figure(number).axes:
            drawn += [("line", corners(line.get_xydata())) for line in axes.lines]
            drawn += [("image", np.array(image.get_array())) for image in axes.images]
            for patch in axes.patches:
                drawn.append(("patch", patch.get_patch_transform().transform(patch.get_path().vertices)))
            for points in axes.collections:
                drawn.append((type(points).__name__, np.array(points.get_offsets())))
                if points.get_array() is not None:
                    drawn.append((type(points).__name__, np.array(points.get_array())))
pickle.dump(drawn, open(kept, "wb"))
"""


@dataclass
class Ended:
    """One run of an example: its text, its drawn arrays, its processor time, its error."""

    text: str
    drawn: list[tuple[str, Any]]
    seconds: float
    error: str | None


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drop_in_examples")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=int, default=60, help="processor time of one run")
    parser.add_argument("--budget", type=float, default=480, help="processor time of all runs")
    parser.add_argument("--only", default="", help="run the examples whose path holds this text")
    parser.add_argument("--output", type=Path, default=RESULTS)
    given = parser.parse_args()
    lines, spent = [], 0.0
    for path in sorted(given.folder.rglob("*.py")):
        name, source = str(path.relative_to(given.folder)), path.read_text(encoding="utf-8")
        if given.only not in name or (new := changed(source)) == source:
            continue
        if spent > given.budget:
            lines.append(row(name, "not run", why="the processor time of all runs was spent"))
            continue
        with tempfile.TemporaryDirectory() as folder:
            was = ended(path, path.parent, folder, given.seconds)
            spent += was.seconds
            if was.error:
                lines.append(row(name, "not compared", why=f"as it is: {was.error}"))
                continue
            copy = Path(folder) / path.name
            copy.write_text(new, encoding="utf-8")
            now = ended(copy, path.parent, folder, 2 * given.seconds)
            spent += now.seconds
            why = now.error or difference(was, now)
            if why and not now.error:
                again = ended(path, path.parent, folder, given.seconds)
                spent += again.seconds
                if difference(was, again):
                    lines.append(row(name, "not compared", why="as it is: other in each run"))
                    continue
        arrays, time = f"{len(was.drawn)} of {len(now.drawn)}", f"{now.seconds / was.seconds:.2f}"
        lines.append(row(name, "no" if why else "yes", len(was.text), arrays, time, why))
        print(lines[-1], flush=True)
    counts = {kind: sum(f"| {kind} |" in line for line in lines) for kind in ("yes", "no")}
    summary = f"{counts['yes']} of {sum(counts.values())} compared examples are identical."
    above = ABOVE.format(sed=SED, version=sklearn.__version__, summary=summary)
    given.output.write_text(above + "\n".join(lines) + "\n", encoding="utf-8")


def changed(source: str) -> str:
    """Return the source after SED."""
    source = re.sub(r"(?m)^( *from )sklearn(\.metrics import)", r"\1skaucx\2", source)
    return re.sub(r"(?m)^( *from )sklearn( import metrics)$", r"\1skaucx\2", source)


def ended(script: Path, directory: Path, folder: str, seconds: int) -> Ended:
    """Run a script in a process of its own, with a limit on its processor time."""
    kept = Path(folder) / "drawn"
    kept.unlink(missing_ok=True)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LOKY_MAX_CPU_COUNT"), "1")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(script), str(kept)],
        cwd=directory,
        env={**os.environ, **threads, "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1)),
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    error = None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        error = f"over {seconds} s" if done.returncode < 0 else last[:120].replace("|", "/")
    drawn = pickle.loads(kept.read_bytes()) if kept.exists() and not error else []
    return Ended(done.stdout, drawn, used, error)


# Times and addresses in memory differ between two runs of the same example.
_VARIES = re.compile(r"\d+\.\d+(e-?\d+)? ?(s|ms|seconds|sec)\b|0x[0-9a-f]+|(time|done)[^\n]*")


def difference(was: Ended, now: Ended) -> str | None:
    """Return the first difference of two runs; None where they are identical."""
    texts = [_VARIES.sub("", each.text).splitlines() for each in (was, now)]
    for one, other in zip(*texts, strict=False):
        if one != other:
            return f"prints `{other.strip()[:60]}`, not `{one.strip()[:60]}`".replace("|", "/")
    if len(texts[0]) != len(texts[1]):
        return f"prints {len(texts[1])} lines, not {len(texts[0])}"
    left = list(now.drawn)
    for name, one in was.drawn:
        at = next(
            (i for i, (kind, other) in enumerate(left) if kind == name and close(one, other)), None
        )
        if at is None:
            return f"no {name} of shape {one.shape} is the same: {np.ravel(one)[:4]}"
        del left[at]
    return None


def close(one: Any, other: Any) -> bool:
    """Whether two arrays agree to the rounding of their sums."""
    if one.shape != other.shape:
        return False
    if one.dtype.kind not in "fiub":
        return bool((one == other).all())
    return np.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)


def row(
    name: str,
    same: str,
    text: object = "",
    arrays: object = "",
    time: str = "",
    why: str | None = None,
) -> str:
    return f"| {name} | {same} | {text} | {arrays} | {time} | {why or ''} |"


if __name__ == "__main__":
    main()
