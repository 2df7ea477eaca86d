"""The page of evidence: each figure that a text claims has the key of its row, and is its figure.

``python -m benchmarks evidence`` writes the page anew.
"""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import skaucx
from benchmarks import evidence
from skaucx import model_selection
from tests.public import ANNEX_NAMES, PUBLIC

pytestmark = pytest.mark.presentation

ROOT = Path(__file__).parents[1]
SITE = "https://skaucx.readthedocs.io/en/stable/evidence.html"
CLAIMS = evidence.claims()
# A link in the guide or a docstring, one in the README, and a comment in front of a message.
LINK = re.compile(
    rf"(?:\{{ref\}}|:ref:)`([^`<]+?)\s*<([\w-]+)>`|\[([^\]]+)\]\({re.escape(SITE)}#([\w-]+)\)"
)
COMMENT = re.compile(r"# evidence: ([\w-]+(?:, [\w-]+)*)$", re.M)
NUMBER = re.compile(r"(?<![\w.^])(?:\d[\d,]*)?\.?\d+")
# What is said of a nominal level is no claim; what is left and matches one of these needs a key.
NOMINAL = re.compile(
    r"nominal \d+(?: %)?|\d+ % (?:intervals?|limits|bands?|confidence)|at \d+ % each|excludes? \d+ %"
)
CLAIMED = [
    re.compile(r"(?<!class_)\bcover(?:s|ed|age)?\b(?!_| ?[=(]).*?\d %"),
    re.compile(r"\d %.*\bcover(?:s|ed|age)?\b(?!_| ?[=(])"),
    re.compile(r"\b(?:size|rejects?|rejected|false alarms?)\b.*?\d %"),
    re.compile(r"(?<!\^)\d times as (?:fast|slow|wide|narrow|long|much)"),
    re.compile(r"BENCHMARK.*\d %|\d %.*BENCHMARK"),
    re.compile(r"\btakes? \d[\d.]* (?:s|ms|seconds|minutes|processor)\b|\brows a second|\d GiB\b"),
]
# What a string has that claims a figure.
WORDS = re.compile(r"\d %|\d times as|\btakes? \d|rows a second|\d GiB")


class Mark(NamedTuple):
    """A key, where it stands, and the numbers that stand with it."""

    place: str
    key: str
    numbers: list[str]


def marks_of(place, text):
    """Yield the keys of a text; one in the first cell of a table's row is that of its other cells."""
    for found in LINK.finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1
        shown, key = found[1] or found[3], found[2] or found[4]
        if re.fullmatch(r"\| +", text[start : found.start()]):
            shown = text[found.end() : text.find("\n", found.end())]
        yield Mark(place, key, NUMBER.findall(shown))


def agrees(printed, figure):
    """Whether a number is that of a figure, to its printed digits."""
    printed = printed.replace(",", "")
    digits = len(printed.partition(".")[2])
    return abs(float(printed) - figure) <= 0.5 * 10**-digits + 1e-9


def same(numbers, claim):
    """Whether the numbers of a text are those of a claim; one alone stands for all that round to it."""
    figures = claim.stated(claim.cells)
    numbers = numbers * len(figures) if len(numbers) == 1 else numbers
    return len(numbers) == len(figures) and all(map(agrees, numbers, figures))


@cache
def texts():
    """The README, the pages of the guide and the modules, by name."""
    found = {"README.md": (ROOT / "README.md").read_text(encoding="utf-8")}
    for page in sorted((ROOT / "examples/guide").glob("*.md")):
        if page != evidence.PAGE:
            found[page.name] = page.read_text(encoding="utf-8")
    for path in sorted(Path(skaucx.__file__).parent.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        found[str(path.relative_to(ROOT))] = source
    return found


def strings(source):
    """Yield the strings of a module, docstrings among them, and whether a comment marks them."""
    if not WORDS.search(source):
        return
    marked = {source.count("\n", 0, found.start()) + 1 for found in COMMENT.finditer(source)}
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and WORDS.search(node.value)
        ):
            yield node.value, bool(marked & {node.lineno - 1, node.lineno})


def sentences(text):
    """Yield the sentences of a text without its code."""
    text = re.sub(r"(?s)\n *Examples\n *-{8}.*", "", text)  # what they print is checked elsewhere
    text = re.sub(r"`[^`]*benchmarks[./][^`]*`|\]\([^)]*benchmarks/[^)]*\)", "BENCHMARK", text)
    text = re.sub(r"(?ms)^(`{3,}|:{3,}).*?^\1|``?[^`\n]*``?(?! *<)", "", LINK.sub("KEY", text))
    for part in re.split(r"\n\s*\n|\n(?=[|:*-])", text):
        yield from re.split(r"(?<=[.;:]) (?=[A-Z`a-z\"])", " ".join(part.split()))


def claims_in(text):
    """Return the sentences that claim a figure and have no key."""
    return [
        sentence
        for sentence in sentences(text)
        if WORDS.search(sentence)
        and "KEY" not in sentence
        and any(pattern.search(NOMINAL.sub("", sentence)) for pattern in CLAIMED)
    ]


@cache
def marks():
    found = [mark for place, text in texts().items() for mark in marks_of(place, text)]
    for place, text in texts().items():
        for comment in COMMENT.finditer(text):
            end = text.find("\n\n", comment.end())
            start = text.rfind("\n", 0, comment.start())
            message = text[start : comment.start()] + text[comment.end() : end]
            numbers = NUMBER.findall(message)
            found += [Mark(place, key, numbers) for key in comment[1].split(", ")]
    return found


def test_the_page_is_that_of_the_claims():
    text = evidence.PAGE.read_text(encoding="utf-8")
    commits = dict(re.findall(r"\{#([\w-]+)\}.* \| ([0-9a-f]{8,}|not yet);", text))
    wanted = evidence.page(lambda claim: commits.get(claim.key, "not yet"))
    assert text == wanted, "run python -m benchmarks evidence"


def test_each_key_has_a_row_and_each_row_is_claimed():
    keys = {mark.key for mark in marks() if not mark.key.startswith("sphx")}
    assert keys - set(CLAIMS) == set(), "no row of benchmarks/claims.toml"
    assert set(CLAIMS) - keys == set(), "claimed nowhere"


def test_each_figure_is_that_of_its_row():
    """To the digits that the text prints; of a message, among its numbers and in their order."""
    for place, key, numbers in marks():
        claim = CLAIMS[key]
        length = len(numbers) if place.endswith(".md") else len(claim.stated(claim.cells))
        parts = [numbers[i : i + length] for i in range(len(numbers) - length + 1)]
        assert any(same(part, claim) for part in [numbers, *parts]), (
            place,
            key,
            numbers,
            claim.shown,
        )


@pytest.mark.parametrize(
    ("text", "figure", "other"),
    [("92", 91.5, 91.4), ("91.5", 91.5, 91.6), (".515", 0.515, 0.5), ("40,008", 40008, 40009)],
)
def test_a_figure_agrees_to_its_digits(text, figure, other):
    assert agrees(text, figure)
    assert not agrees(text, other)


def test_a_coverage_below_is_said_where_the_interval_is_printed():
    """By a message of the package with the key of the cell, by a constant, or excused by name."""
    below = [each for each in evidence.outside() if each.below]
    assert len(below) > 100
    assert not [(each.table, each.cell.row, each.value) for each in below if each.entry is None]
    comments = [found[1] for text in texts().values() for found in COMMENT.finditer(text)]
    marked = {key for keys in comments for key in keys.split(", ")}
    for entry in tomllib.loads((evidence.HERE / "outside.toml").read_text())["below"]:
        assert any(each.entry == entry for each in below), f"names no cell below: {entry}"
        [(how, value)] = [(k, v) for k, v in entry.items() if k in ("said", "refused", "why")]
        module, colon, constant = value.partition(":")
        if how != "why" and colon:
            assert getattr(importlib.import_module(module), constant)
        elif how != "why":
            assert value in marked, f"no message of the package has the key {value}"


def test_claims_have_keys():
    """Sentences of coverage, size and speed with a number are marked."""
    found = []
    for place, text in texts().items():
        if place.endswith(".md"):
            found += [(place, sentence) for sentence in claims_in(text)]
        else:
            held = [one for one, marked in strings(text) if not marked]
            found += [(place, sentence) for one in held for sentence in claims_in(one)]
    assert not found


def test_rows_of_figures_have_keys():
    """Each row of the tables of speed and coverage."""
    page = texts()["figures.md"].partition("## Speed")[2].partition("## Should")[0]
    rows = [line for line in page.splitlines() if re.match(r"\| .*\d\.\d", line)]
    assert len(rows) > 6
    assert all(LINK.search(row) for row in rows)


@pytest.mark.parametrize(
    "sentence",
    [
        "The interval covers 91 to 97 % with few rows.",
        "Equal models were rejected in 3 to 9 % of the runs.",
        "It is 12 times as fast as a loop.",
        "A merge takes 0.4 s on one core.",
        "Its simulated size is 8 %.",
    ],
)
def test_a_claim_without_a_key_is_found(sentence):
    assert claims_in(sentence) == [sentence]
    number = NUMBER.findall(sentence)[-1]
    marked = sentence.replace(number, "{ref}`" + number + " <key>`")
    assert not claims_in(marked)


def test_nominal_levels_are_no_claims():
    assert not claims_in("Nominal coverage of the interval, in (0, 1), such as a 95 % interval.")


def test_calls_and_commands_exist():
    names = {*PUBLIC, *ANNEX_NAMES, *model_selection.__all__}
    for claim in CLAIMS.values():
        assert claim.call.partition(".")[0] in names, claim.key
        module = re.match(r"python -m benchmarks(?:\.(\w+))?\b", claim.command)
        assert (evidence.HERE / f"{module[1] or '__main__'}.py").exists(), claim.key


def test_cells_are_those_of_rows_columns_and_part():
    parts = (
        "## a\n| x | p | q |\n|---|---|---|\n| r | 1 | 2 |",
        "## b\n| x | q |\n|---|---|\n| r | 3 |",
    )
    text = "\n\n".join(["", *parts, ""])
    found = [cell.text for cell in evidence.cells(text, "r", "q", "")]
    assert found == ["2", "3"]
    assert [cell.text for cell in evidence.cells(text, "r", "q", "## b")] == ["3"]
    with pytest.raises(SystemExit, match="nothing"):
        evidence.main(["nothing"])
