"""Pages of play: who may open which, forms that are wrong, late or foreign, and what never reaches a page."""

from __future__ import annotations

import random
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

import viewer.games.kakeya
from arena.features.play import offers, services
from arena.features.play.models import CasualTable, PlayService
from arena.features.play.position import seat_position, steps_after
from arena.features.play.visitors import COOKIE
from arena.roster.models import BotVersion
from arena.tables.live.history import position_history
from tests import factories
from tests.arena.features.play.tables import advance, house
from tests.arena.once import made_once
from viewer import cards
from viewer.seat_view import table_symbols
from viewer.texts import ENGLISH

pytestmark = pytest.mark.django_db
CHOICE = {
    "preset": "kakeya4",
    "seats": "5",
    "opponents": "greedy",
    "partner": "rules",
    "deals": "1",
    "clock_s": "0",
}
SCRIPT = {"part": "1"}


rows_of_the_house = made_once(house)


@pytest.fixture(autouse=True)
def _service(rows_of_the_house: None, db: None) -> None:
    """House bots are at hand, and a service that plays."""
    PlayService.objects.create(name="s", seen_at=timezone.now(), capacity=10)


def opened(client: Client, **choice: str) -> CasualTable:
    """A table that this client opened, at its person's first turn."""
    answer = client.post("/play", {**CHOICE, **choice})
    assert answer.status_code == 302, re.findall(r"<li>.*?</li>", answer.content.decode(), re.DOTALL)
    return advance(CasualTable.objects.get(public_id=answer["Location"].rpartition("/")[2]))


def page_of(client: Client, table: CasualTable, query: str = "") -> str:
    answer = client.get(f"/play/{table.public_id}{query}")
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    return answer.content.decode()


def act(client: Client, table: CasualTable, n: object, action: str, **more: str) -> Any:
    return client.post(f"/play/{table.public_id}/act", {"n": n, "action": action, **more})


def choices(page: str) -> list[str]:
    """What can be chosen on a page."""
    button = r'<button type="submit" class="[^>]*play-[^>]*name="action" value="([^"]+)"(?! disabled)'
    return sorted(re.findall(button, page))


def test_a_guest_opens_a_table_and_nobody_else_finds_it() -> None:
    guest, stranger = Client(), Client()
    table = opened(guest)
    cookie = guest.cookies[COOKIE]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert choices(page_of(guest, table)) == sorted(seat_position(table).legal)
    for client in (stranger, Client(headers={"cookie": f"{COOKIE}={'a' * 32}:1:forged"})):
        assert client.get(f"/play/{table.public_id}").status_code == 404
        assert client.get(f"/play/{table.public_id}?part=table").status_code == 404
        assert client.get(f"/play/{table.public_id}/events").status_code == 404
        for verb in ("act", "leave", "back"):
            answer = client.post(f"/play/{table.public_id}/{verb}", {"n": 0, "action": "PREFER"})
            assert answer.status_code == 404
    again = guest.post("/play", CHOICE)
    assert again.status_code == 409
    page = again.content.decode()
    assert f'href="/play/{table.public_id}"' in page
    assert "form-errors" not in page


@pytest.mark.parametrize(
    "changed",
    [
        {"preset": "kakeya5"},
        {"opponents": "brilliant"},
        {"opponents": "public", "version": ""},
        {"opponents": "random", "partner": "public"},
        {"preset": "kakkuri", "seats": "9"},
        {"seat": "5"},
        {"clock_s": "7"},
        {"same_cards_as": "nosuchtable1"},
    ],
)
def test_a_wrong_choice_is_told_and_what_was_chosen_stays(changed: dict[str, str]) -> None:
    answer = Client().post("/play", {**CHOICE, "partner": "random", **changed})
    assert answer.status_code in (400, 404)
    page = answer.content.decode()
    assert "form-errors" in page
    chosen = {"partner": "random", **changed}["partner"]
    assert f'<option value="{chosen}" selected>' in page
    assert not CasualTable.objects.exists()


def starts_of(client: Client) -> dict[str, dict[str, str]]:
    """The fields behind each start button, by family."""
    page = client.get("/play").content.decode()
    found = {}
    for part in page.split('<section class="choose-start"')[1:]:
        fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', part))
        fields.pop("csrfmiddlewaretoken", None)
        found[re.search(r'id="start-(\w+)"', part)[1]] = fields  # type: ignore[index]
    return found


def test_each_game_starts_with_one_button_and_the_last_choice() -> None:
    guest = Client()
    assert list(starts_of(guest)) == ["kakeya", "etori", "kakkuri"]
    for fields in starts_of(guest).values():
        answer = guest.post("/play", fields)
        assert answer.status_code == 302
        CasualTable.objects.update(state=CasualTable.State.FAILED)
    opened(guest, preset="kakkuri", seats="7", opponents="random", clock_s="60", practice="on")
    fields = starts_of(guest)["kakkuri"]
    assert {"seats": "7", "opponents": "random", "clock_s": "60", "practice": "on"}.items() <= fields.items()
    assert starts_of(Client())["kakkuri"]["opponents"] == "greedy", "others have their own"


def test_a_choice_whose_bot_is_gone_is_not_offered_again(client: Client) -> None:
    client.force_login(factories.aya())
    version = factories.a_version(factories.a_bot(factories.ben()))
    opened(client, opponents="public", version=version.public_id, partner="greedy")
    assert starts_of(client)["kakeya"]["version"] == version.public_id
    BotVersion.objects.filter(pk=version.pk).update(state=BotVersion.State.RETIRED)
    assert starts_of(client)["kakeya"]["opponents"] == "greedy"


def test_a_table_of_several_deals_shows_the_score(client: Client) -> None:
    client.force_login(factories.aya())
    table = opened(client, deals="4")
    while seat_position(table).board < 3:
        position = seat_position(table)
        services.act(table, position.n, position.legal[0])
        advance(table)
    scores = seat_position(table).scores
    assert len(scores) == 2
    assert sum(scores) == seat_position(table).stones_so_far[table.seat]
    page = client.get(f"/play/{table.public_id}").content.decode()
    rows = re.findall(r"<span>Deal (\d)</span>\s*<span class=\"num\">([^<]*)</span>", page)
    assert [number for number, _ in rows] == ["1", "2"]
    assert seat_position(opened(Client())).scores == ()


def test_a_guest_plays_one_deal_an_account_a_game(client: Client) -> None:
    table = opened(Client(), deals="game", preset="kakeya4.league")
    assert table.deals == "1", "what is disabled is not taken from the form"
    client.force_login(factories.aya())
    table = opened(client, deals="game", preset="kakeya4.league")
    assert table.deals == "game"


def test_an_action_counts_once_and_what_is_late_shows_the_table(client: Client) -> None:
    client.force_login(factories.aya())
    table = opened(client)
    at = seat_position(table)
    assert act(client, table, at.n, at.legal[0]).status_code == 302
    assert act(client, table, at.n, at.legal[0]).status_code == 302
    table.refresh_from_db()
    assert table.pending == [at.n, at.legal[0]]
    advance(table)
    assert act(client, table, at.n, at.legal[0], **SCRIPT).status_code == 204
    table.refresh_from_db()
    assert table.pending is None
    if table.is_active:
        late = act(client, table, at.n, "nonsense")
        assert late.status_code == 409
        assert choices(late.content.decode()) == sorted(seat_position(table).legal)
        late = act(client, table, at.n, "nonsense", **SCRIPT)
        assert (late.status_code, late.json()["code"]) == (409, "not_your_turn")
        now = seat_position(table)
        wrong = act(client, table, now.n, "nonsense", **SCRIPT)
        assert (wrong.status_code, wrong.json()["code"]) == (400, "illegal_action")
        for n in ("", "x", "-1", "1" * 30, "²"):
            assert act(client, table, n, now.legal[0], **SCRIPT).status_code == 400


def test_a_game_whose_seats_are_not_drawn_is_not_offered_and_has_no_page(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = opened(client)
    assert "kakeya6" in client.get("/play").content.decode()
    monkeypatch.delattr(viewer.games.kakeya, "SEAT_VIEW")
    page = client.get("/play").content.decode()
    assert "kakeya6" not in page
    assert "kakkuri" in page
    for query in ("", "?part=table"):
        answer = client.get(f"/play/{table.public_id}{query}")
        assert answer.status_code == 404


def test_a_house_bot_finishes_the_deal_at_once_if_it_is_asked_to(client: Client) -> None:
    client.force_login(factories.aya())
    table = opened(client)
    assert f'action="/play/{table.public_id}/finish"' in client.get("/play").content.decode()
    assert client.post(f"/play/{table.public_id}/finish")["Location"] == f"/play/{table.public_id}"
    page = page_of(client, table)
    assert choices(page) == []
    assert "choose-open" not in client.get("/play").content.decode()


def said_of_parts(client: Client, table: CasualTable, n: int) -> list[tuple[str, str]]:
    """What the parts of a position say: facts, and what happened."""
    page = page_of(client, table, f"?part=table&n={n}")
    said = []
    for part in page.split("data-play-table ")[1:]:
        pieces = (r"play-facts\">(.*?)</p>", r"data-sentence>(.*?)</p>")
        found = [re.search(piece, part, re.DOTALL) for piece in pieces]
        texts = [re.sub(r"<[^>]+>|\s+", " ", piece[1]) if piece else "" for piece in found]
        said.append(tuple(" ".join(text.split()) for text in texts))
    return said  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("preset", "deals", "most"), [("kakkuri", "4", ["4"]), ("kakeya4.league", "game", [])]
)
def test_the_end_of_a_deal_is_shown_and_the_next_begins_with_nothing_of_it(
    client: Client, preset: str, deals: str, most: list[str]
) -> None:
    client.force_login(factories.aya())
    table = opened(client, preset=preset, deals=deals)
    while not seat_position(table).is_over:
        at = seat_position(table)
        act(client, table, at.n, at.legal[0])
        advance(table, at.n)
    n = next(n for n in steps_after(table, 0) if seat_position(table, n).ended is not None)
    (facts, said), (next_facts, next_said) = said_of_parts(client, table, n)
    size = 1 + len(most)
    assert re.findall(r"\d+", facts)[:size] == ["1", *most]
    assert said
    assert re.findall(r"\d+", next_facts)[:size] == re.findall(r"\d+", next_said) == ["2", *most]
    assert len(said_of_parts(client, table, table.length)) == 1


def test_what_the_referee_chose_is_said(client: Client) -> None:
    client.force_login(factories.aya())
    table = opened(client, clock_s="15")
    while True:
        at = seat_position(table)
        assert "data-taken" not in page_of(client, table, f"?part=table&n={at.n}")
        act(client, table, at.n, at.legal[0])
        advance(table)
        if at.observation["phase"] == "play":
            break
    CasualTable.objects.filter(pk=table.pk).update(substituted=[[at.n, "timeout"]])
    part = page_of(client, table, f"?part=table&n={at.n + 1}")
    name = ENGLISH.card_name(at.legal[0])
    assert re.search(rf"data-taken>[^<]*{re.escape(name)}", part)
    assert "data-taken" not in page_of(client, table, f"?part=table&n={at.n}")


def test_after_the_last_card_the_page_says_what_is_next(client: Client) -> None:
    client.force_login(factories.aya())
    table = opened(client)
    while not table.is_over:
        at = seat_position(table)
        act(client, table, at.n, at.legal[0])
        advance(table)
    part = page_of(client, table, "?part=table")
    assert "data-last" in part
    assert "data-all-hands" in part
    assert "play-fan" not in part, "no empty hand"


def hidden_cards(table: CasualTable) -> set[str]:
    """What others hold, and what lies in the box: of no card of it may a page know."""
    observation = seat_position(table).observation
    known = set(re.findall(r"\b[2-9TJQKA][SHDC]\b", repr(observation)))
    pack = set(re.findall(r"\b[2-9TJQKA][SHDC]\b", repr(table_pack(table))))
    return pack - known


def table_pack(table: CasualTable) -> list[str]:
    deck = table_symbols(table.game)
    return [code.replace("-", " ") for code in re.findall(r'<symbol id="[ck]-(..)"', deck)]


@pytest.mark.parametrize(
    ("preset", "seats"), [("kakeya4", "5"), ("kakeya6", "5"), ("etori.meiji", "5"), ("kakkuri", "4")]
)
def test_no_answer_of_a_running_table_knows_a_hidden_card(client: Client, preset: str, seats: str) -> None:
    client.force_login(factories.aya())
    table = opened(client, preset=preset, seats=seats, deals="4")
    rng, sheet, checked = random.Random(3), table_symbols(table.game), 0
    deck: cards.Deck = "komatsu" if table.game == "kakkuri" else "french"
    while not table.is_over and checked < 14:
        at, before = seat_position(table), table.length
        hidden = hidden_cards(table)
        if at.ended is None:
            # The picture of *How to play* has the same cards at every table.
            page = re.sub(r"<details[^>]* data-how.*?</details>", "", page_of(client, table), flags=re.DOTALL)
            pages = [page.replace(sheet, ""), page_of(client, table, "?part=table")]
            for page in pages:
                for code in hidden:
                    assert not re.search(rf'"(#[ck]-)?{code}"', page), (code, at.n)
                    assert f'"{cards.card_name(code, deck, ENGLISH)}"' not in page
            checked += 1
        assert at.is_mine
        answer = act(client, table, at.n, rng.choice(at.legal))
        assert answer.content == b""
        advance(table)
        assert table.length > before
    assert checked > 8
    course = position_history(table)
    assert course.actions


def test_the_page_of_a_bot_opens_the_form_with_the_bot_chosen(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [factories.a_version(factories.a_bot(factories.ben(), name=name)) for name in ("Aka", "Kuro")]
    monkeypatch.setattr(offers, "MAX_VERSIONS", 1)
    address = re.search(
        r'href="(/play\?[^"]+)"', client.get(f"/bots/{bots[1].bot.public_id}").content.decode()
    )
    assert address is not None
    page = client.get(unescape(address[1])).content.decode()
    assert re.search(rf'<option value="{bots[1].public_id}"\s+selected', page)
    assert f'value="{bots[0].public_id}"' in page
    private = factories.a_version(factories.a_bot(factories.ben(), name="Shiro", visibility="private"))
    page = client.get(f"/play?version={private.public_id}").content.decode()
    assert f'value="{private.public_id}"' not in page
    BotVersion.objects.filter(pk=bots[1].pk).update(state="retired")
    assert "/play?" not in client.get(f"/bots/{bots[1].bot.public_id}").content.decode()
