"""Types of metric parameters: each names the numbers that it admits."""

from __future__ import annotations

import math
from typing import Annotated

from ._inputs import Interval

Share = Annotated[float, Interval(0, 1)]
PositiveShare = Annotated[float, Interval(0, 1, open_low=True)]
NonNegative = Annotated[float, Interval(0, math.inf)]
Positive = Annotated[float, Interval(0, math.inf, open_low=True)]
