"""scikit-learn's own tests of its curves and areas, from its wheel, run on this package.

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
MODULE = load("sklearn.metrics.tests.test_ranking")
globals().update(named_tests(MODULE))
READ = (1, 9)  # the release whose tests were read for the excuses
pytestmark += [
    pytest.mark.skipif(
        parse_version(sklearn.__version__).release[:2] < READ,
        reason="the checks of an older scikit-learn were not read",
    )
]

LACKING = "a class that has scores and no example leaves an AUC undefined, nan"
MORE = "more than scikit-learn has"
EXCUSED = {
    **{f"test_multiclass_ovo_roc_auc_toydata_binary[y_true{i}-labels{i}]": LACKING for i in (0, 1)},
    "test_roc_auc_score_multiclass_error[msg3-kwargs3]": f"{MORE}: partial areas of many classes",
}


@pytest.fixture(autouse=True)
def excused_or_not(request):
    excuse(request, EXCUSED, READ)


@pytest.fixture
def global_random_seed():
    return 0


def test_excuses_name_tests():
    assert {name.partition("[")[0] for name in EXCUSED} <= set(vars(MODULE))
