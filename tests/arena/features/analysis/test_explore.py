"""The explorer of a table: values, cards of the reader, best play, quotas, and who may open it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from analysis.process import position_values
from arena.common.process_cache import process_cache
from arena.competition.models import Tournament
from arena.features.analysis.models import SolvedPosition
from arena.features.analysis.positions import position_from_json
from arena.features.analysis.solving import (
    line_finish,
    line_of,
    position_claim,
    position_finish,
)
from arena.matches.models import BoardSet, Fixture, Table
from arena.matches.replays import table_view
from arena.settings.analysis import AnalysisLimits
from tests.arena.features.analysis.positions import choices, solve_waiting, steps_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("solver_up")]


def open_at(client: Client, table: Table, at: str, **query: str) -> Any:
    return client.get(f"/tables/{table.public_id}/explore", {"at": at, **query})


def a_choice(table: Table, trick: int = 10) -> tuple[str, int]:
    """Position before a play with a choice, late in the first board, and the number of plays before it."""
    steps = steps_of(table)
    step = next(index for index in range(4 * trick, len(steps)) if "only" not in steps[index])
    return f"b1t{steps[step - 1]['t']}p{steps[step - 1]['p'] + 1}", step


def test_a_position_is_solved_and_a_card_of_the_reader_leads_to_the_next(
    client: Client, table: Table
) -> None:
    at, step = a_choice(table)
    steps = steps_of(table)
    first = open_at(client, table, at)
    html = first.content.decode()
    assert first.status_code == 200
    assert 'http-equiv="refresh"' in html
    assert f'href="/tables/{table.public_id}?at={at}"' in html, "back to the game"
    assert SolvedPosition.objects.get().state == "waiting"
    solve_waiting()
    html = open_at(client, table, at).content.decode()
    assert 'http-equiv="refresh"' not in html
    values = SolvedPosition.objects.get().values
    rows = choices(html)
    assert len(rows) == sum(map(len, values.values()))
    played = [address for address, row in rows if "is-played" in row]
    assert [address.endswith(f"plays={steps[step]['a']}") for address in played] == [True]
    address = next(address for address, row in rows if "is-played" not in row)
    answer = client.get(address)
    assert answer.status_code == 200
    assert "explore-line" in answer.content.decode()
    assert f'href="/tables/{table.public_id}?at={at}"' in answer.content.decode()


def test_best_play_continues_to_the_end_in_one_answer_and_is_marked(client: Client, table: Table) -> None:
    at, step = a_choice(table)
    assert 'http-equiv="refresh"' in open_at(client, table, at).content.decode()
    solve_waiting()
    assert 'http-equiv="refresh"' in open_at(client, table, at, best="1").content.decode()
    solve_waiting()
    html = open_at(client, table, at, best="1").content.decode()
    assert 'http-equiv="refresh"' not in html
    assert html.count('class="is-best"') == 52 - step
    assert "explore-choices" not in html, "the deal is over"
    values, line = SolvedPosition.objects.order_by("id")
    assert len(line_of(line)) == 52 - step
    view = json.loads(table_view(table) or b"")
    sign = 1 if steps_of(table)[step]["s"] in view["sides"][0] else -1
    value = sign * max(sign * int(value) for value in values.values)
    assert stones_in(html) == value, "the value of the position is the result"


def stones_in(html: str) -> int:
    """Result of a deal that is over."""
    stones = re.findall(r"<b>([^<]+)</b>", html.split('id="choices-title"')[1])[0]
    return int(stones.replace("\N{MINUS SIGN}", "-"))


def test_best_play_without_an_answer_leaves_the_cards(client: Client, table: Table) -> None:
    at, _ = a_choice(table)
    open_at(client, table, at, best="1")
    row = position_claim()
    assert row is not None
    line_finish(row, None, 2.0)
    html = open_at(client, table, at, best="1").content.decode()
    assert 'http-equiv="refresh"' not in html
    assert choices(html)
    assert "is-best" not in html


def test_another_seat_may_lead_at_the_start_of_a_deal(client: Client, table: Table) -> None:
    leaders = json.loads(table_view(table) or b"")["boards"][0]["deals"][0]["leaders"]
    led = steps_of(table)[0]["s"]
    other = next(seat for seat in leaders if seat != led)
    html = open_at(client, table, "b1").content.decode()
    assert f"lead={other}" in html
    changed = open_at(client, table, "b1", lead=str(other))
    assert changed.status_code == 200
    html = changed.content.decode()
    assert all(f"lead={other}" in address for address, _ in choices(html))
    assert "is-played" not in html
    assert SolvedPosition.objects.count() == 1, "the caller's last position is still being solved"
    assert "lead=" not in open_at(client, table, "b1t3p2").content.decode()
    outside = next(seat for seat in range(1, 5) if seat not in leaders)
    for lead in (str(outside), "x", "9" * 300):
        assert open_at(client, table, "b1", lead=lead).status_code == 400


def test_an_illegal_sequence_is_named_in_the_language_of_the_reader(client: Client, table: Table) -> None:
    for language, text in (("en", "Play 2"), ("ja", "2枚目")):
        card = steps_of(table)[0]["a"]
        answer = client.get(
            f"/tables/{table.public_id}/explore",
            {"at": "b1", "plays": f"{card}.{card}"},
            headers={"accept-language": language},
        )
        assert answer.status_code == 400
        assert text in answer.content.decode()


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"at": "b1t99"}, 400),
        ({"at": "nonsense"}, 400),
        ({"at": "b9"}, 400),
        ({"at": "b1", "plays": "XX"}, 400),
        ({"at": "b1", "plays": "AS.AS"}, 400),
        ({"at": "b1", "plays": "~"}, 400),
        ({"at": "b1", "plays": ".".join(["AS"] * 60)}, 400),
        ({"at": "b1", "plays": "A" * 500}, 400),
    ],
)
def test_bad_addresses_are_refused_in_one_line(
    client: Client, table: Table, query: dict[str, str], status: int
) -> None:
    answer = client.get(f"/tables/{table.public_id}/explore", query)
    assert answer.status_code == status
    assert not SolvedPosition.objects.exists()


def test_a_used_quota_is_a_sentence_and_leaves_the_cards(client: Client, table: Table, settings: Any) -> None:
    settings.ANALYSIS = AnalysisLimits(guest_cpu_s=1)
    at, step = a_choice(table)
    open_at(client, table, at)
    row = position_claim()
    assert row is not None
    position_finish(row, position_values(position_from_json(row.position)), 1.0)
    other = open_at(client, table, f"b1t{step // 4 - 1}")
    assert other.status_code == 200
    html = other.content.decode()
    assert 'class="note"' in html
    assert choices(html)
    assert "play-cost" not in html
    solved = open_at(client, table, at).content.decode()
    assert 'class="note"' not in solved, "solved positions stay available"


def test_without_a_solving_process_the_page_says_so(client: Client, table: Table) -> None:
    cache.clear()
    html = open_at(client, table, a_choice(table)[0]).content.decode()
    assert 'class="note"' in html
    assert 'http-equiv="refresh"' not in html


def test_a_position_that_is_too_difficult_says_so(client: Client, table: Table) -> None:
    open_at(client, table, "b1")
    row = position_claim()
    assert row is not None
    position_finish(row, None, 0.1)
    html = open_at(client, table, "b1").content.decode()
    assert "refresh" not in html
    assert choices(html)


@pytest.mark.parametrize("changes", [{"state": "open"}, {"state": "planned"}])
def test_sealed_before_the_address_is_read(client: Client, table: Table, changes: dict[str, str]) -> None:
    Fixture.objects.filter(pk=table.fixture_id).update(**changes)
    for at in ("b1", "nonsense"):
        assert open_at(client, table, at, plays="XX").status_code == 423


def test_an_open_board_set_is_sealed_and_a_private_tournament_has_no_explorer(
    client: Client, event: Tournament, table: Table
) -> None:
    BoardSet.objects.filter(pk=table.fixture.board_set_id).update(state="open")
    assert open_at(client, table, "nonsense").status_code == 423
    BoardSet.objects.filter(pk=table.fixture.board_set_id).update(state="closed")
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    assert open_at(client, table, "nonsense").status_code == 404
    client.force_login(event.organiser)
    assert open_at(client, table, "nonsense").status_code == 404


def test_the_replay_links_to_it_only_where_it_may_be_opened(client: Client, table: Table) -> None:
    html = client.get(f"/tables/{table.public_id}", {"at": "b1t2p4"}).content.decode()
    assert f'/tables/{table.public_id}/explore?at=b1t2p4"' in html
    seen = client.get(f"/tables/{table.public_id}", {"at": "b1t2", "seat": "1"}).content.decode()
    assert "/explore" not in seen
    process_cache.clear()
    Fixture.objects.filter(pk=table.fixture_id).update(state="open")
    assert "/explore" not in client.get(f"/tables/{table.public_id}").content.decode()
