"""Rows beyond memory: metrics from counts of chunks, of several machines, parties or query engines."""

from ._accumulator import MetricAccumulator as MetricAccumulator
from ._bounded_value import BoundedValue as BoundedValue
from ._in_chunks import Chunks as Chunks
from ._sql import cells_query as cells_query
