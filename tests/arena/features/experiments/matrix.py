"""Who may do what with experiments over the API."""

from __future__ import annotations

from arena.features.experiments.services import experiment_create
from arena.roster.models import BotVersion
from tests.arena.api.roles import USERS, Row, by
from tests.arena.web import roles as pages
from tests.factories import aya

ROWS: list[Row] = [
    ("GET experiments", "experiments", {}, USERS),
    (
        "POST experiments",
        "experiments",
        {"candidate": "{version}", "baseline": "{partners_version}", "preset": "kakeya4"},
        by(401, 403, aya=201, sota=201),
    ),
    ("GET experiment", "experiments/{experiment}", {}, by(401, 404, aya=200, sota=200)),
    ("POST stop experiment", "experiments/{experiment}/stop", {}, by(401, 404, aya=200, sota=200)),
]
PAGES: list[pages.Page] = [
    ("GET", "/experiments", pages.ACCOUNTS),
    ("GET", "/experiments/new", pages.ACCOUNTS),
    ("POST", "/experiments/new", pages.REFUSED),
    ("GET", "/experiments/{experiment}", pages.own(200, 404)),
    ("POST", "/experiments/{experiment}/stop", pages.own(pages.DONE, 404)),
]


def things(names: dict[str, str]) -> dict[str, str]:
    """What the addresses of these rows need, made in the world that has these names."""
    candidate, baseline = (
        BotVersion.objects.get(public_id=names[name]) for name in ("version", "partners_version")
    )
    return {"experiment": experiment_create(aya(), candidate, baseline, preset="kakeya4").public_id}
