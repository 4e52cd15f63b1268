"""HTML as text, built so that nothing from data reaches a page unescaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from typing import Self

Attributes = Mapping[str, object]
"""Names with their values as text or numbers: True writes the name alone, False and None leave it out."""


VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
"""Elements of HTML that have no content, and so no closing tag."""


_MARKUP = re.compile("[&<>\"']")


class Html(str):
    """Text that is markup already. Django's templates take it as it is."""

    __slots__ = ()

    def __html__(self) -> Self:
        """What template engines look for."""
        return self


def escaped(text: str) -> Html:
    """Text as markup: escaped, unless it is markup already.

    >>> escaped("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return text if isinstance(text, Html) else Html(_escaped(text))


def element(name: str, attributes: Attributes | None = None, *children: str) -> Html:
    """One element with its closing tag, if it has one; children that are not ``Html`` are escaped.

    >>> element("a", {"href": "/?a&b", "hidden": True, "id": None}, "1 < 2")
    '<a href="/?a&amp;b" hidden>1 &lt; 2</a>'
    """
    end = "" if name in VOID else f"</{name}>"
    return Html(f"<{name}{_written(attributes)}>{''.join(map(escaped, children))}{end}")


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Parts one after the other, each escaped unless it is markup."""
    return Html(escaped(between).join(map(escaped, parts)))


def _escaped(text: str) -> str:
    # Hardly any has a character of markup, and to look for them is quicker than to replace each kind.
    return html.escape(text) if _MARKUP.search(text) else text


def _written(attributes: Attributes | None) -> str:
    if not attributes:
        return ""
    parts = []
    for name, value in attributes.items():
        if value is True:
            parts.append(f" {name}")
        elif value is not None and value is not False:
            parts.append(f' {name}="{_escaped(str(value))}"')
    return "".join(parts)
