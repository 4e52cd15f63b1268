"""Names that run from right to left are isolated on every page: they would turn the text around them."""

from __future__ import annotations

import datetime
import re
from html.parser import HTMLParser

import pytest
from django.test import Client

from arena.accounts.services import token_create
from arena.competition.challenges import challenge_create
from arena.competition.series.services import series_create
from arena.competition.series.subscriptions import subscription_add
from arena.jobs.flow import tournament_advance
from tests import factories
from tests.arena.play import play_out, started
from tests.arena.web.visits import visit

pytestmark = pytest.mark.django_db

NAME = "\u05e9\u05dc\u05d5\u05dd"
FIRST_STRONG, POP = "\u2068", "\u2069"
FREE = {"textarea", "script", "style", "pre", "code"}
"""Elements whose text is displayed as it is, in a direction of its own, or not at all."""
VOID = {"meta", "link", "input", "img", "br", "hr", "wbr", "use", "path", "source"}
FOLLOWED = re.compile(r"/(?!static|docs|rules|learn|api|admin|play|sign-out|\.well-known)[^#]*")
PAGES_AT_MOST = 150


class Outside(HTMLParser):
    """Collects the texts in which the name is not isolated."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        given = dict(attributes)
        if tag == "a" and FOLLOWED.fullmatch(href := given.get("href") or ""):
            self.links.append(href)
        for name in ("title", "aria-label", "alt"):
            self._look(given.get(name) or "", f"{tag} {name}")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not FREE.intersection(self.open) and "bdi" not in self.open:
            self._look(data, self.open[-1] if self.open else "")

    def _look(self, text: str, where: str) -> None:
        bare = re.sub(f"{FIRST_STRONG}[^{POP}]*{POP}", "", text)
        if NAME in bare:
            self.found.append(f"{where}: {' '.join(text.split())[:120]}")


@pytest.fixture
def named() -> list[str]:
    """Addresses to begin with: of events, cups, bots and tokens of this name."""
    events = []
    bots = {
        owner.pk: factories.a_bot(owner, NAME, visibility="public")
        for owner in (factories.aya(), factories.ben(), factories.chie())
    }
    for bot in bots.values():
        factories.a_version(bot)
    for number in range(3):
        event = factories.an_open_tournament(name=f"{NAME} {number}")
        for bot in bots.values():
            factories.entry_create(event, bot.versions.get(), bot.owner.user)
        events.append(event)
    play_out(started(events[0]))
    started(events[1])
    draft = factories.a_tournament(name=f"{NAME} draft")
    template = {"preset": factories.PRESET, "boards_per_round": 2}
    cup = series_create(
        factories.odo(),
        name=NAME,
        template=template,
        frequency="daily",
        start_time=datetime.time(20),
        open_hours=2,
    )
    aya = factories.aya()
    subscription_add(cup, bots[aya.pk], aya)
    versions = [bots[aya.pk].versions.get(), bots[factories.ben().pk].versions.get()]
    tournament_advance(challenge_create(aya, versions, preset=factories.PRESET, boards=2))
    for user in (aya, factories.odo()):
        token_create(user, name=NAME, scopes=["read"], actor=user)
    return [
        "/",
        "/tournaments",
        "/desk",
        "/me/tokens",
        "/me/bots",
        "/notices",
        f"/search?q={NAME}",
        "/organise",
        f"/organise/tournaments/{draft.public_id}",
        f"/cups/{cup.public_id}",
        "/experiments/new",
        *(event.page for event in events),
        *(
            f"{event.page}/{part}"
            for event in events
            for part in ("standings", "crosstable", "entries", "deals")
        ),
    ]


@pytest.mark.full
@pytest.mark.parametrize("who", ["anonymous", "aya", "odo"])
def test_every_name_on_a_page_is_isolated(client: Client, named: list[str], who: str) -> None:
    visit(client, who)
    waiting, seen, outside, shown = list(named), set(named), [], 0
    while waiting and len(seen) < PAGES_AT_MOST:
        address = waiting.pop(0)
        answer = client.get(address)
        if answer.status_code != 200 or "text/html" not in answer["Content-Type"]:
            continue
        page = answer.content.decode()
        shown += NAME in page
        parser = Outside()
        parser.feed(page)
        outside += [f"{address} {text}" for text in parser.found]
        for link in parser.links:
            if link not in seen:
                seen.add(link)
                waiting.append(link)
    assert shown > 10
    assert not outside, "\n".join(outside)
