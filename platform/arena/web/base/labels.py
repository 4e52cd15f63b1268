"""Names of entries, rounds and rules on pages."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.conf import settings
from django.utils.html import format_html
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext, pgettext, pgettext_lazy
from django.utils.translation import gettext as _

from arena.competition.entries.names import ListedEntry
from arena.competition.event_options import value_names
from arena.competition.models import Entry, Stage, Tournament
from arena.competition.rules import sides_of
from arena.competition.selectors import ENDED_STATES
from arena.roster.models import Bot, BotVersion
from arena.standings.stages import is_knockout
from arena.web.base.bidi import isolated
from arena.web.base.documents.links import preset_link
from arena.web.base.documents.rulebook import format_value
from arena.web.base.figures import format_milliseconds
from arena.web.base.wording import join_facts, join_sentences

SCORE_NAMES = {
    "place": pgettext_lazy("column of standings", "Group place"),
    "progress": pgettext_lazy("column of standings", "Progress"),
    "score_per_fixture": pgettext_lazy("column of standings", "Per fixture"),
    "match_points": pgettext_lazy("column of standings", "Points"),
    "board_score": pgettext_lazy("column of standings", "Board score"),
    "head_to_head": pgettext_lazy("column of standings", "Head to head"),
    "head_to_head_2": pgettext_lazy("column of standings", "Head to head (2)"),
    "buchholz": pgettext_lazy("column of standings", "Buchholz"),
    "sonneborn_berger": pgettext_lazy("column of standings", "Sonneborn-Berger"),
    "board_score_difference": pgettext_lazy("column of standings", "Board score"),
    "wins": pgettext_lazy("column of standings", "Wins"),
    "lot": pgettext_lazy("column of standings", "Lot"),
}
SCORE_MEANINGS = {
    "place": gettext_lazy("Place in the group. All group winners rank above all runners-up, and so on."),
    "progress": gettext_lazy(
        "How far the entry got in the bracket. A higher number means that it got further."
    ),
    "score_per_fixture": gettext_lazy("Score per fixture played, to compare groups of different sizes."),
    "match_points": gettext_lazy("Two points for each opponent with a lower total, one for each draw"),
    "board_score": gettext_lazy("Stones won minus stones lost, averaged over each fixture's tables"),
    "head_to_head": gettext_lazy(
        "Points from fixtures among the tied entries, if all of them have met equally often"
    ),
    "head_to_head_2": gettext_lazy(
        "Points from fixtures among the entries that are still tied, if all of them have met equally often"
    ),
    "buchholz": gettext_lazy("Sum of the scores of all opponents"),
    "sonneborn_berger": gettext_lazy(
        "Scores of the beaten opponents plus half the scores of the drawn opponents"
    ),
    "board_score_difference": gettext_lazy(
        "Stones won minus stones lost, averaged over each fixture's tables"
    ),
    "wins": gettext_lazy("Number of beaten opponents"),
    "lot": gettext_lazy("Drawn from the tournament's secret. The lower number ranks first."),
}
PROPER_NAMES = frozenset({"Buchholz", "Sonneborn-Berger", "Swiss"})
FAULT_POLICIES = {
    "substitute": gettext_lazy(
        "A bot's first three faults at a table are each replaced by a fallback action. On its fourth "
        "fault, or if it stops, the bot forfeits the table."
    ),
    "strict": gettext_lazy("A bot forfeits the table on its first fault."),
}


class BotLabel(NamedTuple):
    name: str
    number: int
    page: str
    """Public id of the bot's page; empty if the bot is private."""


@dataclasses.dataclass(frozen=True)
class EntryLabel:
    id: str
    bots: tuple[BotLabel, ...]
    """One version, or the two of a pair."""
    player: str
    is_organiser_entry: bool
    seed: int | None

    @property
    def name(self) -> str:
        return " + ".join(f"{isolated(bot.name)} v{bot.number}" for bot in self.bots)


def bot_label(version: BotVersion) -> BotLabel:
    """Label a version, loaded with its bot. Independent of the viewer, since rendered pages are cached."""
    bot = version.bot
    is_public = bot.visibility == Bot.Visibility.PUBLIC
    return BotLabel(bot.name, version.number, bot.public_id if is_public else "")


def entry_label(entry: Entry | ListedEntry) -> EntryLabel:
    """Label an entry, loaded with its player, versions and bots."""
    if isinstance(entry, ListedEntry):
        bots = tuple(BotLabel(bot.name, bot.number, bot.page) for bot in entry.bots)
        return EntryLabel(entry.id, bots, entry.player, entry.is_organiser_entry, entry.seed)
    return EntryLabel(
        id=entry.public_id,
        bots=tuple(bot_label(version) for version in entry.versions()),
        player=entry.player.handle,
        is_organiser_entry=entry.is_organiser_entry,
        seed=entry.seed,
    )


def in_sentence(title: str) -> str:
    """Write a title in lower case for use inside a sentence.

    >>> in_sentence("Swiss"), in_sentence("Round robin")
    ('Swiss', 'round robin')
    """
    if get_language() != settings.LANGUAGE_CODE:
        return gettext(title)
    return " ".join(word if word in PROPER_NAMES else word.lower() for word in title.split())


def ranking_criteria(tournament: Tournament) -> list[str]:
    """Return the values that order the standings, in order of application, without duplicates."""
    names = [tournament.scoring]
    for name in [*value_names(tournament.tie_breaks), "lot"]:
        if name not in names and not (name == "board_score_difference" and "board_score" in names):
            names.append(name)
    return names


@dataclasses.dataclass(frozen=True)
class TableLabel:
    sides: int
    is_free_for_all: bool
    mixes_partners: bool = False
    """Whether entries are single and partner all others in turn."""
    counts_points: bool = True
    """Whether match points order the standings, not board scores."""

    @property
    def size(self) -> str:
        """``2 pairs`` or ``5 seats``."""
        text = _("%(count)d seats") if self.is_free_for_all else _("%(count)d pairs")
        return text % {"count": self.sides}

    @property
    def bye(self) -> str:
        """Text for an entry without a fixture."""
        return _("has a bye") if self.sides == 2 and not self.mixes_partners else _("sits out")

    @property
    def bye_counts(self) -> str:
        """Text on the points for a round without a fixture."""
        if not self.counts_points:
            return _("An entry without a fixture in a round scores nothing for that round.")
        if self.sides == 2:
            return _("A bye counts as a win.")
        return _("An entry that sits out is credited with %(count)d draws.") % {"count": self.sides - 1}

    @property
    def played_meaning(self) -> str:
        if self.sides == 2:
            return _("Fixtures played, including byes")
        return _("Rounds, including rounds sat out")

    @property
    def counts_meaning(self) -> str:
        return _("Won, drawn, lost") if self.sides == 2 else _("Won, drawn, lost, per opponent")

    @property
    def by_opponent(self) -> str:
        """How wins, draws and losses are counted; empty for two sides."""
        if self.sides == 2:
            return ""
        if self.mixes_partners:
            return _("Wins, draws and losses are counted per opposing pair.")
        return _("Wins, draws and losses are counted per opponent.")


def table_label(tournament: Tournament, *, mixes_partners: bool = False) -> TableLabel:
    """Return the texts for a tournament's tables. ``mixes_partners`` is the result of ``partners_change``."""
    sides = sides_of(tournament)
    return TableLabel(
        len(sides),
        is_free_for_all=all(len(side) == 1 for side in sides),
        mixes_partners=mixes_partners,
        counts_points=tournament.scoring == "match_points",
    )


def rule_lines(tournament: Tournament, stages: Sequence[Stage], table: TableLabel) -> list[tuple[str, str]]:
    clock = tournament.clock
    bank = f"bank_cpu_ms_per_{tournament.board_kind}_board"
    names = [str(SCORE_NAMES[name]) for name in ranking_criteria(tournament)]
    times = [
        (clock.get(bank), _("%(time)s of CPU time per board, in one bank for the whole table")),
        (clock.get("increment_cpu_ms"), _("plus %(time)s per decision")),
        (clock.get("decision_cpu_cap_ms"), _("at most %(time)s per decision")),
        (clock.get("start_wall_ms"), _("%(time)s to start up")),
    ]
    granted = [text % {"time": format_milliseconds(value)} for value, text in times if value is not None]
    clock_text = _("; ").join(granted) + pgettext("after a meaning", ".")
    knockouts = [is_knockout(stage) for stage in stages]
    through = ""
    if any(knockouts):
        through = _("Entries are ranked first by their progress in the bracket.")
        if not all(knockouts):
            through = _("In an elimination stage, entries are ranked first by their progress in the bracket.")
    equals = _("Tie-breaks, in this order: %(names)s.") % {"names": " → ".join(names[1:])}
    rules = format_html(
        _("{preset}, rules version {version}."),
        preset=preset_link(tournament.preset, tournament.ruleset.get("seats")),
        version=tournament.rules_version,
    )
    same = _(
        "All fixtures in a round play the same cards. Within a fixture, each board is played "
        "%(count)d times, so that every entry holds every hand once."
    )
    return [
        (
            _("Boards"),
            join_sentences(_boards(tournament, stages), same % {"count": table.sides}, _plan(tournament)),
        ),
        (_("Table"), _table(table)),
        (pgettext("of standings", "Order"), join_sentences(through, _scoring(tournament, table), equals)),
        (_("Clock"), clock_text),
        (_("Faults"), str(FAULT_POLICIES.get(tournament.fault_policy, tournament.fault_policy))),
        (_("Rules"), rules),
        *([(_("CPU limit"), _budget(tournament))] if tournament.budget_cpu_s is not None else []),
    ]


def _boards(tournament: Tournament, stages: Sequence[Stage]) -> str:
    is_deal = tournament.board_kind == "deal"
    counts = [stage.boards_per_round or tournament.boards_per_round for stage in stages]
    if len(set(counts)) < 2:
        count = counts[0] if counts else tournament.boards_per_round
        text = ngettext(
            "%(count)d board per round, a whole game.",
            "%(count)d boards per round, each a whole game.",
            count,
        )
        if is_deal:
            text = ngettext(
                "%(count)d board per round, a single deal.",
                "%(count)d boards per round, each a single deal.",
                count,
            )
        return text % {"count": count}
    text = _("%(counts)s boards per round in stages 1 to %(stages)d, each a whole game.")
    if is_deal:
        text = _("%(counts)s boards per round in stages 1 to %(stages)d, each a single deal.")
    return text % {"counts": join_facts(counts), "stages": len(counts)}


def _plan(tournament: Tournament) -> str:
    if tournament.board_plan != Tournament.BoardPlan.UNTIL_SEPARATED:
        return ""
    text = _(
        "The schedule is repeated, up to %(count)d times, until the boards separate all adjacent "
        "entries in the standings."
    )
    return text % {"count": tournament.max_passes}


def _budget(tournament: Tournament) -> str:
    """Return the CPU budget; the CPU used only after the end, since it would reveal open tables."""
    values = {"limit": tournament.budget_cpu_s, "spent": tournament.cpu_ms_spent // 1000}
    if tournament.state not in ENDED_STATES:
        return _("%(limit)s seconds of CPU time for all bots together.") % values
    return _("%(limit)s seconds of CPU time for all bots together, of which %(spent)s were used.") % values


def _scoring(tournament: Tournament, table: TableLabel) -> str:
    if tournament.scoring != "match_points":
        return _("Entries are ranked by the sum of their board scores.")
    if table.sides == 2:
        return _("A win scores two match points, a draw one. A bye counts as a win.")
    text = _(
        "In a fixture, an entry gets two match points for each opponent with a lower total and "
        "one for each draw."
    )
    if table.mixes_partners:
        text = _(
            "In a fixture, an entry gets two match points for each opposing pair with a lower total "
            "and one for each draw."
        )
    return join_sentences(text, table.bye_counts)


def _table(table: TableLabel) -> str:
    if table.mixes_partners:
        text = _(
            "%(size)s that change every round. Bots enter individually and are evenly mixed as "
            "partners and opponents."
        )
    elif table.sides == 2:
        text = _("%(size)s. The entries in a fixture swap seats once.")
    elif not table.is_free_for_all:
        text = _("%(size)s. Each entry in a fixture plays each pair of seats once.")
    else:
        text = _(
            "%(size)s, each playing for itself. Each entry in a fixture takes each seat once. "
            "Neighbours change every round, so that each entry sits after every other entry equally "
            "often."
        )
    return text % {"size": table.size}


def option_lines(ruleset: dict[str, Any]) -> list[tuple[str, str]]:
    """Return all options with their values, formatted as on the preset's page."""

    def text(value: Any) -> str:
        if isinstance(value, list):
            return ", ".join(map(format_value, value)) or "none"
        return format_value(value)

    return [(name, text(value)) for name, value in sorted(ruleset.items())]
