"""The state of a tournament in a few sentences, for previews of shared links. Nothing sealed."""

from __future__ import annotations

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.common.game_titles import preset_title
from arena.competition.models import Entry
from arena.competition.selectors import format_title
from arena.web.base.labels import entry_label, in_sentence
from arena.web.base.states import TOURNAMENT_STATE_NAMES, State, format_count
from arena.web.base.wording import join_facts, join_sentences
from arena.web.tournaments.event import EventContext, event_lead, is_final


def summary_text(frame: EventContext) -> str:
    """Return state, leader or winner, rules, format and number of entries. At most six queries."""
    tournament = frame.tournament
    entered = frame.statuses.get(Entry.Status.ENTERED, 0)
    facts = [
        preset_title(tournament.preset, tournament.ruleset.get("seats")),
        *(in_sentence(format_title(stage)) for stage in frame.stages[:1]),
        format_count(entered + frame.statuses.get(Entry.Status.LEFT, 0), "entry"),
    ]
    end = pgettext("after a time", ".")
    state = capfirst(str(TOURNAMENT_STATE_NAMES[frame.state]))
    return join_sentences(state + end, _news(frame), join_facts(facts) + end)


def _news(frame: EventContext) -> str:
    tournament = frame.tournament
    if frame.state == State.OPEN:
        taken = frame.statuses.get(Entry.Status.ENTERED, 0)
        return _("%(count)d of %(most)d places taken.") % {"count": taken, "most": tournament.max_entries}
    lead = event_lead(frame)
    last = frame.last_stage
    if lead is None or last is None:
        return ""
    rows = frame.rows[last.pk]
    values = {"name": lead.leader.name}
    if not is_final(frame.state):
        rounds = format_count(frame.begun[last.pk].closed if last.pk in frame.begun else 0, "closed round")
        return _("%(name)s leads after %(rounds)s.") % {**values, "rounds": rounds}
    if len(rows) < 2:
        return _("%(name)s won.") % values
    return _("%(name)s won, ahead of %(second)s.") % {**values, "second": entry_label(rows[1].entry).name}
