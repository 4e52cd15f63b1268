"""Every page of the documents by its key, rendered once a process, with links between them."""

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
    """A page in the list of pages."""

    key: str
    title: str
    address: str


class Section(NamedTuple):
    """Pages under one heading."""

    title: str
    pages: tuple[DocumentLink, ...]


class IndexedHeading(NamedTuple):
    """A heading, for whoever looks for a word."""

    page: str
    heading: str
    address: str


def document(key: str) -> RenderedDocument:
    """The page of a key.

    Raises:
        NotFound: there is none.
    """
    paths = {page_key: path for path, page_key in files.page_keys().items()}
    if key not in paths:
        raise NotFound(
            "There is no such page among the documents. Their list is at /docs.", "no_such_address"
        )
    return _page(paths[key])


def rules_document(key: str) -> RenderedDocument:
    """The rules of a game, or what all share, as ``docs/rules`` has them.

    Raises:
        NotFound: there are none of this name.
    """
    path = f"{files.RULES}{key}.md"
    if path not in files.page_keys():
        raise NotFound("There are no rules of that name. All of them are at /rules.", "no_such_address")
    return _page(path)


def document_url(path: str) -> str:
    """Where the site shows a page.

    >>> document_url("docs/rules/kakeya.md"), document_url("docs/kit.md"), document_url("docs/README.md")
    ('/rules/kakeya', '/docs/kit', '/docs')
    """
    key = files.page_keys()[path]
    if path.startswith(files.RULES):
        return reverse("web:rules-page", args=[key.removeprefix("rules/")])
    return reverse("web:docs-page", args=[key]) if key else reverse("web:docs")


@functools.cache
def sections() -> tuple[Section, ...]:
    """All pages as the index groups them, and the reference after the guide of the API."""
    return tuple(Section(group.title, tuple(_lines(group))) for group in files.groups())


@functools.cache
def headings() -> tuple[IndexedHeading, ...]:
    """Titles and headings of all pages, read once a process."""
    return tuple(_headings())


def render_linked(path: str, text: str) -> str:
    """A text of one line as HTML for any page of the site, though its links are relative to one of them."""

    def resolved(link: str) -> str | None:
        return f"{document_url(path)}{link}" if link.startswith("#") else _resolve_link(path, link)

    return render_inline(text, resolved)


def _lines(group: files.IndexGroup) -> Iterator[DocumentLink]:
    for path, label in group.pages:
        yield DocumentLink(files.page_keys()[path], label or _title(path), document_url(path))
        if path == GUIDE:
            yield DocumentLink("reference", "Reference of the API", reverse("web:reference"))


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
    """The first line of a page without Markdown's marks."""
    return re.sub(r"[`*#]", "", files.read_document(path).split("\n", 1)[0]).strip()


def _resolve_link(path: str, link: str) -> str | None:
    """The address of what a page links to; None for a file that the site does not show."""
    if link.startswith("#") or re.match(r"[a-z]+:", link):
        return link
    target, _, fragment = link.partition("#")
    named = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if named == files.DESCRIPTION:
        return reverse("v1:schema")
    if named not in files.page_keys():
        return None
    return f"{document_url(named)}#{fragment}" if fragment else document_url(named)
