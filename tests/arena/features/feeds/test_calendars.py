"""Calendars: valid iCalendar with stable UIDs; the personal one needs its secret and nothing else."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from icalendar import Calendar

from arena.common.process_cache import process_cache
from arena.competition.models import Series, Tournament
from arena.competition.series.editions import edition_create
from arena.competition.series.services import series_create
from arena.features.feeds.feature import FEEDS
from arena.features.feeds.models import CalendarLink
from arena.features.feeds.services import calendar_link_create
from tests.factories import a_tournament, aya, chie, odo

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    process_cache.clear()


@pytest.fixture
def cup(db: None) -> Series:
    return series_create(
        odo(),
        name="Friday cup, with; comma and a very long name that has to be folded 凧凧凧凧凧凧凧凧",
        template={"preset": "kakeya4", "boards_per_round": 4, "entry_policy": "open"},
        frequency="weekly",
        weekday=4,
        start_time=datetime.time(19, 30),
    )


def events(address: str, client: Client | None = None) -> dict[str, Any]:
    """The events by UID, of a valid calendar."""
    answer = (client or Client()).get(address)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    lines = answer.content.split(b"\r\n")
    assert all(len(line) <= 75 for line in lines)
    calendar = Calendar.from_ical(answer.content)
    assert calendar["prodid"]
    assert str(calendar["version"]) == "2.0"
    found = {str(event["uid"]): event for event in calendar.walk("VEVENT")}
    assert not any(event.errors for event in found.values())
    return found


def test_planned_editions_keep_their_uid_when_they_are_created(cup: Series) -> None:
    address = f"/cups/{cup.public_id}/calendar.ics"
    planned = events(address)
    first = f"cup-{cup.public_id}-1@rensho"
    assert first in planned
    assert str(planned[first]["status"]) == "TENTATIVE"
    assert planned[first]["dtstart"].dt == cup.next_at
    assert str(planned[first]["summary"]) == cup.name
    Series.objects.filter(pk=cup.pk).update(next_at=timezone.now() + datetime.timedelta(hours=1))
    edition_create(Series.objects.get(pk=cup.pk))
    process_cache.clear()
    created = events(address)
    assert str(created[first]["status"]) == "CONFIRMED"
    assert "/tournaments/" in str(created[first]["url"])
    assert set(planned) < set(created)


def test_the_calendar_of_a_cup_that_has_ended_has_its_editions(cup: Series) -> None:
    Series.objects.filter(pk=cup.pk).update(next_at=timezone.now() + datetime.timedelta(hours=1))
    edition_create(Series.objects.get(pk=cup.pk))
    Series.objects.filter(pk=cup.pk).update(state="ended", next_at=None)
    Tournament.objects.filter(series=cup).update(state="cancelled")
    (event,) = events(f"/cups/{cup.public_id}/calendar.ics").values()
    assert str(event["status"]) == "CANCELLED"


def test_the_calendar_of_the_site_has_public_events_with_their_deadlines(cup: Series) -> None:
    now = timezone.now()
    shown, hidden, old = (a_tournament() for _ in range(3))
    dates = {"closes_at": now + datetime.timedelta(days=1), "starts_at": now + datetime.timedelta(days=2)}
    Tournament.objects.filter(pk__in=[shown.pk, hidden.pk]).update(state="open", **dates)
    Tournament.objects.filter(pk=hidden.pk).update(visibility="private")
    past = now - datetime.timedelta(days=400)
    Tournament.objects.filter(pk=old.pk).update(state="final", closes_at=past, starts_at=past)
    found = events("/calendar.ics")
    own = {f"event-{shown.public_id}@rensho", f"entry-{shown.public_id}@rensho"}
    assert own < set(found)
    assert not any(each.public_id in uid for uid in found for each in (hidden, old))
    assert any(uid.startswith(f"cup-{cup.public_id}-") for uid in found)


def test_queries_do_not_grow_with_the_number_of_editions(cup: Series) -> None:
    user = aya()
    address = f"/calendars/{calendar_link_create(user)}.ics"
    addresses = ("/calendar.ics", f"/cups/{cup.public_id}/calendar.ics", address)
    starts_at = timezone.now() + datetime.timedelta(days=1)

    def queries() -> list[int]:
        counts = []
        for each in addresses:
            process_cache.clear()
            with CaptureQueriesContext(connection) as seen:
                assert Client().get(each).content.count(b"BEGIN:VEVENT") >= number
            counts.append(len(seen))
        return counts

    found = []
    for number in range(1, 4):
        row = a_tournament()
        changes = {"series": cup, "edition": number, "starts_at": starts_at, "organiser": user}
        Tournament.objects.filter(pk=row.pk).update(state="open", **changes)
        found.append(queries())
    assert found[0] == found[1] == found[2]


def test_a_private_cup_has_no_calendar_and_no_feed(cup: Series) -> None:
    Series.objects.filter(pk=cup.pk).update(template={**cup.template, "visibility": "private"})
    client = Client()
    client.force_login(odo())
    for name in ("calendar.ics", "feed.atom"):
        assert client.get(f"/cups/{cup.public_id}/{name}").status_code == 404


def test_the_secret_address_is_shown_once_and_ends_with_the_next(cup: Series) -> None:
    client = Client()
    client.force_login(odo())
    page = client.post("/me/calendar").content.decode()
    address = page.partition("http://testserver/calendars/")[2].partition("<")[0]
    assert any(uid.startswith(f"cup-{cup.public_id}") for uid in events(f"/calendars/{address}"))
    assert address not in client.get("/me/calendar").content.decode()
    assert address.removesuffix(".ics") not in str(CalendarLink.objects.values())
    other = calendar_link_create(odo())
    assert Client().get(f"/calendars/{address}").status_code == 404
    assert Client().get(f"/calendars/{other}.ics").status_code == 200
    client.post("/me/calendar", {"do": "revoke"})
    assert Client().get(f"/calendars/{other}.ics").status_code == 404


def test_a_personal_calendar_has_private_events_of_its_account_only() -> None:
    now = timezone.now()
    event = a_tournament()
    Tournament.objects.filter(pk=event.pk).update(
        state="open", visibility="private", starts_at=now, closes_at=now
    )
    owner, stranger = calendar_link_create(event.organiser), calendar_link_create(chie())
    assert list(events(f"/calendars/{owner}.ics")) == [f"event-{event.public_id}@rensho"]
    assert events(f"/calendars/{stranger}.ics") == {}
    answer = Client().get(f"/calendars/{owner}.ics")
    assert "private" in answer["Cache-Control"]
    assert "noindex" in answer["X-Robots-Tag"]


def test_a_closed_account_has_no_calendar_and_its_data_name_the_link() -> None:
    secret = calendar_link_create(aya())
    own = FEEDS.own_data
    assert own is not None
    assert own(aya())["calendar_link"]["created_at"]
    user = aya()
    user.is_active = False
    user.save()
    assert Client().get(f"/calendars/{secret}.ics").status_code == 404


def test_a_subscriber_with_the_current_calendar_gets_304(cup: Series) -> None:
    for address in (f"/cups/{cup.public_id}/calendar.ics", f"/calendars/{calendar_link_create(odo())}.ics"):
        first = Client().get(address)
        again = Client().get(address, headers={"If-None-Match": first["ETag"]})
        assert again.status_code == 304
