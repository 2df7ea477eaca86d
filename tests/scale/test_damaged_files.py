"""Files of counts travel between parties: what is not as it was written is refused."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from skaucx.scale import MetricAccumulator, _saved

RNG = np.random.default_rng(3)
N = 60
Y = np.array(["ill", "well"])[np.arange(N) % 2]
SCORE = np.round(RNG.random(N), 2)
MANY = RNG.dirichlet(np.ones(3), N)
WEIGHT = RNG.integers(1, 4, N) / 2


def counted(*parts, **options):
    found = MetricAccumulator(**options)
    for part in parts:
        found.update(**part)
    return found


BINARY = {"y_true": Y, "y_pred": Y[::-1], "y_score": SCORE}
COUNTS = {
    "binary": counted(BINARY),
    "cells": counted(BINARY, max_cells=10),
    "weighted": counted({**BINARY, "sample_weight": WEIGHT}),
    "two parts": counted(
        {k: v[:7] for k, v in BINARY.items()}, {k: v[7:] for k, v in BINARY.items()}
    ),
    "one class": counted({"y_true": ["well"] * 5, "y_pred": ["ill"] * 5, "y_score": SCORE[:5]}),
    "classes": counted(
        {"y_true": np.arange(N) % 3, "y_score": MANY}, multi_class="ovo", max_cells=9
    ),
    "weighted classes": counted(
        {"y_true": np.arange(N) % 3, "y_score": MANY, "sample_weight": WEIGHT}, labels=[0, 1, 2]
    ),
    "two columns": counted({"y_true": np.arange(N) % 2, "y_score": np.c_[SCORE, 1 - SCORE]}),
    "margins": counted({"y_true": [0, 1, 1] * 4, "y_score": 9 * SCORE[:12] - 4}),
    "labels": counted({"y_true": [True, False] * 4, "y_pred": [True] * 8}, metrics=["recall"]),
    "a query's cells": MetricAccumulator.from_cells(
        {
            "positive": [12, 18],
            "negative": [20, 10],
            "least": [0.1, 0.5],
            "greatest": [0.4, 0.9],
            "brier": [5.0, 4.5],
            "brier_squares": [2.0, 1.5],
            "log": [15.0, 13.0],
        },
        labels=("well", "ill"),
    ),
    "indicators": counted({"y_true": MANY > 0.3, "y_pred": MANY > 0.4, "y_score": MANY}),
    "weighted indicators": counted(
        {"y_true": MANY > 0.3, "y_pred": MANY > 0.4, "y_score": MANY, "sample_weight": WEIGHT}
    ),
}
VALUES = [
    None, True, False, -1, 0, 1, 2, 77, 0.5, -0.5, 1e308, 10**25, 10**400, float("nan"), float("inf"),
    "", "x", "a\0", [], [1], [[1]], ["x", "x"], [1, 1], [None], {}, {"of": 1}, 2**63, 2**53 + 1,
]  # fmt: skip


def written(name, tmp_path, **options):
    path = tmp_path / "counts.json"
    COUNTS[name].to_file(path, **options)
    return json.loads(path.read_text(encoding="utf-8"))


def read(content, tmp_path):
    path = tmp_path / "damaged.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return MetricAccumulator.from_file(path)


def places(content):
    """Yield every container of a file with each of its keys."""
    keys = content if isinstance(content, dict) else range(len(content))
    for key in list(keys):
        yield content, key
        if isinstance(content[key], dict | list):
            yield from places(content[key])


@pytest.mark.parametrize("name", COUNTS)
def test_what_is_written_is_read(name, tmp_path):
    for options in ({}, {"minimum_count": 3}):
        try:
            content = written(name, tmp_path, **options)
        except ValueError:
            if not options:
                raise
            continue  # too few rows of a class
        read(content, tmp_path).to_file(tmp_path / "again.json")
        again = json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))
        assert again == content


@pytest.mark.parametrize("name", COUNTS)
def test_a_value_put_in_the_place_of_another_is_refused(name, tmp_path):
    content, rng = written(name, tmp_path), np.random.default_rng(0)
    size = sum(1 for _ in places(content))
    for _ in range(40):
        changed = copy.deepcopy(content)
        holder, key = list(places(changed))[rng.integers(size)]
        way = rng.integers(5)
        if way == 0:
            del holder[key]
        elif way == 1 and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        elif way == 2 and isinstance(holder, list):
            holder.reverse()
        elif way == 3 and type(holder[key]) in (int, float):
            holder[key] += int(rng.choice([-75, -1, 1, 75]))
        else:
            holder[key] = VALUES[rng.integers(len(VALUES))]
        if changed == content and repr(changed) == repr(content):
            continue
        with pytest.raises(
            ValueError, match=r"damaged.json (is (damaged|of version)|does not hold)"
        ):
            read(changed, tmp_path)


def test_a_file_of_other_layout_is_the_same(tmp_path):
    content = written("binary", tmp_path)
    turned = dict(reversed(content.items()))
    assert read(json.dumps(turned), tmp_path).n_samples == N


def test_sums_of_an_unknown_metric_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(_saved, "_known_totals", dict)
    path = tmp_path / "counts.json"
    COUNTS["binary"].to_file(path)
    with pytest.raises(ValueError, match=r"holds sums of '\w+', and no metric that is declared"):
        MetricAccumulator.from_file(path)


def test_text_that_is_no_json(tmp_path):
    text = json.dumps(written("binary", tmp_path))
    rng = np.random.default_rng(1)
    cut = [text[: rng.integers(len(text))] for _ in range(50)]
    for damaged in ["", "[" * 100_000, "1" * 5000, "\ufeff{}", *cut]:
        with pytest.raises(ValueError, match="is not JSON"):
            read(damaged, tmp_path)
    for other in ("[]", "3", "null", "{}", '{"format": []}'):
        with pytest.raises(ValueError, match="does not hold counts"):
            read(other, tmp_path)
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="is not JSON"):
        MetricAccumulator.from_file(tmp_path / "binary.json")
