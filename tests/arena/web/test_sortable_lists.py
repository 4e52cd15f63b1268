"""Lists of bots and players, and rankings: filters, orders and bad parameters."""

from __future__ import annotations

import datetime
import re

import pytest
import pytest_django
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.common.process_cache import process_cache
from arena.competition.listing import tournaments_of
from arena.competition.models import Series, Tournament
from arena.competition.series.services import series_create
from arena.features.ratings.current import current_lines, lines_by_key, season_curves
from arena.features.ratings.models import Rating, RatingChange, RatingList
from arena.features.ratings.movements import movements_of
from arena.features.ratings.panels.summaries import sparkline
from arena.features.ratings.services import ratings_make
from arena.roster.listing import natural_key
from arena.roster.models import Bot, Player
from tests import factories
from tests.arena.features.ladders.ladders import USUAL, a_ladder
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out
from tests.arena.web.visits import text_of, visit
from tests.large import copies_add

pytestmark = [pytest.mark.django_db, pytest.mark.full]


def a_rated_list() -> RatingList:
    """With four rated versions; the event is final."""
    play_out(begun(4, boards_per_round=6))
    ratings_make()
    return RatingList.objects.get()


rows_of_the_list = made_once(a_rated_list, serials=1000)


@pytest.fixture
def rated(rows_of_the_list: RatingList, db: None) -> RatingList:
    return given(rows_of_the_list)


def queries(client: Client, page: str) -> int:
    process_cache.clear()
    with CaptureQueriesContext(connection) as captured:
        client.get(page)
    return len(captured)


def bots_in_order(client: Client, query: str = "") -> list[str]:
    return re.findall(r'<tr><th scope="row"><a href="/bots/(\w+)"', text_of(client, f"/bots{query}"))


def players_in_order(client: Client, query: str = "") -> list[str]:
    return re.findall(r'<tr><th scope="row"><a href="/players/([\w-]+)"', text_of(client, f"/players{query}"))


def test_bots_by_strength_activity_and_name(client: Client, rated: RatingList) -> None:
    unrated = factories.a_bot(factories.chie(), name="AAA", game="kakkuri")
    version = factories.a_version(unrated)
    lines = Rating.objects.filter(estimate__isnull=False).order_by("-estimate")
    by_strength = [line.version.bot.public_id for line in lines]
    assert bots_in_order(client)[:4] == by_strength
    assert bots_in_order(client)[-1] == unrated.public_id
    assert bots_in_order(client, "?sort=strength&q=&game=&preset=") == bots_in_order(client)
    assert version.created_at > Tournament.objects.latest("state_at").state_at
    assert bots_in_order(client, "?sort=activity")[0] == unrated.public_id
    names = [Bot.objects.get(public_id=bot).name_key for bot in bots_in_order(client, "?sort=name")]
    assert names == sorted(names, key=natural_key)
    assert names[0] == "aaa"


def test_players_by_strength_activity_and_name(client: Client, rated: RatingList) -> None:
    lines = Rating.objects.filter(estimate__isnull=False).order_by("-estimate")
    by_strength = list(dict.fromkeys(line.version.bot.owner.handle for line in lines))
    assert players_in_order(client) == by_strength
    assert players_in_order(client, "?sort=name") == sorted(by_strength, key=natural_key)
    newcomer = factories.a_version(factories.a_bot(factories.sota())).bot.owner.handle
    process_cache.clear()
    assert players_in_order(client, "?sort=activity")[0] == newcomer
    assert players_in_order(client, f"?preset={rated.preset}") == by_strength


def test_filters_by_game_preset_and_text(client: Client, rated: RatingList) -> None:
    other = factories.a_bot(factories.chie(), name="of another game", game="kakkuri")
    assert bots_in_order(client, "?game=kakkuri") == [other.public_id]
    assert other.public_id not in bots_in_order(client, f"?game={rated.game}")
    assert len(bots_in_order(client, f"?preset={rated.preset}")) == 4
    assert bots_in_order(client, f"?game={rated.game}&preset=kakeya6") == []
    assert bots_in_order(client, "?q=ANOTHER+game") == [other.public_id]
    assert bots_in_order(client, "?q=%00") == []
    assert players_in_order(client, "?game=kakkuri") == [other.owner.handle]


@pytest.mark.parametrize("page", ["/bots", "/players"])
@pytest.mark.parametrize(
    ("query", "culprit"),
    [
        ("sort=age", "sort"),
        ("sort=-pk", "sort"),
        ("game=chess", "game"),
        ("preset=kakeya5", "preset"),
        ("game=kakkuri&preset=kakeya4", "preset"),
        ("preset=%00", "preset"),
    ],
)
def test_a_bad_parameter_is_named(client: Client, page: str, query: str, culprit: str) -> None:
    response = client.get(f"{page}?{query}")
    assert response.status_code == 400
    assert culprit in response.content.decode()


def test_a_row_shows_rank_result_and_private_bots_only_to_their_owner(
    client: Client, rated: RatingList
) -> None:
    tournament = Tournament.objects.get(state="final")
    line = Rating.objects.filter(estimate__isnull=False).order_by("-estimate")[0]
    page = text_of(client, "/bots")
    assert f'href="{rated.page}"' in page.partition('class="list-group"')[2].split("</tr>")[0]
    row = page.split("<tr>")[2]
    assert f'href="{rated.page}"' not in row
    assert f'href="{rated.page}"' in text_of(client, "/bots?sort=name").split("<tr>")[2]
    assert f"{line.estimate:+.2f}".replace("-", "−") in row
    entry = tournament.entries.get(version=line.version)
    rank = tournament.stages.get().standings.get(entry=entry).rank
    assert f'href="/tournaments/{tournament.public_id}"' in row
    assert re.search(rf"<td>{rank}\D+4 <a", row)
    bot = line.version.bot
    Bot.objects.filter(pk=bot.pk).update(visibility="private")
    process_cache.clear()
    visit(client, "anonymous")
    assert bot.public_id not in bots_in_order(client)
    visit(client, bot.owner.user.username)
    assert bots_in_order(client)[0] == bot.public_id


def test_bots_of_different_lists_are_not_sorted_among_each_other(client: Client, rated: RatingList) -> None:
    lines = list(Rating.objects.filter(estimate__isnull=False).order_by("-estimate"))
    small = RatingList.objects.create(
        **{name: getattr(rated, name) for name in ("kind", "game", "board_kind", "seats", "season")},
        preset="kakeya4.league",
        revision=1,
        rated=1,
        computed_at=rated.computed_at,
    )
    best = factories.a_version(factories.a_bot(factories.chie(), name="best of a small list"))
    line = lines[0]
    line.pk, line.list, line.version, line.estimate = None, small, best, 9.0
    line.save()
    unrated = Rating.objects.create(
        list=small,
        version=factories.a_version(factories.a_bot(factories.chie())),
        partner="self",
        fixtures=1,
        boards=6,
        degrees=1,
        reasons=[{"code": "boards", "actual": 6, "required": 16}],
    )
    process_cache.clear()
    page = text_of(client, "/bots")
    groups = [
        re.findall(r'<th scope="row"><a href="/bots/(\w+)"', body) for body in page.split("<tbody>")[1:]
    ]
    assert [len(group) for group in groups[:2]] == [4, 1]
    assert groups[1] == [best.bot.public_id]
    assert unrated.version.bot.public_id in groups[2]
    assert "6/16" in page
    own = best.bot.owner.handle
    assert players_in_order(client)[-1] == own or lines[1].version.bot.owner.handle == own


def test_names_with_numbers_are_in_natural_order(client: Client) -> None:
    owner = factories.chie()
    bots = {name: factories.a_bot(owner, name=name).public_id for name in ("bot 10", "Bot 9", "bot")}
    assert bots_in_order(client, "?sort=name") == [bots["bot"], bots["Bot 9"], bots["bot 10"]]


def test_a_private_event_shows_in_no_row(client: Client) -> None:
    tournament = begun(2, visibility="private")
    newer = factories.a_version(factories.a_bot(factories.chie()))
    play_out(tournament)
    tournament.refresh_from_db()
    assert newer.created_at < tournament.state_at
    for user in (None, factories.aya()):
        if user:
            client.force_login(user)
        for page in ("/bots", "/players"):
            assert tournament.public_id not in text_of(client, page)
    assert bots_in_order(Client(), "?sort=activity")[0] == newer.bot.public_id


def test_queries_do_not_grow_with_the_rows(client: Client, rated: RatingList) -> None:
    factories.a_version(factories.a_bot(factories.chie(), name="not rated"))
    orders = ("", "?sort=activity", "?sort=name", f"?game={rated.game}", f"?preset={rated.preset}", "?q=a")
    pages = [f"/{name}{order}" for name in ("bots", "players") for order in orders]
    pages += [f"/tournaments{order}" for order in ("", "?sort=name", "?sort=entries")]
    pages.append(f"/tournaments?q={Tournament.objects.get(state='final').name}")
    counts = {page: queries(client, page) for page in pages}
    for owner in factories.players(8):
        factories.a_version(factories.a_bot(owner, name="more"))
    copies_add(Tournament.objects.get(state="final"), 3)
    assert {page: queries(client, page) for page in counts} == counts


def test_an_order_from_the_cache_has_new_rows_and_no_hidden_ones(client: Client, rated: RatingList) -> None:
    owner = factories.sota()
    for query in ("", "?sort=name", "?sort=activity"):
        assert bots_in_order(client, query)
        bot = factories.a_bot(owner, name=f"new {query}")
        assert bot.public_id in bots_in_order(client, query)
        assert owner.player.handle in players_in_order(client, query)
        Bot.objects.filter(pk=bot.pk).update(visibility="private")
        assert bot.public_id not in bots_in_order(client, query)
        assert owner.player.handle not in players_in_order(client, query)
        visit(client, owner.username)
        assert bot.public_id in bots_in_order(client, query)
        visit(client, "anonymous")
        assert bot.public_id not in bots_in_order(client, query)


def test_curves_are_thinned_and_keep_both_ends(rated: RatingList) -> None:
    line = Rating.objects.filter(estimate__isnull=False)[0]
    change = RatingChange.objects.filter(version=line.version)[0]
    values = {name: getattr(change, name) for name in ("low", "high", "rank", "rank_low", "rank_high")}
    RatingChange.objects.bulk_create(
        RatingChange(
            list=rated,
            version=line.version,
            partner=line.partner,
            cause="closed",
            board_set=change.board_set,
            estimate=number / 100,
            fixtures=1,
            boards=1,
            degrees=1,
            created_at=change.created_at + datetime.timedelta(minutes=number),
            **values,
        )
        for number in range(1, 200)
    )
    found = current_lines()
    (curve,) = season_curves(list(lines_by_key([line.pk]).values())).values()
    assert found.rated == {(rated.pk, "self"): 4}
    assert 20 <= len(curve) <= 27
    assert (curve[0], curve[-1]) == (change.estimate, 1.99)
    assert list(curve[1:]) == sorted(curve[1:])


def test_a_constant_curve_is_a_line() -> None:
    drawn = sparkline([0.5, 0.5, 0.5])
    assert drawn is not None
    assert len(set(re.findall(r" ([\d.]+)", drawn.path))) == 1
    assert sparkline([0.5]) is None


def test_pages_keep_the_parameters(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.bots.bot_list.BOTS_PER_PAGE", 2)
    monkeypatch.setattr("arena.web.bots.players.PLAYERS_PER_PAGE", 2)
    for number, owner in enumerate(factories.players(5)):
        factories.a_bot(owner, name=f"named {number}")
    seen = [bot for page in (1, 2, 3) for bot in bots_in_order(client, f"?q=named&sort=name&page={page}")]
    assert seen == [bot.public_id for bot in Bot.objects.filter(name__startswith="named").order_by("name")]
    assert re.findall(r'rel="next" href="([^"#]+)', text_of(client, "/bots?q=named&sort=name")) == [
        "?q=named&amp;sort=name&amp;page=2"
    ]
    assert len(players_in_order(client, "?page=3")) == Player.objects.filter(bots__isnull=False).count() - 4


def drawn(page: str) -> list[str]:
    """Public ids of the versions in plots."""
    return re.findall(r'<tr id="rating-\w{12}(\w{12})"', page)


def test_the_strongest_are_drawn_with_intervals(client: Client, rated: RatingList) -> None:
    page = text_of(client, "/rankings")
    lines = Rating.objects.filter(estimate__isnull=False).order_by("rank")
    assert drawn(page) == [line.version.public_id for line in lines]
    assert page.count('class="forest-span') == len(lines)
    assert f'href="{rated.page}"' in page
    assert drawn(text_of(client, f"/rankings?game={rated.game}&preset={rated.preset}")) == drawn(page)
    assert drawn(text_of(client, "/rankings?game=kakkuri")) == []
    assert drawn(text_of(client, f"/rankings?season={rated.season}")) == drawn(page)
    visit(client, lines[0].version.bot.owner.user.username)
    assert 'class="is-own"' in text_of(client, "/rankings")


def test_at_most_ten_are_drawn(client: Client, rated: RatingList, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.features.ladders.pages.rankings.TOP_RANKS", 3)
    assert len(drawn(text_of(client, "/rankings"))) == 3


def test_lists_without_ratings_are_folded(
    client: Client, rated: RatingList, settings: pytest_django.Settings
) -> None:
    settings.LADDERS = USUAL
    ladder = a_ladder()
    empty = [
        RatingList.objects.create(
            kind="tournaments",
            game="kakkuri",
            preset="kakkuri",
            board_kind="deal",
            seats=seats,
            season=rated.season,
            revision=1,
        )
        for seats in (3, 4)
    ]
    page = text_of(client, "/rankings")
    line = page[page.index('id="game-kakkuri"') :].split("</section>")[0]
    assert all(f'href="{row.page}"' in line for row in empty)
    assert "<table" not in line
    assert line.index("<details>") < line.index(empty[0].page)
    assert f'href="{ladder.page}"' in page.split("<details>")[0]
    assert ladder.page in text_of(client, f"/rankings?preset={ladder.preset}")
    RatingList.objects.filter(pk=rated.pk).delete()
    assert f'href="{ladder.page}"' in text_of(client, "/rankings").split("<details>")[1]


def test_changes_are_from_a_week_ago_or_by_the_latest_result(rated: RatingList) -> None:
    lines = list(Rating.objects.filter(estimate__isnull=False).select_related("list").order_by("rank"))
    assert movements_of(lines) == movements_of([]) == {}
    first = RatingChange.objects.get(version=lines[0].version)
    RatingChange.objects.filter(pk=first.pk).update(estimate=(lines[0].estimate or 0.0) - 0.25)
    first.pk = None
    first.save()
    assert movements_of(lines)[rated.pk] == (False, {lines[0].pk: pytest.approx(0.25)})
    second = RatingChange.objects.get(version=lines[1].version)
    second.created_at -= datetime.timedelta(days=8)
    second.estimate = (lines[1].estimate or 0.0) + 0.5
    second.save()
    assert movements_of(lines)[rated.pk] == (True, {lines[1].pk: pytest.approx(-0.5)})


def test_etori_is_a_game_of_its_own_in_lists_of_events(client: Client, rated: RatingList) -> None:
    RatingList.objects.create(
        kind="tournaments",
        game="kakeya",
        preset="etori.simple",
        board_kind="deal",
        seats=4,
        season=rated.season,
        revision=1,
        computed_at=rated.computed_at,
    )
    page = text_of(client, "/rankings?game=etori")
    assert re.findall(r'id="game-(\w+)"', page) == ["etori"]
    assert re.search(r"<details open>\s*<summary>", page)
    assert "/tournaments?game=etori" in page
    assert 'class="legend"' not in page
    assert re.findall(r'id="game-(\w+)"', text_of(client, "/rankings"))[:2] == ["kakeya", "etori"]
    assert client.get("/rankings?game=etori&preset=kakeya4").status_code == 400
    assert client.get("/bots?game=etori").status_code == 400
    final = Tournament.objects.filter(state="final")
    assert final.get().page not in text_of(client, "/tournaments?game=etori")
    assert list(tournaments_of(final, "kakeya", "")) == [final.get()]
    final.update(preset="etori.simple")
    assert list(tournaments_of(final, "etori", "")) == [final.get()]
    assert not tournaments_of(final, "kakeya", "")


@pytest.mark.parametrize(
    ("query", "status"),
    [("season=nosuch", 404), ("game=chess", 400), ("preset=x", 400), ("game=kakkuri&preset=kakeya4", 400)],
)
def test_a_bad_parameter_of_rankings_is_refused(
    client: Client, rated: RatingList, query: str, status: int
) -> None:
    response = client.get(f"/rankings?{query}")
    assert response.status_code == status
    if status == 404:
        assert rated.season in response.content.decode()


def test_old_addresses_lead_here(client: Client, rated: RatingList) -> None:
    assert client.get("/ladders")["Location"] == "/rankings"
    assert client.get(f"/ratings?season={rated.season}")["Location"] == f"/rankings?season={rated.season}"


def test_the_menu_has_these_pages(client: Client, db: None) -> None:
    page = text_of(client, "/")
    menu = page[page.index('<nav class="site"') :].split("</nav>")[0]
    links = re.findall(r'href="([^"]+)"', menu)
    assert [link for link in links if link != "/watch"] == [
        "/tournaments",
        "/rankings",
        "/bots",
        "/play",
        "/docs",
    ]
    for address, chosen in {
        "/cups": "/tournaments",
        "/players": "/bots",
        "/rules": "/docs",
        "/rankings": "/rankings",
    }.items():
        page = text_of(client, address)
        menu = page[page.index('<nav class="site"') :].split("</nav>")[0]
        assert re.findall(r'href="([^"]+)" aria-current', menu) == [chosen], address


def test_queries_of_rankings_do_not_grow_with_the_lines(client: Client, rated: RatingList) -> None:
    before = queries(client, "/rankings")
    Rating.objects.filter(estimate__isnull=False).latest("rank").delete()
    assert queries(client, "/rankings") == before


def test_tournaments_by_game_rules_name_and_size(client: Client, rated: RatingList) -> None:
    large = Tournament.objects.get(state="final")
    small = play_out(begun(2))
    Tournament.objects.filter(pk=small.pk).update(name="aaa")
    upcoming = factories.an_open_tournament()

    def listed(query: str) -> list[str]:
        page = text_of(client, f"/tournaments{query}").partition('id="overview"')[2]
        return list(dict.fromkeys(re.findall(r'href="/tournaments/(\w{12})"', page)))

    assert listed("") == [upcoming.public_id, small.public_id, large.public_id]
    assert listed("?sort=entries") == [upcoming.public_id, large.public_id, small.public_id]
    assert listed("?sort=name")[1] == small.public_id
    assert listed("?q=AAA") == [small.public_id]
    assert listed(f"?game={large.game}&preset={large.preset}") == listed("")
    assert listed("?game=kakkuri") == []
    page = text_of(client, "/tournaments?q=aaa&sort=name")
    assert 'id="past-title"' in page
    assert 'id="running-title"' not in page
    assert 'id="upcoming-title"' not in page
    for query in ("sort=strength", "game=chess", "preset=x"):
        assert client.get(f"/tournaments?{query}").status_code == 400
        assert client.get(f"/cups?{query}").status_code == 400


def test_cups_by_rules_and_name_with_their_last_winner(client: Client, rated: RatingList) -> None:
    tournament = Tournament.objects.get(state="final")
    cups = [
        series_create(
            factories.odo(),
            name=name,
            template={"preset": preset, "boards_per_round": 4},
            frequency="daily",
            start_time=datetime.time(18, 0),
            open_hours=6,
        )
        for name, preset in (("Zeta", "kakeya4"), ("alpha", "kakeya4.league"))
    ]
    Series.objects.filter(pk=cups[1].pk).update(next_at=cups[1].next_at + datetime.timedelta(days=1))
    Tournament.objects.filter(pk=tournament.pk).update(series=cups[0], edition=1)

    def listed(query: str) -> list[str]:
        return re.findall(r'id="c-(\w{12})"', text_of(client, f"/cups{query}"))

    first, second = (cup.public_id for cup in cups)
    assert listed("") == [first, second]
    assert listed("?sort=name") == [second, first]
    assert listed("?preset=kakeya4") == [first]
    assert listed("?game=kakeya&q=ALPH") == [second]
    assert listed("?game=kakkuri") == []
    winner = tournament.stages.get().standings.get(rank=1).entry
    row = text_of(client, "/cups").partition(f'id="c-{first}"')[2].split("</article>")[0]
    assert winner.version.bot.name in row
    assert tournament.page in row
    assert "1 edition" in row
