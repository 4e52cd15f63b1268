"""Where the mark of a play by the referee leads: to the fault for its author, for others to what it means."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.matches.models import Table
from arena.roster.models import BotVersion
from arena.tables.views import table_view_make
from tests import factories
from tests.arena.web import faulty
from tests.arena.web.conftest import under_way
from tests.arena.web.visits import CAST, INSIDERS, visit

pytestmark = pytest.mark.django_db

MARK = re.compile(r'<span class="play-verdict" title="([^"]*)" data-verdict="(\w+)"><a href="([^"]*)"')


@pytest.fixture
def version() -> BotVersion:
    """Aya's, which plays a card it has not and later writes no JSON, at each of its tables."""
    tournament = under_way(2)
    found = faulty.version_of(tournament, factories.aya())
    faulty.play_round(tournament, {found.pk: {4: faulty.illegal, 7: faulty.endless_word}})
    return found


def a_table(version: BotVersion) -> Table:
    table = Table.objects.filter(seats__version=version).order_by("pk")[0]
    table_view_make(table)
    return table


def test_the_mark_of_a_play_leads_to_the_fault_for_those_who_may_see_it(
    client: Client, version: BotVersion
) -> None:
    table = a_table(version)
    groups = {group.verdict: group.fingerprint for group in version.fault_groups.all()}
    assert set(groups) == {"ILLEGAL_ACTION", "PROTOCOL"}
    for name in CAST:
        visit(client, name)
        marks = MARK.findall(client.get(f"/tables/{table.public_id}").content.decode())
        assert {verdict for _, verdict, _ in marks} == set(groups)
        for title, verdict, href in marks:
            assert title
            if name in INSIDERS:
                assert href == f"/versions/{version.public_id}/faults/{groups[verdict]}"
                assert client.get(href).status_code == 200
            else:
                assert href == f"/docs/bot-protocol#{verdict.lower()}"


def test_a_fault_without_a_page_of_its_own_leads_to_what_it_means(
    client: Client, version: BotVersion
) -> None:
    table = a_table(version)
    version.fault_groups.filter(verdict="PROTOCOL").delete()
    visit(client, "aya")
    marks = MARK.findall(client.get(f"/tables/{table.public_id}").content.decode())
    pages = {verdict: href.split("#")[0] for _, verdict, href in marks}
    assert pages["PROTOCOL"] == "/docs/bot-protocol"
    assert "/faults/" in pages["ILLEGAL_ACTION"]
