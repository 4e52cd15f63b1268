"""Feature descriptor of ladders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.errors import quoted
from arena.common.features import Breadcrumb, Feature, HealthResult
from arena.common.plain_rows import plain_rows
from arena.competition.models import Tournament
from arena.features.ladders.advancing import ladders_advance
from arena.features.ladders.installing import ladders_remedy, ladders_unknown
from arena.features.ladders.rounds import round_closed
from arena.features.ladders.selectors import ladder_of, placements_of_owner


def _round_closed(tournament: Tournament) -> None:
    if tournament.kind == Tournament.Kind.LADDER:
        round_closed(tournament)


def _crumbs(tournament: Tournament) -> Iterator[Breadcrumb]:
    ladder = ladder_of(tournament) if tournament.kind == Tournament.Kind.LADDER else None
    if ladder is not None:
        yield Breadcrumb(_("Rankings"), reverse("web:rankings"))
        yield Breadcrumb(ladder.name, ladder.page)


def _own_data(user: User) -> dict[str, Any]:
    columns = "ladder=ladder.name bot=bot.public_id version=version.public_id placed_at left_at left_reason"
    return {"ladders": plain_rows(placements_of_owner(user), columns)}


def _health(is_supervised: bool) -> Iterator[HealthResult]:
    part = "ladders"
    unknown = ladders_unknown()
    for name in unknown:
        yield HealthResult(part, False, f"RENSHO_LADDERS: {quoted(name)} is no preset", ladders_remedy(name))
    if not unknown:
        names = settings.LADDERS.presets
        presets = "all there are" if names is None else ", ".join(sorted(names)) or "none"
        yield HealthResult(part, True, f"of the settings: {presets}")


LADDERS = Feature(
    name="ladders",
    urls="arena.features.ladders.urls",
    api_urls="arena.features.ladders.api_urls",
    tick=[ladders_advance],
    round_closed=_round_closed,
    crumbs=_crumbs,
    own_data=_own_data,
    health=_health,
)
