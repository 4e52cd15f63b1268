"""The game of docs/adding-a-game.md on the site: rules, a drawing module and a page of rules are enough."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from arena.accounts.house import house_username
from arena.accounts.services import user_create
from arena.competition.models import Tournament
from arena.features.play.models import CasualTable, PlayService
from arena.matches.models import Table
from arena.tables.views import table_view_make
from arena.web.base.documents import collection, files, links, rulebook
from tests import factories
from tests.arena.features.play.tables import advance
from tests.arena.play import begun, play_out
from tests.arena.web.verify_script import answers_to
from tests.engine.added_game import ROOT, on_the_path, written
from tests.viewer.records import recorded
from viewer.build import view_of

pytestmark = pytest.mark.django_db
RELEASED = ("engine/games", "platform/viewer/games", "docs/rules")
"""Next to house bots, all that a released game consists of."""


def caches_clear() -> None:
    for module in (files, collection, rulebook, links):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


@pytest.fixture(autouse=True)
def _highcard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The game is installed, and the site reads the documents of a folder that has its rules."""
    folder = written(tmp_path, only=RELEASED)
    for source in (*(ROOT / "docs").rglob("*.md"), *map(ROOT.joinpath, files.OTHER_DOCUMENTS)):
        copied = folder / source.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        if not copied.exists():
            shutil.copy(source, copied)
    monkeypatch.setattr(files, "PACKAGE", folder / "platform" / "arena")
    with on_the_path(folder):
        caches_clear()
        yield
    caches_clear()


@pytest.fixture
def event() -> Tournament:
    """An event of the game that was played to its end."""
    return play_out(begun(3, preset="highcard", stages=[{"format": "heats", "options": {}}]))


def text_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return re.sub(r"\s+", " ", answer.getvalue().decode())


@pytest.mark.parametrize("address", ["/", "/rules"])
def test_pages_that_list_games_introduce_it(client: Client, address: str) -> None:
    page = text_of(client, address)
    assert ">High Card</a>" in page
    assert "the highest takes a stone from each" in page
    assert 'href="/rules/highcard"' in page
    assert set(re.findall(r'<use href="#([^"]+)"', page)) <= set(re.findall(r'id="([^"]+)"', page))


def test_its_rules_presets_and_options_have_pages(client: Client) -> None:
    page = text_of(client, "/rules/highcard")
    assert "Two to eight players, each alone." in page
    assert 'href="/rules/presets/highcard.duel"' in page
    assert 'id="cards"' in text_of(client, "/rules/presets/highcard.duel")


def test_searches_find_its_presets_and_options(client: Client) -> None:
    assert "/rules/presets/highcard.duel" in text_of(client, "/search?q=highcard.duel")
    assert "High Card · Cards dealt to each seat" in text_of(client, "/search?q=cards")


def test_organisers_choose_it_for_an_event() -> None:
    client = Client()
    client.force_login(factories.odo())
    assert 'value="highcard.duel"' in text_of(client, "/organise/new")


def test_an_event_of_it_has_standings_boards_and_replays(client: Client, event: Tournament) -> None:
    assert event.state == Tournament.State.FINAL
    table = Table.objects.first()
    assert table is not None
    table_view_make(table)
    assert 'href="/rules/presets/highcard"' in text_of(client, f"/tournaments/{event.public_id}")
    board = f"/boards/{table.fixture.board_set.public_id}/1"
    assert 'class="mat' in text_of(client, board)
    replay = text_of(client, f"/tables/{table.public_id}?at=b1t5")
    assert replay.count("data-slot=") == 3
    assert 'data-position="15"' in replay
    assert "mat-trumps" not in replay
    assert "mat-captured" not in replay


@pytest.mark.parametrize(("seed", "is_good"), [("seed 3", True), ("another seed", False)])
def test_its_deals_are_checked_in_the_browser(seed: str, is_good: bool) -> None:
    view = view_of(recorded("highcard", "game", (3,)).record)
    assert answers_to(views=[(view, seed)])["views"] == [is_good]


def test_persons_play_it_with_house_bots(client: Client) -> None:
    for kind in ("random", "greedy", "rules"):
        owner = user_create(house_username(kind))
        factories.a_version(factories.a_bot(owner, f"highcard_{kind}", game="highcard"))
    PlayService.objects.create(name="s", seen_at=timezone.now(), capacity=10)
    assert "High Card" in text_of(client, "/play")
    choice = {"preset": "highcard", "seats": "3", "opponents": "greedy", "partner": "rules", "deals": "1"}
    answer = client.post("/play", {**choice, "clock_s": "0"})
    assert answer.status_code == 302
    table = advance(CasualTable.objects.get(public_id=answer["Location"].rpartition("/")[2]))
    page = text_of(client, f"/play/{table.public_id}")
    assert "<h1>High Card, 3 players</h1>" in page
    assert len(re.findall(r'class="play-card" name="action"', page)) == 5
    for _ in range(5):
        page = text_of(client, f"/play/{table.public_id}")
        n = re.search(r'name="n" value="(\d+)"', page)
        action = re.search(r'class="play-card" name="action" value="(\w\w)"', page)
        assert n is not None
        assert action is not None
        client.post(f"/play/{table.public_id}/act", {"n": n[1], "action": action[1]})
        advance(table)
    assert table.state == CasualTable.State.FINISHED
    assert "<h1>High Card, 3 players</h1>" in text_of(client, f"/play/{table.public_id}")
