"""What the pages of a table say besides its drawing."""

from __future__ import annotations

from django.utils.translation import gettext as _

from arena.features.play.models import CasualTable
from arena.features.play.offers import ACCOUNTS
from arena.features.play.pages.titles import CLOCKS, family_name, house_name, preset_text
from arena.features.play.position import SeatPosition, partner_seat_of
from viewer.position_scene import Observation
from viewer.words import signed


def table_title(table: CasualTable) -> str:
    """``A hand of Kakeya``, or a game of it."""
    name = {"game": family_name(table.preset)}
    if table.deals == CasualTable.Deals.GAME:
        return _("A game of %(game)s") % name
    return _("A hand of %(game)s") % name


def table_description(table: CasualTable) -> list[str]:
    """What tells a table from others of its game: players and rules, the clock if there is one."""
    clock = [str(CLOCKS[f"{table.clock_s}"])] if table.clock_s else []
    return [preset_text(table.preset, len(table.seats)), *clock]


def bot_name(label: str) -> str:
    """A bot as pages name it: one of the house by the name that commands know it by.

    >>> bot_name("house greedy"), bot_name("house ismcts"), bot_name("greedy 3")
    ('house:greedy', 'house:ismcts', 'greedy 3')
    """
    owner, _, kind = label.partition(" ")
    return house_name(kind) if owner == "house" and kind in ACCOUNTS else label


def bot_names(table: CasualTable) -> dict[int, str]:
    """Who sits in the seats of bots."""
    return {row["seat"]: bot_name(row["label"]) for row in table.seats if row["seat"] != table.seat}


def partner_of(table: CasualTable) -> str:
    """Who the person's partner is; empty where everybody plays alone."""
    partner = partner_seat_of(table)
    return "" if partner is None else bot_names(table)[partner]


def table_facts(table: CasualTable, position: SeatPosition, ended: Observation | None = None) -> list[str]:
    """Where the table stands: deal, stones, that nothing of it counts. ``ended``: the deal before is shown,
    which is over."""
    facts = []
    deal = (position.observation if ended is None else ended)["deal"]
    if position.boards > 1:
        board = position.board - (ended is not None)
        facts.append(_("deal %(deal)d of %(count)d") % {"deal": board, "count": position.boards})
    elif deal > 1 or table.deals == CasualTable.Deals.GAME:
        facts.append(_("deal %(deal)d") % {"deal": deal})
    if table.deals == CasualTable.Deals.GAME:
        facts.append(side_text(table, f"{position.observation['stones'][str(table.seat)]}"))
    elif position.stones_so_far:
        facts.append(side_text(table, signed(position.stones_so_far[table.seat])))
    facts.append(_("unrated"))
    return facts


def side_text(table: CasualTable, stones: str) -> str:
    """The person's side and its stones: ``you and house:rules +1``."""
    partner = partner_of(table)
    if partner:
        return _("you and %(partner)s %(stones)s") % {"partner": partner, "stones": stones}
    return _("you %(stones)s") % {"stones": stones}


def result_text(table: CasualTable, stones: int) -> str:
    """What the person's side won, as a sentence to the person."""
    partner = partner_of(table)
    return _result_sentence(_("You and %(partner)s") % {"partner": partner} if partner else _("You"), stones)


def guest_result_text(table: CasualTable, stones: int) -> str:
    """The same, to others."""
    partner = partner_of(table)
    who = _("The guest and %(partner)s") % {"partner": partner} if partner else _("The guest")
    return _result_sentence(who, stones)


def _result_sentence(who: str, stones: int) -> str:
    number = abs(stones)
    words = {"who": who, "count": number}
    if not stones:
        return _("%(who)s neither won nor lost a stone.") % words
    if number == 1:
        return (_("%(who)s won 1 stone.") if stones > 0 else _("%(who)s lost 1 stone.")) % words
    return (_("%(who)s won %(count)d stones.") if stones > 0 else _("%(who)s lost %(count)d stones.")) % words
