"""Who may open which page of play."""

from __future__ import annotations

from tests import factories
from tests.arena.features.play.tables import a_seat, a_shared_table
from tests.arena.web import roles as pages

PAGES: list[pages.Page] = [
    ("GET", "/play", pages.ALL),
    ("POST", "/play", pages.by(400, 400)),
    ("GET", "/play/{casual}", pages.SEATED),
    ("POST", "/play/{casual}/act", pages.by(404, 404, aya=400)),
    ("POST", "/play/{casual}/finish-deal", pages.by(404, 404, aya=400)),
    ("POST", "/play/{casual}/hint", pages.by(404, 404, aya=400)),
    ("POST", "/play/{casual}/take-back", pages.by(404, 404, aya=400)),
    ("POST", "/play/{casual}/leave", pages.by(404, 404, aya=pages.DONE)),
    ("POST", "/play/{casual}/finish", pages.by(404, 404, aya=pages.DONE)),
    ("POST", "/play/{casual}/back", pages.by(404, 404, aya=pages.DONE)),
    ("POST", "/play/{casual}/share", pages.by(404, 404, aya=409)),
    ("POST", "/play/{casual}/unshare", pages.by(404, 404, aya=pages.DONE)),
    ("GET", "/play/shared/{casual}", pages.NONE),
    ("GET", "/play/shared/{shared}", pages.ALL),
    ("GET", "/play/{casual}/events", pages.SEATED),
    ("GET", "/play/{casual}/explore", pages.by(404, 404, aya=423)),
    ("GET", "/play/shared/{casual}/explore", pages.NONE),
    ("GET", "/play/shared/{shared}/explore", pages.NONE),
]


def page_things() -> dict[str, str]:
    """A table at which Aya plays, and the link to one that is over."""
    return {"casual": a_seat(factories.aya()).public_id, "shared": a_shared_table()}
