"""The numeric tests under other instructions: ``python -m tests.kernels [KERNEL ...] [-- PYTEST ...]``.

A kernel is an environment in which NumPy, SciPy and BLAS compute with other instructions or another
number of threads, or in which sets of names come in another order. Each kernel is checked to be in
force, then runs the tests that compute, in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping

import numpy as np

COMPUTE = "not slow and not presentation"
#: What NumPy found on this processor beyond what it was built for, in the names of this version.
FOUND = tuple(np.show_config(mode="dicts")["SIMD Extensions"].get("found", ()))
# NumPy 2.4 calls AVX2 and what came with it X86_V3, and the first of AVX-512 X86_V4.
AVX512 = tuple(name for name in FOUND if name.startswith(("AVX512", "X86_V4")))
AVX2 = tuple(name for name in FOUND if name in ("X86_V3", "AVX2", "FMA3", "F16C", "AVX"))
# Set before the process starts; FMA3 and F16C stay where AVX2 does.
KERNELS: dict[str, Mapping[str, str]] = {
    "sse": {"NPY_DISABLE_CPU_FEATURES": " ".join(AVX512 + AVX2), "OPENBLAS_CORETYPE": "Nehalem"},
    "avx": {
        "NPY_DISABLE_CPU_FEATURES": " ".join(AVX512 + AVX2),
        "OPENBLAS_CORETYPE": "Sandybridge",
    },
    "avx2": {"NPY_DISABLE_CPU_FEATURES": " ".join(AVX512), "OPENBLAS_CORETYPE": "Haswell"},
    "avx512": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "one-thread": {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "1"},
    "two-threads": {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2", "PYTHONHASHSEED": "2"},
}
PROBE = """
import json, sys
import numpy as np, scipy.linalg
from threadpoolctl import threadpool_info
blas = [one for one in threadpool_info() if one["user_api"] == "blas"]
print(json.dumps({
    "found": np.show_config(mode="dicts")["SIMD Extensions"].get("found", []),
    "cores": sorted({one.get("architecture") for one in blas if one["internal_api"] == "openblas"}),
    "threads": sorted({one["num_threads"] for one in blas}),
    "first name": next(iter({"recall", "precision", "specificity", "f1", "accuracy"})),
}))
"""


def runs_here(name: str) -> bool:
    """Return whether this processor has the instructions of a kernel, and NumPy some to go without."""
    if name in ("avx2", "avx512") and not AVX512:
        return False
    return name not in ("sse", "avx") or bool(AVX2)


def environment(name: str) -> dict[str, str]:
    """Return the environment of a process under a kernel."""
    return {**os.environ, **KERNELS[name]}


def in_force(name: str) -> dict[str, object]:
    """Return what a process under a kernel finds.

    Raises
    ------
    RuntimeError
        Where a feature is not off, BLAS does not compute as that core, or with other threads.
    """
    probe = subprocess.run(
        [sys.executable, "-c", PROBE],
        env=environment(name),
        capture_output=True,
        text=True,
        check=True,
    )
    state: dict[str, list[str]] = json.loads(probe.stdout)
    kernel = KERNELS[name]
    still_on = {*kernel.get("NPY_DISABLE_CPU_FEATURES", "").split()} & {*state["found"]}
    if still_on:
        raise RuntimeError(f"{name}: NumPy still computes with {sorted(still_on)}")
    core = kernel.get("OPENBLAS_CORETYPE")
    if core and state["cores"] not in ([], [core]):
        raise RuntimeError(f"{name}: OpenBLAS computes as {state['cores']}, not as {core}")
    threads = kernel.get("OPENBLAS_NUM_THREADS")
    if threads and state["threads"] not in ([], [int(threads)]):
        raise RuntimeError(f"{name}: BLAS has {state['threads']} threads, not {threads}")
    return dict(state)


def main(words: list[str]) -> int:
    """Run the kernels named, or all; return 1 where a test of one failed."""
    cut = words.index("--") if "--" in words else len(words)
    names, options = words[:cut] or list(KERNELS), words[cut + 1 :]
    failed = []
    for name in names:
        if not runs_here(name):
            print(f"{name}: this processor lacks the instructions", flush=True)
            continue
        print(f"{name}: {in_force(name)}", flush=True)
        begun = time.perf_counter()
        command = [sys.executable, "-m", "pytest", "-q", "-m", COMPUTE, *options]
        if subprocess.run(command, env=environment(name), check=False).returncode:
            failed.append(name)
        print(f"{name}: {time.perf_counter() - begun:.0f} s", flush=True)
    print(f"failed: {', '.join(failed)}" if failed else "every kernel passed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
