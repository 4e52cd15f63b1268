"""Pages of ratings: who is where and how surely, who is not comparable yet, differences, histories."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from arena.features.ratings.models import Rating, RatingChange, RatingList
from arena.features.ratings.panels.forest import ranks_of
from arena.features.ratings.selectors import difference, lines_by_name
from arena.features.ratings.services import ratings_make
from arena.web.base.figures import format_rounded
from tests import factories
from tests.arena.play import begun, play_out
from tests.arena.web.visits import text_of, visit

pytestmark = pytest.mark.django_db


def rows_of(page: str) -> list[str]:
    """The rows of the forest plot, tags taken out."""
    bodies = re.findall(r'<tr id="rating-self[^>]*>(.*?)</tr>', page, re.S)
    return [" ".join(re.sub(r"<[^>]+>", " ", body).split()) for body in bodies]


def test_the_plot_is_the_table(client: Client, rated: RatingList) -> None:
    page = text_of(client, rated.page)
    lines = list(Rating.objects.filter(estimate__isnull=False).order_by("rank"))
    rows = rows_of(page)
    assert len(rows) == 4
    for row, line in zip(rows, lines, strict=True):
        ranks = f"{line.rank_low}–{line.rank_high}" if line.rank_low != line.rank_high else f"{line.rank_low}"
        bot = line.version.bot
        assert row.startswith(f"{ranks} {bot.name} v1 {bot.owner.handle} ")
        assert row.endswith(f"{line.boards} {line.fixtures}")
        assert f"{line.estimate:+.2f}".replace("-", "−") in row
    assert rated.digest in page


def test_own_bots_are_marked_and_names_found(client: Client, rated: RatingList) -> None:
    own = Rating.objects.filter(estimate__isnull=False, version__bot__owner__user__username="aya").first()
    if own is None:
        own = Rating.objects.filter(estimate__isnull=False)[0]
    visit(client, own.version.bot.owner.user.username)
    page = text_of(client, rated.page)
    (row,) = re.findall(r"<tr id=\"rating-self(\w+)\" class=\"is-own\"", page)
    assert row == own.version.public_id
    found = text_of(client, f"{rated.page}?find={own.version.bot.owner.handle}")
    assert own.version.public_id in found
    assert len(rows_of(found)) < 4
    assert rows_of(text_of(client, f"{rated.page}?find=nosuch")) == []


def test_the_difference_of_any_two_names_both(client: Client, rated: RatingList) -> None:
    lines = list(Rating.objects.filter(estimate__isnull=False).order_by("rank"))
    first, last = lines[0], lines[-1]
    gap = difference(rated, first, last)
    assert gap is not None

    def answer(a: str, b: str) -> str:
        page = text_of(client, f"{rated.page}?a={a}&b={b}")
        return re.findall(r'class="rating-answer" role="status">(.*?)</p>', page)[0]

    def name(line: Rating) -> str:
        return f"{line.version.bot.name} v1"

    said = answer(name(last), first.version.public_id)
    assert name(first) in said
    assert f"{gap.mean:.2f}" in said
    assert f"{gap.high:+.2f}" in said
    assert name(first) in answer(name(first), name(first))
    unrated = Rating.objects.filter(estimate=None)[0]
    assert name(unrated) in answer(unrated.version.public_id, name(first))
    assert "nosuch" in answer("nosuch", name(first))
    assert answer("", name(first))
    assert lines_by_name(rated, f"{name(first)} +") == []


def test_a_page_asks_what_happened_since_it_was_made(client: Client, rated: RatingList) -> None:
    address = f"{rated.page}/since?revision={rated.revision}&sets={rated.sets}"
    assert client.get(address).status_code == 204
    play_out(begun(3, boards_per_round=4))
    ratings_make()
    assert rated.page in text_of(client, address)
    rated.refresh_from_db()
    rescored = f"{rated.page}/since?revision={rated.revision - 1}&sets={rated.sets}"
    assert rated.page in text_of(client, rescored)


def test_a_version_over_time(client: Client, rated: RatingList) -> None:
    line = Rating.objects.get(rank=2)
    page = text_of(client, f"/versions/{line.version.public_id}/history")
    assert f"{line.estimate:+.2f}".replace("-", "−") in page
    assert page.count('class="history-plot history-') == 2
    first = RatingChange.objects.get(version=line.version)
    other = Rating.objects.get(rank=1).version
    RatingChange.objects.create(
        list=rated,
        version=line.version,
        partner="self",
        cause="rescored",
        board_set=first.board_set,
        **{name: getattr(first, name) for name in ("low", "high", "rank", "rank_low", "rank_high")},
        estimate=first.estimate + 0.3,  # type: ignore[operator]
        fixtures=4,
        boards=24,
        degrees=20,
    )
    RatingChange.objects.filter(pk=first.pk).update(estimate=(line.estimate or 0.0) - 0.25)
    page = text_of(client, f"/versions/{line.version.public_id}/history?with={other.bot.name}+v1")
    assert "0.25" in page
    assert page.count('class="history-other"') == 2
    page = text_of(client, f"/versions/{line.version.public_id}/history?with=nosuch")
    assert "history-other" not in page
    unrated = Rating.objects.filter(estimate=None)[0].version
    assert 'class="history-plot ' not in text_of(client, f"/versions/{unrated.public_id}/history")
    assert client.get("/versions/nosuchversion/history").status_code == 404


def test_bots_versions_players_and_the_first_page_say_where_they_stand(
    client: Client, rated: RatingList
) -> None:
    line = Rating.objects.get(rank=2)
    bot = line.version.bot
    page = text_of(client, f"/players/{bot.owner.handle}")
    assert f"{bot.name} v1: rank" in page
    assert len(re.findall(rf'<tr id="rating-{rated.public_id}', page)) >= 3, "its neighbours too"
    for address in (f"/bots/{bot.public_id}", line.version.page):
        section = text_of(client, address).partition('id="rating-title"')[2].partition("</section>")[0]
        assert f'href="{rated.page}"' in section
        assert f"rank {ranks_of(line)} of 4" in section
        assert format_rounded(line.estimate or 0.0) in section
    home = text_of(client, "/")
    assert home.count('<span class="small">· rank ') == 4
    assert rated.page in home


def test_opponents_have_the_result_that_the_ratings_predict(client: Client, rated: RatingList) -> None:
    best, second = Rating.objects.filter(rank__lte=2).order_by("rank")
    page = text_of(client, f"/bots/{best.version.bot.public_id}")
    section = page.partition('id="opponents-title"')[2].partition("</section>")[0]
    row = section[section.index("<tbody") :]
    row = row[row.index(f"/bots/{second.version.bot.public_id}") :].partition("</tr>")[0]
    difference = (best.estimate or 0.0) - (second.estimate or 0.0)
    link = re.search(rf'href="([^"]*#compare)">{re.escape(format_rounded(difference))}<', row)
    assert link is not None
    compared = text_of(client, unescape(link[1]).partition("#")[0])
    assert f"{difference:.2f} stones" in compared


def test_versions_have_their_ratings_if_several_are_rated(client: Client, rated: RatingList) -> None:
    best, second = Rating.objects.filter(rank__lte=2).order_by("rank")
    bot = best.version.bot
    assert "compare with" not in text_of(client, f"/bots/{bot.public_id}")
    later = factories.a_version(bot)
    Rating.objects.filter(pk=second.pk).update(version=later)
    RatingList.objects.filter(pk=rated.pk).update(revision=rated.revision + 1)
    page = text_of(client, f"/bots/{bot.public_id}")
    line = page.partition(f'id="v{later.number}"')[2].partition("</article>")[0]
    assert format_rounded(second.estimate or 0.0) in line
    assert f"{rated.page}?a={later.public_id}&amp;b={best.version.public_id}#compare" in line
    first = page.partition('id="v1"')[2].partition("</article>")[0]
    assert format_rounded(best.estimate or 0.0) in first
    assert "#compare" not in first
