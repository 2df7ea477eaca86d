"""Docstrings and comments: formulas are LaTeX, files that are named exist, one word for one thing."""

from __future__ import annotations

import ast
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

import skaucx

pytestmark = pytest.mark.presentation

PACKAGE = Path(skaucx.__file__).parent
ROOT = Path(__file__).parents[1]
MODULES = sorted(PACKAGE.rglob("*.py"))
BLOCK = re.compile(r"^( *)\.\. math::(.*\n(?:\1[ ]+.*\n|[ ]*\n)*)", re.MULTILINE)
NAMED = re.compile(r"\\(?:text|mathrm|operatorname|begin|end)\s*\{[^{}]*\}")
COMMAND = re.compile(r"\\[A-Za-z]+")


def formulas(text):
    """Return the contents of all math directives."""
    return [block[2] for block in BLOCK.finditer(text + "\n")]


def english(formula):
    """Return the words of a formula that LaTeX would set as products of letters."""
    return re.findall(r"[A-Za-z]{4,}", COMMAND.sub(" ", NAMED.sub(" ", formula)))


@cache
def docstrings(path):
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    parts = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return [ast.get_docstring(node) or "" for node in nodes if isinstance(node, parts)]


@cache
def comments(path):
    with path.open("rb") as file:
        tokens = tokenize.tokenize(file.readline)
        return [token.string for token in tokens if token.type == tokenize.COMMENT]


def test_formulas_are_latex():
    for formula in (f for path in MODULES for text in docstrings(path) for f in formulas(text)):
        assert formula.strip()
        assert not english(formula), formula
        assert formula.count("{") == formula.count("}"), formula
        assert formula.count(r"\left") == formula.count(r"\right"), formula


def test_formulas_are_found():
    found = [f for path in MODULES for text in docstrings(path) for f in formulas(text)]
    assert len(found) > 60
    assert english(r"\frac{1}{n} \sum_i \mathrm{FPR}_i, \quad \text{where } a") == []
    assert english("mean over all pairs") == ["mean", "over", "pairs"]
    assert formulas("a\n\n.. math::\n\n   x\n   + y\n\nand") == ["\n\n   x\n   + y\n\n"]


def test_files_that_are_named_exist():
    for path in MODULES:
        for text in [*docstrings(path), *comments(path)]:
            for name in re.findall(r"[\w./-]*\w\.md\b", text):
                assert (ROOT / name).exists(), (path, name)


def test_what_is_computed_is_a_metric():
    """Only the study, which compares them, calls them measures."""
    for path in MODULES:
        if "study" in {*path.parts, path.stem}:
            continue
        for text in docstrings(path):
            prose = re.split(r"^References\n-+\n", text, flags=re.MULTILINE)[0]
            prose = re.sub(r"``[^`]*``|study of .*measures", "", prose)
            assert not re.search(r"(?<![\w-])measures?\b", prose, re.IGNORECASE), (path, prose)


# Words that practitioners read twice, and what to write instead.
UNUSED = {
    r"(?:told|tells?)\b": "reported, shows, distinguishes",
    r"asked (?:for|of)|asks? for": "requested, needs",
    r"beside\b": "next to, in addition to",
    r"whoever|vouch(?:es)?\b": "a person who; guaranteed",
    r"without knowledge|knows? nothing": "chance level, uninformative",
    r"no end of|stands? on\b|what is no\b": "both limits, based on, undefined",
}


def prose(path):
    """Return docstrings, comments, messages or a page, without code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return [re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)]
    constants = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    words = [text for text in constants if isinstance(text, str) and " " in text]
    return [text for text in [*words, *comments(path)] if " => " not in text]  # no JavaScript


def test_words_that_are_no_longer_used():
    pages = [*MODULES, *sorted((ROOT / "examples").rglob("*.py")), ROOT / "README.md"]
    generated = ROOT / "examples" / "guide" / "api"
    any_of_them = re.compile(rf"(?<![\w-])(?:{'|'.join(UNUSED)})", re.IGNORECASE)
    for path in [*pages, *sorted((ROOT / "examples").rglob("*.md"))]:
        if generated in path.parents:
            continue
        for text in prose(path):
            plain = re.sub(r"`[^`]*`|>>> .*|^ *beside : .*", "", text, flags=re.MULTILINE)
            if not any_of_them.search(plain):
                continue
            for words, better in UNUSED.items():
                found = re.search(rf"(?<![\w-])(?:{words})", plain, re.IGNORECASE)
                assert not found, (path, plain[max(0, found.start() - 60) :][:160], better)
