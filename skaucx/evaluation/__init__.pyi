"""Public names of evaluation."""

from ._evaluate import (
    auc_family as auc_family,
    evaluate as evaluate,
)
from ._groups import (
    GroupedEvaluation as GroupedEvaluation,
)
from ._result import (
    Evaluation as Evaluation,
)
