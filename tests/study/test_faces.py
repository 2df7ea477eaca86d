"""What a study shows: pictures, and what its command prints and how it ends."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from scipy import special

from skaucx.command.main import main as program
from skaucx.study import (
    Breakdown,
    BreakdownDisplay,
    DifferenceDisplay,
    ValueRangesDisplay,
    ViolationsDisplay,
    all_labellings,
    count_violations,
    narrow_margins,
    narrow_spans,
    parse_sets,
)
from tests.study.cases import SIX

pytestmark = pytest.mark.presentation

MEASURES = ["roc_auc", "prob_auc", "mm7_auc", "mm11_auc"]
SOURCE = "0.90p 0.88p 0.86p 0.81n 0.77n 0.76n"
STEPS = ["--margin-steps", "3", "--span-steps", "4", "--labellings"]


@pytest.fixture(scope="module")
def violations():
    return count_violations(all_labellings(narrow_spans(SIX, 30)), MEASURES)


def labels(ticks):
    return [tick.get_text().replace("\N{MINUS SIGN}", "-") for tick in ticks]


def test_bars_of_violations(violations):
    ax = ViolationsDisplay(violations).plot().ax_
    counts = [tally.violations for tally in violations.measures.values()]
    assert [bar.get_width() for bar in ax.patches] == counts
    assert labels(ax.texts) == [str(count) for count in counts]
    assert labels(ax.get_yticklabels()) == MEASURES
    assert ax.get_ylim() == (3.5, -0.5)
    assert ax.get_xlabel() == "violations, of 150 correctly ranked sets"
    assert ax.get_xlim()[1] > max(counts)


def test_ranges_of_values(violations):
    ax = ValueRangesDisplay(violations).plot().ax_
    correct, incorrect = (lines.get_segments() for lines in ax.collections)
    for place, (name, tally) in enumerate(violations.measures.items()):
        values = violations.values[name]
        assert correct[place][0] == pytest.approx([tally.lowest_correct, place - 0.19])
        assert incorrect[place][1] == pytest.approx([tally.highest_incorrect, place + 0.19])
        box = ax.containers[0][place]
        quartiles = np.quantile(values[violations.is_correct], [0.25, 0.75])
        assert [box.get_x(), box.get_x() + box.get_width()] == pytest.approx(quartiles)
    assert labels(ax.get_legend().get_texts()) == ["correctly ranked", "incorrectly ranked"]
    assert ax.get_xlim()[1] > 1
    assert len({bars[0].get_hatch() for bars in ax.containers}) == 2
    ax = ValueRangesDisplay(count_violations(parse_sets("0.9p 0.2n"), MEASURES)).plot().ax_
    assert labels(ax.get_legend().get_texts()) == ["correctly ranked"]


def curves(ax):
    return {
        line.get_label(): np.array(line.get_data())
        for line in ax.lines
        if not line.get_label().startswith("_")
    }


def test_shares_of_a_breakdown():
    counts = {"roc_auc": np.array([0, 0, 0, 0]), "mm7_auc": np.array([0, 5, 0, 1])}
    correct = np.array([0, 10, 0, 4])
    parts = Breakdown("relative_margin", np.linspace(0, 1, 5), correct, counts)
    ax = BreakdownDisplay(parts).plot().ax_
    found = curves(ax)
    assert found["mm7_auc"].tolist() == [[0.375, 0.875], [0.5, 0.25]]
    assert found["roc_auc"].tolist() == [[0.375, 0.875], [0, 0]]
    assert ax.get_xlim() == (0.25, 1)
    assert ax.get_xlabel() == "relative margin of the set"
    empty = Breakdown("span", np.array([0.0, 1.0]), np.array([0]), {"mm7_auc": np.array([0])})
    assert curves(BreakdownDisplay(empty).plot().ax_)["mm7_auc"].shape == (2, 0)


def test_difference_functions_are_those_of_the_pairs():
    display = DifferenceDisplay(parameters={"beta": 3.0, "q": 0.5}).plot()
    d, values = display.functions
    won = np.maximum(d, 0)
    expected = {
        "roc_auc": np.where(d == 0, 0.5, d > 0), "prob_auc": (1 + d) / 2, "scor_auc": won,
        "sond_auc": np.sqrt(won), "soft_auc": special.expit(3 * d),
    }  # fmt: skip
    assert list(values) == list(expected)
    for name, value in values.items():
        np.testing.assert_allclose(value, expected[name], atol=1e-12)
    assert len(display.ax_.get_lines()) >= 5


def main(arguments):
    return program(["study", *arguments])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sets.txt"
    path.write_text(f"# the second source\n{SOURCE}\n")
    return str(path)


def expected(measures="all", **parameters):
    sets = narrow_spans(narrow_margins(parse_sets(SOURCE), 3), 4)
    return count_violations(all_labellings(sets), measures, **parameters)


def by_measure(out):
    """Return the tallies of a JSON text, by measure."""
    return {row.pop("measure"): row for row in json.loads(out)["violations"]}


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        ([], {}),
        (["--q", "0.5"], {"q": 0.5}),
        (["--beta", "20"], {"beta": 20}),
        (["--floor", "0"], {"floor": 0}),
        (["--auc-power", "0.5"], {"auc_power": 0.5}),
        (["--margin-power", "1/100"], {"margin_power": 0.01}),
        (["--measures", "mm7_auc,auc"], {"measures": ["mm7_auc", "roc_auc"]}),
    ],
)
def test_every_option_counts(file, capsys, options, parameters):
    assert main(["violations", file, *STEPS, *options, "--json"]) == 0
    found = by_measure(capsys.readouterr().out)
    result = expected(**parameters)
    assert found == {
        name: {**vars(tally), "sets": 744, "correct": 60} for name, tally in result.measures.items()
    }
    assert result.measures != expected().measures or not options


def test_table_and_breakdown(file, capsys):
    result = expected(["roc_auc", "mm7_auc"])
    options = ["--measures", "roc_auc,mm7_auc", "--by", "span"]
    assert main(["violations", file, *STEPS, *options]) == 0
    output = capsys.readouterr().out
    assert output.startswith(str(result))
    assert str(result.by("span")) in output
    assert main(["violations", file, *STEPS, *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    violated = [row["mm7_auc"] for row in found["by"]]
    assert violated == result.by("span").violations["mm7_auc"].tolist()


def test_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("1p 0.8p 0.6p 0.4n 0.2n 0n"))
    assert main(["violations", "-", "--labellings", "--json"]) == 0
    assert by_measure(capsys.readouterr().out)["mm7_auc"]["sets"] == 62
    monkeypatch.setattr("sys.stdin", io.StringIO("0.8p 0.4q"))
    assert main(["violations", "-"]) == 1
    assert "line 1, column 6: '0.4q'" in capsys.readouterr().err


def test_nothing_to_violate_is_said_after_the_output(file, capsys):
    assert main(["violations", file, "--json"]) == 0
    captured = capsys.readouterr()
    assert by_measure(captured.out)["mm7_auc"]["highest_incorrect"] is None
    assert "No set is incorrectly ranked" in captured.err
    assert "--labellings" in captured.err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["violations", "FILE", "--q=-1"], 1, "q must be a finite number in"),
        (["violations", "FILE", "--by", "size"], 1, "property must be one of"),
        (["violations", "none.txt"], 1, "none.txt: No such file or directory"),
        (["violations", "FILE", "--q", "x"], 2, "--q: must be a number or a fraction such as 1/7"),
        (["violations", "FILE", "--q", "1/0"], 2, "--q: must be a number or a fraction"),
    ],
)
def test_wrong_arguments(file, capsys, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        raise SystemExit(main([each.replace("FILE", file) for each in arguments]))
    assert stopped.value.code == code
    assert message in capsys.readouterr().err
