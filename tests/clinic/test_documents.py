"""Documents of predictions and of runs: TRIPOD+AI, the recommended set, subgroups, sites, model card."""

from __future__ import annotations

import re
from itertools import product
from urllib.parse import unquote

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skaucx import metrics
from skaucx._text import markdown
from skaucx.clinic import nested_sites
from skaucx.clinic._document import ITEMS
from skaucx.command.main import main
from skaucx.model_selection import Decisions, nested_cross_validate
from skaucx.reports import report
from tests.each import each
from tests.pages import Page

pytestmark = pytest.mark.presentation

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

# Sub-items of each item of TRIPOD+AI (Collins et al. 2024, Table 2).
PARTS = {3: "abc", 5: "ab", 6: "abc", 8: "abc", 9: "abc", 12: "abcdefg", 18: "abcdef", 20: "abc",
         23: "ab", 27: "abc"}  # fmt: skip
RNG = np.random.default_rng(0)
RISK = RNG.random(300) ** 2
Y = np.where(RNG.random(300) < RISK, "ill", "well")
SEX, SITES = RNG.choice(["f", "m"], 300), RNG.choice(["Bonn", "Oslo", "York"], 300)


def rows_of(text, heading):
    """Return the cells of the rows of the table of a section in Markdown."""
    part = text.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_items_are_those_of_the_checklist():
    numbers = [f"{k}{part}" for k in range(1, 28) for part in PARTS.get(k, [""])]
    assert [item for _, item, _ in ITEMS] == numbers
    assert len(ITEMS) == 52


def test_a_document_of_predictions(tmp_path):
    path = tmp_path / "paper.md"
    report(path, Y, None, RISK, pos_label="ill", by={"sex": SEX}, sites=SITES, threshold=0.5)
    text = path.read_text()
    for name in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert (tmp_path / name).stat().st_size > 1000, name
    assert len(re.findall(r"!\[", text)) == 4
    answers = {row[1]: row[3] for row in rows_of(text, "TRIPOD+AI")}
    events = int((Y == "ill").sum())
    assert list(answers) == [item for _, item, _ in ITEMS]
    assert answers["21"] == f"300 rows, {events} events"
    assert answers["6a"] == "3 sites"
    assert answers["17"] == answers["18a"] == "to be filled in"
    auc = f"{metrics.roc_auc_score(Y, RISK, pos_label='ill'):.2f} ["
    found = {row[0]: row[1] for row in rows_of(text, "Recommended set")}
    assert found["ROC AUC"].startswith(auc)
    assert found["recall"].startswith(f"{(RISK[Y == 'ill'] >= 0.5).mean():.2f} [")
    assert {"calibration slope", "net benefit", "integrated calibration index"} <= set(found)
    assert not {"F1", "accuracy"} & set(found)
    assert [row[0] for row in rows_of(text, "Subgroups")] == ["sex = f", "sex = m"]
    assert {row[1] for row in rows_of(text, "Sites")} == {"Bonn", "Oslo", "York", "pooled"}

    report(tmp_path / "paper.tex", Y, None, RISK, pos_label="ill")
    tex = (tmp_path / "paper.tex").read_text()
    assert tex.count(r"\begin{longtable}") == tex.count(r"\end{longtable}") == 2
    assert not re.search(r"(?<!\\)%(?! )", tex)
    assert (tmp_path / "paper-calibration.pdf").exists()
    for bad in ({"y_pred": Y}, {"y_score": 5 * RISK}):
        with pytest.raises(ValueError, match="probabilities of two classes"):
            report(path, Y, pos_label="ill", **bad)


def test_a_document_without_a_threshold_calls_nothing(tmp_path):
    """Rates of calls and net benefit are left out, and the checklist says that there is none."""
    report(tmp_path / "paper.md", Y, None, RISK, pos_label="ill", sites=SITES)
    text = (tmp_path / "paper.md").read_text()
    found = {row[0] for row in rows_of(text, "Recommended set")}
    assert {"ROC AUC", "Brier score loss"} <= found
    assert not {"recall", "specificity", "precision", "NPV", "net benefit"} & found
    assert not any("net benefit" in row for row in rows_of(text, "Sites"))
    assert {row[1]: row[3] for row in rows_of(text, "TRIPOD+AI")}["15"].endswith("no threshold")


HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "[go](javascript:alert(3))",
    "![far](https://far.example/x.png)", "a|b", "two\nlines\n\n# heading", "`code`", "*bold* _it_",
    "&lt;b&gt;", "<!-- gone", "1. first", "- item", "www.far.example", "~~cut~~", "a\\|b",
    "[1](javascript:alert(4))", "[1][2]", "0.5 [0.1, 0.9]",
]  # fmt: skip


@pytest.fixture(scope="module")
def parser():
    markdown_it = pytest.importorskip("markdown_it")
    return markdown_it.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def test_hostile_names_render_as_they_are(parser, tmp_path):
    """Title, labels, groups and sites become text: read back by a parser of Markdown."""
    groups = np.array(HOSTILE)[np.arange(len(Y)) % len(HOSTILE)]
    # A tag, the mark of a cell and an empty line before a mark of a heading, in one name.
    word = " ".join((HOSTILE[0], HOSTILE[4], HOSTILE[5]))
    true = np.where(Y == "ill", word, "well")
    report(
        tmp_path / "a (1).md", true, None, RISK, pos_label=word, title=f"Of {word}",
        by={"group": groups}, threshold=0.3,
    )  # fmt: skip
    text = (tmp_path / "a (1).md").read_text(encoding="utf-8")
    tokens = [each for token in parser.parse(text) for each in (token, *(token.children or ()))]
    kinds = {token.type for token in tokens}
    assert not kinds & {"html_block", "html_inline", "link_open", "code_inline", "em_open",
                        "strong_open", "s_open", "fence", "list_item_open"}  # fmt: skip
    told = [token.content for token in tokens if token.type == "inline"]
    plain = [
        "".join(c.content for c in token.children) for token in tokens if token.type == "inline"
    ]
    assert plain[0] == f"Of {' '.join(word.split())}"
    assert {f"group = {' '.join(each.split())}" for each in HOSTILE} <= set(plain)
    assert sum(token.tag == "h1" for token in tokens if token.type == "heading_open") == 1
    pictures = [token.attrs["src"] for token in tokens if token.type == "image"]
    assert len(pictures) == 4
    assert all((tmp_path / unquote(name)).exists() for name in pictures), told


PLACES = ["# {}", "{}", "| a | b |\n| --- | --- |\n| {} | 1 |", "![{}](x)"]


@each("place, word", product(PLACES, HOSTILE))
def test_escaped_text_is_text_wherever_it_stands(parser, word, place):
    plain = " ".join(word.split())
    tokens = parser.parse(place.format(markdown.escape(word)))
    inline = [token for token in tokens if token.type == "inline"]
    children = [child for token in inline for child in token.children]
    if place.startswith("!"):
        [picture] = children
        assert "".join(child.content for child in picture.children) == plain
    else:
        texts = ["".join(child.content for child in token.children) for token in inline]
        assert texts in ([plain], ["a", "b", plain, "1"])
        assert {child.type for child in children} == {"text"} | (
            {"text_special"} & {child.type for child in children}
        )
    assert parser.render(place.format(markdown.escape(word))).count("<script") == 0


def test_a_document_of_a_run_and_its_model_card(tmp_path):
    X = np.column_stack([RISK, RNG.normal(size=300)])
    result = nested_cross_validate(
        LogisticRegression(), {"C": [0.1, 1.0]}, X, Y, scoring=["roc_auc", "npv"], refit="roc_auc",
        pos_label="ill", decisions=Decisions(threshold="informedness"), inner_cv=3, outer_cv=3,
        final="search",
    )  # fmt: skip
    result.report(tmp_path / "run.md", by=SEX, sites=SITES)
    text = (tmp_path / "run.md").read_text()
    card = dict(rows_of(text, "Model card"))
    assert card["Model"].startswith("FixedThresholdClassifier") or "Logistic" in card["Model"]
    assert card["Parameters"] == f"C={result.final.params['C']}"
    assert "chosen inside" in card["Threshold in the test"]
    assert card["Threshold of the final model"] == f"{result.final.threshold:.3g}"
    estimate, low = result.interval("roc_auc").estimate, result.interval("roc_auc").low
    assert card["ROC AUC"].startswith(f"{estimate:.2f} [{low:.2f}")
    assert "skaucx" in card["Versions"]
    answers = {row[1]: row[3] for row in rows_of(text, "TRIPOD+AI")}
    assert "3 outer folds" in answers["12a"]
    assert "nested" in answers["18f"].lower()
    assert [row[0] for row in rows_of(text, "Subgroups")] == ["group = f", "group = m"]
    pooled = nested_sites(result, SITES, threshold=float(np.median(result.thresholds))).pooled[
        "roc_auc"
    ]
    assert any(row[1] == "pooled" and f"{pooled.estimate:.2f} [" in row[2]
               for row in rows_of(text, "Sites") if row[0] == "ROC AUC")  # fmt: skip


def test_the_threshold_of_the_shipped_model_stands_on_the_card(tmp_path):
    X = np.column_stack([RISK, RNG.normal(size=300)])
    result = nested_cross_validate(
        LogisticRegression(),
        {"C": [1.0]},
        X,
        Y,
        scoring="roc_auc",
        pos_label="ill",
        decisions=Decisions(threshold="f1"),
        outer_cv=3,
        inner_cv=2,
    )
    result.report(tmp_path / "page.md")
    card = dict(rows_of((tmp_path / "page.md").read_text(encoding="utf-8"), "Model card"))
    assert card["Threshold of the final model"] == f"{result.final.threshold:.3g}"


@pytest.mark.usefixtures("captions_only")
def test_forms_stand_in_documents_that_were_requested_alone(tmp_path):
    report(tmp_path / "page.html", Y, None, RISK, pos_label="ill", threshold=0.5)
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert not any("to be filled in" in row for row in page.rows)


def test_the_command_writes_a_document(tmp_path, capsys):
    frame = pytest.importorskip("pandas").DataFrame({"y": Y, "p": RISK, "sex": SEX, "site": SITES})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    paper = tmp_path / "paper.md"
    asked = ["--true", "y", "--score", "p", "--positive", "ill", "--threshold", "0.4"]
    asked += ["--by", "sex", "--sites", "site", "-o", str(paper)]
    assert main(["report", str(tmp_path / "rows.csv"), *asked]) == 0
    text = paper.read_text(encoding="utf-8")
    assert f"| recall | {(RISK >= 0.4)[Y == 'ill'].mean():.2f} [" in text
    assert {row[0] for row in rows_of(text, "Subgroups")} == {"sex = f", "sex = m"}
    assert "## Sites" in text
