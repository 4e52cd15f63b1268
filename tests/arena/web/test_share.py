"""What a link to a page shows where it is shared: title, text, our picture; of what is sealed, nothing."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from arena.matches.models import Table
from arena.tables.views import table_view_make
from tests.arena.play import play_out
from tests.arena.web.conftest import under_way

pytestmark = [pytest.mark.django_db, pytest.mark.full]

TAGS = (
    "og:title",
    "og:description",
    "og:url",
    "og:image",
    "og:image:alt",
    "og:type",
    "og:site_name",
    "og:locale",
)


def tags_of(page: str) -> dict[str, str]:
    """The properties in the head of a page."""
    head = page.partition("</head>")[0]
    found = re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)"', head)
    return {name: html.unescape(content) for name, content in found}


def test_every_public_page_has_one_title_of_its_own_and_a_share_card(client: Client) -> None:
    tournament = play_out(under_way())
    event = f"/tournaments/{tournament.public_id}"
    board_set = tournament.stages.get().rounds.first().board_set.public_id
    addresses = ["/", "/tournaments", "/players", "/players/aya", "/bots", "/cups", "/fairness", "/rules"]
    addresses += ["/rules/kakeya", "/rules/glossary", "/docs/bot-protocol", event, f"{event}/standings"]
    addresses += ["/play", f"{event}/rounds/1/1", f"{event}/deals", f"/boards/{board_set}/1"]
    titles = {}
    for address in addresses:
        response = client.get(address)
        assert response.status_code == 200, address
        page = response.content.decode()
        (title,) = re.findall(r"<title>([^<]+)</title>", page.partition("</head>")[0])
        titles[address] = title
        tags = tags_of(page)
        assert not [name for name in (*TAGS, "description") if not tags.get(name)], address
        assert tags["og:url"] == canonical_of(page) == f"http://testserver{address}"
        assert tags["og:image"].startswith(
            ("http://testserver/static/web/share-", "http://testserver/pictures/")
        )
        assert not re.findall(
            r'(?:href|src|content)="(?:https?:)?//(?!testserver)[^"]*"', page.partition("</head>")[0]
        )
    assert len(set(titles.values())) == len(addresses), titles


def canonical_of(page: str) -> str:
    """The one address that a page gives itself."""
    (address,) = re.findall(r'<link rel="canonical" href="([^"]+)">', page.partition("</head>")[0])
    return html.unescape(address)


def test_whatever_leads_to_a_page_it_has_one_address(client: Client) -> None:
    tournament = play_out(under_way())
    table = Table.objects.filter(tournament=tournament, state=Table.State.FINISHED).first()
    table_view_make(table)
    address = f"/tables/{table.public_id}"
    page = client.get(f"{address}?at=b1&lang=ja&utm_source=x").content.decode()
    assert canonical_of(page) == f"http://testserver{address}"
    assert tags_of(page)["og:url"] == f"http://testserver{address}?at=b1"
    assert tags_of(page)["og:locale"] == "ja_JP"
    assert tags_of(page)["og:locale:alternate"] == "en_GB"
    page = client.get("/bots?q=x&page=1&lang=en").content.decode()
    assert canonical_of(page) == "http://testserver/bots?page=1"
    rules = client.get("/robots.txt")
    assert rules["Content-Type"] == "text/plain; charset=utf-8"
    assert {"User-agent: *", "Disallow: /api/", "Disallow: /*?at=", "Disallow: /*&lang="} <= set(
        rules.content.decode().split("\n")
    )


def test_each_kind_of_page_has_a_picture_which_is_a_png_of_the_size_that_is_stated(client: Client) -> None:
    tournament = play_out(under_way())
    played = tournament.stages.get().rounds.first()
    fixture = played.board_set.fixtures.first()
    drawn = (
        f"/pictures/tournaments/{tournament.public_id}.png",
        f"/pictures/boards/{played.board_set.public_id}/1.png",
    )
    addresses = {
        "/fairness": "/static/web/share-site.",
        f"/tournaments/{tournament.public_id}": drawn[0],
        f"/boards/{played.board_set.public_id}/1": drawn[1],
        "/bots": "/static/web/share-bot.",
        "/rules/kakeya": "/static/web/share-rules.",
        f"/fixtures/{fixture.public_id}": "/static/web/share-event.",
    }
    for address, picture in addresses.items():
        tags = tags_of(client.get(address).content.decode())
        assert tags["og:image"].startswith(f"http://testserver{picture}"), address
    pictures = [client.get(address).content for address in drawn]
    for kind in ("site", "event", "board", "bot", "rules", "table"):
        path = finders.find(f"web/share-{kind}.png")
        assert path is not None
        pictures.append(Path(str(path)).read_bytes())
    for data in pictures:
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        size = (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
        assert size == (int(tags["og:image:width"]), int(tags["og:image:height"]))
        assert len(data) < 100_000
