"""What is left without an annex: ``python -m tests.without [NAME ...]``, all that are there by default.

Copies the tree without an annex: its code, its tests, its page and its entry points. There all modules
import, its metrics, sets, commands and public names are missing and no others, the type checker passes,
and so do tests of layers, examples, stubs, metrics, evaluation and commands.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from tests.public import ANNEXES

ROOT = Path(__file__).parents[1]
#: A selection of the tests: those of all metrics alone take minutes for each annex.
TESTS = (
    *("tests/test_layers.py", "tests/test_doctests.py", "tests/test_stubs.py", "tests/evaluation"),
    *("tests/metrics/test_names.py", "tests/metrics/test_lazy_names.py"),
    *("tests/metrics/test_golden.py", "tests/metrics/test_literature_names.py"),
    *("tests/metrics/test_scorers.py", "tests/metrics/test_new_kind.py"),
    *("tests/command/test_commands.py", "tests/test_returned.py"),
)
LEFT = """
import contextlib, importlib, io, json, pkgutil, sys, warnings
warnings.simplefilter("error")
import skaucx
names = set()
for module in pkgutil.walk_packages(skaucx.__path__, "skaucx."):
    if not module.name.endswith("__main__"):
        found = importlib.import_module(module.name)
        if "._" not in module.name:
            names |= {f"{module.name}.{name}" for name in getattr(found, "__all__", ())}
from skaucx.command.main import main
shown = io.StringIO()
with contextlib.redirect_stdout(shown):
    main(["metrics", "--json"])
metrics = [row["name"] for row in json.loads(shown.getvalue())]
from skaucx.metrics import list_sets
from skaucx._annexes import announced
sets, commands = [each.name for each in list_sets()], list(announced("skaucx.commands"))
of = {}
for row in metrics:
    from skaucx.metrics._registry.names import named_metric
    of[row] = named_metric(row).function.__module__
print(json.dumps({"names": sorted(names), "metrics": of, "sets": sets, "commands": commands,
                  "where": skaucx.__file__}))
"""


def there() -> list[str]:
    """Return the annexes that are there."""
    return [name for name in ANNEXES if (ROOT / "skaucx" / name).is_dir()]


def _copy(name: str, folder: Path) -> None:
    """Copy a file that is there with its time, by which Python knows what it has compiled."""
    if (ROOT / name).is_file():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)


def copy_without(annex: str | None, folder: Path) -> None:
    """Copy the files of the tree, without an annex, and describe the copy as an installed package."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
        check=True,
    ).stdout.splitlines()  # fmt: skip
    own = (f"skaucx/{annex}/", f"tests/{annex}/", f"examples/guide/{annex}.md")
    for name in listed:
        if not name.startswith(own):
            _copy(name, folder)
            if name.endswith(".py"):
                _copy(importlib.util.cache_from_source(name), folder)
    project = folder / "pyproject.toml"
    kept = re.sub(rf'^\w+ = "skaucx\.{annex}[.:"].*\n', "", project.read_text(), flags=re.MULTILINE)
    project.write_text(kept)
    contents = folder / "examples/guide/guide.md"
    entry = rf"^{annex}\n|^\{{doc\}}`{annex}`\n: .*\n\n?"
    contents.write_text(re.sub(entry, "", contents.read_text(), flags=re.MULTILINE))
    about = tomllib.loads(kept)["project"]
    found = folder / f"skaucx-{about['version']}.dist-info"
    found.mkdir()
    (found / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: skaucx\nVersion: {about['version']}\n"
    )
    groups = {"console_scripts": about["scripts"], **about.get("entry-points", {})}
    lines = [
        line
        for group, entries in groups.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    ]
    (found / "entry_points.txt").write_text("\n".join(lines) + "\n")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy, whose package comes before the installed one."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def left_in(folder: Path) -> dict[str, object]:
    """Import every module of a copy, and return its public names, metrics, sets and commands."""
    done = run(folder, "-c", LEFT)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, object] = json.loads(done.stdout)
    assert Path(str(found.pop("where"))).is_relative_to(folder.resolve())
    return found


def lost(annex: str, folder: Path) -> dict[str, list[str]]:
    """Copy the tree without an annex and return what is lost; more than its part is an error."""
    (whole := folder / "whole").mkdir()
    (rest := folder / "rest").mkdir()
    copy_without(None, whole)
    copy_without(annex, rest)
    before, after = left_in(whole), left_in(rest)
    gone = {what: sorted(set(before[what]) - set(after[what])) for what in before}  # type: ignore[call-overload]
    own = f"skaucx.{annex}"
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"].get(
        "entry-points", {}
    )
    announced = {
        group: sorted(name for name, value in held.items() if f"{value}.".startswith(f"{own}."))
        for group, held in entries.items()
    }
    metrics: dict[str, str] = before["metrics"]  # type: ignore[assignment]
    expected = {
        "names": sorted(name for name in before["names"] if name.startswith(f"{own}.")),  # type: ignore[attr-defined]
        "metrics": sorted(n for n, module in metrics.items() if f"{module}.".startswith(f"{own}.")),
        "commands": announced.get("skaucx.commands", []),
    }
    for what, names in expected.items():
        assert gone[what] == names, (annex, what, gone[what], names)
    assert gone["names"], f"skaucx.{annex} has no public name"
    return gone


def main() -> None:
    """Take away each of the annexes, and check the rest."""
    failed = []
    for annex in sys.argv[1:] or there():
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            gone = lost(annex, folder)
            text = ", ".join(f"{len(names)} {what}" for what, names in gone.items())
            print(f"without {annex}: fewer by {text}", flush=True)
            for words in (
                ("-m", "mypy"),
                ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *TESTS),
            ):
                done = run(folder / "rest", *words)
                lines = done.stdout.splitlines() or [""]
                print(f"  {words[1]}: {lines[-1]}", flush=True)
                if done.returncode:
                    failed.append(annex)
                    print(done.stdout, done.stderr, sep="\n")
        print(f"  {time.perf_counter() - begun:.0f} s", flush=True)
    if failed:
        raise SystemExit(f"The rest is not whole without {', '.join(failed)}.")


if __name__ == "__main__":
    main()
