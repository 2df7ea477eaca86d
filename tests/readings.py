"""Every number of a result with its metric, sign and interval, read from whatever shows it."""

from __future__ import annotations

import functools
import html
import itertools
import re
from collections import defaultdict
from typing import Any, NamedTuple

from skaucx._text.reported import display_name

_NUMBER = r"(?:[<>] )?-?(?:[\d,]*\.?\d+(?:e[-+]?\d+)?|inf)|nan"
_TRIPLE = re.compile(rf"({_NUMBER})(?: \[({_NUMBER}), ({_NUMBER})\])?")
_ENDS = re.compile(rf"({_NUMBER}) to ({_NUMBER})")
_SIGNED = re.compile(rf"(\S[^.:]*? [\u2212-] [^=]*?) = ({_TRIPLE.pattern})")
# Statements of a verdict, those on a group with its name: "Worse: sex m, 284 rows, others 0.97 (...)".
_STATED = re.compile(
    rf"(?:: \w+ ([^:,]+), [\d,]+ rows, others \S+)? \(([A-Z][^()\[\]]*?|[a-z ]+?) ({_TRIPLE.pattern})\)"
)
# The groups furthest apart, of a page and of text.
_APART = re.compile(
    rf"(\S+) (?:{_NUMBER}) [\u2212-] (\S+) (?:{_NUMBER})(?: = |: difference )({_TRIPLE.pattern})"
)
_NEW_SITE = re.compile(rf"a new site ({_NUMBER}) to ({_NUMBER})")
_BAR = re.compile(r"[|o-]+")  # an interval in characters
_ESTIMATES = ("estimate [interval]", "mean [interval]", "estimate", "value", "mean", "difference")
_PARTS = ("estimator", "class", "site", "subgroup", "group", "groups")


class Readings(dict):
    """Numbers by metric and row: where each was read, with estimate and ends as written."""

    def __missing__(self, key):
        return self.setdefault(key, [])

    def add(self, where, metric, about, numbers):
        """Note a number; of a negated loss that of the loss, under the loss' name."""
        numbers = [str(x).replace(",", "") for x in numbers if x not in (None, "")]
        if (name := metric.removeprefix("neg_").removeprefix("negative ")) != metric:
            numbers = [_turned(x) for x in numbers]
            numbers[1:] = numbers[:0:-1]
        about = re.sub(r"\b\w+ = ", "", about).replace(" - ", " \u2212 ")  # "sex = f" is "f"
        self[display_name(name), about].append((where, numbers))

    def table(self, where, head, rows, caption="", of=""):
        """Note the numbers of a table; the metric is a column, or of estimators the caption."""
        named = [name.lower() for name in head]
        column = next((name for name in _ESTIMATES if name in named), None)
        ends = {"low", "interval"} & {*named}
        if column is None and named[0] in _PARTS:
            self.columns(where, head, rows, of)
        if column is None or "fold" in named or ("better" in named and not ends):
            return
        part = ""
        for cells in rows:
            if not any(cells[1:]):  # what the following rows are about
                part = "" if cells[0] == "overall" else cells[0]
                continue
            row = dict(zip(named, cells, strict=False))
            found = _TRIPLE.match(str(row[column]))
            if found is None:
                continue
            numbers = [*found.groups()]
            if "low" in named:
                numbers[1:] = row["low"], row["high"]
            elif ends := next((n for n in named if n.endswith("interval") and n != column), None):
                shown = "nan to nan" if row[ends] == "none" else row[ends]
                numbers[1:] = _ENDS.fullmatch(shown).groups()
            about = ", ".join(filter(None, [of, _about(row, part)]))
            about += " (pooled)" * ("the shipped predictions" in caption)
            metric = row["metric"] if "metric" in row else (head[0] and caption) or cells[0]
            if "metric" not in row and head[0] and not caption:  # a table a metric, a row a group
                metric, about = head[0], cells[0]
            self.add(where, metric, about, numbers)
            for ends in _NEW_SITE.findall(str(row[column])):
                self.add(where, metric, "a new site", (numbers[0], *ends))

    def columns(self, where, head, rows, of=""):
        """Note the intervals of a table with a row a group and a column a metric."""
        for about, *cells in rows:
            for metric, cell in zip(head[1:], cells, strict=True):
                found = _TRIPLE.fullmatch(cell)
                if found is not None and found[2]:
                    self.add(where, metric, ", ".join(filter(None, [of, about])), found.groups())

    def apart(self, where, metric, text):
        """Note the differences of the groups furthest apart, of a line or of the text below a table."""
        text = re.sub(rf"({_NUMBER}) \(({_NUMBER}) to ({_NUMBER})\)", r"\1 [\2, \3]", text)
        for first, second, *numbers in re.findall(_APART, text):
            self.add(where, metric, f"{first} \u2212 {second}", numbers[1:])

    def page(self, text, where="page"):
        """Note the numbers of the sentence and of all tables of HTML."""
        answer = re.search(r'<p class="answer">(.*?)</p>', text, flags=re.DOTALL)
        if answer is not None:
            self.sentence(f"{where}: headline", _plain(answer[1]))
        for cell in re.findall(r"<dd>(.*?)</dd>", text, flags=re.DOTALL):
            for about, metric, *numbers in re.findall(_STATED, _plain(cell)):
                self.add(f"{where}: verdict", metric, about, numbers[1:])
        of, k = "", 0
        for summary, drawn in re.findall(
            r"<summary>(.*?)</summary>|(<table.*?</table>)", text, flags=re.DOTALL
        ):
            if not drawn:  # what folds may be about one of several estimators
                of, mark, _ = _plain(summary).partition(": classes")
                of = of if mark else ""
                continue
            k += 1
            caption = _plain("".join(re.findall(r"<caption.*?</caption>", drawn, flags=re.DOTALL)))
            rows = [
                [_plain(c) for c in re.findall(r"<t[hd].*?</t[hd]>", row, flags=re.DOTALL)]
                for row in re.findall(r"<tr.*?</tr>", drawn, flags=re.DOTALL)
            ]
            if 'class="lines"' in drawn:
                metric = rows[0][0].partition(" by ")[0] if " by " in rows[0][0] else ""
                inner = ['"inner"' in row for row in re.findall(r"<tr[^>]*>", drawn)]
                cells = [
                    (under, row[0], *(row[2:] or row[1:]))
                    for under, row in zip(inner, rows, strict=True)
                ]
                self.lines(f"{where}: lines", [row for row in cells[1:] if row[1]], metric)
            else:
                self.table(f"{where}: table {k}", rows[0], rows[1:], caption, of)

    def lines(self, where, rows, metric=""):
        """Note the numbers of the first table of a page: headings name the metric of what follows."""
        last = ""
        for inner, name, *cells in rows:
            text = cells[0] if cells else ""
            found, of = _TRIPLE.match(text), metric or (last if inner else "")
            if _APART.match(text):
                self.apart(where, of, text)
            elif found is not None:
                self.add(where, of or name, name if of else "", found.groups())
                last = of or name
            else:
                metric = name.removeprefix("Differences in ")

    def sentence(self, where, text):
        """Note "a - b = 0.1 [0.0, 0.2]" with the metric that the sentence names before it."""
        metric = ""
        for part in re.split(r"(?<=[A-Za-z\d\]])\. ", text):
            named = re.search(r"(?:difference in|lower|higher) (.+?)(?: than|$)", part)
            metric = named[1] if named else metric
            for about, *numbers in re.findall(_SIGNED, part.rpartition(": ")[2]):
                self.add(where, metric, about, numbers[1:])

    def markdown(self, text, where="markdown"):
        """Note the numbers of the pipe tables."""
        for block in re.split(r"\n\n", html.unescape(text)):
            lines = [
                line.strip("| ").split(" | ") for line in block.splitlines() if line[:1] == "|"
            ]
            if lines:
                self.table(where, lines[0], lines[2:])

    def card(self, text, metrics, where="markdown"):
        """Note the numbers of a model card, whose facts are metrics among others."""
        for line in html.unescape(text).splitlines():
            cells = re.split(r" & | \| ", line.strip("|\\ "))
            if cells[0].strip() in metrics and len(cells) == 2:
                self.table(where, ["metric", "estimate"], [[cells[0].strip(), cells[1]]])

    def latex(self, text, where="latex"):
        """Note the numbers of the tables."""
        for block in re.findall(r"\\toprule(.*?)\\bottomrule", text, flags=re.DOTALL):
            lines = [line.removesuffix(r" \\") for line in block.splitlines() if " & " in line]
            cells = [re.sub(r"\\([%_&])", r"\1", line).split(" & ") for line in lines]
            self.table(where, cells[0], cells[1:])

    def terminal(self, text, where="text"):
        """Note the numbers of aligned columns; the first cell of a head names the metric."""
        for block in re.split(r"\n\n", text):
            rows = [
                [cell for cell in re.split(r" {2,}", line.strip()) if not _BAR.fullmatch(cell)]
                for line in block.splitlines()
            ]
            head, metric = rows[0], rows[0][0]
            if "value" in head and head[-1].endswith(
                "% interval"
            ):  # a table a metric, a row a group
                groups = [row for row in rows[1:] if len(row) == len(head)]
                self.table(where, ["group", *head[1:]], groups, metric)
                self.apart(where, metric, " ".join(block.split()))
                continue
            if metric != "test scores" and any(name.endswith("% interval") for name in head):
                metric = self.last if metric == "differences" else metric
                self.last = metric
                for name, *cells in rows[1:]:
                    row = dict(zip(head[1:], cells, strict=False))
                    first = row.get("mean", row.get("difference", ""))
                    span = next((row[n] for n in row if n.endswith("% interval")), "")
                    if re.fullmatch(_NUMBER, first) and (limits := _ENDS.fullmatch(span)):
                        self.add(where, metric, name, (first, *limits.groups()))
                continue
            for name, *cells in filter(lambda row: len(row) > 2, rows):  # a line a metric
                ends = [_ENDS.fullmatch(cell) for cell in cells[1:2]]
                if ends and ends[0] and re.fullmatch(_NUMBER, cells[0]):
                    self.add(where, name, "", (cells[0], *ends[0].groups()))

    last = ""


def _about(row, part):
    """Return what the numbers of a row are about: a pair, or what one of its columns names."""
    if "first" in row:
        return f"{row['first']} \u2212 {row['second']}"
    return next((str(row[name]) for name in _PARTS if row.get(name)), part)


class Form(NamedTuple):
    """One form of a result: its text, and how its numbers are noted."""

    where: str
    read: Any
    text: str


def readings_of(forms):
    """Return the numbers of all forms."""
    found = Readings()
    for where, read, text in forms:
        read(found, text, where)
    return found


_TOKEN = re.compile(r"(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d*)\.?\d+(?:e[-+]?\d+)?")


def _another(digit):
    return str((int(digit) + 3) % 10)


def _size(number):
    return round(abs(float(number.strip("<> ").replace(",", ""))), 9)


def _with_digit(number, k):
    """Return a number with another digit at the k-th of its places that are not leading zeros."""
    places = [m.start() for m in re.finditer(r"\d", number.partition("e")[0])]
    while len(places) > 1 and number[places[0]] == "0":
        del places[0]
    at = places[min(k, len(places) - 1)]
    return number[:at] + _another(number[at]) + number[at + 1 :]


SPOIL = {
    "second digit": lambda number, following: (_with_digit(number, 1), following),
    "last digit": lambda number, following: (_with_digit(number, 99), following),
    "sign": lambda number, following: (number[1:] if number[0] == "-" else f"-{number}", following),
    "limits": lambda number, following: (following, number),
}


def places_of(text, numbers):
    """Return where a text has some numbers, outside of tags."""
    tags = [m.span() for m in re.finditer(r"<[^<>]*>", text)] if "</t" in text else []
    inside = {k for start, end in tags for k in range(start, end)}
    return [
        m.span() for m in _TOKEN.finditer(text)
        if m.start() not in inside and _size(m[0]) in numbers
    ]  # fmt: skip


def spoilt(text, spoil, found, phase, step):
    """Return a text with every step-th of the found numbers spoilt, or exchanged with the next one."""
    pairs = [*itertools.pairwise([*found, (len(text), len(text))])]
    for (a, b), (c, d) in pairs[phase::step][::-1]:
        one, other = spoil(text[a:b], text[c:d])
        text = text[:a] + (one or text[a:b]) + text[b:c] + other * bool(one) + text[d:]
    return text


def _is_wanted(kind, numbers, k, others):
    """Whether the k-th of the numbers can be told from those of other forms if it is spoilt so."""
    others = [x for other in others for x in other[k : k + 1]]
    places, digits = _places(numbers[k]), re.sub("^[-0.]*", "", numbers[k])
    if not others or not re.search("[1-9]", digits):
        return False
    if kind == "limits":
        return k == 1 and float(numbers[2]) - float(numbers[1]) > 2.5 * 10.0**-places
    if kind == "last digit":
        return places <= 6 and max(map(_places, others)) >= places
    return len(digits) > (kind == "second digit")


def unnoticed(forms):
    """Return each number of a form that can be wrong and agrees with the other forms all the same."""
    drawn = re.compile(r"<(svg|script|style)\b.*?</\1>", flags=re.DOTALL)
    forms = [form._replace(text=drawn.sub("", form.text)) for form in forms]
    return [one for form in forms for kind in SPOIL for one in _unnoticed(form, kind, forms)]


def _unnoticed(form, kind, forms):
    base, own = readings_of([one for one in forms if one is not form]), readings_of([form])
    wanted = {
        (key, n, k)
        for key, found in own.items()
        for n, (_, numbers) in enumerate(found)
        for k in range(len(numbers))
        if _is_wanted(kind, numbers, k, [other for _, other in base.get(key, [])])
    }
    assert wanted or kind == "last digit", (form.where, kind)
    held = {_size(x) for key, *_ in wanted for _, numbers in own[key] for x in numbers}
    at = places_of(form.text, held)
    # A number that is spoilt together with the label of its row by one step is alone by the other.
    for phase, step in [(first, every) for every in (5, 7) for first in range(every)]:
        text = spoilt(form.text, SPOIL[kind], at, phase, step)
        after = readings_of([form._replace(text=text)])
        for key, found in own.items():
            for n, (one, other) in enumerate(zip(found, after.get(key, []), strict=False)):
                pairs = enumerate(zip(one[1], other[1], strict=False))
                changed = {k for k, pair in pairs if len({*pair}) > 1}
                if kind == "limits" and changed != {1, 2}:
                    continue
                if changed and list(disagreements({key: [*base.get(key, []), other]})):
                    wanted -= {(key, n, k) for k in changed}
    return [(kind, own[key][n][0], *key, own[key][n][1]) for key, n, k in sorted(wanted)]


def disagreements(readings):
    """Yield numbers of one metric and row that differ beyond their last digits, or by their sign."""
    for key, found in readings.items():
        first = max(found, key=lambda one: max(map(_places, one[1]), default=0))
        for where, numbers in found:
            for a, b in zip(first[1], numbers, strict=False):
                if not _agree(a, b):
                    yield key, first[0], where, a, b


def _agree(a, b):
    if a == b:
        return True
    x, y = (float(re.sub("[<>] ", "", text)) for text in (a, b))
    if x != x or y != y:
        return x != x and y != y
    room = 0.5 * sum(10.0 ** -_places(text) for text in (a, b)) + 1e-9
    room += sum(abs(v) for v, text in ((x, a), (y, b)) if text[0] in "<>") * 1.01
    return abs(x - y) <= room or abs(x - y) <= 1e-3 * abs(x) > 0.1  # digits of great numbers


def _places(text):
    return len(str(text).partition(".")[2]) if "e" not in text else 12


def _turned(text):
    mark, number = re.fullmatch(r"([<>] )?(.*)", text).groups()
    number = number[1:] if number.startswith("-") else f"-{number}" if number != "nan" else number
    return ({"< ": "> ", "> ": "< "}.get(mark, "")) + number


@functools.lru_cache(1 << 14)
def _plain(text):
    text = re.sub(r"<wbr/?>", "", text)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def places(readings):
    """Return where each number was read."""
    found = defaultdict(set)
    for key, each in readings.items():
        found[key] |= {where.partition(":")[0] for where, _ in each}
        found[key] |= {where for where, _ in each if "headline" in where or "lines" in where}
    return found
