"""Choice of a candidate, on arrays made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.model_selection.decisions._winner import select, vote

NAN = np.nan
# Scores of candidates on inner folds; the winner, folds that are dropped, and undefined ones left.
CHOICES = {
    "highest mean": ([[0.5, 0.7], [0.9, 0.5], [0.6, 0.6]], 1, [0, 0], [0, 0, 0]),
    "tie goes to grid order": ([[0.25, 0.5], [0.5, 0.75], [0.75, 0.5]], 1, [0, 0], [0, 0, 0]),
    "undefined for all": ([[0.5, NAN, 0.5], [0.75, NAN, 0.5]], 1, [0, 1, 0], [0, 0]),
    "partly undefined": ([[1.0, NAN], [0.1, 0.1], [0.2, 0.0]], 1, [0, 0], [1, 0, 0]),
    "infinite": ([[np.inf, NAN], [0.1, 0.1], [0.2, 0.0]], 1, [0, 0], [1, 0, 0]),
    "fewest gaps": ([[0.9, NAN, NAN], [0.3, 0.3, NAN], [NAN, 0.4, 0.4]], 2, [0, 0, 0], [2, 1, 1]),
    "undefined everywhere": ([[NAN, NAN], [0.1, NAN], [-5.0, -5.0]], 2, [0, 0], [2, 1, 0]),
    "nothing defined": ([[NAN, NAN], [NAN, NAN], [NAN, NAN]], 0, [1, 1], [0, 0, 0]),
}


@pytest.mark.parametrize("kind", CHOICES)
def test_the_choice(kind):
    scores, winner, dropped, undefined = CHOICES[kind]
    choice = select(np.array(scores))
    assert choice.winner == winner
    assert choice.dropped.tolist() == [bool(each) for each in dropped]
    assert choice.undefined.tolist() == undefined
    assert choice.decided == (kind != "nothing defined")
    with np.errstate(invalid="ignore"):
        means = [np.mean([s for s in row if s == s] or [NAN]) for row in scores]
    np.testing.assert_allclose(choice.means, means)


def test_same_choice_for_any_memory_layout():
    scores = np.random.default_rng(0).random((40, 11))
    np.testing.assert_array_equal(select(scores).means, select(np.asfortranarray(scores)).means)


# Tables of the outer folds; the elected candidate and how many folds chose each.
VOTES = {
    "most votes over a higher mean": ([[[0.6], [0.5]], [[0.6], [0.5]], [[0.1], [0.9]]], 0, [2, 1]),
    "tie: highest mean": ([[[0.6], [0.5], [0.0]], [[0.5], [0.9], [0.0]]], 1, [1, 1, 0]),
    "tie: inner folds count": ([[[1.0], [0.0]], [[0.5, 0.5, 0.5], [0.75] * 3]], 0, [1, 1]),
    "tie: grid order": ([[[0.0], [0.25], [0.5]], [[0.0], [0.5], [0.25]]], 1, [0, 1, 1]),
    "no votes": ([[[0.9, 0], [0.5, 0.5], [0.45, 0.45]], [[0, 0.1], [0.5] * 2, [0.6] * 2]], 2, [0, 1, 1]),
    "undecided": ([[[NAN], [NAN]], [[NAN], [NAN]], [[0.4], [0.6]]], 1, [0, 1]),
    "nothing decided": ([[[NAN], [NAN]], [[NAN], [NAN]]], 0, [0, 0]),
}  # fmt: skip


@pytest.mark.parametrize("kind", VOTES)
def test_the_vote(kind):
    tables, elected, votes = VOTES[kind]
    scores = [np.array(table, dtype=float) for table in tables]
    winner, counts, means = vote([select(table) for table in scores], scores)
    assert (winner, counts.tolist()) == (elected, votes)
    joined = np.concatenate(scores, axis=1)
    known = ~np.isnan(joined).all(axis=1)
    np.testing.assert_allclose(means[known], np.nanmean(joined[known], axis=1))
