"""The command line reads Parquet and CSV files and prints what `evaluate` finds."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from skaucx.command.main import main
from skaucx.evaluation import evaluate

pytestmark = pytest.mark.presentation

pytest.importorskip("pyarrow")

RNG = np.random.default_rng(0)
N = 1500
TRUTH = RNG.random(N) < 0.3
FRAME = pd.DataFrame(
    {
        "label": np.where(TRUTH, "yes", "no"),
        "p": np.clip(RNG.normal(0.3 + 0.3 * TRUTH, 0.2), 0, 1),
        "site": RNG.choice(["north", "south"], N),
        "w": RNG.exponential(size=N),
    }
)
FRAME.loc[TRUTH.argmax(), "p"] = 0  # an event that was ruled out has no slope
FRAME["yhat"] = np.where(FRAME["p"] > 0.5, "yes", "no")
NAMES = ["roc_auc", "mm7_auc", "recall", "log_loss"]


@pytest.fixture(params=["parquet", "csv"])
def path(request, tmp_path):
    """Two files of one form."""
    paths = [str(tmp_path / f"{k}.{request.param}") for k in range(2)]
    for part, name in zip((FRAME.iloc[:900], FRAME.iloc[900:]), paths, strict=True):
        if request.param == "csv":
            part.to_csv(name, index=False)
        else:
            part.to_parquet(name)
    return paths


REFUSED = {
    "--sample-weight w": "Nothing to evaluate",
    "--true z --pred yhat": "has no column 'z'; its columns are label, p",
    "--score p --metrics rok_auc": "rok_auc",
    "--score p --positive maybe": "pos_label 'maybe' is none of the labels no, yes",
    "--score p --metrics f1": "f1.* needs y_pred",
    "--pred yhat --metrics roc_auc": "needs y_score",
    "--score p --average sideways": "sideways",
    "--score p --confidence-level 95 --intervals": "confidence_level.* 95",
    "--score p --intervals --n-resamples -3 --metrics mm7_auc": "n_resamples.* -3",
    "--score p --threshold 50": "threshold.* 50",
    "--score p --pred yhat --threshold 0.5 --metrics f1": "found neither",
    "--score p --metrics fbeta --pred yhat": "beta",
    "--score p --by nothing": "no column 'nothing'",
}


@pytest.mark.parametrize("words", REFUSED)
def test_a_refused_call_reads_no_row(words, path, capsys):
    assert main(["evaluate", *path, "--true", "label", "--positive", "yes", *words.split()]) == 1
    assert re.search(REFUSED[words], capsys.readouterr().err)


def test_decimals_are_numbers(tmp_path, capsys):
    pa = pytest.importorskip("pyarrow")
    p = pa.array(np.round(FRAME["p"].to_numpy(), 3)).cast(pa.decimal128(20, 17))
    pytest.importorskip("pyarrow.parquet").write_table(
        pa.table({"y": TRUTH, "p": p}), tmp_path / "exact.parquet"
    )
    call = ["--true", "y", "--score", "p", "--metrics", "roc_auc", "--json"]
    assert main(["evaluate", str(tmp_path / "exact.parquet"), *call]) == 0
    wanted = evaluate(TRUTH, y_score=np.round(FRAME["p"], 3), metrics=["roc_auc"])
    assert json.loads(capsys.readouterr().out)["roc_auc"] == pytest.approx(wanted["roc_auc"])


ASKED = [
    "--true", "label", "--score", "p", "--pred", "yhat", "--positive", "yes",
    "--metrics", ",".join(NAMES),
]  # fmt: skip


def in_memory(rows, weight=None):
    return evaluate(
        rows["label"], rows["yhat"], rows["p"], metrics=NAMES, pos_label="yes", sample_weight=weight
    )


def test_json(path, capsys):
    assert main(["evaluate", *path, *ASKED, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == pytest.approx(dict(in_memory(FRAME)), rel=1e-12)


def test_bad_rows_are_named(tmp_path, capsys):
    name = str(tmp_path / "bad.parquet")
    FRAME.assign(p=FRAME["p"].where(FRAME.index != 500)).to_parquet(name)
    assert main(["evaluate", name, *ASKED]) == 1
    assert "bad.parquet, row 500, column 'p': the value is missing" in capsys.readouterr().err
    assert main(["evaluate", str(tmp_path / "none.parquet"), *ASKED]) == 1
    assert "none.parquet: data: there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["evaluate", "report", "compare"])
@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("p", "high", r"row 6 (line 8), column 'p': 'high' is not a number."),
        ("p", None, r"row 6 (line 8), column 'p': the value is missing"),
        ("w", "much", r"row 6 (line 8), column 'w': 'much' is not a number."),
        ("label", None, r"row 6 (line 8), column 'label': the value is missing"),
        ("yhat", None, r"row 6 (line 8), column 'yhat': the value is missing"),
    ],
)
def test_bad_cells_are_named(command, column, value, message, tmp_path, capsys):
    rows = FRAME.iloc[:20].astype({"p": object, "w": object})
    rows.loc[6, column] = value
    name = str(tmp_path / "bad.csv")
    rows.to_csv(name, index=False)
    more = {"evaluate": [], "report": ["-o", str(tmp_path / "page.html")], "compare": [name]}
    assert main([command, name, *more[command], *ASKED[:-2], "--weight", "w"]) == 1
    assert f"bad.csv, {message}" in capsys.readouterr().err


def test_messages_name_parameters_which_are_options(path, tmp_path, capsys):
    assert main(["evaluate", *path, "--true", "label", "--pred", "yhat"]) == 1
    assert "'no', 'yes'} is the positive class" in (told := capsys.readouterr().err)
    assert "pass pos_label" in told
    assert main(["evaluate", *path, *ASKED[:-2]]) == 0
    assert "calibration_slope" in capsys.readouterr().err  # a p of an event is 0
    name = tmp_path / "parted.csv"
    FRAME.iloc[:9].to_csv(name, index=False, sep=";")
    assert main(["evaluate", str(name), *ASKED]) == 1
    assert "parted by ';'" in capsys.readouterr().err


@pytest.mark.parametrize("by", [None, "site"])
def test_intervals(path, by, capsys):
    """Those of rows in memory, as text and as JSON, of all rows or of each group."""
    names = ["roc_auc", "recall", "sond_auc"]
    asked = [*ASKED[:-1], ",".join(names), "--intervals", "--confidence-level", "0.9"]
    asked += ["--by", by] if by else []
    given = {"metrics": names, "pos_label": "yes", "intervals": True, "confidence_level": 0.9}
    groups = FRAME["site"] if by else None
    wanted = evaluate(FRAME["label"], FRAME["yhat"], FRAME["p"], by=groups, **given)
    assert main(["evaluate", *path, *asked]) == 0
    assert capsys.readouterr().out == f"{wanted}\n"
    assert main(["evaluate", *path, *asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    for found, own in [(told[k], wanted[k]) for k in wanted] if by else [(told, wanted)]:
        for name in names:
            held = own.intervals[name]
            record = found[name]["interval"]
            np.testing.assert_allclose(
                [record["low"], record["high"]], [held.low, held.high], rtol=1e-9
            )
            assert (record["method"], record["confidence_level"]) == (held.method, 0.9)
            assert found[name]["value"] == pytest.approx(own[name], rel=1e-12)


def test_groups_and_a_threshold(path, capsys):
    """Those of evaluate on the rows in memory."""
    frame = FRAME.assign(patient=np.arange(N) // 4)
    for part, name in zip((frame.iloc[:900], frame.iloc[900:]), path, strict=True):
        part.to_csv(name, index=False) if name.endswith("csv") else part.to_parquet(name)
    words = ["--true", "label", "--score", "p", "--positive", "yes", "--threshold", "0.25"]
    words += ["--metrics", "f1,net_benefit,roc_auc", "--groups", "patient"]
    assert main(["evaluate", *path, *words, "--intervals", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    pred = np.where(FRAME["p"] >= 0.25, "yes", "no")
    wanted = evaluate(
        FRAME["label"], pred, FRAME["p"], ["f1", "net_benefit", "roc_auc"], pos_label="yes",
        groups=frame["patient"], threshold=0.25, intervals=True, random_state=0,
    )  # fmt: skip
    rows = evaluate(
        FRAME["label"], pred, FRAME["p"], ["f1", "roc_auc"], pos_label="yes", intervals=True
    )
    for name, value in wanted.items():
        own = found[name]["interval"]
        assert found[name]["value"] == pytest.approx(value, rel=1e-9)
        limits = wanted.intervals[name]
        np.testing.assert_allclose([own["low"], own["high"]], [limits.low, limits.high], rtol=1e-9)
        assert own["method"] == limits.method
    assert found["roc_auc"]["interval"]["low"] != rows.intervals["roc_auc"].low


def test_labels_of_every_type_are_read_alike_from_parquet_and_csv(tmp_path, capsys):
    """Types come from the schema: 1 and true are positive; other columns don't count."""
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = (rng.random(200) < p).astype(int)
    frame = pd.DataFrame(
        {"i64": y, "i8": y.astype("int8"), "u8": y.astype("uint8"), "u64": y.astype("uint64"),
         "bool": y == 1, "float": y.astype(float), "nullable": pd.array(y, dtype="Int64"),
         "category": pd.Categorical(y), "p": p, "other": [["a"]] * 200}
    )  # fmt: skip
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "a.csv", index=False)
    for kind in frame.columns[:-2]:
        answers = set()
        for end in ("parquet", "csv"):
            words = ["evaluate", str(tmp_path / f"a.{end}"), "--true", kind, "--score", "p"]
            assert main([*words, "--metrics", "roc_auc", "--json"]) == 0, (kind, end)
            answers.add(capsys.readouterr().out)
        assert len(answers) == 1, kind
    # A label that is a whole number in one file and a fraction in the other one stays one label.
    frame.to_parquet(tmp_path / "b.parquet")
    words = [str(tmp_path / name) for name in ("a.parquet", "b.parquet", "a.csv")]
    assert main(["evaluate", *words, "--true", "i8", "--score", "p", "--json"]) == 0


@pytest.mark.parametrize(
    ("true", "pred", "right"),
    [
        ([True, False], [1, 1], 0.5),
        (["yes", "no"], [1, 0], None),
        (["1.0", "x"], ["1", "0"], None),
        (["true", "x"], ["True", "False"], None),
        ([True, False], ["True", "x"], 0.5),
        (["1.0", "2"], ["01", "2"], 1.0),
        (["true", "1"], ["1", "1"], 0.5),
        ([2, 1], [True, True], 0.5),
    ],
)
def test_columns_of_words_without_a_common_one_are_refused(true, pred, right, tmp_path, capsys):
    name = str(tmp_path / "rows.csv")
    pd.DataFrame({"y": true * 20, "c": pred * 20}).to_csv(name, index=False)
    code = main(["evaluate", name, "--true", "y", "--pred", "c", "--metrics", "accuracy", "--json"])
    told = capsys.readouterr()
    if right is None:
        assert code == 1
        for held in ("column 'y'", "column 'c'", "text", repr(str(true[0])), repr(str(pred[0]))):
            assert held in told.err
    else:
        assert json.loads(told.out) == {"accuracy": right}


def test_names_with_commas_line_breaks_groups_in_order_and_other_endings(tmp_path, capsys):
    rows = [(k % 2, (k * 37 % 100) / 100, "a\nb, c\n\n" * 12, 12 - k % 3) for k in range(9000)]
    frame = pd.DataFrame(rows, columns=["y", "p,1", "text", "g"])
    frame.to_csv(tmp_path / "p.csv", index=False)
    call = [str(tmp_path / "p.csv"), "--y-true", "y", "--y-score", '"p,1"', "--threshold", "0.5"]
    assert main(["evaluate", *call, "--metrics", "recall roc_auc", "--by", "g", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["10", "11", "12"]
    one = frame[frame["g"] == 10]
    assert found["10"]["recall"] == pytest.approx((one["p,1"][one["y"] == 1] >= 0.5).mean())
    (tmp_path / "p.tsv").write_text("y\tp\n1\t0.5\n")
    assert main(["evaluate", str(tmp_path / "p.tsv"), "--true", "y", "--score", "p"]) == 1
    assert "names of files end in .csv, .csv.gz, .parquet" in capsys.readouterr().err


def test_lists_are_parted_by_blanks_or_commas(tmp_path, capsys):
    """Columns named by the classes are read by their names, in any order."""
    p = RNG.dirichlet(np.ones(3), 90)
    frame = pd.DataFrame(p, columns=["low", "medium", "high"])
    frame["y"] = np.array(["low", "medium", "high"])[[RNG.choice(3, p=row) for row in p]]
    frame.to_csv(name := str(tmp_path / "p.csv"), index=False)
    wanted = evaluate(
        frame["y"], y_score=frame[["high", "low", "medium"]].to_numpy(), metrics="log_loss"
    )
    for listed in (["low", "medium", "high"], ["high,low,medium"], ["medium", "high,low"]):
        call = ["evaluate", name, "--y-true", "y", "--y-score", *listed, "--metrics", "log_loss"]
        assert main([*call, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == pytest.approx(dict(wanted))


@pytest.mark.parametrize("by", [None, "site"])
def test_rows_of_large_files_are_counted(path, by, capsys, monkeypatch):
    """Exactly, with the numbers of rows in memory; cells of digits are bounded, and said."""
    asked = [
        "--true",
        "label",
        "--score",
        "p",
        "--positive",
        "yes",
        "--threshold",
        ".4",
        "--intervals",
    ]
    asked += ["--metrics", "roc_auc", "log_loss", "f1", *(["--by", by] if by else [])]
    assert main(["evaluate", *path, *asked]) == 0
    memory = capsys.readouterr().out
    monkeypatch.setattr("skaucx.command.evaluate._LARGE", 0)
    assert main(["evaluate", *path, *asked]) == 0
    assert capsys.readouterr().out == memory
    assert main(["evaluate", *path, *asked, "--digits", "2"]) == 0
    told = capsys.readouterr().out
    assert "roc_auc have a low and a high value" in " ".join(told.split())
    assert told.endswith("Rows are counted in cells of 2 decimals of the score.\n")
    assert main(["evaluate", *path, *asked, "--digits", "2", "--weight", "w"]) == 1
    assert "leave out sample_weight" in capsys.readouterr().err
