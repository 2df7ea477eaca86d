"""Pictures of survival metrics, for the tests of all pictures."""

import numpy as np

from skaucx.survival import SurvivalCalibrationDisplay, TimeDependentDisplay

LONG = "the_name_of_a_thing_in_all_forty_letters"


def survived(draw, **options):
    """Draw risks, or survival functions where the picture or its metric reads them."""
    rng = np.random.default_rng(0)
    x, times = rng.normal(size=200), np.array([200.0, 500.0, 900.0])
    y = np.column_stack([1000 * rng.exponential(np.exp(-x)), rng.random(200) < 0.7])
    probability = np.exp(-np.outer(np.exp(x), times / 1000))
    if "horizon" in options:
        return lambda ax=None: draw(y, probability[:, 1], ax=ax, **options)
    given = probability if options else x
    return lambda ax=None: draw(y, given, times=times, ax=ax, **options)


CASES = {
    "risks over time": survived(TimeDependentDisplay.from_predictions),
    "brier over time": survived(
        TimeDependentDisplay.from_predictions, metric="survival_brier_loss", name=LONG
    ),
    "survival calibration": survived(SurvivalCalibrationDisplay.from_predictions, horizon=500),
}
