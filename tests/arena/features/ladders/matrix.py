"""Who may do what with ladders over the API."""

from __future__ import annotations

from django.utils import timezone

from arena.features.ladders.installing import ladders_install
from arena.features.ladders.placements import placement_create
from arena.features.ladders.seasons import season_current
from arena.roster.models import BotVersion
from tests.arena.api.roles import ALL, Row, by
from tests.arena.features.ladders.ladders import USUAL
from tests.arena.web import roles as pages
from tests.factories import aya

SETTINGS = {"LADDERS": USUAL}
ROWS: list[Row] = [
    ("GET ladders", "ladders", {}, ALL),
    ("GET ladder", "ladders/{ladder}", {}, ALL),
    ("GET seasons", "ladders/{ladder}/seasons", {}, ALL),
    ("GET season", "ladders/{ladder}/seasons/{season}", {}, ALL),
    ("GET ladder rounds", "ladders/{ladder}/rounds", {}, ALL),
    ("GET placements", "ladders/{ladder}/placements", {}, ALL),
    ("POST placements", "ladders/{ladder}/placements", {"version": "{version}"}, by(401, 403, aya=409)),
    ("DELETE placement", "ladders/{ladder}/placements/{placement}", {}, by(401, 403, aya=204, sota=204)),
]
PAGES: list[pages.Page] = [
    ("GET", "/rankings", pages.ALL),
    ("GET", "/ladders", pages.SENT_ON),
    ("GET", "/ratings", pages.SENT_ON),
    ("GET", "/ladders/{ladder}", pages.ALL),
    ("GET", "/ladders/{ladder}/rounds", pages.ALL),
    ("POST", "/ladders/{ladder}/place", pages.by(pages.SIGN_IN, 404)),
]


def things(names: dict[str, str]) -> dict[str, str]:
    """What the addresses of these rows need, made in the world that has these names."""
    (ladder,) = ladders_install()
    version = BotVersion.objects.get(public_id=names["version"])
    season = season_current(ladder, timezone.now())
    assert season is not None
    return {
        "ladder": ladder.public_id,
        "placement": placement_create(aya(), ladder, version).public_id,
        "season": season.public_id,
    }
