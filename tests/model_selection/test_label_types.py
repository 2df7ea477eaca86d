"""Everything public that comes of a nested run, on every type that labels have."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from skaucx.metrics import get_scorer
from skaucx.model_selection import (
    NestedCV,
    bootstrap_score,
    compare_estimators,
)

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


def faces_of(result):
    """What a result of a nested run is printed, written and made into."""
    return {
        "summary": result.summary,
        "repr": lambda: repr(result) + result._repr_html_(),
        "frames": lambda: (result.to_frame(), result.to_frame("metric")),
        "pickle": lambda: repr(pickle.loads(pickle.dumps(copy.deepcopy(result)))),
        "pooled": lambda: result.pooled_interval("recall", n_resamples=50, random_state=0),
    }


def comparison_faces(found):
    return {
        "summary": found.summary,
        "repr": lambda: repr(found) + str(found) + found._repr_html_(),
        "frames": lambda: (found.to_frame(), found.to_frame("pair")),
    }


def test_every_face_of_a_run_takes_every_type_of_label(tmp_path):
    """The numbers are those of labels of type <U, and every page and table is made."""
    failed, scores = [], {}
    for kind, (y, positive) in LABELS.items():
        result = NestedCV(
            MODEL, {"C": [0.1, 1.0]}, scoring=scoring(positive), refit="roc_auc", **OPTIONS
        ).fit(X, y).result_  # fmt: skip
        scores[kind] = result.test_scores["recall"].tolist()
        assert str(positive) in result.summary()
        faces = faces_of(result)
        if kind in PAGES:
            faces["report"] = lambda result=result: result.report(tmp_path / "page.html")
        for face, make in faces.items():
            try:
                make()
            except Exception as error:
                failed.append(f"{kind}, {face}: {type(error).__name__}: {error}")
    assert not failed, "\n".join(failed)
    assert all(found == scores["<U"] for found in scores.values())


def test_other_results_take_every_type_of_label():
    failed = []
    for kind, (y, positive) in LABELS.items():
        given = {"scoring": scoring(positive), **OPTIONS}
        makers = {
            "compare_estimators": lambda y=y, given=given: comparison_faces(
                compare_estimators(
                    {"weak": LogisticRegression(C=0.01), "strong": MODEL}, X, y, **given
                )
            ),
            "bootstrap_score": lambda y=y, p=positive: {
                "repr": lambda: repr(
                    bootstrap_score(MODEL, X, y, scoring=get_scorer("recall", pos_label=p), n_splits=10)
                )
            },
        }  # fmt: skip
        for name, maker in makers.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    for make in maker().values():
                        make()
            except Exception as error:
                failed.append(f"{kind}, {name}: {type(error).__name__}: {error}")
    assert not failed, "\n".join(failed)


def test_objects_that_are_no_strings_are_refused_by_name():
    """Splits would not be stratified, and every classifier of scikit-learn would raise."""
    numbers = np.array(SICK.astype(int).tolist(), dtype=object)
    for positive in (None, 1):
        with pytest.raises(ValueError, match=r"y holds Python objects.*found [01].*astype"):
            NestedCV(LogisticRegression(), {"C": [1]}, pos_label=positive).fit(X, numbers)
