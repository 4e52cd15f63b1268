"""Pages in Japanese without the spaces of templates between sentences: its punctuation has its own room.

What people have written into forms, code and scripts stays as it is.
"""

from __future__ import annotations

import re

from django.http import HttpResponse

PRESERVED = re.compile(r"<(pre|code|textarea|script|style|input)\b")
SPACES = re.compile(r"(?<=[。、：；！？])((?:</\w+>)*)\s+")


def remove_spaces(html: str) -> str:
    """HTML without the spaces that follow punctuation of full width, in time that grows as its length does.

    >>> remove_spaces('<p><b>終わり。</b> <a href="/">次：</a>\\n<code>。 </code></p>')
    '<p><b>終わり。</b><a href="/">次：</a><code>。 </code></p>'
    """
    parts: list[str] = []
    done = 0
    while match := PRESERVED.search(html, done):
        mark = ">" if match[1] == "input" else f"</{match[1]}>"
        position = html.find(mark, match.end())
        if position < 0:
            return "".join([*parts, html[done:]])
        end = position + len(mark)
        parts += [SPACES.sub(r"\1", html[done : match.start()]), html[match.start() : end]]
        done = end
    return "".join([*parts, SPACES.sub(r"\1", html[done:])])


def remove_page_spaces(response: HttpResponse) -> HttpResponse:
    """The answer, if it is a page, without such spaces, and its length as it is then.

    A browser waits for a page that is shorter than its header says, and shows none of it.
    """
    if response.get("Content-Type", "").startswith("text/html"):
        response.content = remove_spaces(response.content.decode()).encode()
        if "Content-Length" in response:
            response["Content-Length"] = str(len(response.content))
    return response
