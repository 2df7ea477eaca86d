"""scikit-learn's own tests of its curves and areas, from its wheel, run on this package.

The module is loaded with our functions under scikit-learn's names. What differs by design, or is more
than scikit-learn has, stands in `EXCUSED` by test, and has to fail.
"""

from __future__ import annotations

from .sklearn_module import MARKS, excused_or_not, global_random_seed, load, named_tests
from .sklearn_module import excuses_name_tests as test_excuses_name_tests

__all__ = ["excused_or_not", "global_random_seed", "test_excuses_name_tests"]

pytestmark = MARKS
MODULE = load("sklearn.metrics.tests.test_ranking")
globals().update(named_tests(MODULE))


LACKING = "a class that has scores and no example leaves an AUC undefined, nan"
MORE = "more than scikit-learn has"
EXCUSED = {
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
