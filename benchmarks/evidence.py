"""The page of evidence: a row per claim of the README, the guide and the docstrings.

``python -m benchmarks evidence`` writes ``examples/guide/evidence.md`` from ``claims.toml``, which
says where in ``results`` the cells of each claim are; their numbers are read from there.
``python -m benchmarks evidence KEY`` runs the command of one row again and prints its figure anew;
further words replace what its command leaves open, such as a FOLDER.
"""

from __future__ import annotations

import itertools
import math
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "examples" / "guide" / "evidence.md"
NONE = "not recorded"
# Per cent between which a coverage of nominal 95 % and the size of a nominal 5 % test are wanted.
WANTED = {"coverage": (92, 98), "size": (3, 7)}

_COMMAND = re.compile(r"(python -m benchmarks[^`\n]*)")
_NUMBER = r"(?:^|/ )([-+]?\d[\d,]*(?:\.\d+)?)"
_ERROR = re.compile(r"\((\d+(?:\.\d+)?)\)")
_RUNS = re.compile(r"([\d,]+) (?:runs|samples|draws|series|streams|data sets)\b")
_PROCESSOR = re.compile(r"(?:AMD|Intel)[^,;:|]*\(family \d+, model \d+\)")
_HEAD = """# Evidence

Each number that the README, this guide and the docstrings claim, sorted by what is called. A figure is
read from the measured table when this page is written; texts link to its row. Coverage is that of
nominal 95 % intervals, size that of nominal 5 % tests, both in per cent; cells outside 92 to 98 and 3
to 7 are counted. The error is the Monte-Carlo standard error, the greatest of the cells. The commit is
the one in which the first row of the figure came into the table. `python -m benchmarks evidence KEY`
runs the command of one row again and prints its figure anew.
"""
_PART = """
## `{}`

| claim | figure | error, runs | table, command | commit, processor |
|---|---|---|---|---|
"""


class Cell(NamedTuple):
    """A cell of a measured table, its row and the text above its table."""

    text: str
    row: str
    above: str


def cells(text: str, rows: str, columns: str, head: str) -> Iterator[Cell]:
    """Yield the cells whose row and column match, of tables that ``head`` is found above."""
    names: list[str] = []
    here, start, end, place = False, 0, 0, 0
    for line in text.splitlines(keepends=True):
        parts = [part.strip() for part in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            names = []
        elif not names:
            names, start = parts, place
            here = re.search(head, text[end:place] + line) is not None
        elif here and re.match(rf"(?:{rows})(?: \||$)", " | ".join(parts)):
            for name, part in zip(names, parts, strict=True):
                if re.fullmatch(columns, name):
                    yield Cell(part, line, text[:start])
        place += len(line)
        end = place if names else end


@dataclass(frozen=True)
class Claim:
    """One claim: what is called, what is stated of it, and where its cells are.

    ``rows``, ``columns`` and ``head`` are patterns: of a row from its first cell on, of a column's
    whole name, and of what is between the last table and the names of the columns. ``number``
    finds the numbers of a cell; of two groups, the first in per cent of the second. ``figure`` names
    what is stated of them all.
    """

    key: str
    call: str
    states: str
    table: str
    rows: str
    columns: str = ".+"
    head: str = ""
    number: str = _NUMBER
    figure: tuple[str, ...] = ("low", "high")
    of: str = ""
    limits: tuple[float, float] = (-math.inf, math.inf)
    given_command: str = ""
    given_runs: int = 0
    given_processor: str = ""

    @cached_property
    def text(self) -> str:
        return (RESULTS / f"{self.table}.md").read_text(encoding="utf-8")

    @cached_property
    def cells(self) -> list[Cell]:
        found = list(cells(self.text, self.rows, self.columns, self.head))
        if not self.values(found):
            raise ValueError(f"{self.key!r} of claims.toml finds no number in {self.table}.md")
        return found

    def values(self, found: list[Cell]) -> list[float]:
        numbers = [number for cell in found for number in re.findall(self.number, cell.text)]
        return [_value(number) for number in numbers]

    def stated(self, found: list[Cell]) -> list[float]:
        """Return the numbers that a text states of the cells."""
        values = self.values(found)
        least, most = self.limits
        known = {
            "low": min(values, default=math.nan),
            "high": max(values, default=math.nan),
            "first": values[0] if values else math.nan,
            "below": sum(value < least for value in values),
            "within": sum(least <= value <= most for value in values),
            "cells": len(values),
        }
        return values if self.figure == ("all",) else [known[name] for name in self.figure]

    @property
    def command(self) -> str:
        """The command of the table: the last one named above it, or else in its file."""
        found = _COMMAND.findall(self.cells[0].above) or _COMMAND.findall(self.text)
        return self.given_command or found[-1]

    @property
    def runs(self) -> str:
        named = re.search(r"--runs (\d+)", self.command)
        text = _RUNS.findall(self.cells[0].above)
        return str(self.given_runs or (named[1] if named else text[-1] if text else NONE))

    @property
    def error(self) -> str:
        """The greatest Monte-Carlo standard error: as printed, or of shares, by their runs."""
        printed = [float(error) for cell in self.cells for error in _ERROR.findall(cell.text)]
        if printed:
            return f"{max(printed):g}"
        if self.of in WANTED and self.runs != NONE:
            runs = int(self.runs.replace(",", ""))
            shares = [value * (100 - value) for value in self.values(self.cells)]
            return f"{math.sqrt(max(shares) / runs):.1f}"
        return NONE

    @property
    def between(self) -> str:
        return {("low", "high"): " to ", ("all",): " / "}.get(self.figure, " of ")

    @property
    def shown(self) -> str:
        """The figure as the page has it; cells outside what is wanted are counted."""
        text = _shown(self.stated(self.cells), self.between)
        if self.of in WANTED:
            least, most = WANTED[self.of]
            values = self.values(self.cells)
            outside = sum(not least <= value <= most for value in values)
            text += (
                f"; {outside} of {len(values)} cells outside {least} to {most}" if outside else ""
            )
        return text

    def row(self, commit: str) -> str:
        """Return the row of the page."""
        found = _PROCESSOR.search(self.text)
        processor = self.given_processor or (found[0] if found else NONE)
        error = "; ".join(dict.fromkeys([self.error, self.runs]))
        return (
            f"| [`{self.key}`]{{#{self.key}}}: {self.states} | {self.shown} "
            f"| {error} | `{self.table}.md`, `{self.command}` "
            f"| {commit}; {processor} |\n"
        )


class Outside(NamedTuple):
    """A coverage that is not between those wanted, its cell, and its standard error in per cent."""

    table: str
    cell: Cell
    value: float
    error: float
    entry: dict[str, Any] | None

    @property
    def below(self) -> bool:
        """Whether it is below by more than two standard errors."""
        return self.value < WANTED["coverage"][0] - 2 * self.error


def outside() -> list[Outside]:
    """Return the coverages outside those wanted, with the entry of ``outside.toml`` that names each."""
    given = tomllib.loads((HERE / "outside.toml").read_text(encoding="utf-8"))
    least, most = WANTED["coverage"]
    found = []
    for part in given["cells"]:
        text = (RESULTS / f"{part['table']}.md").read_text(encoding="utf-8")
        named = [
            (entry, set(cells(text, entry.get("rows", ".+"), entry.get("columns", ".+"), "")))
            for entry in given["below"]
            if entry["table"] == part["table"]
        ]
        where = part.get("rows", ".+"), part["columns"], part.get("head", "")
        for cell in cells(text, *where):
            own = next((entry for entry, held in named if cell in held), None)
            printed = _ERROR.search(cell.text)
            for number in re.findall(part.get("number", _NUMBER), cell.text):
                value = _value(number)
                by_runs = math.sqrt(least * (100 - least) / part["runs"])
                error = max(float(printed[1]), 0.1) if printed else by_runs
                if not least <= value <= most:
                    found.append(Outside(part["table"], cell, value, error, own))
    return found


def claims() -> dict[str, Claim]:
    """Return all claims by key, sorted by what is called."""
    given = tomllib.loads((HERE / "claims.toml").read_text(encoding="utf-8"))
    listed = []
    for key, facts in given.items():
        for name in ("figure", "limits"):
            if name in facts:
                facts[name] = tuple(facts[name])
        listed.append(Claim(key, **facts))
    return {
        claim.key: claim for claim in sorted(listed, key=lambda each: (each.call.lower(), each.key))
    }


def page(commit: Callable[[Claim], str]) -> str:
    """Return the page, with the commit that the function gives for each claim."""
    parts = [_HEAD]
    for call, own in itertools.groupby(claims().values(), lambda claim: claim.call):
        parts += [_PART.format(call), *(claim.row(commit(claim)) for claim in own)]
    return "".join(parts)


def commit_of(claim: Claim) -> str:
    """Return the commit in which the first row of a claim came; or "not yet"."""
    log = ["git", "-C", str(HERE), "log", "--format=%h", "--abbrev=8"]
    row = claim.cells[0].row.rstrip("\n")
    found = subprocess.run(
        [*log, "--reverse", f"-S{row}", "--", "results"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    return found[0] if found else "not yet"


def main(words: list[str]) -> None:
    """Write the page, or run the command of one row again."""
    if not words:
        PAGE.write_text(page(commit_of), encoding="utf-8")
        return
    key, *given = words
    known = claims()
    if key not in known:
        raise SystemExit(f"{key!r} is no key of the page of evidence, which has {', '.join(known)}")
    claim = known[key]
    command = [
        given.pop(0) if word.isupper() and given else word for word in shlex.split(claim.command)
    ]
    if left := [word for word in command if word.isupper()]:
        raise SystemExit(f"{claim.command!r} leaves {', '.join(left)} open: add it behind the key")
    print(f"{key}: {claim.shown} until now, by `{shlex.join(command)}`", flush=True)
    done = subprocess.run(
        [sys.executable, *command[1:]], stdout=subprocess.PIPE, text=True, check=True
    )
    print(done.stdout)
    found = list(cells(done.stdout, claim.rows, claim.columns, ""))
    print(
        f"{key}: {_shown(claim.stated(found), claim.between) if found else 'no such row is printed'} now"
    )


def _value(number: str | tuple[str, str]) -> float:
    if isinstance(number, tuple):
        return 100 * _value(number[0]) / _value(number[1])
    return float(number.replace(",", ""))


def _shown(numbers: list[float], between: str) -> str:
    texts = [f"{number:,.0f}" if number >= 1e4 else f"{number:.4g}" for number in numbers]
    return between.join(dict.fromkeys(texts) if between == " to " else texts)
