"""Public names of skaucx: its six doors."""

__version__: str

from .evaluation import (
    evaluate as evaluate,
)
from .inference import (
    interval as interval,
    paired_test as paired_test,
)
from .model_selection import (
    compare_estimators as compare_estimators,
    nested_cross_validate as nested_cross_validate,
)
from .reports import (
    report as report,
)
