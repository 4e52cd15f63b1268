"""Fault reports: what their author needs, nobody else's business, and never a hole for a bot's text."""

from __future__ import annotations

import html
import json
import re

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.matches.faults import check_faults_group
from arena.matches.models import FaultGroup
from arena.roster.models import BotVersion, CheckRun
from arena.roster.services import check_finish
from arena.web.bots.fault_report import fault_report_context
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.web import faulty
from tests.arena.web.conftest import under_way
from tests.arena.web.visits import text_of, visit

pytestmark = [pytest.mark.django_db, pytest.mark.full]


def a_round(
    misdeeds: dict[int, faulty.Misdeed], count: int = 2, **fields: object
) -> tuple[Tournament, BotVersion]:
    """A closed round in which Aya's bot misbehaved at every table; of an even number nobody has a bye."""
    tournament = under_way(count, **fields)
    version = faulty.version_of(tournament, factories.aya())
    faulty.play_round(tournament, {version.pk: misdeeds})
    return tournament, version


rows_of_an_illegal_action = made_once(lambda: a_round({4: faulty.illegal}), serials=1000)


@pytest.fixture
def illegal(rows_of_an_illegal_action: tuple[Tournament, BotVersion], db: None) -> BotVersion:
    """Aya's version, which at every table of a closed round tried a card that it had not."""
    return given(rows_of_an_illegal_action[1])


def only_group(version: BotVersion) -> FaultGroup:
    return version.fault_groups.get()


def page_of(client: Client, group: FaultGroup) -> str:
    return text_of(client, f"/versions/{group.version.public_id}/faults/{group.fingerprint}")


def words_of(page: str) -> str:
    """What a reader reads."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_who_is_turned_away_is_offered_to_sign_in_and_come_back(client: Client, illegal: BotVersion) -> None:
    address = f"/versions/{illegal.public_id}/faults/{only_group(illegal).fingerprint}"
    response = client.get(address)
    assert response.status_code == 403
    assert f'href="/sign-in?next={address.replace("/", "%2F")}"' in html.unescape(response.content.decode())


def test_a_report_tells_all_an_author_needs(
    client: Client, rows_of_an_illegal_action: tuple[Tournament, BotVersion]
) -> None:
    tournament, version = given(rows_of_an_illegal_action)
    group = only_group(version)
    sample = group.sample
    visit(client, "aya")
    page = page_of(client, group)
    assert 'href="/docs/bot-protocol#illegal_action"' in page
    words = words_of(page)
    assert tournament.name in words
    assert f"rensho reproduce fault-{group.fingerprint}.json" in words
    # The very lines, whole.
    assert html.escape(sample["request"], quote=True).replace("&#x27;", "&#39;") in page.replace(
        "&#x27;", "&#39;"
    )
    assert html.escape(sample["answer"]) in page
    table = group.table
    assert table is not None
    for address in (
        f"/tournaments/{tournament.public_id}#f-{table.fixture.public_id}",
        f"/api/v1/tables/{table.public_id}",
        f"/api/v1/tables/{table.public_id}/record",
        f"/api/v1/tables/{table.public_id}/log?seat={group.seat}",
        f"/api/v1/versions/{version.public_id}/faults/{group.fingerprint}/file",
    ):
        assert f'href="{address}"' in page, address
        assert client.get(address.partition("#")[0]).status_code == 200


@pytest.mark.sampled(3)
@pytest.mark.parametrize("misdeed", [faulty.markup, faulty.crash, faulty.endless_word])
def test_what_a_bot_wrote_is_text_and_nothing_else(client: Client, misdeed: faulty.Misdeed) -> None:
    _, version = a_round({3: misdeed})
    group = only_group(version)
    visit(client, "aya")
    for address in (
        f"/bots/{version.bot.public_id}",
        f"/versions/{version.public_id}/faults",
        f"/versions/{version.public_id}/faults/{group.fingerprint}",
    ):
        page = text_of(client, address)
        assert "<script>alert" not in page
        assert "<img" not in page
        assert all(tag.startswith("<script defer src=") for tag in re.findall(r"<script[^>]*>", page))
        policy = client.get(address).headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy


def test_text_that_no_line_can_hold_is_marked_as_breakable(client: Client) -> None:
    _, version = a_round({3: faulty.endless_word})
    visit(client, "aya")
    page = page_of(client, only_group(version))
    assert faulty.LONG_WORD in page
    for at in re.finditer(re.escape(faulty.LONG_WORD), page):
        # In a block that breaks anywhere and scrolls, never in a running line.
        assert "<pre" in page[at.start() - 120 : at.start()]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "answer",
    ["[" * 900, '{"a":' * 900, '{"action": 12}', '{"action": "' + "x" * 3000 + '"}', "\ufffd", "{}", "null"],
)
def test_no_answer_however_odd_breaks_the_page(client: Client, illegal: BotVersion, answer: str) -> None:
    group = only_group(illegal)
    group.sample["answer"] = answer
    group.save()
    visit(client, "aya")
    assert html.escape(answer) in page_of(client, group)


def test_a_fault_at_the_start_has_no_position(client: Client) -> None:
    version = factories.an_upload(factories.a_bot(factories.aya()))
    log = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'torch'"
    clock = {"bank_ms": 0, "limit_cpu_ms": 3000, "used_cpu_ms": 81, "limit_wall_ms": 3000, "used_wall_ms": 93}
    fault = faulty.a_fault(
        verdict="CRASHED", phase="start", board=0, decision=0, action=None, log_tail=log, clock=clock
    )
    check_finish(
        factories.a_running_check(version),
        accepted=False,
        steps=[],
        reasons=[],
        report=faulty.a_trial_report(fault),
        runtime_digest="",
    )
    check_faults_group(CheckRun.objects.get(version=version))
    visit(client, "aya")
    page = page_of(client, only_group(version))
    assert "No module named 'torch'" in words_of(page)
    assert 'class="chip' not in page


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"count": 3, "preset": "kakeya6", "boards_per_round": 1},
        {"count": 3, "preset": "kakkuri", "ruleset": {"seats": 3}, "boards_per_round": 4},
    ],
)
def test_every_game_shows_its_cards(client: Client, fields: dict[str, object]) -> None:
    _, version = a_round(dict.fromkeys((4, 5, 6, 7), faulty.endless_word), **fields)
    # As the cards fall, some of these questions come before the play of a deal of Kakkuri.
    group = version.fault_groups.exclude(phase="fuwaru").first()
    report = fault_report_context(group)
    assert report["position"] is not None
    assert report["position"].hand
    visit(client, "aya")
    page = page_of(client, group)
    assert page.count('class="chip playing') >= 3
    assert 'role="img"' not in page[page.index('id="position-title"') :]


@pytest.mark.parametrize("court", ["JQK", "QJK"])
def test_a_hand_is_sorted_by_the_values_of_its_tournament(court: str) -> None:
    options = {"seats": 3, "court_order": court}
    misdeeds = dict.fromkeys((4, 5, 6, 7), faulty.endless_word)
    _, version = a_round(misdeeds, count=3, preset="kakkuri", ruleset=options, boards_per_round=4)
    group = version.fault_groups.first()
    request = json.loads(group.sample["request"])
    request["observation"]["hand"] = ["KS", "QS", "9S", "JS", "QH", "AS"]
    group.sample["request"] = json.dumps(request)
    position = fault_report_context(group)["position"]
    assert position is not None
    (hand,) = position.hand
    assert "".join(card.code[0] for card in hand.chips if card.code[1] == "S") == f"A9{court}"
    assert [card.code for card in hand.chips if card.code[0] == "Q"] == ["QS", "QH"]
