"""Public names of clinic."""

from ._display import (SitesDisplay as SitesDisplay)
from ._instability import (
    InstabilityDisplay as InstabilityDisplay,
    PredictionInstability as PredictionInstability,
    prediction_instability as prediction_instability,
)
from ._optimism import (
    OptimismCorrection as OptimismCorrection,
    optimism_bootstrap as optimism_bootstrap,
)
from ._pooling import (
    BivariateSummary as BivariateSummary,
    PooledEstimate as PooledEstimate,
    SiteEvaluation as SiteEvaluation,
    bivariate_summary as bivariate_summary,
    compare_study_tests as compare_study_tests,
    evaluate_sites as evaluate_sites,
    evaluate_studies as evaluate_studies,
    nested_sites as nested_sites,
    pool_estimates as pool_estimates,
)
