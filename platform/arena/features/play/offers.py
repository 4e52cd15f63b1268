"""Choices for a casual table: presets, numbers of seats, and bots."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Q, QuerySet

from arena.accounts.house import house_username
from arena.common.errors import Invalid, Unavailable, quoted
from arena.common.ids import is_public_id
from arena.competition.games import seat_counts
from arena.features.play.models import CasualTable
from arena.roster.models import Bot, BotVersion
from engine import Game, Ruleset
from engine.game import partner_of
from engine.games import all_games

Strength = CasualTable.Strength
KINDS = {
    Strength.RANDOM: ("random",),
    Strength.GREEDY: ("greedy",),
    Strength.RULES: ("rules",),
    Strength.SEARCH: ("ismcts", "search", "pimc"),
}
"""House bots by strength, weakest first. The first one that exists for a game and is ready plays."""
ACCOUNTS = {kind: house_username(kind) for kinds in KINDS.values() for kind in kinds}
"""Owner account of each kind of house bot."""
MAX_VERSIONS = 50


class Offer(NamedTuple):
    key: str
    """Key of the preset, such as ``kakeya4``."""
    game: str
    seats: int
    """Default of the preset."""
    strengths: tuple[str, ...]
    """Strengths of ready house bots, weakest first; empty: the preset cannot be played now."""
    kinds: dict[str, str]
    partner_seats: dict[int, int]
    """Partner's seat by seat; empty without partnerships."""
    seat_counts: tuple[int, ...] = ()
    """Allowed numbers of seats; empty without a choice."""


def offers() -> list[Offer]:
    """Return all presets of all games, in the order of the rules. One query."""
    ready = _house_versions()
    return [
        Offer(
            key=preset,
            game=game.key,
            seats=game.seats(ruleset),
            strengths=tuple(ready.get(game.key, ())),
            kinds={strength: house_kind(version) for strength, version in ready.get(game.key, {}).items()},
            partner_seats=partner_seats(game, ruleset),
            seat_counts=seats_offered(game, preset),
        )
        for game in all_games().values()
        for preset, ruleset in game.presets.items()
    ]


def house_kind(version: BotVersion) -> str:
    return version.bot.name.removeprefix(f"{version.bot.game}_")


def partner_seats(game: Game, ruleset: Ruleset) -> dict[int, int]:
    sides = game.sides(ruleset)
    partners = {seat: partner_of(sides, seat) for side in sides for seat in side}
    return {seat: partner for seat, partner in sorted(partners.items()) if partner is not None}


def seats_offered(game: Game, preset: str) -> tuple[int, ...]:
    counts = seat_counts(preset)
    return counts if len(counts) > 1 else ()


def preset_chosen(preset: str, seats: int | None) -> tuple[Game, Ruleset]:
    """Return game and ruleset. Raises Invalid (``unknown_preset``, ``wrong_seats``)."""
    for game in all_games().values():
        if preset in game.presets:
            ruleset = game.presets[preset]
            if seats is None or seats == game.seats(ruleset):
                return game, ruleset
            counts = seat_counts(preset)
            if seats not in counts:
                allowed = ", ".join(map(str, counts))
                raise Invalid(f"{preset} cannot have {quoted(seats)} seats: choose {allowed}.", "wrong_seats")
            return game, ruleset.replace(seats=seats)
    known = [name for game in all_games().values() for name in game.presets]
    raise Invalid(
        f"There is no preset {quoted(preset)}; presets: {', '.join(known)}.", "unknown_preset", allowed=known
    )


def public_versions(game: str, q: str = "") -> list[BotVersion]:
    """Return at most ``MAX_VERSIONS`` active versions of public bots that match ``q``, by name. One query."""
    rows = _public_versions().filter(bot__game=game)
    if q := q.replace("\0", "").strip()[:60]:
        rows = rows.filter(Q(bot__name__icontains=q) | Q(bot__owner__handle__icontains=q))
    return list(rows.order_by("bot__name", "-number")[:MAX_VERSIONS])


def public_version_named(public_id: str) -> BotVersion | None:
    """Return the active version of a public bot by public id. One query, none for another text."""
    return _public_versions().filter(public_id=public_id).first() if is_public_id(public_id) else None


def house_versions(game: str) -> dict[str, BotVersion]:
    """Return the ready house version of each strength, weakest first. One query."""
    return _house_versions(game=game).get(game, {})


def house_version(game: str, strength: str) -> BotVersion:
    """Return the house version of a strength. Raises Invalid (``unknown_strength``), Unavailable."""
    known = [str(each) for each in KINDS]
    if strength not in known:
        raise Invalid(
            f"There is no strength {quoted(strength)}; there are {', '.join(known)}.",
            "unknown_strength",
            allowed=known,
        )
    version = house_versions(game).get(strength)
    if version is None:
        raise Unavailable(
            f"The house bot {strength!r} cannot play {game} here yet: it waits for its check.",
            "house_bot_unavailable",
            60,
        )
    return version


def public_version(game: str, public_id: str) -> BotVersion:
    """Return a version that any person may play against. Raises Invalid (``version_unavailable``)."""
    version = public_version_named(public_id)
    if version is None or version.bot.game != game:
        raise Invalid(
            f"{quoted(public_id)} is not an active version of a public bot for {game}: choose another.",
            "version_unavailable",
        )
    return version


def _house_versions(**game: str) -> dict[str, dict[str, BotVersion]]:
    rows = Bot.objects.filter(
        owner__user__username__in=ACCOUNTS.values(), active_version__state=BotVersion.State.READY, **game
    )
    bots = {
        (bot.game, bot.name, bot.owner.user.username): bot.active_version
        for bot in rows.select_related("active_version__bot", "owner__user")
    }
    by_game: dict[str, dict[str, BotVersion]] = {}
    for key in sorted({key for key, _, _ in bots}):
        for strength, kinds in KINDS.items():
            ready = [bots.get((key, f"{key}_{kind}", ACCOUNTS[kind])) for kind in kinds]
            version = next((version for version in ready if version is not None), None)
            if version is not None:
                by_game.setdefault(key, {})[str(strength)] = version
    return by_game


def _public_versions() -> QuerySet[BotVersion]:
    rows = BotVersion.objects.filter(
        active_for__isnull=False, bot__visibility=Bot.Visibility.PUBLIC, state=BotVersion.State.READY
    )
    return rows.select_related("bot__owner__user")
