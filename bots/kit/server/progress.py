"""How far a tournament is, now and after every change: states and counts, never a result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from bots.kit.client import Client, ServerUnavailable
from bots.kit.client.follow import OUTAGE_TIMEOUT_S, POLL_S
from bots.kit.client.shapes import Fixture, TableBrief, Tournament
from bots.kit.client.tournaments import OVER_STATES

FINISHED = "finished"
PLAYING = "leased"
STUCK = "quarantined"
WAITING = "waiting"
VOID = "void"
CLOSED = "closed"


class RoundProgress(NamedTuple):
    """How far one round is."""

    stage: int
    round: int
    tables: int
    tables_done: int
    playing: int
    stuck: int
    boards: int
    boards_done: int
    void: int = 0
    waiting_for: str = ""
    """What its waiting tables wait for, if not for their turn: ``runtime_unavailable: ...``."""


class TournamentProgress(NamedTuple):
    """A tournament at one moment."""

    event: Tournament
    rounds: tuple[RoundProgress, ...]

    @property
    def visible_state(self) -> tuple[object, ...]:
        """What of it is worth a new line."""
        event = self.event
        review = event["review_until"]
        return event["state"], event["state_reason"], review, event["entries"], self.rounds


def follow_progress(
    client: Client,
    event_id: str,
    note: Callable[[str], None],
    *,
    patience_s: float = OUTAGE_TIMEOUT_S,
    reconnect_s: float | None = None,
    poll_s: float = POLL_S,
) -> Iterator[TournamentProgress]:
    """The tournament now and after every change; the last glance is of its end.

    A server that goes away for a while is asked again.

    Raises:
        Refused: there is no such tournament, or none for this caller.
        ServerUnavailable: the server has been away for ``patience_s``.
    """
    glance = _fetch_progress(client, event_id, ())
    yield glance
    if glance.event["state"] in OVER_STATES:
        return
    for _ in client.changes(event_id, note, patience_s=patience_s, reconnect_s=reconnect_s, poll_s=poll_s):
        earlier = glance
        try:
            glance = _fetch_progress(client, event_id, earlier.rounds)
        except ServerUnavailable:
            continue  # if it stays away, the stream says so
        if glance.visible_state != earlier.visible_state:
            yield glance
        if glance.event["state"] in OVER_STATES:
            return
    # There will be no more changes: the last may have come while the stream was broken.
    earlier, glance = glance, _fetch_final_progress(client, event_id, glance, patience_s, poll_s)
    if glance.visible_state != earlier.visible_state:
        yield glance


def _fetch_final_progress(
    client: Client, event_id: str, seen: TournamentProgress, patience_s: float, poll_s: float
) -> TournamentProgress:
    until = time.monotonic() + patience_s
    while True:
        try:
            return _fetch_progress(client, event_id, seen.rounds)
        except ServerUnavailable:
            if time.monotonic() > until:
                raise
            client.sleep(poll_s)


def _fetch_progress(client: Client, event_id: str, known: Iterable[RoundProgress]) -> TournamentProgress:
    """The tournament now; of rounds that are over nothing is asked again."""
    event = client.tournament(event_id)
    earlier = {(progress.stage, progress.round): progress for progress in known}
    rounds = [(row["stage"], row["number"], row["state"]) for row in client.rounds(event_id)]
    found = []
    has_reason = False
    for stage, number, state in rounds:
        before = earlier.get((stage, number))
        # The last one is always looked at: a table of it may be played again.
        is_over = before is not None and before.tables_done + before.void == before.tables
        if before is not None and is_over and state == CLOSED and (stage, number, state) != rounds[-1]:
            found.append(before)
            continue
        fixtures = list(client.fixtures(event_id, stage=stage, round=number))
        for progress in round_progress(fixtures):
            reason = "" if has_reason else _waiting_reason(client, progress, fixtures)
            has_reason = has_reason or bool(reason)
            found.append(progress._replace(waiting_for=reason))
    return TournamentProgress(event, tuple(found))


def _waiting_reason(client: Client, progress: RoundProgress, fixtures: Iterable[Fixture]) -> str:
    """What the waiting tables of a round wait for where none is being played; empty if for their turn."""
    if progress.playing:
        return ""
    for fixture in fixtures:
        for table in fixture["tables"]:
            if table["state"] == WAITING:
                return client.table(table["id"])["reason"] or ""
    return ""


def round_progress(fixtures: Iterable[Fixture]) -> tuple[RoundProgress, ...]:
    """How far each round is, in the order they are played."""
    rounds: dict[tuple[int, int], list[TableBrief]] = {}
    for fixture in fixtures:
        rounds.setdefault((fixture["stage"], fixture["round"]), []).extend(fixture["tables"])
    found = []
    for (stage, number), tables in sorted(rounds.items()):
        states: list[str] = [table["state"] for table in tables]
        found.append(
            RoundProgress(
                stage,
                number,
                len(tables),
                states.count(FINISHED),
                states.count(PLAYING),
                states.count(STUCK),
                sum(table["board_count"] for table in tables),
                sum(table["boards_done"] for table in tables),
                states.count(VOID),
            )
        )
    return tuple(found)
