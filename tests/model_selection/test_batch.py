"""Order, progress and lost jobs of a batch, with streams that stand in for a pool."""

from __future__ import annotations

import pickle
import re
from types import SimpleNamespace

import numpy as np
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.naive_bayes import GaussianNB

from skaucx import _progress as progress_module
from skaucx._progress import Lines
from skaucx.model_selection import Execution, NestedCV
from skaucx.model_selection.execution import _executor as batch_module
from skaucx.model_selection.execution._executor import Batch, Costs
from skaucx.model_selection.execution._job import Done, Job

CANDIDATES = [{"cost": 1.0}, {"cost": 50.0}, {"cost": 5.0}]


class Recorder:
    def __init__(self):
        self.seen = []

    def begin(self, what, total):
        self.seen.append((what, total))

    def arrived(self, done, total, remaining, job, value):
        self.seen.append((done, total, remaining()))

    def end(self):
        self.seen.append("end")


class Clock:
    """Time that only the work of one worker moves."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(batch_module.time, "monotonic", clock.monotonic)
    return clock


def jobs_of(n_folds, instead=None):
    return [
        Job("inner", params, abs, {}, None, 0, fold, instead)
        for fold in range(n_folds)
        for params in CANDIDATES
    ]


def batch_of(jobs, stream, watchers=()):
    return Batch(jobs, [None] * len(jobs), stream, None, Costs(), watchers)


def sequential(jobs, clock, order):
    def stream(tasks):
        for task in tasks:
            order.append(task.index)
            seconds = jobs[task.index].params["cost"]
            clock.now += seconds
            yield Done(task.index, -task.index, seconds)

    return stream


def test_a_fit_of_each_candidate_then_the_dearest_first(clock):
    jobs, order = jobs_of(3), []
    assert batch_of(jobs, sequential(jobs, clock, order)).run("fits") == [-i for i in range(9)]
    assert [jobs[i].params["cost"] for i in order] == [1, 50, 5, 50, 50, 5, 5, 1, 1]
    assert sorted(order) == list(range(9))


def test_a_candidate_that_has_not_come_back_counts_as_dearest(clock):
    jobs, sent = jobs_of(2), []

    def late(tasks):
        tasks = list(tasks)
        sent.extend(task.index for task in tasks)
        return (Done(task.index, 0, 1.0) for task in tasks)

    costs = Costs()
    costs.add(jobs[1], 50.0)
    Batch(jobs, [None] * 6, late, None, costs, ()).run("fits")
    assert [jobs[i].params["cost"] for i in sent] == [1, 5, 1, 5, 50, 50]


def test_costs_of_one_batch_order_the_next(clock):
    costs, jobs, order = Costs(), jobs_of(1), []
    for _ in range(2):
        order.clear()
        Batch(jobs, [None] * 3, sequential(jobs, clock, order), None, costs, ()).run("fits")
    assert order == [1, 2, 0]


def test_remaining_time_knows_the_costs(clock):
    """After one fit of each candidate the estimate is exact, however the costs differ."""
    jobs, recorder = jobs_of(4), Recorder()
    batch_of(jobs, sequential(jobs, clock, []), [recorder]).run("fits")
    assert recorder.seen[0] == ("fits", 12)
    assert recorder.seen[-1] == "end"
    left = [seen[2] for seen in recorder.seen[1:-1]]
    assert left[2:] == pytest.approx([168, 118, 68, 18, 13, 8, 3, 2, 1, 0])


def test_lost_time_does_not_count(clock):
    """Nor does that of a second death before anything has arrived."""
    jobs, order, recorder = jobs_of(4), [], Recorder()
    work, deaths = sequential(jobs, clock, order), iter([True, True])

    def dying(tasks):
        if order and next(deaths, False):
            clock.now += 1e4
            next(tasks)
            raise TerminatedWorkerError("gone")
        for done in work(tasks):
            yield done
            if len(order) == 5 and next(deaths, False):
                clock.now += 1e4
                raise TerminatedWorkerError("gone")

    batch_of(jobs, dying, [recorder]).run("fits")
    left = [seen[2] for seen in recorder.seen[1:-1]]
    assert left[4] == pytest.approx(68)
    assert left[5:] == pytest.approx([63, 58, 53, 52, 51, 50, 0])


def test_suspects_are_retried_alone_and_only_the_guilty_is_given_up(clock):
    """Without word from the workers all that was sent is suspect; one job kills its worker."""
    jobs, passes = jobs_of(2, instead=lambda failed: failed), []

    def stream(tasks):
        tasks = list(tasks)
        passes.append([task.index for task in tasks])
        if 4 in passes[-1]:
            raise TerminatedWorkerError("exit codes")
        return (Done(task.index, task.index, 1.0) for task in tasks)

    found = batch_of(jobs, _lazily(stream)).run("fits")
    name = "the fit of cost=50.0 on inner fold 1 of outer fold 0"
    assert found[4].error == f"RuntimeError: {name} killed its worker process twice"
    assert "exit codes" in found[4].traceback
    assert [value for i, value in enumerate(found) if i != 4] == [0, 1, 2, 3, 5]
    assert sorted(map(len, passes)) == [1] * 6 + [6]


def _lazily(stream):
    def generate(tasks):
        yield from stream(tasks)

    return generate


def test_pool_that_dies_before_any_job_raises(clock):
    def broken(tasks):
        raise TerminatedWorkerError("no pool")
        yield

    with pytest.raises(TerminatedWorkerError, match="no pool"):
        batch_of(jobs_of(1), broken).run("fits")


def test_given_up_job_without_a_stand_in_raises(clock):
    def stream(tasks):
        list(tasks)
        raise TerminatedWorkerError("gone")
        yield

    with pytest.raises(RuntimeError, match=r"fit of cost=1\.0 .*killed its worker process twice"):
        batch_of(jobs_of(1)[:1], stream).run("fits")


@pytest.mark.parametrize(("verbose", "n_lines"), [(1, 10), (2, 20)])
def test_lines_come_at_most_once_a_second(monkeypatch, capsys, verbose, n_lines):
    clock = Clock()
    monkeypatch.setattr(progress_module.time, "monotonic", clock.monotonic)
    lines = Lines(verbose)
    lines.begin("inner fits", 1000)
    for done in range(1, 1001):
        clock.now += 0.01
        lines.arrived(done, 1000, lambda: 3.25)
    lines.end()
    out, err = capsys.readouterr()
    printed = err.splitlines()
    assert not out
    assert abs(len(printed) - n_lines) <= 1
    assert re.fullmatch(
        r"\[NestedCV\] \d+ of 1000 inner fits, 1\.\ds elapsed, about 3\.\ds left",
        printed[verbose - 1],
    )
    assert printed[-1] == "[NestedCV] 1000 of 1000 inner fits, 10.0s elapsed"


def test_lines_grow_rarer(monkeypatch, capsys):
    clock = Clock()
    monkeypatch.setattr(progress_module.time, "monotonic", clock.monotonic)
    lines = Lines(1)
    lines.begin("inner fits", 36_001)
    for done in range(1, 36_001):
        clock.now += 0.1
        lines.arrived(done, 36_001, lambda: 1.0)
    assert len(capsys.readouterr().err.splitlines()) < 80


def test_silent_by_default(capsys):
    NestedCV(GaussianNB(), {}, scoring="accuracy", outer_cv=2, inner_cv=2).fit(
        *load_iris(return_X_y=True)
    )
    assert capsys.readouterr() == ("", "")


def test_verbose_prints_both_batches(capsys):
    nested = NestedCV(
        GaussianNB(), {"var_smoothing": [1e-9, 1]}, scoring="accuracy", outer_cv=2, inner_cv=2,
        execution=Execution(verbose=1),
    )  # fmt: skip
    nested.fit(*load_iris(return_X_y=True))
    out, err = capsys.readouterr()
    assert not out
    assert "[NestedCV] 12 of 12 inner fits, " in err
    assert re.search(r"\[NestedCV\] 3 of 3 refits, [\d.]+s elapsed\n$", err)


class Listener:
    """A callback of scikit-learn that notes what it is told."""

    def __init__(self):
        self.seen = []

    def setup(self, estimator, context):
        self.seen.append(("setup", context.task_name))

    def teardown(self, estimator, context):
        self.seen.append(("teardown", context.task_name))

    def on_fit_task_begin(self, estimator, context, *, X=None):
        self.seen.append(("begin", context.task_name, context.max_subtasks, X is not None))

    def on_fit_task_end(self, estimator, context):
        self.seen.append(("end", context.task_name))


def test_callbacks_see_every_fit():
    pytest.importorskip("sklearn.callback")
    listener = Listener()
    nested = NestedCV(
        GaussianNB(), {"var_smoothing": [1e-9, 1]}, scoring="accuracy", outer_cv=2, inner_cv=2
    )
    assert nested.set_callbacks(listener) is nested
    nested.fit(*load_iris(return_X_y=True))
    fit = [("begin", "fit", 0, False), ("end", "fit")]
    assert listener.seen == [
        ("setup", "fit"),
        ("begin", "fit", 2, True),
        ("begin", "inner fits", 12, False),
        *fit * 12,
        ("end", "inner fits"),
        ("begin", "refits", 3, False),
        *fit * 3,
        ("end", "refits"),
        ("end", "fit"),
        ("teardown", "fit"),
    ]
    pickle.dumps(clone(nested))


@pytest.mark.parametrize("weight", [None, np.arange(150.0) % 4 + 1], ids=["plain", "weighted"])
def test_a_monitor_logs_held_out_scores(weight):
    callback = pytest.importorskip("sklearn.callback")
    monitor = callback.ScoringMonitor(scoring=["accuracy", "neg_log_loss", "roc_auc_ovr"])
    nested = NestedCV(
        GaussianNB(), {"var_smoothing": [1e-9, 1]}, scoring="accuracy", outer_cv=2, inner_cv=3,
        final="vote",
    )  # fmt: skip
    nested.set_callbacks(monitor).fit(*load_iris(return_X_y=True), sample_weight=weight)
    logged = [row for row in monitor.get_logs().data if "accuracy" in row]
    inner, outer = logged[:12], logged[12:]
    result = nested.result_
    assert sorted(row["accuracy"] for row in inner) == pytest.approx(
        sorted(result.inner_scores.ravel())
    )
    assert [row["accuracy"] for row in outer] == pytest.approx(result["test_accuracy"])
    for fold, row in enumerate(outer):
        mine = result.predictions.fold == fold
        proba = result.predictions.responses["predict_proba"][mine]
        given = None if weight is None else weight[result.predictions.row[mine]]
        loss = log_loss(result.predictions.y_true[mine], proba, sample_weight=given)
        assert row["neg_log_loss"] == pytest.approx(-loss)


def test_lines_in_a_notebook_write_over_each_other(monkeypatch, capsys):
    shown, updated = [], []

    def display(data, raw, display_id):
        shown.append(data["text/plain"])
        return SimpleNamespace(update=lambda data, raw: updated.append(data["text/plain"]))

    monkeypatch.setattr(progress_module, "notebook_display", lambda: display)
    lines = Lines(10**9)
    lines.begin("inner fits", 3)
    for done in (1, 2, 3):
        lines.arrived(done, 3, lambda: 1.0)
    assert [text.partition(" inner")[0] for text in shown + updated] == [
        f"[NestedCV] {done} of 3" for done in (1, 2, 3)
    ]
    lines.begin("refits", 1)
    lines.arrived(1, 1, lambda: 0.0)
    assert len(shown) == 2
    assert not capsys.readouterr().err


def test_callbacks_are_torn_down_after_an_error():
    pytest.importorskip("sklearn.callback")
    listener = Listener()
    nested = NestedCV(GaussianNB(), {}, scoring="accuracy", outer_cv=2, inner_cv=2)
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="NaN"):
        nested.set_callbacks(listener).set_params(execution=Execution(error_score="raise")).fit(
            np.full_like(X, np.nan), y
        )
    assert listener.seen[-1] == ("teardown", "fit")


def test_progress_bar(capsys):
    callback = pytest.importorskip("sklearn.callback")
    pytest.importorskip("rich")
    nested = NestedCV(GaussianNB(), {}, scoring="accuracy", outer_cv=2, inner_cv=2)
    nested.set_callbacks(callback.ProgressBar()).fit(*load_iris(return_X_y=True))
    assert "inner fits" in capsys.readouterr().out
