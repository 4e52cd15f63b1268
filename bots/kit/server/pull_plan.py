"""Files of a pull and their paths.

The layout does not depend on time or account::

    index.json
    EVENT/stage-1/round-003/fixture-0012.boards-0001-0016.rotation-1.ndjson
    EVENT/stage-1/round-003/fixture-0012.boards-0001-0016.rotation-1.seat-2.log
    faults/kita-v3.fault-8d1c3e5f0a7b9c24.json
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from bots.kit.client import Client
from bots.kit.client.shapes import Entry, Fixture, Seat, TableBrief, Tournament, Version
from bots.kit.client.tournaments import OVER_STATES
from bots.kit.display.formatting import count_text
from bots.kit.server.progress import FINISHED
from engine.printable import file_name_part


class PullItem(NamedTuple):
    """One file on the server."""

    path: str
    """Relative path with ``/``."""
    kind: str
    """``record``, ``log`` or ``fault``."""
    about: dict[str, Any]
    """Origin of the file."""
    fetch: Callable[[str], tuple[bytes, str] | None]
    """Function that returns content and ETag, or None if the file still has the given ETag."""
    is_settled: bool
    """True if the file will not change again. A stored copy is then not revalidated."""


class PullScope(NamedTuple):
    tournament: str | None
    versions: Sequence[Version] | None


Seats = Mapping[str, Sequence[Seat]]
"""Seats of the account's own versions, by table."""


def pull_items(client: Client, scope: PullScope, note: Callable[[str], None]) -> Iterator[PullItem]:
    """Yield all files in a stable order."""
    handle = client.me()["handle"] if client.has_token else None
    if scope.versions is None:
        assert scope.tournament is not None
        event = client.tournament(scope.tournament)
        fixtures = list(client.fixtures(event["id"]))
        version_ids = _own_versions(client.entries(event["id"]), handle) if handle else []
        own = [client.version(version_id) for version_id in version_ids]
        events = {event["id"]: event}
    else:
        by_id = {
            fixture["id"]: fixture
            for version in scope.versions
            for fixture in client.all_fixtures(version=version["id"], tournament=scope.tournament)
        }
        fixtures = list(by_id.values())
        event_ids = sorted({fixture["tournament"] for fixture in fixtures})
        events = {event_id: client.tournament(event_id) for event_id in event_ids}
        own = list(scope.versions) if scope.versions[0]["owner"] == handle else []
    seats = _own_seats(client, own, scope.tournament)
    sealed = 0
    fixtures.sort(key=itemgetter("tournament", "stage", "round", "number"))
    for fixture in fixtures:
        if fixture["is_sealed"]:
            sealed += 1
            continue
        for table in fixture["tables"]:
            if table["state"] == FINISHED:
                yield from _table_items(client, events[fixture["tournament"]], fixture, table, seats)
    if sealed:
        fixtures_are = count_text(sealed, "fixture is", "fixtures are")
        note(f"{fixtures_are} sealed until the round is closed: pull again then")
    yield from _fault_items(client, own, scope.tournament)


def _own_versions(entries: Iterable[Entry], handle: str) -> list[str]:
    """Return the ids of a player's versions among entries. A partner's version belongs to the partner."""
    own = set()
    for entry in entries:
        partner_version = entry["partner_version"]
        if entry["player"] == handle:
            own.add(entry["version"]["id"])
        if partner_version is not None and handle == (entry["partner"] or entry["player"]):
            own.add(partner_version["id"])
    return sorted(own)


def _own_seats(client: Client, own: Sequence[Version], tournament: str | None) -> Seats:
    """Return the seats of own versions at finished tables."""
    seats: dict[str, list[Seat]] = {}
    for version in own:
        for table in client.tables(version=version["id"], tournament=tournament, state=[FINISHED]):
            own_seats = (seat for seat in table["seats"] if seat["version"] == version["id"])
            seats.setdefault(table["id"], []).extend(own_seats)
    return seats


def _table_items(
    client: Client, event: Tournament, fixture: Fixture, table: TableBrief, seats: Seats
) -> Iterator[PullItem]:
    """Yield the record of a table and the logs of own seats."""
    first, last = table["first_board"], table["first_board"] + table["board_count"] - 1
    stem = (
        f"{event['id']}/stage-{fixture['stage']}/round-{fixture['round']:03}/fixture-{fixture['number']:04}"
        f".boards-{first:04}-{last:04}.rotation-{table['rotation'] + 1}"
    )
    about = {
        "tournament": event["id"],
        "stage": fixture["stage"],
        "round": fixture["round"],
        "fixture": fixture["id"],
        "table": table["id"],
    }
    bots = {
        version["bundle_sha256"]: f"{version['bot']} v{version['number']}"
        for side in fixture["sides"]
        for version in side["versions"]
    }
    is_settled = event["state"] in OVER_STATES
    table_id = table["id"]
    yield PullItem(
        f"{stem}.ndjson",
        "record",
        {**about, "bots": bots},
        partial(client.record_if_changed, table_id),
        is_settled,
    )
    for seat in seats.get(table_id, ()):
        yield PullItem(
            f"{stem}.seat-{seat['seat']}.log",
            "log",
            {**about, "seat": seat["seat"], "version": seat["version"]},
            partial(client.log_if_changed, table_id, seat["seat"]),
            is_settled,
        )


def _fault_items(client: Client, versions: Collection[Version], event_id: str | None) -> Iterator[PullItem]:
    for version in versions:
        bot = file_name_part(version["bot_name"], "bot")
        for group in client.faults(version["id"]):
            if event_id is not None and group.get("tournament") != event_id:
                continue
            fingerprint = group["fingerprint"]
            yield PullItem(
                f"faults/{bot}-v{version['number']}.fault-{file_name_part(fingerprint, '')}.json",
                "fault",
                {
                    "version": version["id"],
                    "fingerprint": fingerprint,
                    "count": group["count"],
                    "last_seen_at": group["last_seen_at"],
                },
                partial(client.fault_file_if_changed, version["id"], fingerprint),
                True,
            )
