"""DeLong's test of two AUCs, or of two variants of the AUC that are means over pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from .._declare import MetricFunction, get_metric
from ._result import (
    Alternative,
    ComparisonResult,
    check_alternative,
    check_share,
    tail,
    warn_undefined,
)
