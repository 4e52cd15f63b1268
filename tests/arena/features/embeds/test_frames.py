"""Frames of other sites: public data, without cookies and scripts; the seal and nothing else while sealed."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from django.http.response import HttpResponse
from django.test import Client

from arena.competition.models import Tournament
from arena.matches.models import BoardSet, Table
from tests import factories

pytestmark = pytest.mark.django_db
FRAMES = ("/embed/tables/{table}?at=b1t2p3", "/embed/boards/{board_set}/1")


def get(client: Client, address: str, table: Table) -> HttpResponse:
    board_set = table.fixture.board_set.public_id
    return client.get(address.format(table=table.public_id, board_set=board_set))  # type: ignore[return-value]


@pytest.mark.parametrize("address", FRAMES)
def test_a_frame_is_the_same_with_and_without_cookies_and_cannot_leave_its_box(
    table: Table, address: str
) -> None:
    answer = get(Client(), address, table)
    assert answer.status_code == 200
    html = answer.content.decode()
    assert "mat" in html
    assert not answer.cookies
    policy = answer["Content-Security-Policy"]
    assert "frame-ancestors *" in policy
    assert "default-src 'none'" in policy
    assert "X-Frame-Options" not in answer
    assert "Cookie" not in answer.get("Vary", "")
    assert "<script" not in html
    assert "<form" not in html
    for link in re.findall(r"<a [^>]*>", html):
        assert 'target="_blank"' in link
        assert 'rel="noopener"' in link
        assert 'href="/' in link
    signed_in = Client()
    signed_in.force_login(factories.sota())
    signed_in.cookies["django_language"] = "ja"
    other = get(signed_in, address, table)
    assert other.content == answer.content
    assert not other.cookies
    assert (
        "ja" in get(Client(), address + ("&" if "?" in address else "?") + "lang=ja", table).content.decode()
    )


@pytest.mark.parametrize("address", FRAMES)
def test_a_sealed_board_shows_the_seal_and_nothing_else(table: Table, address: str) -> None:
    BoardSet.objects.filter(pk=table.fixture.board_set_id).update(state="open", closed_seq=None)
    staff = Client()
    staff.force_login(factories.sota())
    for client in (Client(), staff):
        answer = get(client, address, table)
        assert answer.status_code == 423
        html = answer.content.decode()
        assert "#seal" in html
        assert "mat" not in re.sub(r"<head>.*</head>", "", html, flags=re.DOTALL)
        for bot in table.seats.values_list("version__bot__name", flat=True):
            assert bot not in html


@pytest.mark.parametrize("address", [*FRAMES, "/oembed?url=http://testserver/tables/{table}"])
def test_a_private_event_does_not_exist_here_even_for_its_organiser(
    event: Tournament, table: Table, address: str
) -> None:
    Tournament.objects.filter(pk=event.pk).update(visibility="private")
    for user in (None, event.organiser, factories.sota()):
        client = Client()
        if user is not None:
            client.force_login(user)
        assert get(client, address, table).status_code == 404


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/embed/tables/{table}?at=b9", 400),
        ("/embed/tables/{table}?at=<b>", 400),
        ("/embed/tables/nowhere", 404),
        ("/embed/boards/{board_set}/99", 404),
    ],
)
def test_a_bad_address_is_one_line_in_the_frame(table: Table, address: str, status: int) -> None:
    answer = get(Client(), address, table)
    assert answer.status_code == status
    assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert "<b>" not in answer.content.decode()


def described(table: Table, path: str, more: str = "") -> HttpResponse:
    board_set = table.fixture.board_set.public_id
    url = "http://testserver" + path.format(table=table.public_id, board_set=board_set)
    return Client().get(f"/oembed?url={quote(url, safe='')}{more}")  # type: ignore[return-value]


def test_oembed_describes_the_frame_of_a_page(table: Table) -> None:
    answer = described(table, "/tables/{table}?at=b1t2p3")
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert not answer.cookies
    data = answer.json()  # type: ignore[attr-defined]
    assert (data["version"], data["type"]) == ("1.0", "rich")
    source = re.search(r'src="http://testserver(/embed/[^"]+)"', data["html"])
    assert source is not None
    assert Client().get(source[1]).status_code == 200
    assert "allow-scripts" not in data["html"]
    assert "allow-top-navigation" not in data["html"]
    board = described(table, "/boards/{board_set}/1", "&maxwidth=400").json()  # type: ignore[attr-defined]
    assert board["width"] <= 400
    small = described(table, "/boards/{board_set}/1", "&maxheight=10").json()  # type: ignore[attr-defined]
    assert small["type"] == "link"
    assert not {"html", "width", "height"} & set(small)
    for limits in (
        "&maxwidth=800&maxheight=660",
        "&maxwidth=799",
        "&maxheight=700",
        "&maxwidth=360&maxheight=760",
    ):
        limited = described(table, "/boards/{board_set}/1", limits).json()  # type: ignore[attr-defined]
        limit = dict(part.split("=") for part in limits.strip("&").split("&"))
        assert limited["type"] == "rich"
        assert limited["width"] <= int(limit.get("maxwidth", "9999"))
        assert limited["height"] <= int(limit.get("maxheight", "9999"))
    japanese = described(table, "/boards/{board_set}/1", "&lang=ja").json()  # type: ignore[attr-defined]
    assert "lang=ja" in japanese["html"]


@pytest.mark.parametrize(
    ("path", "more", "status"),
    [
        ("/tables/{table}", "&format=xml", 501),
        ("/tables/{table}", "&maxwidth=x", 400),
        ("/tables/nowhere", "", 404),
        ("/tournaments", "", 404),
        ("/no/such/page", "", 404),
    ],
)
def test_oembed_refuses_other_formats_and_pages(table: Table, path: str, more: str, status: int) -> None:
    assert described(table, path, more).status_code == status
    for url in ("", "http://[", "https://elsewhere.example/tables/" + table.public_id, "x" * 600):
        assert Client().get("/oembed", {"url": url}).status_code == 404


def test_pages_of_boards_and_tables_lead_to_their_description(table: Table) -> None:
    board_set = table.fixture.board_set.public_id
    for page in (f"/tables/{table.public_id}?at=b1t2p3", f"/boards/{board_set}/1"):
        html = Client().get(page).content.decode()
        link = re.search(r'type="application/json\+oembed" href="([^"]+)"', html)
        assert link is not None
        assert Client().get(link[1].replace("&amp;", "&")).status_code == 200
        html = Client(headers={"Accept-Language": "ja"}).get(page).content.decode()
        link = re.search(r'type="application/json\+oembed" href="([^"]+)"', html)
        assert link is not None
        assert "lang=ja" in Client().get(link[1].replace("&amp;", "&")).json()["html"]
