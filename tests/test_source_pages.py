"""The pages that walk lectures, theses and articles have the numbers that these print."""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import json
import re
import runpy
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

import matplotlib
import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
import sklearn.model_selection
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

matplotlib.use("Agg")

from matplotlib import pyplot

import skaucx
from skaucx import displays, inference, metrics, model_selection, study
from tests.closeness import rounding
from tests.public import PUBLIC, STUDY_NAMES

pytestmark = pytest.mark.presentation

ROOT = Path(__file__).parents[1]
PRINTED = json.loads((ROOT / "tests/data/worked_examples.json").read_text(encoding="utf-8"))
# What the sources compute, a row an item: the call, the numbers that it gives, and those in print.
NUMBERS = json.loads((ROOT / "tests/data/source_numbers.json").read_text(encoding="utf-8"))
SETS = json.loads((ROOT / "tests/data/auc_variants.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page():
    """The names of a page and what it prints; a page runs once."""

    @functools.cache
    def run(name):
        whole = name != "study_tables"  # whose last table is long, and has a test of its own
        with (
            contextlib.redirect_stdout(io.StringIO()) as printed,
            mock.patch.object(pyplot, "show"),
        ):
            found = runpy.run_path(
                str(ROOT / "examples" / f"{name}.py"), run_name="__main__" if whole else name
            )
            for table in () if whole else ("3_1", "4_1", "4_2", "5_1"):
                print(found["as_text"](list(found[f"table_{table}"]())))
        pyplot.close("all")
        return found, printed.getvalue()

    return run


def digits(value, printed):
    """Whether a value rounds to the printed one, a last digit of five up."""
    places = len(f"{printed}".partition(".")[2])
    return abs(value - float(printed)) <= 0.5 * 10**-places * (1 + 1e-9) + rounding()


def test_lecture_with_radar_operators(page):
    found, printed = page("radar_operators")
    known = PRINTED["operators"]
    for name, curve in found["operators"].items():
        hull = curve.hull()
        assert np.column_stack(hull[:2]).tolist() == known[f"hull_{name}"]
        assert hull.area == pytest.approx(known[f"hull_auc_{name}"])
    hulls = printed.partition("hulls:")[2].partition("fronts:")[0]
    assert re.findall(r"^(first|second) +([\d.]+) +([\d.]+)$", hulls, re.MULTILINE) == [
        ("second", "0.0000", "1.0000")  # the hull of B is left of and above that of A
    ]
    known = PRINTED["roc_10_ties"]
    assert (found["y_true"], found["y_prob"]) == (known["y"], known["score"])
    points = np.column_stack(found["curve"][:2])
    assert points == pytest.approx(np.array(known["roc_points"]))
    assert found["curve"].area == pytest.approx(known["auc"])
    assert sum(found["rows"]) / 25 == pytest.approx(known["auc"])
    assert "of 25 cells 21.5 below" in printed


def test_lecture_on_evaluation(page):
    found, printed = page("one_lecture")
    assert "accuracy 0.907 (.907), all healthy 0.9467 (.9467)" in printed
    assert "precision 0.3333 (.3333), recall 0.75 (.75), F1 0.4615" in printed
    # The misprint: the F1 of a rounded precision.
    assert round(2 * 0.33 * 0.75 / (0.33 + 0.75), 3) == 0.458
    for name, key in (("lavish", "thousand_a"), ("balanced", "thousand_b"), ("coin", "coin_flip")):
        for metric, value in found["thousands"][name].items():
            if metric in PRINTED[key]:
                assert digits(value, PRINTED[key][metric]), (name, metric)
    known = PRINTED["three_class"]
    for metric, values in found["averages"].items():
        expected = [*known[metric], known["macro"][metric], known["micro"][metric]]
        assert all(map(digits, values, expected)), metric
    assert found["pooled"] == [8, 7, 7, 23]
    assert "accuracy 0.533" in printed
    assert "F1 of P = .1 and R = .8: 0.178 (.178), arithmetic mean 0.45 (.45)" in printed
    assert "0.538 (.538), [2, 5, 1, 5] (2 5 1 5)" in printed
    assert found["macro"] == pytest.approx(found["micro"], rel=1e-12)
    falling = np.array(
        [found["means"][n] for n in ("arithmetic", "geometric", "harmonic", "least")]
    )
    assert (np.diff(falling, axis=0) <= rounding()).all()
    assert found["means"]["harmonic"][0] == pytest.approx(1 / 6)
    x = found["recalls"]
    drawn = {
        "arithmetic": (0.5 + x) / 2, "geometric": np.sqrt(0.5 * x),
        "harmonic": x / (0.5 + x), "least": np.minimum(0.5, x),
    }  # fmt: skip
    for name, values in drawn.items():
        assert found["lines"][name].get_ydata() == pytest.approx(values, rel=1e-12)
    assert "pooled AUC of 41 folds" in printed
    result = found["result"]
    votes = result.winner_counts
    assert result.final.params == {"max_depth": [1, 2, 4][int(votes.argmax())]}


def test_thesis(page):
    found, _ = page("score_sets")
    assert (found["partial_sums"], sum(found["partial_sums"])) == (
        [10, 10, 10, 10, 9, 9, 8, 6, 6, 3], 81,
    )  # fmt: skip
    rows = {row["row"]: row for row in SETS["table_3_1"]}
    for place, row in enumerate(("1b", "9c", "8")):
        for name in ("prob_auc", "scor_auc", "sond_auc", "soft_auc"):
            assert digits(found["values"][name][place], rows[row][name]), (row, name)
    known = {row["set"]: row for row in SETS["table_4_1"]}
    for place, row in enumerate(("1", "9", "8")):
        for name in ("span", "margin", "relative_margin", "errors"):
            assert digits(getattr(found["sets"], name)[place], known[row][name]), (row, name)
    mm7 = {row["set"]: row["mm7_auc"] for row in SETS["table_4_2"]}
    assert all(digits(found["values"]["mm7_auc"][k], mm7[row]) for k, row in enumerate("198"))
    last = "0.72625p 0.72575p 0.72525p 0.72475n 0.72425n 0.72375n"
    assert found["last_span"] == last
    printed = [0.85, 0.787625, 0.72525, 0.72475, 0.662375, 0.60]
    written = [float(score[:-1]) for score in found["last_margin"].split()]
    assert written == printed
    [row] = (row for row in SETS["table_5_2"]["rows"] if row["row"] == "A6")
    assert (found["found"].sets, found["found"].correct) == (row["sets"], row["correct"])
    for name, count in row["violations"].items():
        assert found["found"].measures[name].violations == count


def test_articles(page):
    found, printed = page("one_table")
    names = {"positive_likelihood_ratio": "lr_plus", "negative_likelihood_ratio": "lr_minus",
             "diagnostic_odds_ratio": "dor"}  # fmt: skip
    known = PRINTED["bowel_cancer"]
    names |= {
        "false_discovery_rate": "fdr",
        "false_positive_rate": "fpr",
        "false_negative_rate": "fnr",
    }
    for name, value in found["screened"].items():
        assert digits(value, known[names.get(name, name)]), name
    assert digits(found["precision"][0.5], 0.99)
    assert digits(found["precision"][0.05], 0.84)
    assert "0.8636 (a misprint: .866)" in printed
    for shown, value in found["bayes"].items():
        assert digits(value, shown), shown
    assert found["digits"] == {
        name: pytest.approx(value, rel=1e-12)
        for name, value in zip(
            ("accuracy", "precision", "recall", "f1"),
            (0.9570333333333333, 0.8370879772350012, 0.6511713705958311, 0.7325171197343846),
            strict=True,
        )
    }
    assert "accuracy 0.864, 0.909" in printed
    assert "p4 0.558, exchanged 0.558" in printed
    assert digits(found["articles"][0], 0.95)


def test_article_on_thresholds(page):
    found, printed = page("best_threshold")
    # By hand: areas under 2x and 2 (1 - x), each class half of the rows.
    areas = [(1 - 0.3**2) / 2, 0.7**2 / 2, 0.3**2 / 2, (1 - 0.7**2) / 2]
    assert [float(cell) for cell in found["areas"].cells] == pytest.approx(areas)
    assert {name for name, _ in found["two"].lines_} == {"300 rows", "3,000 rows"}
    assert set(found["two"].theory_) == {"accuracy", "f1", "matthews_corrcoef"}
    twice = found["optima"]["twice"]
    assert twice["accuracy"] == pytest.approx((1 / 3, 7 / 9), abs=1e-7)
    assert twice["balanced_accuracy"] == pytest.approx((1 / 2, 3 / 4), abs=1e-7)
    assert found["lowest"]["balanced_accuracy"] < found["lowest"]["f1"]
    assert min(found["gaps"].values()) < -0.01
    assert (found["smape"], found["mase"]) == (
        # (1/13.5 + 0 + 2/16) / 3, and 1 of a mean change of 5/3
        pytest.approx((2 / 27 + 2 / 16) / 3, rel=rounding(3)),
        pytest.approx(1 / (5 / 3), rel=rounding(3)),
    )
    assert [best["cohen_kappa"].value for best in found["rarer"].values()] == pytest.approx(
        [0.5, 0.375, 0.166], abs=5e-4
    )
    assert "free of prevalence: recall, specificity" in printed
    assert found["spread"]["f1"] < found["spread"]["accuracy"] < found["spread"]["cohen_kappa"]


def test_script(page):
    found, printed = page("iris")
    for line in ("setosa       1.00      1.00      1.00        19",
                 "versicolor       0.67      0.62      0.64        13",
                 "virginica       0.64      0.69      0.67        13"):  # fmt: skip
        assert line in printed
    scores = PRINTED["iris_svm_10fold"]["scores"]
    assert found["scores"] == pytest.approx(np.array(scores), abs=5e-9)
    assert digits(found["scores"].mean(), 0.9733)
    assert found["half"] == pytest.approx([1, 0.6557377, 0.65217391], abs=5e-9)
    assert found["published"] == pytest.approx(0.032, abs=5e-4)  # libsvm has changed since
    assert "published .0320: 3.20 %" in printed
    assert 1 - found["rounds"].estimate == pytest.approx(0.03, abs=0.003)


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
    "the measured points of operator B dominate all those of A": (
        False,
        "[(0.4, 0.6), (0.9, 0.85)]",
    ),
    "0.5 is the lower bound of the AUC": (False, "0 for one"),
}


def test_claims_of_the_sources(page):
    found, _ = page("claims")
    computed = {text: (holds, numbers) for text, holds, numbers in found["claims"]}
    assert computed.keys() == CLAIMS.keys()
    for text, (holds, shown) in CLAIMS.items():
        assert computed[text][0] is holds, text
        assert shown in computed[text][1], text


class Names(dict):
    """The data of the worked examples, and every public name."""

    def __missing__(self, name):
        for held in (PUBLIC, STUDY_NAMES):
            if name in held:
                return held[name]
        for room in (skaucx, metrics, model_selection, displays, inference):
            if name in room.__all__:
                return getattr(room, name)
        raise KeyError(name)


def data_of_the_sources():
    """The data under the short names that the calls of NUMBERS have for them."""
    X, y = load_iris(return_X_y=True)
    train, test, known, true = train_test_split(X[:, :2], y, test_size=0.3, random_state=42)
    operators = {
        name: {"fpr": [x for x, _ in points], "tpr": [y for _, y in points]}
        for name, points in PRINTED["operators"].items()
        if name in ("A", "B")
    }
    C15 = study.parse_sets("\n".join(SETS["score_sets"][f"{k}"] for k in range(1, 16)))
    nine = KNeighborsClassifier(9).fit(train, known)
    return {
        "np": np, "st": scipy.stats, "skm": sklearn.metrics,
        **{name: getattr(sklearn.model_selection, name) for name in (
            "cross_val_score", "cross_validate", "cross_val_predict", "LeaveOneOut", "ShuffleSplit",
            "StratifiedKFold", "RepeatedStratifiedKFold", "RandomizedSearchCV", "GridSearchCV",
            "FixedThresholdClassifier", "TunedThresholdClassifierCV",
        )},
        **{model.__name__: model for model in (
            GaussianNB, SVC, LogisticRegression, Ridge, DecisionTreeClassifier, KNeighborsClassifier,
            CalibratedClassifierCV,
        )},
        "y20": PRINTED["roc_20"]["y"], "s20": PRINTED["roc_20"]["score"],
        "y10": PRINTED["roc_10_ties"]["y"], "s10": PRINTED["roc_10_ties"]["score"],
        "y7": [1, 0, 0, 0, 1, 0, 0], "p7": [1, 0, 1, 0, 0, 0, 1],
        "y15": [1, 2, 2, 2, 3, 1, 1, 1, 2, 2, 3, 3, 3, 2, 2],
        "p15": [2, 2, 2, 2, 2, 2, 1, 3, 1, 2, 2, 1, 3, 2, 2],
        **operators, "C15": C15, "V15": study.measure_values(C15),
        "IX": X, "IY": y, "X": X, "y": y, "PI": GaussianNB().fit(X, y).predict_proba(X),
        "t": true, "p": nine.predict(test), "names": load_iris().target_names,
        "est": SVC(kernel="linear", C=1),
        "BX": load_breast_cancer().data, "BY": load_breast_cancer().target,
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
    if "text" in row:
        return row["text"] not in repr(found)
    given = [float(number) for number in row["gives"]]
    # Six digits are written; sums of some thousand numbers, and fits, are the same to these.
    return numbers_in(repr(found))[: len(given)] != pytest.approx(given, rel=1e-5, nan_ok=True)


def value_of(call, names):
    """Run statements and evaluate the last one."""
    *before, last = ast.parse(call.replace(";;", "\n").replace("; ", "\n")).body
    exec(compile(ast.Module(before, []), "call", "exec"), names)
    return eval(compile(ast.Expression(last.value), "call", "eval"), names)


@pytest.mark.filterwarnings("ignore")  # of undefined values, which some of the calls are about
def test_every_number_of_the_sources_by_its_call(tally):
    names = data_of_the_sources()
    assert len(NUMBERS) >= 450
    assert {row["source"] for row in NUMBERS} == {
        "lecture on ROC curves", "thesis", "lecture on evaluation", "articles", "script",
    }  # fmt: skip
    wrong = []
    for row in NUMBERS:
        found = value_of(row["call"], Names(names))
        wrong += [(row["call"], found, row)] if differs(row, found) else []
        tally["numbers of the sources"] += len(row.get("printed", row.get("gives", [])))
    pyplot.close("all")
    assert not wrong


# The pages that walk each source; that of the claims is of them all.
PAGES = {
    "lecture on ROC curves": ("radar_operators",),
    "thesis": ("score_sets", "study_tables"),
    "lecture on evaluation": ("one_lecture",),
    "articles": ("one_table", "best_threshold"),
    "script": ("iris",),
}


def ours_and_theirs(page, source):
    """What the pages of a source compute, and what they have in brackets and in their text."""
    ours, theirs = "", ""
    for name in (*PAGES[source], "claims"):
        _, printed = page(name)
        printed = re.sub(r"(?<=\d)[pn]\b", "", printed)  # labels of score sets
        bracketed = r"(?<!\w)\([^()]*\)"
        ours += re.sub(bracketed, " ", printed)
        text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
        # A comment that goes on in the next line is one text; a table has printed cells of its own.
        theirs += " ".join(re.findall(r"^# (.+)", text, re.MULTILINE))
        theirs += " ".join(re.findall(bracketed, printed)) if name in PAGES[source] else printed
        theirs += printed if name == "study_tables" else ""
    return numbers_in(ours), set(numbers_in(theirs))


@pytest.mark.parametrize("source", PAGES)
def test_every_printed_number_is_on_the_page_of_its_source(page, source, tally):
    ours, theirs = ours_and_theirs(page, source)
    missing = []
    for row in NUMBERS:
        if row["source"] != source:
            continue
        for number in row.get("printed", []):
            computed = any(digits(value, number) for value in ours)
            missing += [] if computed and float(number) in theirs else [(row["call"], number)]
            tally["numbers on the pages of the sources"] += 1
        for number in row.get("printed_otherwise", []):
            missing += [] if float(number) in theirs else [(row["call"], number)]
    assert not missing


def test_another_number_is_seen():
    row = {"call": "roc_auc_score(y20, s20)", "gives": [0.81], "printed": [".81"]}
    assert not differs(row, 0.81)
    assert differs(row, 0.8149)
    assert differs({**row, "printed": [".82"]}, 0.81)
    assert differs({"text": "RocCurveDisplay"}, 1)
    assert differs({"printed_otherwise": [".866"], "gives": [0.866]}, 0.866)
    assert not differs({"printed_otherwise": [".866"], "gives": [0.8636]}, 0.8636)
