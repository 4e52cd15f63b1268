"""Which files a pull brings of a tournament or of a bot, and where each of them goes.

Layout, the same whenever and by whomever it is pulled::

    index.json
    EVENT/stage-1/round-003/fixture-0012.boards-0001-0016.rotation-1.ndjson
    EVENT/stage-1/round-003/fixture-0012.boards-0001-0016.rotation-1.seat-2.log
    faults/kita-v3.fault-8d1c3e5f0a7b9c24.json
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from bots.kit.client import Client
from bots.kit.client.shapes import Entry, Fixture, Seat, TableBrief, Tournament, Version
from bots.kit.client.tournaments import OVER_STATES
from bots.kit.display.formatting import count_text
from bots.kit.server.progress import FINISHED
from engine.printable import file_name_part


class PullItem(NamedTuple):
    """One file that the server gives."""

    path: str
    """Below the folder, with ``/``."""
    kind: str
    """``record``, ``log`` or ``fault``."""
    about: dict[str, str | int]
    """Where it comes from."""
    fetch: Callable[[str], tuple[bytes, str] | None]
    """Its bytes and ETag; None if it still is the file of the ETag it is given."""
    is_settled: bool
    """Whether it will never change again: what we have of it need not be asked for."""


class PullScope(NamedTuple):
    """Whose files are wanted."""

    tournament: str | None
    versions: Sequence[Version] | None
    """None: those of every entry, with the logs of one's own."""


Seats = Mapping[str, Sequence[Seat]]
"""One's own seats by table."""


def pull_items(client: Client, wanted: PullScope, note: Callable[[str], None]) -> Iterator[PullItem]:
    """Every file there is, in an order that stays the same."""
    handle = client.me()["handle"] if client.has_token else None
    if wanted.versions is None:
        assert wanted.tournament is not None
        event = client.tournament(wanted.tournament)
        fixtures = list(client.fixtures(event["id"]))
        version_ids = _own_versions(client.entries(event["id"]), handle) if handle else []
        own = [client.version(version_id) for version_id in version_ids]
        events = {event["id"]: event}
    else:
        by_id = {
            fixture["id"]: fixture
            for version in wanted.versions
            for fixture in client.all_fixtures(version=version["id"], tournament=wanted.tournament)
        }
        fixtures = list(by_id.values())
        event_ids = sorted({fixture["tournament"] for fixture in fixtures})
        events = {event_id: client.tournament(event_id) for event_id in event_ids}
        own = list(wanted.versions) if wanted.versions[0]["owner"] == handle else []
    seats = _own_seats(client, own, wanted.tournament)
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
    yield from _fault_items(client, own, wanted.tournament)


def _own_versions(entries: Iterable[Entry], handle: str) -> list[str]:
    """Ids of the versions of a player among entries; a partner's are the partner's."""
    own = set()
    for entry in entries:
        partner_version = entry["partner_version"]
        if entry["player"] == handle:
            own.add(entry["version"]["id"])
        if partner_version is not None and handle == (entry["partner"] or entry["player"]):
            own.add(partner_version["id"])
    return sorted(own)


def _own_seats(client: Client, own: Sequence[Version], tournament: str | None) -> Seats:
    """Where one's own versions sat at tables that are finished."""
    seats: dict[str, list[Seat]] = {}
    for version in own:
        for table in client.tables(version=version["id"], tournament=tournament, state=[FINISHED]):
            found = (seat for seat in table["seats"] if seat["version"] == version["id"])
            seats.setdefault(table["id"], []).extend(found)
    return seats


def _table_items(
    client: Client, event: Tournament, fixture: Fixture, table: TableBrief, seats: Seats
) -> Iterator[PullItem]:
    """The record of a table, and the logs of one's own seats there."""
    first, last = table["first_board"], table["first_board"] + table["board_count"] - 1
    stem = (
        f"{event['id']}/stage-{fixture['stage']}/round-{fixture['round']:03}/fixture-{fixture['number']:04}"
        f".boards-{first:04}-{last:04}.rotation-{table['rotation'] + 1}"
    )
    about: dict[str, str | int] = {
        "tournament": event["id"],
        "stage": fixture["stage"],
        "round": fixture["round"],
        "fixture": fixture["id"],
        "table": table["id"],
    }
    is_settled = event["state"] in OVER_STATES
    table_id = table["id"]
    yield PullItem(f"{stem}.ndjson", "record", about, partial(client.record_if_changed, table_id), is_settled)
    for seat in seats.get(table_id, ()):
        yield PullItem(
            f"{stem}.seat-{seat['seat']}.log",
            "log",
            {**about, "seat": seat["seat"], "version": seat["version"]},
            partial(client.log_if_changed, table_id, seat["seat"]),
            is_settled,
        )


def _fault_items(client: Client, versions: Collection[Version], event_id: str | None) -> Iterator[PullItem]:
    """Fault files of one's own versions; of one tournament alone if one is named."""
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
