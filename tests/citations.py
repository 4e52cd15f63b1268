"""What the repository's text cites, followed to the page, the heading and the numbered row.

A citation is the path of a page from the root of the repository with what is meant on it, in code, comments
and prose alike: ``docs/rules/kakeya.md#play, #payment, D10, T1-T15; docs/contracts.md#record``. What follows
a page belongs to it. Markdown links are followed too, relative to their page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

SUFFIXES = (".py", ".md", ".html", ".toml", ".sh")
UNCHECKED = ("CHANGELOG.md", "tests/citations.py", "tests/test_citations.py")
"""Changes stay as they were told; the others give examples of dead citations."""
ABSENT = ("RULES.md", "DESIGN.md")
"""Names under which the pages were kept elsewhere: nobody who has the repository could look there."""
EXAMPLES = ("docs/rules/highcard.md",)
"""Pages that a page tells how to make."""
NUMBERED = "docs/rules"
"""Whose pages have rows of decisions (D) and vectors (T)."""

_ITEM = r"#[\w-]+|[DT]\d+(?:-[DT]?\d+)?(?!\w)"
_CITATION = re.compile(
    r"(?<![\w./-])(?P<page>(?:\w[\w.-]*/)+[\w.-]+\.md)"
    rf"(?P<items>(?:#[\w-]+)?(?:(?:, +| +and +| +\(?)(?:{_ITEM}))*)"
)
_BREAK = re.compile(r"\n[ \t]*(?:#[ \t]+)?")
"""The end of a line and what begins the next one, be it in a comment."""
_NUMBER = re.compile(r"(?<![A-Za-z0-9#])(?P<kind>[DT])(?P<number>\d{1,2})(?![A-Za-z0-9:])")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
_ROW = re.compile(r"\|[ *]*([DT]\d+)[ *]*\|")
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?:[ \t]+\"[^\"]*\")?\)|^\[[^\]]+\]:[ \t]+(\S+)", re.MULTILINE)


class Dead(NamedTuple):
    """Something cited that is not there."""

    file: str
    line: int
    text: str
    """What was cited."""
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}: {self.reason}"


class Page(NamedTuple):
    """What can be cited of a page."""

    headings: frozenset[str]
    """Their anchors."""
    rows: frozenset[str]
    """Numbers of table rows: D1, T45."""


def dead_citations(root: Path, names: Iterable[str]) -> list[Dead]:
    """Everything that these files, named from ``root``, cite in vain, in order."""
    pages = _Pages(root)
    found: list[Dead] = []
    for name in names:
        if not name.endswith(SUFFIXES) or name in UNCHECKED:
            continue
        text = (root / name).read_text()
        found += _absent(name, text)
        prose = text
        if name.endswith(".md"):
            found += _dead_links(name, _without_code(text), pages)
            prose = _LINK.sub(lambda match: " " * len(match[0]), text)
        found += _dead_paths(name, prose, pages)
        found += _dead_numbers(name, text, pages)
    return found


def page_of(text: str) -> Page:
    """Headings and numbered rows of Markdown.

    >>> sorted(page_of("# One\\n## Faults, *verdicts*\\n### One\\n| D7 | x |\\n").headings)
    ['faults-verdicts', 'one', 'one-1']
    """
    plain = _without_fences(text)
    headings: list[str] = []
    seen: Counter[str] = Counter()
    for line in plain.splitlines():
        if heading := _HEADING.match(line):
            slug = slug_of(heading[1])
            headings.append(f"{slug}-{seen[slug]}" if seen[slug] else slug)
            seen[slug] += 1
    rows = (row[1] for row in map(_ROW.match, plain.splitlines()) if row)
    return Page(frozenset(headings) | frozenset(_ANCHOR.findall(plain)), frozenset(rows))


def slug_of(heading: str) -> str:
    """The anchor that GitHub gives a heading, duplicates not counted.

    >>> slug_of("What a `bot` *may* see: [more](x.md)")
    'what-a-bot-may-see-more'
    """
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


class _Pages:
    """The pages of a repository, each read once."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._read: dict[Path, Page] = {}

    def __getitem__(self, path: Path) -> Page:
        if path not in self._read:
            self._read[path] = page_of(path.read_text())
        return self._read[path]


def _absent(name: str, text: str) -> Iterator[Dead]:
    for match in re.finditer(rf"\b(?:{'|'.join(map(re.escape, ABSENT))})\b", text):
        yield Dead(name, _line(text, match.start()), match[0], "is not part of the repository")


def _dead_paths(name: str, text: str, pages: _Pages) -> Iterator[Dead]:
    """Pages named by their path from the root, with headings and rows."""
    # Citations run on over lines; positions stay what they are.
    flat = _BREAK.sub(lambda match: " " * len(match[0]), text)
    for match in _CITATION.finditer(flat):
        path = pages.root / match["page"]
        line = _line(text, match.start())
        if not path.is_file():
            is_ours = (pages.root / match["page"].partition("/")[0]).is_dir()
            if is_ours and not match["page"].startswith(EXAMPLES):
                yield Dead(name, line, match["page"], "no such page")
            continue
        for item in re.findall(_ITEM, match["items"]):
            yield from _dead_item(name, line, match["page"], item, pages[path])


def _dead_item(name: str, line: int, page: str, item: str, known: Page) -> Iterator[Dead]:
    if item.startswith("#"):
        if item[1:] not in known.headings:
            yield Dead(name, line, page + item, "no such heading")
        return
    for number in _numbers(item):
        if number not in known.rows:
            yield Dead(name, line, f"{page}, {number}", "no such row")


def _numbers(item: str) -> list[str]:
    """Every number of a range.

    >>> _numbers("T41-T43"), _numbers("D5-6")
    (['T41', 'T42', 'T43'], ['D5', 'D6'])
    """
    first, _, last = item.partition("-")
    kind = first[0]
    end = int(last.lstrip(kind)) if last else int(first[1:])
    return [f"{kind}{number}" for number in range(int(first[1:]), end + 1)]


def _dead_numbers(name: str, text: str, pages: _Pages) -> Iterator[Dead]:
    """Decisions and vectors named without their page, in files that cite pages which have some."""
    here = pages.root / name
    cited = {here, *(pages.root / match["page"] for match in _CITATION.finditer(text))}
    if name.endswith(".md"):
        cited |= {(here.parent / link).resolve() for link in _links_to(text)}
    found = sorted(page for page in cited if page.is_file() and page.is_relative_to(pages.root / NUMBERED))
    rows = frozenset[str]().union(*(pages[page].rows for page in found))
    if not rows:
        return
    for match in _NUMBER.finditer(text):
        if match[0] not in rows:
            where = ", ".join(str(page.relative_to(pages.root)) for page in found)
            yield Dead(name, _line(text, match.start()), match[0], f"no such row in {where}")


def _dead_links(name: str, text: str, pages: _Pages) -> Iterator[Dead]:
    """Markdown links to files and headings, relative to their page."""
    for match in _LINK.finditer(text):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target):
            continue
        line = _line(text, match.start())
        to, _, fragment = target.partition("#")
        path = (pages.root / name).parent / to if to else pages.root / name
        if not path.exists():
            yield Dead(name, line, target, "no such file")
        elif fragment and path.suffix == ".md" and fragment not in pages[path.resolve()].headings:
            yield Dead(name, line, target, "no such heading")


def _links_to(text: str) -> Iterator[str]:
    """Targets of Markdown links, without their headings."""
    for match in _LINK.finditer(text):
        yield (match[1] or match[2]).partition("#")[0]


def _without_fences(text: str) -> str:
    """Markdown with the lines of fenced code emptied; line numbers stay."""
    lines = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
            lines.append("")
        elif mark:
            fence = mark[1]
            lines.append("")
        else:
            lines.append(line)
    return "\n".join(lines)


def _without_code(text: str) -> str:
    """Markdown without fenced code and code in the line; positions within lines stay."""
    blank = re.compile(r"[^\n]")
    return _CODE.sub(lambda match: blank.sub(" ", match[0]), _without_fences(text))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
