"""scikit-learn's own tests of its metrics of labels and probabilities, from its wheel, run on ours.

The module is loaded with our functions under scikit-learn's names. What differs by design, or is more
than scikit-learn has, stands in `EXCUSED` by test, and has to fail.
"""

from __future__ import annotations

from .sklearn_module import MARKS, excused_or_not, global_random_seed, load, named_tests
from .sklearn_module import excuses_name_tests as test_excuses_name_tests

__all__ = ["excused_or_not", "global_random_seed", "test_excuses_name_tests"]

pytestmark = MARKS
MODULE = load("sklearn.metrics.tests.test_classification")
globals().update(named_tests(MODULE))


WORDS = "compares the text of a warning, which is ours"
UNSORTED = "labels= out of order is an error; scikit-learn warns and takes the columns as sorted"
EXCUSED = {
    **{f"test_{name}_warnings[warn]": WORDS for name in ("recall", "precision", "fscore")},
    "test_log_loss_warnings": UNSORTED,
    "test_brier_score_loss_warnings": UNSORTED,
    "test_balanced_accuracy_score_unseen": (
        "a class that is predicted only is left out, as in scikit-learn, but without a warning"
    ),
}
