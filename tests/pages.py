"""What stands on a page."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """Headings, pictures, table cells, links and words of a page."""

    def __init__(self, text):
        super().__init__()
        self.text = text
        self.unseen = []
        self.open, self.headings, self.images, self.links = [], [], [], []
        self.rows, self.words, self.first = [], [], None
        self.facts, self.answer, self.place = [], "", None
        self.feed(text)
        self.close()
        self.cells = [cell for row in self.rows for cell in row if cell]

    @property
    def first_screen(self):
        """The words before the first part that folds."""
        return self.words[: self.first]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.place = attributes.get("class") if tag == "p" else tag
        # Ticks of a picture, and what appears once a control is moved, are no words of the page.
        if tag not in ("meta", "link", "img", "input"):
            self.unseen.append({"hidden", "aria-hidden"} & {*attributes} != set())
        if tag == "details" and self.first is None:
            self.first = len(self.words)
        if tag not in ("meta", "link", "img", "input"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "svg" and "aria-label" in attributes:
            self.images.append(attributes["aria-label"])
        self.links += [
            attributes[key] for key in ("href", "src", "xlink:href") if key in attributes
        ]

    def handle_startendtag(self, tag, attrs):
        attributes = dict(attrs)
        self.links += [
            attributes[key] for key in ("href", "src", "xlink:href") if key in attributes
        ]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.unseen.pop()
        self.place = None

    def handle_data(self, data):
        if self.place == "dd" and data.strip():
            self.facts.append(data)
        if self.place == "answer":
            self.answer += data.strip()
        if "main" in self.open and "svg" not in self.open and not any(self.unseen):
            self.words += data.split()
        if self.open and self.open[-1] in ("h1", "h2", "summary"):
            self.headings.append(data)
        if {"td", "th"} & {*self.open}:
            self.rows[-1][-1] += data.strip()
