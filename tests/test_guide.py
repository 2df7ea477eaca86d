"""What the pages of the guide name, link and show; the site's build executes their cells."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skaucx import model_selection
from skaucx.metrics import named_metric
from tests.public import ANNEX_NAMES, PUBLIC

pytestmark = pytest.mark.presentation

GUIDE = Path(__file__).parents[1] / "examples" / "guide"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def found_in(page, pattern):
    """Return the Python of a page, without the options of its cells."""
    found = pattern.findall(page.read_text(encoding="utf-8"))
    return [re.sub(r"\A(?::.*\n)+", "", block) for block in found]


PAGES = {page.stem: page for page in sorted(GUIDE.glob("*.md")) if found_in(page, BLOCK)}


@pytest.mark.parametrize("name", PAGES)
def test_blocks_that_the_site_only_shows_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    space = {"__name__": f"guide_{name}"}
    for block in found_in(PAGES[name], BLOCK):
        exec(compile(block, str(PAGES[name]), "exec"), space)


def test_cells_are_python(tally):
    """They are executed once, by the build of the site, which an error of a cell ends."""
    cells = {page.stem: found_in(page, CELL) for page in GUIDE.glob("*.md")}
    for name, own in cells.items():
        for cell in own:
            compile(cell, name, "exec")
            tally["cells of the guide"] += 1
    assert cells["own_metric"]
    assert not {*PAGES} & {name for name, own in cells.items() if own}


def test_links_between_pages_hold():
    """Pages named by {doc}, files named by links and pictures, and pages of the contents exist.

    What the site generates, under `api`, is checked when it is built: it warns of a missing page.
    """
    for page in GUIDE.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"\{doc\}`(\w+)`", text):
            assert (GUIDE / f"{name}.md").exists(), (page.name, name)
        for path in re.findall(r"\]\(([^):]+)\)", text):
            assert path.startswith("api/") or (GUIDE / path).exists(), (page.name, path)
    contents = "".join(
        (GUIDE / name).read_text(encoding="utf-8") for name in ("index.md", "guide.md")
    )
    listed = set(re.findall(r"^(?:\w+ <)?(\w+)>?$", contents, re.M))
    assert {page.stem for page in GUIDE.glob("*.md")} == listed | {"index"}


def test_code_fits_into_80_columns():
    """The two commands that set up a checkout aside, which are one line each."""
    code = re.compile(
        r"^```(?:python|\{code-cell\} python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL
    )
    for page in (GUIDE.parents[1] / "README.md", *GUIDE.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for block in code.findall(re.sub(r"(?s)<!-- example -->.*<!-- end -->", "", text)):
            assert not [line for line in block.splitlines() if len(line) > 80], page.name


def test_names_of_the_guide_are_public():
    """Names in backquotes that end like ours are exported, those of other packages aside."""
    public = {*PUBLIC, *model_selection.__all__, *ANNEX_NAMES}
    name = re.compile(r"`(\w+_(?:score|test|curve|loss|corrcoef|sample_size|display))`")
    for page in GUIDE.glob("*.md"):
        if page.stem not in ("coming_from", "drop_in"):
            found = set(name.findall(page.read_text(encoding="utf-8"))) - {"error_score"}
            assert found <= public, page.name


def test_what_is_declined_has_a_reason():
    """Verbal grades of an AUC, and clustering metrics by name."""
    answers = (GUIDE / "faq.md").read_text(encoding="utf-8").split("\n### ")
    for question, name in (("Is an AUC of 0.8 good?", "auc_grade"), ("clustering", "v_measure")):
        assert len([answer for answer in answers if question in answer.partition("\n")[0]]) == 1
        with pytest.raises(ValueError, match="is not the name"):
            named_metric(name)


def test_coverage_in_the_guide_is_that_of_the_tables():
    """Ranges that a page prints of a table in benchmarks/results, read from the table again."""
    results = GUIDE.parents[1] / "benchmarks" / "results"
    pages = {name: " ".join((GUIDE / f"{name}.md").read_text().split()) for name in _CLAIMS}
    for page, claims in _CLAIMS.items():
        for table, rows, columns, pattern, text in claims:
            lines = (results / f"{table}.md").read_text(encoding="utf-8").splitlines()
            held = [line for line in lines if re.match(rf"\| (?:{rows}) \|", line)]
            found = [
                float(number)
                for line in held
                for number in re.findall(pattern, "|".join(line.split("|")[columns]))
            ]
            assert held, (table, rows)
            assert text.format(min(found), max(found)) in pages[page], (page, table, rows)


_GOLD = r"random, \d+, [^|]+"
_COVERED = r"(\d+\.\d)(?= \()"
_ALL = slice(2, None)
_CLAIMS = {
    "gold": [
        ("gold_labels", _GOLD, _ALL, r"(\d+\.\d);", "{:.1f} to {:.1f} %"),
        ("gold_labels", "random, (?:50|200), useless", _ALL, r"; (\d\.\d+)", "{:.2f} to {:.2f} times"),
    ],
    "sampling_model": [
        ("random_coverage", "ks_score", _ALL, _COVERED, "{:.0f} to {:.0f} % for the KS"),
        (
            "random_coverage", "h_measure|hull_auc|discrimination", _ALL, _COVERED,
            "{:.0f} to {:.0f} % for the H-measure",
        ),
    ],
}  # fmt: skip
