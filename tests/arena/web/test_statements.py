"""The digests of what an event has bound itself to, on its page with their dates."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from arena.competition.models import Label, Statement, Tournament
from tests.arena.play import play_out
from tests.arena.web.visits import text_of

pytestmark = pytest.mark.django_db


def test_the_page_shows_each_digest_and_when_it_was_bound(running: Tournament, client: Client) -> None:
    play_out(running)
    page = text_of(client, running.page)
    text = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())
    statements = list(Statement.objects.filter(tournament=running))
    assert len(statements) == 3
    for statement in statements:
        assert f'<code class="hash">{statement.digest}</code>' in page
        assert statement.published_at.strftime("%Y-%m-%dT%H:%M") in page
        assert f"/api/v1/tournaments/{running.public_id}/statements/{statement.kind}" in page
        assert statement.key.name in text


def test_the_page_reads_no_body_and_shows_no_salt(running: Tournament, client: Client) -> None:
    page = text_of(client, running.page)
    assert [salt for salt in Label.objects.values_list("salt", flat=True) if salt in page] == []
    assert Statement.objects.filter(tournament=running)[0].body not in html.unescape(page)


def test_a_draft_has_nothing_to_show(client: Client, running: Tournament) -> None:
    client.force_login(running.organiser)
    Statement._base_manager.all().delete()
    assert "/statements/" not in text_of(client, running.page)
