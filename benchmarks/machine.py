"""The lines above a table: its command, the commit, the processor and the versions."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import scipy
import sklearn


def heading(title: str) -> str:
    """Return the title of a table, and what it was made with."""
    module = Path(sys.argv[0]).stem
    named = "benchmarks" if module == "__main__" else f"benchmarks.{module}"
    command = " ".join([f"python -m {named}", *sys.argv[1:]])
    versions = ", ".join(f"{each.__name__} {each.__version__}" for each in (np, scipy, sklearn))
    return (
        f"# {title}\n\n`{command}` at commit {commit()}, {joblib.cpu_count()} cores of\n"
        f"{processor()}; Python {platform.python_version()}, {versions}.\n"
    )


def commit() -> str:
    """Return the commit of the checkout, and whether it was changed."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    here = Path(__file__).parent
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def processor() -> str:
    """Return the processor's name, with family and model where the system tells them."""
    listed = Path("/proc/cpuinfo")
    if not listed.exists():
        return platform.processor() or platform.machine()
    first = listed.read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    told = {name.strip(): value.strip() for name, _, value in (s.partition(":") for s in first)}
    name = told.get("model name", platform.machine())
    return f"{name} (family {told.get('cpu family', '?')}, model {told.get('model', '?')})"
