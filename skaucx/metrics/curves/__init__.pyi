"""Public names of curves."""

from ._comparison import (
    compare_hulls as compare_hulls,
    CurveComparison as CurveComparison,
)
from ._decisions import (
    cost_curve as cost_curve,
    CostCurve as CostCurve,
    decision_curve as decision_curve,
    DecisionCurve as DecisionCurve,
)
from ._density_model import (
    DensityModel as DensityModel,
)
from ._mean import (
    mean_curve as mean_curve,
    MeanCurve as MeanCurve,
)
from ._precision_recall import (
    precision_recall_curve as precision_recall_curve,
    PrecisionRecallCurve as PrecisionRecallCurve,
)
from ._ranked import (
    one_vs_rest_curves as one_vs_rest_curves,
)
from ._risk_coverage import (
    risk_coverage_curve as risk_coverage_curve,
    RiskCoverageCurve as RiskCoverageCurve,
)
from ._roc import (
    roc_curve as roc_curve,
    RocCurve as RocCurve,
)
from ._score_curves import (
    prob_roc_curve as prob_roc_curve,
    ProbRocCurve as ProbRocCurve,
    scor_roc_curve as scor_roc_curve,
    ScorRocCurve as ScorRocCurve,
)
from ._thresholds import (
    Isometrics as Isometrics,
    isometrics as isometrics,
    threshold_curves as threshold_curves,
    ThresholdCurves as ThresholdCurves,
)
