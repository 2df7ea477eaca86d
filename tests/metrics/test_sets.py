"""Named sets of metrics: what they hold, and that they are resolved wherever metrics are named."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx import evaluation
from skaucx import metrics as sm
from skaucx.command.main import main
from skaucx.metrics._registry.bibliography import BIBLIOGRAPHY
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import SETS, named_metric
from skaucx.model_selection import NestedCV, compare_estimators
from skaucx.reports import report

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
P = 1 / (1 + np.exp(-RNG.normal(2 * Y - 1, 1)))
PRED = (P > 0.5).astype(int)
X = np.column_stack([P, RNG.random(200)])


def test_every_set_names_metrics_a_question_and_a_source():
    names = [each.name for each in sm.list_sets()]
    assert len(set(names)) == len(names)
    assert names[0] == "default"
    assert {"clinical", "screening", "all"} < set(names)
    for each in sm.list_sets():
        members = [named_metric(name) for name in (*each.metrics, *each.many, *each.multilabel)]
        assert len({named.key for named in map(named_metric, each.metrics)}) == len(each.metrics)
        assert members or each.name == "all"
        assert each.when.endswith((".", "="))
        assert each.name in ("default", "all") or BIBLIOGRAPHY.get(each.source, each.source)


def test_default_is_a_dozen_by_what_is_given():
    whole = evaluation.evaluate(Y, PRED, P)
    assert 10 <= len(whole) <= 15
    assert list(whole)[:3] == ["roc_auc", "average_precision", "log_loss"]
    assert list(evaluation.evaluate(Y, PRED)) == [
        n for n in whole if METRICS[n].metric.kind.counted
    ]
    assert list(evaluation.evaluate(Y, y_score=10 * P - 5)) == ["roc_auc", "average_precision"]
    three, matrix = RNG.integers(0, 3, 90), RNG.dirichlet(np.ones(3), 90)
    many = evaluation.evaluate(three, matrix.argmax(axis=1), matrix)
    assert list(many)[:3] == ["accuracy", "balanced_accuracy", "f1"]
    assert 10 <= len(many) <= 12
    labels = evaluation.evaluate(np.eye(3, dtype=int)[three], np.eye(3, dtype=int)[three], matrix)
    assert "hamming_loss" in labels
    assert "log_loss" not in labels
    lines = str(whole).splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == list(whole)


def test_a_set_is_its_members_that_can_be_computed():
    clinical = evaluation.evaluate(Y, PRED, P, metrics="clinical", threshold=0.5)
    assert list(clinical) == list(SETS["clinical"].metrics)
    assert clinical["net_benefit"] == sm.net_benefit(Y, PRED, threshold=0.5)
    assert list(evaluation.evaluate(Y, y_score=P, metrics="screening")) == ["roc_auc"]
    assert "Metrics of the set 'ranking', 200 rows" in str(
        evaluation.evaluate(Y, y_score=P, metrics="ranking")
    )
    assert len(evaluation.evaluate(Y, PRED, P, metrics="all")) > 100
    mixed = evaluation.evaluate(Y, PRED, P, metrics=["kappa", "screening", "recall"])
    assert list(mixed)[:2] == ["cohen_kappa", "recall"]
    with pytest.raises(ValueError, match="metrics of 'agreement'"):
        evaluation.evaluate(Y, y_score=P, metrics="agreement")
    with pytest.raises(ValueError, match="a key names one metric"):
        evaluation.evaluate(Y, PRED, metrics={"mine": "agreement"})
    with pytest.raises(ValueError, match=r"'clinical' is a set.*one metric"):
        sm.get_scorer("clinical")


def test_sets_are_scoring():
    scorers = sm.get_scorers("rare_events")
    assert list(scorers)[:2] == ["average_precision", "precision_at_k"]
    assert "neg_log_loss" in scorers
    assert "savings" not in scorers  # requires the costs of each row
    found = cross_validate(GaussianNB(), X, Y, cv=3, scoring=sm.get_scorers(["ranking"]))
    assert {"test_bedroc", "test_ks"} <= set(found)
    options = {"outer_cv": 2, "inner_cv": 2}
    nested = NestedCV(GaussianNB(), {}, scoring="screening", refit="roc_auc", **options).fit(X, Y)
    assert list(nested.result_.test_scores) == list(sm.get_scorers("screening"))
    models = {"bayes": GaussianNB(), "logistic": LogisticRegression()}
    compared = compare_estimators(models, X, Y, scoring="screening", refit="npv", **options)
    assert compared.metrics == tuple(sm.get_scorers("screening"))


def test_a_set_names_a_metric_as_its_field_does_at_every_door(tmp_path, capsys):
    """The discrimination slope of a clinical table is not called by another literature's name."""
    pytest.importorskip("jinja2")
    rng = np.random.default_rng(0)
    risk = rng.random(200)
    y = (rng.random(200) < risk).astype(int)
    found = evaluation.evaluate(y, y_score=risk, metrics="clinical", intervals=True, n_resamples=20)
    report(tmp_path / "page.html", found)
    file = tmp_path / "p.csv"
    np.savetxt(file, np.column_stack([y, risk]), ["%d", "%.4f"], ",", header="y,p", comments="")
    main(["evaluate", str(file), "--true", "y", "--score", "p", "--metrics", "clinical"])
    doors = (
        str(found),
        found._repr_html_(),
        "\n".join(sm.get_scorers("clinical")),
        capsys.readouterr().out,
    )
    plain = partial(re.sub, "<.*?>|\u200b|\u00ad|&[#\\w]+;", "")
    assert all(
        "discrimination_slope" in text and "mm11_auc" not in text for text in map(plain, doors)
    )
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "discrimination slope" in page
    assert "mm11 AUC" not in page
    assert found["mm11_auc"] == found["tjur_r2"] == found["discrimination_slope"]
