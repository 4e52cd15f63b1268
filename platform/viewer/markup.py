"""HTML as text, built so that all data is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Self

Attributes = Mapping[str, object]
"""Names with text or numbers: True writes only the name, False and None omit it."""


VOID_ELEMENTS = frozenset({"br", "hr", "img", "input", "link", "meta"})
"""HTML elements without content and closing tag."""


_MARKUP = re.compile("[&<>\"']")


class Html(str):
    """Text that is already markup. Django's templates do not escape it."""

    __slots__ = ()

    def __html__(self) -> Self:
        return self


def escaped(text: str) -> Html:
    """Return text as markup: escaped, unless it is already markup.

    >>> escaped("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return text if isinstance(text, Html) else Html(_escape_text(text))


def element(name: str, attributes: Attributes | None = None, *children: str) -> Html:
    """Return one element with its closing tag, if it has one; children that are not ``Html`` are escaped.

    >>> element("a", {"href": "/?a&b", "hidden": True, "id": None}, "1 < 2")
    '<a href="/?a&amp;b" hidden>1 &lt; 2</a>'
    """
    end = "" if name in VOID_ELEMENTS else f"</{name}>"
    return Html(f"<{name}{_format_attributes(attributes)}>{''.join(map(escaped, children))}{end}")


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Join parts, each escaped unless it is markup."""
    return Html(escaped(between).join(map(escaped, parts)))


def _escape_text(text: str) -> str:
    # Texts rarely contain markup characters, and searching is faster than replacing.
    return html.escape(text) if _MARKUP.search(text) else text


def _format_attributes(attributes: Attributes | None) -> str:
    if not attributes:
        return ""
    parts = []
    for name, value in attributes.items():
        if value is True:
            parts.append(f" {name}")
        elif value is not None and value is not False:
            parts.append(f' {name}="{_escape_text(str(value))}"')
    return "".join(parts)
