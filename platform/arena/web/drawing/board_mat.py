"""Diagram of a board's deal and its important holdings, from the view of one of its tables."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from arena.matches.board_tables import first_table_with_view
from arena.matches.models import BoardSet
from arena.web.drawing.board_facts import Holding, board_in_view, key_holdings, load_table_view, undo_swaps
from viewer import cards
from viewer.mat import deal_diagram, deck_of
from viewer.shapes import ViewBoard, ViewDeal
from viewer.texts import ViewerTexts, viewer_texts


@dataclasses.dataclass(frozen=True)
class HoldingLine:
    kind: str
    card: SafeString
    seats: tuple[int, ...]
    count: int


def board_diagram_context(board_set: BoardSet, number: int) -> dict[str, Any] | None:
    """Return the deal of a closed board; None for games of many deals, or if no table has a view.

    One query.
    """
    if board_set.is_sealed or board_set.kind != "deal":
        return None
    table = first_table_with_view(board_set, number)
    view = load_table_view(table) if table is not None else None
    board = board_in_view(view, number) if view is not None else None
    if table is None or view is None or board is None:
        return None
    texts = viewer_texts(get_language() or "en")
    deal = undo_swaps(board["deals"][0])
    dealt_board: ViewBoard = {**board, "deals": [deal]}
    deck = deck_of(deal)
    codes = {card for hand in deal["hands"].values() for card in hand}
    court = str(view["options"].get("court_order", cards.COURT_ORDER))
    symbols = cards.symbols([*codes, *_extra(deal)], deck, court)
    return {
        "symbols": mark_safe(symbols + cards.marks()),
        "diagram": mark_safe(deal_diagram(dealt_board, texts=texts, court=court)),
        "held": tuple(_holding_line(holding, texts, deck) for holding in key_holdings(deal, view["sides"])),
        "trump": texts.suits[deal["trump"]] if "trump" in deal else "",
        "dealers": (deal["dealer"],) if "dealer" in deal else tuple(deal.get("dealers", ())),
        "leaders": tuple(deal.get("leaders", ())),
        "resting": tuple(deal.get("resting", ())),
        "table": table.public_id,
    }


def _extra(deal: ViewDeal) -> list[str]:
    """Return drawn cards that are in no hand."""
    return [deal["rensho"]] if "rensho" in deal else []


def _holding_line(holding: Holding, texts: ViewerTexts, deck: cards.Deck) -> HoldingLine:
    text = ""
    if holding.card:
        text = (
            cards.card_text(holding.card, texts)
            if deck == "french"
            else cards.card_name(holding.card, deck, texts)
        )
    return HoldingLine(holding.kind, mark_safe(text), holding.seats, holding.pictures)
