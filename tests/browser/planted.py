"""Pages with a fault each, served as the site serves its own, for the checks to find.

The page without a fault has a heading, a text, a table, a form, a style sheet and a script.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from tests.browser.site import Site

POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'"
STYLE = """
* { box-sizing: border-box }
body { margin: 0; padding: 1rem; background: #fff; color: #222; font: 1rem/1.5 sans-serif }
a { color: #14508a }
td, th { padding: .5rem; text-align: left }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #eee } a { color: #9cf } }
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A sound page</title>
<link rel="stylesheet" href="/style.css">
<script src="/script.js" defer></script>
</head>
<body>
<main>
<h1>A sound page</h1>
<p id="text">A text with <a href="/sound">a link</a>.</p>
<table><thead><tr><th scope="col">Name</th></tr></thead><tbody><tr><td>Kingfisher</td></tr></tbody></table>
<form action="/sound"><label for="name">Name</label> <input id="name" name="name" type="text">
<button type="submit">Go on</button></form>
</main>
</body>
</html>
"""
LATE = """
document.body.prepend(Object.assign(document.createElement("div"), {className: "late"}));
"""
LATE_S = 1.0
"""By then the page was painted, which its end of loading waits for."""


def noise(size: int) -> str:
    """Text of a size that no compression makes much shorter."""
    return "".join(hashlib.sha256(f"{n}".encode()).hexdigest() for n in range(size // 64 + 1))[:size]


class Planted(NamedTuple):
    """A page and what it needs; ``expected`` begins the line in which a check refuses it."""

    name: str
    expected: str
    old: str = ""
    """What of the sound page is replaced by what."""
    new: str = ""
    style: str = ""
    script: str = ""
    status: int = 200

    @property
    def html(self) -> str:
        """The whole page."""
        assert self.old in PAGE
        return PAGE.replace(self.old, self.new, 1) if self.old else PAGE

    def file(self, name: str) -> tuple[str, str]:
        """The type and the text of what is at the address ``/NAME``."""
        files = {
            "style.css": ("text/css", STYLE + self.style),
            "late.js": ("text/javascript", LATE),
            "script.js": ("text/javascript", f'"use strict";\n{self.script}'),
        }
        return files.get(name, ("text/html; charset=utf-8", self.html))


SOUND = Planted("sound", "")
TEXT = '<p id="text">'
FIELD = '<label for="name">Name</label> <input id="name"'
FAULTS = (
    Planted("an error of a script", "error: planted", script="throw new Error('planted');"),
    Planted("an error in the console", "error: planted", script="console.error('planted');"),
    Planted("a warning in the console", "warning: planted", script="console.warn('planted');"),
    Planted("a style in the page", "error: Applying inline style", TEXT, '<p id="text" style="color:red">'),
    Planted("a script in the page", "error: Executing inline script", "</main>", "<script>1</script></main>"),
    Planted(
        "a foreign script", "error: Loading the script", "</main>", "<script src='//x.test/'></script></main>"
    ),
    Planted("a missing file", "error: Failed to load", "</main>", '<img src="/missing.png" alt="x"></main>'),
    Planted("another status", "status 500, not 200", status=500),
    Planted("too wide at a desk", "scrolls sideways, light, 1280 px", style="h1 { width: 1400px }"),
    Planted("too wide on a phone", "scrolls sideways, dark, 390 px", style="h1 { width: 500px }"),
    Planted("too wide in the narrowest window", "scrolls sideways, 320 px", style="h1 { width: 350px }"),
    Planted(
        "too wide in Japanese",
        "scrolls sideways in Japanese",
        script="if (navigator.language === 'ja-JP') document.querySelector('h1').classList.add('wide');",
        style=".wide { width: 500px }",
    ),
    Planted("a field without a label", "axe, light, 1280 px: label", FIELD, '<input id="name"'),
    Planted(
        "an image without a text",
        "axe, light, 1280 px: image-alt",
        "</main>",
        '<img src="/style.css"></main>',
    ),
    Planted("pale text", "axe, light, 1280 px: color-contrast", style="p { color: #bbb }"),
    Planted(
        "pale text in the dark",
        "axe, dark, 1280 px: color-contrast",
        style="@media (prefers-color-scheme: dark) { p { color: #444 } }",
    ),
    Planted(
        "pale text on a dark phone",
        "axe, dark, 390 px: color-contrast",
        style="@media (prefers-color-scheme: dark) and (max-width: 500px) { p { color: #444 } }",
    ),
    Planted(
        "pale text on a light phone",
        "axe, light, 390 px: color-contrast",
        style="@media (prefers-color-scheme: light) and (max-width: 500px) { p { color: #bbb } }",
    ),
    Planted(
        "one pale cell of many",
        "axe, light, 1280 px: color-contrast",
        "<td>Kingfisher</td>",
        "<td>Kingfisher</td>" * 20 + '<td class="pale">Crane</td>' + "<td>Owl</td>" * 20,
        style=".pale { background: #ddd; color: #888 } td { padding: 0; font-size: .5rem }",
    ),
    Planted(
        "a label that is gone on a phone",
        "axe, dark, 390 px: label",
        style="@media (max-width: 500px) { label { display: none } }",
    ),
    Planted(
        "a heading made by a script",
        "not there without script: H2 Made",
        script="document.querySelector('main').insertAdjacentHTML('beforeend', '<h2>Made</h2>');",
    ),
    Planted("too much script", "script_bytes", script=f"const noise = '{noise(31_000)}';"),
    Planted("too much style", "css_bytes", style=f"/* {noise(17_000)} */"),
    Planted("too long", "html_bytes", "A text", f"A text <!-- {noise(21_000)} -->"),
    Planted("too many elements", "elements", "</main>", "<p>x</p>" * 1500 + "</main>"),
    Planted(
        "too many requests",
        "requests",
        "</main>",
        "".join(f'<script src="/script.js?{n}"></script>' for n in range(11)) + "</main>",
    ),
    Planted(
        "a page that moves",
        "shift",
        "</main>",
        '<script src="/late.js" async></script></main>',
        style=".late { height: 300px }",
    ),
)
"""For ``survey``."""
INVALID = (
    Planted("an element that is not closed", "close-order", "</a>", ""),
    Planted("an id twice", "no-dup-id", "<form", '<form id="text"'),
    Planted("no title", "element-required-content", "<title>A sound page</title>\n", ""),
    Planted("a label of nothing", "no-missing-references", 'for="name"', 'for="nothing"'),
)
"""For the validator of HTML."""


@contextlib.contextmanager
def serving(page: Planted, folder: Path) -> Iterator[Site]:
    """A site of this one page, on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/").partition("?")[0]
            kind, text = page.file(name)
            is_page = kind.startswith("text/html")
            status = 404 if name == "missing.png" else page.status if is_page else 200
            if name == "late.js":
                time.sleep(LATE_S)
            body = text.encode()
            self.send_response(status)
            for head, value in heads(kind, len(body)).items():
                self.send_header(head, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Site(f"http://127.0.0.1:{server.server_port}", folder, {}, {})
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def heads(kind: str, size: int) -> Mapping[str, str]:
    """Of every answer."""
    return {"Content-Type": kind, "Content-Length": str(size), "Content-Security-Policy": POLICY}
