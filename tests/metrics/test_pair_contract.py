"""One contract of pair means: whoever stands for a ranking answers a member or says why it cannot."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin

import skaucx.metrics as sm
from skaucx import inference
from skaucx.metrics._pairs.kernels import DifferenceFunction, Power
from skaucx.metrics._pairs.placements import NoPlacementsError, Placements
from skaucx.metrics._pairs.ranking import PairMeans, RankedScores
from skaucx.metrics._pairs.replicates import SortedScores
from skaucx.metrics._pairs.sets import ScoreSets
from skaucx.metrics._records.counts import Counts
from skaucx.metrics._registry.declare import ALIASES, METRICS, declare
from skaucx.metrics._registry.row import apply
from tests.closeness import rounding

MEMBERS = [name for name in vars(PairMeans) if not name.startswith("_")]
ARGUMENTS = {"mean_gain_above": 0.3, "mean_of": np.tanh, "mean_of_relative": Power(0.5)}


def sample(n=40, decimals=2):
    rng = np.random.default_rng(n)
    truth = rng.random(n) < 0.4
    return truth, np.round(special.expit(rng.normal(size=n) + truth), decimals)


def differences(truth, score):
    return score[truth][:, None] - score[~truth]


def plain(member, truth, score):
    """Return a member of the contract by its definition."""
    d, span = differences(truth, score), score.max() - score.min()
    cuts = [np.inf, *sorted(set(score.tolist()), reverse=True)]
    called = [score >= cut for cut in cuts]
    return {
        "total": lambda: len(truth),
        "pairs": lambda: d.size,
        "win_share": lambda: (d > 0).mean(),
        "tie_share": lambda: (d == 0).mean(),
        "mean_difference": d.mean,
        "mean_gain": lambda: np.maximum(d, 0).mean(),
        "mean_gain_above": lambda: np.maximum(d / span - 0.3, 0).mean(),
        "mean_of": lambda: np.tanh(d).mean(),
        "mean_of_relative": lambda: np.sqrt(np.maximum(d / span, 0)).mean(),
        "lowest": score.min,
        "highest": score.max,
        "span": lambda: span,
        "margin": lambda: score[truth].min() - score[~truth].max(),
        "threshold_counts": lambda: Counts(
            *(
                np.array([float((side & (truth == right)).sum()) for side in sides])
                for sides, right in (
                    (called, True),
                    (called, False),
                    ([~c for c in called], True),
                    ([~c for c in called], False),
                )
            )
        ),
    }[member]()


def ask(record, member):
    found = getattr(record, member)
    return found(ARGUMENTS[member]) if member in ARGUMENTS else found


def corners(counts):
    """Return the distinct corners of a curve of counts."""
    return np.unique(np.stack(counts.cells), axis=1)


def records(truth, score):
    """Yield what stands for a ranking, and how many values it holds."""
    ranked = RankedScores.from_scores(truth, score)
    yield ranked, None
    yield SortedScores(truth, score).replicates(np.ones((2, len(score)))), 2
    yield ScoreSets(np.tile(truth, (3, 1)), np.tile(score, (3, 1))), 3


@pytest.mark.parametrize("decimals", [1, 12])
@pytest.mark.parametrize("member", MEMBERS)
def test_rankings_replicates_and_sets_answer(member, decimals):
    truth, score = sample(decimals=decimals)
    expected = plain(member, truth, score)
    for record, size in records(truth, score):
        found = ask(record, member)
        if member != "threshold_counts":
            assert np.shape(found) == (() if size is None else (size,))
            np.testing.assert_allclose(found, expected, rtol=rounding(len(truth)))
        elif size is None:
            np.testing.assert_array_equal(np.stack(found.cells), np.stack(expected.cells))
        else:
            for k in range(size):
                np.testing.assert_array_equal(corners(found[k]), corners(expected))


MEANS_OF_D = ["win_share", "tie_share", "mean_difference", "mean_gain", "mean_of"]


@pytest.mark.parametrize("member", MEANS_OF_D)
def test_examples_answer_means_of_functions_of_d(member):
    truth, score = sample()
    found, positives = ask(Placements(truth, score), member), np.count_nonzero(truth)
    for side in (found[:positives], found[positives:]):
        assert side.mean() == pytest.approx(plain(member, truth, score), rel=rounding(len(truth)))


@pytest.mark.parametrize("member", [name for name in MEMBERS if name not in MEANS_OF_D])
def test_examples_say_why_they_do_not_answer(member):
    with pytest.raises(
        NoPlacementsError, match=f"have no {member}.*over the other class"
    ) as raised:
        ask(Placements(*sample()), member)
    assert raised.value.name == member


def test_what_is_no_member_is_refused_in_words_too():
    with pytest.raises(NoPlacementsError, match="have no median"):
        _ = Placements(*sample()).median


def test_functions_of_one_name_do_not_collide():
    truth, score = sample()
    scores = SortedScores(truth, score)
    d = differences(truth, score)
    for factor in (1.0, 2.0, 3.0):
        found = scores.replicates(np.ones((1, len(score)))).mean_of(lambda d, f=factor: f * d)
        np.testing.assert_allclose(found, factor * d.mean(), rtol=1e-12)


def test_equal_kernels_share_their_matrix():
    truth, score = sample()
    scores = SortedScores(truth, score)
    for _ in range(3):
        sm.pairwise_auc_score.metric.formula(
            scores.replicates(np.ones((1, len(score)))),
            **sm.pairwise_auc_score.metric.checked({"difference": np.tanh}),
        )
        scores.replicates(np.ones((1, len(score)))).mean_of(Power(0.3))
    assert len(scores._matrices) == 2


class UnhashableStep:
    __hash__ = None

    def __call__(self, d):
        return (d > 0.1) * 1.0


def test_a_callable_object_need_not_be_hashable():
    truth, score = sample()
    replicates = SortedScores(truth, score).replicates(np.ones((1, len(score))))
    expected = (differences(truth, score) > 0.1).mean()
    assert replicates.mean_of(UnhashableStep()) == pytest.approx(expected)


def capped(cap):
    """Return a gain of at most `cap`."""
    return DifferenceFunction(lambda d: np.clip(d, 0, cap), kinks=(0.0, cap))


@pytest.fixture
def capped_auc():
    @declare("values", "Vanderlooy & Huellermeier 2008", undefined=np.nan)
    def capped_auc_score(r, *, cap=0.2):
        """Capped AUC: by how much the winning positives win, up to a cap.

        Parameters
        ----------
        cap : float, default=0.2
            The greatest gain that counts.
        """
        return r.mean_of(capped(cap))

    yield capped_auc_score
    del METRICS["capped_auc"]
    assert "capped_auc" not in ALIASES


@pytest.mark.parametrize("n", [30, 900])
def test_a_new_pair_mean_is_one_declared_formula(capped_auc, n):
    """Function, scorer, interval, replicates, sets and placements agree with the mean over pairs."""
    truth, score = sample(n, decimals=3)
    h = np.clip(differences(truth, score), 0, 0.2)
    row = capped_auc.metric
    assert capped_auc(truth, score) == pytest.approx(h.mean(), rel=1e-12)
    assert capped_auc(truth, score, cap=2) == pytest.approx(
        sm.scor_auc_score(truth, score), rel=1e-12
    )
    fitted = Told().fit(score[:, None], truth)
    scorer = sm.get_scorer("capped_auc")
    assert scorer(fitted, score[:, None], truth) == pytest.approx(h.mean(), rel=1e-12)
    weight = np.random.default_rng(0).integers(0, 3, (4, n)).astype(float)
    weighted = [(weight[b, truth] @ h @ weight[b, ~truth]) for b in range(4)]
    pairs = [weight[b, truth].sum() * weight[b, ~truth].sum() for b in range(4)]
    replicates = apply(row, SortedScores(truth, score).replicates(weight), {})
    np.testing.assert_allclose(replicates, np.divide(weighted, pairs), rtol=1e-12)
    np.testing.assert_allclose(apply(row, ScoreSets(truth[None], score[None]), {}), h.mean())
    placed = apply(row, Placements(truth, score), {})
    np.testing.assert_allclose(placed, [*h.mean(axis=1), *h.mean(axis=0)], atol=rounding(n))
    found = inference.interval("capped_auc", truth, score)
    p, q = h.mean(axis=1), h.mean(axis=0)
    error = np.sqrt(p.var(ddof=1) / len(p) + q.var(ddof=1) / len(q))
    assert found.standard_error == pytest.approx(error, rel=1e-9)


class Told(ClassifierMixin, BaseEstimator):
    """A classifier that takes its only feature for the probability of the second class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0], X[:, 0]])
