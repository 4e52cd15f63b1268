"""What is wrong with the Japanese of a page: English punctuation, needless spaces, English sentences."""

from __future__ import annotations

import re
from collections.abc import Collection
from html.parser import HTMLParser

INLINE = frozenset(["a", "abbr", "b", "bdi", "em", "i", "kbd", "small", "span", "strong", "sup", "time"])
VOID = frozenset(["br", "hr", "img", "input", "link", "meta", "path", "rect", "line", "circle", "use", "wbr"])
UNREAD = frozenset(["code", "pre", "script", "style", "textarea", "template"])
SPOKEN = ("aria-label", "title", "placeholder", "aria-description", "alt", "data-label")
THING = "\N{OBJECT REPLACEMENT CHARACTER}"
"""In place of code and of English that is marked as such."""

LETTER = "[ぁ-ヶー々一-鿿」）]"
WRONG = {
    "half-width punctuation": re.compile(rf"{LETTER}\s?[:;,!?](?![\d/])|{LETTER}\.(?=\s|$)"),
    "a space after full-width punctuation": re.compile(r"[。、：；]\s\S"),
    "an ampersand between seats": re.compile(r"\d\s&\s\d"),
    "an English sentence": re.compile(r"\b[A-Za-z]{2,}(?:,? [A-Za-z]+){2,}"),
}


class _Reader(HTMLParser):
    """Collects the texts of a page, block by block, and those of its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = [""]
        self.open: list[tuple[str, bool]] = []
        """Names of the elements around, and whether what is in them is left out."""

    @property
    def is_left_out(self) -> bool:
        return any(is_out for _, is_out in self.open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_out = tag in UNREAD or given.get("lang") == "en"
        if tag not in INLINE and tag not in UNREAD:
            self.texts.append("")
        elif is_out:
            self.texts[-1] += THING
        if not is_out and not self.is_left_out:
            self.texts[:-1] += [text for name in SPOKEN if (text := given.get(name))]
        if tag not in VOID:
            self.open.append((tag, is_out))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass
        if tag not in INLINE and tag not in UNREAD:
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        if not self.is_left_out:
            self.texts[-1] += data


def faults_of(page: str, names: Collection[str] = ()) -> list[str]:
    """What is wrong with a page, each with the text around; ``names`` are what people called their things.

    >>> faults_of('<p>席1: 勝ち。 <a href="/">負け</a></p><p lang="en">Not in Japanese.</p>')
    ['a space after full-width punctuation: 席1: 勝ち。 負け']
    >>> faults_of("<p>得点, 順位</p><p title='Nobody has won yet'>席1 & 3</p><p>表。<b>4</b></p>")
    ['half-width punctuation: 得点, 順位', 'an English sentence: Nobody has won yet', \
'an ampersand between seats: 席1 & 3']
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    found = []
    for text in reader.texts:
        plain = " ".join(text.split())
        for name in sorted(names, key=len, reverse=True):
            plain = plain.replace(name, THING)
        found += [
            f"{what}: {plain[max(0, at.start() - 24) : at.end() + 24]}"
            for what, pattern in WRONG.items()
            for at in pattern.finditer(plain)
        ]
    return list(dict.fromkeys(found))
