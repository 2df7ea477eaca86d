"""Public names of reports."""

from ._evaluation import (
    report_evaluation as report_evaluation,
)
from ._predictions import (
    report as report,
    verdict_of_predictions as verdict_of_predictions,
)
from ._verdict import (
    Verdict as Verdict,
    verdict as verdict,
)
