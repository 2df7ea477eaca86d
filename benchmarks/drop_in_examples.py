"""Whether scikit-learn's own examples print and draw the same with the import line changed.

``python -m benchmarks.drop_in_examples FOLDER`` takes the folder ``examples`` of scikit-learn's source
distribution, runs each example that ``SED`` changes, as it is and changed, and writes
``benchmarks/results/drop_in_examples.md``. Compared are the printed text and the arrays in the figures.
An example that needs more than ``--seconds`` of the processor, or that does not end as it is (it wants
data of the network, or a package), is listed and not compared. A further run adds the lines of
``LINES``, which give the printed numbers their intervals. The examples stay where they are: only the
table is kept.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import json
import os
import pickle
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn

import skaucx

RESULTS = Path(__file__).parent / "results" / "drop_in_examples.md"
# The import line; and a metric by its name, for which the first import gets a line before it.
SED = (
    (r"^( *from )sklearn(\.metrics import)", r"\1skaucx\2"),
    (r"^( *from )sklearn( import metrics)$", r"\1skaucx\2"),
)
SED_NAMES = (
    (r'scoring="([a-z0-9_]+_[a-z0-9_]+|accuracy|r2)"', r'scoring=own("\1")'),
    (r"^(import |from )", r"from skaucx.metrics import get_scorer as own\n\1"),
)
ABOVE = """# scikit-learn's examples with one line changed

`python -m benchmarks.drop_in_examples FOLDER`, with the folder `examples` of scikit-learn's source
distribution, runs each example that imports from `sklearn.metrics` or passes `scoring="NAME"` as it is
and after

    {sed}

and compares the printed text and the arrays of its figures, which are drawn: lines (without points on
the straight way between their neighbours), images, patches and points in units of the data, each of
which has to occur among those of the changed example, which may draw more (scikit-learn {version}; one
thread, Agg). Examples that differ from themselves when they are run again are not compared. *time* is
the ratio of the processor times of the whole processes, of both the least of three runs in turn, and of
one run where that takes {long} s or longer; the package is compiled before, as an installed one is.

{summary}

| example | identical | printed characters | arrays drawn | time | why not |
|---|---|---|---|---|---|
"""
BELOW = """
# The line that adds the interval

For every example that prints the value of a metric: the line added and what it printed (of a loop the
first and the last value; of a table the first rows). Numbers without such a line:

- metrics of clusters, which compare partitions of the same rows, have no interval: {clusters};
- means over the folds of a search are optimistic, and their intervals are those of a nested run.

| example | line | printed |
|---|---|---|
"""
_NOT_RUN = "not run"
LONG = 10  # seconds from which one run measures the time
CLUSTERS = (
    "bicluster/plot_spectral_biclustering.py", "bicluster/plot_spectral_coclustering.py",
    "cluster/plot_affinity_propagation.py", "cluster/plot_dbscan.py", "cluster/plot_kmeans_digits.py",
    "cluster/plot_kmeans_silhouette_analysis.py", "release_highlights/plot_release_highlights_1_3_0.py",
)  # fmt: skip
# The differences that are documented, by what a difference begins with, and the reason.
_CELLS = (
    "cells and their bar have the colours of row shares", ("image", "LineCollection", "QuadMesh")
)  # fmt: skip
_NAMES = "scikit-learn labels by the text of `scoring=`, and a scorer is none"
DOCUMENTED = {
    "model_selection/plot_confusion_matrix.py": (
        f"`confusion_matrix` keeps the counts with `normalize=`; {_CELLS[0]}",
        (*_CELLS[1], "prints `["),
    ),
    "model_selection/plot_train_error_vs_test_error.py": (
        _NAMES, ("AttributeError: 'MetricScorer' object has no attribute '__name__'",)
    ),
    "release_highlights/plot_release_highlights_1_9_0.py": (
        _NAMES, ("KeyError: \"['d2_log_loss_score'] not in index\"",)
    ),
    "release_highlights/plot_release_highlights_1_5_0.py": _CELLS,
    "semi_supervised/plot_label_propagation_digits.py": _CELLS,
}  # fmt: skip
# Of each example the beginnings of statements, and the line that comes after each of them.
LINES = {
    "calibration/plot_calibration.py": (
        ("clf_score =",
         "interval('brier_score_loss', y_test, prob_pos_clf, "
         "sample_weight=sw_test)"),
        ("clf_isotonic_score",
         "interval('brier_score_loss', y_test, prob_pos_isotonic, "
         "sample_weight=sw_test)"),
        ("clf_sigmoid_score",
         "interval('brier_score_loss', y_test, prob_pos_sigmoid, "
         "sample_weight=sw_test)"),
    ),
    "calibration/plot_calibration_multiclass.py": (
        ("loss = log_loss(", "interval('log_loss', y_test, clf_probs)"),
        ("cal_loss = log_loss(", "interval('log_loss', y_test, cal_clf_probs)"),
        ("loss = brier_score_loss(", "interval('brier_score_loss', y_test, clf_probs)"),
        ("cal_loss = brier_score_loss(", "interval('brier_score_loss', y_test, cal_clf_probs)"),
    ),
    "ensemble/plot_adaboost_multiclass.py": (
        ("weak_learners_mis", "interval('zero_one_loss', y_test, weak_learner.predict(X_test))"),
        ("dummy_classifiers_mis", "interval('zero_one_loss', y_test, dummy_clf.predict(X_test))"),
    ),
    "ensemble/plot_gradient_boosting_oob.py": (
        ("acc =", "interval('accuracy', y_test, clf.predict(X_test))"),
    ),
    "ensemble/plot_gradient_boosting_regression.py": (
        ("mse =", "interval('mean_squared_error', y_test, reg.predict(X_test))"),
    ),
    "feature_selection/plot_select_from_model_diabetes.py": (
        ('print(f"ROC AUC', "interval('roc_auc', y, model.predict_proba(X)[:, 1])"),
    ),
    "frozen/plot_frozen_examples.py": (
        ("clf_score =", "interval('brier_score_loss', y_test, prob_pos_clf)"),
        ("calibrated_score =", "interval('brier_score_loss', y_test, prob_pos_calibrated)"),
    ),
    "gaussian_process/plot_gpc.py": (
        ("gp_opt.fit", "interval('accuracy', y[:train_size], gp_fix.predict(X[:train_size]))"),
        ("gp_opt.fit", "interval('accuracy', y[:train_size], gp_opt.predict(X[:train_size]))"),
        ("gp_opt.fit",
         "interval('log_loss', y[:train_size], "
         "gp_fix.predict_proba(X[:train_size])[:, 1])"),
        ("gp_opt.fit",
         "interval('log_loss', y[:train_size], "
         "gp_opt.predict_proba(X[:train_size])[:, 1])"),
    ),
    "inspection/plot_causal_interpretation.py": (
        ("R2_with_ability", "interval('r2', y_test, y_pred_with_ability)"),
        ("R2_without_ability", "interval('r2', y_test, y_pred_without_ability)"),
    ),
    "linear_model/plot_lasso_and_elasticnet.py": (
        ("r2_score_lasso", "interval('r2', y_test, y_pred_lasso)"),
        ("r2_score_ard", "interval('r2', y_test, y_pred_ard)"),
        ("r2_score_enet", "interval('r2', y_test, y_pred_enet)"),
    ),
    "linear_model/plot_nnls.py": (
        ("r2_score_nnls", "interval('r2', y_test, y_pred_nnls)"),
        ("r2_score_ols", "interval('r2', y_test, y_pred_ols)"),
    ),
    "linear_model/plot_ols_ridge.py": (
        ('print(f"Mean sq', "interval('mean_squared_error', y_test, y_pred)"),
        ('print(f"Coeff', "interval('r2', y_test, y_pred)"),
    ),
    "linear_model/plot_quantile_regression.py": (
        ("y_pred_qr =", "interval('mean_absolute_error', y_pareto, y_pred_lr)"),
        ("y_pred_qr =", "interval('mean_squared_error', y_pareto, y_pred_lr)"),
        ("y_pred_qr =", "interval('mean_absolute_error', y_pareto, y_pred_qr)"),
        ("y_pred_qr =", "interval('mean_squared_error', y_pareto, y_pred_qr)"),
    ),
    "model_selection/plot_likelihood_ratios.py": (
        ("pos_LR, neg_LR =", "interval('LR+', y_test, y_pred)"),
    ),
    "model_selection/plot_roc.py": (
        ("micro_roc_auc_ovr",
         "interval('roc_auc', y_test, y_score, multi_class='ovr', "
         "average='micro')"),
        ("macro_roc_auc_ovr",
         "interval('roc_auc', y_test, y_score, multi_class='ovr', "
         "average='macro')"),
        ("macro_roc_auc_ovo",
         "interval('roc_auc', y_test, y_score, multi_class='ovo', "
         "average='macro')"),
    ),
    "preprocessing/plot_scaling_importance.py": (
        ("y_proba_scaled =", "interval('accuracy', y_test, y_pred)"),
        ("y_proba_scaled =", "interval('accuracy', y_test, y_pred_scaled)"),
        ("y_proba_scaled =", "interval('log_loss', y_test, y_proba)"),
        ("y_proba_scaled =", "interval('log_loss', y_test, y_proba_scaled)"),
    ),
    "release_highlights/plot_release_highlights_0_23_0.py": (
        ("print(glm", "interval('d2_tweedie_score', y_test, glm.predict(X_test), power=1)"),
        ("print(gbdt", "interval('r2', y_test, gbdt.predict(X_test))"),
        ("print(reg", "interval('r2', y_test, reg.predict(X_test), sample_weight=sw_test)"),
    ),
    "release_highlights/plot_release_highlights_1_5_0.py": (
        ('print("Untuned',
         "interval(custom_score, y_test, classifier_05.predict(X_test), "
         "random_state=0)"),
        ('print(f"Tuned',
         "interval(custom_score, y_test, tuned_classifier.predict(X_test), "
         "random_state=0)"),
    ),
}  # fmt: skip
# What a run leaves: the figures' arrays, collected when the example has ended.
RUN = """
import pickle, runpy, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
script, kept = sys.argv[1:3]
sys.argv, shown = [script], {}
if script.endswith("_shown.py"):
    import builtins
    from skaucx import interval
    builtins._interval = interval
    builtins._show = lambda number, value: shown.setdefault(number, []).append(str(value))
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
        plt.figure(number).canvas.draw()
        for axes in plt.figure(number).axes:
            drawn += [("line", corners(line.get_xydata())) for line in axes.lines]
            drawn += [("image", np.array(image.get_array())) for image in axes.images]
            for patch in axes.patches:
                drawn.append(("patch", patch.get_patch_transform().transform(patch.get_path().vertices)))
            for points in axes.collections:
                drawn.append((type(points).__name__, np.array(points.get_offsets())))
                if points.get_array() is not None:
                    drawn.append((type(points).__name__, np.array(points.get_array())))
pickle.dump((drawn, shown), open(kept, "wb"))
"""


@dataclass
class Ended:
    """One run of an example: text, drawn arrays, what added lines show, processor time, error."""

    text: str
    drawn: list[tuple[str, Any]]
    shown: dict[int, list[str]]
    seconds: float
    error: str | None


@dataclass
class Compared:
    """One example: its row of the first table, and the rows of the second."""

    name: str
    same: str
    why: str = ""
    text: object = ""
    arrays: object = ""
    time: float | None = None
    lines: list[tuple[str, str]] = field(default_factory=list)

    def row(self) -> str:
        time = "" if self.time is None else f"{self.time:.2f}"
        why = self.why.replace("|", "/")
        return f"| {self.name} | {self.same} | {self.text} | {self.arrays} | {time} | {why} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drop_in_examples")
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--seconds", type=int, default=60, help="processor time of a run; 0 runs none"
    )
    parser.add_argument("--jobs", type=int, default=2, help="examples that run at the same time")
    parser.add_argument("--only", default="", help="run the examples whose path holds this text")
    parser.add_argument(
        "--kept", type=Path, help="file of the examples done, which a later run goes on from"
    )
    parser.add_argument("--output", type=Path, default=RESULTS)
    given = parser.parse_args()
    compileall.compile_dir(Path(skaucx.__file__).parent, quiet=1)
    paths = [
        path
        for path in sorted(given.folder.rglob("*.py"))
        if given.only in str(path) and changed(text := path.read_text(encoding="utf-8")) != text
    ]
    done = {}
    if given.kept and given.kept.exists():
        rows = [json.loads(row) for row in given.kept.read_text(encoding="utf-8").splitlines()]
        done = {row["name"]: Compared(**row) for row in rows}

    def one(path: Path) -> Compared:
        name = str(path.relative_to(given.folder))
        each = done.get(name)
        if each is None and not given.seconds:
            return Compared(name, "not compared", _NOT_RUN)
        if each is None:
            each = compared(path, given.folder, given.seconds)
            print(each.row(), *each.lines, sep="\n", flush=True)
            if given.kept:
                with given.kept.open("a", encoding="utf-8") as file:
                    print(json.dumps(asdict(each)), file=file)
        return each

    with ThreadPoolExecutor(given.jobs) as pool:
        found = list(pool.map(one, paths))
    above = ABOVE.format(sed=sed(), version=sklearn.__version__, long=LONG, summary=summary(found))
    below = BELOW.format(clusters=", ".join(f"`{name}`" for name in CLUSTERS))
    added = [f"| {each.name} | `{line}` | {was} |" for each in found for line, was in each.lines]
    rows = [each.row() for each in found]
    text = above + "\n".join(rows) + "\n" + below + "\n".join(added) + "\n"
    given.output.write_text(text, encoding="utf-8")


def summary(found: list[Compared]) -> str:
    """Return the counts of both tables in words."""
    kinds = Counter(each.same for each in found)
    times = np.array([each.time for each in found if each.time is not None])
    several = len(times) > 0
    left = sum(each.why == _NOT_RUN for each in found)
    return (
        f"Of {len(found)} examples {len(times)} are compared: {kinds['yes']} are identical, "
        f"{kinds['documented']} differ as documented in `examples/guide/drop_in.md` and in nothing "
        f"else, {kinds['no']} differ otherwise; the others need the network, a package that is not "
        f"there, more time, or differ from themselves; {left} were not run.\n\nThe ratio of times is "
        f"{np.median(times):.2f} at the median, {times.max():.2f} at most, and at most 1.1 in "
        f"{(times <= 1.1).sum()}; the machine's load was {os.getloadavg()[2]:.0f} on "
        f"{os.cpu_count()} processors as the table was written."
        if several
        else "None is compared."
    )


def sed() -> str:
    """Return the command that changes an example as `changed` does."""
    imports, (names, line) = ([f"s/{old}/{new}/" for old, new in each] for each in (SED, SED_NAMES))
    first, _, place = line.removeprefix("s/").partition(")/")
    return f"""sed -E '{"; ".join(imports)}'

and, where `scoring="NAME"` occurs,

    sed -E '{names}g; 0,/{first})/s//{place}'"""


def changed(source: str) -> str:
    """Return the source after SED, and after SED_NAMES where metrics are named."""
    for old, new in SED:
        source = re.sub(f"(?m){old}", new, source)
    (old, new), (first, line) = SED_NAMES
    named = re.sub(old, new, source)
    return source if named == source else re.sub(f"(?m){first}", line, named, count=1)


def with_lines(source: str, name: str) -> str:
    """Return the source with the lines that show intervals, each after its statement."""
    after: list[tuple[int, str]] = []
    rows = source.splitlines()
    for number, (start, line) in enumerate(LINES[name]):
        line = re.sub(r"^interval\(", "_interval(", line)
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.stmt) and rows[node.lineno - 1].lstrip().startswith(start):
                indent = " " * node.col_offset
                after.append((node.end_lineno or 0, f"{indent}_show({number}, {line})"))
    for place, line in sorted(after, key=lambda each: each[0], reverse=True):
        rows.insert(place, line)
    return "\n".join(rows) + "\n"


def compared(path: Path, folder: Path, seconds: int) -> Compared:
    """Run one example as it is, changed, and with the lines of intervals."""
    name, source = str(path.relative_to(folder)), path.read_text(encoding="utf-8")
    new = changed(source)
    with tempfile.TemporaryDirectory() as made:
        run = partial(ended, directory=path.parent, folder=made)
        was = run(path, seconds=seconds)
        if was.error:
            return Compared(name, "not compared", f"as it is: {was.error}")
        copy = Path(made) / path.name
        copy.write_text(new, encoding="utf-8")
        now = run(copy, seconds=2 * seconds)
        lines = []
        if name in LINES:
            lined = Path(made) / f"{path.stem}_shown.py"
            lined.write_text(with_lines(new, name), encoding="utf-8")
            end = run(lined, seconds=2 * seconds)
            lines = [
                (line, briefly(end.shown.get(number, [end.error or "not reached"])))
                for number, (_, line) in enumerate(LINES[name])
            ]
        found = [now.error] if now.error else differences(was, now)
        if found and not now.error and differences(was, run(path, seconds=seconds)):
            return Compared(name, "not compared", "as it is: other in each run", lines=lines)
        before, after = [was.seconds], [now.seconds]
        for _ in range(2 if was.seconds < LONG else 0):
            before.append(run(path, seconds=seconds).seconds)
            after.append(run(copy, seconds=seconds).seconds)
    reason, kinds = DOCUMENTED.get(name, ("", ()))
    known = bool(found) and all(str(each).startswith(kinds) for each in found)
    return Compared(
        name,
        "documented" if known else "no" if found else "yes",
        f"{reason} ({len(found)} differences)" if known else "; ".join(map(str, found[:3])),
        len(was.text),
        f"{len(was.drawn)} of {len(now.drawn)}",
        min(after) / min(before),
        lines,
    )


def briefly(values: list[str]) -> str:
    """Return what a line printed: the first and the last value, of a table the first rows."""
    kept = values if len(values) < 3 else [values[0], "...", values[-1]]
    cut = [
        each if each.count("\n") < 5 else "\n".join([*each.splitlines()[:5], "..."])
        for each in kept
    ]
    return "<br>".join("<br>".join(each.splitlines()) for each in cut).replace("|", "/")


def ended(script: Path, directory: Path, folder: str, seconds: int) -> Ended:
    """Run a script in a process of its own, with a limit on its processor time."""
    kept, printed, errors = (Path(folder) / name for name in ("drawn", "printed", "errors"))
    kept.unlink(missing_ok=True)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LOKY_MAX_CPU_COUNT"), "1")
    with printed.open("w") as out, errors.open("w") as error:
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(script), str(kept)],
            cwd=directory,
            env={**os.environ, **threads, "MPLBACKEND": "Agg", "PYTHONHASHSEED": "0"},
            stdout=out,
            stderr=error,
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_CPU, (seconds, seconds + 1)),
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    reason = None
    if process.returncode:
        last = (errors.read_text().strip().splitlines() or ["no message"])[-1]
        reason = f"over {seconds} s" if process.returncode < 0 else last[:120]
    drawn, shown = pickle.loads(kept.read_bytes()) if kept.exists() and not reason else ([], {})
    return Ended(printed.read_text(), drawn, shown, used.ru_utime + used.ru_stime, reason)


# Times and addresses in memory differ between two runs of the same example.
_VARIES = re.compile(r"\d+\.\d+(e-?\d+)? ?(s|ms|seconds|sec)\b|0x[0-9a-f]+|(time|done)[^\n]*")


def differences(was: Ended, now: Ended) -> list[str]:
    """Return the differences of two runs: lines of the text, and arrays without their like."""
    texts = [_VARIES.sub("", each.text).splitlines() for each in (was, now)]
    found = [
        f"prints `{other.strip()[:60]}`, not `{one.strip()[:60]}`"
        for one, other in zip(*texts, strict=False)
        if one != other
    ]
    if len(texts[0]) != len(texts[1]):
        found.append(f"prints {len(texts[1])} lines, not {len(texts[0])}")
    left = list(now.drawn)
    for name, one in was.drawn:
        at = next(
            (i for i, (kind, other) in enumerate(left) if kind == name and close(one, other)), None
        )
        if at is None:
            found.append(f"{name} of shape {one.shape} has no like: {np.ravel(one)[:4]}")
        else:
            del left[at]
    return found


def close(one: Any, other: Any) -> bool:
    """Whether two arrays agree to the rounding of their sums."""
    if one.shape != other.shape:
        return False
    if one.dtype.kind not in "fiub":
        return bool((one == other).all())
    return np.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)


if __name__ == "__main__":
    main()
