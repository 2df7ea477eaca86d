"""Choice of a candidate, on arrays made by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from skaucx.model_selection.decisions._winner import select, vote

NAN = np.nan


def test_highest_mean_wins():
    choice = select(np.array([[0.5, 0.7], [0.9, 0.5], [0.6, 0.6]]))
    assert choice.winner == 1
    np.testing.assert_allclose(choice.means, [0.6, 0.7, 0.6])
    assert choice.decided


def test_tie_goes_to_grid_order():
    assert select(np.array([[0.25, 0.5], [0.5, 0.75], [0.75, 0.5]])).winner == 1


def test_fold_undefined_for_all_is_dropped():
    choice = select(np.array([[0.5, NAN, 0.5], [0.75, NAN, 0.5]]))
    assert choice.winner == 1
    assert choice.dropped.tolist() == [False, True, False]
    assert choice.undefined.tolist() == [0, 0]
    assert choice.means.tolist() == [0.5, 0.625]


@pytest.mark.parametrize("good", [1.0, np.inf])
def test_partly_undefined_candidate_ranks_after_defined_ones(good):
    choice = select(np.array([[good, NAN, good], [0.1, 0.1, 0.1], [0.2, 0.0, 0.1]]))
    assert choice.winner == 1
    assert choice.undefined.tolist() == [1, 0, 0]


def test_among_partly_undefined_the_fewest_gaps_then_the_mean_decide():
    scores = np.array([[0.9, NAN, NAN], [0.3, 0.3, NAN], [NAN, 0.4, 0.4]])
    choice = select(scores)
    assert choice.winner == 2
    assert choice.undefined.tolist() == [2, 1, 1]


def test_candidate_undefined_everywhere_comes_last():
    choice = select(np.array([[NAN, NAN], [0.1, NAN], [-5.0, -5.0]]))
    assert choice.winner == 2
    assert choice.undefined.tolist() == [2, 1, 0]
    assert np.isnan(choice.means[0])


def test_nothing_defined_takes_the_first_and_says_so():
    choice = select(np.full((3, 2), NAN))
    assert choice.winner == 0
    assert not choice.decided
    assert choice.dropped.all()
    assert np.isnan(choice.means).all()


def test_same_choice_for_any_memory_layout():
    scores = np.random.default_rng(0).random((40, 11))
    np.testing.assert_array_equal(select(scores).means, select(np.asfortranarray(scores)).means)


def ballot(*tables):
    scores = [np.array(table, dtype=float) for table in tables]
    winner, counts, means = vote([select(table) for table in scores], scores)
    return SimpleNamespace(winner=winner, counts=counts, means=means)


def test_most_votes_win_over_a_higher_mean():
    result = ballot([[0.6], [0.5]], [[0.6], [0.5]], [[0.1], [0.9]])
    assert result.winner == 0
    assert result.counts.tolist() == [2, 1]
    assert result.means[1] > result.means[0]


def test_vote_tie_goes_to_highest_mean_over_all_inner_scores():
    result = ballot([[0.6], [0.5], [0.0]], [[0.5], [0.9], [0.0]])
    assert result.counts.tolist() == [1, 1, 0]
    assert result.winner == 1


def test_vote_tie_is_weighed_by_inner_folds_not_by_outer_folds():
    result = ballot([[1.0], [0.0]], [[0.5, 0.5, 0.5], [0.75, 0.75, 0.75]])
    assert result.means.tolist() == [0.625, 0.5625]
    assert result.winner == 0


def test_vote_tie_with_equal_means_goes_to_grid_order():
    result = ballot([[0.0], [0.25], [0.5]], [[0.0], [0.5], [0.25]])
    assert result.counts.tolist() == [0, 1, 1]
    assert result.winner == 1


def test_candidate_without_votes_is_never_elected():
    result = ballot([[0.9, 0.0], [0.5, 0.5], [0.45, 0.45]], [[0.0, 0.1], [0.5, 0.5], [0.6, 0.6]])
    assert result.counts[result.winner] == 1


def test_fold_that_decided_nothing_has_no_vote():
    result = ballot([[NAN], [NAN]], [[NAN], [NAN]], [[0.4], [0.6]])
    assert result.counts.tolist() == [0, 1]
    assert result.winner == 1


def test_vote_where_no_fold_decided_takes_the_first():
    assert ballot([[NAN], [NAN]], [[NAN], [NAN]]).winner == 0
