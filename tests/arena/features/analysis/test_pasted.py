"""Pasted deals on the page and in the API, and the explorer of tables against bots."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from analysis.position_errors import LOCATED, MESSAGES
from analysis.position_text import parse_position_text
from arena.features.analysis.models import SolvedPosition
from arena.features.analysis.positions import position_at, position_from_json
from arena.features.analysis.solving import position_claim, position_finish
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.sharing import share
from arena.matches.models import Table
from arena.settings.analysis import AnalysisLimits
from tests.analysis.texts import TEXT
from tests.arena.api.conftest import caller
from tests.arena.features.analysis.positions import choices, code, solve_waiting
from tests.arena.features.play.tables import a_seat
from tests.factories import aya, ben

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("solver_up")]
WRONG = [
    (TEXT.replace("H 852", "H 82"), "hand_size_missing", 6),
    (TEXT.replace("H 852", "H 8542"), "two_places", 8),
    (TEXT.replace("5H 6H", "5C 6H"), "not_in_hand", 11),
    (TEXT.replace("5H 6H", "5H 9S"), "not_in_hand", 11),
    (TEXT.replace("trump: D", "trump: X"), "suit", 2),
    (TEXT.replace("lead: 1\n", ""), "key_missing", None),
    ("AS", "first_word", 1),
]


def solve(text: object, address: str = "192.0.2.1") -> Any:
    return caller(None).post("/api/v1/solve", {"text": text}, format="json", REMOTE_ADDR=address)


def test_a_text_is_solved_like_a_position_of_a_board() -> None:
    assert code(solve(TEXT)) == (200, "working")
    row = SolvedPosition.objects.get()
    assert position_from_json(row.position) == position_at(parse_position_text(TEXT).state()).position
    solve_waiting()
    answer = solve(TEXT).json()
    assert (answer["state"], answer["seat"]) == ("done", 4)
    assert {card for cards in answer["values"].values() for card in cards} == {"KH", "TH", "4H", "3H"}


@pytest.mark.parametrize(("text", "problem", "line"), WRONG)
def test_a_wrong_text_is_refused_with_its_line(client: Client, text: str, problem: str, line: int) -> None:
    answer = solve(text)
    assert code(answer) == (400, "invalid_position")
    assert answer.json().get("line") == line
    assert "\n" not in answer.json()["detail"]
    for language in ("en", "ja"):
        page = client.get("/explore", {"text": text}, headers={"accept-language": language})
        assert page.status_code == 400
        html = page.content.decode()
        assert 'role="alert"' in html
        assert html.split("<textarea")[1].split(">", 1)[1].split("<")[0].strip() == text.strip()
    assert not SolvedPosition.objects.exists()


def test_every_problem_has_a_message_in_japanese() -> None:
    from django.utils.translation import override, pgettext

    with override("ja"):
        for message in (LOCATED, *(MESSAGES[code] for code in MESSAGES if code != "ruleset")):
            assert pgettext("position", message) != message


@pytest.mark.parametrize("text", ["", " ", None, 7, "A" * 5000, "\x00", TEXT + "plays: 2C"])
def test_other_bodies(text: object) -> None:
    assert solve(text).status_code == 400


def test_a_whole_deal_has_no_card_to_solve() -> None:
    cards = list(parse_position_text(TEXT).plays)
    state = parse_position_text(TEXT).state()
    while state.to_act:
        cards.append(state.legal(state.to_act[0])[0])
        state = state.apply(state.to_act[0], cards[-1])
    whole = TEXT[: TEXT.index("plays:")] + "plays: " + " ".join(cards)
    assert code(solve(whole)) == (400, "invalid_position")


def test_texts_have_the_quotas_of_positions(settings: Any) -> None:
    settings.ANALYSIS = AnalysisLimits(guest_cpu_s=1)
    solve(TEXT)
    assert code(solve(TEXT.replace("5H 6H", "5H"))) == (429, "solve_in_progress")
    row = position_claim()
    assert row is not None
    position_finish(row, {"0": ["KH"]}, 1.0)
    assert code(solve(TEXT.replace("5H 6H", "5H"))) == (429, "solve_quota_exceeded")
    assert caller(None).get("/api/v1/limits").json()["solver"]["address_cpu_s_per_hour"] == 1


def test_the_page_explores_a_pasted_deal(client: Client) -> None:
    assert client.get("/explore").status_code == 200
    first = client.get("/explore", {"text": TEXT})
    assert first.status_code == 200
    assert 'http-equiv="refresh"' in first.content.decode()
    solve_waiting()
    html = client.get("/explore", {"text": TEXT}).content.decode()
    assert len(choices(html)) == 4
    for address, _ in choices(html):
        assert client.get(address).status_code == 200
    start = client.get("/explore", {"text": TEXT, "at": "b1"}).content.decode()
    assert "lead=3" in start
    assert client.get("/explore", {"text": TEXT, "at": "b1", "lead": "3"}).status_code == 200
    assert client.get("/explore", {"text": TEXT, "at": "b2"}).status_code == 400


def test_six_seats_and_stones_are_drawn(client: Client) -> None:
    text = (
        "preset: kakeya6 trump: S stones: 3 9 0 lead: 1 1: C AKQJT98765432 2: H AKQJT98765432 "
        "4: S AKQJT98765432 5: rest"
    )
    assert client.get("/explore", {"text": text}).status_code == 200


def test_a_table_against_bots_is_explored_by_its_person_and_by_its_link(client: Client, table: Table) -> None:
    casual = a_seat(aya())
    own = f"/play/{casual.public_id}/explore"
    client.force_login(aya())
    assert client.get(own, {"at": "nonsense"}).status_code == 423
    CasualTable.objects.filter(pk=casual.pk).update(
        state="finished", ended_at=timezone.now(), view_sha256=table.view_sha256, first_board=1
    )
    assert f'{own}?at=b1t2p4"' in client.get(f"/play/{casual.public_id}", {"at": "b1t2p4"}).content.decode()
    html = client.get(own, {"at": "b1t2p4"}).content.decode()
    assert choices(html)
    assert f'href="/play/{casual.public_id}?at=b1t2p4"' in html
    share(Person(aya(), "", "192.0.2.8"), casual.public_id)
    casual.refresh_from_db()
    client.force_login(ben())
    assert client.get(own).status_code == 404
    shared = f"/play/shared/{casual.share_token}"
    answer = client.get(f"{shared}/explore", {"at": "b1t2p4"})
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert f'{shared}/explore?at=b1t2p4"' in client.get(shared, {"at": "b1t2p4"}).content.decode()
    assert client.get(f"{shared[:-4]}xxxx/explore").status_code == 404
