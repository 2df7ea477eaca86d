"""scikit-learn's own tests of its metrics and curves, from its wheel, run on this package.

The modules are loaded with our functions under scikit-learn's names. What differs by design, or is more
than scikit-learn has, stands in `EXCUSED` by test, and has to fail.
"""

from __future__ import annotations

import importlib.util

import pytest
import sklearn.metrics
from sklearn.utils.fixes import parse_version

import skaucx.metrics

READ = (1, 9)  # the release whose tests and checks were read
pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # the tests choose for themselves which ones are errors
    pytest.mark.skipif(
        parse_version(sklearn.__version__).release[:2] < READ,
        reason="the checks of an older scikit-learn were not read",
    ),
]
# What scikit-learn refuses with one of these may be refused with another of them.
REFUSALS = (ValueError, TypeError, NotImplementedError)
WORDS = "compares the text of a warning, which is ours"
UNSORTED = "labels= out of order is an error; scikit-learn warns and takes the columns as sorted"
LACKING = "a class that has scores and no example leaves an AUC undefined, nan"
MORE = "more than scikit-learn has"
EXCUSED = {
    **{f"test_{name}_warnings[warn]": WORDS for name in ("recall", "precision", "fscore")},
    "test_log_loss_warnings": UNSORTED,
    "test_brier_score_loss_warnings": UNSORTED,
    "test_balanced_accuracy_score_unseen": (
        "a class that is predicted only is left out, as in scikit-learn, but without a warning"
    ),
    **{
        f"test_top_k_accuracy_score_warning[y_true{i}-{k}]": "as many classes as k: 1, and no warning"
        for i, k in ((0, 4), (1, 5))
    },
    **{f"test_multiclass_ovo_roc_auc_toydata_binary[y_true{i}-labels{i}]": LACKING for i in (0, 1)},
    **{
        f"test_precision_recall_curve_toydata[{drop}]": "a label without weight is left unsaid"
        for drop in (True, False)
    },
    "test_roc_auc_score_multiclass_error[msg3-kwargs3]": f"{MORE}: partial areas of many classes",
}


class OwnWords:
    """pytest for the tests: errors and warnings are asked of their kind, the words are ours."""

    def __getattr__(self, name):
        return getattr(pytest, name)

    @staticmethod
    def raises(error, *, match=None):
        return pytest.raises(REFUSALS if error in REFUSALS else error)

    @staticmethod
    def warns(category, *, match=None):
        return pytest.warns(category)


def loaded(name):
    """Return the tests of a module of scikit-learn in which our names stand for its."""
    pytest.importorskip(name)
    spec = importlib.util.find_spec(name)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for public in sklearn.metrics.__all__:
            if public in skaucx.metrics.__all__:
                patch.setattr(sklearn.metrics, public, getattr(skaucx.metrics, public))
        spec.loader.exec_module(module)
    module.pytest = OwnWords()
    return {
        each: test
        for each, test in vars(module).items()
        if each.startswith("test_") and "array_api" not in each
    }


CLASSIFICATION = loaded("sklearn.metrics.tests.test_classification")
RANKING = loaded("sklearn.metrics.tests.test_ranking")
globals().update(CLASSIFICATION | RANKING)


@pytest.fixture
def global_random_seed():
    return 0


@pytest.fixture(autouse=True)
def excused_or_not(request):
    """Mark a test that may fail, strictly under the release whose tests were read."""
    why = EXCUSED.get(request.node.name, EXCUSED.get(request.node.originalname))
    if why is not None:
        strict = parse_version(sklearn.__version__).release[:2] == READ
        request.applymarker(pytest.mark.xfail(reason=why, strict=strict))


def test_excuses_name_tests():
    assert not CLASSIFICATION.keys() & RANKING.keys()
    assert {name.partition("[")[0] for name in EXCUSED} <= CLASSIFICATION.keys() | RANKING.keys()
