"""Rankings of a course, and that nothing of its tournaments shows to others."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from django.core.cache import cache
from django.test import Client

from arena.accounts.models import User
from arena.common.process_cache import process_cache
from arena.competition.models import Course, Tournament
from arena.features.courses.models import CourseRanking, CourseResults
from arena.features.courses.progress import GRADES_HEAD, grades_csv, lines_of, progress_of
from arena.features.courses.ranking import line_row, rankings_due, results_changed
from arena.features.courses.selectors import members_of
from arena.features.courses.services import member_remove
from arena.features.ratings.models import RatingList
from arena.features.ratings.services import ratings_make
from arena.matches.models import BoardSet, Fixture, Table
from league.rating.columns import RatingFigures, RatingLine
from tests.arena.features.courses.rooms import a_course, member
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out
from tests.arena.site_addresses import addresses
from tests.factories import aya, ben, chie, odo, players

pytestmark = pytest.mark.django_db

OWN_ROWS = ("/desk", "/notices", "/api/v1/notices", "/api/v1/audit")
"""Messages to an account, and its own actions."""
NAME = "Zyklothymie"
"""A name that no page has by chance."""


class Played(NamedTuple):
    course: Course
    event: Tournament


def a_played_event() -> Played:
    """Aya, Ben, Chie and a fourth have played."""
    third = players(4)[3]
    course = a_course(odo(), aya(), ben(), chie(), third, name=f"{NAME} course")
    event = play_out(begun(4, course=course.public_id, name=NAME, boards_per_round=2))
    member_remove(member(course, chie()), odo())
    return Played(course, event)


rows_of_a_played_event = made_once(a_played_event, serials=7000)


@pytest.fixture
def played(rows_of_a_played_event: Played, db: None) -> Played:
    """See ``a_played_event``. Chie has been removed since."""
    return given(rows_of_a_played_event)


def test_the_ranking_counts_the_courses_tournaments_alone(played: Played) -> None:
    assert CourseResults.objects.exclude(stale_mark="").count() == 1
    rankings_due()
    assert not CourseResults.objects.exclude(stale_mark="").exists()
    ranking = CourseRanking.objects.get(course=played.course)
    lines = list(lines_of(ranking))
    owners = {line.version.bot.owner.user.username for line in lines}
    assert owners == {"aya", "ben", "player4"}, "a removed member is not shown"
    assert ranking.lines.count() == 4
    assert all(line.fixtures == 3 and line.boards for line in lines)
    assert all(line.estimate is None for line in lines), "so few boards do not suffice"
    ratings_make()
    assert not RatingList.objects.exists(), "no public list has them"


def test_a_removed_member_whose_name_begins_like_a_house_account_is_not_shown(played: Played) -> None:
    rankings_due()
    User.objects.filter(pk=chie().pk).update(username="houseplant")
    owners = {line.version.bot.owner.user.username for line in lines_of(CourseRanking.objects.get())}
    assert owners == {"aya", "ben", "player4"}


def test_rescored_sets_compute_the_ranking_again(played: Played) -> None:
    rankings_due()
    first = CourseRanking.objects.get()
    rankings_due()
    assert CourseRanking.objects.get() == first
    results_changed(BoardSet.objects.values_list("pk", flat=True))
    rankings_due()
    assert CourseRanking.objects.get().pk != first.pk


def test_a_rated_line_is_shown_with_its_interval(played: Played, client: Client) -> None:
    rankings_due()
    line = next(
        line for line in lines_of(CourseRanking.objects.get()) if line.version.bot.owner.handle == "ben"
    )
    figures = RatingFigures(0.25, 0.1, 0.4, 0.08, 1, 1, 2)
    fitted = RatingLine(line.version.public_id, "self", figures, 3, 6, 9)
    row = line_row(line.ranking, 0, fitted, {line.version.public_id: line.version_id})
    row.pk = line.pk
    row.save()
    client.force_login(aya())
    page = client.get(f"{played.course.page}/ranking").content.decode()
    assert "+0.25" in page
    assert "+0.10 to +0.40" in page
    assert "1–2" in page
    assert "0.25" in grades_csv(played.course).decode("utf-8-sig")


def test_progress_and_the_file_for_grading(played: Played) -> None:
    rankings_due()
    members = list(members_of(played.course))
    known = {each.user.username: progress_of(played.course, members)[each.user_id] for each in members}
    assert (known["aya"].entered, known["aya"].played, known["aya"].bots) == (1, 1, 1)
    assert (known["odo"].entered, known["odo"].active_at) == (0, None)
    rows = list(csv.reader(io.StringIO(grades_csv(played.course).decode("utf-8-sig"))))
    assert tuple(rows[0]) == GRADES_HEAD
    assert all(len(row) == len(GRADES_HEAD) for row in rows)
    assert {row[0] for row in rows[1:]} == {"aya", "ben", "odo", "player4"}
    assert not any("@" in "".join(row) for row in rows), "no address of an account"


def test_cells_of_the_file_are_no_formulas(played: Played) -> None:
    rankings_due()
    bot = played.event.entries.get(player__user=aya()).version.bot
    type(bot).objects.filter(pk=bot.pk).update(name="=cmd|' /C calc'!A0")
    assert ",'=cmd" in grades_csv(played.course).decode("utf-8-sig")


def ids_of(played: Played) -> dict[str, Sequence[object]]:
    event = played.event
    return {
        "tournament": [event.public_id],
        "board_set": list(BoardSet.objects.values_list("public_id", flat=True)[:1]),
        "fixture": list(Fixture.objects.values_list("public_id", flat=True)[:1]),
        "table": list(Table.objects.values_list("public_id", flat=True)[:1]),
        "entry": list(event.entries.values_list("public_id", flat=True)[:1]),
        "bot": list(event.entries.values_list("version__bot__public_id", flat=True)[:1]),
        "version": list(event.entries.values_list("version__public_id", flat=True)[:1]),
        "course": [played.course.public_id],
        "account": [aya().public_id],
        "handle": ["aya"],
    }


@pytest.mark.parametrize("who", [pytest.param(None, marks=pytest.mark.nightly), chie])
def test_nothing_of_a_course_shows_to_others(played: Played, who: Any) -> None:
    """At no address of pages, API, feeds, embeds, pictures or sitemap; a member finds it at many."""
    rankings_due()
    hidden = [NAME, played.event.public_id, played.course.public_id]
    found = found_at(played, who() if who else None, hidden)
    if who is chie:
        found -= set(OWN_ROWS)
    assert found == set()


def test_a_member_finds_the_tournament(played: Played, client: Client) -> None:
    client.force_login(aya())
    event, api = played.event.page, f"/api/v1{played.event.page}"
    pages = ("/tournaments", event, f"/search?q={NAME}", f"{event}/standings")
    for address in (*pages, api, "/api/v1/tournaments"):
        assert NAME in client.get(address).content.decode(), address


def found_at(played: Played, user: User | None, words: Sequence[str]) -> set[str]:
    """Addresses whose answers contain one of the words, or succeed although they contain an id of it."""
    client = Client()
    if user is not None:
        client.force_login(user)
    found = set()
    ids = ids_of(played)
    own = [
        str(each) for name in ("tournament", "board_set", "fixture", "table", "course") for each in ids[name]
    ]
    for address in addresses(
        ids | {name: ["nosuchthing1"] for name in ("ladder", "list", "casual", "problem")}
    ):
        cache.clear()
        process_cache.clear()
        answer: Any = client.get(address)
        if "event-stream" in answer.get("Content-Type", "") and answer.status_code == 200:
            if any(each in address for each in own):
                found.add(address)
            continue
        text = answer.getvalue().decode("latin-1")
        # An address repeats itself in its answer.
        is_of_it = any(each in address.partition("?")[0] for each in own)
        if (answer.status_code == 200 and is_of_it) or any(
            word in text.replace(address, "") for word in words if word not in address
        ):
            found.add(address)
    return found
