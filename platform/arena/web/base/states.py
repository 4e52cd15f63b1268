"""Names of tournament states, and the sentence on the next step."""

from __future__ import annotations

import dataclasses
import datetime
from typing import cast

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy, pgettext, pgettext_lazy

from arena.competition.models import Series, Tournament
from arena.competition.reviews import is_in_review
from arena.jobs.flow import PAUSE_DAYS, audit_deadline
from arena.web.base.wording import join_sentences

State = Tournament.State

LIVE = (State.RUNNING, State.PROVISIONAL, State.PAUSED)
"""Live states, in the order of lists."""
UPCOMING = (State.DRAFT, State.OPEN, State.LOCKED)

_NAMES = {
    State.DRAFT: pgettext_lazy("state of a tournament", "draft"),
    State.OPEN: pgettext_lazy("state of a tournament", "entry open"),
    State.LOCKED: pgettext_lazy("state of a tournament", "field locked"),
    State.RUNNING: pgettext_lazy("state of a tournament", "running"),
    State.PAUSED: pgettext_lazy("state of a tournament", "paused"),
    State.PROVISIONAL: pgettext_lazy("state of a tournament", "provisional"),
    State.FINAL: pgettext_lazy("state of a tournament", "final"),
    State.ARCHIVED: pgettext_lazy("state of a tournament", "archived"),
    State.CANCELLED: pgettext_lazy("state of a tournament", "cancelled"),
}
TOURNAMENT_STATE_NAMES = cast("dict[State, str]", _NAMES)
"""Lazy translations by state."""

_CUP_NAMES = {
    Series.State.ACTIVE: pgettext_lazy("state of a cup", "active"),
    Series.State.PAUSED: pgettext_lazy("state of a cup", "paused"),
    Series.State.ENDED: pgettext_lazy("state of a cup", "ended"),
}
CUP_STATE_NAMES = cast("dict[Series.State, str]", _CUP_NAMES)
"""Lazy translations by state."""

FIELD_FIXED = gettext_lazy("The entries are final, and all deals are fixed.")

COUNTED_NOUNS = {
    "board": ngettext_lazy("%(count)d board", "%(count)d boards", "count"),
    "bot": ngettext_lazy("%(count)d bot", "%(count)d bots", "count"),
    "closed round": ngettext_lazy("%(count)d finished round", "%(count)d finished rounds", "count"),
    "edition": ngettext_lazy("%(count)d edition", "%(count)d editions", "count"),
    "entry": ngettext_lazy("%(count)d entry", "%(count)d entries", "count"),
    "fault": ngettext_lazy("%(count)d fault", "%(count)d faults", "count"),
    "fixture": ngettext_lazy("%(count)d fixture", "%(count)d fixtures", "count"),
    "hour": ngettext_lazy("%(count)d hour", "%(count)d hours", "count"),
    "minute": ngettext_lazy("%(count)d minute", "%(count)d minutes", "count"),
    "more entry": ngettext_lazy("%(count)d more entry", "%(count)d more entries", "count"),
    "place": ngettext_lazy("%(count)d place", "%(count)d places", "count"),
    "round": ngettext_lazy("%(count)d round", "%(count)d rounds", "count"),
    "stone": ngettext_lazy("%(count)d stone", "%(count)d stones", "count"),
    "table": ngettext_lazy("%(count)d table", "%(count)d tables", "count"),
    "time": ngettext_lazy("%(count)d time", "%(count)d times", "count"),
}
"""Singular and plural of nouns that pages count, by English noun."""


@dataclasses.dataclass(frozen=True)
class NextStep:
    text: str
    until: datetime.datetime | None = None


@dataclasses.dataclass(frozen=True)
class TableCounts:
    """Tables of the open rounds by state."""

    waiting: int = 0
    """Waiting tables, without ``unserved``."""
    unserved: int = 0
    """Tables that wait for a worker that can run their bots."""
    lacks: str = ""
    """Runtimes that no live worker has, as text."""
    playing: int = 0
    finished: int = 0
    quarantined: int = 0
    void: int = 0


def format_count(count: int, word: str) -> str:
    """Return the count with its noun, one of ``COUNTED_NOUNS``, in the reader's language.

    >>> format_count(1, "table"), format_count(2, "entry")
    ('1 table', '2 entries')
    """
    return str(COUNTED_NOUNS[word] % {"count": count})


def next_step(tournament: Tournament, entries: int, tables: TableCounts, where: str = "") -> NextStep:
    """Return the sentence under the title.

    ``tables`` are used for running and paused tournaments; ``where`` names the round.
    """
    match tournament.state:
        case State.DRAFT:
            return NextStep(_("Only the organiser and staff can see this tournament until entry opens."))
        case State.OPEN:
            return _registration(tournament, entries)
        case State.LOCKED if tournament.starts_at:
            return NextStep(join_sentences(FIELD_FIXED, _("First round:")), tournament.starts_at)
        case State.LOCKED:
            return NextStep(
                join_sentences(FIELD_FIXED, _("The organiser has not started the first round yet."))
            )
        case State.RUNNING:
            return _running(tables, where)
        case State.PAUSED:
            going_on = ""
            if tables.playing:
                still = {"tables": format_count(tables.playing, "table")}
                going_on = _("%(tables)s still in play.") % still
            limit = tournament.state_at + datetime.timedelta(days=PAUSE_DAYS)
            text = join_sentences(
                _("Paused: no new tables start."), going_on, _("It will be cancelled unless resumed by")
            )
            return NextStep(text, limit)
        case State.PROVISIONAL if is_in_review(tournament):
            return _review(tournament)
        case State.PROVISIONAL if tournament.audit_disagreements:
            limit = audit_deadline(tournament)
            return NextStep(
                _(
                    "All rounds have been played, but the audit has not passed. The tournament will "
                    "be cancelled unless the audit passes by"
                ),
                limit,
            )
        case State.PROVISIONAL:
            return NextStep(
                _(
                    "All rounds have been played. The results are being recomputed from the records "
                    "before they become final."
                )
            )
        case State.FINAL | State.ARCHIVED:
            if tournament.visibility == Tournament.Visibility.PRIVATE:
                return NextStep(_("Final and audited. Ended"), tournament.state_at)
            return NextStep(_("Final and audited. Anyone can verify the results. Ended"), tournament.state_at)
        case _:
            return NextStep(
                _("The results do not count, and all boards are unsealed. Cancelled"), tournament.state_at
            )


def _review(tournament: Tournament) -> NextStep:
    audit = _("The audit has not passed yet.") if tournament.audit_disagreements else ""
    text = join_sentences(
        _("All rounds have been played. The organiser can still rule on results."),
        audit,
        _("Provisional until"),
    )
    return NextStep(text, tournament.review_until)


def _registration(tournament: Tournament, entries: int) -> NextStep:
    missing = tournament.min_entries - entries
    free = tournament.max_entries - entries
    places = _("No places left.")
    if free > 0:
        places = _("%(places)s left.") % {"places": format_count(free, "place")}
    need = _("%(entries)s needed.") % {"entries": format_count(missing, "more entry")} if missing > 0 else ""
    if tournament.closes_at:
        return NextStep(join_sentences(places, need, _("Entry closes")), tournament.closes_at)
    return NextStep(join_sentences(places, need, _("Entry closes when the organiser locks the field.")))


def _running(tables: TableCounts, where: str) -> NextStep:
    parts = []
    if tables.playing:
        parts.append(_("%(tables)s in play") % {"tables": format_count(tables.playing, "table")})
    if tables.waiting:
        parts.append(_("%(tables)s waiting") % {"tables": format_count(tables.waiting, "table")})
    if tables.unserved:
        text = _("%(tables)s waiting for a worker with %(lacks)s")
        parts.append(text % {"tables": format_count(tables.unserved, "table"), "lacks": tables.lacks})
    if tables.quarantined:
        text = _("%(tables)s quarantined after platform faults")
        parts.append(text % {"tables": format_count(tables.quarantined, "table")})
    if not parts:
        return NextStep(_("The next round is being prepared."))
    text = _("; ").join(parts) + pgettext("after a meaning", ".")
    return NextStep(where + pgettext("after a name", ": ") + text if where else text)
