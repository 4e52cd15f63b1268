"""Finding things by name, and jumping to ids and positions."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.matches.models import BoardSet, Fixture, Table
from tests import factories
from tests.arena.web.conftest import under_way, with_entries
from tests.arena.web.visits import CAST, text_of, visit

pytestmark = pytest.mark.django_db
QUERIES_AT_MOST = 14


def found(client: Client, query: str) -> list[str]:
    """The addresses a query finds."""
    response = client.get("/search", {"q": query})
    assert response.status_code == 200
    lists = re.findall(r'<ul class="site-hits">(.*?)</ul>', response.content.decode(), re.DOTALL)
    return [address for part in lists for address in re.findall(r'<a href="([^"]+)"', part)]


def jump(client: Client, query: str) -> str | None:
    """Where a query leads without a list."""
    response = client.get("/search", {"q": query})
    return response.headers.get("Location") if response.status_code == 302 else None


def test_names_are_found_by_any_part_in_any_case(client: Client) -> None:
    bot = factories.a_bot(factories.aya(), name="Kitsune no Yomeiri")
    factories.a_bot(factories.ben(), name="Tanuki")
    for query in ("yome", "KITSUNE", "yomeiri kitsune", f"kitsune {bot.owner.handle[:3]}"):
        assert found(client, query) == [f"/bots/{bot.public_id}"], query
    assert found(client, "kitsune tanuki") == []


def test_letters_with_accents_are_found_in_any_case(client: Client) -> None:
    bot = factories.a_bot(factories.aya(), name="café")
    assert found(client, "CAFÉ") == [f"/bots/{bot.public_id}"]


def test_words_of_japanese_need_no_spaces(client: Client) -> None:
    bot = factories.a_bot(factories.aya(), name="狐の嫁入り")
    assert found(client, "嫁入") == [f"/bots/{bot.public_id}"]


def test_half_width_kana_and_full_width_letters_find_what_they_mean(client: Client) -> None:
    kana = factories.a_bot(factories.aya(), name="カックリ名人")
    latin = factories.a_bot(factories.ben(), name="Kitsune")
    wide = factories.a_bot(factories.chie(), name="ＴＡＮＵＫＩ")
    assert f"/bots/{kana.public_id}" in found(client, "ｶｯｸﾘ名人")
    assert found(client, "Ｋｉｔｓｕｎｅ") == [f"/bots/{latin.public_id}"]
    assert found(client, "ＴＡＮＵＫＩ") == [f"/bots/{wide.public_id}"], "as it is spelled"
    assert latin.name in text_of(client, "/bots?q=Ｋｉｔｓｕ")
    assert found(client, "ｋａｋｋｕｒｉ") == found(client, "kakkuri") != []


def test_the_name_itself_comes_before_longer_ones_and_five_are_shown(client: Client) -> None:
    names = ["Oni", "Onigiri", "Oniwaka", "Kuro-oni", "Aka-oni", "Ao-oni", "Midori-oni"]
    bots = {name: factories.a_bot(factories.aya(), name=name) for name in names}
    addresses = found(client, "oni")
    assert len([address for address in addresses if address.startswith("/bots/")]) == 5
    assert addresses[0] == f"/bots/{bots['Oni'].public_id}"
    assert addresses[1] == f"/bots/{bots['Onigiri'].public_id}"
    assert "/bots?q=oni" in text_of(client, "/search?q=oni")


def test_tournaments_players_and_headings_are_found(client: Client) -> None:
    tournament = with_entries(1, name="Autumn trial")
    assert f"/tournaments/{tournament.public_id}" in found(client, "autumn")
    assert f"/players/{factories.aya().player.handle}" in found(client, factories.aya().player.handle)
    assert any(address.startswith("/docs/bot-protocol") for address in found(client, "protocol"))
    assert any(address.startswith("/rules/kakeya") for address in found(client, "trump decision"))


def test_terms_presets_and_options_are_found_with_their_meaning(client: Client) -> None:
    assert found(client, "kirijimai") == ["/rules/glossary#kirijimai"]
    assert found(client, "切りじまい") == ["/rules/glossary#kirijimai"]
    assert "/rules/presets/kakeya6.league" in found(client, "kakeya6.leag")
    assert found(client, "hand_cap")[0] == "/rules/presets/kakeya4#hand_cap"


def test_what_no_name_has_is_looked_for_in_the_meanings_of_terms(client: Client) -> None:
    japanese = {"accept-language": "ja"}
    page = client.get("/search", {"q": "切り札"}, headers=japanese).content.decode()
    assert 'href="/rules/' in page.partition('class="site-hits"')[2]
    assert found(client, "onifuda") == ["/rules/glossary#onifuda"], "a name is enough by itself"
    bot = factories.a_bot(factories.aya(), name="切り札")
    page = client.get("/search", {"q": "切り札"}, headers=japanese).content.decode()
    assert f"/bots/{bot.public_id}" in page


def test_private_things_are_found_by_those_who_may_see_them(client: Client) -> None:
    bot = factories.a_bot(factories.aya(), name="Himitsu", visibility="private")
    version = factories.a_version(bot)
    tournament = under_way(visibility="private", name="Himitsu cup")
    table = Table.objects.filter(tournament=tournament)[0]
    for name in CAST:
        visit(client, name)
        seen = found(client, "himitsu")
        assert (f"/bots/{bot.public_id}" in seen) == (name in {"aya", "sota"}), name
        knows = name in {"aya", "odo", "sota", "chie"}
        assert (f"/tournaments/{tournament.public_id}" in seen) == knows, name
        assert (jump(client, bot.public_id) is not None) == (name in {"aya", "sota"}), name
        assert (jump(client, version.public_id) is not None) == (name in {"aya", "sota"}), name
        assert (jump(client, table.public_id) is not None) == knows, name


def test_ids_and_positions_lead_to_their_pages(client: Client) -> None:
    tournament = under_way()
    table, fixture = Table.objects.first(), Fixture.objects.first()
    board_set = BoardSet.objects.get()
    version = factories.a_version(factories.a_bot(factories.aya()))
    assert table is not None
    assert fixture is not None
    assert jump(client, tournament.public_id) == f"/tournaments/{tournament.public_id}"
    assert jump(client, fixture.public_id) == f"/fixtures/{fixture.public_id}"
    assert jump(client, f" {table.public_id} ") == f"/tables/{table.public_id}"
    assert jump(client, f"{table.public_id}#b3t7p2") == f"/tables/{table.public_id}?at=b3t7p2"
    whole = f"https://rensho.example/tables/{table.public_id}?at=b3l"
    assert jump(client, whole) == f"/tables/{table.public_id}?at=b3l"
    assert jump(client, board_set.public_id) == f"/boards/{board_set.public_id}/1"
    assert jump(client, f"/boards/{board_set.public_id}/2") == f"/boards/{board_set.public_id}/2"
    assert jump(client, version.public_id) == f"/versions/{version.public_id}"
    assert jump(client, version.bot.public_id) == f"/bots/{version.bot.public_id}"
    for query in ("k3x9mwp2ab4c", "#b3t7", table.public_id[:-1], f"{table.public_id}#x", "//evil.example"):
        assert jump(client, query) is None, query


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "\x00",
        "%",
        "_" * 50,
        "\\",
        "'; DROP TABLE roster_bot;--",
        "<script>alert(1)</script>",
        "a " * 900,
        "x" * 1800,
        "a" * 1800 + "#b1t1",
        pytest.param("\u202e" * 60, id="from right to left"),
        '" OR NEAR(a b)',
    ],
)
def test_a_hostile_query_costs_no_more_than_another(client: Client, query: str) -> None:
    factories.a_bot(factories.aya(), name="Kappa")
    with CaptureQueriesContext(connection) as seen:
        response = client.get("/search", {"q": query})
    assert response.status_code == 200
    assert len(seen) <= QUERIES_AT_MOST
    page = response.content.decode()
    assert len(page) < 20_000
    assert "<script>alert" not in page
    assert "Kappa" not in page or "a" in query


def test_who_has_asked_nothing_yet_can_type_at_once(client: Client) -> None:
    def field(address: str) -> str:
        found = re.search(r'<input id="search-field"[^>]*>', text_of(client, address))
        assert found
        return found[0]

    assert field("/search").endswith(" autofocus>")
    assert "autofocus" not in field("/search?q=kappa")


@pytest.mark.parametrize(("query", "shown"), [("\u202etob", "<bdi>\u202etob</bdi>"), ("tob", "tob")])
def test_what_turns_the_direction_of_text_turns_nothing_but_itself(
    client: Client, query: str, shown: str
) -> None:
    for address in ("/search", "/bots", "/players"):
        assert f"“{shown}”" in client.get(address, {"q": query}).content.decode()
