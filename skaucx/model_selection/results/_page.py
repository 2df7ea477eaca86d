"""A page that shows itself without a network: text, tables and pictures are inside it."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from html import escape
from string import Template
from typing import Any

# Sharp on a screen of twice the usual density, and small enough for a dozen in one page.
_DOTS_PER_INCH = 144

_PAGE = Template(
    """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1, h2 { line-height: 1.2; }
section { margin-top: 2.5rem; }
section > div { overflow-x: auto; }
pre { border: 1px solid; font-size: 0.875rem; overflow-x: auto; padding: 0.8rem; }
.pictures { align-items: flex-start; display: flex; flex-wrap: wrap; gap: 1rem; }
figure { background: #fff; color: #000; margin: 0; max-width: 100%; padding: 0.5rem; }
figure img { display: block; height: auto; max-width: 100%; }
figcaption { font-size: 0.875rem; max-width: 40rem; }
table { font-variant-numeric: tabular-nums; }
@media print { figure, table, pre { break-inside: avoid; } }
</style>
</head>
<body>
<h1>$title</h1>
$sections
</body>
</html>
"""
)


def page(title: str, sections: Iterable[tuple[str, str]]) -> str:
    """Return a page of sections, each a heading with its HTML; empty ones are left out."""
    body = "\n".join(
        f"<section>\n<h2>{escape(heading)}</h2>\n<div>{content}</div>\n</section>"
        for heading, content in sections
        if content
    )
    return _PAGE.substitute(title=escape(title), sections=body)


def preformatted(text: str) -> str:
    """Return text as it stands."""
    return f"<pre>{escape(text)}</pre>"


def pictures(figures: Iterable[tuple[str, Any]]) -> str:
    """Return matplotlib figures with their captions; nothing where there is none."""
    shown = [
        f'<figure><img src="{_data_uri(figure)}" alt="{escape(caption)}" '
        f'width="{round(figure.get_figwidth() * 96)}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
        for caption, figure in figures
    ]
    return f'<div class="pictures">{"".join(shown)}</div>' if shown else ""


def _data_uri(figure: Any) -> str:
    with io.BytesIO() as file:
        figure.savefig(file, format="png", dpi=_DOTS_PER_INCH, bbox_inches="tight")
        return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
