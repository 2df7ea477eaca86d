"""Print one table of all metrics, from the registry."""

from __future__ import annotations

from skaucx.metrics import list_metrics

HEAD = ("metric", "meaning", "also called", "reads", "range", "better", "proper", "source")


def main() -> None:
    print(tables())


def tables() -> str:
    """Return the table in Markdown, a row a metric, family after family."""
    families = dict.fromkeys(row.family for row in list_metrics())
    rows = sorted(list_metrics(), key=lambda row: list(families).index(row.family))
    lines = [HEAD, ("---",) * len(HEAD)]
    for row in rows:
        facts = (row.summary.rstrip("."), *row.facts()[1:], row.source)
        lines.append((f"`{row.function}`", *facts))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    main()
