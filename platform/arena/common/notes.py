"""Notes: reasons stored as a code with values, from which sentences are made when displayed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

from arena.common.causes import Cause
from arena.common.errors import ArenaError, shortened
from arena.common.game_titles import preset_title
from arena.common.notice_texts import CLAUSES, NOTICES
from referee.explanations import EXPLANATIONS

Note = dict[str, Any]
"""``code`` and the values of its text, some of which may be notes; empty if there is no reason."""

TEXTS: Mapping[str, Any] = {
    **{f"check_{key}": pgettext_lazy("check", each.text) for key, each in EXPLANATIONS.items()},
    **CLAUSES,
    **NOTICES,
    **{f"cause_{cause}": cause.label for cause in Cause},
    "typed": "%(text)s",
    "fault": "%(why)s",
    "cancelled": _("cancelled"),
    "event_cancelled": _("the tournament was cancelled"),
    "closed_early": _("closed early"),
    "closed_early_because": _("closed early: %(text)s"),
    "adjudicated": _("a fixture was adjudicated: %(text)s"),
    "played_again": _("a table was returned to the queue to be rerun: %(text)s"),
    "field_empty": _("no entries of the previous stage are left to play it"),
    "field_unfit": ngettext_lazy(
        "its format does not fit %(entries)d entry: %(why)s",
        "its format does not fit %(entries)d entries: %(why)s",
        "entries",
    ),
    "separated": ngettext_lazy(
        "all neighbours in the standings are separated after %(passes)d pass",
        "all neighbours in the standings are separated after %(passes)d passes",
        "passes",
    ),
    "max_passes": ngettext_lazy(
        "the maximum of %(passes)d pass was played; %(level)d of %(pairs)d pairs of neighbours are not "
        "separated",
        "the maximum of %(passes)d passes was played; %(level)d of %(pairs)d pairs of neighbours are not "
        "separated",
        "passes",
    ),
    "budget_spent": ngettext_lazy(
        "the budget is too small for another pass: %(left)d of %(budget)d CPU-seconds remain after "
        "%(passes)d pass, and a pass takes %(cost)d; %(level)d of %(pairs)d pairs of neighbours are not "
        "separated",
        "the budget is too small for another pass: %(left)d of %(budget)d CPU-seconds remain after "
        "%(passes)d passes, and a pass takes %(cost)d; %(level)d of %(pairs)d pairs of neighbours are not "
        "separated",
        "passes",
    ),
    "cpu_spent": _(
        "budget_spent: %(spent)d of %(budget)d CPU-seconds used; raise budget_cpu_s and resume, or close "
        "early"
    ),
    "audit_found": ngettext_lazy(
        "the audit found %(count)d discrepancy: %(why)s",
        "the audit found %(count)d discrepancies, first: %(why)s",
        "count",
    ),
    "too_few_entries": _("Only %(entries)d entered; the tournament needs at least %(min_entries)d entries."),
    "not_locked": _("the field could not be locked: %(why)s"),
    "left_open": _("entry was open for %(days)d days"),
    "left_locked": _("it was not started for %(days)d days"),
    "left_paused": _("it was paused for %(days)d days"),
    "late_round": _("it was not finished within %(hours)d hours"),
    "nothing_played": _("none of its fixtures could be played"),
    "experiment_ended": _("its experiment has ended"),
    "last_edition": _("its last edition was created"),
    "edition_failed": _("an edition could not be created: %(why)s"),
    "entry_left": _("left the tournament"),
    "table_not_played": _("a table could not be played: %(why)s"),
    "boards_in_play": _("waiting for another table with the same boards and entrants to finish"),
    "table_in_play": _("waiting for table %(table)s with the same boards and entrants to finish"),
    "runtime_lacking": _("no live worker has %(runtimes)s"),
    "runtimes_apart": _("no live worker has all of %(runtimes)s"),
    "lacking_too_long": _("%(why)s, for %(hours)d hours"),
    "faults_too_long": _("no worker could play it within %(hours)d hours because of platform faults"),
    "not_confirmed": _("the partner's owner did not agree before the lock"),
    "suspended_at_lock": _("version %(number)d was suspended at the lock"),
    "retired_at_lock": _("version %(number)d was retired at the lock"),
    "account_deleted": _("the account was deleted"),
    "left_course": _("the player is no longer a member of the course"),
    "candidate": _("the candidate"),
    "baseline": _("the baseline"),
    "opponent": _("opponent %(number)d"),
    "taken_out": _("the owner withdrew %(who)s from a batch"),
    "is_suspended": _("%(who)s is suspended"),
    "is_retired": _("%(who)s is retired"),
    "stopped_by_owner": _("by its owner"),
    "stopped_by_staff": _("by staff"),
    "experiment_over": _("the experiment had ended"),
    "cpu_used": _("%(spent)d of %(budget)d CPU-seconds used"),
    "batch_cancelled": _("batch %(number)d: %(why)s"),
    "batches_void": _("%(count)d batches in a row were void, the last one because: %(why)s"),
    "waits_for_earlier": ngettext_lazy(
        "waiting for %(count)d earlier experiment of yours",
        "waiting for %(count)d earlier experiments of yours",
        "count",
    ),
    "queued_too_long": _("it was queued for %(days)d days"),
    "played_too_long": _("it was played for %(days)d days"),
    "it_was_cancelled": _("it was cancelled%(because)s"),
    "fixture_void": _("a fixture is void: %(why)s"),
    "receiver_gone": _("the receiver responded with 410 Gone"),
    "only_failures": _("every delivery since %(since)s has failed; the last error was: %(why)s"),
    "cancelled_by_system": _("cancelled by the system%(because)s"),
    "cancelled_by_organiser": _("cancelled by an organiser%(because)s"),
    "partner_said_no": _("the partner's owner declined%(because)s"),
    "forfeited_often": _("it forfeited %(forfeited)d of its last %(tables)d tables"),
    "remote_disconnects": _("it disconnected from %(disconnects)d of its last %(tables)d tables"),
    "remote_retired": _("its owner has retired it"),
    "not_taken": _("no worker claimed it within %(hours)d hours"),
    "worker_lost": _("its worker was lost: process %(worker)s ended"),
    "claim_interrupted": _("the database failed while its worker claimed it"),
    "heartbeat_lost": _("its worker was lost: no heartbeat within the lease"),
    "no_progress": _("no progress within the wall-clock limit"),
    "no_result": _("The check gave no result within %(seconds)d s."),
    "no_record": _("the report contains no record"),
    "import_disagrees": ngettext_lazy(
        "the export does not verify: %(count)d disagreement",
        "the export does not verify: %(count)d disagreements",
        "count",
    ),
    "import_timed_out": _("verification did not end within %(minutes)d minutes"),
}
"""Texts by code. ``text`` was typed by a person; ``why`` is another note or an English error message.

Statements sign the English text of a code: to change what it means, add a new code.
"""


def typed_note(text: str) -> Note:
    """Return a note of a text typed by a person, cut at 300 characters."""
    return {"code": "typed", "text": text[:300]} if text else {}


def rejection_note(reason: Mapping[str, Any]) -> Note:
    """Return a note of a stored reason for which a bot is rejected; empty if it has only a message."""
    code = f"check_{reason.get('explanation')}"
    return {"code": code, **reason["values"]} if code in TEXTS else {}


def fault_note(reason: str | Note) -> Note:
    """Return a note of a platform fault: a note unchanged, or the message of an error."""
    return {"code": "fault", "why": shortened(reason)} if isinstance(reason, str) else reason


def reason_clause(why: str | Note) -> Note:
    """Return a clause with the reason, typed by a person or a note; empty without one."""
    return {"code": "because", "why": why} if why else {}


def time_clause(code: str, time: datetime | None) -> Note:
    """Return a clause with a time, to the minute in UTC; empty without one."""
    return {"code": code, "time": format_minute(time)} if time else {}


def format_minute(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def closed_early_note(reason: str) -> Note:
    """Return a note that an organiser ended a stage early, with the reason if given."""
    text = reason.strip()[:300]
    return {"code": "closed_early_because", "text": text} if text else {"code": "closed_early"}


def refusal_note(error: ArenaError) -> Note:
    """Return a note why entry could not be closed."""
    if error.code == "too_few_entries":
        return {"code": error.code, **error.extra}
    return {"code": "not_locked", "why": error.message[:300]}


def note_text(note: Note, **replacements: str) -> str:
    """Return the text of a note in the active language. Keyword arguments replace its values."""
    if not note:
        return ""
    values = {
        name: note_text(value, **replacements) if isinstance(value, dict) else replacements.get(name, value)
        for name, value in note.items()
    }
    if "preset" in note:
        values["preset"] = preset_title(note["preset"], note.get("seats"))
    return str(TEXTS[note["code"]] % values)


def error_message_of(note: Note) -> str | None:
    why = note.get("why")
    return error_message_of(why) if isinstance(why, dict) else why


def note_in_english(note: Note) -> str:
    with translation.override("en"):
        return note_text(note)
