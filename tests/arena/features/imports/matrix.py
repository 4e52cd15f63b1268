"""Who may open which page of an import, and read what through the API."""

from __future__ import annotations

from pathlib import Path

from arena.features.imports.services import import_now
from tests.arena.api.roles import ALL, Row
from tests.arena.web import roles as pages

EXPORT = Path(__file__).parents[3] / "releases/1.0.0/export.zip"
"""Fourteen tables of two stages, as release 1.0.0 exported them."""

ROWS: list[Row] = [
    ("GET imports", "imports", {}, ALL),
    ("GET import", "imports/{imported}", {}, ALL),
    ("GET archive of an import", "imports/{imported}/export", {}, ALL),
]
STAFF = pages.by(pages.SIGN_IN, 403, sota=200)
PAGES: list[pages.Page] = [
    ("GET", "/imports", pages.ALL),
    ("GET", "/imports/new", STAFF),
    ("POST", "/imports/new", pages.by(pages.SIGN_IN, 403, sota=400)),
    ("GET", "/imports/{imported}", pages.ALL),
    ("GET", "/imports/{imported}/rounds/1/1", pages.ALL),
    ("GET", "/imports/{imported}/rounds/1/1/1/1", pages.ALL),
    ("GET", "/imports/{imported}/delete", STAFF),
    ("POST", "/imports/{imported}/delete", pages.by(pages.SIGN_IN, 403, sota=pages.DONE)),
]


def things(names: dict[str, str]) -> dict[str, str]:
    """An import, made once."""
    return {"imported": import_now(EXPORT.read_bytes()).public_id}
