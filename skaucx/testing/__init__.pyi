"""Public names of testing."""

from ._common import (
    CheckReport as CheckReport,
    CheckResult as CheckResult,
    check_kind as check_kind,
    check_metric as check_metric,
)
