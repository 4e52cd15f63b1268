"""The control that shares a board or a position: complete without script, only for what visitors see."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.matches.models import BoardSet, Table
from tests import factories

pytestmark = pytest.mark.django_db
PAGES = ("/tables/{table}?at=b1t2p3", "/boards/{board_set}/1", "/tables/{table}/explore?at=b1t2p3")


def page_of(client: Client, address: str, table: Table, language: str = "en") -> tuple[int, str]:
    path = address.format(table=table.public_id, board_set=table.fixture.board_set.public_id)
    answer = client.get(path, headers={"Accept-Language": language})
    return answer.status_code, answer.content.decode()


def shared(html: str) -> dict[str, str]:
    """Values of the fields by id."""
    values = dict(re.findall(r'<input type="text" id="([\w-]+)" readonly value="([^"]*)"', html))
    values |= dict(re.findall(r'<textarea id="([\w-]+)" readonly[^>]*>([^<]*)<', html))
    return {name: unescape(value) for name, value in values.items()}


@pytest.mark.parametrize("address", PAGES)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_link_code_and_picture_lead_to_the_same_content(table: Table, address: str, language: str) -> None:
    status, html = page_of(Client(), address, table, language)
    assert status == 200
    fields = shared(html)
    for button in fields:
        assert f'data-copy="{button}"' in html
    code = re.fullmatch(
        r'<iframe src="http://testserver(/embed/[^"]+)" width="\d+" .*></iframe>', fields["share-code"]
    )
    assert code is not None
    frame = Client().get(unescape(code[1]))
    assert frame.status_code == 200
    assert f'<html lang="{language}">' in frame.content.decode()
    assert fields["share-link"].startswith("http://testserver/")
    assert Client().get(fields["share-link"]).status_code == 200
    if "?at=" in address:
        assert "?at=b1t2p3" in fields["share-link"]
        assert "?at=b1t2p3" in code[1]
    picture = re.search(r'<a href="(/pictures/[^"]+)" data-shared', html)
    assert picture is not None
    assert Client().get(unescape(picture[1]))["Content-Type"] == "image/png"
    assert ("lang=ja" in picture[1]) == (language == "ja")


@pytest.mark.parametrize("address", PAGES[:2])
def test_nothing_is_shared_that_visitors_do_not_see(event: Tournament, table: Table, address: str) -> None:
    staff = Client()
    staff.force_login(factories.sota())
    assert shared(page_of(staff, address, table)[1])
    BoardSet.objects.filter(pk=table.fixture.board_set_id).update(state="open", closed_seq=None)
    status, html = page_of(staff, address, table)
    assert not shared(html)
    assert "/pictures/" not in html
    assert "/embed/" not in html
    BoardSet.objects.filter(pk=table.fixture.board_set_id).update(state="closed", closed_seq=1)
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    status, html = page_of(staff, address, table)
    assert status == 200
    assert not shared(html)
    assert "/pictures/" not in html
