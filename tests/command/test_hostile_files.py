"""What hostile or unusual files and pipes make of the command line: one clear line, nothing lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from skaucx.command.main import main

pytestmark = pytest.mark.presentation

pyarrow = pytest.importorskip("pyarrow")

RNG = np.random.default_rng(0)
N = 60
SICK = RNG.random(N) < 0.4
FRAME = pd.DataFrame(
    {
        "y": np.where(SICK, "ill", "well"),
        "c": np.where(RNG.random(N) < 0.7, np.where(SICK, "ill", "well"), "ill"),
        "p": RNG.random(N).round(3),
        "site": np.where(np.arange(N) % 3, "north", "south"),
    }
)
ASKED = ["--true", "y", "--score", "p", "--pred", "c", "--positive", "ill"]
QUICK = ["--metrics", "roc_auc,accuracy"]


def ended(capsys, *words):
    """Return the exit code and what went to standard output and to standard error."""
    code = main([str(word) for word in words])
    found = capsys.readouterr()
    return code, found.out, found.err


def commands(folder, file):
    return {
        "evaluate": ["evaluate", file, *ASKED],
        "compare": ["compare", file, file, *ASKED],
        "report": ["report", file, *ASKED, "-o", folder / "page.html"],
    }


def truth(folder, texts, **columns):
    file = folder / "rows.csv"
    pd.DataFrame({"y": texts, **columns}).to_csv(file, index=False)
    return file


def test_bad_files_end_in_one_clear_line(tmp_path, capsys):
    """Damaged, foreign and ambiguous files of every kind, to every command that reads files."""
    good = FRAME.to_csv(index=False).encode()
    parquet = tmp_path / "good.parquet"
    FRAME.to_parquet(parquet, compression="snappy")
    stored = bytearray(parquet.read_bytes())
    stored[4:200] = b"\xff" * 196
    twice = FRAME.rename(columns={"site": "y"})
    bad = {
        "twice.csv": twice.to_csv(index=False).encode(),
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
        "binary.parquet": bytes(range(256)) * 40,
        "snappy.parquet": bytes(stored),
        "cut.parquet": bytes(parquet.read_bytes()[:-40]),
        "empty.parquet": b"",
    }
    for name, content in bad.items():
        file = tmp_path / name
        file.write_bytes(content)
        for command, words in commands(tmp_path, file).items():
            code, out, err = ended(capsys, *words)
            assert code == 1, (name, command)
            assert not out
            assert name in err, (name, command, err)
            assert err.count("\n") == 1, (name, command, err)
            assert err.rstrip("\n").isprintable(), (name, command, err)
            assert len(err) < 1000, (name, command, len(err))
            assert file.read_bytes() == content
            assert not (tmp_path / "page.html").exists()
    assert "several columns 'y'" in ended(capsys, "evaluate", tmp_path / "twice.csv", *ASKED)[2]
    code, _, err = ended(capsys, "evaluate", "-", *ASKED)
    assert (code, "Standard input" in err) == (1, True)


def test_labels_that_are_not_safely_numbers_stay_text(tmp_path, capsys):
    """Different words are never the same label, and numbers stay numbers."""

    def accuracy(y, c):
        file = truth(tmp_path, y, c=c)
        words = ["evaluate", file, "--true", "y", "--pred", "c", "--metrics", "accuracy", "--json"]
        code, out, err = ended(capsys, *words)
        assert code == 0, err
        return json.loads(out)["accuracy"]

    long = "12345678901234567890"
    different = [
        ("01", "1"), (long, long[:-1] + "1"), ("9223372036854775808", "9223372036854775809"),
        ("18446744073709551615", "18446744073709551614"), ("9007199254740993", "9007199254740992"),
        ("1.10", "1.1"), ("1e3", "1000"), ("+1", "1"), ("0x1", "1"), (" 1", "1"),
        ("0.1234567890123456789", "0.1234567890123456788"), ("2024-01-01", "2024-1-1"),
    ]  # fmt: skip
    for a, b in different:
        assert accuracy([a, b] * 20, [a, a] * 20) == 0.5, (a, b)
        assert accuracy([a] * 40, [b] * 20 + [a] * 20) == 0.5, (a, b)  # one spelling a column
    assert accuracy(["1", "0"] * 20, ["1.0", "1.0"] * 20) == 0.5
    assert accuracy(["true", "false"] * 20, ["True", "True"] * 20) == 0.5
    # 1 of {0, 1} is the positive class of numbers.
    file = truth(tmp_path, [1, 0] * 20, p=[0.9, 0.1] * 20)
    words = ["--true", "y", "--score", "p", "--metrics", "roc_auc", "--json"]
    assert json.loads(ended(capsys, "evaluate", file, *words)[1]) == {"roc_auc": 1.0}


def test_types_are_those_of_the_whole_file_and_of_all_files(tmp_path, capsys):
    """A word at the end, in a second file or in Parquet makes all labels text."""
    words = ["--true", "y", "--pred", "c", "--metrics", "accuracy", "--json"]
    late = truth(tmp_path, ["1"] * 199 + ["01"], c=["1"] * 200)
    assert json.loads(ended(capsys, "evaluate", late, *words)[1]) == {"accuracy": 0.995}
    wide = tmp_path / "wide.parquet"
    big = np.array([2**63, 2**63 + 1] * 20, dtype=np.uint64)
    pd.DataFrame({"y": big, "c": np.repeat(big[:1], 40)}).to_parquet(wide)
    assert json.loads(ended(capsys, "evaluate", wide, *words)[1]) == {"accuracy": 0.5}
    small = tmp_path / "small.parquet"
    pd.DataFrame({"y": np.array([0, 1] * 20, np.uint64), "c": [0, 0] * 20}).to_parquet(small)
    recall = ["--true", "y", "--pred", "c", "--metrics", "recall", "--json"]
    assert json.loads(ended(capsys, "evaluate", small, *recall)[1]) == {"recall": 0.0}
    code, out, err = ended(capsys, "evaluate", small, late, *words)
    assert code == 0, err
    assert json.loads(out) == {"accuracy": (20 + 199) / 240}
    ids = [f"{2**64 + i}" for i in range(N)]
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    FRAME.assign(id=ids).to_csv(a, index=False)
    FRAME.assign(id=ids)[::-1].to_csv(b, index=False)
    code, out, err = ended(capsys, "compare", a, b, *ASKED, "--id", "id", *QUICK, "--json")
    assert code == 0, err
    assert json.loads(out)["roc_auc"]["difference"] == 0


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_folders_are_read(form, tmp_path, capsys):
    """Folders, flat and deep, give what one file gives."""
    whole = tmp_path / "whole.csv"
    FRAME.to_csv(whole, index=False)
    flat, deep = tmp_path / "flat", tmp_path / "deep"
    for number, (site, rows) in enumerate(FRAME.groupby("site")):
        for folder in (flat, deep / site):
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"part-{number}.{form}"
            rows.to_csv(file, index=False) if form == "csv" else rows.to_parquet(file)
    for mark in ("_SUCCESS", ".part-0.crc"):
        (flat / mark).write_bytes(b"")
    words = [*ASKED, *QUICK, "--by", "site", "--json"]
    wanted = json.loads(ended(capsys, "evaluate", whole, *words)[1])
    for folder in (flat, deep):
        code, out, err = ended(capsys, "evaluate", folder, *words)
        assert code == 0, err
        assert json.loads(out) == wanted
    same = ended(capsys, "compare", deep, flat, *ASKED, *QUICK, "--groups", "site", "--json")
    assert json.loads(same[1])["roc_auc"]["difference"] == 0
    empty = tmp_path / "empty"
    empty.mkdir()
    code, _, err = ended(capsys, "evaluate", empty, *words)
    assert (code, "without files" in err) == (1, True)


def test_the_positive_class_is_named_as_it_is_written(tmp_path, capsys):
    for texts, positive in (
        (["1.0", "0.0"], "1"),
        (["1", "0"], "1.0"),
        (["true", "false"], "true"),
    ):
        file = truth(tmp_path, texts * 20, c=texts[:1] * 40)
        words = [
            "--true",
            "y",
            "--pred",
            "c",
            "--metrics",
            "recall",
            "--positive",
            positive,
            "--json",
        ]
        code, out, err = ended(capsys, "evaluate", file, *words)
        assert code == 0, err
        assert json.loads(out) == {"recall": 1.0}


def test_no_control_character_of_a_file_reaches_the_terminal(tmp_path, capsys):
    evil = "a\x1b[31m\x07\x9b2J"
    file = tmp_path / f"x{evil[1:4]}.csv"
    FRAME.replace("ill", evil).assign(site=evil).to_csv(file, index=False)
    given = ["--true", "y", "--score", "p", "--pred", "c", "--positive", evil]
    for words in (
        ["evaluate", file, *given, *QUICK, "--by", "site"],
        ["evaluate", file, *given],
        ["compare", file, file, *given, *QUICK],
        ["evaluate", file, *given[:-1], "x"],
        ["evaluate", file, *given[:-2]],
        ["metrics", evil],
    ):
        _, out, err = ended(capsys, *words)
        assert not set("\x1b\x07\x9b") & set(out + err), words


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
        printed = interrupted.communicate()[1].decode()
    assert "Traceback" not in printed, printed
    assert interrupted.returncode in (130, -signal.SIGINT)
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "skaucx", "metrics"], stdout=full, stderr=subprocess.PIPE,
                check=False,
            )  # fmt: skip
        assert (done.returncode, done.stderr.count(b"\n")) == (1, 1), done.stderr
