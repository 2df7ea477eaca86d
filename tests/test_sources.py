"""Lectures, theses and articles: every number that they print by its call, and their claims."""

from __future__ import annotations

import ast
import json
import re
import runpy
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
import sklearn.model_selection
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from skaucx import model_selection, study
from skaucx.evaluation import Evaluation
from tests.closeness import rounding
from tests.public import PUBLIC, STUDY_NAMES

pytestmark = pytest.mark.presentation

ROOT = Path(__file__).parents[1]


def read(name):
    return json.loads((ROOT / f"tests/data/{name}.json").read_text(encoding="utf-8"))


PRINTED, SETS = read("worked_examples"), read("auc_variants")
# What the sources compute, a row an item: the call, the numbers that it gives, and those in print.
NUMBERS = read("source_numbers")


def digits(value, printed):
    """Whether a value rounds to the printed one, a last digit of five up."""
    places = len(f"{printed}".partition(".")[2])
    return abs(value - float(printed)) <= 0.5 * 10**-places * (1 + 1e-9) + rounding()


# The claims of the sources and whether they hold, with numbers that the page must show.
CLAIMS = {
    "scorAUC equals the AUC for perfect scores only": (False, "[1, 12, 15]"),
    "probAUC exceeds the AUC on sets 11, 12 and 14": (True, "[11, 12, 14]"),
    "of the four variants scorAUC depends most on the span": (True, "scor_auc 0.62"),
    "of the mm measures mm6 alone rates set 9 above 8 and 10": (False, "mm1_auc, mm4_auc, mm6_auc"),
    "mm7 orders the 15 sets better than the four variants": (False, "sond_auc 6, 0.870"),
    "other m and n make fewer errors": (True, "1,795 with those of the thesis, 1 with"),
    "leave-one-out has the most variance": (False, "k = 2: 0.143, k = 5: 0.133, k = 10: 0.138"),
    "two training sets of k folds share (k - 2) / k of their rows": (False, "0.889"),
    "MCC is 0 where as many are right as wrong": (False, "-0.333"),
    "precision does not depend on the ratio of the classes": (False, "0.83, 0.36, 0.05"),
    "rejecting everything has a very good precision": (False, "0/0"),
    "F1 is greatest where recall equals precision": (False, "0.764"),
    "log loss is robust to outliers": (False, "0.127 rises to 0.242"),
    "the area under the ROC curve counts the wrongly ranked pairs": (False, "21.5 of 25"),
    "the measured points of operator B dominate all those of A": (False, "[(0.4, 0.6), (0.9, 0.85)]"),
    "0.5 is the lower bound of the AUC": (False, "0 for one"),
}  # fmt: skip


@pytest.mark.slow
def test_claims_of_the_sources(capsys):
    found = runpy.run_path(str(ROOT / "examples/claims.py"), run_name="__main__")
    assert capsys.readouterr().out
    computed = {text: (holds, numbers) for text, holds, numbers in found["claims"]}
    assert computed.keys() == CLAIMS.keys()
    for text, (holds, shown) in CLAIMS.items():
        assert computed[text][0] is holds, text
        assert shown in computed[text][1], text


class Names(dict):
    """The data of the worked examples, and every public name of ours and of scikit-learn's selection."""

    def __missing__(self, name):
        for place in (PUBLIC, STUDY_NAMES, sklearn.model_selection.__dict__):
            if name in place:
                return place[name]
        if name in model_selection.__all__:
            return getattr(model_selection, name)
        raise KeyError(name)  # of Python itself


def data_of_the_sources():
    """The data under the short names that the calls of NUMBERS have for them."""
    X, y = load_iris(return_X_y=True)
    BX, BY = load_breast_cancer(return_X_y=True)
    train, test, known, true = train_test_split(X[:, :2], y, test_size=0.3, random_state=42)
    A, B = (
        dict(zip(("fpr", "tpr"), zip(*PRINTED["operators"][name], strict=True), strict=True))
        for name in "AB"
    )
    C15 = study.parse_sets("\n".join(SETS["score_sets"][f"{k}"] for k in range(1, 16)))
    return {
        "np": np, "st": scipy.stats, "skm": sklearn.metrics, "GaussianNB": GaussianNB, "SVC": SVC,
        "Ridge": Ridge, "KNeighborsClassifier": KNeighborsClassifier,
        "y20": PRINTED["roc_20"]["y"], "s20": PRINTED["roc_20"]["score"],
        "y10": PRINTED["roc_10_ties"]["y"], "s10": PRINTED["roc_10_ties"]["score"],
        "y7": [1, 0, 0, 0, 1, 0, 0], "p7": [1, 0, 1, 0, 0, 0, 1],
        "y15": [1, 2, 2, 2, 3, 1, 1, 1, 2, 2, 3, 3, 3, 2, 2],
        "p15": [2, 2, 2, 2, 2, 2, 1, 3, 1, 2, 2, 1, 3, 2, 2],
        "A": A, "B": B, "C15": C15, "V15": study.measure_values(C15), "BX": BX, "BY": BY,
        "IX": X, "IY": y, "X": X, "y": y, "PI": GaussianNB().fit(X, y).predict_proba(X),
        "t": true, "p": KNeighborsClassifier(9).fit(train, known).predict(test),
        "names": load_iris().target_names, "est": SVC(kernel="linear", C=1),
    }  # fmt: skip


_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)|\bnan\b|\binf\b"
)


def numbers_in(text):
    """The numbers of a text, without addresses, types and levels of confidence."""
    bare = re.sub(r"0x[0-9a-f]+|(?:u?int|float)\d+|\d+ %", "", text)
    bare = re.sub(r"(?<=\d),(?=\D|$)", " ", re.sub(r",\s", " ", bare))
    return [float(number.replace(",", "")) for number in _NUMBER.findall(bare)]


def differs(row, found):
    """Whether a call gives other numbers than its source prints, or than it gave before."""
    if "printed" in row:
        values = list(found.values()) if isinstance(found, Mapping) else found
        values = np.ravel(np.asarray(getattr(values, "estimate", values), dtype=float))
        if len(values) != len(row["printed"]) or not all(map(digits, values, row["printed"])):
            return True
    if "printed_otherwise" in row and numbers_in(repr(found)) == pytest.approx(
        [float(number) for number in row["printed_otherwise"]], rel=1e-3
    ):
        return True
    given = [float(number) for number in row["gives"]]
    # Six digits are written; sums of some thousand numbers, and fits, are the same to these.
    shown = repr(found).partition("\n")[2] if isinstance(found, Evaluation) else repr(found)
    return numbers_in(shown)[: len(given)] != pytest.approx(given, rel=1e-5, nan_ok=True)


def value_of(call, names):
    """Run statements and evaluate the last one."""
    *before, last = ast.parse(call.replace(";;", "\n").replace("; ", "\n")).body
    exec(compile(ast.Module(before, []), "call", "exec"), names)
    return eval(compile(ast.Expression(last.value), "call", "eval"), names)


@pytest.mark.filterwarnings("ignore")  # of undefined values, which some of the calls are about
def test_every_number_of_the_sources_by_its_call():
    names, wrong = data_of_the_sources(), []
    assert len(NUMBERS) >= 390
    assert {row["source"] for row in NUMBERS} == {
        "lecture on ROC curves", "thesis", "lecture on evaluation", "articles", "script",
    }  # fmt: skip
    for row in NUMBERS:
        found = value_of(row["call"], Names(names))
        wrong += [(row["call"], found, row)] if differs(row, found) else []
    assert not wrong
