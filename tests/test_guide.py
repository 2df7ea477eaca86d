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
RESULTS = GUIDE.parents[1] / "benchmarks" / "results"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def found_in(page, pattern):
    """Return the Python of a page, without the options of its cells."""
    found = pattern.findall(page.read_text(encoding="utf-8"))
    return [re.sub(r"\A(?::.*\n)+", "", block) for block in found]


def test_cells_are_python(tally):
    """All Python of a page is a cell. The build of the site executes them; an error ends it."""
    cells = {page.stem: found_in(page, CELL) for page in GUIDE.glob("*.md")}
    for name, own in cells.items():
        for cell in own:
            compile(cell, name, "exec")
            tally["cells of the guide"] += 1
    assert cells["own_metric"]
    assert not [page.name for page in GUIDE.glob("*.md") if found_in(page, BLOCK)]


def test_twenty_tasks_take_twelve_lines_each():
    """After the data and the model, which all of them share."""
    tasks = (GUIDE / "tasks.md").read_text(encoding="utf-8").split("\n## ")[1:]
    assert len(tasks) == 20
    for task in tasks:
        title = task.partition("\n")[0]
        assert title.startswith("I have ")
        assert " I want " in title
        code = re.findall(r"(?ms)^```\{code-cell\} python\n(.*?)^```$", task)
        assert sum(bool(line.strip()) for line in "".join(code).splitlines()) <= 12, title


def test_the_landing_page_is_the_readme():
    """The same problem, picture and code; the site runs it and shows what it prints."""
    readme = (GUIDE.parents[1] / "README.md").read_text(encoding="utf-8")
    landing = (GUIDE / "index.md").read_text(encoding="utf-8")
    assert found_in(GUIDE / "index.md", CELL)[0] == BLOCK.search(readme)[1]
    problem = readme.split("\n\n")[1]
    assert problem in landing
    assert "![The first screen of a report" in landing
    assert "images/verdict.png" in landing


def test_every_page_has_a_line_in_the_guide():
    text = (GUIDE / "guide.md").read_text(encoding="utf-8")
    entries = dict(re.findall(r"^\{doc\}`([\w/]+)`\n: (.+\.)$", text, re.MULTILINE))
    pages = {page.stem for page in GUIDE.glob("*.md")} - {"index", "start", "guide"}
    assert pages <= set(entries)


def test_costs_of_several_machines_are_those_of_the_tables():
    """Each row of the table of costs names the table that holds its number."""
    page = (GUIDE / "machines.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .+ \| ([\d.]+) .*\| `(benchmarks/results/\w+\.md)` \|$", page, re.M)
    assert len(rows) >= 6
    for number, table in rows:
        measured = (GUIDE.parents[1] / table).read_text(encoding="utf-8")
        assert re.search(rf"\| {re.escape(number)}(?: million)? \|", measured), number


def test_links_between_pages_hold():
    """Pages named by {doc}, files named by links and pictures, and pages of the contents exist.

    What the site generates, under `api`, is checked when it is built: it warns of a missing page.
    """
    for page in GUIDE.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"\{doc\}`(\w+)`", text):  # not those of `api`
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
    for page, claims in _CLAIMS.items():
        read = " ".join((GUIDE / f"{page}.md").read_text(encoding="utf-8").split())
        for table, rows, columns, pattern, text in claims:
            wanted = text.format(*range_of(table, rows, columns, pattern))
            assert wanted in read, (page, wanted)


@pytest.mark.parametrize("name", ["discrimination", "ks_score", "h_measure", "hull_auc"])
def test_reasons_of_no_interval_have_the_figures_of_the_table(name):
    low, high = range_of("random_coverage", name, _ALL, _COVERED)
    reason = named_metric(name).function.metric.no_interval
    assert f"the bootstrap covers {low:.1f} to {high:.1f} % of nominal 95" in reason


def rows_of(path):
    """Return the cells of all rows of the tables of a page, by the first one."""
    lines = re.findall(r"^\| (.*) \|$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {cells[0]: cells[1:] for line in lines[::-1] for cells in [line.split(" | ")]}


def test_figures_are_those_of_the_tables():
    """Ratios of speed, and coverage at three sizes of the classes."""
    shown, speed = rows_of(GUIDE / "figures.md"), rows_of(RESULTS / "ratios.md")
    ratios = {work: cells for work, cells in shown.items() if work in speed}
    assert len(ratios) == 6  # with the head
    for work, cells in ratios.items():
        assert cells == [speed[work][0], speed[work][3]], work
    covered = (RESULTS / "coverage.md").read_text(encoding="utf-8")
    columns = {
        "AUC, `score-t`": ("roc_auc | score-t", 0, 1, 3),
        "recall, `wilson`": ("recall | wilson", 1, 3, 4),
        "soft AUC, `logit-t`": ("soft_auc | logit-t", 0, 1, 3),
    }
    for row, (name, *places) in columns.items():
        found = re.search(rf"^\| {re.escape(name)} \| (.*) \|$", covered, re.MULTILINE)
        assert shown[row] == [found[1].split(" | ")[k] for k in places], row


def test_violations_are_those_of_the_table():
    shown, found = rows_of(GUIDE / "study.md"), rows_of(RESULTS / "variant_parameters.md")
    names = {
        "scorAUC": "scor_auc", "softAUC, beta = 7": "soft_auc(beta=7)", "AUC": "roc_auc",
        "sondAUC, q = 1/7": "sond_auc(q=0.142857)", "sondAUC, q = 1/100": "sond_auc(q=0.01)",
        "mm7, m = .9, n = 1/100 (the thesis)": "mm7_auc(auc_power=0.9, margin_power=0.01)",
        "mm7, m = .5, n = 1/1000": "mm7_auc(auc_power=0.5, margin_power=0.001)",
        "mm7, m = .1, n = 1/100": "mm7_auc(auc_power=0.1, margin_power=0.01)",
    }  # fmt: skip
    for row, name in names.items():
        wanted = [found[name][k] for k in (0, 2, 3)]
        assert [float(re.sub("[,%]", "", x)) for x in shown[row]] == [
            float(re.sub("[,%]", "", x)) for x in wanted
        ], row


def range_of(table, rows, columns, pattern):
    """Return the least and the greatest number that the pattern finds in rows of a table."""
    lines = (RESULTS / f"{table}.md").read_text(encoding="utf-8").splitlines()
    held = [line for line in lines if re.match(rf"\| (?:{rows}) \|", line)]
    assert held, (table, rows)
    cells = ["|".join(line.split("|")[columns]) for line in held]
    found = [float(number) for cell in cells for number in re.findall(pattern, cell)]
    return min(found), max(found)


_GOLD = r"random, \d+, [^|]+"
_COVERED = r"(\d+\.\d)(?= \()"
_ALL = slice(2, None)
_LAST = r"([\d.]+) $"  # at an AUC of .95
_GROUPS, _POOLED = r"n 300,", r"n 300, 5 % ."
_CLAIMS = {
    "gold": [
        ("gold_labels", _GOLD, _ALL, r"(\d+\.\d);", "{:.1f} to {:.1f} %"),
        ("gold_labels", "random, (?:50|200), useless", _ALL, r"; (\d\.\d+)", "{:.2f} to {:.2f} times"),
    ],
    "sampling_model": [
        ("random_coverage", "ks_score", _ALL, _COVERED, "{:.1f} to {:.1f} % for the KS"),
        (
            "random_coverage", "h_measure|hull_auc|discrimination", _ALL, _COVERED,
            "{:.1f} to {:.1f} % for the H-measure",
        ),
        ("random_coverage", "roc_auc|recall", _ALL, _COVERED, "cover {:.0f} to {:.0f} %"),
    ],
    "../../README": [
        ("interval_cost", r"\w+_(?:score|loss|slope) . .*", slice(3, 6), r"([\d.]+)",
         "[{:.0f} to {:.0f} values]"),
    ],
    "which_metric": [
        ("random_coverage", "precision at 20 %, .*", _ALL, _COVERED, "covered {:.0f} to {:.0f} %"),
    ],
    "groups": [
        ("nested_random", f"{_GROUPS} 60 .*", slice(7, 8), _COVERED, "covered {:.0f} to {:.0f} %"),
        ("nested_random", f"{_GROUPS} 10 .*roc_auc.*", slice(7, 8), _COVERED, "in {:.1f} %"),
    ],
    "nested": [
        ("nested_random", f"{_POOLED} roc_auc . pooled .*", slice(7, 8), _COVERED, "in {:.1f} % and"),
        ("nested_random", f"{_POOLED} roc_auc . pooled .*", slice(8, 9), _COVERED, "in {:.1f} %, of"),
        ("nested_random", rf"{_POOLED} (?:neg_\w+|accuracy) . pooled .*", slice(7, 9), _COVERED,
         "in {:.0f} to {:.0f} % ("),
    ],
    "intervals": [
        ("fitted_null", r"\w+ . \d+ .*", slice(6, 7), _COVERED, "in {:.0f} to {:.0f} % of the runs"),
        ("fitted_null", r"\w+ . \d+ .*", slice(7, 8), _COVERED, "second in {:.0f} to {:.1f} %"),
    ],
    "calls_in_detail": [
        ("coverage", "(?:prob|scor|sond|soft)_auc . logit-t .*", slice(5, 6), _LAST,
         "({:.0f} to {:.0f} %)"),
        ("coverage", "roc_auc . percentile .*", slice(5, 6), _LAST, "({:.0f} %)"),
    ],
}  # fmt: skip
