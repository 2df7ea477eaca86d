"""Nested k x l cross-validation and the bootstrap: estimates of how well a procedure does."""

from __future__ import annotations

from ._checks import check_folds
from ._nested import NestedCV, nested_cross_validate
from .bootstrap._refits import Refits, refit_on_draws
from .bootstrap._score import (
    BootstrapScore,
    BootstrapSplit,
    bootstrap_score,
    repetition_spread,
)
from .choices._rules import Constrained, MeanRank, OneStandardError
from .comparisons._bayes import (
    PosteriorComparison,
    bayesian_correlated_t_test,
    bayesian_hierarchical_test,
    bayesian_signed_rank_test,
)
from .comparisons._estimators import (
    DatasetComparison,
    EstimatorComparison,
    PairedDifference,
    compare_estimators,
    compare_over_datasets,
)
from .comparisons._tests import corrected_resampled_t_test, five_by_two_cv_test
from .decisions._calibration import CalibratingClassifier
from .decisions._prediction_sets import ConformalClassifier
from .decisions._reject import FixedDecisionClassifier, RejectingClassifier
from .results._nested_displays import (
    CandidatesDisplay,
    KeptLimitsDisplay,
    NestedCVDisplay,
    TuningMatrixDisplay,
)
from .results._nested_result import NestedCVResult
from .results._tuning_matrix import TuningMatrix
from .searches._optuna_study import OptunaSearch
from .stability import (
    ConclusionStability,
    FeatureStability,
    FoldImportances,
    NestedLearningCurve,
    WinnerStability,
    conclusion_stability,
    feature_stability,
    fold_importances,
    nested_learning_curve,
    winner_stability,
)

__all__ = [
    "BootstrapScore",
    "BootstrapSplit",
    "CalibratingClassifier",
    "CandidatesDisplay",
    "ConclusionStability",
    "ConformalClassifier",
    "Constrained",
    "DatasetComparison",
    "EstimatorComparison",
    "FeatureStability",
    "FixedDecisionClassifier",
    "FoldImportances",
    "KeptLimitsDisplay",
    "MeanRank",
    "NestedCV",
    "NestedCVDisplay",
    "NestedCVResult",
    "NestedLearningCurve",
    "OneStandardError",
    "OptunaSearch",
    "PairedDifference",
    "PosteriorComparison",
    "Refits",
    "RejectingClassifier",
    "TuningMatrix",
    "TuningMatrixDisplay",
    "WinnerStability",
    "bayesian_correlated_t_test",
    "bayesian_hierarchical_test",
    "bayesian_signed_rank_test",
    "bootstrap_score",
    "check_folds",
    "compare_estimators",
    "compare_over_datasets",
    "conclusion_stability",
    "corrected_resampled_t_test",
    "feature_stability",
    "five_by_two_cv_test",
    "fold_importances",
    "nested_cross_validate",
    "nested_learning_curve",
    "refit_on_draws",
    "repetition_spread",
    "winner_stability",
]
