"""The command line: output, exit codes, messages."""

from __future__ import annotations

import io
import json

import pytest

from skaucx.command.main import main as program
from skaucx.study import (
    all_labellings,
    count_violations,
    narrow_margins,
    narrow_spans,
    parse_sets,
)

pytestmark = pytest.mark.presentation

A = "1.0p 0.8p 0.6p 0.4n 0.2n 0.0n"
B = "0.90p 0.88p 0.86p 0.81n 0.77n 0.76n"
STEPS = ["--margin-steps", "3", "--span-steps", "4", "--labellings"]


def main(arguments):
    return program(["study", *arguments])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sets.txt"
    path.write_text(f"# the second source\n{B}\n")
    return str(path)


def expected(measures="all", **parameters):
    sets = narrow_spans(narrow_margins(parse_sets(B), 3), 4)
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
    monkeypatch.setattr("sys.stdin", io.StringIO(A))
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
        ([], 2, "usage: skaucx study"),
        (["violations"], 2, "usage: skaucx study"),
    ],
)
def test_wrong_arguments(file, capsys, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        raise SystemExit(main([each.replace("FILE", file) for each in arguments]))
    assert stopped.value.code == code
    assert message in capsys.readouterr().err


def test_it_is_listed_and_has_help_of_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for words in (["--help"], ["study", "--help"], ["study", "violations", "--help"]):
        with pytest.raises(SystemExit) as ended:
            program(words)
        assert ended.value.code == 0
        out = capsys.readouterr().out
        assert "which measure deserves trust" in out or words != ["--help"]
        assert ("example:" in out) == ("violations" in words)
        assert max(map(len, out.splitlines())) <= 80
