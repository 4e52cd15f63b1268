"""How entries, rounds and rules are named on pages."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.html import format_html

from arena.competition.models import Entry, Stage, Tournament
from arena.competition.rules import sides_of
from arena.competition.selectors import OVER
from arena.roster.models import Bot, BotVersion
from arena.web.documents.links import preset_link
from arena.web.figures import milliseconds

SCORE_NAMES = {
    "place": "Place",
    "progress": "Won through",
    "score_per_fixture": "A fixture",
    "match_points": "Points",
    "board_score": "Board score",
    "head_to_head": "Head to head",
    "buchholz": "Buchholz",
    "sonneborn_berger": "Sonneborn-Berger",
    "board_score_difference": "Board score",
    "wins": "Wins",
    "lot": "Lot",
}
SCORE_MEANINGS = {
    "place": "place in its group: all first of a group come before all second",
    "progress": "how far it got",
    "score_per_fixture": "the score for every fixture played, which compares groups of different sizes",
    "match_points": "two for every opponent with a lower total, one for every draw",
    "board_score": "stones won less stones lost, the mean over the tables of each fixture",
    "head_to_head": "points among those level, if all of them met equally often",
    "buchholz": "sum of the opponents' scores",
    "sonneborn_berger": "scores of those beaten, and half the scores of those drawn with",
    "board_score_difference": "stones won less stones lost, the mean over the tables of each fixture",
    "wins": "opponents beaten",
    "lot": "drawn from the event's secret; the lower one comes first",
}
PROPER_NAMES = frozenset({"Swiss"})
BOARD_KINDS = {"deal": "deal boards", "game": "game boards"}
FAULTS = {
    "substitute": "A bot's first three faults at a table are replaced by a fallback action; "
    "the fourth, or a bot that is gone, forfeits the table.",
    "strict": "A bot's first fault forfeits the table.",
}


class BotLabel(NamedTuple):
    """A version of a bot as pages name it."""

    name: str
    number: int
    page: str
    """Public id of the bot, whose page everybody may open; empty for a private one."""


@dataclasses.dataclass(frozen=True)
class EntryLabel:
    """An entry as pages show it."""

    id: str
    bots: tuple[BotLabel, ...]
    """One, or the two of a pair."""
    player: str
    is_organisers_own: bool
    seed: int | None

    @property
    def name(self) -> str:
        """The bots in words."""
        return " + ".join(f"{bot.name} v{bot.number}" for bot in self.bots)


def bot_label(version: BotVersion) -> BotLabel:
    """The label of a version that came with its bot: the same for everybody, as whole pages are kept."""
    bot = version.bot
    is_public = bot.visibility == Bot.Visibility.PUBLIC
    return BotLabel(bot.name, version.number, bot.public_id if is_public else "")


def entry_label(entry: Entry) -> EntryLabel:
    """The label of an entry that came with its player, versions and bots."""
    return EntryLabel(
        id=entry.public_id,
        bots=tuple(bot_label(version) for version in entry.versions()),
        player=entry.player.handle,
        is_organisers_own=entry.is_organisers_own,
        seed=entry.seed,
    )


def in_sentence(title: str) -> str:
    """A title as it stands inside a sentence.

    >>> in_sentence("Swiss"), in_sentence("Round robin")
    ('Swiss', 'round robin')
    """
    return " ".join(word if word in PROPER_NAMES else word.lower() for word in title.split())


def criteria_of(tournament: Tournament) -> list[str]:
    """What orders the standings, in the order it is applied; no value twice."""
    names = [tournament.scoring]
    for name in [*tournament.tie_breaks, "lot"]:
        if name not in names and not (name == "board_score_difference" and "board_score" in names):
            names.append(name)
    return names


@dataclasses.dataclass(frozen=True)
class TableLabel:
    """What sits round a table, in words."""

    sides: int
    is_free_for_all: bool
    mixes_partners: bool = False
    """Everybody enters alone and partners everybody in turn."""
    counts_points: bool = True
    """Match points order the table, not board scores."""

    @property
    def size(self) -> str:
        """``2 pairs`` or ``5 seats``."""
        return f"{self.sides} {'seats' if self.is_free_for_all else 'pairs'}"

    @property
    def bye(self) -> str:
        """What is said of an entry without a fixture."""
        return "has a bye" if self.sides == 2 and not self.mixes_partners else "sits out"

    @property
    def bye_counts(self) -> str:
        """What that is worth."""
        if not self.counts_points:
            return "Who has no fixture in a round scores nothing in it."
        if self.sides == 2:
            return "A bye counts as a win."
        return f"Who sits out gets the points of {self.sides - 1} draws."

    @property
    def counts(self) -> list[tuple[str, str]]:
        """Heading and meaning of the columns that count fixtures."""
        by = "" if self.sides == 2 else ", by opponent"
        played = "Fixtures played, byes included" if self.sides == 2 else "Rounds, those sat out included"
        return [("P", played), ("W", f"Won{by}"), ("D", f"Drawn{by}"), ("L", f"Lost{by}")]

    @property
    def by_opponent(self) -> str:
        """What is won, drawn and lost, where that needs saying."""
        return "" if self.sides == 2 else "Won, drawn and lost are counted by opponent."


def table_label(tournament: Tournament, *, mixes_partners: bool = False) -> TableLabel:
    """The words for the tables of an event. ``mixes_partners``: ``competition.selectors.partners_change``."""
    sides = sides_of(tournament)
    return TableLabel(
        len(sides),
        is_free_for_all=all(len(side) == 1 for side in sides),
        mixes_partners=mixes_partners,
        counts_points=tournament.scoring == "match_points",
    )


def rule_lines(tournament: Tournament, stages: Sequence[Stage], table: TableLabel) -> list[tuple[str, str]]:
    """The event's conditions, one term and sentence each."""
    clock = tournament.clock
    bank = f"bank_cpu_ms_per_{tournament.board_kind}_board"
    orders = " → ".join(SCORE_NAMES[name] for name in criteria_of(tournament))
    scoring = _scoring(tournament, table)
    times = [
        (clock.get(bank), "of CPU a board, banked for the whole table"),
        (clock.get("increment_cpu_ms"), "more with every decision"),
        (clock.get("decision_cpu_cap_ms"), "at most for one decision"),
        (clock.get("start_wall_ms"), "to start up"),
    ]
    clock_text = "; ".join(f"{milliseconds(value)} {what}" for value, what in times if value is not None)
    return [
        (
            "Boards",
            f"{_boards(tournament, stages)} All fixtures of a round play the same cards. Within a fixture "
            f"each board is played {table.sides} times, so that every entry holds every hand once."
            f"{_plan(tournament)}",
        ),
        ("Table", _table(table)),
        ("Order", f"{scoring} Equals are parted by, in this order: {orders.partition(' → ')[2]}."),
        ("Clock", f"{clock_text}."),
        ("Faults", FAULTS.get(tournament.fault_policy, tournament.fault_policy)),
        (
            "Rules",
            format_html("{}, rules version {}.", preset_link(tournament.preset), tournament.rules_version),
        ),
        *([("Budget", _budget(tournament))] if tournament.budget_cpu_s is not None else []),
    ]


def _boards(tournament: Tournament, stages: Sequence[Stage]) -> str:
    """How many a round, stage by stage where they differ."""
    kind = BOARD_KINDS[tournament.board_kind]
    counts = [stage.boards_per_round or tournament.boards_per_round for stage in stages]
    if len(set(counts)) < 2:
        return f"{counts[0] if counts else tournament.boards_per_round} {kind} a round."
    return f"{', '.join(map(str, counts))} {kind} a round in stage 1 to {len(counts)}."


def _plan(tournament: Tournament) -> str:
    """When the schedule is played again."""
    if tournament.board_plan != Tournament.BoardPlan.UNTIL_SEPARATED:
        return ""
    return (
        f" The schedule is played again, {tournament.most_passes} times at most, until the boards tell all "
        "neighbours of the table apart."
    )


def _budget(tournament: Tournament) -> str:
    """What all bots may use, and once it is over what they used: before, the sum would tell of tables."""
    limit = f"{tournament.budget_cpu_s} CPU-seconds for all bots together"
    if tournament.state not in OVER:
        return f"{limit}."
    return f"{limit}; {tournament.cpu_ms_spent // 1000} were used."


def _scoring(tournament: Tournament, table: TableLabel) -> str:
    if tournament.scoring != "match_points":
        return "The sum of board scores counts."
    if table.sides == 2:
        return "Two match points for a fixture won, one for a draw; a bye counts as a win."
    return (
        "In a fixture an entry gets two match points for every opponent with a lower total and one for "
        f"every draw. {table.bye_counts}"
    )


def _table(table: TableLabel) -> str:
    if table.mixes_partners:
        return (
            f"{table.size} that change from round to round: everybody enters alone, and partners and opposes "
            "the others evenly."
        )
    if table.sides == 2:
        return f"{table.size}; the entries of a fixture change places once."
    if not table.is_free_for_all:
        return f"{table.size}; each entry of a fixture sits as each pair once."
    return (
        f"{table.size}, everybody alone; each entry of a fixture sits on each seat once. Neighbours change "
        "from round to round, so that everybody follows everybody equally often."
    )


def option_lines(ruleset: dict[str, Any]) -> list[tuple[str, str]]:
    """Every option of the ruleset as text."""

    def text(value: Any) -> str:
        match value:
            case None:
                return "none"
            case bool():
                return "yes" if value else "no"
            case list():
                return ", ".join(map(str, value)) or "none"
            case _:
                return str(value)

    return [(name.replace("_", " "), text(value)) for name, value in sorted(ruleset.items())]
