"""Public names of evaluation."""

from ._evaluate import (
    auc_family as auc_family,
    evaluate as evaluate,
    evaluate_at_prevalence as evaluate_at_prevalence,
)
from ._groups import (
    GroupedEvaluation as GroupedEvaluation,
)
from ._result import (
    Evaluation as Evaluation,
)
