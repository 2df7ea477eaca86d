"""scikit-learn's own tests of its metrics of labels and probabilities, from its wheel, run on ours.

The module is loaded with our functions under scikit-learn's names. What differs by design, or is more
than scikit-learn has, stands in `EXCUSED` by test, and has to fail.
"""

from __future__ import annotations

import pytest
import sklearn
from sklearn.utils.fixes import parse_version

from .sklearn_module import excuse, load, named_tests

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # the tests choose for themselves which ones are errors
]
MODULE = load("sklearn.metrics.tests.test_classification")
globals().update(named_tests(MODULE))
READ = (1, 9)  # the release whose tests were read for the excuses
pytestmark += [
    pytest.mark.skipif(
        parse_version(sklearn.__version__).release[:2] < READ,
        reason="the checks of an older scikit-learn were not read",
    )
]

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


@pytest.fixture(autouse=True)
def excused_or_not(request):
    excuse(request, EXCUSED, READ)


@pytest.fixture
def global_random_seed():
    return 0


def test_excuses_name_tests():
    assert {name.partition("[")[0] for name in EXCUSED} <= set(vars(MODULE))
