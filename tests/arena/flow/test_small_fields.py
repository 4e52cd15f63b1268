"""Every page and every read of the API answers for events of few entries, in every state, after leavers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from arena.accounts.models import User
from arena.competition.models import Entry, Round, Tournament
from arena.competition.services import (
    entry_withdraw,
    tournament_archive,
    tournament_lock,
    tournament_pause,
    tournament_start,
)
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.matches.models import BoardSet, Fixture, Table
from tests import factories
from tests.arena.play import play_out

pytestmark = pytest.mark.django_db
State = Tournament.State
FORMATS = {
    "round_robin": [{"format": "round_robin"}],
    "elimination": [{"format": "single_elimination"}],
    "two_stages": [{"format": "round_robin"}, {"format": "single_elimination", "qualify": 2}],
}
STREAM = "/events"
ORGANISE = "/organise/"
"""Pages that send strangers to sign in before they look at an event; ``web/test_roles.py`` visits each."""
LISTS = ("/", "/tournaments", "/organise", "/api/v1/tournaments", "/api/v1/fixtures", "/api/v1/tables")
PART = re.compile(r"<\w+:(\w+)>")


def patterns(found: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    """Every address of the site, with the names of its parts in brackets."""
    for pattern in found:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from patterns(pattern.url_patterns, path)
        else:
            yield path


def reads_of(event: Tournament) -> list[str]:
    """Every page and every read of an event, and of its first entry, fixture, table and board."""
    of_event = {"tournaments": event.public_id, "events": event.public_id}
    for word, row in (
        ("entries", event.entries.order_by("pk").first()),
        ("fixtures", Fixture.objects.filter(tournament=event).order_by("pk").first()),
        ("tables", Table.objects.filter(tournament=event).order_by("pk").first()),
        ("boards", BoardSet.objects.filter(round__stage__tournament=event).order_by("pk").first()),
    ):
        if row is not None:
            of_event[word] = row.public_id
    entries = list(event.entries.order_by("pk").values_list("public_id", flat=True)[:2])
    if len(entries) == 2:
        of_event["pairs"], of_event["second"] = entries
    fixed = {"stage": "1", "number": "1", "verb": "cancel", "kind": "opened"}
    found = set()
    for path in patterns(get_resolver().url_patterns):
        out, is_known = "", any(word in path for word in ("tournaments/<", "events/<", *of_event))
        at = 0
        for part in PART.finditer(path):
            before = path[at : part.start()].rstrip("/").rpartition("/")[2]
            value = of_event.get(before) or fixed.get(part[1]) or of_event.get(part[1])
            is_known = is_known and value is not None
            out += path[at : part.start()] + (value or "")
            at = part.end()
        if at and is_known and "<" not in path[at:] and not path.endswith(STREAM):
            found.add("/" + out + path[at:])
    return sorted(found)


def all_read(event: Tournament, *, by_all: bool = False) -> None:
    """The organiser, or everybody, reads everything; nothing fails."""
    event.refresh_from_db()
    paths = reads_of(event)
    assert f"/tournaments/{event.public_id}/live" in paths
    viewers: list[User | None] = [factories.odo()]
    viewers += [None, factories.aya(), factories.sota()] if by_all else []
    for viewer in viewers:
        client = Client()
        if viewer is not None:
            client.force_login(viewer)
        for path in (*LISTS, *paths) if by_all else paths:
            if viewer is None and path.startswith(ORGANISE):
                continue
            status = client.get(path).status_code
            assert status < 500, (path, str(viewer), event.state)
            if path == event.page and event.state != State.DRAFT:
                assert status == 200, path


def leave(event: Tournament, count: int) -> None:
    for entry in event.entries.filter(status=Entry.Status.ENTERED).order_by("pk")[:count]:
        entry.tournament = event
        entry_withdraw(entry, entry.player.user)


@pytest.mark.parametrize("entries", [0, 1, 2])
def test_before_the_lock(entries: int) -> None:
    if entries == 0:
        all_read(factories.a_tournament(boards_per_round=1))
    event = factories.an_open_tournament(boards_per_round=1)
    for user in factories.players(entries):
        factories.an_entry(event, user)
    all_read(event)
    if entries:
        leave(event, 1)
        all_read(event)
    tournament_cancel(event, factories.odo(), "nobody came")
    all_read(event)


@pytest.mark.parametrize(
    ("format_", "leavers", "when"),
    [
        *(
            (format_, leavers, when)
            for format_ in FORMATS
            for leavers in (1, 2)
            for when in ("locked", "playing")
        ),
        *((format_, 0, "never") for format_ in FORMATS),
        ("round_robin", 1, "started"),
        ("round_robin", 2, "started"),
    ],
)
@pytest.mark.sampled(12)
def test_after_the_lock(format_: str, leavers: int, when: str) -> None:
    event = factories.an_open_tournament(boards_per_round=1, stages=FORMATS[format_])
    for user in factories.players(2):
        factories.an_entry(event, user)
    tournament_lock(event, event.organiser)
    if when == "locked":
        leave(event, leavers)
        all_read(event)
    tournament_start(event, event.organiser)
    if when == "started":
        leave(event, leavers)
        all_read(event)
    tournament_advance(event)
    event.refresh_from_db()
    if when == "playing":
        all_read(event)
        leave(event, leavers)
        all_read(event)
        tournament_advance(event)
        event.refresh_from_db()
    # An event that is over is read below.
    if event.state == State.RUNNING:
        all_read(event)
        tournament_pause(event, event.organiser)
        all_read(event)
        Tournament.objects.filter(pk=event.pk).update(state=State.RUNNING)
        event.refresh_from_db()
        play_out(event)
        event.refresh_from_db()
    all_read(event, by_all=True)
    if event.state == State.FINAL:
        Tournament.objects.filter(pk=event.pk).update(state=State.PROVISIONAL)
        all_read(event)
        Tournament.objects.filter(pk=event.pk).update(state=State.FINAL)
        event.refresh_from_db()
        tournament_archive(event, event.organiser)
        all_read(event)


@pytest.mark.parametrize("leavers", [0, 1, 2])
def test_cancelled_after_the_lock(leavers: int) -> None:
    event = factories.a_locked_tournament(2, boards_per_round=1)
    leave(event, leavers)
    tournament_cancel(event, event.organiser, "it rains")
    all_read(event)
    assert not Round.objects.filter(stage__tournament=event).exists()


def test_of_three_entries_two_leave_before_the_first_round() -> None:
    event = factories.a_locked_tournament(3, boards_per_round=1)
    tournament_start(event, event.organiser)
    leave(event, 2)
    tournament_advance(event)
    all_read(event)
