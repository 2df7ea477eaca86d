"""The evidence of confidence sequences: mixtures in closed form against their integrals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from skaucx.inference._intervals import sequences
from tests.each import each

# The integrals are found by adaptive quadrature, to 1.5e-8 of their size by its own stop.
CLOSE = 1e-7
COUNTS = [(3.0, 10.0, 0.5), (0.0, 40.0, 0.1), (70.0, 80.0, 0.95), (200.0, 500.0, 0.35)]


def likelihood_ratio(q, hits, n, share):
    return np.exp(hits * np.log(q / share) + (n - hits) * np.log((1 - q) / (1 - share)))


@each("hits, n, share", COUNTS)
def test_evidence_of_a_share_is_a_mixture_of_likelihood_ratios(hits, n, share):
    """Over all alternatives, and over those below the share."""
    law = stats.beta(sequences._MIXED * share, sequences._MIXED * (1 - share))

    def mixed(high):
        bend = np.clip([law.mean(), hits / n], 1e-9, high)
        found, _ = integrate.quad(
            lambda q: law.pdf(q) * likelihood_ratio(q, hits, n, share),
            0, high, points=bend, limit=200,
        )  # fmt: skip
        return np.log(found / law.cdf(high))

    given = np.array(hits), np.array(n)
    assert sequences.log_mixture(*given, np.array(share)) == pytest.approx(mixed(1), abs=CLOSE)
    assert sequences.log_evidence_below(*given, share) == pytest.approx(mixed(share), abs=CLOSE)


def test_sums_of_bounded_values_by_hand():
    """Deviations are from the mean of 1/2 and of the values before."""
    first, then = (0.2 - 0.5) ** 2, (0.4 - (0.5 + 0.2) / 2) ** 2
    found = sequences.BoundedMean().path(np.array([0.2, 0.4]))
    assert found == pytest.approx(np.array([[1, 0.2, first], [2, 0.6, first + then]]))


@each("n, total, v, mean", [(1, 0.2, 0.09, 0.5), (40, 12, 5, 0.6), (300, 150, 30, 0.45)])
def test_evidence_of_a_mean_is_a_mixture_over_stakes(n, total, v, mean):
    """Of exp(stake S + (log(1 - stake) + stake) V), where 1 - stake has a gamma law within [0, 1]."""
    law = stats.gamma(sequences._STAKES, scale=1 / sequences._STAKES)
    s = n * mean - total

    def wealth(stake):
        return law.pdf(1 - stake) * np.exp(stake * s + (np.log1p(-stake) + stake) * v)

    found, _ = integrate.quad(wealth, 0, 1 - 1e-12)
    path = np.array([n, total, v], dtype=float)
    evidence = sequences.log_evidence_of_mean(path, np.array(mean))
    assert evidence == pytest.approx(np.log(found / law.cdf(1)), abs=CLOSE)
