"""The actions on a tournament, declared once: states, permissions and described effects."""

from __future__ import annotations

import dataclasses

from django.utils.translation import gettext_lazy

from arena.common.declarations import ActionSpec
from arena.competition.models import Tournament
from arena.competition.reviews import is_in_review
from arena.competition.tournament_fields import EDITABLE

State = Tournament.State
PLAYING_STATES = (State.RUNNING, State.PAUSED)
RULING_STATES = (*PLAYING_STATES, State.PROVISIONAL)

ENTER = "enter"
ARCHIVE = "archive"
"""Not offered for trial runs, which can be deleted."""


@dataclasses.dataclass(frozen=True)
class Counts:
    entered: int
    pending: int
    playing: int
    waiting: int
    held_back: int
    finished: int


def format_count(count: int, word: str) -> str:
    """Return the count with its noun, or ``no`` for 0."""
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"no {word}" if count == 0 else f"{count:,} {word if count == 1 else plural}"


def _open_effects(tournament: Tournament, counts: Counts) -> list[str]:
    until = (
        f"until {tournament.closes_at:%Y-%m-%d %H:%M} UTC"
        if tournament.closes_at
        else "until you lock the field"
    )
    who = "Everyone who can see it" if tournament.entry_policy == "open" else "Players you invited"
    return [
        f"{who} can enter {until}. It takes {tournament.min_entries} to {tournament.max_entries} entries.",
        "The commitment to all deals and a signed statement of the settings are published.",
    ]


def _lock_effects(tournament: Tournament, counts: Counts) -> list[str]:
    entries = format_count(counts.entered, "entry").capitalize()
    says = [f"{entries} will play; {tournament.min_entries} are needed."]
    if counts.pending:
        says.append(f"{format_count(counts.pending, 'pair').capitalize()} without consent will be void.")
    return [
        *says,
        "Entries with versions that are not ready become void. The field and its digest are published.",
    ]


def _start_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return [
        f"The first round opens for {format_count(counts.entered, 'entry')}.",
        "Tables are played as soon as workers are free.",
    ]


def _pause_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return [
        f"Tables that are being played will finish: {counts.playing:,}.",
        f"Waiting tables will not start until you resume: {counts.waiting:,}.",
        "If it stays paused for 30 days, the tournament is cancelled.",
    ]


def _cancel_effects(tournament: Tournament, counts: Counts) -> list[str]:
    open_tables = counts.playing + counts.waiting + counts.held_back
    says = [f"The owners of {format_count(counts.entered, 'entry')} are notified."] if counts.entered else []
    if counts.finished or open_tables:
        void = f"{format_count(open_tables, 'open table').capitalize()} will be void"
        # With a count of 0 the clause would suggest that finished tables are lost.
        finished = (
            f"; {format_count(counts.finished, 'finished table')} can still be read"
            if counts.finished
            else ""
        )
        says.append(f"{void}{finished}.")
    return [*says, "All boards are unsealed, and the secret of the deals is published."]


def _finalise_effects(tournament: Tournament, counts: Counts) -> list[str]:
    tables = format_count(counts.finished, "table")
    says = [
        f"The audit derives every deal again and replays {tables} from the records.",
        "If it finds no discrepancy, the tournament is final and its secret is published. "
        "Without this action, the same happens automatically.",
    ]
    if is_in_review(tournament):
        says.insert(0, f"The review ends now instead of at {tournament.review_until:%Y-%m-%d %H:%M} UTC.")
    return says


def _resume_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return [f"Play picks up where it left off. Waiting tables: {counts.waiting:,}."]


def _retry_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return [
        f"Tables quarantined after platform faults: {counts.held_back:,}.",
        "They return to the queue with all attempts, and so do tables that wait for another attempt.",
    ]


def _close_early_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return [
        "The stages end. The finished rounds are audited, and their standings are the result.",
        "Open fixtures must be played or adjudicated first.",
    ]


def _archive_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return ["The tournament is archived and stays readable."]


DECLARED = (
    ActionSpec(name="update", states=tuple(EDITABLE)),
    ActionSpec(name="invite", states=(State.DRAFT, State.OPEN)),
    ActionSpec(name="trial", states=(State.DRAFT, State.OPEN)),
    ActionSpec(
        name="open",
        states=(State.DRAFT,),
        label=gettext_lazy("Open entry"),
        summary="Open entry. The commitment to the deals is published.",
        effect=_open_effects,
        ends=("The name, rules, stages, clock and entry policy can no longer be changed.",),
        done="Entry is open.",
    ),
    ActionSpec(name=ENTER, states=(State.OPEN,)),
    ActionSpec(name="seed", states=(State.OPEN,)),
    ActionSpec(
        name="lock",
        states=(State.OPEN,),
        label=gettext_lazy("Lock the field"),
        summary="Lock the field of a tournament. Entry closes, and the field is published with its digest.",
        effect=_lock_effects,
        ends=("No more bots can enter.", "All deals are fixed."),
        done="The field is locked.",
        is_final=True,
        depends_on_entries=True,
    ),
    ActionSpec(
        name="start",
        states=(State.LOCKED,),
        label=gettext_lazy("Start"),
        summary="Start a tournament. Its first round begins.",
        effect=_start_effects,
        ends=("Times can no longer be changed.",),
        done="The tournament has started.",
        is_final=True,
    ),
    ActionSpec(
        name="pause",
        states=(State.RUNNING,),
        label=gettext_lazy("Pause"),
        summary="Pause a tournament. No more tables are started.",
        effect=_pause_effects,
        done="The tournament is paused.",
        takes_reason=True,
    ),
    ActionSpec(
        name="resume",
        states=(State.PAUSED,),
        label=gettext_lazy("Resume"),
        summary="Resume a tournament.",
        effect=_resume_effects,
        done="The tournament has resumed.",
    ),
    ActionSpec(
        name="close_early",
        states=PLAYING_STATES,
        label=gettext_lazy("End with the finished rounds"),
        summary="End a tournament early. The standings after its finished rounds are the result.",
        effect=_close_early_effects,
        ends=("No more rounds are played.",),
        done="The stages have ended.",
        takes_reason=True,
        is_final=True,
    ),
    ActionSpec(
        name="retry_tables",
        states=PLAYING_STATES,
        label=gettext_lazy("Retry quarantined tables"),
        summary="Retry tables quarantined after platform faults.",
        effect=_retry_effects,
        done="The tables are back in the queue.",
    ),
    ActionSpec(name="adjudicate", states=RULING_STATES, decides_results=True),
    ActionSpec(name="rerun", states=RULING_STATES, decides_results=True),
    ActionSpec(
        name="finalise",
        states=(State.PROVISIONAL,),
        label=gettext_lazy("Finalise now"),
        summary="Finalise a provisional tournament. It is audited now, and its review ends if the audit "
        "passes and no report is open.",
        effect=_finalise_effects,
        ends=("Rulings and reruns are no longer possible.", "Entrants can no longer report problems."),
        done="The tournament is final.",
        is_final=True,
    ),
    ActionSpec(
        name=ARCHIVE,
        states=(State.FINAL,),
        label=gettext_lazy("Archive"),
        summary="Archive a final tournament. It can still be viewed.",
        effect=_archive_effects,
        ends=("The description can no longer be changed.",),
        done="The tournament is archived.",
    ),
    ActionSpec(
        name="cancel",
        states=tuple(
            state for state in State.values if state not in (State.FINAL, State.ARCHIVED, State.CANCELLED)
        ),
        label=gettext_lazy("Cancel the tournament"),
        summary=(
            "Cancel a tournament. Open tables become void, boards are unsealed and the secret is revealed."
        ),
        effect=_cancel_effects,
        ends=("The tournament can no longer be played.",),
        done="The tournament is cancelled.",
        takes_reason=True,
        needs_reason_with_entries=True,
        is_final=True,
        lead_only=True,
    ),
)
ACTIONS = {action.name: action for action in DECLARED}

STATE_ACTIONS = {action.name: action for action in DECLARED if action.label}
"""Actions with a page and a route of their own."""
