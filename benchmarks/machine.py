"""What the measured times depend on: processor, instructions in use, sorting speed, load, versions."""

from __future__ import annotations

import os
import platform
import statistics
import time
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import scipy
import sklearn

import skaucx

# The widest instructions that NumPy may sort with, under the names of its versions before and since 2.4.
_SORTS = (
    ("AVX-512", ("AVX512_SKX", "X86_V4")),
    ("AVX2", ("AVX2", "X86_V3")),
    ("ASIMD", ("ASIMD",)),
)


def machine() -> dict[str, Any]:
    """Return the facts of this machine, as the JSON holds them."""
    simd = np.show_config(mode="dicts")["SIMD Extensions"]  # type: ignore[index, call-overload]
    found = [*simd.get("baseline", []), *simd.get("found", [])]
    sort = next((name for name, marks in _SORTS if set(marks) & set(found)), "no SIMD")
    return {
        "processor": processor(),
        "cores": joblib.cpu_count(),
        "simd": found,
        "sort": sort,
        "sort_ms": {kind: round(sorting_time(kind), 2) for kind in ("uint64", "uint32", "float64")},
        "load": [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "versions": {m.__name__: m.__version__ for m in (np, scipy, sklearn, joblib, skaucx)},
    }


def sentence(facts: dict[str, Any]) -> str:
    """Return the facts as they stand under a table."""
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    sorts = ", ".join(f"{ms} ms {kind}" for kind, ms in facts["sort_ms"].items())
    widest = facts["simd"][-1] if facts["simd"] else "none"
    return (
        f"Measured on {facts['cores']} cores of {facts['processor']}, SIMD up to {widest}; NumPy "
        f"sorts by {facts['sort']} (10^6 scores: {sorts}); load {facts['load']}. "
        f"Python {facts['python']}, {versions}."
    )


def processor() -> str:
    """Return the processor's name, with family and model where the system tells them."""
    listed = Path("/proc/cpuinfo")
    if not listed.exists():
        return platform.processor() or platform.machine()
    first = listed.read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    told = {name.strip(): value.strip() for name, _, value in (s.partition(":") for s in first)}
    name = told.get("model name", platform.machine())
    return f"{name} (family {told.get('cpu family', '?')}, model {told.get('model', '?')})"


def sorting_time(kind: str) -> float:
    """Return the median milliseconds that NumPy takes to sort 10^6 numbers."""
    numbers = (np.random.default_rng(0).random(10**6) * 2**31).astype(kind)
    times = []
    for _ in range(7):
        copy = numbers.copy()
        before = time.perf_counter()
        copy.sort()
        times.append(time.perf_counter() - before)
    return 1e3 * statistics.median(times)
