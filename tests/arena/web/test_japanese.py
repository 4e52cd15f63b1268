"""Pages of spectators in Japanese: its own punctuation and spaces, and no English sentence."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from arena.competition.models import Series, Tournament
from arena.roster.models import Bot, Player
from arena.web.base.documents.collection import headings
from arena.web.base.spacing import remove_spaces
from arena.web.base.states import TableCounts, next_step
from arena.web.drawing.sides import side_text
from tests import factories
from tests.arena.web.conftest import under_way
from tests.arena.web.japanese import faults_of
from tests.arena.web.world import names, rows_of_the_names

__all__ = ["names", "rows_of_the_names"]
pytestmark = pytest.mark.django_db

PAGES = (
    "/",
    "/tournaments",
    "/tournaments/{event}",
    "/tournaments/{registration}",
    "/tournaments/{event}/standings",
    "/tournaments/{event}/standings?find=zzz",
    "/tournaments/{event}/crosstable",
    "/tournaments/{event}/entries",
    "/tournaments/{event}/rounds/1/1",
    "/tournaments/{event}/rounds/1/2",
    "/tournaments/{event}/deals",
    "/fixtures/{open_fixture}",
    "/fixtures/{sealed_fixture}",
    "/boards/{open_set}/1",
    "/tables/{open_table}",
    "/tables/{open_table}?at=b1t2p2&seat=2",
    "/cups",
    "/cups/{series}",
    "/ladders/{ladder}",
    "/ladders/{ladder}/rounds",
    "/rankings",
    "/ratings/{list}",
    "/versions/{version}",
    "/versions/{version}/history",
    "/players",
    "/players/aya",
    "/bots",
    "/bots/{bot}",
    "/sign-in",
    "/play",
    "/play/shared/{shared}",
    "/search",
    "/search?q=score",
    "/fairness",
    "/fairness/commitments",
    "/rules",
    "/rules/kakeya",
    "/rules/etori",
    "/rules/kakkuri",
    "/rules/common",
    "/rules/presets/kakeya4",
    "/docs",
    "/docs/tutorial",
)
"""Those that everybody may see. Left out is the glossary, whose terms have commas of their own."""


def page_of(client: Client, address: str, status: int = 200) -> str:
    """A page in Japanese."""
    response = client.get(address, headers={"accept-language": "ja"})
    assert response.status_code == status, address
    assert response["Content-Language"] == "ja"
    return response.content.decode()


@pytest.mark.parametrize("address", PAGES)
def test_a_page_of_spectators_is_in_japanese_throughout(
    client: Client, names: dict[str, Any], address: str
) -> None:
    own = [
        *Tournament.objects.values_list("name", flat=True),
        *Bot.objects.values_list("name", flat=True),
        *Series.objects.values_list("name", flat=True),
        *Player.objects.values_list("handle", flat=True),
        *(heading.page for heading in headings()),
    ]
    assert faults_of(page_of(client, address.format_map(names)), own) == []


def test_what_was_written_into_a_form_keeps_its_spaces(client: Client) -> None:
    client.force_login(factories.odo())
    answer = client.post(
        "/organise/new", {"name": "秋。 杯", "do": "draft"}, headers={"accept-language": "ja"}
    )
    assert 'value="秋。 杯"' in answer.content.decode()
    page = remove_spaces("<p>始まる時刻。 のち： <time>1</time></p>\n<textarea>一。 二</textarea>")
    assert page == "<p>始まる時刻。のち：<time>1</time></p>\n<textarea>一。 二</textarea>"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("part", ["<pre ", "<code>", "<input ", "。 </a", "。</a>", "。 "])
def test_no_page_keeps_the_site_busy(part: str) -> None:
    assert len(remove_spaces(part * 40_000)) <= len(part) * 40_000


def test_sentences_made_in_code_have_the_marks_of_the_language() -> None:
    running = under_way()
    tables = TableCounts(playing=2, waiting=1)
    assert "Round 1: " in str(next_step(running, 3, tables, "Round 1").text)
    with translation.override("ja"):
        assert re.fullmatch(
            r"第1ラウンド：2[^ ]+／1[^ ]+。", str(next_step(running, 3, tables, "第1ラウンド").text)
        )
        assert side_text((2, 4)) == "席2・4"
    assert side_text((2, 4)) == "seats 2 & 4"


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/tables/{open_table}?at=zzz", 400),
        ("/tables/{open_table}?at=b9", 400),
        ("/tables/{open_table}?seat=7", 400),
        ("/tables/{open_table}/view?board=x", 400),
        ("/boards/{open_set}/99", 404),
        ("/tournaments/{event}/rounds/1/9", 404),
        ("/tournaments/{event}/standings?stage=9", 404),
        ("/tournaments/{event}/standings?stage=x", 400),
        ("/tournaments/{event}/standings?at=x", 400),
        ("/tournaments/{event}/entries?page=x", 400),
    ],
)
def test_what_cannot_be_found_is_named_in_japanese(
    client: Client, names: dict[str, Any], address: str, status: int
) -> None:
    page = page_of(client, address.format_map(names), status)
    assert '<p class="small" lang="en">' not in page


def test_what_the_layers_below_say_is_marked_as_english(client: Client) -> None:
    page = page_of(client, "/tournaments/nosuchevent", 404)
    assert '<p class="small" lang="en">' in page
