"""Who may see what of a daily deal, and when: every address that could give it away."""

from __future__ import annotations

import hashlib
import json
import re
from typing import NamedTuple

import pytest
from django.test import Client

from arena.common.errors import ArenaError, Conflict, NotFound
from arena.features.daily import attempts
from arena.features.daily.attempts import MAX_RESTARTS, attempt_start
from arena.features.daily.days import days_advance
from arena.features.daily.models import DailyAttempt, DailyDeal
from arena.features.daily.weeks import monday_of, week_name
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.position import seat_position
from arena.features.play.services import open_table
from arena.features.play.sharing import share
from arena.roster.models import BotVersion
from arena.roster.services import player_of
from arena.tables.live.history import rules_of
from league.statements import statement_digest
from tests import factories
from tests.arena.api.conftest import caller
from tests.arena.features.daily.deals import NOBODY, a_deal, account, attempt, guest, move
from tests.arena.features.play.casual_tables import serve
from tests.arena.once import made_once

pytestmark = pytest.mark.django_db
State = DailyAttempt.State


class Day(NamedTuple):
    deal: DailyDeal
    done: DailyAttempt
    """Aya's, played to its end."""
    begun: DailyAttempt
    """Ben's, just begun."""


def a_day() -> Day:
    deal = a_deal()
    aya = account(factories.aya())
    done = attempt(aya)
    assert done.table is not None
    serve(done.table, person=aya)
    begun = attempt(account(factories.ben()))
    days_advance()
    return Day(deal, DailyAttempt.objects.get(pk=done.pk), begun)


rows_of_the_day = made_once(a_day)


@pytest.fixture
def day(rows_of_the_day: Day, db: None) -> Day:
    return Day(
        DailyDeal.objects.get(pk=rows_of_the_day.deal.pk),
        DailyAttempt.objects.select_related("table").get(pk=rows_of_the_day.done.pk),
        DailyAttempt.objects.select_related("table").get(pk=rows_of_the_day.begun.pk),
    )


def client_of(who: str) -> Client:
    client = Client()
    if who:
        client.force_login(getattr(factories, who)())
    return client


def addresses(day: Day) -> list[str]:
    """Every address that has something to do with the deal or its tables."""
    tables = [row.table.public_id for row in (day.done, day.begun) if row.table is not None]
    return [
        "/",
        "/play",
        "/daily",
        "/daily/week",
        day.deal.page,
        f"{day.deal.page}?part=deal&at=b{day.deal.board}",
        *(
            f"/play/{table}{rest}"
            for table in tables
            for rest in ("", f"?part=deal&at=b{day.deal.board}", "?part=table&n=0", "?at=b1t1p1")
        ),
        *(f"/search?q={text}" for text in (*tables, day.deal.seed_id, day.deal.commitment)),
        *(f"/tables/{table}{rest}" for table in tables for rest in ("", "/view", "/explore", "/record")),
        *(f"/api/v1/tables/{table}{rest}" for table in tables for rest in ("", "/view", "/notes", "/record")),
        f"/api/v1/search?q={tables[0]}",
        *api_addresses(day.deal),
    ]


def api_addresses(deal: DailyDeal) -> list[str]:
    """Every API address of the daily deal."""
    return [
        f"/api/v1/{address}"
        for address in (
            "daily",
            "daily/today",
            f"daily/{deal.day}",
            f"daily/{deal.day}/attempt",
            f"daily/weeks/{week_name(monday_of(deal.day))}",
        )
    ]


def secrets_of(day: Day) -> dict[str, str]:
    table = day.done.table
    assert table is not None
    hands = ["".join(sorted(seat_hand)) for seat_hand in _hands(table) if seat_hand]
    assert len(hands) == 4
    return {"secret": bytes(day.deal.secret).hex(), "record": table.record_sha256, "view": table.view_sha256}


def _hands(table: CasualTable) -> list[list[str]]:
    rules = rules_of(table)
    (board,) = rules.boards
    state = rules.game.start(rules.ruleset, board)
    return [list(state.observe(seat)["hand"]) for seat in range(1, 5)]


@pytest.mark.parametrize("who", ["", "chie", "ben"])
def test_nothing_leaves_for_those_who_have_not_finished(day: Day, who: str) -> None:
    client = client_of(who)
    assert day.done.stones is not None
    for address in addresses(day):
        answer = client.get(address)
        text = answer.content.decode() if not answer.streaming else ""
        assert [name for name, value in secrets_of(day).items() if value in text] == [], address
        assert 'class="plot"' not in text or "/daily" not in text, address
        assert 'id="replay"' not in text, address
        if who != "ben":
            assert answer.status_code == 404 or "/play/" not in address, address
    daily = client.get("/daily").content.decode()
    assert "results-title" not in daily
    assert day.deal.commitment in daily
    assert ("daily/start" in daily) == (who != "ben")


def test_after_the_own_attempt_plot_and_replay_open_but_no_secret(day: Day) -> None:
    client = client_of("aya")
    for address in addresses(day):
        answer = client.get(address)
        text = answer.content.decode() if not answer.streaming else ""
        assert secrets_of(day)["secret"] not in text, address
    page = client.get("/daily").content.decode()
    assert 'class="plot"' in page
    assert 'id="share-line"' in page
    assert 'class="plot"' in client.get("/").content.decode()
    own = client.get(day.done.table.page).content.decode()  # type: ignore[union-attr]
    assert 'id="replay"' in own
    assert 'name="same_cards_as"' not in own


def test_the_api_gives_results_to_those_who_have_finished_and_everything_once_the_day_has_closed(
    day: Day,
) -> None:
    client, address = caller(factories.aya()), f"/api/v1/daily/{day.deal.day}"
    today = client.get("/api/v1/daily/today").json()
    assert (today["day"], today["state"]) == (day.deal.day.isoformat(), "open")
    assert statement_digest(json.loads(today["statement"]["body"])) == today["statement"]["digest"]
    assert [today[name] for name in ("secret", "results", "record", "closed_at")] == [None] * 4
    own = client.get(f"{address}/attempt").json()
    table = day.done.table
    assert table is not None
    assert (own["state"], own["stones"], own["table"]) == ("finished", day.done.stones, table.public_id)
    assert own["results"] == {"people": [{"stones": day.done.stones, "people": 1}], "bots": []}
    begun = caller(factories.ben()).get(f"{address}/attempt").json()
    assert (begun["state"], begun["stones"], begun["results"]) == ("playing", None, None)
    assert caller(factories.chie()).get(f"{address}/attempt").status_code == 404
    player_of(factories.aya())
    move(day.deal, -2)
    days_advance()
    for user in (None, factories.chie()):
        closed = caller(user).get(f"/api/v1/daily/{day.deal.day}").json()
        assert (closed["state"], closed["secret"]) == ("closed", secrets_of(day)["secret"])
        assert closed["results"]["people"] == [{"stones": day.done.stones, "people": 1}]
        assert hashlib.sha256(closed["record"].encode()).hexdigest() == table.record_sha256
        assert not [name for name in ("aya", table.public_id) if name in json.dumps(closed)]
    week = caller().get(f"/api/v1/daily/weeks/{week_name(monday_of(day.deal.day))}").json()
    assert [(row["player"], row["rank"], row["points"]) for row in week["places"]] == [("aya", 1, 50)]
    listed = caller().get("/api/v1/daily").json()["results"]
    assert [row["day"] for row in listed if row["state"] == "closed"] == [day.deal.day.isoformat()]


def test_the_api_has_no_deal_of_days_to_come_except_tomorrows_statement() -> None:
    a_deal()
    deal = a_deal(1)
    client = caller()
    for address in api_addresses(deal):
        assert bytes(deal.secret).hex() not in client.get(address).content.decode(), address
    assert client.get(f"/api/v1/daily/{deal.day}").status_code == 404
    assert deal.day.isoformat() not in [row["day"] for row in client.get("/api/v1/daily").json()["results"]]
    tomorrow = client.get("/api/v1/daily/today").json()["tomorrow"]
    assert (tomorrow["digest"], tomorrow["signature"]) == (deal.digest, deal.signature)
    for unknown in ("2026-02-30", "weeks/2026-W54", "weeks/2999-W01"):
        answer = client.get(f"/api/v1/daily/{unknown}")
        assert (answer.status_code, answer.json()["code"]) == (404, "daily_deal_not_found")
    DailyDeal.objects.all().delete()
    assert client.get("/api/v1/daily/today").status_code == 404


def test_the_line_to_share_has_no_cards_and_no_address_of_a_table(day: Day) -> None:
    page = client_of("aya").get("/daily").content.decode()
    (line,) = re.findall(r'id="share-line">([^<]*)<', page)
    assert day.deal.day.isoformat() in line
    assert "/play/" not in line
    assert day.done.table.public_id not in line  # type: ignore[union-attr]


def test_other_people_reach_no_table_by_its_id(day: Day) -> None:
    for row in (day.done, day.begun):
        assert row.table is not None
        for who in ("", "chie"):
            client = client_of(who)
            assert client.get(row.table.page).status_code == 404
            assert client.get(f"{row.table.page}/events").status_code == 404
            for form in ("act", "leave", "finish", "back", "share", "unshare", "hint", "take-back"):
                assert client.post(f"{row.table.page}/{form}").status_code == 404
            asked = client.post(
                f"/api/v1/play/{row.table.public_id}/solve", {"plays": []}, content_type="application/json"
            )
            assert asked.status_code in (401, 404)


def test_a_table_in_play_shows_its_person_only_what_its_seat_sees(day: Day) -> None:
    table = day.begun.table
    assert table is not None
    client = client_of("ben")
    others = [hand for seat, hand in enumerate(_hands(table), 1) if seat != table.seat]
    position = seat_position(table)
    assert not any(set(hand) <= set(position.observation["hand"]) for hand in others)
    answer = client.post(
        f"/api/v1/play/{table.public_id}/solve", {"plays": []}, content_type="application/json"
    )
    assert answer.status_code == 423
    for form in ("hint", "take-back"):
        assert client.post(f"{table.page}/{form}", {"n": "0"}).status_code == 403
    text = client.get(table.page).content.decode()
    assert 'id="replay"' not in text
    assert client.get(f"{table.page}?part=deal&at=b1").status_code in (400, 404)


def test_before_the_day_has_closed_no_link_and_no_same_cards(day: Day) -> None:
    person = account(factories.aya())
    table = day.done.table
    assert table is not None
    for refused in (
        lambda: share(person, table.public_id),
        lambda: open_table(person, preset="kakeya4", same_cards_as=table.public_id),
    ):
        with pytest.raises(ArenaError) as error:
            refused()
        assert error.value.code == "casual_table_sealed"


def test_a_closed_day_shows_everything_to_everyone(day: Day) -> None:
    deal = move(day.deal, -2)
    before = client_of("").get(deal.page).content.decode()
    assert secrets_of(day)["secret"] not in before
    assert 'class="plot"' not in before
    days_advance()
    page = client_of("").get(deal.page).content.decode()
    assert secrets_of(day)["secret"] in page
    assert 'class="plot"' in page
    assert 'id="replay"' in page
    assert "aya" not in page
    part = client_of("").get(f"{deal.page}?part=deal&at=b{deal.board}")
    assert part.status_code == 200
    assert day.done.table is not None
    share(account(factories.aya()), day.done.table.public_id)
    day.done.table.refresh_from_db()
    for address in (deal.page, f"{deal.page}?part=deal&at=b{deal.board}"):
        answer = client_of("").get(address)
        assert answer.status_code == 200
        assert day.done.table.share_token not in answer.content.decode(), address


def test_days_to_come_have_no_page() -> None:
    deal = a_deal(1)
    client = Client()
    assert client.get(deal.page).status_code == 404
    assert client.get("/daily/2026-02-30").status_code == 404
    page = client.get("/daily").content.decode()
    assert bytes(deal.secret).hex() not in page
    assert client.get("/daily/week?week=2026-W54").status_code == 400
    assert client.get("/daily/week?week=2999-W01").status_code == 400
    assert client.get("/daily/week?week=2026-W40").status_code == 200


def test_one_attempt_for_an_account_or_a_browser() -> None:
    a_deal()
    person = account(factories.aya())
    first = attempt_start(person, guest("a"))
    assert attempt_start(person, NOBODY) == first
    visitor = guest("b")
    assert attempt_start(visitor, visitor) == attempt_start(visitor, visitor)
    assert DailyAttempt.objects.count() == CasualTable.objects.count() == 2
    with pytest.raises(Conflict) as error:
        attempt_start(account(factories.chie()), visitor)
    assert error.value.code == "daily_deal_played"


def test_two_tabs_that_start_at_once_get_the_same_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    a_deal()
    person = account(factories.aya())
    first = attempt_start(person, NOBODY)
    answers = iter([None])
    real = attempts.attempt_of
    monkeypatch.setattr(attempts, "attempt_of", lambda who, deal: next(answers, real(who, deal)))
    assert attempt_start(person, NOBODY) == first
    assert CasualTable.objects.count() == 1


def test_guests_of_one_address_are_limited(settings) -> None:
    settings.API_RATES = {**settings.API_RATES, "play_guests": "1/hour"}
    a_deal()
    attempt_start(Person(None, "one", "198.51.100.77"), NOBODY)
    with pytest.raises(Conflict) as error:
        attempt_start(Person(None, "two", "198.51.100.77"), NOBODY)
    assert error.value.code == "guest_table_limit"


def test_after_a_fault_of_the_platform_the_attempt_starts_again_a_few_times() -> None:
    a_deal()
    person = account(factories.aya())
    tables = []
    for _ in range(MAX_RESTARTS + 2):
        row = attempt_start(person, NOBODY)
        tables.append(row.table_id)
        CasualTable.objects.filter(pk=row.table_id).update(state="failed")
    assert len(set(tables)) == MAX_RESTARTS + 1


def test_without_a_deal_there_is_nothing_to_start() -> None:
    with pytest.raises(NotFound) as error:
        attempt_start(guest("a"), NOBODY)
    assert error.value.code == "daily_deal_not_found"
    assert Client().post("/daily/start").status_code == 404
    assert Client().get("/daily").status_code == 200


def test_people_who_play_alike_meet_the_same_play() -> None:
    a_deal()
    plays = []
    for key in ("a", "bb"):
        person = guest(key)
        row = attempt(person)
        assert row.table is not None
        plays.append(serve(row.table, person=person).actions)
    assert plays[0] == plays[1]
    assert BotVersion.objects.exists()


def test_a_guest_starts_in_the_browser_and_returns_to_the_same_table(client: Client) -> None:
    a_deal()
    started = client.post("/daily/start")
    assert started.status_code == 302
    assert re.fullmatch(r"/play/[0-9a-z]+", started["Location"])
    assert client.post("/daily/start")["Location"] == started["Location"]
    page = client.get("/daily").content.decode()
    assert started["Location"] in page
    client.post(f"{started['Location']}/finish")
    days_advance()
    assert DailyAttempt.objects.get().state == State.FORFEITED
    assert client.post("/daily/start")["Location"] == started["Location"]
