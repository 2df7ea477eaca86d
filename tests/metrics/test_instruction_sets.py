"""Values are the same whichever instructions NumPy sorts with."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

FOUND = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
# NumPy sorts by the widest of these; each name of its versions before and since 2.4.
LEVELS = {
    "without AVX-512": ("AVX512", "X86_V4"),
    "without AVX2": ("AVX512", "X86_V4", "X86_V3", "AVX2", "FMA3", "F16C"),
}
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
# Powers of differences are read from NumPy's exponential, whose last digit its instructions change.
OF_POWERS = "sond_auc"


def values_of(disabled=()):
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(disabled)}
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(told.stdout)


@pytest.fixture(scope="module")
def usual():
    return values_of()


@pytest.mark.parametrize("level", LEVELS)
def test_values_do_not_change_with_the_sort(level, usual):
    disabled = [name for name in FOUND if name.startswith(LEVELS[level])]
    if not disabled:
        pytest.skip("this processor has none of the instructions")
    other = values_of(disabled)
    assert other.keys() == usual.keys()
    for key, values in usual.items():
        for metric, value in values.items():
            again = other[key][metric]
            if metric == OF_POWERS:
                assert float.fromhex(again) == pytest.approx(float.fromhex(value), rel=2e-15)
            else:
                assert again == value, (key, metric)
