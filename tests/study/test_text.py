"""The text form of score sets."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.study import SetCollection, format_sets, parse_sets, read_sets

pytestmark = pytest.mark.presentation


def plain(sets):
    return [(truth.tolist(), score.tolist()) for truth, score in sets]


def test_any_order_precision_length_comments_and_blank_lines():
    text = (
        "# a header\n\n  0.60n 0.85p\t1p # the first\r\n.5p 0.n 5e-1n 0.123456789012345678n\n   \n"
        "#0.1p 0.2n\n+0.1p 1.0n"
    )
    assert plain(parse_sets(text)) == [
        ([False, True, True], [0.6, 0.85, 1.0]),
        ([True, False, False, False], [0.5, 0.0, 0.5, 0.12345678901234568]),
        ([True, False], [0.1, 1.0]),
    ]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("0.8p 0.4n\n\n0.8p 0.4", "line 3, column 6", "'0.4'"),
        ("0.8p  0.4x", "line 1, column 7", "'0.4x'"),
        ("# c\n\t0,8p 0.4n", "line 2, column 2", "'0'"),
        ("0.8p0.4n", "line 1, column 1", "'0.8p0.4n'"),
        ("0.8P 0.4n", "line 1, column 1", "'0.8P'"),
        ("nanp 0.4n", "line 1, column 1", "'nanp'"),
        ("p 0.4n", "line 1, column 1", "'p'"),
        (".p 0.4n", "line 1, column 1", "'.p'"),
        ("0.8 p 0.4n", "line 1, column 1", "'0.8'"),
        ("0.8p 0.4n\n0.8p 85n", "line 2, column 6", r"outside \[0, 1\]"),
        ("0.8p -0.1n", "line 1, column 6", r"outside \[0, 1\]"),
        ("0.8p 1e999n", "line 1, column 6", r"outside \[0, 1\]"),
        ("0.8p 0.4n\n  0.8p 0.5p", "line 2, column 3", "no negative"),
        ("0.8n", "line 1, column 1", "no positive"),
        ("0.8p \u0660n", "line 1, column 6", "not a score"),
    ],
)
def test_malformed_lines(text, where, what):
    with pytest.raises(ValueError, match=f"^{where}: .*{what}"):
        parse_sets(text)


@pytest.mark.parametrize("text", ["", "\n \n", "# only a comment"])
def test_no_set(text):
    with pytest.raises(ValueError, match="There is no score set"):
        parse_sets(text)


def test_not_text():
    with pytest.raises(TypeError, match="text must be a string, found bytes"):
        parse_sets(b"0.8p 0.4n")


def test_written_and_read_again_bit_for_bit():
    rng = np.random.default_rng(0)
    sets = SetCollection.from_sets(
        [(np.arange(m) == rng.integers(m), rng.random(m) ** 20) for m in rng.integers(2, 9, 50)]
    )
    assert plain(parse_sets(format_sets(sets))) == plain(sets)


def test_decimals():
    assert format_sets(parse_sets("0.856p 0.1n"), decimals=2) == "0.86p 0.10n\n"
    with pytest.raises(ValueError, match=r"decimals .*>= 0 .*found -1"):
        format_sets(parse_sets("0.856p 0.1n"), decimals=-1)


def test_files(tmp_path):
    path = tmp_path / "sets.txt"
    path.write_bytes(b"\xef\xbb\xbf0.8p 0.4n\r\n0.1p 0.2n")
    assert len(read_sets(path)) == len(read_sets(str(path))) == 2
    path.write_text("0.8p 0.4n\n0.8p 0.4m")
    with pytest.raises(ValueError, match=r"sets\.txt: line 2, column 6: '0\.4m'"):
        read_sets(path)
    path.write_bytes(b"0.8p\xff")
    with pytest.raises(ValueError, match=r"sets\.txt: .*UTF-8 \(byte 5\)"):
        read_sets(path)
    with pytest.raises(FileNotFoundError):
        read_sets(tmp_path / "none.txt")
