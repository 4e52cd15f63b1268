"""The Markdown files that are pages of the site: paths, keys, groups.

A repository is read in place; a wheel contains the files under ``arena/documents`` with the same paths.
"""

from __future__ import annotations

import functools
import posixpath
import re
from pathlib import Path
from typing import NamedTuple

import arena

PACKAGE = Path(arena.__file__).resolve().parent
INDEX = "docs/README.md"
RULES = "docs/rules/"
DESCRIPTION = "docs/openapi.yaml"
OTHER_DOCUMENTS = {
    "CHANGELOG.md": "changelog",
    "CONTRIBUTING.md": "contributing",
    "deploy/README.md": "deploy",
    "examples/c/README.md": "examples/c",
    "examples/javascript/README.md": "examples/javascript",
}
"""Keys of pages outside ``docs``, by path."""


class IndexGroup(NamedTuple):
    title: str
    pages: tuple[tuple[str, str], ...]
    """Path and link text of each page; the text is empty if the index uses the file name."""


def root() -> Path:
    installed = PACKAGE / "documents"
    return installed if installed.is_dir() else PACKAGE.parents[1]


def read_document(path: str) -> str:
    """Return the text of a file.

    Raises:
        FileNotFoundError: the installation lacks it.
    """
    file = root() / path
    if not file.is_file():
        raise FileNotFoundError(f"{path} is not part of this installation: install the package again")
    return file.read_text(encoding="utf-8")


@functools.cache
def page_keys() -> dict[str, str]:
    """Return the key of every page by path. The key is the end of its URL; the index has an empty one.

    >>> [page_keys()[path] for path in ("docs/kit.md", "docs/decisions/README.md", "deploy/README.md")]
    ['kit', 'decisions', 'deploy']
    """
    folder = root()
    paths = sorted(str(file.relative_to(folder).as_posix()) for file in (folder / "docs").rglob("*.md"))
    inside = {path: re.sub(r"^docs/|/?README\.md$|\.md$", "", path) for path in paths}
    return {**inside, **{path: key for path, key in OTHER_DOCUMENTS.items() if (folder / path).is_file()}}


@functools.cache
def groups() -> tuple[IndexGroup, ...]:
    """Return the sections of the index: its headings, and the first link of each list item."""
    sections: list[tuple[str, list[tuple[str, str]]]] = []
    for line in read_document(INDEX).splitlines():
        if line.startswith("## "):
            sections.append((line.removeprefix("## "), []))
        elif sections and (link := re.match(r"- \[([^\]]*)\]\(([^)#]+\.md)\)", line)):
            path = posixpath.normpath(posixpath.join("docs", link[2]))
            label = "" if link[1].endswith((".md", "/")) else link[1]
            if path in page_keys():
                sections[-1][1].append((path, label))
    return tuple(IndexGroup(title, tuple(pages)) for title, pages in sections)
