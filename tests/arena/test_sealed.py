"""While a board set is open only staff find anything of it, at any address; afterwards everybody does."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client

from arena.accounts.models import User
from arena.common.blobs import blob_get
from arena.common.process_cache import process_cache
from arena.competition.deals import board_seeds
from arena.competition.models import Tournament
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.matches.models import BoardSet, Fixture, Table, TableSeat
from arena.standings.models import FixtureScore
from arena.tables.views import table_view_make
from tests.arena.cards import cards_in, has_hand, has_plays
from tests.arena.play import play_out, play_table, waiting
from tests.arena.site_addresses import addresses
from tests.arena.web.world import names, rows_of_the_names
from tests.factories import aya, chie, odo, sota
from tests.scores import results_change
from viewer.build import view_of

__all__ = ["names", "rows_of_the_names"]
pytestmark = pytest.mark.django_db

PASSING = (
    r'(?:csrfmiddlewaretoken|"once)" value="[^"]+"|"trace_id":"[^"]+"|nonce-[\w+/=]+|next deal in [^,]+,'
)
"""What differs from one answer to the next."""
BLOBS = ("record_sha256", "timings_sha256", "view_sha256")
ALTERED = tuple(model._meta.db_table for model in (Table, TableSeat, Fixture, FixtureScore))
"""The tables that ``alter`` changes."""


class Sealed(NamedTuple):
    """What nobody may learn of the open board set."""

    secret: list[str]
    texts: list[str]
    hands: list[list[str]]
    plays: list[list[str]]

    def found_in(self, text: str) -> list[str]:
        """What of it a text contains."""
        cards = cards_in(text)
        return [
            *(word for word in (*self.secret, *self.texts) if word in text),
            *(f"hand {hand}" for hand in self.hands if has_hand(cards, hand)),
            *(f"plays {plays[:8]}" for plays in self.plays if has_plays(cards, plays)),
        ]


@pytest.fixture
def event(names: dict[str, Any]) -> Tournament:
    """Its first round is closed, of its second one table is finished and one waits."""
    Table.objects.filter(public_id=names["quarantined_table"]).update(state=Table.State.WAITING)
    return Tournament.objects.get(public_id=names["event"])


@pytest.fixture
def table(names: dict[str, Any]) -> Table:
    """The finished one, whose boards are sealed."""
    return Table.objects.get(public_id=names["sealed_table"])


@pytest.fixture
def sealed(event: Tournament, table: Table) -> Sealed:
    """See ``Sealed``."""
    secret = bytes(event.secret)
    spellings = [secret.hex(), secret.hex().upper(), repr(secret)[2:-1], str(list(secret))[1:-1]]
    encoded = [encode(secret).decode().rstrip("=") for encode in (base64.b64encode, base64.urlsafe_b64encode)]
    times = [moment.isoformat()[:26] for moment in (table.started_at, table.finished_at) if moment]
    digests = [getattr(table, name) for name in BLOBS]
    deals = [deal for board in view_of(blob_get(table.record_sha256))["boards"] for deal in board["deals"]]
    assert len(times) == 2
    assert all(digests)
    return Sealed(
        [*spellings, *encoded],
        [*seeds_of(table.fixture.board_set), *digests, *times],
        [list(hand) for deal in deals for hand in deal["hands"].values()],
        [[step["a"] for step in deal["steps"]] for deal in deals],
    )


def seeds_of(board_set: BoardSet) -> list[str]:
    return list(board_seeds(board_set.round, range(1, board_set.boards + 1)).values())


def ids_of(names: dict[str, Any]) -> dict[str, Sequence[object]]:
    """The names of the world as parameters of addresses."""
    fixed: dict[str, Sequence[object]] = {
        "tournament": [names["event"]],
        "board_set": [names["sealed_set"], names["open_set"]],
        "fixture": [names["sealed_fixture"], names["open_fixture"]],
        "table": [names["sealed_table"], names["open_table"], names["quarantined_table"]],
        "fingerprint": [names["fault"], names["sealed_fault"]],
        "handle": ["aya"],
        "entry": [names["playing"]],
        "version": [names["version"], names["upload"]],
        "problem": [names["sealed_problem"], names["problem"]],
    }
    return {name: [value] for name, value in names.items()} | fixed


def answers(
    names: dict[str, Any],
    user: User | None,
    about: Sequence[str] = ("",),
    readers: set[str] | None = None,
    only: Collection[str] | None = None,
) -> dict[str, tuple[int, str, str]]:
    """Status, ETag and text of every address, as one reader gets them; of a stream nothing is read.

    ``about``: only of the addresses that contain one of these ids. ``only``: only of these. ``readers`` gets
    the addresses whose queries name a table that ``alter`` changes.
    """
    client = Client()
    if user is not None:
        client.force_login(user)
    found = {}
    all_of_them = addresses(ids_of(names))
    assert len(all_of_them) > 150
    for address in all_of_them:
        if not any(public_id in address for public_id in about) or (only is not None and address not in only):
            continue
        cache.clear()
        process_cache.clear()
        queries: list[str] = []
        with connection.execute_wrapper(partial(noted, queries)):
            answer: Any = client.get(address)
            kind = answer.get("Content-Type", "")
            is_stream = "event-stream" in kind
            content = b"" if is_stream else answer.getvalue()
        is_binary = answer.streaming or kind.startswith(("image/png", "application/zip"))
        text = content.decode("latin-1" if is_binary else "utf-8")
        heads = "\n".join(answer.get(name, "") for name in ("Location", "Link"))
        # The ETag of a page follows from the token of its forms.
        etag = answer.get("ETag", "") if address.startswith("/api") else ""
        found[address] = (answer.status_code, etag, re.sub(PASSING, "", f"{heads}\n{text}"))
        if readers is not None and any(f'"{table}"' in sql for sql in queries for table in ALTERED):
            readers.add(address)
    return found


def noted(
    queries: list[str], execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
) -> Any:
    """Execute a query and note its text."""
    queries.append(sql)
    return execute(sql, params, many, context)


def alter(table: Table) -> None:
    """Give the sealed table another course, other results, verdicts and costs."""
    other = Table.objects.filter(fixture__tournament=table.tournament, state=Table.State.FINISHED).exclude(
        pk=table.pk
    )[0]
    results_change(table, lambda result: result._replace(stones=7351, verdict="CRASHED"))
    table.seats.update(verdict="CRASHED", forfeited=True, cpu_ms=918273, decisions=64737, faults=[])
    blobs = {name: getattr(other, name) for name in BLOBS if getattr(other, name)}
    Table.objects.filter(pk=table.pk).update(decisions=64737, **blobs)
    fixture = table.fixture
    for side in fixture.sides.all():
        FixtureScore.objects.create(
            fixture=fixture, entry=side.entry, numerator=7351, denominator=2, board_values="7351/2"
        )
    note = {"code": "typed", "text": "a reason that tells"}
    Fixture.objects.filter(pk=fixture.pk).update(state="forfeited", note=note)


@pytest.mark.full
@pytest.mark.parametrize("who", [None, pytest.param(chie, marks=pytest.mark.nightly), aya, odo])
def test_nothing_of_an_open_set_is_at_any_address(
    names: dict[str, Any], sealed: Sealed, table: Table, who: Callable[[], User] | None
) -> None:
    """However the sealed table went, every address answers alike: in length, order and ETag, too."""
    user = who() if who else None
    Fixture.objects.filter(pk=table.fixture_id).update(state="settled")
    readers: set[str] = set()
    before = answers(names, user, readers=readers)
    assert {a: found for a, (_, _, text) in before.items() if (found := sealed.found_in(text))} == {}
    assert [address for address, (status, *_) in before.items() if status >= 500] == []
    alter(table)
    # The caches are empty at each request: what reads none of the altered tables cannot differ.
    assert len(readers) > 50
    after = answers(names, user, only=readers)
    assert {address for address in readers if before[address] != after[address]} == set()


def test_no_position_of_an_open_set_is_solved(names: dict[str, Any]) -> None:
    """At every address that solves, whoever asks and whatever is sent: it is not read."""
    found = addresses({**ids_of(names), "board_set": [names["sealed_set"]]})
    solving = [address for address in found if "/boards/" in address and address.endswith("/solve")]
    assert len(solving) == 2
    for user in (None, aya(), odo(), sota()):
        client = Client()
        if user is not None:
            client.force_login(user)
        for address in solving:
            for body in (b"{}", b"{", b'{"plays": ["AS"]}', b"[" * 300_000):
                answer = client.post(address, body, content_type="application/json")
                assert (answer.status_code, answer.json()["code"]) == (423, "sealed")


def test_staff_find_what_is_sealed_but_no_secret(names: dict[str, Any], sealed: Sealed, table: Table) -> None:
    texts = {address: text for address, (_, _, text) in answers(names, sota()).items()}
    found = {address for address, text in texts.items() if sealed.found_in(text)}
    version, fault = names["version"], names["sealed_fault"]
    assert f"/api/v1/tables/{table.public_id}/record" in found
    assert f"/api/v1/versions/{version}/faults/{fault}/file" in found
    assert not [word for text in texts.values() for word in sealed.secret if word in text]


def test_afterwards_all_of_it_can_be_found(names: dict[str, Any], sealed: Sealed, event: Tournament) -> None:
    """The same search finds every hand, by page and by API, and digests: it could have before."""
    for waits in waiting(event):
        play_table(waits)
    tournament_advance(event)
    for played in Table.objects.filter(fixture__tournament=event, state=Table.State.FINISHED):
        table_view_make(played)
    # Some of the addresses show it: those of the table and of its boards suffice.
    about = [names["sealed_table"], names["sealed_set"]]
    found = {a: sealed.found_in(text) for a, (_, _, text) in answers(names, None, about).items()}
    for is_api in (False, True):
        lines = {line for a, lines in found.items() if a.startswith("/api") == is_api for line in lines}
        assert {f"hand {hand}" for hand in sealed.hands} <= lines
        assert lines & set(sealed.texts)


@pytest.mark.parametrize("ends", [play_out, lambda event: tournament_cancel(event, odo(), "rain")])
def test_the_secret_is_revealed_at_the_end(event: Tournament, ends: Callable[[Tournament], object]) -> None:
    path = f"/api/v1/tournaments/{event.public_id}/fairness"
    assert Client().get(path).json()["secret"] is None
    ends(event)
    fairness = Client().get(path).json()
    assert fairness["secret"] == bytes(event.secret).hex()
    assert fairness["revealed_at"]
    assert all(board_set["seeds"] for board_set in fairness["board_sets"])


def test_the_search_knows_cards_by_code_and_by_sign() -> None:
    hand = ["KH", "TS", "2C", "AD", "9H"]
    for text in (
        "KH TS 2C AD 9H",
        '<use href="#c-9H"/><use href="#c-KH"/> #c-TS #c-2C #c-AD',
        "♥K ♥9 ♠10 ♣2 ♦A",
    ):
        assert has_hand(cards_in(text), hand)
    assert not has_hand(cards_in("KH TS 2C AD 8H"), hand)
    assert has_plays(cards_in("x KH, TS, 2C, AD, 9H, 3H y"), ["4D", "KH", "TS", "2C", "AD", "9H", "3H"])
