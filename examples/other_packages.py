"""What other packages lack, searched in their public names: the third column of the README's table.

``python examples/other_packages.py`` reads the files of each package that is installed, and prints for
each thing that the README says it has not the names that match; "none" supports the table.
"""

from __future__ import annotations

import ast
import importlib.metadata
import re
from functools import cache
from pathlib import Path

# What a name would hold. Words of a name are parted by "_" or capitals, which the search ignores.
SEARCHED = {
    "AUC variants": r"scor_?auc|soft_?auc|sond|prob_?auc|mm\d+_?auc",
    "DeLong's test": r"delong",
    "NPV": r"(^|_)npv($|_)|negative_?predictive",
    "P4": r"(^|_)p4(_|$)",
    "intervals": r"confidence_?interval|(^|_)ci($|_)|boot|wilson",
    "intervals in closed form": r"confidence_?interval|wilson|clopper|delong",
    "nested runs": r"nested",
    "scorers": r"make_?scorer|get_?scorer",
    "simultaneous limits of gaps": r"simultaneous|bonferroni|sup_?t($|_)|holm",
    "specificity": r"specificity",
    "paired tests": r"mcnemar|delong|paired.*test|5x2|cochran_q|friedman_?test",
}
# The README's rows: the distribution, and what it has not.
ROWS = {
    "scikit-learn": ("specificity", "NPV", "nested runs", "intervals", "paired tests"),
    "imbalanced-learn": (
        "NPV", "P4", "AUC variants", "intervals", "paired tests", "nested runs",
    ),
    "pycm": ("scorers", "AUC variants", "nested runs", "paired tests"),
    "mlxtend": ("DeLong's test", "AUC variants", "nested runs"),
    "nestkit": ("AUC variants", "DeLong's test"),
    "torchmetrics": (
        "AUC variants", "intervals in closed form", "paired tests", "nested runs",
    ),
    "fairlearn": ("simultaneous limits of gaps", "paired tests", "nested runs"),
}  # fmt: skip


@cache
def public_names(package: str) -> set[str]:
    """Return the public functions, classes and methods that a package's files define, tests apart."""
    found: set[str] = set()
    for file in importlib.metadata.files(package) or ():
        parts = file.parts
        if file.suffix != ".py" or any("test" in part or "externals" in part for part in parts):
            continue
        tree = ast.parse(Path(str(file.locate())).read_text(encoding="utf-8"))
        kinds = ast.FunctionDef, ast.ClassDef
        found |= {n.name for n in ast.walk(tree) if isinstance(n, kinds) and n.name[0] != "_"}
    return found


def main() -> None:
    """Print the names that match, a line a package and thing."""
    for package, missing in ROWS.items():
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"{package}: not installed")
            continue
        names = public_names(package)
        print(f"{package} {version}, {len(names)} public names")
        for thing in missing:
            match = re.compile(SEARCHED[thing], re.IGNORECASE)
            hits = sorted(name for name in names if match.search(name))
            print(f"  {thing}: {', '.join(hits) or 'none'}")


if __name__ == "__main__":
    main()
