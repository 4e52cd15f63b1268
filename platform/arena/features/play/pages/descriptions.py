"""Title, facts and results of a table in words."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.common.game_titles import preset_title
from arena.features.play.models import CasualTable
from arena.features.play.offers import ACCOUNTS
from arena.features.play.pages.titles import CLOCKS, DEALS, house_name
from arena.features.play.position import SeatedTable, SeatPosition, partner_seat_of
from arena.web.base.wording import join_facts
from viewer.position_scene import Observation
from viewer.texts import signed


def table_title(table: SeatedTable) -> str:
    return preset_title(table.preset, len(table.seats))


def table_description(table: CasualTable) -> list[str]:
    clock = [str(CLOCKS[f"{table.clock_s}"])] if table.clock_s else []
    practice = [_("practice")] if table.practice else []
    return [str(DEALS[table.deals]), *clock, *practice]


def bot_name(label: str) -> str:
    """Return a bot's name for pages, such as ``house:greedy`` for ``house greedy``."""
    owner, _, kind = label.partition(" ")
    return house_name(kind) if owner == "house" and kind in ACCOUNTS else label


def bot_names(table: SeatedTable) -> dict[int, str]:
    return {row["seat"]: bot_name(row["label"]) for row in table.seats if row["seat"] != table.seat}


def table_facts(table: SeatedTable, position: SeatPosition, ended: Observation | None = None) -> list[str]:
    """Return the current facts; ``ended`` is the last observation of a previous deal that is displayed."""
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
    facts.append(_("practice") if table.practice else _("unrated"))
    return facts


def side_text(table: SeatedTable, stones: str) -> str:
    if partner_seat_of(table) is None:
        return _("you %(stones)s") % {"stones": stones}
    return _("you and your partner %(stones)s") % {"stones": stones}


def result_text(table: SeatedTable, stones: int) -> str:
    return _result_sentence(_("You") if partner_seat_of(table) is None else _("You and your partner"), stones)


def guest_result_text(table: SeatedTable, stones: int) -> str:
    alone = partner_seat_of(table) is None
    return _result_sentence(_("The guest") if alone else _("The guest and the partner"), stones)


def practice_text(table: CasualTable) -> str:
    """Return what helped the person at a practice table; empty for other tables."""
    if not table.practice:
        return ""
    plays = len(table.taken_back)
    hints = ngettext("%(count)d hint", "%(count)d hints", table.hints) % {"count": table.hints}
    taken_back = ngettext("%(count)d play taken back", "%(count)d plays taken back", plays) % {"count": plays}
    return _("Practice table: %(help)s.") % {"help": join_facts([hints, taken_back])}


def _result_sentence(who: str, stones: int) -> str:
    number = abs(stones)
    values = {"who": who, "count": number}
    if not stones:
        return _("%(who)s neither won nor lost a stone.") % values
    if number == 1:
        return (_("%(who)s won 1 stone.") if stones > 0 else _("%(who)s lost 1 stone.")) % values
    return (
        _("%(who)s won %(count)d stones.") if stones > 0 else _("%(who)s lost %(count)d stones.")
    ) % values
