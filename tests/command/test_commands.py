"""The commands compare, metrics and report, by what they print and how they end."""

from __future__ import annotations

import json
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


@pytest.fixture
def files(tmp_path):
    """Two files, the second in another order of rows."""
    names = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    A.to_csv(names[0], index=False)
    B.sample(frac=1, random_state=1).to_csv(names[1], index=False)
    return names


def printed(capsys, *arguments):
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def failed(capsys, *arguments, code=1):
    assert main(list(arguments)) == code
    found = capsys.readouterr()
    assert not found.out
    return found.err


def test_compare_is_the_tests_of_the_package(files, capsys):
    names = "roc_auc,brier_score_loss,accuracy,recall,ks"
    out = printed(
        capsys, "compare", *files, *COMMON, "--pred", "called", "--id", "id", "--json",
        "--metrics", names, "--n-resamples", "200",
    )  # fmt: skip
    found = json.loads(out)
    y, p = A["y"], {"pos_label": "ill"}
    options = {"n_resamples": 200, "random_state": 0}
    wanted = {
        "roc_auc": delong_test(y, A["p"], B["p"], **p),
        "brier_score_loss": paired_test("brier_score", y, A["p"], B["p"], **p),
        "accuracy": paired_test("accuracy", y, A["called"], B["called"]),
        "recall": paired_test("recall", y, A["called"], B["called"], **options, **p),
        "ks": paired_test("ks", y, A["p"], B["p"], **options, **p, method="bootstrap"),
    }
    assert list(found) == names.split(",")
    for name, test in wanted.items():
        assert found[name]["difference"] == pytest.approx(test.difference, rel=1e-12)
        assert found[name]["p_value"] == pytest.approx(test.p_value, rel=1e-12)
        assert found[name]["interval"] == pytest.approx(test.interval)
    shown = printed(capsys, "compare", *files, *COMMON, "--id", "id", "--n-resamples", "50")
    assert "A - B" in shown
    assert "not adjusted" in shown
    assert "Target: these predictions" in shown
    drawn = printed(capsys, "compare", *files, *COMMON, "--id", "id", "--metrics", "ks")
    assert "Target: these predictions; 2000 resamples, seed 0." in drawn
    assert "\x1b" not in shown


@pytest.mark.parametrize("columns", [60, 80])
def test_a_comparison_folds_to_the_terminal(files, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    more = "--pred", "called", "--id", "id", "--n-resamples", "50"
    out = printed(capsys, "compare", *files, *COMMON, *more)
    lines = out[out.index("metric ") :].splitlines()
    assert max(map(len, lines)) <= columns
    scores = ["roc_auc", "average_precision", "brier_score_loss"]
    names = [*scores, "accuracy", "recall", "specificity"]
    assert [line.split()[0] for line in lines if line][1:7] == names  # in full, as `evaluate` does
    assert "..." not in out


def test_compare_with_groups(files, capsys):
    out = printed(
        capsys, "compare", *files, *COMMON, "--id", "id", "--groups", "site", "--metrics", "roc_auc",
        "--json",
    )  # fmt: skip
    test = delong_test(A["y"], A["p"], B["p"], pos_label="ill", groups=A["site"])
    assert json.loads(out)["roc_auc"]["p_value"] == pytest.approx(test.p_value, rel=1e-12)


def test_compare_names_file_row_and_column(files, tmp_path, capsys):
    told = failed(capsys, "compare", *files, *COMMON)
    assert "in column 'y' where" in told
    assert "in the same order or matched by --id" in told
    short = str(tmp_path / "short.csv")
    A[:-3].to_csv(short, index=False)
    assert "has 200 rows and" in failed(capsys, "compare", files[0], short, *COMMON)
    twice = str(tmp_path / "twice.csv")
    A.assign(id="p1").to_csv(twice, index=False)
    told = failed(capsys, "compare", twice, files[0], *COMMON, "--id", "id")
    assert f"{twice} has 'p1' more than once" in told
    told = failed(capsys, "compare", files[0], twice, *COMMON, "--id", "id")
    assert f"{twice} has 'p1' in column 'id' where" in told
    hole = str(tmp_path / "hole.csv")
    A.assign(p=A["p"].where(A.index != 7)).to_csv(hole, index=False)
    told = failed(capsys, "compare", hole, files[1], *COMMON)
    assert "hole.csv, row 7 (line 9), column 'p': the value is missing" in told
    told = failed(capsys, "compare", *files, *COMMON, "--id", "id", "--metrics", "recall")
    assert "recall needs y_pred; name its column" in told


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
    some = json.loads(printed(capsys, "metrics", "calibration", "--json"))
    assert {"calibration_slope", "binned_calibration_error"} <= {row["name"] for row in some}
    assert "precision" in failed(capsys, "metrics", "precisoin")


def test_report(files, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    page = tmp_path / "page.html"
    out = printed(capsys, "report", files[0], *COMMON, "-o", str(page), "--metrics", "roc_auc")
    assert str(page) in out
    assert "<!DOCTYPE html>" in page.read_text(encoding="utf-8")
    more = "--pred", "called", "-o", str(page), "--threshold", "0.4"
    assert "0.4" in failed(capsys, "report", files[0], *COMMON, *more)
    nowhere = str(tmp_path / "none" / "page.html")
    assert "No such file" in failed(capsys, "report", files[0], *COMMON, "-o", nowhere)


@pytest.mark.parametrize(
    "words",
    [["compare"], ["evaluate", __file__], ["nothing"], ["study"], ["metrics", "--jsn"]],
)
def test_wrong_arguments_end_with_2(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"skaucx {skaucx.__version__}\n"


def test_a_command_imports_no_other_and_help_no_library():
    """The time of a small file is that of the imports."""
    lines = (
        "import sys; from skaucx.command.main import main",
        "try: main({!r})",
        "except SystemExit: pass",
        "print([name for name in {!r} if name in sys.modules])",
    )
    for words, absent in (
        (["--help"], ["sklearn", "scipy", "skaucx.study", "skaucx.regression"]),
        (["evaluate", "--help"], ["matplotlib", "skaucx.study"]),
    ):
        code = "\n".join(lines).format(words, absent)
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]", words


@pytest.mark.parametrize("command", ["evaluate", "compare", "report", "metrics"])
def test_every_command_has_help_of_80_columns(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert len(told) > 200
    assert max(map(len, told.splitlines())) <= 80


def test_an_interrupt_ends_with_130(monkeypatch, capsys):
    def stop(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("skaucx.command.metrics.list_metrics", stop)
    assert "interrupted" in failed(capsys, "metrics", code=130)
