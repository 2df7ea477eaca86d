"""What stands on a page."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """Headings, pictures, table cells and links of a page."""

    def __init__(self, text):
        super().__init__()
        self.text = text
        self.open, self.headings, self.images, self.links = [], [], [], []
        self.rows = []
        self.feed(text)
        self.close()
        self.cells = [cell for row in self.rows for cell in row if cell]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in ("meta", "link", "img", "input"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "svg":
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

    def handle_data(self, data):
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
