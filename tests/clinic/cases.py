"""What the annex of clinical studies adds to the common tests; its results have tests of their own."""

from skaucx import clinic

NOT_WALKED = {
    name: getattr(clinic, name)
    for name in (
        "BivariateSummary", "OptimismCorrection", "PooledEstimate", "PredictionInstability",
        "SiteEvaluation",
    )
}  # fmt: skip
