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
    "place": pgettext_lazy("column of standings", "Place"),
    "progress": pgettext_lazy("column of standings", "Won through"),
    "score_per_fixture": pgettext_lazy("column of standings", "A fixture"),
    "match_points": pgettext_lazy("column of standings", "Points"),
    "board_score": pgettext_lazy("column of standings", "Board score"),
    "head_to_head": pgettext_lazy("column of standings", "Head to head"),
    "head_to_head_2": pgettext_lazy("column of standings", "Head to head again"),
    "buchholz": pgettext_lazy("column of standings", "Buchholz"),
    "sonneborn_berger": pgettext_lazy("column of standings", "Sonneborn-Berger"),
    "board_score_difference": pgettext_lazy("column of standings", "Board score"),
    "wins": pgettext_lazy("column of standings", "Wins"),
    "lot": pgettext_lazy("column of standings", "Lot"),
}
SCORE_MEANINGS = {
    "place": gettext_lazy("place in its group: all first of a group come before all second"),
    "progress": gettext_lazy("how far it got: the higher, the longer it lasted"),
    "score_per_fixture": gettext_lazy(
        "the score for every fixture played, which compares groups of different sizes"
    ),
    "match_points": gettext_lazy("two for every opponent with a lower total, one for every draw"),
    "board_score": gettext_lazy("stones won less stones lost, the mean over the tables of each fixture"),
    "head_to_head": gettext_lazy("points among those level, if all of them met equally often"),
    "head_to_head_2": gettext_lazy("points among those still level, if all of them met equally often"),
    "buchholz": gettext_lazy("sum of the opponents' scores"),
    "sonneborn_berger": gettext_lazy("scores of those beaten, and half the scores of those drawn with"),
    "board_score_difference": gettext_lazy(
        "stones won less stones lost, the mean over the tables of each fixture"
    ),
    "wins": gettext_lazy("opponents beaten"),
    "lot": gettext_lazy("drawn from the event's secret; the lower one comes first"),
}
PROPER_NAMES = frozenset({"Swiss"})
FAULT_POLICIES = {
    "substitute": gettext_lazy(
        "A bot's first three faults at a table are replaced by a fallback action; the fourth, or a bot that "
        "is gone, forfeits the table."
    ),
    "strict": gettext_lazy("A bot's first fault forfeits the table."),
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
            return _("Who has no fixture in a round scores nothing in it.")
        if self.sides == 2:
            return _("A bye counts as a win.")
        return _("Who sits out gets the points of %(count)d draws.") % {"count": self.sides - 1}

    @property
    def counts(self) -> list[tuple[str, str]]:
        played = _("Rounds, those sat out included")
        wins, draws, losses = _("Won, by opponent"), _("Drawn, by opponent"), _("Lost, by opponent")
        if self.sides == 2:
            played = _("Fixtures played, byes included")
            wins, draws, losses = _("Won"), _("Drawn"), _("Lost")
        return [
            (pgettext("heading: played", "P"), played),
            (pgettext("heading: won", "W"), wins),
            (pgettext("heading: drawn", "D"), draws),
            (pgettext("heading: lost", "L"), losses),
        ]

    @property
    def by_opponent(self) -> str:
        """How wins, draws and losses are counted; empty for two sides."""
        if self.sides == 2:
            return ""
        if self.mixes_partners:
            return _("Won, drawn and lost are counted by opposing pair.")
        return _("Won, drawn and lost are counted by opponent.")


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
        (clock.get(bank), _("%(time)s of CPU a board, banked for the whole table")),
        (clock.get("increment_cpu_ms"), _("%(time)s more with every decision")),
        (clock.get("decision_cpu_cap_ms"), _("%(time)s at most for one decision")),
        (clock.get("start_wall_ms"), _("%(time)s to start up")),
    ]
    granted = [text % {"time": format_milliseconds(value)} for value, text in times if value is not None]
    clock_text = _("; ").join(granted) + pgettext("after a meaning", ".")
    knockouts = [is_knockout(stage) for stage in stages]
    through = ""
    if any(knockouts):
        through = _("How far it got orders an entry first.")
        if not all(knockouts):
            through = _("In a stage of elimination how far it got orders an entry first.")
    equals = _("Equals are parted by, in this order: %(names)s.") % {"names": " → ".join(names[1:])}
    rules = format_html(
        _("{preset}, rules version {version}."),
        preset=preset_link(tournament.preset, tournament.ruleset.get("seats")),
        version=tournament.rules_version,
    )
    same = _(
        "All fixtures of a round play the same cards. Within a fixture each board is played %(count)d times, "
        "so that every entry holds every hand once."
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
        *([(_("Budget"), _budget(tournament))] if tournament.budget_cpu_s is not None else []),
    ]


def _boards(tournament: Tournament, stages: Sequence[Stage]) -> str:
    is_deal = tournament.board_kind == "deal"
    counts = [stage.boards_per_round or tournament.boards_per_round for stage in stages]
    if len(set(counts)) < 2:
        count = counts[0] if counts else tournament.boards_per_round
        text = ngettext("%(count)d game board a round.", "%(count)d game boards a round.", count)
        if is_deal:
            text = ngettext("%(count)d deal board a round.", "%(count)d deal boards a round.", count)
        return text % {"count": count}
    text = _("%(counts)s game boards a round in stage 1 to %(stages)d.")
    if is_deal:
        text = _("%(counts)s deal boards a round in stage 1 to %(stages)d.")
    return text % {"counts": join_facts(counts), "stages": len(counts)}


def _plan(tournament: Tournament) -> str:
    if tournament.board_plan != Tournament.BoardPlan.UNTIL_SEPARATED:
        return ""
    text = _(
        "The schedule is played again, %(count)d times at most, until the boards tell all neighbours of the "
        "table apart."
    )
    return text % {"count": tournament.max_passes}


def _budget(tournament: Tournament) -> str:
    """Return the CPU budget; the CPU used only after the end, since it would reveal open tables."""
    values = {"limit": tournament.budget_cpu_s, "spent": tournament.cpu_ms_spent // 1000}
    if tournament.state not in ENDED_STATES:
        return _("%(limit)s CPU-seconds for all bots together.") % values
    return _("%(limit)s CPU-seconds for all bots together; %(spent)s were used.") % values


def _scoring(tournament: Tournament, table: TableLabel) -> str:
    if tournament.scoring != "match_points":
        return _("The sum of board scores counts.")
    if table.sides == 2:
        return _("Two match points for a fixture won, one for a draw; a bye counts as a win.")
    text = _(
        "In a fixture an entry gets two match points for every opponent with a lower total and one for "
        "every draw."
    )
    if table.mixes_partners:
        text = _(
            "In a fixture an entry gets two match points for every opposing pair with a lower total and one "
            "for every draw."
        )
    return join_sentences(text, table.bye_counts)


def _table(table: TableLabel) -> str:
    if table.mixes_partners:
        text = _(
            "%(size)s that change from round to round: everybody enters alone, and partners and opposes the "
            "others evenly."
        )
    elif table.sides == 2:
        text = _("%(size)s; the entries of a fixture change places once.")
    elif not table.is_free_for_all:
        text = _("%(size)s; each entry of a fixture sits as each pair once.")
    else:
        text = _(
            "%(size)s, everybody alone; each entry of a fixture sits on each seat once. Neighbours change "
            "from round to round, so that everybody follows everybody equally often."
        )
    return text % {"size": table.size}


def option_lines(ruleset: dict[str, Any]) -> list[tuple[str, str]]:
    """Return all options with their values, formatted as on the preset's page."""

    def text(value: Any) -> str:
        if isinstance(value, list):
            return ", ".join(map(format_value, value)) or "none"
        return format_value(value)

    return [(name, text(value)) for name, value in sorted(ruleset.items())]
