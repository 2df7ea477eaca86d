"""Public names of inference."""

from .._options import Confidence as Confidence
from ..metrics._records.counts import (
    posterior_probability as posterior_probability,
    prevalence_weights as prevalence_weights,
    probabilities_at_prevalence as probabilities_at_prevalence,
)
from ._bands.curves import (
    PrecisionRecallBand as PrecisionRecallBand,
    RocBand as RocBand,
    decision_band as decision_band,
    precision_recall_band as precision_recall_band,
    roc_band as roc_band,
)
from ._bands.reliability import (
    ReliabilityCurve as ReliabilityCurve,
    reliability_curve as reliability_curve,
)
from ._intervals.areas import (placement_values as placement_values, soft_auc_gradient as soft_auc_gradient)
from ._intervals.influence import (example_losses as example_losses)
from ._intervals.interval import (
    Interval as Interval,
    interval as interval,
    intervals as intervals,
)
from ._intervals.jackknife import (
    JackknifeEstimate as JackknifeEstimate,
    jackknife as jackknife,
)
from ._planning.sample_size import (
    SampleSize as SampleSize,
    rate_sample_size as rate_sample_size,
    roc_auc_sample_size as roc_auc_sample_size,
)
from ._tests.one_model import (permutation_test as permutation_test)
from ._tests.result import (
    ComparisonResult as ComparisonResult,
)
from ._tests.delong import (delong_test as delong_test)
from ._tests.mcnemar import (mcnemar_test as mcnemar_test)
from ._tests.paired import (paired_test as paired_test)
