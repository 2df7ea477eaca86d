"""Collections of Dask on a real cluster of two worker processes on this machine."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from scipy import special

import skaucx.metrics as sx
from skaucx.evaluation import evaluate
from skaucx.scale import BoundedValue, Chunks
from tests.closeness import rounding

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
array = pytest.importorskip("dask.array")

SIZES = [0, 300, 500, 1, 700, 0, 400, 600, 250, 250]


def rows(number):
    """Return labels and scores of a partition: some are empty, some of one class."""
    rng = np.random.default_rng(number)
    truth = rng.random(SIZES[number]) < (0.3 if number != 4 else 0)
    return np.where(truth, "ill", "well"), special.expit(rng.normal(truth, 1.5))


def partition(number, which, log, pause):
    if log is not None:
        (log / f"{os.getpid()}-{number}-{which}-{time.monotonic_ns()}").touch()
    time.sleep(pause)
    return rows(number)[which]


def collections(log=None, pause=0.0):
    """Return labels and scores as Dask arrays of unknown lengths."""
    make = dask.delayed(partition, pure=False)
    return [
        array.concatenate(
            [
                array.from_delayed(make(k, which, log, pause), shape=(np.nan,), dtype=dtype)
                for k in range(len(SIZES))
            ],
            allow_unknown_chunksizes=True,
        )
        for which, dtype in ((0, "U4"), (1, np.float64))
    ]


LABEL, SCORE = (np.concatenate([rows(k)[which] for k in range(len(SIZES))]) for which in (0, 1))
NAMES = [
    "roc_auc",
    "average_precision",
    "soft_auc",
    "log_loss",
    "binned_calibration_error",
    "hinge_loss",
]


def check(found):
    wanted = evaluate(LABEL, y_score=SCORE, metrics=NAMES, pos_label="ill")
    for name in NAMES:
        if isinstance(found[name], BoundedValue):
            assert wanted[name] in found[name]
        else:
            assert found[name] == pytest.approx(wanted[name], rel=1e-12)


@pytest.mark.slow
def test_cluster(tmp_path):
    """The same counts whatever dies: a worker is killed when half of the partitions are counted."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(lambda: __import__("sys").path.insert(0, os.getcwd()))
        label, score = collections()
        few = Chunks(max_cells=100)
        check(evaluate(label, y_score=score, metrics=NAMES, pos_label="ill", data=few))
        victim = next(iter(client.run(os.getpid).values()))
        thread = threading.Thread(target=_kill_half_way, args=(victim, tmp_path))
        thread.start()
        label, score = collections(tmp_path, pause=0.05)
        check(evaluate(label, y_score=score, metrics=NAMES, pos_label="ill"))
        thread.join()
        workers = {int(path.name.split("-")[0]) for path in tmp_path.iterdir()}
        assert victim in workers
        assert len(workers) >= 2


def _kill_half_way(pid, log):
    while sum(path.name.startswith(f"{pid}-") for path in log.iterdir()) < 5:
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)


def test_tolerance():
    label, score = collections()
    rows = Chunks(max_cells=100, tolerance=0)
    found = evaluate(label, y_score=score, metrics=NAMES, pos_label="ill", data=rows)
    wanted = evaluate(LABEL, y_score=SCORE, metrics=NAMES, pos_label="ill")
    assert all(found[name] == wanted[name] for name in [*NAMES[:3], "binned_calibration_error"])


def test_bad_partitions():
    """The partition is named, and unequal numbers of them are refused."""
    score = array.from_array(np.r_[SCORE[:9], np.nan], chunks=4)
    label = array.from_array(np.r_[LABEL[:10]], chunks=4)
    with pytest.raises(ValueError, match=r"partition 2: .*NaN or infinity in y_score"):
        sx.roc_auc_score(label, score, pos_label="ill")
    with pytest.raises(ValueError, match="different numbers of partitions"):
        sx.roc_auc_score(label.rechunk(5), score, pos_label="ill")


def frames(spoil=None):
    """Return a data frame of partitions that are empty, of one class, or categorical, unlike others."""
    pandas, frame = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    parts = []
    for number, size in enumerate(SIZES):
        label, score = rows(number)
        part = pandas.DataFrame({"label": pandas.Categorical(label), "p": score})
        part["call"] = np.where(score > 0.5, "ill", "well")
        part["weight"] = 1.0 + np.arange(size) % 3 if number != 6 else 0.0
        part["site"] = "ab"[number % 2]
        parts.append(part if spoil is None else spoil(number, part))
    meta = parts[1].iloc[:0]
    return frame.from_delayed([dask.delayed(part) for part in parts], meta=meta, verify_meta=False)


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("by", [None, "site"])
def test_frames(by, weight):
    """Categories that differ, lengths that are unknown, a partition without weight: as in memory."""
    whole = frames().compute().astype({"label": str})
    names = ["roc_auc", "f1", "binned_calibration_error", "d2_brier", "recall"]
    shared = {"metrics": names, "pos_label": "ill"}
    columns = [whole[name] for name in ("label", "call", "p")]
    wanted = evaluate(
        *columns, sample_weight=weight and whole[weight], by=by and whole[by], **shared
    )
    found = evaluate("label", "call", "p", data=frames(), sample_weight=weight, by=by, **shared)
    for key in wanted:
        assert found[key] == pytest.approx(wanted[key], rel=1e-11)


SPOILED = [
    ("p", lambda part: part.assign(p=part["p"].where(np.arange(len(part)) != 5)), "NaN or inf"),
    ("label", lambda part: part.assign(label=part["label"].where(np.arange(len(part)) != 5)),
     "missing|NaN|None|nan"),
    ("weight", lambda part: part.assign(weight=-1.0), "Negative values in sample_weight"),
    ("column", lambda part: part.drop(columns="p"), "There is no column 'p'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spoil", "message"), [row[1:] for row in SPOILED], ids=lambda v: str(v)[:9]
)
def test_bad_partitions_of_frames(spoil, message):
    """What is wrong is told with the number of its partition."""
    bad = frames(lambda number, part: spoil(part) if number == 7 else part)
    options = {"sample_weight": "weight", "metrics": ["roc_auc"], "pos_label": "ill"}
    with pytest.raises((ValueError, TypeError), match=rf"^partition 7: .*({message})"):
        evaluate("label", y_score="p", data=bad, **options)


def test_columns_in_several_blocks():
    """A matrix cut by columns too is put together by rows."""
    proba = special.softmax(np.random.default_rng(0).normal(size=(300, 3)), axis=1)
    y = np.random.default_rng(1).integers(0, 3, 300)
    found = sx.roc_auc_score(
        array.from_array(y, chunks=70), array.from_array(proba, chunks=(70, 2)), multi_class="ovr"
    )
    assert found == pytest.approx(sx.roc_auc_score(y, proba, multi_class="ovr"), rel=rounding(300))
