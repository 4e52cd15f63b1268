"""Who may do what with findings and rulings over the API."""

from __future__ import annotations

from arena.features.integrity.services import reports_make
from tests.arena.api.roles import ALL, ORGANISER, Row, by
from tests.arena.web import roles as pages

ROWS: list[Row] = [
    ("GET rulings on a rating list", "rating-lists/{list}/rulings", {}, ALL),
    ("GET integrity", "integrity", {}, by(401, 403, odo=200, rin=200, sota=200)),
    ("GET integrity of a list", "integrity/lists/{list}", {}, by(401, 403, sota=200)),
    ("GET integrity of an event", "integrity/tournaments/{event}", {}, ORGANISER),
    (
        "POST ruling on a pair of a list",
        "integrity/lists/{list}/rulings",
        {"versions": ["{version}", "{bens_version}"], "reason": "soft play"},
        by(401, 403, sota=201),
    ),
    (
        "POST lift in a list",
        "integrity/lists/{list}/rulings/none/lift",
        {"reason": "a mistake"},
        by(401, 403, sota=404),
    ),
    (
        "POST ruling on a pair of an event",
        "integrity/tournaments/{event}/rulings",
        {"entries": ["{playing}", "{bens_entry}"], "reason": "soft play"},
        by(401, 403, odo=201, sota=201),
    ),
    (
        "POST lift in an event",
        "integrity/tournaments/{event}/rulings/none/lift",
        {"reason": "a mistake"},
        by(401, 403, odo=404, sota=404),
    ),
]
PAGES: list[pages.Page] = [
    ("GET", "/integrity", pages.ORGANISERS),
    ("GET", "/integrity/{list}", pages.by(pages.SIGN_IN, 403, sota=200)),
    ("GET", "/integrity/{list}/pairs/{version}/{bens_version}", pages.by(pages.SIGN_IN, 403, sota=200)),
    ("POST", "/integrity/{list}/pairs/{version}/{bens_version}", pages.by(pages.SIGN_IN, 403, sota=400)),
    ("GET", "/organise/tournaments/{event}/integrity", pages.organiser(200)),
    ("GET", "/organise/tournaments/{event}/pairs/{playing}/{bens_entry}", pages.organiser(200)),
    ("POST", "/organise/tournaments/{event}/pairs/{playing}/{bens_entry}", pages.organiser(400)),
]


def things(names: dict[str, str]) -> dict[str, str]:
    """What the addresses of these rows need, made in the world that has these names."""
    reports_make(rest_s=0)
    return {}
