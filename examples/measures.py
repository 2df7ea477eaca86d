"""Print tables of all metrics, a family each, from the registry."""

from __future__ import annotations

import math
import sys

from skaucx.metrics import list_metrics


def main() -> None:
    print(tables())


def tables() -> str:
    """Return the tables in Markdown, one a family, a row a metric."""
    families = dict.fromkeys(row.family for row in list_metrics())
    return "\n\n".join(_table(family) for family in families)


def _table(family: str) -> str:
    rows = [row for row in list_metrics() if row.family == family]
    title = (sys.modules[rows[0].formula.__module__].__doc__ or "").partition("\n")[0]
    lines = [
        f"**{title}**\n",
        "| function | meaning | range | better | scorer | also called | source |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        better = {True: "high", False: "low", None: "neither"}[row.greater_is_better]
        lines.append(
            f"| `{row.function}` | {row.summary.rstrip('.')} | {_range(*row.bounds)} "
            f"| {better} | `{row.scorer_name}` | {', '.join(row.aliases)} | {row.source} |"
        )
    return "\n".join(lines)


def _range(low: float, high: float) -> str:
    left = "(-inf" if math.isinf(low) else f"[{low:g}"
    return f"{left}, inf)" if math.isinf(high) else f"{left}, {high:g}]"


if __name__ == "__main__":
    main()
