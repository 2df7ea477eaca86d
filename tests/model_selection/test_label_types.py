"""Everything public that comes of a nested run, on every type that labels have."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from skaucx.metrics import get_scorer
from skaucx.model_selection import NestedCV, bootstrap_score, compare_estimators

pytest.importorskip("matplotlib")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(72, 2))
SICK = X[:, 0] + RNG.normal(size=72) > 0
WORDS = np.where(SICK, "ill", "well")
LABELS = {
    "object": (WORDS.astype(object), "ill"),
    "<U": (WORDS, "ill"),
    "pandas object": (pd.Series(WORDS.astype(object), dtype=object), "ill"),
    "pandas str": (pd.Series(WORDS).astype("str"), "ill"),
    "pandas string": (pd.Series(WORDS).astype("string"), "ill"),
    "pandas category": (pd.Series(WORDS).astype("category"), "ill"),
    "bool": (SICK, True),
    "pandas bool": (pd.Series(SICK), True),
    "integer": (np.where(SICK, 3, 7), 3),
}
PAGES = ("object", "bool")  # pictures take their time
MODEL = LogisticRegression()
OPTIONS = {"inner_cv": 2, "outer_cv": 2}


def scoring(positive):
    return {"recall": get_scorer("recall", pos_label=positive), "roc_auc": get_scorer(
        "roc_auc", pos_label=positive)}  # fmt: skip


@pytest.mark.parametrize("kind", LABELS)
def test_everything_public_takes_every_type_of_label(kind, tmp_path):
    """The numbers are those of labels of type <U, and every page and table is made."""
    y, positive = LABELS[kind]
    options = {"scoring": scoring(positive), "refit": "roc_auc", **OPTIONS}
    result = NestedCV(MODEL, {"C": [0.1, 1.0]}, **options).fit(X, y).result_
    words = {**options, "scoring": scoring("ill")}
    plain = NestedCV(MODEL, {"C": [0.1, 1.0]}, **words).fit(X, WORDS).result_
    assert result["test_recall"].tolist() == plain["test_recall"].tolist()
    assert str(positive) in result.summary()
    again = pickle.loads(pickle.dumps(copy.deepcopy(result)))
    assert again.summary() == result.summary()
    assert result._repr_html_()
    assert len(result.to_frame()) == len(result.to_frame("metric")) == 2
    assert result.pooled_interval("recall", n_resamples=50, random_state=0).estimate > 0
    if kind in PAGES:
        result.report(tmp_path / "page.html")
    models = {"weak": LogisticRegression(C=0.01), "strong": MODEL}
    found = compare_estimators(models, X, y, scoring=scoring(positive), **OPTIONS)
    assert found.summary()
    assert found._repr_html_()
    assert len(found.to_frame("pair")) == 2
    recall = get_scorer("recall", pos_label=positive)
    assert "recall" in repr(bootstrap_score(MODEL, X, y, scoring=recall, n_splits=10))


def test_objects_that_are_no_strings_are_refused_by_name():
    """Splits would not be stratified, and every classifier of scikit-learn would raise."""
    numbers = np.array(SICK.astype(int).tolist(), dtype=object)
    for positive in (None, 1):
        with pytest.raises(ValueError, match=r"y holds Python objects.*found [01].*astype"):
            NestedCV(LogisticRegression(), {"C": [1]}, pos_label=positive).fit(X, numbers)
