"""The commands compare, metrics, report and study, what holds of all of them, and how they end."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import skaucx
from skaucx.command.main import main
from skaucx.inference import delong_test, paired_test
from skaucx.metrics import list_metrics
from skaucx.metrics._registry.names import SETS
from skaucx.study import (
    all_labellings,
    count_violations,
    narrow_margins,
    narrow_spans,
    parse_sets,
)

pytestmark = pytest.mark.presentation

pytest.importorskip("pyarrow")

RNG = np.random.default_rng(0)
N = 200
SICK = RNG.random(N) < 0.4
A = pd.DataFrame({"id": [f"p{i}" for i in range(N)], "y": np.where(SICK, "ill", "well")})
A["site"] = np.arange(N) // 4
B = A.copy()
for frame, noise in ((A, 0.2), (B, 0.4)):
    frame["p"] = np.clip(RNG.normal(0.4 + 0.3 * SICK, noise), 0, 1)
    frame["called"] = np.where(frame["p"] > 0.5, "ill", "well")
COMMON = ["--true", "y", "--score", "p", "--positive", "ill"]


def ended(capsys, *words):
    """Return the exit code and what went to standard output and to standard error."""
    code = main([str(word) for word in words])
    found = capsys.readouterr()
    return code, found.out, found.err


def printed(capsys, *words):
    code, out, err = ended(capsys, *words)
    assert code == 0, err
    return out


def answer(capsys, *words):
    return json.loads(printed(capsys, *words, "--json"))


def failed(capsys, *words, code=1):
    found, out, err = ended(capsys, *words)
    assert (found, out) == (code, "")
    return err


@pytest.fixture
def files(tmp_path):
    """Two files, the second in another order of rows."""
    names = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    A.to_csv(names[0], index=False)
    B.sample(frac=1, random_state=1).to_csv(names[1], index=False)
    return names


def test_compare_is_the_tests_of_the_package(files, capsys):
    p, drawn = {"pos_label": "ill"}, {"n_resamples": 200, "random_state": 0}
    y, grouped = A["y"], {**p, "groups": A["site"]}
    wanted = {
        "roc_auc": delong_test(y, A["p"], B["p"], **p),
        "brier_score_loss": paired_test("brier_score", y, A["p"], B["p"], **p),
        "accuracy": paired_test("accuracy", y, A["called"], B["called"]),
        "recall": paired_test("recall", y, A["called"], B["called"], **drawn, **p),
        "ks": paired_test("ks", y, A["p"], B["p"], **drawn, **p, method="bootstrap"),
    }
    call = ["compare", *files, *COMMON, "--id", "id"]
    asked = ["--pred", "called", "--n-resamples", "200", "--metrics", ",".join(wanted)]
    found = answer(capsys, *call, *asked)
    assert list(found) == list(wanted)
    for name, test in wanted.items():
        assert found[name]["difference"] == pytest.approx(test.difference, rel=1e-12)
        assert found[name]["p_value"] == pytest.approx(test.p_value, rel=1e-12)
        assert found[name]["interval"] == pytest.approx(test.interval)
    found = answer(capsys, *call, "--groups", "site", "--metrics", "roc_auc")
    test = delong_test(y, A["p"], B["p"], **grouped)
    assert found["roc_auc"]["p_value"] == pytest.approx(test.p_value, rel=1e-12)


@pytest.mark.parametrize("columns", [60, 80])
def test_a_comparison_folds_to_the_terminal(files, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    call = ["compare", *files, *COMMON, "--id", "id"]
    out = printed(capsys, *call, "--pred", "called", "--n-resamples", "50")
    lines = out[out.index("metric ") :].splitlines()
    assert max(map(len, lines)) <= columns
    scores = ["roc_auc", "average_precision", "brier_score_loss"]
    names = [*scores, "accuracy", "recall", "specificity"]
    assert [line.split()[0] for line in lines if line][1:7] == names  # in full, as `evaluate` does
    assert "..." not in out
    assert "\x1b" not in out
    assert "A - B" in out
    assert "not adjusted" in out
    out = printed(capsys, *call, "--metrics", "ks")
    assert "Target: these predictions; 2000 resamples, seed 0." in " ".join(out.split())


def test_compare_names_file_row_and_column(files, tmp_path, capsys):
    told = failed(capsys, "compare", *files, *COMMON)
    assert "in column 'y' where" in told
    assert "in the same order or matched by --id" in told
    short, twice, hole = (str(tmp_path / f"{name}.csv") for name in ("short", "twice", "hole"))
    A[:-3].to_csv(short, index=False)
    A.assign(id="p1").to_csv(twice, index=False)
    A.assign(p=A["p"].where(A.index != 7)).to_csv(hole, index=False)
    for pair, more, words in (
        ([files[0], short], [], "has 200 rows and"),
        ([twice, files[0]], ["--id", "id"], f"{twice} has 'p1' more than once"),
        ([files[0], twice], ["--id", "id"], f"{twice} has 'p1' in column 'id' where"),
        ([hole, files[1]], [], "hole.csv, row 7 (line 9), column 'p': the value is missing"),
        (files, ["--id", "id", "--metrics", "recall"], "recall needs y_pred; name its column"),
    ):
        assert words in failed(capsys, "compare", *pair, *COMMON, *more)


def test_metrics(capsys):
    everything = printed(capsys, "metrics")
    assert len(everything.splitlines()) <= 40
    for name in (*SETS, *{row.family for row in list_metrics()}):
        assert name in " ".join(everything.split())
        assert printed(capsys, "metrics", name)
    for each in SETS["clinical"].metrics:
        assert f"\n{each} " in printed(capsys, "metrics", "clinical")
    assert max(map(len, everything.splitlines())) <= 80
    one = printed(capsys, "metrics", "PPV")
    assert one.startswith("precision\n")
    assert r"\frac{TP}{TP + FP}" in one
    some = {row["name"] for row in answer(capsys, "metrics", "calibration")}
    assert {"calibration_slope", "binned_calibration_error"} <= some
    assert "precision" in failed(capsys, "metrics", "precisoin")


def test_report(files, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    call = ["report", files[0], *COMMON, "-o"]
    assert str(page) in printed(capsys, *call, page, "--metrics", "roc_auc")
    assert "<!DOCTYPE html>" in page.read_text(encoding="utf-8")
    assert "0.4" in failed(capsys, *call, page, "--pred", "called", "--threshold", "0.4")
    assert "No such file" in failed(capsys, *call, tmp_path / "none" / "page.html")


SOURCE = "0.90p 0.88p 0.86p 0.81n 0.77n 0.76n"
VIOLATIONS = ["study", "violations"]
STEPS = ["--margin-steps", "3", "--span-steps", "4", "--labellings"]


@pytest.fixture
def sets(tmp_path):
    path = tmp_path / "sets.txt"
    path.write_text(f"# the second source\n{SOURCE}\n")
    return path


def studied(measures="all", **parameters):
    narrowed = narrow_spans(narrow_margins(parse_sets(SOURCE), 3), 4)
    return count_violations(all_labellings(narrowed), measures, **parameters)


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
def test_every_option_of_a_study_counts(sets, capsys, options, parameters):
    found, result = answer(capsys, *VIOLATIONS, sets, *STEPS, *options), studied(**parameters)
    assert found["violations"] == [
        {"measure": name, "sets": 744, "correct": 60, **vars(tally)}
        for name, tally in result.measures.items()
    ]
    assert result.measures != studied().measures or not options


def test_table_and_breakdown_of_a_study(sets, capsys):
    result = studied(["roc_auc", "mm7_auc"])
    call = [*VIOLATIONS, sets, *STEPS, "--measures", "roc_auc,mm7_auc", "--by", "span"]
    told = printed(capsys, *call)
    assert told.startswith(str(result))
    assert str(result.by("span")) in told
    violated = [row["mm7_auc"] for row in answer(capsys, *call)["by"]]
    assert violated == result.by("span").violations["mm7_auc"].tolist()


def test_a_study_of_standard_input(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(SOURCE))
    assert answer(capsys, *VIOLATIONS, "-", "--labellings")["violations"][0]["sets"] == 62
    monkeypatch.setattr("sys.stdin", io.StringIO("0.8p 0.4q"))
    assert "line 1, column 6: '0.4q'" in failed(capsys, *VIOLATIONS, "-")


def test_a_study_says_after_its_output_that_nothing_can_be_violated(sets, capsys):
    code, out, err = ended(capsys, *VIOLATIONS, sets, "--json")
    assert code == 0
    assert {row["highest_incorrect"] for row in json.loads(out)["violations"]} == {None}
    assert "No set is incorrectly ranked" in err
    assert "--labellings" in err


def test_bad_requests_of_a_study(sets, capsys):
    assert "q must be a finite number in" in failed(capsys, *VIOLATIONS, sets, "--q=-1")
    assert "property must be one of" in failed(capsys, *VIOLATIONS, sets, "--by", "size")
    assert "none.txt: No such file or directory" in failed(capsys, *VIOLATIONS, "none.txt")
    for bad in ("x", "1/0"):
        with pytest.raises(SystemExit) as stopped:
            main([*VIOLATIONS, str(sets), "--q", bad])
        assert stopped.value.code == 2
        assert "--q: must be a number or a fraction such as 1/7" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["compare"], 2), (["evaluate", __file__], 2), (["nothing"], 2), (["metrics", "--jsn"], 2),
        (["study"], 2), (["study", "violations"], 2), (["--help"], 0), (["evaluate", "--help"], 0),
        (["compare", "--help"], 0), (["report", "--help"], 0), (["metrics", "--help"], 0),
        (["study", "--help"], 0), (["study", "violations", "--help"], 0),
    ],
)  # fmt: skip
def test_wrong_arguments_end_with_2_and_help_has_80_columns(words, code, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == code
    found = capsys.readouterr()
    told = found.err if code else found.out
    assert f"usage: skaucx{' study' if words[0] == 'study' else ''}" in told
    if code == 0:
        assert max(map(len, told.splitlines())) <= 80
        assert ("which measure deserves trust" in told) == (words == ["--help"])
        assert words[0] != "study" or ("example:" in told) == ("violations" in words)


def test_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"skaucx {skaucx.__version__}\n"


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (["--help"], ["sklearn", "scipy", "skaucx.study", "skaucx.regression"]),
        (["evaluate", "--help"], ["matplotlib", "skaucx.study"]),
    ],
)
def test_a_command_imports_no_other_and_help_no_library(words, absent):
    """The time of a small file is that of the imports."""
    code = "import sys; from skaucx.command.main import main\n"
    code += f"try: main({words})\nexcept SystemExit: pass\n"
    code += f"print([name for name in {absent} if name in sys.modules])"
    call = [sys.executable, "-c", code]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_interrupt_ends_with_130(monkeypatch, capsys):
    def stop(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("skaucx.command.metrics.list_metrics", stop)
    assert "interrupted" in failed(capsys, "metrics", code=130)


def piped(*words):
    return subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals of POSIX")
def test_pipes_and_signals():
    """A closed pipe, a full disk and an interrupt during the imports leave no traceback."""
    with piped("-m", "skaucx", "metrics") as closed:
        closed.stdout.close()
        assert closed.stderr.read() == b""
    assert closed.returncode == 141
    # The lines of the remaining imports fill the pipe: the process cannot end before the interrupt.
    with piped("-X", "importtime", "-m", "skaucx", "metrics") as interrupted:
        assert any(b"numpy" in line for line in interrupted.stderr)
        interrupted.send_signal(signal.SIGINT)
        told = interrupted.communicate()[1].decode()
    assert "Traceback" not in told, told
    assert interrupted.returncode in (130, -signal.SIGINT)
    if os.path.exists("/dev/full"):
        call = [sys.executable, "-m", "skaucx", "metrics"]
        with open("/dev/full", "w") as full:
            done = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr.count(b"\n")) == (1, 1), done.stderr
