"""Recurring cups: planned, made once each, with all who want to be in; skipped after a stand-still."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from arena.accounts.models import AuditEvent, User
from arena.common.errors import Invalid
from arena.competition.models import Entry, Series, Tournament
from arena.competition.series.editions import edition_create
from arena.competition.series.services import (
    next_active_series,
    occurrences,
    planned_editions,
    series_create,
    series_pause,
    upcoming_editions,
)
from arena.competition.series.subscriptions import subscription_add
from arena.jobs.flow import tournament_advance, tournament_cancel
from arena.jobs.periodic import series_due
from arena.roster.models import Bot
from tests.arena.api.conftest import caller
from tests.arena.api.problems import ok
from tests.factories import (
    a_bot,
    a_suspended_version,
    a_version,
    aya,
    ben,
    chie,
    logged_events,
    odo,
    rin,
    sota,
)

pytestmark = pytest.mark.django_db

TEMPLATE = {"preset": "kakeya4", "boards_per_round": 2}
BODY = {
    "name": "Evening Cup",
    "template": TEMPLATE,
    "frequency": "daily",
    "start_time": "20:00",
    "open_hours": 6,
}


def a_series(organiser: User | None = None, **fields: Any) -> Series:
    """A daily cup of kakeya4 whose next edition is made in six hours."""
    at = (timezone.now() + timedelta(hours=12)).time().replace(second=0, microsecond=0)
    given = {
        "name": "Evening Cup",
        "template": TEMPLATE,
        "frequency": "daily",
        "start_time": at,
        "open_hours": 6,
    }
    return series_create(organiser or odo(), **{**given, **fields})


def due(series: Series, starts_in: timedelta = timedelta(hours=1)) -> datetime:
    """Put the next edition so that it is due now."""
    at = (timezone.now() + starts_in).replace(second=0, microsecond=0)
    Series.objects.filter(pk=series.pk).update(next_at=at, start_time=at.time())
    series.refresh_from_db()
    return at


def subscribed(series: Series, *owners: User) -> list[Bot]:
    """A bot of each with a ready version, entered each time."""
    bots = []
    for owner in owners:
        bot = a_version(a_bot(owner)).bot
        body = {"bot": bot.public_id}
        ok(caller(owner).post(f"/api/v1/series/{series.public_id}/subscriptions", body), 201)
        bots.append(bot)
    return bots


def test_dates_follow_from_the_rhythm_alone() -> None:
    start = datetime(2026, 12, 30, 20, 0, tzinfo=UTC)
    daily = occurrences(Series(frequency="daily", start_time=time(20)), start)
    assert [next(daily).isoformat() for _ in range(2)] == [
        "2026-12-31T20:00:00+00:00",
        "2027-01-01T20:00:00+00:00",
    ]
    weekly = occurrences(Series(frequency="weekly", weekday=0, start_time=time(9, 30)), start)
    assert [next(weekly).strftime("%a %F %H:%M") for _ in range(2)] == [
        "Mon 2027-01-04 09:30",
        "Mon 2027-01-11 09:30",
    ]


def test_a_dry_run_shows_dates_and_cost_and_makes_nothing() -> None:
    answer = caller(odo()).post("/api/v1/series?dry_run=true", BODY)
    planned = ok(answer)
    assert answer["Dry-Run"] == "true"
    ahead = planned["series"]["ahead"]
    assert len(ahead) == 5
    assert all(edition["starts_at"].endswith("T20:00:00Z") for edition in ahead)
    assert all(edition["opens_at"].endswith("T14:00:00Z") for edition in ahead)
    assert planned["plan"]["tables"] > 0
    assert not Series.objects.exists()
    assert not AuditEvent.objects.filter(kind="series").exists()


def test_a_series_is_made_shown_changed_paused_resumed_and_ended() -> None:
    organiser = caller(odo())
    made = ok(organiser.post("/api/v1/series", BODY), 201)
    address = f"/api/v1/series/{made['id']}"
    assert (made["state"], made["last_edition"], made["start_time"]) == ("active", 0, "20:00")
    assert made["allowed_actions"] == ["update", "pause", "end"]
    assert ok(caller().get(address))["allowed_actions"] == []
    assert [series["id"] for series in ok(caller().get("/api/v1/series"))["results"]] == [made["id"]]
    changed = ok(
        organiser.patch(address, {"frequency": "weekly", "weekday": "wednesday", "start_time": "09:30"})
    )
    moment = datetime.fromisoformat(changed["next_at"])
    assert (moment.weekday(), moment.hour, moment.minute) == (2, 9, 30)
    assert ok(organiser.patch(address, {"frequency": "daily"}))["weekday"] is None
    assert ok(organiser.post(f"{address}/pause?dry_run=true", {}))["state"] == "paused"
    assert ok(organiser.get(address))["state"] == "active"
    paused = ok(organiser.post(f"{address}/pause", {"reason": "holidays"}))
    assert (paused["state"], paused["state_reason"], paused["ahead"]) == ("paused", "holidays", [])
    again = ok(organiser.post(f"{address}/pause", {}), 409)
    assert (again["code"], again["state"], again["allowed_states"]) == ("wrong_state", "paused", ["active"])
    assert ok(organiser.post(f"{address}/resume", {}))["state"] == "active"
    ended = ok(organiser.post(f"{address}/end", {}))
    assert (ended["state"], ended["next_at"], ended["allowed_actions"]) == ("ended", None, [])
    assert ok(organiser.patch(address, {"name": "x"}), 409)["code"] == "wrong_state"
    verbs = AuditEvent.objects.filter(kind="series").order_by("id").values_list("action", flat=True)
    assert list(verbs) == ["create", "update", "update", "pause", "resume", "end"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": " "}, "name"),
        ({"frequency": "weekly"}, "weekday"),
        ({"weekday": "tuesday"}, "weekday"),
        ({"frequency": "weekly", "weekday": 1}, "weekday"),
        ({"frequency": "monthly"}, "month_day"),
        ({"frequency": "monthly", "month_day": 32}, "month_day"),
        ({"frequency": "monthly", "month_day": 1, "weekday": "friday"}, "weekday"),
        ({"month_day": 1}, "month_day"),
        ({"timezone": "Berlin"}, "timezone"),
        ({"timezone": "../etc/passwd"}, "timezone"),
        ({"timezone": ""}, "timezone"),
        ({"open_hours": 25}, "open_hours"),
        ({"start_time": "20:00:30"}, "start_time"),
        ({"start_time": "25:00"}, "start_time"),
        ({"until": "2020-01-01T00:00:00Z"}, "until"),
        ({"template": {"preset": "nonsense"}}, "template.preset"),
        ({"template": {**TEMPLATE, "closes_at": "2030-01-01T00:00:00Z"}}, "template.closes_at"),
        ({"template": {**TEMPLATE, "entry_policy": "invited"}}, "template.entry_policy"),
        ({"template": {**TEMPLATE, "stages": [{"format": "ladder"}]}}, "template.stages"),
    ],
)
def test_a_wrong_field_is_named(wrong: dict[str, Any], field: str) -> None:
    problem = ok(caller(odo()).post("/api/v1/series", {**BODY, **wrong}), 400)
    assert problem["errors"][0]["field"] == field
    assert not Series.objects.exists()


def test_an_edition_is_made_once_open_with_its_subscribers() -> None:
    series = a_series()
    subscribed(series, aya(), ben())
    assert series_due() == 0, "not before its time"
    at = due(series)
    stale = Series.objects.get(pk=series.pk)
    assert series_due() == 1
    assert series_due() == 0
    assert edition_create(stale) is None, "a second one at the same moment makes nothing"
    edition = Tournament.objects.get()
    assert (edition.name, edition.series, edition.edition) == ("Evening Cup 1", series, 1)
    assert (edition.state, edition.closes_at, edition.starts_at) == ("open", at, at)
    assert edition.entries.filter(status="entered").count() == 2
    series.refresh_from_db()
    assert (series.last_edition, series.next_at) == (1, at + timedelta(days=1))
    event = logged_events().get(kind="series.edition")
    assert (event.object_id, event.tournament) == (series.public_id, edition.public_id)


def test_the_next_edition_is_the_one_open_for_entry(client: Client) -> None:
    series = a_series()
    at = due(series)
    address = f"/api/v1/series/{series.public_id}"
    planned = ok(caller().get(address))
    assert [meeting["tournament"] for meeting in planned["ahead"]] == [None] * 5
    edition = edition_create(series)
    assert edition is not None
    tomorrow = at + timedelta(days=1)
    for shown in (ok(caller().get(address)), ok(caller().get("/api/v1/series"))["results"][0]):
        assert datetime.fromisoformat(shown["next_at"]) == at
        first, second, *_ = shown["ahead"]
        assert (first["tournament"], datetime.fromisoformat(first["starts_at"])) == (edition.public_id, at)
        assert (second["tournament"], datetime.fromisoformat(second["starts_at"])) == (None, tomorrow)
    for page in ("/cups", f"/cups/{series.public_id}"):
        text = client.get(page).content.decode()
        assert f'href="/tournaments/{edition.public_id}">entry is open' in " ".join(text.split()), page
        assert at.isoformat()[:16] in text, page
    series_pause(series, odo())
    (only,) = ok(caller().get(address))["ahead"]
    assert only["tournament"] == edition.public_id, "an edition that was made is played"
    tournament_cancel(edition, odo())
    assert ok(caller().get(address))["ahead"] == []


def test_the_cup_of_the_first_page_is_the_one_whose_next_edition_starts_first() -> None:
    later, sooner = a_series(), a_series(name="Other")
    due(later, timedelta(hours=3))
    at = due(sooner, timedelta(hours=1))
    assert next_active_series() == sooner
    assert edition_create(sooner) is not None
    found = next_active_series()
    assert found == sooner
    assert upcoming_editions(found, 1)[0].starts_at == at


def test_an_edition_locks_and_starts_by_itself() -> None:
    series = a_series()
    subscribed(series, aya(), ben())
    due(series)
    series_due()
    edition = Tournament.objects.get()
    past = timezone.now() - timedelta(seconds=1)
    Tournament.objects.update(closes_at=past, starts_at=past)
    edition.refresh_from_db()
    tournament_advance(edition)
    edition.refresh_from_db()
    assert edition.state == "running"


def test_editions_of_a_stand_still_are_skipped_not_caught_up() -> None:
    series = a_series()
    long_ago = timezone.now().replace(minute=0, second=0, microsecond=0) - timedelta(days=9)
    Series.objects.update(next_at=long_ago, start_time=long_ago.time())
    assert series_due() == 0
    series.refresh_from_db()
    assert not Tournament.objects.exists()
    assert series.last_edition == 0
    assert timezone.now() < series.next_at <= timezone.now() + timedelta(days=1, minutes=10)
    assert odo().notices.get(kind="series").note["code"] == "edition_skipped"
    assert AuditEvent.objects.filter(action="skip", object_id=series.public_id).count() == 1


def test_who_cannot_be_entered_is_told_once_and_holds_up_nobody() -> None:
    series = a_series()
    (bot, _) = subscribed(series, aya(), ben())
    Bot.objects.filter(pk=bot.pk).update(active_version=None)
    suspended = a_suspended_version(a_bot(chie()))
    Bot.objects.filter(pk=suspended.bot_id).update(active_version=suspended)
    body = {"bot": suspended.bot.public_id}
    ok(caller(chie()).post(f"/api/v1/series/{series.public_id}/subscriptions", body), 201)
    for _ in range(2):
        due(series)
        assert series_due() == 1
    assert Entry.objects.filter(player__user=ben()).count() == 2
    assert aya().notices.get(kind="series").note["why"]["code"] == "no_version"
    assert "suspended" in chie().notices.get(kind="series").text


def test_a_cup_that_cannot_be_made_is_paused_and_its_organiser_told() -> None:
    series = a_series()
    due(series)
    User.objects.filter(username="odo").update(is_organiser=False)
    series.refresh_from_db()
    assert series_due() == 0
    series.refresh_from_db()
    assert series.state == "paused"
    assert series.state_note["code"] == "edition_failed"
    assert series.last_edition == 0
    assert not Tournament.objects.exists()
    assert odo().notices.get(kind="series").note["code"] == "series_paused"


def test_the_last_edition_ends_the_series() -> None:
    series = a_series()
    at = due(series)
    Series.objects.update(until=at)
    series.refresh_from_db()
    assert len(planned_editions(series)) == 1
    assert series_due() == 1
    series.refresh_from_db()
    assert (series.state, series.next_at) == ("ended", None)


def test_a_change_of_rhythm_never_makes_an_edition_twice() -> None:
    series = a_series()
    at = due(series, timedelta(hours=3))
    series_due()
    organiser = caller(odo())
    address = f"/api/v1/series/{series.public_id}"
    assert datetime.fromisoformat(ok(organiser.get(address))["next_at"]) == at, "open for entry"
    sooner = at - timedelta(minutes=30)
    moved = ok(organiser.patch(address, {"open_hours": 20, "start_time": f"{sooner:%H:%M}"}))
    planned = datetime.fromisoformat(moved["ahead"][1]["starts_at"])
    assert planned == sooner + timedelta(days=1), "none before the last made"
    ok(organiser.post(f"{address}/pause", {}))
    resumed = ok(organiser.post(f"{address}/resume", {}))
    assert resumed["ahead"] == moved["ahead"]


def test_subscribing_is_the_owners_right_and_leaving_the_organisers_too() -> None:
    series = a_series()
    (bot,) = subscribed(series, aya())
    address = f"/api/v1/series/{series.public_id}/subscriptions"
    taken = ok(caller(aya()).post(address, {"bot": bot.public_id}), 409)
    assert taken["code"] == "already_subscribed"
    assert ok(caller(ben()).post(address, {"bot": bot.public_id}), 403)["code"] == "not_owner"
    other = a_version(a_bot(aya(), game="kakkuri")).bot
    assert ok(caller(aya()).post(address, {"bot": other.public_id}), 400)["code"] == "wrong_game"
    partner = {"bot": a_bot(aya()).public_id, "partner_bot": a_bot(aya()).public_id}
    assert ok(caller(aya()).post(address, partner), 201)["partner_bot"]["id"] == partner["partner_bot"]
    Bot.objects.filter(public_id=partner["partner_bot"]).update(visibility=Bot.Visibility.PRIVATE)
    for reader, sees in ((None, False), (ben(), False), (aya(), True), (odo(), True), (sota(), True)):
        told = ok(caller(reader).get(address))["results"][1]["partner_bot"]
        assert (told is not None) is sees, reader
    foreign = {"bot": a_bot(aya()).public_id, "partner_bot": a_bot(ben()).public_id}
    assert ok(caller(aya()).post(address, foreign), 403)["code"] == "not_owner"
    listed = ok(caller().get(address))["results"]
    assert [subscription["bot"]["id"] for subscription in listed] == [bot.public_id, partner["bot"]]
    assert ok(caller(ben()).delete(f"{address}/{bot.public_id}"), 403)["code"] == "not_owner"
    ok(caller(odo()).delete(f"{address}/{bot.public_id}"), 204)
    ok(caller(aya()).delete(f"{address}/{partner['bot']}"), 204)
    assert ok(caller(aya()).delete(f"{address}/{bot.public_id}"), 404)["code"] == "subscription_not_found"


def test_a_pair_of_ones_own_is_entered_as_a_pair() -> None:
    series = a_series()
    first, second = (a_version(a_bot(aya())).bot for _ in range(2))
    body = {"bot": first.public_id, "partner_bot": second.public_id}
    ok(caller(aya()).post(f"/api/v1/series/{series.public_id}/subscriptions", body), 201)
    due(series)
    series_due()
    entry = Entry.objects.get()
    assert (entry.version.bot, entry.partner_version.bot, entry.status) == (first, second, "entered")


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ({"preset": "kakkuri"}, "unsubscribed_game"),
        ({"preset": "kakeya4", "stages": [{"format": "movement"}]}, "unsubscribed_partners"),
    ],
)
def test_nobody_stays_in_a_cup_that_their_bot_cannot_play_or_they_did_not_agree_to(
    template: dict[str, Any], code: str
) -> None:
    series = a_series()
    (bot,) = subscribed(series, aya())
    ok(caller(odo()).patch(f"/api/v1/series/{series.public_id}", {"template": template}))
    assert not series.subscriptions.exists()
    (notice,) = aya().notices.filter(kind="series")
    assert (notice.note["code"], notice.note["bot"]) == (code, bot.name)
    assert AuditEvent.objects.filter(action="unsubscribe", actor=odo()).count() == 1
    due(series)
    edition = edition_create(series)
    assert edition is not None
    assert not edition.entries.exists()


def test_who_subscribes_agrees_to_the_cup_as_it_is_and_not_as_it_was() -> None:
    series = a_series()
    movement = {"preset": "kakeya4", "stages": [{"format": "movement"}]}
    ok(caller(odo()).patch(f"/api/v1/series/{series.public_id}", {"template": movement}))
    with pytest.raises(Invalid) as refused:
        subscription_add(series, a_version(a_bot(aya())).bot, aya())
    assert refused.value.code == "partners_not_accepted"


def test_who_agreed_to_partners_stays_in_a_cup_that_changes_and_so_does_everybody_else() -> None:
    movement = {"preset": "kakeya4", "stages": [{"format": "movement"}]}
    for before, after in (
        (movement, {**movement, "boards_per_round": 3}),
        (movement, TEMPLATE),
        (TEMPLATE,) * 2,
    ):
        series = a_series(template=before)
        bot = a_version(a_bot(aya())).bot
        where = f"/api/v1/series/{series.public_id}"
        ok(
            caller(aya()).post(f"{where}/subscriptions", {"bot": bot.public_id, "accepts_partners": True}),
            201,
        )
        ok(caller(odo()).patch(where, {"template": after}))
        assert series.subscriptions.count() == 1
    assert not aya().notices.filter(kind="series").exists()


def test_a_private_series_is_its_organisers_and_its_entrants() -> None:
    series = a_series(template={**TEMPLATE, "visibility": "private"})
    address = f"/api/v1/series/{series.public_id}"
    seen = {who.__name__: caller(who()).get(address).status_code for who in (aya, odo, rin, sota)}
    assert seen == {"aya": 404, "odo": 200, "rin": 404, "sota": 200}
    assert caller().get(address).status_code == 404
