"""What calls of the annex return: short in print, pickled, with a frame, shown in notebooks."""

from __future__ import annotations

import inspect
import pickle
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from skaucx import clinic

X, Y = make_classification(120, 4, flip_y=0.2, random_state=0)
SITES = np.arange(120) % 3
STUDIES = {"tp": [47, 126, 19], "fp": [101, 272, 12], "fn": [9, 51, 10], "tn": [738, 1543, 192]}
RESULTS = {
    "BivariateSummary": lambda: clinic.bivariate_summary(STUDIES),
    "GroupedEvaluation": lambda: clinic.evaluate_studies(STUDIES, ["recall"]),
    "OptimismCorrection": lambda: clinic.optimism_bootstrap(
        GaussianNB(), X, Y, scoring="roc_auc", n_resamples=5, random_state=0
    ),
    "PooledEstimate": lambda: clinic.pool_estimates([0.7, 0.8, 0.75], [0.02] * 3),
    "PredictionInstability": lambda: clinic.prediction_instability([0.2, 0.6], [[0.1, 0.7]]),
    "SiteEvaluation": lambda: clinic.evaluate_sites(
        Y, np.linspace(0.1, 0.9, 120), sites=SITES, metrics=["roc_auc"]
    ),
}


def test_every_result_is_here():
    classes = {name for name in clinic.__all__ if inspect.isclass(getattr(clinic, name))}
    assert {name for name in classes if not name.endswith("Display")} <= set(RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_results(name):
    pytest.importorskip("pandas")
    found = RESULTS[name]()
    assert type(found).__name__ == name
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)
    assert max(map(len, repr(found).splitlines())) <= 80
    assert "array(" not in repr(found)
    body = ElementTree.fromstring(f"<div>{found._repr_html_()}</div>")
    assert len("".join(body.itertext())) > 10
    if name != "PooledEstimate":
        frame = found.to_frame()
        assert all(np.ndim(cell) == 0 for column in frame for cell in frame[column])


@pytest.mark.parametrize("name", clinic.__all__)
def test_parameters_are_documented(name):
    thing = getattr(clinic, name)
    text = inspect.getdoc(thing)
    assert "Examples\n" in text or name.endswith(("Evaluation", "Estimate", "Summary"))
    for parameter in inspect.signature(thing).parameters:
        assert parameter in text, parameter
