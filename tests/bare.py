"""The wheel with its four dependencies alone: six blocks of at most five lines run and print.

``python -m tests.bare`` builds the wheel, installs it into a fresh environment without any extra, and
runs each block there; what needs an extra has to name it. It also compares the processor time to the
first number with that of scikit-learn. ``python -m tests.bare --types`` checks the types of the blocks
with mypy in strict mode, and with pyright where it is installed.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = """
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
X, y = load_breast_cancer(return_X_y=True)
model = GaussianNB().fit(X[::2], y[::2])
true, score = y[1::2], model.predict_proba(X[1::2])[:, 1]
"""
BLOCKS = {
    "a function": """
from skaucx.metrics import specificity_score
print(specificity_score(true, score > 0.5))
""",
    "a scorer": """
from skaucx.metrics import get_scorer
print(cross_val_score(GaussianNB(), X, y, scoring=get_scorer("npv")))
""",
    "a search": """
from skaucx.metrics import get_scorer
grid = {"var_smoothing": [1e-9, 1e-3]}
print(GridSearchCV(GaussianNB(), grid, scoring=get_scorer("npv")).fit(X, y).best_params_)
""",
    "a nested run": """
from skaucx import nested_cross_validate
grid = {"var_smoothing": [1e-9, 1e-3]}
print(nested_cross_validate(GaussianNB(), grid, X, y, scoring=["roc_auc", "npv"]).summary())
""",
    "an interval": """
from skaucx import interval
print(interval("roc_auc", true, score))
""",
    "an evaluation": """
from skaucx import evaluate
print(evaluate(true, y_score=score))
""",
}
# What needs an extra, and the extra that the error names.
EXTRAS = {
    "from skaucx import report; report('page.html', true, y_score=score)": "skaucx[report]",
    "from skaucx.metrics import RocCurveDisplay as D; D.from_predictions(true, score)": "skaucx[plot]",
    "from skaucx import evaluate; evaluate(true, y_score=score).to_frame()": "skaucx[frames]",
    "from skaucx import evaluate; evaluate('a', y_score='b', data='x.csv')": "skaucx[files]",
}
LINES, COLUMNS = 50, 100
FIRST = "from {}.metrics import recall_score; print(recall_score([0, 1, 1], [0, 1, 0]))"


def main() -> None:
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        python = installed(Path(folder))
        for name, block in BLOCKS.items():
            done = run(python, DATA + block, folder)
            lines = done.stdout.splitlines()
            fits = 0 < len(lines) <= LINES and max(map(len, lines)) <= COLUMNS
            good = not done.returncode and fits and len(block.strip().splitlines()) <= 5
            failed += not good
            print(f"{name}: {'good' if good else 'BAD'}\n{done.stdout or done.stderr[-600:]}")
        for code, extra in EXTRAS.items():
            done = run(python, DATA + code, folder)
            last = (done.stderr.strip().splitlines() or ["no error"])[-1]
            good = done.returncode and extra in last
            failed += not good
            print(f"{extra}: {'named' if good else 'BAD'}: {last[:200]}")
        own, theirs = (first_number(python, name, folder) for name in ("skaucx", "sklearn"))
        print(
            f"processor time to the first number: {own:.2f} s, {own / theirs:.2f} of scikit-learn's"
        )
    sys.exit(bool(failed))


def first_number(python: Path, package: str, folder: str) -> float:
    """Return the least processor seconds of some processes that compute one value."""
    seconds = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(python, FIRST.format(package), folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(seconds)


def check_types() -> None:
    """Check all blocks as one file; pyright's strict mode refuses names without types."""
    code = DATA + "".join(BLOCKS.values())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "blocks.py"
        file.write_text(code, encoding="utf-8")
        checkers = [[sys.executable, "-m", "mypy", "--strict", "--no-error-summary", file]]
        if shutil.which("pyright"):
            checkers.append(["pyright", file])
        sys.exit(max(subprocess.run(each, cwd=ROOT, check=False).returncode for each in checkers))


def installed(folder: Path) -> Path:
    """Return the interpreter of a fresh environment with the wheel and its four dependencies."""
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps"]
    subprocess.run([*build, "-w", folder, ROOT], check=True)
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    (wheel,) = folder.glob("*.whl")
    subprocess.run([python, "-m", "pip", "install", "-q", wheel], check=True)
    return python


def run(python: Path, code: str, folder: str) -> subprocess.CompletedProcess[str]:
    """Run code where this checkout is not importable."""
    command = [python, "-W", "ignore", "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    check_types() if sys.argv[1:] == ["--types"] else main()
