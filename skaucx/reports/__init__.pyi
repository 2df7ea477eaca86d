"""Public names of reports."""

from ._report import (
    report as report,
    verdict as verdict,
)
from ._verdict import (
    Verdict as Verdict,
)
