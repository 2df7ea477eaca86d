"""Public names of displays."""

from ._cells import (
    DensityDisplay as DensityDisplay,
    VennDisplay as VennDisplay,
)
from ._confusion import (
    ConfusionMatrixDisplay as ConfusionMatrixDisplay,
)
from ._decisions import (
    CostDisplay as CostDisplay,
    DecisionDisplay as DecisionDisplay,
    GainDisplay as GainDisplay,
    RiskCoverageDisplay as RiskCoverageDisplay,
)
from ._forest import (
    ForestDisplay as ForestDisplay,
)
from ._isometrics import (
    IsometricsDisplay as IsometricsDisplay,
)
from ._precision_recall import (
    PrecisionRecallDisplay as PrecisionRecallDisplay,
)
from ._reliability import (
    CalibrationDisplay as CalibrationDisplay,
)
from ._roc import (
    DetCurveDisplay as DetCurveDisplay,
    ProbRocDisplay as ProbRocDisplay,
    RocCurveDisplay as RocCurveDisplay,
    ScorRocDisplay as ScorRocDisplay,
)
from ._scores import (
    ScoreDisplay as ScoreDisplay,
)
from ._thresholds import (
    ThresholdDisplay as ThresholdDisplay,
)
