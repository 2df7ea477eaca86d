"""A page in one file that needs no network: text, tables, pictures and a small script."""

from __future__ import annotations

import io
import json
import os
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from ..._compat import import_pyplot
from ..._plotting import LIGHT
from ..._plotting.style import DARK
from ..._text.html import preformatted

# Placeholder colours, replaced by those of the page in the final drawing.
_INK, _PAPER = "#010101", "#fefefe"
_POINTS = 250  # of a curve that shows its values under the pointer


@dataclass(frozen=True)
class Hover:
    """A curve that shows its values under the pointer, and follows the threshold of the page."""

    x: Any
    y: Any
    thresholds: Any
    names: tuple[str, str]


@contextmanager
def page_style() -> Iterator[None]:
    """Draw in the colours of the page, independent of the caller's style, and close the figures."""
    pyplot = import_pyplot()
    opened = set(pyplot.get_fignums())
    ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    paper = ("axes.facecolor", "figure.facecolor", "legend.facecolor")
    colours = dict.fromkeys(ink, _INK) | dict.fromkeys(paper, _PAPER)
    try:
        with (
            pyplot.style.context("default"),
            pyplot.rc_context(colours | {"legend.edgecolor": "0.6"}),
        ):
            yield
    finally:
        for number in set(pyplot.get_fignums()) - opened:
            pyplot.close(number)


def figure(
    caption: str,
    draw: Callable[..., Any],
    hover: Hover | None = None,
    size: tuple[float, float] = (5.0, 4.2),
) -> str:
    """Return a picture of a size in inches with its caption; ``draw(ax=...)`` returns a display."""
    _, ax = import_pyplot().subplots(figsize=size, layout="constrained")
    display = draw(ax=ax)
    data = "" if hover is None else _data(display, hover)
    return (
        f"<figure{data}>{_svg(display.figure_, caption)}"
        f"<figcaption>{escape(caption)}{'<output></output>' if data else ''}</figcaption></figure>"
    )


def _svg(drawn: Any, caption: str) -> str:
    """Return a figure as SVG whose ink, paper and lines are variables of the page."""
    with io.StringIO() as file:
        drawn.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        text = file.getvalue()
    import_pyplot().close(drawn)
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    variables = {_INK: "--ink", _PAPER: "--paper"}
    variables |= {colour.lower(): f"--line{k}" for k, colour in enumerate(LIGHT)}
    for colour, name in variables.items():
        text = text.replace(colour, f"var({name})")
    width, height = (72 * inches for inches in drawn.get_size_inches())
    head = (
        f'<svg role="img" aria-label="{escape(caption, quote=True)}" '
        f'viewBox="0 0 {width:g} {height:g}" style="width: {width / 72 * 7:.1f}rem">'
    )
    return head + text[text.index(">") + 1 :]


def _data(display: Any, hover: Hover) -> str:
    """Return the points of a curve in shares of the picture, for the script of the page."""
    ax, drawn = display.ax_, display.figure_
    drawn.draw_without_rendering()
    keep = np.unique(np.linspace(0, len(hover.x) - 1, _POINTS).round().astype(int))
    x, y, t = (np.asarray(part, float)[keep] for part in (hover.x, hover.y, hover.thresholds))
    pixels = ax.transData.transform(np.column_stack([x, y])) / drawn.bbox.size
    points = np.column_stack([pixels[:, 0], 1 - pixels[:, 1], x, y, t])
    rows = [[_plain(number) for number in row] for row in points if np.isfinite(row[:4]).all()]
    told = json.dumps({"points": rows, "names": hover.names}, separators=(",", ":"))
    return f' data-curve="{escape(told, quote=True)}"'


def _plain(number: float) -> float | None:
    return float(f"{number:.4g}") if np.isfinite(number) else None


def figures(parts: Sequence[str]) -> str:
    """Return pictures side by side, as many as the page is wide."""
    return f'<div class="pictures">{"".join(parts)}</div>' if parts else ""


_STYLE = Template(
    """:root { color-scheme: light dark; --ink: #111; --paper: #fff; --faint: #8886; $light }
@media (prefers-color-scheme: dark) { :root { --ink: #eee; --paper: #161616; $dark } }
* { box-sizing: border-box; }
body { background: var(--paper); color: var(--ink); font: 16px/1.45 system-ui, sans-serif;
  margin: 1.5rem auto; max-width: 84rem; padding: 0 1rem; }
h1, h2 { line-height: 1.2; margin: 0 0 .6rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.2rem; }
.lead { font-size: 1.5rem; margin: .2rem 0; } .lead b { font-size: 2rem; }
main { display: grid; gap: 1.5rem 2rem; grid-template-columns: repeat(auto-fit,
  minmax(min(100%, 34rem), 1fr)); }
section { min-width: 0; } section.wide { grid-column: 1 / -1; }
.pictures { align-items: flex-start; display: flex; flex-wrap: wrap; gap: 1rem; }
figure { margin: 0; max-width: 100%; position: relative; }
figure svg { display: block; height: auto; max-width: 100%; }
.pictures .table { align-self: center; max-width: 100%; }
figcaption { font-size: .875rem; max-width: 36rem; }
output { display: block; font-variant-numeric: tabular-nums; min-height: 1.4em; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0 0 .8rem !important; }
caption { caption-side: top; font-size: .875rem; padding-bottom: .3rem; }
th, td { padding: .2rem .6rem !important; vertical-align: top; }
td { overflow-wrap: break-word; }
td { border-bottom: 1px solid var(--faint) !important; }
th { border-bottom: 1px solid var(--ink) !important; }
pre { border: 1px solid var(--faint); font-size: .8rem; padding: .6rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
input[type=range] { width: 100%; }
@media (max-width: 40rem) { body { padding: 0 .6rem; } .lead b { font-size: 1.6rem; }
  table { font-size: .8rem; } th, td { padding: .15rem .3rem !important; } }
@media print { :root { --ink: #000; --paper: #fff; $light } body { font-size: 10pt; margin: 0; }
  main, .pictures { display: block; } section { margin-bottom: 1rem; }
  .live, section:has(> .live) { display: none; } output, svg > circle { display: none; }
  th, td { padding: .12rem .35rem !important; }
  .pictures { orphans: 1; widows: 1; }
  .pictures .table { display: inline-block; vertical-align: top; }
  .values :is(td, th):nth-child(n+8):last-child { display: none; }
  .pictures figure { display: inline-block; margin: 0 1% .6rem 0; vertical-align: top; width: 48%; }
  figure, tr, pre, p { break-inside: avoid; } h2, caption { break-after: avoid; }
  .table { overflow: visible; } table { font-size: 8.5pt; }
  figure svg { max-width: min(100%, 100mm); } }"""
)

_SCRIPT = """
const near = (rows, key, at) => rows.reduce((best, row) =>
  row[key] !== null && Math.abs(row[key] - at) < Math.abs((best ? best[key] : 1e300) - at)
    ? row : best, null);
const short = x => x === null ? "none" : Math.abs(x) < 1e-3 && x ? x.toExponential(1)
  : x.toPrecision(3);
const curves = [...document.querySelectorAll("figure[data-curve]")].map(figure => {
  const data = JSON.parse(figure.dataset.curve), svg = figure.querySelector("svg");
  const box = svg.viewBox.baseVal, out = figure.querySelector("output");
  const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  dot.setAttribute("r", 5); dot.setAttribute("fill", "none");
  dot.setAttribute("stroke", "var(--ink)"); dot.setAttribute("stroke-width", 2);
  dot.style.display = "none"; svg.append(dot);
  const show = row => { if (!row) return; dot.style.display = "";
    dot.setAttribute("cx", row[0] * box.width); dot.setAttribute("cy", row[1] * box.height);
    out.textContent = `${data.names[0]} ${short(row[2])}, ${data.names[1]} ${short(row[3])}`
      + (row[4] === null ? "" : `, threshold ${short(row[4])}`); };
  svg.addEventListener("pointermove", event => { const held = svg.getBoundingClientRect();
    show(near(data.points, 0, (event.clientX - held.left) / held.width)); });
  return threshold => show(near(data.points, 4, threshold));
});
document.querySelectorAll("[data-thresholds]").forEach(part => {
  const rows = JSON.parse(part.dataset.thresholds), slider = part.querySelector("input");
  const move = () => { const [t, tp, fp, fn, tn] = rows[slider.value], ratio = (a, b) =>
      b ? short(a / b) : "undefined";
    const told = { t: short(t), tp, fp, fn, tn, recall: ratio(tp, tp + fn),
      specificity: ratio(tn, tn + fp), precision: ratio(tp, tp + fp), npv: ratio(tn, tn + fn),
      f1: ratio(2 * tp, 2 * tp + fp + fn), accuracy: ratio(tp + tn, tp + fp + fn + tn) };
    for (const [name, value] of Object.entries(told))
      part.querySelector(`[data-of=${name}]`).textContent = value;
    slider.setAttribute("aria-valuetext", `threshold ${told.t}`); curves.forEach(f => f(t)); };
  slider.addEventListener("input", move); move();
});
"""

_PAGE = Template(
    """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>$title</title>
<style>
$style
</style>
</head>
<body>
<h1>$title</h1>
<main>
$sections
</main>
<script>$script</script>
</body>
</html>
"""
)


def write_page(path: str | PathLike[str], text: str) -> Path:
    """Write a page whole or, where that fails, not at all, and return its file."""
    written = Path(path)
    target = written.resolve()
    if target.exists() and not target.is_file():  # such as a pipe
        target.write_text(text, encoding="utf-8")
        return written
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    return written


def page(title: str, sections: Iterable[tuple[str, str]]) -> str:
    """Return a page of sections, each a heading with its HTML; empty ones are omitted.

    A heading that ends in a star takes the whole width.
    """
    parts = []
    for heading, content in sections:
        if not content:
            continue
        wide = ' class="wide"' if heading.endswith("*") else ""
        named = f"<h2>{escape(heading.removesuffix('*'))}</h2>\n" if heading != "*" else ""
        parts.append(f"<section{wide}>\n{named}{_scrolling(content)}\n</section>")
    lines = [
        " ".join(f"--line{k}: {colour};" for k, colour in enumerate(colours))
        for colours in (LIGHT, DARK)
    ]
    style = _STYLE.substitute(light=lines[0], dark=lines[1])
    return _PAGE.substitute(
        title=escape(title), style=style, sections="\n".join(parts), script=_SCRIPT
    )


def _scrolling(content: str) -> str:
    """Make a table that is wider than the page scrollable."""
    return content.replace("<table", '<div class="table"><table').replace(
        "</table>", "</table></div>"
    )


def lead(name: str, estimate: str, ends: str, words: str) -> str:
    """Return the headline: a number, its interval, and its target."""
    return (
        f'<p class="lead">{escape(name)} <b>{escape(estimate)}</b> {escape(ends)}</p>'
        f"<p>{escape(words)}</p>"
    )


def origin(call: str) -> str:
    """Return the code that made the numbers, and the versions that it ran with."""
    packages = ("skaucx", "scikit-learn", "numpy", "scipy", "joblib")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    lines = [call] if call else []
    return preformatted("\n\n".join([*lines, f"Python {platform.python_version()}, {versions}"]))
