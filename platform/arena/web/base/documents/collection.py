"""All document pages by key, rendered once per process, with resolved links."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from django.urls import reverse

from arena.common.errors import NotFound
from arena.web.base.documents import files
from arena.web.base.documents.markdown import (
    RenderedDocument,
    extract_headings,
    render_document,
    render_inline,
)

GUIDE = "docs/api.md"


class DocumentLink(NamedTuple):
    key: str
    title: str
    address: str


class Section(NamedTuple):
    title: str
    pages: tuple[DocumentLink, ...]


class IndexedHeading(NamedTuple):
    """A heading that the search finds; ``heading`` is empty for the title of a page."""

    page: str
    heading: str
    address: str


def document(key: str) -> RenderedDocument:
    """Return the page with this key.

    Raises:
        NotFound: unknown key.
    """
    paths = {page_key: path for path, page_key in files.page_keys().items()}
    if key not in paths:
        raise NotFound(
            "There is no documentation page of this name. /docs lists all pages.", "unknown_endpoint"
        )
    return _page(paths[key])


def rules_document(key: str) -> RenderedDocument:
    """Return the rules of a game, or the common rules, from ``docs/rules``.

    Raises:
        NotFound: unknown key.
    """
    path = f"{files.RULES}{key}.md"
    if path not in files.page_keys():
        raise NotFound("There are no rules of this name. /rules lists all rules.", "unknown_endpoint")
    return _page(path)


def document_url(path: str) -> str:
    """Return the URL of a Markdown file.

    >>> document_url("docs/rules/kakeya.md"), document_url("docs/kit.md"), document_url("docs/README.md")
    ('/rules/kakeya', '/docs/kit', '/docs')
    """
    key = files.page_keys()[path]
    if path.startswith(files.RULES):
        return reverse("web:rules-page", args=[key.removeprefix("rules/")])
    return reverse("web:docs-page", args=[key]) if key else reverse("web:docs")


@functools.cache
def sections() -> tuple[Section, ...]:
    """Return all pages in the groups of the index; the API reference follows the API guide."""
    return tuple(Section(group.title, tuple(_lines(group))) for group in files.groups())


@functools.cache
def headings() -> tuple[IndexedHeading, ...]:
    return tuple(_headings())


def render_linked(path: str, text: str) -> str:
    """Render one line of ``path`` as HTML for any page: relative links become URLs of the site."""

    def resolved(link: str) -> str | None:
        return f"{document_url(path)}{link}" if link.startswith("#") else _resolve_link(path, link)

    return render_inline(text, resolved)


def _lines(group: files.IndexGroup) -> Iterator[DocumentLink]:
    for path, label in group.pages:
        yield DocumentLink(files.page_keys()[path], label or _title(path), document_url(path))
        if path == GUIDE:
            yield DocumentLink("reference", "API reference", reverse("web:reference"))


def _headings() -> Iterator[IndexedHeading]:
    for path in list(files.page_keys()):
        address = document_url(path)
        title, below = extract_headings(files.read_document(path))
        yield IndexedHeading(title, "", address)
        for heading in below:
            yield IndexedHeading(title, heading.text, f"{address}#{heading.anchor}")


@functools.cache
def _page(path: str) -> RenderedDocument:
    return render_document(files.read_document(path), functools.partial(_resolve_link, path))


def _title(path: str) -> str:
    return re.sub(r"[`*#]", "", files.read_document(path).split("\n", 1)[0]).strip()


def _resolve_link(path: str, link: str) -> str | None:
    """Return the URL of a link on a page; None if the site does not publish its target."""
    if link.startswith("#") or re.match(r"[a-z]+:", link):
        return link
    target, _, fragment = link.partition("#")
    named = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if named == files.DESCRIPTION:
        return reverse("v1:schema")
    if named not in files.page_keys():
        return None
    return f"{document_url(named)}#{fragment}" if fragment else document_url(named)
