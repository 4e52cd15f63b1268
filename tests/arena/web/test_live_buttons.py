"""A page of an event that is left open has the links and buttons of one that is loaded again, for every kind
of reader and after every transition."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.competition.entries.services import entry_confirm
from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.models import Tournament
from arena.competition.services import (
    tournament_archive,
    tournament_lock,
    tournament_open,
    tournament_pause,
    tournament_resume,
    tournament_start,
)
from arena.jobs.flow import tournament_advance, tournament_cancel, tournament_close_early
from tests import factories
from tests.arena.play import play_out, play_table, waiting

pytestmark = pytest.mark.django_db
START = re.compile(r'<div class="part" id="live-(\w+)"[^>]*>')
HAVE = re.compile(r'name="have" value="([^"]+)"')
CONTROL = re.compile(r'<a [^>]*?href="([^"]+)"|<form [^>]*?action="([^"]+)"')
READERS: dict[str, Callable[[], User] | None] = {
    "anonymous": None,
    "entrant": factories.aya,
    "partner": factories.ben,
    "other player": factories.rin,
    "organiser": factories.odo,
    "staff": factories.sota,
}


def opened(event: Tournament) -> None:
    tournament_open(event, event.organiser)


def entered(event: Tournament) -> None:
    factories.an_entry(event, factories.chie())
    factories.a_pending_entry(event, factories.aya(), factories.ben())


def confirmed(event: Tournament) -> None:
    entry_confirm(event.entries.get(partner_version__isnull=False), factories.ben())


def withdrawn(event: Tournament) -> None:
    entry_withdraw(event.entries.get(partner_version__isnull=False), factories.aya(), may_leave=True)


def others_entered(event: Tournament) -> None:
    for user in (factories.aya(), factories.ben()):
        factories.an_entry(event, user)


def locked(event: Tournament) -> None:
    tournament_lock(event, event.organiser)


def begun(event: Tournament) -> None:
    tournament_start(event, event.organiser)
    tournament_advance(event)


def paused(event: Tournament) -> None:
    tournament_pause(event, event.organiser, "lunch is served")


def resumed(event: Tournament) -> None:
    tournament_resume(event, event.organiser)


def one_table(event: Tournament) -> None:
    play_table(waiting(event)[0])


def one_round(event: Tournament) -> None:
    for table in waiting(event):
        play_table(table)


def left(event: Tournament) -> None:
    entry_withdraw(
        event.entries.filter(player__user=factories.chie()).get(), factories.chie(), may_leave=True
    )
    tournament_advance(event)


def ended_early(event: Tournament) -> None:
    tournament_close_early(event, event.organiser, "the hall closes")


def archived(event: Tournament) -> None:
    tournament_archive(event, event.organiser)


def cancelled(event: Tournament) -> None:
    tournament_cancel(event, event.organiser, "rain")


Transition = Callable[[Tournament], object]
TO_THE_START: tuple[Transition, ...] = (opened, entered, confirmed, withdrawn, others_entered, locked, begun)
LIVES: dict[str, tuple[Transition, ...]] = {
    "played": (*TO_THE_START, paused, resumed, one_table, play_out, archived),
    "left by one": (*TO_THE_START, left, play_out),
    "ended early": (*TO_THE_START, one_round, ended_early, tournament_advance),
    "cancelled as a draft": (cancelled,),
    "cancelled in registration": (opened, entered, cancelled),
    "cancelled when locked": (*TO_THE_START[:-1], cancelled),
    "cancelled in play": (*TO_THE_START, one_table, paused, cancelled),
}


def controls(html: str) -> list[str]:
    """Where the links and forms of the article lead, in order."""
    article = html[html.index("<article") : html.index("</article>")]
    shown = re.sub(
        r"<div hidden>.*?</div></div>",
        "",
        re.sub(r"</div>\s*</div>", "</div></div>", article),
        flags=re.DOTALL,
    )
    return [link or form for link, form in CONTROL.findall(shown)]


@pytest.mark.full
@pytest.mark.sampled(6)
@pytest.mark.parametrize("life", LIVES)
def test_a_page_left_open_has_the_controls_of_a_new_one(life: str) -> None:
    event = factories.a_tournament(min_entries=2, entries_per_player=2)
    clients = {name: Client() for name in READERS}
    for name, reader in READERS.items():
        if reader is not None:
            clients[name].force_login(reader())
    address = f"/tournaments/{event.public_id}"
    pages = {}
    for step in (None, *LIVES[life]):
        if step is not None:
            step(event)
            event.refresh_from_db()
        for name, client in clients.items():
            answer = client.get(address)
            fresh = answer.content.decode() if answer.status_code == 200 else ""
            if pages.get(name):
                have = "&".join(f"have={part}" for part in HAVE.findall(pages[name]))
                changes = client.get(f"{address}/live?{have}").content.decode()
                assert controls(patched(pages[name], changes)) == controls(fresh), (name, step)
            pages[name] = fresh


def patched(page: str, changes: str) -> str:
    """The page with the parts that changed in place of its own."""
    new = dict(parts(changes))
    for name, text in parts(page):
        if name in new:
            page = page.replace(text, new[name])
    return page


def parts(html: str) -> list[tuple[str, str]]:
    """Name and text of every part, as an element."""
    found = []
    for start in START.finditer(html):
        depth = 0
        for tag in re.finditer(r"<(/?)div\b", html[start.start() :]):
            depth += -1 if tag[1] else 1
            if depth == 0:
                found.append((start[1], html[start.start() : start.start() + tag.end()]))
                break
    return found
