"""Progress of a tournament: states and counts, without results."""

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
    """Reason for which tables wait, other than their turn: ``runtime_unavailable: ...``."""


class TournamentProgress(NamedTuple):
    event: Tournament
    rounds: tuple[RoundProgress, ...]

    @property
    def visible_state(self) -> tuple[object, ...]:
        """The values whose change is printed."""
        event = self.event
        review = event["review_until"]
        return event["state"], event["state_reason"], review, event["entries"], self.rounds


def follow_progress(
    client: Client,
    event_id: str,
    note: Callable[[str], None],
    *,
    outage_timeout_s: float = OUTAGE_TIMEOUT_S,
    reconnect_s: float | None = None,
    poll_s: float = POLL_S,
) -> Iterator[TournamentProgress]:
    """Yield the progress of a tournament now and after every change, until its end.

    A server that does not answer is polled for ``outage_timeout_s``, then ``ServerUnavailable`` is raised.
    Raise ``Refused`` if the tournament is not visible to the account.
    """
    glance = _fetch_progress(client, event_id, ())
    yield glance
    if glance.event["state"] in OVER_STATES:
        return
    for _ in client.changes(
        event_id, note, outage_timeout_s=outage_timeout_s, reconnect_s=reconnect_s, poll_s=poll_s
    ):
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
    earlier, glance = glance, _fetch_final_progress(client, event_id, glance, outage_timeout_s, poll_s)
    if glance.visible_state != earlier.visible_state:
        yield glance


def _fetch_final_progress(
    client: Client, event_id: str, earlier: TournamentProgress, outage_timeout_s: float, poll_s: float
) -> TournamentProgress:
    until = time.monotonic() + outage_timeout_s
    while True:
        try:
            return _fetch_progress(client, event_id, earlier.rounds)
        except ServerUnavailable:
            if time.monotonic() > until:
                raise
            client.sleep(poll_s)


def _fetch_progress(client: Client, event_id: str, known: Iterable[RoundProgress]) -> TournamentProgress:
    """Fetch the progress; closed rounds are taken from ``known``."""
    event = client.tournament(event_id)
    earlier = {(progress.stage, progress.round): progress for progress in known}
    rounds = [(row["stage"], row["number"], row["state"]) for row in client.rounds(event_id)]
    progresses = []
    has_reason = False
    for stage, number, state in rounds:
        before = earlier.get((stage, number))
        # The last one is always looked at: a table of it may be played again.
        is_over = before is not None and before.tables_done + before.void == before.tables
        if before is not None and is_over and state == CLOSED and (stage, number, state) != rounds[-1]:
            progresses.append(before)
            continue
        fixtures = list(client.fixtures(event_id, stage=stage, round=number))
        for progress in round_progress(fixtures):
            reason = "" if has_reason else _waiting_reason(client, progress, fixtures)
            has_reason = has_reason or bool(reason)
            progresses.append(progress._replace(waiting_for=reason))
    return TournamentProgress(event, tuple(progresses))


def _waiting_reason(client: Client, progress: RoundProgress, fixtures: Iterable[Fixture]) -> str:
    """Return the reason for which tables of a round wait; empty if they wait for their turn."""
    if progress.playing:
        return ""
    for fixture in fixtures:
        for table in fixture["tables"]:
            if table["state"] == WAITING:
                return client.table(table["id"])["reason"] or ""
    return ""


def round_progress(fixtures: Iterable[Fixture]) -> tuple[RoundProgress, ...]:
    rounds: dict[tuple[int, int], list[TableBrief]] = {}
    for fixture in fixtures:
        rounds.setdefault((fixture["stage"], fixture["round"]), []).extend(fixture["tables"])
    progresses = []
    for (stage, number), tables in sorted(rounds.items()):
        states: list[str] = [table["state"] for table in tables]
        progresses.append(
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
    return tuple(progresses)
