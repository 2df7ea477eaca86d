"""Public names of scale."""

from ._counts import (
    ScoreCounts as ScoreCounts,
)
from ._query import (
    cells_query as cells_query,
)
