"""Pages in Japanese without the spaces of templates between sentences: its punctuation has its own room.

What people have written into forms, code and scripts stays as it is.
"""

from __future__ import annotations

import re

from django.http import HttpResponse

KEPT_OR_SPACES = re.compile(
    r"<(pre|code|textarea|script|style)\b.*?</\1>|<input\b[^>]*>|(?<=[。、：；！？])((?:</\w+>)*)\s+",
    re.DOTALL,
)


def without_spaces(html: str) -> str:
    """HTML without the spaces that follow punctuation of full width.

    >>> without_spaces('<p><b>終わり。</b> <a href="/">次：</a>\\n<code>。 </code></p>')
    '<p><b>終わり。</b><a href="/">次：</a><code>。 </code></p>'
    """
    return KEPT_OR_SPACES.sub(lambda found: found[0] if found[2] is None else found[2], html)


def spaced(response: HttpResponse) -> HttpResponse:
    """The answer, if it is a page, without such spaces."""
    if response.get("Content-Type", "").startswith("text/html"):
        response.content = without_spaces(response.content.decode()).encode()
    return response
