"""Tables of counts: of any layout, of rates; their statistics, and the best under a constraint."""

from __future__ import annotations

import inspect
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from scipy.stats.contingency import relative_risk
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics as sm
from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import ConfusionMatrixDisplay, Counts, association, threshold_curves
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import named_metric
from tests.closeness import rounding
from tests.each import each
from tests.metrics.needed import NEEDED, needed_parameters
from tests.public import PUBLIC

# ---- values of other packages: of PyCM 4.6 (rows true), where nothing else is said ----

THREE = [[12, 3, 1], [4, 9, 5], [2, 2, 14]]
FOUR = [[12, 3, 1, 0], [4, 9, 5, 2], [2, 2, 14, 1], [0, 3, 0, 6]]
BINARY = [[30, 9], [4, 17]]
MACRO, NUMBER = {"average": "macro"}, {"normalize": False}
OF_THREE = [
    ("scott_pi", {}, 0.5083426028921024), ("gwet_ac1", {}, 0.5102493074792244),
    ("bennett_s", {}, 0.5096153846153847), ("cramer_v", {}, 0.5273625141592717),
    ("mutual_information", {}, 0.39849531472960886),
    ("no_information_rate", {}, 0.34615384615384615), ("goodman_kruskal_lambda", {}, 0.5),
]  # fmt: skip
OF_FOUR = [
    ("unbiased_kappa", {}, 0.5099051107041784), ("pabak", {}, 0.28125),
    ("krippendorff_alpha", {}, 0.513733977026802),
    ("adjusted_rand_index", {}, 0.26288467327561593),
    ("aickin_alpha", {}, 0.5175171273625941),  # max_iter=20000, epsilon=1e-13
    ("phi_squared", {}, 0.9526004041967664), ("pearson_c", {}, 0.6984715050816412),
    ("bangdiwala_b", {}, 0.4196510560146924),
    ("goodman_kruskal_lambda", {}, 0.4772727272727273),  # "Lambda A" is that of the true classes
    ("goodman_kruskal_lambda", {"guessed": "predicted"}, 0.4772727272727273),
    ("rci", {}, 0.32407204419156127), ("class_entropy", {}, 1.9425232864663098),
    ("class_entropy", {"of": "predicted"}, 1.9451030431571024),
    ("class_entropy", {"of": "both"}, 3.258108837288565),
    ("conditional_entropy", {}, 1.3155855508222556),
    ("class_divergence", {}, 0.008820218784870298),
    ("class_cross_entropy", {}, 1.95134350525118), ("confusion_entropy", {}, 0.4919510007780986),
    ("confusion_entropy", {"modified": True}, 0.6149066361373515),
    ("chance_agreement", {}, 0.265869140625),
    ("chance_agreement", {"shared": True}, 0.2667236328125), ("macro_accuracy", {}, 0.8203125),
    ("braun_blanquet", MACRO, 0.6208333333333333),  # class balance accuracy
    ("icsi", MACRO, 0.29156346749226), ("label_auc", MACRO, 0.7636014752791069),
    ("label_auc", {"average": "weighted"}, 0.7526515151515152),
    # imbalanced-learn 0.14 (geometric_mean_score)
    ("multiclass_g_mean", {}, 0.6381007252174046),
    # Package krippendorff 0.9.0. PyCM's weighted alpha squares the mean of one class's share of the
    # truth and another's of the predictions, where Krippendorff multiplies the classes' own means.
    ("krippendorff_alpha", {"distance": "nominal"}, 0.5137339770268021),
    ("krippendorff_alpha", {"distance": "ordinal"}, 0.6440467491982673),
    ("krippendorff_alpha", {"distance": "interval"}, 0.6463653060015404),
]  # fmt: skip
OF_TWO = [
    ("yule_q", {}, 0.8681318681318682), ("d_prime", {}, 1.6124587666229706),
    ("optimized_precision", {}, 0.7578112915699923),
    ("index_of_balanced_accuracy", {}, 0.647801526922406),
    # imbalanced-learn 0.14: make_index_balanced_accuracy with average="binary". By its default
    # "multiclass" the dominance is that of macro rates, 0 for two classes, which leaves TPR * TNR.
    ("index_of_balanced_accuracy", {"alpha": 0.1}, 0.6252197131318011),
    ("tp", NUMBER, 17), ("tn", NUMBER, 30), ("fp", NUMBER, 9), ("fn", NUMBER, 4),
    ("discriminant_power", {}, 0.6347271357748611 * np.log(10)),  # PyCM takes log10
    ("distance_index", {}, 0.29922502737596074), ("similarity_index", {}, 0.7884159540417278),
    ("precision_lift", {}, 1.8681318681318684),
    ("pointwise_mutual_information", {}, 0.9015962959390057), ("excess_of_calls", NUMBER, 5),
    ("bray_curtis_dissimilarity", {}, 0.041666666666666664),
    ("adjusted_f", {}, 0.8138413004619895), ("adjusted_g_mean", {}, 0.7812849438387056),
    ("overlap_coefficient", {}, 0.8095238095238095), ("braun_blanquet", {}, 0.6538461538461539),
    ("kulczynski_index", {}, 0.7316849816849818),
    ("classification_success_index", {}, 0.4633699633699635),
    ("label_auc", {}, 0.7893772893772895), ("tversky_index", {}, 0.7555555555555555),
    ("confusion_entropy", {}, 0.6634893692607323),
    ("confusion_entropy", {"modified": True}, 0.5106030794006367),
    ("relative_risk", {}, relative_risk(17, 26, 4, 34).relative_risk),  # SciPy
]  # fmt: skip


@each("table, rows", [(THREE, OF_THREE), (FOUR, OF_FOUR), (BINARY, OF_TWO)])
def test_values_of_other_packages(table, rows):
    for name, options, value in rows:
        found = named_metric(name).function.from_table(table, **options)
        assert found == pytest.approx(value, rel=1e-12), (name, options)


def test_rand_index_is_that_of_two_partitions():
    rng = np.random.default_rng(0)
    for _ in range(20):
        y, pred = rng.integers(0, 4, (2, 50))
        for name in ("rand_index", "adjusted_rand_index"):
            theirs = getattr(sklearn.metrics, name.replace("index", "score"))(y, pred)
            assert getattr(association, name)(y, 3 - pred) == pytest.approx(
                theirs, abs=rounding(50)
            )


def test_statistics_by_their_definitions():
    rng = np.random.default_rng(1)
    tp, fp, fn, tn = cells = rng.integers(1, 50, (4, 20)).astype(float)
    total = cells.sum(axis=0)
    by_chance = (tp + fn) * (tp + fp) / total
    exposed, unexposed, everyone = tp / (tp + fp), fn / (fn + tn), (tp + fn) / total
    share, ratio = (tp + fp) / total, exposed / unexposed
    expected = {
        "gilbert_skill": (tp - by_chance) / (tp + fp + fn - by_chance),
        "attributable_risk": exposed - unexposed,
        # Levin's formula from the share of exposed and the relative risk
        "population_attributable_fraction": share * (ratio - 1) / (1 + share * (ratio - 1)),
        "positive_predictive_likelihood_ratio": ratio,
        "negative_predictive_likelihood_ratio": (1 - exposed) / (1 - unexposed),
        "diagnostic_odds_ratio": ratio / ((1 - exposed) / (1 - unexposed)),
    }
    for name, values in expected.items():
        found = named_metric(name).function.from_counts(*cells)
        np.testing.assert_allclose(found, values, rtol=1e-12, atol=rounding(4), err_msg=name)
    fraction = expected["population_attributable_fraction"]
    np.testing.assert_allclose(fraction, (everyone - unexposed) / everyone, atol=rounding(8))


def test_aickin_alpha_that_does_not_settle():
    with pytest.warns(UndefinedMetricWarning, match="do not converge"):
        assert np.isnan(association.aickin_alpha.from_table([[1, 0, 0], [0, 1, 0], [0, 1, 1]]))


def test_cramers_v_of_two_classes_is_the_size_of_the_mcc():
    for table in ([[5, 2], [1, 7]], [[2, 5], [7, 1]]):
        expected = abs(sm.matthews_corrcoef.from_table(table))
        assert association.cramer_v.from_table(table) == pytest.approx(expected)


NUMBERS = [row.name for row in sm.list_metrics() if "normalize" in METRICS[row.name].options]


@each("name", NUMBERS)
# Wilson's and the logit's ends of a share are not those of a number on its log scale.
@each("method, close", [("auto", 0.2), ("percentile", 1e-9)])
def test_numbers_have_the_intervals_of_shares_times_the_size(name, method, close):
    """A sum has no upper bound, where the mean has one."""
    y, given = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], [30, 9, 4, 17], axis=1)
    if METRICS[name].metric.kind.name in ("probabilities", "columns"):
        given = np.clip(0.2 + 0.6 * given, 0, 1)
    options = {"method": method, "n_resamples": 300, "random_state": 0, **needed_parameters(name)}
    share, number = (interval(name, y, given, normalize=n, **options) for n in (True, False))
    assert number.estimate == pytest.approx(60 * share.estimate)
    assert number.low < number.estimate < number.high
    assert [number.low, number.high] == pytest.approx([60 * share.low, 60 * share.high], rel=close)


def test_net_benefit_of_treating_all_and_at_another_prevalence():
    y = np.repeat([1, 0], [30, 70])
    for called, options, value in (
        (np.ones(100, int), {}, 0.3 - 0.7 * 0.25),
        (np.zeros(100, int), {}, 0),
        (y, {"standardize": True}, 1),
    ):
        found = sm.net_benefit(y, called, threshold=0.2, **options)
        assert found == pytest.approx(value)
    rates = {"sensitivity": 0.8, "specificity": 0.9, "n": 1000}
    table, other = (Counts.from_rates(**rates, prevalence=share) for share in (0.3, 0.05))
    found = sm.net_benefit.from_counts(table, threshold=0.2, prevalence=0.05)
    assert found == pytest.approx(sm.net_benefit.from_counts(other, threshold=0.2))


# ---- the best under a constraint ----

PAIRS = [
    ("precision_at_recall", "precision", "recall", "min_recall"),
    ("recall_at_precision", "recall", "precision", "min_precision"),
    ("sensitivity_at_specificity", "recall", "specificity", "min_specificity"),
    ("specificity_at_sensitivity", "specificity", "recall", "min_sensitivity"),
]


@each("name, best, bounded, parameter", PAIRS)
@each("least", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_the_best_under_a_constraint_by_trying_every_threshold(
    name, best, bounded, parameter, least
):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.repeat([0, 1], [12, 8]))
        score = np.round(rng.normal(y, 1), 1)
        reached = []
        for cut in [np.inf, *np.unique(score)]:
            tables = {"y_true": y, "y_pred": (score >= cut).astype(int), "zero_division": np.nan}
            if METRICS[bounded](**tables) >= least:
                reached.append(METRICS[best](**tables))
        expected = np.nanmax(reached) if np.isfinite(reached).any() else np.nan
        found = METRICS[name](y, score, **{parameter: least}, zero_division=np.nan)
        np.testing.assert_allclose(found, expected, rtol=rounding(20))
        curves, bound = threshold_curves(y, score, [best, bounded]), {bounded: (">=", least)}
        if np.isnan(expected):
            with pytest.warns(UndefinedMetricWarning, match=f"{bounded}.*its best value is"):
                threshold, value = curves.best(best, subject_to=bound)
            assert np.isnan(threshold)
        else:
            threshold, value = curves.best(best, subject_to=bound)
            assert METRICS[bounded](y, score >= threshold) >= least
        np.testing.assert_allclose(value, expected, rtol=rounding(20))


def test_of_equal_values_the_better_constrained_one_counts_and_then_the_higher_threshold():
    y, score = [1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    curves = threshold_curves(y, score, ["precision", "recall", "fpr"])
    assert curves.best("precision") == (0.9, 1)
    assert curves.best("precision", subject_to={"recall": (">=", 0.1)}) == (0.8, 1)
    assert curves.best("recall", subject_to={"fpr": ("<=", 0.5)}) == (0.6, 1)
    assert curves.best("recall", subject_to={"fpr": ("<=", 0.0)}) == (0.8, pytest.approx(2 / 3))
    for bad in (0.5, (">", 0.5), (">=", "x"), (">=", 0.5, 1)):
        with pytest.raises((ValueError, TypeError), match="subject_to"):
            curves.best("precision", subject_to={"recall": bad})


# ---- counts of rows, of rates and of several classes ----


def test_one_binary_table_is_counted_as_in_a_stack():
    tables = np.random.default_rng(0).uniform(0, 9, (20, 2, 2))
    stacked = Counts.one_vs_rest(tables)
    for k, table in enumerate(tables):
        for alone, among in zip(Counts.one_vs_rest(table).cells, stacked.cells, strict=True):
            np.testing.assert_array_equal(alone, among[k])


@pytest.mark.parametrize("of", [
    association.phi_squared,
    lambda y, p: sm.cohen_kappa_score(y, p, weights="linear"),
    lambda y, p: association.cramer_v(y, p, sample_weight=np.ones(len(y))),
    lambda y, p: evaluate(y, p, metrics=["cramer_v"]),
    lambda y, p: interval("theil_u", y, p, method="percentile", n_resamples=30),
])  # fmt: skip
def test_more_classes_than_fit_are_refused_before_their_table_is_made(of, monkeypatch):
    monkeypatch.setattr("skaucx.metrics._records.counts._MOST_CLASSES", 200)
    y = np.array([f"class {k}" for k in range(300)])
    with pytest.raises(ValueError, match=r"300 classes.* for 200\..*[Jj]oin") as told:
        of(y, y[::-1])
    assert "y_true" in str(told.value)
    of(y[:200], y[:200])


def test_more_classes_than_scikit_learns_table_has_room_for_are_named(monkeypatch):
    def no_room(*arrays, **options):
        raise MemoryError

    monkeypatch.setattr("sklearn.metrics.confusion_matrix", no_room)
    with pytest.raises(MemoryError):  # of few classes, as where the rows take all of it
        sm.confusion_matrix([0, 1], [1, 1])
    monkeypatch.setattr("skaucx.metrics._records.counts._MOST_CLASSES", 50)
    with pytest.raises(ValueError, match=r"60 classes.*[Jj]oin"):
        sm.confusion_matrix(np.arange(60), np.arange(60))


def test_many_classes_are_sent_to_the_right_call():
    with pytest.raises(ValueError, match=r"counts two classes, found 3; take Counts.one_vs_rest"):
        Counts.from_labels([0, 1, 2], [0, 1, 1])


RATES = {"sensitivity": 0.9, "precision": 90 / 340}


def test_precision_stands_for_specificity():
    for given, cells in (
        ({**RATES, "prevalence": 0.1, "n": 1000}, (90, 250, 10, 650)),
        ({"sensitivity": 1, "precision": 1, "prevalence": 0.3}, (0.3, 0, 0, 0.7)),
    ):
        assert np.array(Counts.from_rates(**given).cells) == pytest.approx(np.array(cells))
    for prevalence in (0.02, 0.1, 0.2):  # of no matter to what reads no true negatives
        found = Counts.from_rates(**RATES, prevalence=prevalence)
        for function in (sm.f1_score, sm.jaccard_score, sm.recall_score, sm.precision_score):
            expected = function.from_counts(90, 250, 10, 650)
            assert function.from_counts(found) == pytest.approx(expected)


SENSITIVE = {"sensitivity": 0.9}


@each("given, told", [
    ({**SENSITIVE, "precision": 0.01, "prevalence": 0.5}, "No table has precision 0.01"),
    ({**SENSITIVE, "precision": 0, "prevalence": 0.1}, "precision must be"),
    ({**SENSITIVE, "prevalence": 0.1}, "specificity or precision"),
    ({**RATES, "specificity": 0.9, "prevalence": 0.1}, "specificity or precision"),
    ({**SENSITIVE, "specificity": 0.9, "prevalence": [0.5, 1.5]},
     r"prevalence must be .*\[0, 1\], found .*1\.5"),
    ({**SENSITIVE, "precision": 0.1, "prevalence": [0.02, 0.5]},
     r"No table has precision 0\.1.*\[0\.02, 0\.5\]"),
])  # fmt: skip
def test_rates_of_no_table(given, told):
    with pytest.raises(ValueError, match=told):
        Counts.from_rates(**given)


def test_tables_of_many_rates():
    """Arrays of rates broadcast, and give the tables of each by itself."""
    shares, specificity = [0.5, 0.05], [[0.99], [0.9], [0.5]]
    made = partial(Counts.from_rates, sensitivity=0.9, n=200)
    found = made(specificity=specificity, prevalence=shares)
    assert np.shape(found.tp) == (3, 2)
    for i, j in np.ndindex(3, 2):
        alone = made(specificity=specificity[i][0], prevalence=shares[j])
        assert [cell[i, j] for cell in found.cells] == [float(cell) for cell in alone.cells]


def test_what_is_declared_free_of_prevalence_stays():
    shares = np.array([0.5, 0.1, 0.01])
    tables = Counts.from_rates(sensitivity=0.8, specificity=0.9, prevalence=shares)
    for row in sm.list_metrics(prevalence_free=True):
        if row.kind.name == "counts" and row.name not in NEEDED:
            values = METRICS[row.name].from_counts(tables)
            np.testing.assert_allclose(values, values[0], rtol=1e-12, err_msg=row.name)
    assert np.ptp(sm.precision_score.from_counts(tables)) > 0.8


def test_normalized_as_in_scikit_learn():
    y, p = np.random.default_rng(0).integers(0, 2, (2, 60))
    counts = Counts.from_labels(y, p)
    for over in ("true", "pred", "all"):
        expected = sklearn.metrics.confusion_matrix(y, p, normalize=over)
        np.testing.assert_allclose(counts.normalized(over), expected, rtol=rounding(4))
    stacked = Counts(*(np.stack([cell, 2 * cell]) for cell in counts.cells))
    assert stacked.normalized().shape == (2, 2, 2)
    assert np.isnan(Counts(tp=0.0, fp=1.0, fn=0.0, tn=1.0).normalized("true")[1]).all()
    with pytest.raises(ValueError, match="over must be"):
        counts.normalized("rows")


# ---- layouts of tables ----

# Sensitivity .75 and precision 1/3, as a textbook prints it: predicted rows, the positives first.
CELLS = {"tp": 6, "fp": 12, "fn": 2, "tn": 130}
COUNTS = Counts(**{name: np.array(float(cell)) for name, cell in CELLS.items()})
BOOK = [[6, 12], [2, 130]]
SCIKIT = [[130, 12], [2, 6]]
MANY = np.array([[8, 1, 2], [0, 9, 3], [4, 1, 7]])
# Tables whose rows and columns are classes; the others mix the sides.
MIXED = {"tp", "tn"}, {"fp", "fn"}
LAYOUTS = [
    " ".join(names)
    for names in permutations(CELLS)
    if {*names[:2]} not in MIXED and {*names[::2]} not in MIXED
]
RECALL = {"metrics": ["recall"]}
DOORS = {
    "evaluate": lambda table: evaluate(counts=table, **RECALL)["recall"],
    "intervals": lambda table: evaluate(
        counts=table, **RECALL, intervals=True
    ).intervals["recall"].low,
    "interval": lambda table: interval("recall", counts=table).high,
    "ConfusionMatrixDisplay": lambda table: (
        ConfusionMatrixDisplay(table).confusion_matrix.tolist()
    ),
}  # fmt: skip


def laid_out(layout):
    return np.array([CELLS[name] for name in layout.split()]).reshape(2, 2)


@pytest.mark.parametrize("call", DOORS.values(), ids=DOORS)
def test_every_layout_at_every_door(call):
    wanted = call(SCIKIT)
    assert len(LAYOUTS) == 8
    for layout in LAYOUTS:
        table = Counts.from_table(laid_out(layout), layout=layout)
        np.testing.assert_array_equal(call(table), wanted)
    np.testing.assert_array_equal(call(COUNTS), wanted)
    with pytest.warns(UserWarning, match=r"Counts\.from_table\(table, layout=\.\.\.\)"):
        call(pd.DataFrame(SCIKIT, index=[1, 0], columns=[1, 0]))


def test_no_door_is_left_out():
    """Each public function with counts= is one of the doors; `intervals` is `interval`."""
    functions = {name: thing for name, thing in PUBLIC.items() if inspect.isfunction(thing)}
    taking = {n for n, f in functions.items() if "counts" in inspect.signature(f).parameters}
    assert taking <= set(DOORS)


@each("read", [sm.recall_score.from_table, lambda t, **how: Counts.from_table(t, **how).table])
def test_tables_of_every_layout(read):
    wanted = read(SCIKIT)
    for layout in LAYOUTS:
        np.testing.assert_array_equal(read(laid_out(layout), layout=layout), wanted)
    np.testing.assert_array_equal(read(SCIKIT, layout="true rows"), wanted)
    np.testing.assert_array_equal(read(np.transpose(SCIKIT), layout="predicted rows"), wanted)
    for bad in ("tp fp fn", "tp tn fp fn", "rows true", "", 3, ["tn", "fp", "fn", "tp"]):
        with pytest.raises(ValueError, match=r"layout .*'true rows', 'predicted rows'"):
            read(SCIKIT, layout=bad)


def test_the_book_is_right_and_the_assumption_is_stated():
    book = Counts.from_table(BOOK, layout="tp fp fn tn")
    assert evaluate(counts=book, **RECALL)["recall"] == 0.75
    said = "ounts are read in the layout 'tn fp fn tp'"
    for call in (
        lambda table, **how: evaluate(counts=table, **how),
        lambda table, **how: evaluate(counts=table, **RECALL, intervals=True, **how),
        lambda table, **how: interval("recall", counts=table, **how),
    ):
        for text in (call(SCIKIT), call(SCIKIT)._repr_html_()):
            assert said in " ".join(str(text).replace("&#x27;", "'").split())
        assert said not in str(call(book))
        with pytest.raises(TypeError, match="layout"):
            call(BOOK, layout="tp fp fn tn")
    assert "layout 'true rows'" in str(evaluate(counts=MANY, metrics=["accuracy"]))


def test_tables_of_many_classes():
    for name, metric in METRICS.items():
        if not metric.metric.kind.counted or name in NEEDED:
            continue
        options = {"average": "macro"} if "average" in metric.options else {}
        with np.errstate(all="ignore"):
            wanted = metric.from_table(MANY, **options)
            found = metric.from_table(MANY.T, layout="predicted rows", **options)
        np.testing.assert_array_equal(found, wanted)
    found = evaluate(counts=MANY, labels=list("abc"), average=None)
    assert dict(found).keys() == dict(evaluate(counts=MANY, average=None)).keys()
    np.testing.assert_array_equal(found["recall"], MANY.diagonal() / MANY.sum(axis=1))
    recall = sm.recall_score.from_table
    with pytest.raises(ValueError, match=r"3 classes .*'true rows' or 'predicted rows'"):
        recall(MANY, layout="tn fp fn tp", average=None)
    stack = np.stack([SCIKIT, np.multiply(2, SCIKIT) + 1])
    turned = stack[..., ::-1, ::-1].swapaxes(1, 2)
    np.testing.assert_array_equal(recall(turned, layout="tp fp fn tn"), recall(stack))


def test_the_positive_class_of_counts_is_the_last_of_their_labels():
    book, labels = Counts.from_table(BOOK, layout="tp fp fn tn"), ["well", "ill"]
    found = evaluate(counts=book, labels=labels, metrics=["recall", "npv"])
    assert found["recall"] == 0.75
    assert "positive class ill" in str(found)
    display = ConfusionMatrixDisplay(book, display_labels=labels)
    assert display.display_labels.tolist() == labels
    with pytest.raises(ValueError, match=r"labels, 'ill', .*pos_label is 'well'"):
        evaluate(counts=book, labels=labels, pos_label="well")
    assert evaluate(counts=SCIKIT, labels=labels, pos_label="ill", **RECALL)["recall"] == 0.75
    assert evaluate(counts=book, labels=labels, metrics=["accuracy"])["accuracy"] == 136 / 150


def test_a_frame_that_names_its_sides_otherwise_is_warned_of():
    y = pd.Series([0, 1, 1, 0, 1], name="y_true")
    pred = pd.Series([0, 1, 0, 0, 1], name="y_pred")
    rows_true, rows_pred = pd.crosstab(y, pred), pd.crosstab(pred, y)
    turned = rows_true.loc[[1, 0], [1, 0]]
    plain = pd.DataFrame([[1, 2], [3, 4]], columns=["x", "y"])
    for table, layout, cells in (
        (rows_true, "tn fp fn tp", [2, 0, 1, 2]), (rows_pred, "tn fn fp tp", [2, 0, 1, 2]),
        (turned, "tp fn fp tn", [2, 0, 1, 2]), (plain, "tn fp fn tp", [4, 2, 3, 1]),
    ):  # fmt: skip
        found = Counts.from_table(table, layout=layout)
        assert [float(c) for c in found.cells] == cells
    for table, layout, told in (
        (rows_pred, "tn fp fn tp", "rows of the table are named as"),
        (rows_true, "tn fn fp tp", "rows of the table are named as"),
        (turned, "tn fp fn tp", r"order \[1, 0\].*negatives first"),
        (rows_true, "tp fn fp tn", r"order \[0, 1\].*positives first"),
    ):
        with pytest.warns(UserWarning, match=told):
            Counts.from_table(table, layout=layout)
