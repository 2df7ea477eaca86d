"""The wheel with its four dependencies alone: a line a door runs, and a missing extra is named.

``python -m tests.wheel`` builds the wheel, installs it into a fresh environment and runs each line.
``python -m tests.wheel --types`` checks the types of the lines with mypy in strict mode.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = """
import skaucx
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from skaucx import evaluate, inference, interval, metrics, nested_cross_validate, report, study
X, y = load_breast_cancer(return_X_y=True)
model = GaussianNB().fit(X[::2], y[::2])
true, score = y[1::2], model.predict_proba(X[1::2])[:, 1]
called, grid = score > 0.5, {"var_smoothing": [1e-9, 1e-3]}
"""
DOORS = {
    "function": "print(metrics.specificity_score(true, called))",
    "scorer": "print(metrics.get_scorer('npv')(model, X[1::2], true))",
    "evaluate": "print(evaluate(true, y_score=score))",
    "interval": "print(interval('roc_auc', true, score))",
    "paired test": "print(inference.delong_test(true, score, score**2 * (1 - score)))",
    "nested run": "print(nested_cross_validate(GaussianNB(), grid, X, y, scoring='roc_auc').summary())",
    "study": "print(study.count_violations(study.parse_sets('1p .8p .6p .4n .2n 0n')))",
}
COMMAND = "skaucx", "metrics", "PPV"
# What needs an extra, and the extra that the error names.
EXTRAS = {
    "report('page.html', true, y_score=score)": "skaucx[report]",
    "metrics.RocCurveDisplay.from_predictions(true, score)": "skaucx[plot]",
    "evaluate(true, y_score=score).to_frame()": "skaucx[frames]",
    "open('x.parquet', 'w'); evaluate('a', y_score='b', data='x.parquet')": "skaucx[files]",
}


def main() -> None:
    """Print what each line prints in an environment with the wheel, and end with 1 if one fails."""
    with tempfile.TemporaryDirectory() as folder:
        scripts = installed(Path(folder))
        python, failed = (scripts / "python", "-W", "ignore", "-c"), 0
        calls = {name: (*python, DATA + line) for name, line in DOORS.items()}
        for name, call in {**calls, "command": (scripts / COMMAND[0], *COMMAND[1:])}.items():
            done = run(folder, *call)
            good = not done.returncode and done.stdout.strip()
            print(f"{name}: {'good' if good else 'FAILED'}\n{done.stdout or done.stderr[-600:]}")
            failed += not good
        for line, extra in EXTRAS.items():
            done = run(folder, *python, DATA + line)
            last = (done.stderr.strip().splitlines() or ["no error"])[-1]
            named = done.returncode and extra in last
            print(f"{extra}: {'named' if named else 'NOT NAMED'}: {last[:200]}")
            failed += not named
    sys.exit(bool(failed))


def installed(folder: Path) -> Path:
    """Return the scripts of a fresh environment with the wheel and its four dependencies."""
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT]
    subprocess.run(build, check=True)
    venv.create(folder / "venv", with_pip=True)
    (wheel,), scripts = folder.glob("*.whl"), folder / "venv" / "bin"
    subprocess.run([scripts / "python", "-m", "pip", "install", "-q", wheel], check=True)
    return scripts


def run(folder: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command where this checkout is not importable."""
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def check_types() -> None:
    """Check all lines as one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "doors.py"
        file.write_text("\n".join([DATA, *DOORS.values()]), encoding="utf-8")
        check = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", file]
        sys.exit(subprocess.run(check, cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    check_types() if sys.argv[1:] == ["--types"] else main()
