"""Values are the same whichever instructions NumPy and BLAS compute with."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys

import pytest

from tests.closeness import rounding
from tests.kernels import KERNELS, environment, in_force, runs_here

SCRIPT = """
import json
import numpy as np
import skaucx.metrics as sx

rng = np.random.default_rng(0)
y = rng.random(8_000) < 0.3
found = {}
for dtype in ("float64", "float32"):
    for name, score in {
        "continuous": rng.random(8_000),
        "ties": rng.random(8_000).round(2),
        "both signs": rng.normal(y, 2),
    }.items():
        score = score.astype(dtype)
        for weight in (None, rng.integers(1, 9, 8_000) / 4):
            rows = [
                row for row in sx.list_metrics()
                if row.family == "AUC variants" and row.name != "pairwise_auc"
                and (name != "both signs" or row.kind.scale != "unit")
            ] + [sx.average_precision_score.metric, sx.pr_auc_score.metric]
            values = {
                row.name: getattr(sx, row.function)(y, score, sample_weight=weight) for row in rows
            }
            key = f"{dtype} {name} {'plain' if weight is None else 'weighted'}"
            found[key] = {metric: float(value).hex() for metric, value in values.items()}
print(json.dumps(found))
"""
# Without weights these are quotients of counts, which are whole numbers under any instructions.
OF_COUNTS = {"roc_auc", "gini"}


def values_under(environment):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def usual():
    """The values of this process."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(SCRIPT, {})
    return json.loads(printed.getvalue())


def compare(usual, kernel):
    if not runs_here(kernel):
        return
    in_force(kernel)  # raises where a feature is still on
    other = values_under(environment(kernel))
    assert other.keys() == usual.keys()
    for key, values in usual.items():
        for metric, value in values.items():
            again = other[key][metric]
            if metric in OF_COUNTS and key.endswith("plain"):
                assert again == value, (kernel, key, metric)
            else:
                assert float.fromhex(again) == pytest.approx(
                    float.fromhex(value), rel=rounding(8000)
                ), (kernel, key, metric)


def test_values_are_those_of_the_oldest_instructions(usual):
    if not runs_here("sse"):
        pytest.skip("this processor has no newer ones")
    compare(usual, "sse")


@pytest.mark.slow
def test_values_do_not_change_with_the_kernel(usual):
    for kernel in {*KERNELS} - {"sse"}:
        compare(usual, kernel)


def test_a_feature_that_is_still_on_is_found(monkeypatch):
    if not runs_here("avx2"):
        pytest.skip("this processor has no newer instructions")
    features = KERNELS["avx2"]["NPY_DISABLE_CPU_FEATURES"]
    monkeypatch.setitem(KERNELS, "avx2", {"OPENBLAS_CORETYPE": "Haswell"})
    assert features.split()[0] in in_force("avx2")["found"]
    monkeypatch.setattr("tests.kernels.environment", lambda name: {**os.environ})
    monkeypatch.setitem(KERNELS, "avx2", {"NPY_DISABLE_CPU_FEATURES": features})
    with pytest.raises(RuntimeError, match=features.split()[0]):
        in_force("avx2")
