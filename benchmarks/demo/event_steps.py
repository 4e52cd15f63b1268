"""Steps of an event over HTTP: upload, check, create, open, enter, lock, start, watch."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.demo.client import DemoClient
from bots.kit.client.errors import ServerUnavailable
from bots.kit.errors import KitError

POLL_S = 0.25
CHECK_S = 300.0
STALL_S = 180.0
"""Maximum seconds without progress of a tournament."""
OVER = ("final", "archived", "cancelled")


class EventStalled(Exception):
    """The event cannot continue; the message says where and why."""


@dataclasses.dataclass(frozen=True)
class Entrant:
    client: DemoClient
    bot: str
    game: str
    archive: bytes


def upload(entrant: Entrant) -> dict[str, Any]:
    """Upload the archive as a new version of the entrant's bot, creating the bot if necessary."""
    client = entrant.client
    handle = client.get("me")["handle"]
    known = client.all("bots", owner=handle) if handle else []
    bot = next((bot for bot in known if bot["name"] == entrant.bot), None)
    if bot is None:
        bot = client.post("bots", {"name": entrant.bot, "game": entrant.game})
    path, name = f"bots/{bot['id']}/versions", f"{entrant.bot}.zip"
    return client.upload(dict[str, Any], path, "bundle", name, entrant.archive)


def checks_watch(
    pending: Sequence[tuple[DemoClient, str]], look_after: Callable[[], None] = lambda: None
) -> Iterator[dict[str, Any]]:
    """Yield each version once its check is over. ``pending`` are owners and ids.

    Raises:
        EventStalled: a version was rejected, or its check failed permanently or takes longer than
        ``CHECK_S``.
    """
    waiting = dict.fromkeys(pending)
    deadline = time.monotonic() + CHECK_S
    while waiting:
        for client, version_id in list(waiting):
            version = client.get(f"versions/{version_id}")
            if version["state"] in ("uploaded", "checking"):
                check = client.get(f"versions/{version_id}/check")
                if check["state"] == "failed":
                    tried = (
                        f"the check of {version['bot_name']} failed {check['attempt']} times by our own fault"
                    )
                    raise EventStalled(f"{tried}: {check['reason']}; see logs/tables.log")
                continue
            if version["state"] != "ready":
                reasons = "; ".join(reason["message"] for reason in version["reasons"] or [])
                raise EventStalled(f"{version['bot_name']} is {version['state']}: {reasons}")
            del waiting[client, version_id]
            yield version
        look_after()
        if time.monotonic() > deadline:
            raise EventStalled(
                f"{len(waiting)} checks did not end within {CHECK_S:.0f} s; see logs/tables.log"
            )
        time.sleep(POLL_S if waiting else 0)


def event_open(organiser: DemoClient, name: str, preset: str, boards: int, **plan: Any) -> dict[str, Any]:
    """Create a tournament of deal boards and open its entry. Return it with its commitment.

    The format fits the preset unless ``plan``, further fields of a tournament, sets another.
    """
    body = {"name": name, "preset": preset, "board_kind": "deal", "boards_per_round": boards, **plan}
    created = organiser.post("tournaments", body)
    opened = organiser.post(f"tournaments/{created['id']}/open")
    assert isinstance(opened, dict)
    return opened


def event_start(
    organiser: DemoClient, event_id: str, versions: Sequence[tuple[DemoClient, str]]
) -> dict[str, Any]:
    """Enter a version of each owner, then lock and start. Return the event as locked."""
    for client, version_id in versions:
        client.post(f"tournaments/{event_id}/entries", {"version": version_id})
    locked = organiser.post(f"tournaments/{event_id}/lock")
    organiser.post(f"tournaments/{event_id}/start")
    assert isinstance(locked, dict)
    return locked


def boards_to_play(event: Mapping[str, Any]) -> int:
    (stage,) = event["stages"]
    sides = len(event["sides"])
    # Every fixture has a table per side; an entry without a fixture has a bye.
    tables = event["entries"] // sides * sides
    return int(stage["rounds"] * tables * event["boards_per_round"])


@dataclasses.dataclass(frozen=True)
class EventSnapshot:
    event: dict[str, Any]
    fixtures: list[dict[str, Any]]

    @property
    def boards_done(self) -> int:
        return sum(table["boards_done"] for fixture in self.fixtures for table in fixture["tables"])


def event_watch(
    viewer: DemoClient, event_id: str, look_after: Callable[[], None] = lambda: None, stall_s: float = STALL_S
) -> Iterator[EventSnapshot]:
    """Yield snapshots of an event until it is over; the last shows its end.

    Requests are retried while the server is briefly unavailable.

    Raises:
        EventStalled: it was cancelled, waits for a person, or made no progress for ``stall_s``.
    """
    mark, deadline = None, time.monotonic() + stall_s
    while True:
        look_after()
        try:
            event = viewer.get(f"tournaments/{event_id}")
            glance = EventSnapshot(event, list(viewer.all(f"tournaments/{event_id}/fixtures")))
        except KitError as error:
            if not isinstance(error, ServerUnavailable) or time.monotonic() > deadline:
                raise EventStalled(str(error)) from error
            time.sleep(POLL_S)
            continue
        yield glance
        if event["state"] in OVER:
            if event["state"] == "cancelled":
                raise EventStalled(f"the tournament was cancelled: {event['state_reason']}")
            return
        if event["state"] == "provisional" and event["state_reason"]:
            raise EventStalled(event["state_reason"])
        tables = [(table["id"], table["state"]) for fixture in glance.fixtures for table in fixture["tables"]]
        stuck = [table for table, state in tables if state == "quarantined"]
        if stuck:
            raise EventStalled(f"table {stuck[0]} is quarantined; see logs/tables.log")
        if mark != (mark := (event["state"], glance.boards_done, tuple(tables))):
            deadline = time.monotonic() + stall_s
        elif time.monotonic() > deadline:
            raise EventStalled(
                f"no progress for {stall_s:.0f} s, state {event['state']}; see logs/tables.log"
            )
        time.sleep(POLL_S)
