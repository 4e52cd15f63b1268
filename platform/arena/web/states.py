"""What a tournament's state means to a reader, and what the tournament waits for."""

from __future__ import annotations

import dataclasses
import datetime

from arena.competition.models import Tournament
from arena.jobs.flow import AUDIT_DAYS, PAUSE_DAYS

State = Tournament.State

LIVE = (State.RUNNING, State.PROVISIONAL, State.PAUSED)
"""In the order they are listed."""
UPCOMING = (State.DRAFT, State.REGISTRATION, State.LOCKED)

NAMES = {
    State.DRAFT: "draft",
    State.REGISTRATION: "registration open",
    State.LOCKED: "field locked",
    State.RUNNING: "running",
    State.PAUSED: "paused",
    State.PROVISIONAL: "provisional",
    State.FINAL: "final",
    State.ARCHIVED: "archived",
    State.CANCELLED: "cancelled",
}

FIXED = "The field is fixed, and with it every deal."


@dataclasses.dataclass(frozen=True)
class Wait:
    """What happens next, in a sentence, and by when if that is known."""

    text: str
    until: datetime.datetime | None = None


@dataclasses.dataclass(frozen=True)
class Tables:
    """How the tables of the open rounds stand, by state."""

    waiting: int = 0
    """Save those below."""
    unserved: int = 0
    """Waiting for a worker that can run their bots."""
    lacks: str = ""
    """What no living worker can run, in words."""
    playing: int = 0
    finished: int = 0
    quarantined: int = 0
    void: int = 0
    workers: int = 0
    """Workers that gave a sign of life lately."""


def plural(count: int, word: str) -> str:
    """The count with its noun.

    >>> plural(1, "table"), plural(2, "entry")
    ('1 table', '2 entries')
    """
    if count == 1:
        return f"1 {word}"
    return f"{count} {word[:-1]}ies" if word.endswith("ry") else f"{count} {word}s"


def waiting_for(tournament: Tournament, entries: int, tables: Tables) -> Wait:
    """The sentence under the title. ``tables`` counts for running and paused ones."""
    match tournament.state:
        case State.DRAFT:
            return Wait("Seen by its organiser and staff alone, until registration is opened.")
        case State.REGISTRATION:
            return _registration(tournament, entries)
        case State.LOCKED if tournament.starts_at:
            return Wait(f"{FIXED} The first round opens at", tournament.starts_at)
        case State.LOCKED:
            return Wait(f"{FIXED} Waits for the organiser to start it.")
        case State.RUNNING:
            return _running(tables)
        case State.PAUSED:
            going_on = f" {plural(tables.playing, 'table')} still being played." if tables.playing else ""
            limit = tournament.state_at + datetime.timedelta(days=PAUSE_DAYS)
            return Wait(f"No further table starts.{going_on} Cancelled unless resumed by", limit)
        case State.PROVISIONAL if tournament.state_reason:
            limit = tournament.state_at + datetime.timedelta(days=AUDIT_DAYS)
            return Wait("Played, but the audit does not pass yet. Cancelled unless it does by", limit)
        case State.PROVISIONAL:
            return Wait("Played. Every figure is being derived again from the records before it counts.")
        case State.FINAL | State.ARCHIVED:
            return Wait("Played and audited, for anybody to check again. Ended", tournament.state_at)
        case _:
            return Wait("Does not count. Its boards are unsealed. Cancelled", tournament.state_at)


def _registration(tournament: Tournament, entries: int) -> Wait:
    missing = tournament.min_entries - entries
    need = f" {plural(missing, 'more entry')} needed." if missing > 0 else ""
    free = tournament.max_entries - entries
    places = f"{plural(free, 'place')} left." if free > 0 else "All places are taken."
    if tournament.closes_at:
        return Wait(f"{places}{need} Entry closes at", tournament.closes_at)
    return Wait(f"{places}{need} Entry closes when the organiser locks the field.")


def _running(tables: Tables) -> Wait:
    parts = []
    if tables.playing:
        parts.append(f"{plural(tables.playing, 'table')} being played")
    if tables.waiting:
        is_stuck = not (tables.playing or tables.workers)
        why = ", but no worker has reported recently" if is_stuck else ""
        parts.append(f"{plural(tables.waiting, 'table')} waiting{why}")
    if tables.unserved:
        parts.append(
            f"{plural(tables.unserved, 'table')} waiting for a worker that can run the bots ({tables.lacks})"
        )
    if tables.quarantined:
        parts.append(f"{plural(tables.quarantined, 'table')} held back after faults of the platform")
    if not parts:
        return Wait("Between two rounds.")
    return Wait(f"{'; '.join(parts)}.")
