"""What pages show of brackets, groups, mixed partners, rulings, those who left, and tables as they stood."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import timezone

from arena.competition.models import Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.standings.selectors import closed_totals
from arena.web.base.figures import format_exact
from arena.web.tournaments.reached import reached_words
from tests import factories
from tests.arena.play import play_out, play_table, waiting
from tests.arena.web.conftest import under_way
from tests.arena.web.visits import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.full]

# No day, no hour, moments of a year that UTC does not have, and too long a number.
NO_TIMES = [
    (f"?at={text}", 400)
    for text in (
        "2026-02-30T00:00Z",
        "2026-01-01T25:00Z",
        "0001-01-01T00:00%2B23:59",
        "9999-12-31T23:59-23:59",
        "9" * 3000,
    )
]
PLAYED_ONCE = re.compile(r"<td[^>]*>(?:1-0-0|0-1-0|0-0-1)</td>")
KNOCKOUT = [{"format": "single_elimination", "options": {}}]
CUP = [
    {"format": "groups", "options": {"groups": 2}},
    {"format": "single_elimination", "options": {}, "qualify": 2},
]


def page_of(client: Client, tournament: Tournament, rest: str = "") -> str:
    return text_of(client, f"{tournament.page}{rest}")


def closed_round(tournament: Tournament) -> None:
    for table in waiting(tournament):
        play_table(table)
    tournament_advance(tournament)
    tournament.refresh_from_db()


def test_a_bracket_that_is_too_large_says_where_its_rounds_are(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.tournaments.bracket.MAX_ENTRIES", 3)
    tournament = under_way(4, stages=KNOCKOUT)
    html = page_of(client, tournament)
    bracket = html[html.index('id="part-bracket-1"') :].split("</section>")[0]
    assert "bracket-column" not in bracket
    assert 'id="part-rounds"' in html


def test_a_bracket_shows_what_is_to_come_and_then_who_went_on(client: Client) -> None:
    tournament = under_way(4, stages=KNOCKOUT, boards_per_round=2)
    assert winners(bracket_of(client, tournament)) == []
    html = page_of(client, play_out(tournament))
    bracket = html[html.index('id="part-bracket-1"') :].split("</section>")[0]
    assert winners(bracket) == [True, True, False], "who wins the final goes nowhere"


def test_lines_join_the_matches_of_a_bracket_and_those_still_in_are_named(client: Client) -> None:
    tournament = under_way(4, stages=KNOCKOUT, boards_per_round=2)
    (bracket,) = client.get(tournament.page).context["results"]["brackets"]
    assert len(bracket.still_in) == 4
    assert [column.joint for column in bracket.sections[0].columns] == ["pairs", ""]
    closed_round(tournament)
    (bracket,) = client.get(tournament.page).context["results"]["brackets"]
    decided = [match for column in bracket.sections[0].columns for match in column.matches]
    winners = {line.entry for match in decided for line in match.lines if line.is_winner}
    losers = {
        line.entry
        for match in decided
        if any(line.is_winner for line in match.lines)
        for line in match.lines
        if not line.is_winner
    }
    assert winners
    assert winners <= set(bracket.still_in)
    assert not losers & set(bracket.still_in)
    (bracket,) = client.get(play_out(tournament).page).context["results"]["brackets"]
    assert bracket.still_in == ()


def test_columns_of_the_losers_bracket_are_joined_straight_or_in_pairs(client: Client) -> None:
    stages = [{"format": "double_elimination", "options": {}}]
    (bracket,) = client.get(under_way(8, stages=stages).page).context["results"]["brackets"]
    joints = [[column.joint for column in section.columns] for section in bracket.sections]
    assert joints[:2] == [["pairs", "pairs", ""], ["straight", "pairs", "straight", ""]]


def test_who_wins_the_match_for_third_place_did_not_go_on(client: Client) -> None:
    stages = [{"format": "single_elimination", "options": {"third_place": True}}]
    bracket = bracket_of(client, play_out(under_way(4, stages=stages, boards_per_round=2)))
    assert sorted(winners(bracket)) == [False, False, True, True]


def test_who_wins_either_bracket_of_a_double_elimination_goes_on(client: Client) -> None:
    stages = [{"format": "double_elimination", "options": {}}]
    bracket = bracket_of(client, play_out(under_way(4, stages=stages, boards_per_round=2)))
    *most, last = winners(bracket)
    assert (most.count(True), last) in ((5, False), (6, False))


def test_groups_stand_above_the_bracket_with_seeds_and_who_advanced(client: Client) -> None:
    stages = [
        {"format": "groups", "options": {"groups": 3}},
        {"format": "single_elimination", "options": {}, "qualify": 4},
    ]
    tournament = play_out(under_way(6, stages=stages, boards_per_round=1))
    (bracket,) = client.get(tournament.page).context["results"]["brackets"]
    assert bracket.qualified is not None
    assert [group.name for group in bracket.qualified.groups] == ["A", "B", "C"]
    lines = [(group.name, line) for group in bracket.qualified.groups for line in group.lines]
    advanced = {f"{name}{line.place}": line.entry.id for name, line in lines if line.advances}
    assert len(advanced) == 4
    assert {"A1", "B1", "C1"} <= set(advanced)
    seeds = {
        line.seed: line.entry.id
        for column in bracket.sections[0].columns
        for match in column.matches
        for line in match.lines
        if line.entry
    }
    assert seeds == advanced
    (second,) = {entry for seed, entry in advanced.items() if seed.endswith("2")}
    last = next(line for _name, line in lines if line.entry.id == second)
    assert last.entry.name in bracket.qualified.reason
    first_out = list(tournament.stages.get(number=1).standings.order_by("rank"))[4]
    assert first_out.entry.version.bot.name in bracket.qualified.reason


def test_a_match_with_a_play_off_has_both_scores(client: Client) -> None:
    tournament = play_out(under_way(2, stages=KNOCKOUT, boards_per_round=1))
    fixtures = list(tournament.fixtures.order_by("pk"))
    (bracket,) = client.get(tournament.page).context["results"]["brackets"]
    (match,) = [match for column in bracket.sections[0].columns for match in column.matches]
    for line in match.lines:
        totals = [fixture.totals.get(entry__public_id=line.entry.id).value for fixture in fixtures]
        assert line.score == " · ".join(format_exact(total, signed=True) for total in totals)


def winners(bracket: str) -> list[bool]:
    """Whether each winner of a bracket goes on, in order."""
    return [bool(goes_on) for goes_on in re.findall(r'<li class="through( goes-on)?">', bracket)]


def bracket_of(client: Client, tournament: Tournament) -> str:
    html = page_of(client, tournament)
    return html[html.index('id="part-bracket-1"') :].split("</section>")[0]


def test_a_bracket_has_scores_once_the_boards_are_open_and_links_its_fixtures(client: Client) -> None:
    stages = [{"format": "single_elimination", "options": {"replays": 0}}]
    tournament = under_way(4, stages=stages, boards_per_round=2)
    fixtures = list(Fixture.objects.filter(tournament=tournament).order_by("number"))
    *most, last = waiting(tournament)
    for table in most:
        play_table(table)
    bracket = bracket_of(client, tournament)
    assert "score" not in bracket
    assert re.findall(r'href="/fixtures/(\w+)"', bracket) == [fixture.public_id for fixture in fixtures]
    assert bracket.count("tabindex") == 1
    play_table(last)
    tournament_advance(tournament)
    bracket = bracket_of(client, tournament)
    for fixture in fixtures:
        place = bracket[bracket.index(fixture.public_id) :].split("</ul>")[0]
        shown = re.findall(r'title="(.+), .+".*class="score num">([^<]+)<', place)
        entries = {side.entry.pk: side.entry for side in fixture.sides.all()}
        totals = closed_totals([fixture.board_set_id], [fixture.pk])
        assert dict(shown) == {
            f"{entries[entry].bot_name} v1": format_exact(total, signed=True)
            for (_, entry), total in totals.items()
        }


def test_every_replay_of_a_bracket_has_its_link(client: Client) -> None:
    tournament = under_way(4, stages=KNOCKOUT, boards_per_round=2)
    drawn, other = Fixture.objects.filter(tournament=tournament).order_by("number")
    fixture_adjudicate(drawn, tournament.organiser, "draw", [], "both were away")
    loser = other.sides.get(position=0).entry.public_id
    fixture_adjudicate(other, tournament.organiser, "forfeit", [loser], "it was away")
    tournament_advance(tournament)
    replay = Fixture.objects.get(tournament=tournament, board_set__round__number=2)
    bracket = bracket_of(client, tournament)
    links = re.findall(r'<a [^>]*href="/fixtures/(\w+)">', bracket)
    assert links == [each.public_id for each in (replay, drawn, replay, other)]


def test_groups_have_tables_of_their_own_and_the_next_stage_follows(client: Client) -> None:
    tournament = play_out(under_way(4, stages=CUP, boards_per_round=2))
    html = page_of(client, tournament)
    assert html.count('<h3 class="group"') == 2
    for heading in re.findall(r'role="group" aria-labelledby="([^"]+)"', html):
        assert html.count(f'id="{heading}"') == 1
    first = html[html.index('id="part-standings-1"') :].split("</section>")[0]
    assert re.findall(r'<table class="standings"', first) == ['<table class="standings"'] * 2
    assert re.findall(r'role="group" aria-labelledby="([^"]+)"', first) == ["group-1-1", "group-1-2"]
    for group in first.split('<table class="standings"')[1:]:
        places = re.findall(r'<td class="n rank">(\d+)</td>', group)
        assert places == [str(number) for number in range(1, len(places) + 1)]
    leaders = re.findall(r'<h3 class="group".*?<p class="quiet">.*?href="(/bots/[^"]+)"', first, re.DOTALL)
    heads = [
        re.search(r'<tbody>.*?href="(/bots/[^"]+)"', part, re.DOTALL) for part in first.split("<table")[1:]
    ]
    assert leaders == [head[1] for head in heads if head]


def test_partners_stand_side_by_side(client: Client) -> None:
    tournament = factories.an_open_tournament(
        stages=[{"format": "movement", "options": {}}],
        scoring="board_score",
        boards_per_round=2,
        min_entries=4,
    )
    for number in range(4):
        factories.an_entry(tournament, factories._user(f"guest{number}"), accepts_partners=True)
    tournament_lock(tournament, tournament.organiser)
    tournament_start(tournament, tournament.organiser)
    tournament_advance(tournament)
    html = page_of(client, tournament)
    fixture = html[html.index('<li class="fixture') :].split("</li>")[0]
    assert fixture.count('class="entry"') == 4


def test_an_event_without_entries_leads_to_the_page_for_entering(client: Client) -> None:
    tournament = factories.an_open_tournament()
    html = page_of(client, tournament)
    assert html.count(f'href="/tournaments/{tournament.public_id}/enter"') > 0


def test_standings_as_they_stood_after_a_round_and_at_a_time(client: Client) -> None:
    before = timezone.now()
    tournament = under_way(4, boards_per_round=1)
    closed_round(tournament)
    first = page_of(client, tournament, "/standings?round=1")
    assert 'name="round"' not in first
    play_out(tournament)
    first = page_of(client, tournament, "/standings?round=1")
    assert len(PLAYED_ONCE.findall(page_of(client, tournament, "/standings?round=1"))) == 4
    assert 'name="round" type="number" min="1" value="1"' in first
    then = before.isoformat().replace("+00:00", "Z")
    assert not PLAYED_ONCE.findall(page_of(client, tournament, f"/standings?at={then}"))
    for wrong, status in (
        ("?round=9", 400),
        ("?round=x", 400),
        ("?at=soon", 400),
        ("?stage=7", 404),
        *NO_TIMES,
    ):
        assert client.get(f"/tournaments/{tournament.public_id}/standings{wrong}").status_code == status


def test_a_large_event_shows_its_newest_round_and_links_the_others(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.tournaments.event.MAX_FIXTURES", 2)
    tournament = play_out(under_way(4, boards_per_round=1))
    monkeypatch.setattr("arena.web.tournaments.event.MAX_FIXTURES_PER_ROUND", 1)
    html = page_of(client, tournament)
    assert html.count('class="round"') + html.count('class="round ') == 1
    assert html.count('<li class="fixture') == 1
    assert f"/tournaments/{tournament.public_id}/rounds/1/1" in html


def test_match_points_of_three_pairs_that_change_are_counted_by_pair(client: Client) -> None:
    movement = factories.a_locked_tournament(
        6, preset="kakeya6", stages=[{"format": "movement", "options": {"rounds": 2}}]
    )
    heats = factories.a_locked_tournament(3, preset="kakeya6", stages=[{"format": "heats"}])
    explained = [
        page_of(client, event).partition('id="rules-title"')[2].partition("</section>")[0]
        for event in (movement, heats)
    ]
    assert explained[0] != explained[1]


def test_standings_of_knockouts_say_how_far_entries_got(client: Client) -> None:
    stages = [{"format": "single_elimination", "options": {"third_place": True}}]
    tournament = play_out(under_way(4, stages=stages, boards_per_round=2))
    (ranking,) = client.get(tournament.page).context["results"]["rankings"]
    texts = [line.cells[0].text for line in ranking.lines]
    assert len(set(texts)) == 4
    rows = list(tournament.stages.get().standings.order_by("rank"))
    assert [line.entry.id for line in ranking.lines] == [row.entry.public_id for row in rows]
    words = reached_words(tournament.stages.get(), 4)
    assert texts == [words[int(row.values["progress"])] for row in rows]
    assert "progress" not in [column.name for column in ranking.columns]
    page = page_of(client, tournament, "/standings?stage=1")
    assert all(text in page for text in texts)


def test_losers_of_semi_finals_share_how_far_they_got(client: Client) -> None:
    tournament = play_out(under_way(4, stages=KNOCKOUT, boards_per_round=2))
    response = client.get(tournament.page)
    (ranking,) = response.context["results"]["rankings"]
    texts = [line.cells[0].text for line in ranking.lines]
    assert texts[2] == texts[3]
    assert len(set(texts)) == 3
