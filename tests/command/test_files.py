"""The command `evaluate` prints what `evaluate` finds; a bad file ends in one clear line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from skaucx.evaluation import evaluate
from tests.command.test_commands import answer, ended, failed, printed

pytestmark = pytest.mark.presentation

RNG = np.random.default_rng(0)
N = 600
SICK = RNG.random(N) < 0.4
FRAME = pd.DataFrame(
    {
        "y": np.where(SICK, "ill", "well"),
        "p": np.clip(RNG.normal(0.3 + 0.3 * SICK, 0.2), 0.01, 0.99),
        "site": RNG.choice(["north", "south"], N),
        "w": RNG.exponential(size=N),
        "patient": np.arange(N) // 4,
    }
)
FRAME["c"] = np.where(FRAME["p"] > 0.5, "ill", "well")
RISKS = ["--true", "y", "--score", "p", "--positive", "ill"]
ASKED = [*RISKS, "--pred", "c"]
QUICK = ["--metrics", "roc_auc,accuracy"]


def written(path, frame):
    """Write a file of the kind that its name says, and return its path."""
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
    return path


def rows_of(folder, y, **columns):
    return written(folder / "rows.csv", pd.DataFrame({"y": y, **columns}))


@pytest.fixture(params=["parquet", "csv"])
def path(request, tmp_path):
    """Two files of one form."""
    parts = {"a": FRAME.iloc[:400], "b": FRAME.iloc[400:]}
    return [written(tmp_path / f"{k}.{request.param}", part) for k, part in parts.items()]


@pytest.mark.parametrize("by", [None, "site"])
def test_evaluate_prints_what_evaluate_finds(path, by, capsys):
    """Weighted values and intervals, as text and as JSON, of all rows or of each group."""
    names = ["roc_auc", "recall", "sond_auc", "log_loss"]
    call = ["evaluate", *path, *ASKED, "--metrics", ",".join(names), *(["--by", by] if by else [])]
    groups = FRAME["site"] if by else None
    wanted = evaluate(
        FRAME["y"], FRAME["c"], FRAME["p"], metrics=names, by=groups, pos_label="ill",
        sample_weight=FRAME["w"], intervals=True, confidence_level=0.9,
    )  # fmt: skip
    call += ["--weight", "w"]
    sure = ["--intervals", "--confidence-level", "0.9"]
    assert printed(capsys, *call, *sure) == f"{wanted}\n"
    told, values = answer(capsys, *call, *sure), answer(capsys, *call)
    if by is None:
        told, values, wanted = {0: told}, {0: values}, {0: wanted}
    for group, own in wanted.items():
        assert values[group] == pytest.approx(dict(own), rel=1e-12)
        for name in names:
            held, record = own.intervals[name], told[group][name]["interval"]
            limits = [record["low"], record["high"]]
            np.testing.assert_allclose(limits, [held.low, held.high], rtol=1e-9)
            assert (record["method"], record["confidence_level"]) == (held.method, 0.9)
            assert told[group][name]["value"] == pytest.approx(own[name], rel=1e-12)


def test_groups_and_a_threshold(path, capsys):
    """Those of evaluate on the rows in memory."""
    names = ["f1", "net_benefit", "roc_auc"]
    more = ["--groups", "patient", "--threshold", "0.25", "--metrics", *names, "--intervals"]
    found = answer(capsys, "evaluate", *path, *RISKS, *more)
    pred = np.where(FRAME["p"] >= 0.25, "ill", "well")
    wanted = evaluate(
        FRAME["y"], pred, FRAME["p"], names, pos_label="ill", groups=FRAME["patient"],
        threshold=0.25, intervals=True, random_state=0,
    )  # fmt: skip
    for name, value in wanted.items():
        own, held = found[name]["interval"], wanted.intervals[name]
        assert found[name]["value"] == pytest.approx(value, rel=1e-9)
        np.testing.assert_allclose([own["low"], own["high"]], [held.low, held.high], rtol=1e-9)
        assert own["method"] == held.method
    rows = evaluate(FRAME["y"], None, FRAME["p"], ["roc_auc"], pos_label="ill", intervals=True)
    assert found["roc_auc"]["interval"]["low"] != rows.intervals["roc_auc"].low


@pytest.mark.parametrize("by", [None, "site"])
def test_rows_of_large_files_are_counted(path, by, capsys, monkeypatch):
    """Exactly, with the numbers of rows in memory; cells of digits are bounded, and said."""
    more = ["--threshold", ".4", "--intervals", "--metrics", "roc_auc", "log_loss", "f1"]
    call = ["evaluate", *path, *RISKS, *more, *(["--by", by] if by else [])]
    memory = printed(capsys, *call)
    monkeypatch.setattr("skaucx.command.evaluate._LARGE", 0)
    assert printed(capsys, *call) == memory
    told = printed(capsys, *call, "--digits", "2")
    assert "roc_auc have a low and a high value" in " ".join(told.split())
    assert told.endswith("Rows are counted in cells of 2 decimals of the score.\n")
    refused = failed(capsys, *call, "--digits", "2", "--weight", "w")
    assert "leave out sample_weight" in refused


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--sample-weight w", "Nothing to evaluate"),
        ("--pred c --metrics roc_auc", "needs y_score"),
        ("--score p --average sideways", "sideways"),
        ("--score p --intervals --n-resamples -3 --metrics mm7_auc", "-3"),
        ("--score p --pred c --threshold 0.5 --metrics f1", "found neither"),
        ("--score p --metrics fbeta --pred c", "beta"),
        ("--score p --by nothing", "no column 'nothing'"),
    ],
)
def test_a_refused_call_says_why(words, told, tmp_path, capsys):
    file = written(tmp_path / "rows.parquet", FRAME)
    call = ["evaluate", file, "--true", "y", "--positive", "ill", *words.split()]
    assert told in failed(capsys, *call)


@pytest.mark.parametrize("command", ["evaluate", "report", "compare"])
@pytest.mark.parametrize(
    ("column", "value", "told"),
    [("p", "high", "'high' is not a number."), ("p", None, "the value is missing"),
     ("w", "much", "'much' is not a number."), ("y", None, "the value is missing"),
     ("c", None, "the value is missing")],
)  # fmt: skip
def test_bad_cells_are_named(command, column, value, told, tmp_path, capsys):
    rows = FRAME.iloc[:20].astype({"p": object, "w": object})
    rows.loc[6, column] = value
    file = written(tmp_path / "bad.csv", rows)
    more = {"evaluate": [], "report": ["-o", tmp_path / "page.html"], "compare": [file]}
    said = failed(capsys, command, file, *more[command], *ASKED, "--weight", "w")
    assert f"bad.csv, row 6 (line 8), column '{column}': {told}" in said
    if value is None:
        file = written(tmp_path / "bad.parquet", FRAME.assign(**{column: rows[column]}))
        said = failed(capsys, "evaluate", file, *ASKED, "--weight", "w")
        assert f"bad.parquet, row 6, column '{column}': {told}" in said


def test_bad_files_end_in_one_clear_line(tmp_path, capsys):
    """Damaged, foreign and ambiguous files of every kind, to every command that reads files."""
    frame = FRAME.iloc[:60]
    good = frame.to_csv(index=False).encode()
    whole = written(tmp_path / "good.parquet", frame).read_bytes()
    bad = {
        "twice.csv": frame.rename(columns={"site": "y"}).to_csv(index=False).encode(),
        "parted.csv": frame.to_csv(index=False, sep=";").encode(),
        "binary.csv": bytes(range(256)) * 40,
        "zeros.csv": b"\0" * 4000,
        "latin.csv": good.replace(b"ill", "ill\xe9".encode("latin-1")),
        "latin_head.csv": good.replace(b"site", b"s\xeft", 1),
        "empty.csv": b"",
        "head.csv": good.partition(b"\n")[0] + b"\n",
        "ragged.csv": good + b"a,b\n",
        "escape.csv": b"y\x1b[2J,p\n1,2\n",
        "wide.csv": ",".join(f"column{i}" for i in range(9000)).encode() + b"\n",
        "no.csv.gz": good,
        "tabs.tsv": frame.to_csv(index=False, sep="\t").encode(),
        "binary.parquet": bytes(range(256)) * 40,
        "snappy.parquet": whole[:4] + b"\xff" * 196 + whole[200:],
        "cut.parquet": whole[:-40],
        "empty.parquet": b"",
    }
    said = {}
    for name, content in bad.items():
        file = tmp_path / name
        file.write_bytes(content)
        for words in (["evaluate"], ["compare", file], ["report", "-o", tmp_path / "page.html"]):
            told = said[name] = failed(capsys, words[0], file, *words[1:], *ASKED)
            assert name in told, (name, words, told)
            assert told.count("\n") == 1, (name, words, told)
            assert told.rstrip("\n").isprintable(), (name, words, told)
            assert len(told) < 1000, (name, words, len(told))
            assert file.read_bytes() == content
            assert not (tmp_path / "page.html").exists()
    assert "several columns 'y'" in said["twice.csv"]
    assert "parted by ';'" in said["parted.csv"]
    assert "names of files end in .csv, .csv.gz, .parquet" in said["tabs.tsv"]
    assert "Standard input" in failed(capsys, "evaluate", "-", *ASKED)


def test_no_control_character_of_a_file_reaches_the_terminal(tmp_path, capsys):
    evil = "a\x1b[31m\x07\x9b2J"
    frame = FRAME.iloc[:60].replace("ill", evil).assign(site=evil)
    file = written(tmp_path / f"x{evil[1:4]}.csv", frame)
    given = ["--true", "y", "--score", "p", "--pred", "c", "--positive", evil]
    for words in (
        ["evaluate", file, *given, *QUICK, "--by", "site"], ["evaluate", file, *given],
        ["compare", file, file, *given, *QUICK], ["evaluate", file, *given[:-1], "x"],
        ["evaluate", file, *given[:-2]], ["metrics", evil],
    ):  # fmt: skip
        _, out, err = ended(capsys, *words)
        assert not set("\x1b\x07\x9b") & set(out + err), words


def accuracy(capsys, *files):
    call = ["evaluate", *files, "--true", "y", "--pred", "c", "--metrics", "accuracy"]
    return answer(capsys, *call)["accuracy"]


def test_labels_that_are_not_safely_numbers_stay_text(tmp_path, capsys):
    """Different words are never the same label, and numbers stay numbers."""
    long = "12345678901234567890"
    different = [
        ("01", "1"), (long, long[:-1] + "1"), ("9223372036854775808", "9223372036854775809"),
        ("18446744073709551615", "18446744073709551614"), ("9007199254740993", "9007199254740992"),
        ("1.10", "1.1"), ("1e3", "1000"), ("+1", "1"), ("0x1", "1"), (" 1", "1"),
        ("0.1234567890123456789", "0.1234567890123456788"), ("2024-01-01", "2024-1-1"),
    ]  # fmt: skip
    for a, b in different:
        for y, c in (([a, b] * 20, [a, a] * 20), ([a] * 40, [b] * 20 + [a] * 20)):
            assert accuracy(capsys, rows_of(tmp_path, y, c=c)) == 0.5, (a, b)
    # 1 of {0, 1} is the positive class of numbers.
    file = rows_of(tmp_path, [1, 0] * 20, p=[0.9, 0.1] * 20)
    call = ["evaluate", file, "--true", "y", "--score", "p", "--metrics", "roc_auc"]
    assert answer(capsys, *call) == {"roc_auc": 1.0}


@pytest.mark.parametrize(
    ("true", "pred", "right"),
    [
        ([True, False], [1, 1], 0.5), (["1", "0"], ["1.0", "1.0"], 0.5), ([2, 1], [True, True], 0.5),
        (["true", "false"], ["True", "True"], 0.5), ([True, False], ["True", "x"], 0.5),
        (["1.0", "2"], ["01", "2"], 1.0), (["true", "1"], ["1", "1"], 0.5),
        (["yes", "no"], [1, 0], None), (["1.0", "x"], ["1", "0"], None),
        (["true", "x"], ["True", "False"], None),
    ],
)  # fmt: skip
def test_columns_of_words_without_a_common_one_are_refused(true, pred, right, tmp_path, capsys):
    file = rows_of(tmp_path, true * 20, c=pred * 20)
    if right is not None:
        assert accuracy(capsys, file) == right
        return
    told = failed(capsys, "evaluate", file, "--true", "y", "--pred", "c", "--metrics", "accuracy")
    for held in ("column 'y'", "column 'c'", "text", repr(str(true[0])), repr(str(pred[0]))):
        assert held in told


def test_types_are_those_of_the_whole_file_and_of_all_files(tmp_path, capsys):
    """A word at the end, in a second file or in Parquet makes all labels text."""
    late = rows_of(tmp_path, ["1"] * 199 + ["01"], c=["1"] * 200)
    assert accuracy(capsys, late) == 0.995
    big = np.array([2**63, 2**63 + 1] * 20, dtype=np.uint64)
    wide = pd.DataFrame({"y": big, "c": np.repeat(big[:1], 40)})
    assert accuracy(capsys, written(tmp_path / "wide.parquet", wide)) == 0.5
    small = pd.DataFrame({"y": np.array([0, 1] * 20, np.uint64), "c": [0, 0] * 20})
    file = written(tmp_path / "small.parquet", small)
    call = ["evaluate", file, "--true", "y", "--pred", "c", "--metrics", "recall"]
    assert answer(capsys, *call) == {"recall": 0.0}
    assert accuracy(capsys, file, late) == (20 + 199) / 240
    numbered = FRAME.assign(id=[f"{2**64 + i}" for i in range(N)])
    a, b = (written(tmp_path / f"{k}.csv", numbered[::step]) for k, step in (("a", 1), ("b", -1)))
    found = answer(capsys, "compare", a, b, *ASKED, "--id", "id", *QUICK)
    assert found["roc_auc"]["difference"] == 0


def test_labels_of_every_type_are_read_alike_from_parquet_and_csv(tmp_path, capsys):
    """Types come from the schema: 1 and true are positive; other columns don't count."""
    y = SICK.astype(int)
    frame = pd.DataFrame(
        {"i64": y, "i8": y.astype("int8"), "u8": y.astype("uint8"), "u64": y.astype("uint64"),
         "bool": y == 1, "float": y.astype(float), "nullable": pd.array(y, dtype="Int64"),
         "category": pd.Categorical(y), "p": FRAME["p"], "other": [["a"]] * N}
    )  # fmt: skip
    files = [written(tmp_path / f"a.{end}", frame) for end in ("parquet", "csv")]
    wanted = pytest.approx(evaluate(y, y_score=FRAME["p"], metrics=["roc_auc"])["roc_auc"])
    for kind in frame.columns[:-2]:
        for file in files:
            call = ["evaluate", file, "--true", kind, "--score", "p", "--metrics", "roc_auc"]
            assert answer(capsys, *call)["roc_auc"] == wanted, (kind, file)
    assert answer(capsys, "evaluate", *files, "--true", "i8", *call[4:])["roc_auc"] == wanted
    exact = pa.array(np.round(FRAME["p"], 3)).cast(pa.decimal128(20, 17))
    parquet.write_table(pa.table({"y": SICK, "p": exact}), tmp_path / "exact.parquet")
    call = ["evaluate", tmp_path / "exact.parquet", "--true", "y", *call[4:]]
    wanted = evaluate(SICK, y_score=np.round(FRAME["p"], 3), metrics=["roc_auc"])
    assert answer(capsys, *call) == pytest.approx(dict(wanted))


@pytest.mark.parametrize(
    ("texts", "positive"), [("1.0 0.0", "1"), ("1 0", "1.0"), ("true false", "true")]
)
def test_the_positive_class_is_named_as_it_is_written(texts, positive, tmp_path, capsys):
    file = rows_of(tmp_path, texts.split() * 20, c=texts.split()[:1] * 40)
    call = ["evaluate", file, "--true", "y", "--pred", "c", "--positive", positive]
    assert answer(capsys, *call, "--metrics", "recall") == {"recall": 1.0}


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_folders_are_read(form, tmp_path, capsys):
    """Folders, flat and deep, give what one file gives."""
    whole = written(tmp_path / "whole.csv", FRAME)
    flat, deep, empty = (tmp_path / name for name in ("flat", "deep", "empty"))
    empty.mkdir()
    for number, (site, rows) in enumerate(FRAME.groupby("site")):
        for folder in (flat, deep / site):
            folder.mkdir(parents=True, exist_ok=True)
            written(folder / f"part-{number}.{form}", rows)
    for mark in ("_SUCCESS", ".part-0.crc"):
        (flat / mark).write_bytes(b"")
    more = [*ASKED, *QUICK, "--by", "site"]
    wanted = answer(capsys, "evaluate", whole, *more)
    for folder in (flat, deep):
        assert answer(capsys, "evaluate", folder, *more) == wanted
    same = answer(capsys, "compare", deep, flat, *ASKED, *QUICK, "--groups", "site")
    assert same["roc_auc"]["difference"] == 0
    assert "without files" in failed(capsys, "evaluate", empty, *more)


def test_names_with_commas_line_breaks_and_groups_in_order(tmp_path, capsys):
    rows = [(k % 2, (k * 37 % 100) / 100, "a\nb, c\n\n" * 12, 12 - k % 3) for k in range(9000)]
    frame = pd.DataFrame(rows, columns=["y", "p,1", "text", "g"])
    file = written(tmp_path / "p.csv", frame)
    call = ["evaluate", file, "--y-true", "y", "--y-score", '"p,1"', "--threshold", "0.5"]
    found = answer(capsys, *call, "--metrics", "recall roc_auc", "--by", "g")
    assert list(found) == ["10", "11", "12"]
    one = frame[frame["g"] == 10]
    assert found["10"]["recall"] == pytest.approx((one["p,1"][one["y"] == 1] >= 0.5).mean())


def test_lists_are_parted_by_blanks_or_commas(tmp_path, capsys):
    """Columns named by the classes are read by their names, in any order."""
    names = np.array(["high", "low", "medium"])
    p = RNG.dirichlet(np.ones(3), 90)
    y = names[np.arange(90) % 3]
    file = rows_of(tmp_path, y, **dict(zip(names, p.T, strict=True)))
    wanted = dict(evaluate(y, y_score=p, metrics="log_loss"))
    for listed in (["low", "medium", "high"], ["high,low,medium"], ["medium", "high,low"]):
        call = ["evaluate", file, "--y-true", "y", "--y-score", *listed, "--metrics", "log_loss"]
        assert answer(capsys, *call) == pytest.approx(wanted)
