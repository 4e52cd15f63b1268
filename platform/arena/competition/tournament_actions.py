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


@dataclasses.dataclass(frozen=True)
class Counts:
    entered: int
    pending: int
    """Pairs that the partner has not confirmed."""
    playing: int
    waiting: int
    held_back: int
    finished: int


def format_count(count: int, word: str) -> str:
    """Return the count with its noun.

    >>> format_count(1, "entry"), format_count(2, "entry"), format_count(0, "table")
    ('1 entry', '2 entries', 'no table')
    """
    plural = f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"
    return f"no {word}" if count == 0 else f"{count:,} {word if count == 1 else plural}"


def _open_effects(tournament: Tournament, counts: Counts) -> list[str]:
    until = (
        f"until {tournament.closes_at:%Y-%m-%d %H:%M} UTC" if tournament.closes_at else "until you lock it"
    )
    who = "Everybody who sees it" if tournament.entry_policy == "open" else "Players you invited"
    return [
        f"{who} may enter {until}; {tournament.min_entries} to {tournament.max_entries} entries are taken.",
        "The commitment to all deals is published, and a signed statement of the settings.",
    ]


def _lock_effects(tournament: Tournament, counts: Counts) -> list[str]:
    entries = format_count(counts.entered, "entry").capitalize()
    says = [f"{entries} will play; {tournament.min_entries} are needed."]
    if counts.pending:
        says.append(f"{format_count(counts.pending, 'pair').capitalize()} nobody confirmed will be void.")
    return [*says, "Versions that are no longer ready are void. The field and its digest are published."]


def _start_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return [
        f"The first round opens for {format_count(counts.entered, 'entry')}.",
        "Tables are played as workers are free.",
    ]


def _pause_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return [
        f"Tables being played, which are finished first: {counts.playing:,}.",
        f"Tables that wait, and will not start before you resume: {counts.waiting:,}.",
        "After 30 days it is cancelled.",
    ]


def _cancel_effects(tournament: Tournament, counts: Counts) -> list[str]:
    open_tables = counts.playing + counts.waiting + counts.held_back
    says = [f"Entrants are notified; entries: {counts.entered:,}."] if counts.entered else []
    if counts.finished or open_tables:
        void = f"{format_count(open_tables, 'open table').capitalize()} will be void"
        # With a count of 0 the clause would suggest that finished tables are lost.
        finished = (
            f"; {format_count(counts.finished, 'finished table')} can still be read"
            if counts.finished
            else ""
        )
        says.append(f"{void}{finished}.")
    return [*says, "All boards are opened, and the secret of the deals is shown."]


def _finalise_effects(tournament: Tournament, counts: Counts) -> list[str]:
    tables = format_count(counts.finished, "table")
    says = [
        f"Every deal is derived again and {tables} replayed from the records.",
        "If all agrees, it is final and its secret is shown. This happens by itself too.",
    ]
    if is_in_review(tournament):
        says.insert(0, f"Its review ends now instead of at {tournament.review_until:%Y-%m-%d %H:%M} UTC.")
    return says


def _resume_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return [f"It continues where it was paused; tables waiting: {counts.waiting:,}."]


def _retry_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return [
        f"Tables held back after faults of the platform: {counts.held_back:,}.",
        "Each is tried again with all its attempts, as are those that wait for another attempt.",
    ]


def _close_early_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return [
        "Its stages end; what was played is audited, and its standings are the result.",
        "Open fixtures must be played or ruled on first.",
    ]


def _archive_effects(tournament: Tournament, counts: Counts) -> list[str]:
    return ["It is put away and stays readable."]


DECLARED = (
    ActionSpec(name="update", states=tuple(EDITABLE)),
    ActionSpec(name="invite", states=(State.DRAFT, State.REGISTRATION)),
    ActionSpec(
        name="open",
        states=(State.DRAFT,),
        label=gettext_lazy("Open registration"),
        summary="Open registration. The commitment to the deals is published.",
        effect=_open_effects,
        ends=("Name, rules, stages, clock and who may enter can no longer be changed.",),
        done="Registration is open.",
    ),
    ActionSpec(name=ENTER, states=(State.REGISTRATION,)),
    ActionSpec(name="seed", states=(State.REGISTRATION,)),
    ActionSpec(
        name="lock",
        states=(State.REGISTRATION,),
        label=gettext_lazy("Lock the field"),
        summary="Lock the field of a tournament. Registration is closed and the digest of the field "
        "published.",
        effect=_lock_effects,
        ends=("Nobody can enter any more.", "Every deal is fixed."),
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
        done="It has started.",
        is_final=True,
    ),
    ActionSpec(
        name="pause",
        states=(State.RUNNING,),
        label=gettext_lazy("Pause"),
        summary="Pause a tournament. No further table is started.",
        effect=_pause_effects,
        done="It is paused.",
        takes_reason=True,
    ),
    ActionSpec(
        name="resume",
        states=(State.PAUSED,),
        label=gettext_lazy("Resume"),
        summary="Resume a tournament.",
        effect=_resume_effects,
        done="It continues.",
    ),
    ActionSpec(
        name="close_early",
        states=PLAYING_STATES,
        label=gettext_lazy("End it with the rounds closed so far"),
        summary="End a tournament with the rounds closed so far. Their standings are the result.",
        effect=_close_early_effects,
        ends=("No further round is played.",),
        done="Its stages have ended.",
        takes_reason=True,
        is_final=True,
    ),
    ActionSpec(
        name="retry_tables",
        states=PLAYING_STATES,
        label=gettext_lazy("Send tables held back to wait"),
        summary="Send all tables that our faults hold up back to wait.",
        effect=_retry_effects,
        done="They wait to be played again.",
    ),
    ActionSpec(name="adjudicate", states=RULING_STATES, decides_results=True),
    ActionSpec(name="rerun", states=RULING_STATES, decides_results=True),
    ActionSpec(
        name="finalise",
        states=(State.PROVISIONAL,),
        label=gettext_lazy("Make it final now"),
        summary="Finalise a provisional tournament. It is audited now, and its review ends if that passes "
        "and no report is open.",
        effect=_finalise_effects,
        ends=("Nothing can be ruled on or played again.", "Entrants cannot report problems any more."),
        done="It is final.",
        is_final=True,
    ),
    ActionSpec(
        name="archive",
        states=(State.FINAL,),
        label=gettext_lazy("Archive"),
        summary="Archive a final tournament. It stays readable.",
        effect=_archive_effects,
        ends=("Its description can no longer be changed.",),
        done="It is archived.",
    ),
    ActionSpec(
        name="cancel",
        states=tuple(
            state for state in State.values if state not in (State.FINAL, State.ARCHIVED, State.CANCELLED)
        ),
        label=gettext_lazy("Cancel the event"),
        summary="Cancel a tournament. What is open is void, boards are unsealed, the secret is revealed.",
        effect=_cancel_effects,
        ends=("It can never be played.",),
        done="It is cancelled.",
        takes_reason=True,
        needs_reason_with_entries=True,
        is_final=True,
        lead_only=True,
    ),
)
ACTIONS = {action.name: action for action in DECLARED}

STATE_ACTIONS = {action.name: action for action in DECLARED if action.label}
"""Actions with a page and a route of their own."""
