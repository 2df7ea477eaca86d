"""The command line: output, exit codes, messages."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

from skaucx.command.main import main as program
from skaucx.study import (
    all_labellings,
    count_violations,
    load_problems,
    measure_regret,
    narrow_margins,
    narrow_spans,
    parse_sets,
    simulate_bias,
    simulate_selection,
)

pytestmark = pytest.mark.presentation


def main(arguments):
    return program(["study", *arguments])


A = "1.0p 0.8p 0.6p 0.4n 0.2n 0.0n"
B = "0.90p 0.88p 0.86p 0.81n 0.77n 0.76n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sets.txt"
    path.write_text(f"# the second source\n{B}\n")
    return str(path)


def expected(margin_steps=3, span_steps=4, measures="all", **parameters):
    sets = narrow_spans(narrow_margins(parse_sets(B), margin_steps), span_steps)
    result = count_violations(all_labellings(sets), measures, **parameters)
    return {
        name: {**vars(tally), "sets": result.sets, "correct": result.correct}
        for name, tally in result.measures.items()
    }


def by_measure(out):
    """Return the tallies of a JSON text, by measure."""
    return {row.pop("measure"): row for row in json.loads(out)["violations"]}


def test_json_of_table_5_2(file, capsys):
    arguments = [
        "violations", file, "--margin-steps", "30", "--span-steps", "30", "--labellings", "--measures",
        "all", "--q", "1/7", "--beta", "7", "--floor", "1/2", "--auc-power", "9/10",
        "--margin-power", "1/100", "--json",
    ]  # fmt: skip
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    result = by_measure(out)
    assert (result["prob_auc"]["sets"], result["prob_auc"]["correct"]) == (55800, 4500)
    assert list(result["prob_auc"]) == [
        "violations", "lowest_correct", "highest_incorrect", "sets", "correct",
    ]  # fmt: skip
    counts = {name: tally["violations"] for name, tally in result.items()}
    assert (counts["prob_auc"], counts["soft_auc"], counts["mm6_auc"]) == (3896, 3869, 153)


STEPS = ["--margin-steps", "3", "--span-steps", "4", "--labellings"]


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
    assert found == expected(**parameters)
    assert found != expected() or not options


def test_table_and_csv(file, tmp_path, capsys):
    target = tmp_path / "out.csv"
    assert main(["violations", file, *STEPS, "--measures", "mm7_auc", "--csv", str(target)]) == 0
    output = capsys.readouterr().out.splitlines()
    assert output[0] == "744 sets, 60 of them correctly ranked"
    assert output[1].split() == ["measure", "violations", "lowest_correct", "highest_incorrect"]
    tally = expected()["mm7_auc"]
    assert output[2].split()[:2] == ["mm7_auc", str(tally["violations"])]
    (row,) = csv.DictReader(io.StringIO(target.read_text()))
    assert (row["measure"], row["sets"], row["correct"]) == ("mm7_auc", "744", "60")
    assert float(row["lowest_correct"]) == tally["lowest_correct"]


def test_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(A))
    assert main(["violations", "-", "--labellings", "--json"]) == 0
    assert by_measure(capsys.readouterr().out)["mm7_auc"]["sets"] == 62
    monkeypatch.setattr("sys.stdin", io.StringIO("0.8p 0.4q"))
    assert main(["violations", "-"]) == 1
    assert "standard input: line 1, column 6: '0.4q'" in capsys.readouterr().err


def test_nothing_to_violate_is_said_beside_the_output(file, capsys):
    assert main(["violations", file, "--json"]) == 0
    captured = capsys.readouterr()
    assert by_measure(captured.out)["mm7_auc"]["highest_incorrect"] is None
    assert "No set is incorrectly ranked" in captured.err
    assert "--labellings" in captured.err


def test_malformed_file(tmp_path, capsys):
    path = tmp_path / "bad.txt"
    path.write_text(f"{A}\n0.8p 0.4\n")
    assert main(["violations", str(path), "--json"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("python -m skaucx: error: ")
    assert "bad.txt: line 2, column 6: '0.4' is not a score" in captured.err


def test_missing_file_and_unwritable_csv(file, tmp_path, capsys):
    assert main(["violations", str(tmp_path / "none.txt")]) == 1
    assert "none.txt: No such file or directory" in capsys.readouterr().err
    assert main(["violations", file, "--csv", str(tmp_path / "no" / "out.csv")]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "out.csv: there is no such folder" in captured.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--q=-1"], "q must be a finite number in"),
        (["--measures", "mm8_auc"], "'mm8_auc' is not the name of a metric; did you mean"),
        (["--measures", "recall"], "'recall' in measures is not a measure of score sets"),
    ],
)
def test_wrong_values_of_arguments(file, capsys, options, message):
    assert main(["violations", file, *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--q", "x"], "--q: must be a number or a fraction such as 1/7, found 'x'"),
        (["--q", "1/0"], "--q: must be a number or a fraction"),
        (["--span-steps", "0"], "--span-steps: must be a whole number >= 1, found '0'"),
        (["--margin-steps", "2.5"], "--margin-steps: must be a whole number >= 1"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
    ],
)
def test_wrong_arguments(file, capsys, options, message):
    with pytest.raises(SystemExit) as stopped:
        main(["violations", file, *options])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_too_many_sets(file, capsys):
    options = ["--margin-steps", str(10**9), "--span-steps", str(10**9)]
    assert main(["violations", file, *options]) == 1
    assert "made at once; take fewer steps" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["violations"]])
def test_no_command_or_file(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: python -m skaucx study" in capsys.readouterr().err


def test_help_shows_an_example(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["violations", "--help"])
    assert stopped.value.code == 0
    assert "example:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("what", "study"), [("bias", simulate_bias), ("selection", simulate_selection)]
)
def test_simulate(what, study, capsys):
    options = ["--repetitions", "3", "--seed", "5", "--measures", "soft_auc", "--beta", "2"]
    assert main(["simulate", what, *options, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    result = study(repetitions=3, random_state=5, measures="soft_auc", beta=2)
    values, column = (result.bias, "bias") if what == "bias" else (result.right, "right")
    found = [row[column] for row in rows if row["measure"] == "soft_auc"]
    assert found == values["soft_auc"].tolist()


def test_simulate_prints_a_table_and_writes_csv(tmp_path, capsys):
    target = tmp_path / "out.csv"
    options = ["--repetitions", "2", "--measures", "roc_auc,mm7_auc", "--csv", str(target)]
    assert main(["simulate", *options]) == 0
    assert "Bias against the true AUC" in capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert len(rows) == 20
    result = simulate_bias(repetitions=2, random_state=0)
    assert float(rows[12]["variance"]) == result.variance["mm7_auc"][2]
    assert (rows[12]["measure"], float(rows[12]["alpha"])) == ("mm7_auc", 3)
    assert main(["simulate", "selection", *options]) == 0
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert [row["instances"] for row in rows] == ["40", "100", "200", "400", "1000", "2000"] * 2


def test_simulate_refuses(capsys):
    assert main(["simulate", "--repetitions", "1"]) == 2
    assert "repetitions must be a whole number >= 2, found 1" in capsys.readouterr().err


def test_breakdown_and_disagreement(file, capsys):
    options = ["--measures", "roc_auc,mm7_auc", "--by", "span", "--disagreement"]
    assert main(["violations", file, *STEPS, *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    sets = narrow_spans(narrow_margins(parse_sets(B), 3), 4)
    study = count_violations(all_labellings(sets), ["roc_auc", "mm7_auc"])
    violated = [row["mm7_auc"] for row in found["by"]]
    assert violated == study.by("span").violations["mm7_auc"].tolist()
    assert sum(violated) == study.measures["mm7_auc"].violations
    orders = study.confusion()["roc_auc", "mm7_auc"]
    assert found["disagreement"] == [{"measures": ["roc_auc", "mm7_auc"], **vars(orders)}]
    assert main(["violations", file, *STEPS, *options]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    share = f"{orders.different / orders.pairs:.4f}"
    assert ["roc_auc", "0.0000", share] in lines
    assert ["mm7_auc", share, "0.0000"] in lines
    assert ["Violations", "by", "span"] in lines


REGRET = ["regret", "--repetitions", "2", "--models", "2", "--problems", "wine_1,iris_versicolor"]


def test_regret(tmp_path, capsys):
    target = tmp_path / "out.csv"
    options = ["--seed", "5", "--measures", "soft_auc", "--beta", "2", "--csv", str(target)]
    assert main([*REGRET, *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    problems = {name: load_problems()[name] for name in ("wine_1", "iris_versicolor")}
    expected = measure_regret(
        problems, n_models=2, repetitions=2, random_state=5, measures="soft_auc", beta=2
    )
    assert [list(row.values()) for row in found] == expected.rows()
    rows = list(csv.DictReader(io.StringIO(target.read_text())))
    assert len(rows) == 4 * 2 * 2
    assert float(rows[-1]["regret"]) == expected.mean["soft_auc"][1, 3]
    assert (rows[-1]["pool"], rows[-1]["problem"]) == ("all", "iris_versicolor")


def test_regret_refuses(capsys):
    assert main(["regret", "--problems", "wine"]) == 1
    assert "'wine' is not the name of a data set; did you mean" in capsys.readouterr().err
    assert main(["regret", "--models", "1"]) == 2
    assert "n_models must be a whole number >= 2" in capsys.readouterr().err


@pytest.mark.parametrize("end", ["png", "svg", "PDF"])
def test_plots_of_violations(file, tmp_path, capsys, end):
    target = tmp_path / f"out.{end}"
    options = ["--by", "margin", "--plot", str(target), "--json", "--measures", "roc_auc,mm7_auc"]
    steps, sets = (STEPS, 744) if end == "png" else (["--labellings"], 62)
    assert main(["violations", file, *steps, *options]) == 0
    captured = capsys.readouterr()
    assert by_measure(captured.out)["mm7_auc"]["sets"] == sets
    assert captured.err == ""
    start = {"png": b"\x89PNG", "svg": b"<?xml", "PDF": b"%PDF"}[end]
    assert target.read_bytes().startswith(start)


def test_what_cannot_be_written_is_refused_before_the_work(file, tmp_path, monkeypatch, capsys):
    assert main(["violations", "no file", "--plot", str(tmp_path / "no" / "a.png")]) == 1
    assert "a.png: there is no such folder" in capsys.readouterr().err
    (tmp_path / "folder.png").mkdir()
    assert main(["violations", "no file", "--plot", str(tmp_path / "folder.png")]) == 1
    assert "folder.png: Is a directory" in capsys.readouterr().err
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert main(["violations", "no file", "--csv", str(tmp_path / "a.csv")]) == 1
    assert "a.csv: Permission denied" in capsys.readouterr().err


def test_unknown_form_of_picture(file, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["violations", file, "--plot", "out.gif"])
    assert stopped.value.code == 2
    assert "--plot: must end in .png, .svg, .pdf, found 'out.gif'" in capsys.readouterr().err


def test_missing_matplotlib(file, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["violations", file, "--plot", "out.png"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert 'pip install "skaucx[plot]"' in captured.err


def test_a_bar_is_shown_on_a_terminal_only(file, monkeypatch, capsys):
    monkeypatch.setattr("skaucx._progress._DELAY", 0)
    assert main(["violations", file]) == 0
    assert "%" not in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["violations", file, "--json"]) == 0
    captured = capsys.readouterr()
    assert "100%" in captured.err
    assert by_measure(captured.out)["mm7_auc"]["sets"] == 1


def test_it_is_listed_and_has_help_of_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for words in (["--help"], ["study", "--help"]):
        with pytest.raises(SystemExit) as ended:
            program(words)
        assert ended.value.code == 0
        out = capsys.readouterr().out
        assert "which measure deserves trust" in out or words != ["--help"]
        assert len(out) > 200
        assert max(map(len, out.splitlines())) <= 80
    with pytest.raises(SystemExit):
        program(["study"])
    assert "show this help message" in capsys.readouterr().err


def test_it_writes_neither_into_a_folder_that_is_not_there_nor_over_what_it_reads(tmp_path, capsys):
    sets = tmp_path / "sets.txt"
    sets.write_text("0.9p 0.8p 0.2n 0.1n\n")
    for target in (tmp_path / "none" / "x.csv", sets):
        assert main(["violations", str(sets), "--labellings", "--csv", str(target)]) in (1, 2)
        found = capsys.readouterr()
        assert str(target.parent) in found.err
        assert not found.out
    assert sets.read_text() == "0.9p 0.8p 0.2n 0.1n\n"
