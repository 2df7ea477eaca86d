"""The report is one page that shows itself, in a real browser where there is one."""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx.metrics import roc_auc_score
from skaucx.model_selection import nested_cross_validate
from skaucx.model_selection.results._report import _pictures_of_predictions

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
GRID = {"var_smoothing": [1e-9, 1e-1]}
BINARY = {
    "Score of each outer fold, and the inner mean of its winner",
    "Tuning matrix; its best row, picked afterwards, is optimistic",
    "Confusion table",
    "ROC curves of the class 1",
    "Precision-recall curves of the class 1",
    "Metrics by threshold, pooled, of the class 1",
    "Scores of the two classes, pooled, of the class 1",
}


class Page(HTMLParser):
    """Headings, pictures, table cells and links of a page."""

    def __init__(self, text):
        super().__init__()
        self.open, self.headings, self.images, self.links, self.cells = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in ("meta", "link", "img"):
            self.open.append(tag)
        if tag == "img":
            self.images.append(attributes)
        self.links += [attributes[key] for key in ("href", "src") if key in attributes]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)
        if self.open and self.open[-1] in ("td", "th"):
            self.cells.append(data)


def written(result, path, **options):
    assert result.report(path, **options) is None
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def binary():
    X, y = load_breast_cancer(return_X_y=True)
    metrics = ["roc_auc", "specificity"]
    return nested_cross_validate(
        GaussianNB(), GRID, X, y, scoring=metrics, refit=metrics, outer_cv=3, inner_cv=2
    )


@pytest.fixture(scope="module")
def binary_file(binary, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    written(binary, path, title="Cells <1 & 2>")
    return path


def test_page_of_two_classes(binary_file, binary):
    text = binary_file.read_text(encoding="utf-8")
    page = Page(text)
    assert not page.open
    assert page.headings == [
        "Cells <1 & 2>", "Metrics", "Folds and winners", "Inner against outer",
        "Out-of-fold predictions", "Classes", "Summary", "How it was made",
    ]  # fmt: skip
    assert {image["alt"] for image in page.images} == BINARY
    assert all(link.startswith("data:") for link in page.links)
    assert "<script" not in text
    assert "http" not in text
    assert "NestedCV(estimator=GaussianNB()" in text
    assert "var_smoothing&#x27;: [1e-09, 0.1]" in text
    of_class = page.cells[page.cells.index("class") :]
    assert of_class[:5] == ["class", "metric", "estimate", "95 % interval", "method"]
    true, pred = binary.predictions.y_true, binary.predictions.y_pred
    assert of_class[5:8] == ["1", "prevalence", f"{np.mean(true == 1):.4f}"]
    assert of_class[10:13] == ["1", "recall", f"{np.mean(pred[true == 1] == 1):.4f}"]


def test_pictures_are_pictures(binary_file):
    for image in Page(binary_file.read_text(encoding="utf-8")).images:
        picture = base64.b64decode(image["src"].partition(",")[2])
        assert picture.startswith(b"\x89PNG")


def test_no_figure_is_left_open(binary, tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    mine = pyplot.figure()
    written(binary, tmp_path / "report.html")
    assert pyplot.get_fignums() == [mine.number]
    pyplot.close(mine)


def test_curves_are_those_of_the_positive_class(binary):
    figures = dict(_pictures_of_predictions(binary.predictions))
    legend = figures["ROC curves of the class 1"].axes[0].get_legend()
    pooled = binary.predictions
    area = roc_auc_score(pooled.y_true, pooled.responses["predict_proba"][:, 1])
    assert area > 0.9
    assert legend.get_texts()[-1].get_text() == f"pooled (AUC = {area:.2f})"


def test_weights_reach_the_table_of_classes(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.where(np.arange(len(y)) % 3, 1.0, 0.0)
    result = nested_cross_validate(
        GaussianNB(), GRID, X, y, scoring="roc_auc", outer_cv=2, inner_cv=2, sample_weight=weight
    )
    cells = Page(written(result, tmp_path / "report.html")).cells
    pooled, kept = result.predictions, weight[result.predictions.row] > 0
    recall = np.mean(pooled.y_pred[kept & (pooled.y_true == 1)] == 1)
    assert cells[cells.index("recall") + 1] == f"{recall:.4f}"


def test_many_classes(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=False)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    result = nested_cross_validate(
        GaussianNB(), GRID, X, names, scoring="accuracy", outer_cv=3, inner_cv=2
    )
    page = Page(written(result, tmp_path / "report.html"))
    assert {image["alt"] for image in page.images} == {
        "Score of each outer fold, and the inner mean of its winner",
        "Confusion table",
        "ROC curves of each class against the rest, pooled",
        "Precision-recall curves of each class against the rest, pooled",
    }
    assert "roc_auc" in page.cells
    assert "virginica" in page.cells


def test_decision_values(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    result = nested_cross_validate(
        LinearSVC(), {"C": [1e-3]}, X / X.max(axis=0), y, scoring="roc_auc", outer_cv=2, inner_cv=2
    )
    page = Page(written(result, tmp_path / "report.html"))
    assert len(page.images) == len(BINARY) - 1


def test_a_regressor_has_no_classes(tmp_path):
    X = load_iris().data
    result = nested_cross_validate(
        LinearRegression(), {"fit_intercept": [True]}, X[:, :3], X[:, 3], scoring={"r2": "r2"},
        outer_cv=2, inner_cv=2,
    )  # fmt: skip
    page = Page(written(result, tmp_path / "report.html"))
    assert len(page.images) == 1
    assert "Classes" not in page.headings


def test_folds_of_one_row_have_no_curves_of_their_own(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::30], y[::30]
    result = nested_cross_validate(
        GaussianNB(), GRID, X, y, scoring="accuracy", outer_cv=LeaveOneOut(), inner_cv=2
    )
    page = Page(written(result, tmp_path / "report.html"))
    assert len(page.images) == len(BINARY) - 1
    figures = dict(_pictures_of_predictions(result.predictions))
    texts = figures["ROC curves of the class 1"].axes[0].get_legend().get_texts()
    assert [text.get_text().partition(" ")[0] for text in texts] == ["pooled"]


def test_one_class_has_no_pictures(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    result = nested_cross_validate(
        DummyClassifier(), {"strategy": ["prior"]}, X, np.ones_like(y), scoring="accuracy",
        outer_cv=2, inner_cv=2,
    )  # fmt: skip
    assert len(Page(written(result, tmp_path / "report.html")).images) == 1


def test_failed_fits_are_told(tmp_path):
    X, y = load_iris(return_X_y=True)
    with pytest.warns(FitFailedWarning, match="failed"):
        result = nested_cross_validate(
            GaussianNB(), {"var_smoothing": [1e-9, -1.0]}, X, y, scoring="accuracy", outer_cv=2,
            inner_cv=2,
        )  # fmt: skip
    page = Page(written(result, tmp_path / "report.html"))
    assert "Failed fits" in page.headings


def test_without_matplotlib(binary, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"skaucx\[plot\]"):
        binary.report(tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


@pytest.mark.skipif(BROWSER is None, reason="no headless browser is installed")
def test_shows_in_a_browser(binary_file, tmp_path):
    """All pictures are drawn, nothing is wider than the page, and the console stays empty."""
    probe = """<script>addEventListener("load", () => {
      const shown = [...document.images].map(i => i.naturalWidth > 300 && i.clientWidth > 300);
      const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
      document.title = `${shown.length} pictures, ${shown.filter(s => !s).length} missing, ${wide}`;
    })</script></body>"""
    watched = tmp_path / "watched.html"
    text = binary_file.read_text(encoding="utf-8")
    watched.write_text(text.replace("</body>", probe), encoding="utf-8")
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
        f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000", "--dump-dom",
        watched.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert re.search(r"<title>(.*)</title>", done.stdout)[1] == (
        f"{len(BINARY)} pictures, 0 missing, false"
    )
    assert "CONSOLE" not in done.stderr
