"""Every public call that takes rows, groups, models or the like has a line in the table of growth."""

from __future__ import annotations

import ast
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, LeavePOut
from sklearn.naive_bayes import GaussianNB

from skaucx.evaluation import evaluate
from skaucx.inference import delong_scores_test, nemenyi_test, wilcoxon_holm_test
from skaucx.model_selection import check_folds, nested_cross_validate
from tests.annexes import is_there
from tests.public import ANNEXES

if not all(map(is_there, ANNEXES)):
    pytest.skip("an annex was taken away", allow_module_level=True)
from benchmarks import growth_calls

pytestmark = pytest.mark.presentation

ROOT = Path(__file__).parents[1]


def test_every_public_call_that_grows_is_measured_or_excused():
    assert not growth_calls.missing(), (
        "add a line, or the reason why there is none to EXCUSED, in benchmarks/growth_calls.py"
    )


def test_lines_and_excuses_are_of_public_calls():
    public = growth_calls.public_calls()
    lines = {f"{axis.kind}: {line}" for axis in growth_calls.axes() for line in axis.calls}
    called = {growth_calls.line_call(line.partition(": ")[2]) for line in lines}
    assert called - set(public) == {"numpy"}  # what theirs costs at these sizes
    grown = [name for name, (_, call) in public.items() if growth_calls.grows(call)]
    patterns = [pattern for names in growth_calls.REASONS.values() for pattern in names]
    assert not [each for each in growth_calls.EXCUSED if not any(fnmatch(n, each) for n in grown)]
    assert not [each for each in patterns if not any(fnmatch(line, each) for line in lines)]


def test_a_call_that_nobody_measured_is_found(monkeypatch):
    def tenfold(y_true, y_pred):
        return 10 * len(y_true)

    public = {**growth_calls.public_calls(), "tenfold": ("skaucx.scale", tenfold)}
    monkeypatch.setattr(growth_calls, "public_calls", lambda: public)
    assert growth_calls.missing() == ["tenfold"]


Y = np.arange(80) % 2
X = np.random.default_rng(0).normal(size=(80, 40))
SCORES = {f"m{k}": column for k, column in enumerate(X.T)}


@pytest.mark.parametrize(
    ("call", "few", "many", "what"),
    [
        (lambda k: nemenyi_test(X[:9, :k]), 5, 40, "all pairs of 40 classifiers"),
        (lambda k: wilcoxon_holm_test(X[:9, :k]), 5, 40, "all pairs of 40 classifiers"),
        (
            lambda k: delong_scores_test(Y, dict(list(SCORES.items())[:k])),
            5,
            40,
            "all pairs of 40 classifiers",
        ),
        (
            lambda k: evaluate(Y, Y, metrics=["accuracy"], by=np.arange(80) % k).to_frame(
                by="pair"
            ),
            5,
            40,
            "each two of 40 groups",
        ),
        (lambda k: check_folds(X[:k], Y[:k], cv=LeaveOneOut()), 40, 80, "80 splits of 80 rows"),
        (
            lambda k: nested_cross_validate(
                GaussianNB(), {}, X[:k], Y[:k], outer_cv=LeavePOut(2), inner_cv=2
            ),
            8,
            80,
            "LeavePOut cannot split 80 rows: .*3,160 splits of 80 rows",
        ),
    ],
    ids=["nemenyi", "wilcoxon", "delong", "pairs of groups", "folds", "outer folds"],
)
def test_what_does_not_fit_is_refused_before_it_starts(call, few, many, what, monkeypatch):
    monkeypatch.setattr("skaucx._arrays._machine_memory", lambda: 24_000)
    call(few)
    with pytest.raises(ValueError, match=rf"(?s){what}.*of memory, where this machine has"):
        call(many)


def test_no_item_reads_the_whole_again():
    """An aggregate of a name that a comprehension does not bind is made once, before it."""
    found = []
    for path in (ROOT / "skaucx").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found += [f"{path.name}:{each}" for each in made_again(node)]
    assert not found
    [planted] = ast.parse("[i for i in a if i in set(b) and i > max(a)]").body
    assert made_again(planted.value) == ["1 set(b)", "1 max(a)"]


def made_again(node):
    """Return the aggregates of one name that a comprehension makes for each of its items."""
    if not isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        return []
    bound = {name.id for each in node.generators for name in names_in(each.target)}
    each_time = [condition for each in node.generators for condition in each.ifs]
    each_time += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    calls = [call for part in each_time for call in ast.walk(part) if isinstance(call, ast.Call)]
    return [
        f"{call.lineno} {ast.unparse(call)}"
        for call in calls
        if getattr(call.func, "id", "") in ("min", "max", "sum", "set", "sorted")
        and len(call.args) == 1
        and not any(isinstance(part, ast.comprehension) for part in ast.walk(call))
        and not bound & {name.id for name in names_in(call.args[0])}
    ]


def names_in(node):
    return [part for part in ast.walk(node) if isinstance(part, ast.Name)]
