"""Twelve rows take no more queries than two: every list, and every thing shown by itself."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.accounts.models import Notice, User
from arena.accounts.services import notice_create, user_create
from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.features.experiments.services import experiment_create
from arena.features.integrity.services import reports_make
from arena.features.ladders.models import Ladder, LadderSeason, Placement
from arena.features.ratings.models import RatingList
from arena.features.ratings.services import ratings_make
from arena.matches.models import Fixture
from arena.roster.models import BotVersion
from arena.tables.views import table_view_make
from tests.arena.api.conftest import caller
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out
from tests.factories import a_bot, a_token, a_tournament, a_version, odo, sota

pytestmark = pytest.mark.django_db

FOR_STAFF = ("integrity of a list",)
FOR_ORGANISERS = ("integrity", "integrity of an event")
ONE_ROUND = [{"format": "swiss", "options": {"rounds": 1}}]


def played(entries: int) -> Tournament:
    """One round of so many, played to its end."""
    return play_out(begun(entries, stages=ONE_ROUND, boards_per_round=1))


def an_author(name: str, rows: int) -> User:
    """An account with so many bots, versions of the first, notices and tokens."""
    user = user_create(name)
    bots = [a_bot(user) for _ in range(rows)]
    for number in range(rows):
        a_version(bots[0])
        a_token(user)
        notice_create(
            user, Notice.Kind.TOURNAMENT, {"code": "tournament_final", "tournament": f"number {number}"}
        )
    return user


def a_used_ladder(author: User) -> Ladder:
    """A ladder that has had as many rounds and placements as the author has bots."""
    version = author.player.bots.order_by("id")[0].versions.all()[0]
    rows = author.player.bots.count()
    now = timezone.now()
    ladder = Ladder.objects.create(
        game="kakeya", preset=f"preset{rows}", board_kind="deal", seats=4, boards=2, cpu_s_per_day=1
    )
    for number in range(1, rows + 1):
        season = ladder.seasons.create(
            name=f"{number}", begins_at=now, ends_at=now + timedelta(1), state=LadderSeason.State.ARCHIVED
        )
        ladder.rounds.create(
            season=season, number=1, kind="floor", state="counted", tournament=a_tournament(), drawn_at=now
        )
        ladder.placements.create(
            bot=version.bot,
            version=version,
            placed_at=now,
            left_at=now,
            left_reason=Placement.LeftReason.SUPERSEDED,
        )
    return ladder


def addresses(event: Tournament, author: User) -> dict[str, str]:
    """Every list and detail of one event and one author, by what it is."""
    base = f"tournaments/{event.public_id}"
    fixture = Fixture.objects.filter(tournament=event).order_by("id")[0]
    table = fixture.tables.all()[0]
    table_view_make(table)
    ratings_make()
    reports_make(rest_s=0)
    version = table.seats.all()[0].version
    bot = author.player.bots.order_by("id")[0]
    ladder = a_used_ladder(author)
    return {
        "tournament": base,
        "entries": f"{base}/entries",
        "entry": f"{base}/entries/{event.entries.all()[0].public_id}",
        "rounds": f"{base}/rounds",
        "fixtures of an event": f"{base}/fixtures",
        "standings": f"{base}/standings",
        "standings then": f"{base}/standings?as_of=1",
        "crosstable": f"{base}/crosstable",
        "display": f"{base}/display",
        "plan": f"{base}/plan",
        "fairness": f"{base}/fairness",
        "export": f"{base}/export",
        "fixtures": f"fixtures?tournament={event.public_id}",
        "fixture": f"fixtures/{fixture.public_id}",
        "tables": f"tables?tournament={event.public_id}",
        "table": f"tables/{table.public_id}",
        "board": f"boards/{fixture.board_set.public_id}/1",
        "replay": f"tables/{table.public_id}/replay",
        "view": f"tables/{table.public_id}/view",
        "tables of a version": f"versions/{version.public_id}/tables",
        "version": f"versions/{version.public_id}",
        "commitments": "commitments",
        "ladders": "ladders",
        "ladder": f"ladders/{ladder.public_id}",
        "seasons": f"ladders/{ladder.public_id}/seasons",
        "ladder rounds": f"ladders/{ladder.public_id}/rounds",
        "placements": f"ladders/{ladder.public_id}/placements",
        "rating lists": "rating-lists",
        "rating list": f"rating-lists/{RatingList.objects.get().public_id}",
        "ratings": f"ratings?preset={event.preset}",
        "rulings on a list": f"rating-lists/{RatingList.objects.get().public_id}/rulings",
        "integrity": "integrity",
        "integrity of a list": f"integrity/lists/{RatingList.objects.get().public_id}",
        "integrity of an event": f"integrity/tournaments/{event.public_id}",
        "rating history": f"ratings/{version.public_id}/history",
        "bots": f"bots?owner={author.player.handle}",
        "bot": f"bots/{bot.public_id}",
        "versions": f"bots/{bot.public_id}/versions",
        "audit": f"audit?actor={author.username}",
        "events": f"events?tournament={event.public_id}",
    }


def queries(client: Any, path: str) -> int:
    process_cache.clear()
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(f"/api/v1/{path}")
        assert answer.status_code == 200, (path, answer.getvalue())
        answer.getvalue()
    return len(captured)


rows_of_few_and_many = made_once(
    lambda: tuple(addresses(played(n), an_author(f"author-of-{n}", n)) for n in (2, 12))
)


@pytest.fixture
def few_and_many(rows_of_few_and_many: Any, db: None) -> tuple[dict[str, str], dict[str, str]]:
    """The addresses of things with two rows, and of things with twelve; the same for all who ask."""
    return given(rows_of_few_and_many)


@pytest.mark.full
@pytest.mark.parametrize("who", [None, odo, sota])
def test_twelve_rows_take_no_more_queries_than_two(
    few_and_many: tuple[dict[str, str], dict[str, str]], who: Any
) -> None:
    few, many = few_and_many
    client = caller(who() if who else None)
    client.get("/api/v1/me")  # the first use of a token notes its time
    kept = {None: {"audit", *FOR_STAFF, *FOR_ORGANISERS}, odo: set(FOR_STAFF)}.get(who, set())
    asked = {name: path for name, path in few.items() if name not in kept}
    counts = {name: (queries(client, path), queries(client, many[name])) for name, path in asked.items()}
    assert {name: both for name, both in counts.items() if both[0] != both[1]} == {}
    assert max(most for most, _ in counts.values()) <= 30


def test_ones_own_lists_take_no_more_either(settings: Any) -> None:
    settings.EXPERIMENTS_PER_DAY, settings.EXPERIMENT_CPU_S_PER_DAY = 100, 10**6
    authors = {n: an_author(f"author{n}", n) for n in (2, 12)}
    for user in authors.values():
        first, *others = BotVersion.objects.filter(bot__owner__user=user).select_related("bot__owner")
        for version in others:
            experiment_create(user, version, first, preset="kakeya4")
    few, many = map(caller, authors.values())
    for path in (
        "tokens",
        "notices",
        "me",
        "bots",
        "audit",
        "tournaments",
        "series",
        "challenges",
        "experiments",
    ):
        for client in (few, many):
            client.get("/api/v1/me")
        assert queries(few, path) == queries(many, path), path
