"""What is asked of every class at once, as questions about one class against the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..kinds.base import Sample
from ._normal import Forms, Found

Question = tuple[Sample, dict[str, Any]]


def questions(sample: Sample, options: Mapping[str, Any]) -> list[Question]:
    """Return a sample and options for each class, in the order of the metric's values.

    None where one value is asked for, or where the sample has no classes to part.
    """
    if options.get("average", "binary") is not None:
        return []
    return sample.each_class(options)


def together(forms: Sequence[Forms]) -> Forms:
    """Return the intervals that every class has, each as arrays with an entry a class."""
    names = [name for name in forms[0] if all(name in own for own in forms)]
    return {name: partial(_joined, [own[name] for own in forms]) for name in names}


def _joined(forms: Sequence[Any]) -> Found:
    found = [form() for form in forms]
    low, high, error = (
        np.array(column) for column in zip(*(own[:3] for own in found), strict=True)
    )
    method, note = (
        "; ".join(dict.fromkeys(filter(None, texts)))
        for texts in zip(*(own[3:] for own in found), strict=True)
    )
    return Found(low, high, error, method, note)
