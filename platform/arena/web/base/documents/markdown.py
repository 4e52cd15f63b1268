"""Renders Markdown as HTML: anchors, links, scrolling tables, copyable code. Raw HTML is escaped.

Headings have GitHub's anchors. Table rows have one if their first cell is a name in code (``OUT_OF_TIME``,
``hand_cap``) or a number of the rules (``D10``, ``T45``).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

MAX_HEADING_LEVEL = 3
"""Deepest level of headings in the table of contents."""
MAX_HEADINGS_LISTED = 40
"""Maximum headings in the table of contents; with more, only level 2 is listed."""
_JAPANESE = re.compile(
    r"[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f]"
    r"[\u3000-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f]*"
)
_TITLE_ANCHOR = "title"
"""Anchor of the title in the templates of pages; no row gets it."""
_NUMBERED = re.compile(r"[DT]\d+")
_NAMED = re.compile(r"[A-Za-z][\w.-]*")

Resolve = Callable[[str], str | None]


class Heading(NamedTuple):
    level: int
    anchor: str
    text: str


class RenderedDocument(NamedTuple):
    title: str
    html: SafeString
    """HTML without the title."""
    headings: tuple[Heading, ...]
    anchors: frozenset[str]
    """Anchors of headings and table rows."""


def render_document(text: str, resolve: Resolve = lambda link: link) -> RenderedDocument:
    r"""Render a page.

    >>> page = render_document("# Of *cards*\n\n## `A` page\n<b>no</b>\n")
    >>> page.title, page.headings
    ('Of cards', (Heading(level=2, anchor='a-page', text='A page'),))
    >>> "<b>" in page.html
    False
    """
    parser = _parser()
    tokens = parser.parse(text)
    title = ""
    if tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        title, tokens = plain_text(tokens[1]), tokens[3:]
    anchors: set[str] = set()
    headings = tuple(_headings(tokens, anchors))
    if len(headings) > MAX_HEADINGS_LISTED:
        headings = tuple(heading for heading in headings if heading.level == 2)
    for row in _rows(tokens):
        _add_row_anchor(row, anchors)
    _label_cells(tokens)
    _resolve_links(tokens, resolve)
    # Safe: the renderer escapes all text, and raw HTML is disabled.
    html = mark_safe(parser.renderer.render(tokens, parser.options, {}))
    return RenderedDocument(title, html, headings, frozenset(anchors))


def extract_headings(text: str) -> tuple[str, tuple[Heading, ...]]:
    r"""Return title and headings as ``render_document`` does, much faster.

    >>> extract_headings("# Of *cards*\n\n```\n## no\n```\n\n## `A` page\n")
    ('Of cards', (Heading(level=2, anchor='a-page', text='A page'),))
    """
    heading_lines: list[str] = []
    is_code = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and line.startswith("#"):
            heading_lines.append(line)
    page = render_document("\n\n".join(heading_lines))
    return page.title, page.headings


def render_inline(text: str, resolve: Resolve = lambda link: link) -> SafeString:
    """Render the text of a table cell or sentence.

    >>> render_inline("*5* `PREFER` 箱")
    '<em>5</em> <code>PREFER</code> <span lang="ja">箱</span>'
    """
    parser = _parser()
    tokens = parser.parseInline(text)
    _resolve_links(tokens, resolve)
    html: SafeString = mark_safe(parser.renderer.render(tokens, parser.options, {}))
    return html


def table_below(text: str, heading: str, column: str = "") -> list[list[str]]:
    r"""Return the rows, header first, of the first table below a heading whose first column is ``column``.

    >>> table_below("## A\n\n## Of all\n\n| Term | x |\n|---|---|\n| `a` | *b* |\n", "Of all", "Term")
    [['Term', 'x'], ['`a`', '*b*']]
    """
    tokens = _parser().parse(text)
    is_below = False
    rows: list[list[str]] = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            is_below = plain_text(tokens[index + 1]) == heading
        elif is_below and token.type == "table_open":
            rows = []
        elif is_below and token.type == "tr_open":
            rows.append([])
        elif is_below and token.type in ("th_open", "td_open"):
            rows[-1].append(tokens[index + 1].content)
        elif is_below and token.type == "table_close" and column in ("", rows[0][0]):
            return rows
    return []


def slug(heading: str) -> str:
    """Return GitHub's anchor of a heading, without the number for duplicates.

    >>> slug("What a `bot` *may* see: [more](x.md)")
    'what-a-bot-may-see-more'
    """
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def plain_text(token: Token) -> str:
    parts = token.children or []
    return "".join(
        part.content if part.type in ("text", "code_inline") else " " * ("break" in part.type)
        for part in parts
    )


@functools.cache
def _parser() -> MarkdownIt:
    return (
        MarkdownIt("commonmark", {"html": False}, renderer_cls=_HtmlRenderer).enable("table").disable("image")
    )


def _headings(tokens: Sequence[Token], anchors: set[str]) -> Iterator[Heading]:
    for index, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        base = anchor = slug(tokens[index + 1].content)
        number = 0
        while anchor in anchors:
            number += 1
            anchor = f"{base}-{number}"
        anchors.add(anchor)
        token.attrs["id"] = anchor
        tokens[index + 2].meta["anchor"] = anchor
        if int(token.tag[1]) <= MAX_HEADING_LEVEL:
            yield Heading(int(token.tag[1]), anchor, plain_text(tokens[index + 1]))


def _rows(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Yield the opening token of each body row, with the content of its first cell."""
    for index, token in enumerate(tokens):
        if token.type == "tr_open" and tokens[index + 1].type == "td_open":
            yield token, tokens[index + 2]


def _add_row_anchor(row: tuple[Token, Token], anchors: set[str]) -> None:
    opening, cell = row
    children = cell.children or []
    if not children:
        return
    first = children[0]
    is_name = len(children) == 1 and first.type == "code_inline" and _NAMED.fullmatch(first.content)
    is_number = len(children) == 1 and first.type == "text" and _NUMBERED.fullmatch(first.content)
    anchor = first.content.lower().replace(".", "-")
    if (is_name or is_number) and anchor not in anchors and anchor != _TITLE_ANCHOR:
        anchors.add(anchor)
        opening.attrs["id"] = anchor


def _label_cells(tokens: Sequence[Token]) -> None:
    """Label each cell except the first with its column, for narrow screens that stack the cells of a row."""
    names: list[str] = []
    column = 0
    for index, token in enumerate(tokens):
        if token.type == "table_open":
            names = []
        elif token.type == "tr_open":
            column = 0
        elif token.type == "th_open":
            names.append(plain_text(tokens[index + 1]))
        elif token.type == "td_open":
            # The first cell is the subject of the row and needs no label.
            token.meta["label"] = names[column] if column else ""
            column += 1


def _resolve_links(tokens: Sequence[Token], resolve: Resolve) -> None:
    for token in tokens:
        opened: list[Token] = []
        for part in token.children or []:
            if part.type == "link_open":
                opened.append(part)
                address = resolve(str(part.attrs["href"]))
                if address is None:
                    part.type, part.tag, part.attrs = "unlinked_open", "span", {"class": "doc-unlinked"}
                else:
                    part.attrs["href"] = address
            elif part.type == "link_close" and opened.pop().type == "unlinked_open":
                part.type, part.tag = "unlinked_close", "span"


class _HtmlRenderer(RendererHTML):
    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Escape the text and mark Japanese words, for fonts and screen readers."""
        return _JAPANESE.sub(r'<span lang="ja">\g<0></span>', str(escape(tokens[idx].content)))

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return '<div class="doc-heading">' + self.renderToken(tokens, idx, options, env)

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Put the link after the heading, so that it is not part of the heading's accessible name."""
        link = format_html(
            '<a class="doc-anchor" href="#{}" aria-label="Link to this section: {}">#</a></div>\n',
            tokens[idx].meta["anchor"],
            plain_text(tokens[idx - 1]),
        )
        return f"</{tokens[idx].tag}>{link}"

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Wrap tables so that wide ones scroll, also with the keyboard."""
        return '<div class="doc-table" role="group" aria-label="Table" tabindex="0"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """An empty header cell is written as ``<td>``."""
        return '<th scope="col">' if tokens[idx + 1].content else "<td>"

    def th_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</th>" if tokens[idx - 1].content else "</td>"

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Omit the alignment, which would be an inline style."""
        label = tokens[idx].meta.get("label")
        return format_html('<td data-label="{}">', label) if label else "<td>"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        number = sum(token.type in ("fence", "code_block") for token in tokens[:idx]) + 1
        return format_html(
            '<div class="doc-code"><pre role="group" aria-label="Code" tabindex="0">'
            '<code id="code-{0}">{1}</code></pre>'
            '<button class="copy" type="button" data-copy="code-{0}" hidden>Copy</button></div>\n',
            number,
            tokens[idx].content,
        )

    code_block = fence
