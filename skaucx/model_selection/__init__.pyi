"""Public names of :mod:`skaucx.model_selection`."""

from ._checks import (
    check_folds as check_folds,
)
from ._nested import (
    NestedCV as NestedCV,
    nested_cross_validate as nested_cross_validate,
)
from ._run_options import (
    Decisions as Decisions,
    Execution as Execution,
)
from .bootstrap._score import (
    BootstrapScore as BootstrapScore,
    BootstrapSplit as BootstrapSplit,
    bootstrap_score as bootstrap_score,
    repetition_spread as repetition_spread,
)
from .decisions._rules import (
    Constrained as Constrained,
    OneStandardError as OneStandardError,
)
from .comparisons._estimators import (
    DatasetComparison as DatasetComparison,
    EstimatorComparison as EstimatorComparison,
    PairedDifference as PairedDifference,
    compare_estimators as compare_estimators,
    compare_over_datasets as compare_over_datasets,
)
from .comparisons._tests import (
    corrected_resampled_t_test as corrected_resampled_t_test,
    five_by_two_cv_test as five_by_two_cv_test,
)
from .decisions._calibration import (
    CalibratingClassifier as CalibratingClassifier,
)
from .decisions._rejecting import (
    RejectingClassifier as RejectingClassifier,
)
from .results._nested_displays import (
    NestedCVDisplay as NestedCVDisplay,
    TuningMatrixDisplay as TuningMatrixDisplay,
)
from .results._nested_result import (
    NestedCVResult as NestedCVResult,
)
from .results._tuning_matrix import (
    TuningMatrix as TuningMatrix,
)
