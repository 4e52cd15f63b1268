"""The mat: hands around a middle, and a diagram of one deal with all hands open.

The style sheet places ``mat-seat-1`` to ``mat-seat-8``, anticlockwise from the reader's side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from viewer import cards
from viewer.cards import COURT_ORDER, Deck
from viewer.markup import Attributes, Html, element, joined
from viewer.shapes import Hands, ViewBoard, ViewDeal
from viewer.texts import ENGLISH, ViewerTexts

NO_NAMES: Mapping[int, str] = {}


def deck_of(deal: ViewDeal) -> Deck:
    return "komatsu" if "box" in deal else "french"


def hand_row(
    hand: Sequence[str],
    deck: Deck = "french",
    *,
    texts: ViewerTexts = ENGLISH,
    court: str = COURT_ORDER,
) -> Html:
    """Return a hand as a row of cards grouped by suit; the page must have their ``symbols``."""
    return render_hand(hand, [cards.card(code, deck, texts=texts, court=court) for code in hand], deck)


def render_hand(
    hand: Sequence[str], faces: Sequence[Html], deck: Deck, attributes: Attributes | None = None
) -> Html:
    """Return the drawn cards of a hand. French cards overlap within a suit, komatsufuda do not."""
    if deck == "french":
        drawn = iter(faces)
        faces = [
            element("span", {"class": "hand-suit"}, *(next(drawn) for _ in codes))
            for _, codes in groupby(hand, key=lambda code: code[1])
        ]
    return hand_box(deck, attributes, *faces)


def hand_box(deck: Deck, attributes: Attributes | None, *parts: Html) -> Html:
    kind = "hand hand-fan" if deck == "french" else "hand hand-flat"
    return element("div", {"class": kind, **(attributes or {})}, *parts)


def dealt_hands(deal: ViewDeal) -> Hands:
    """Return the hands of a deal before any swap."""
    hands = dict(deal["hands"])
    for item in reversed(deal["before"]):
        if "hands" in item:
            first, other = item["hands"]
            hands[first], hands[other] = hands[other], hands[first]
    return hands


def seat_block(seat: int, *parts: Html, is_resting: bool = False, is_acting: bool = False) -> Html:
    kind = f"mat-seat mat-seat-{seat}" + (" is-resting" if is_resting else "")
    return element("div", {"class": kind, "data-seat": seat, "data-acting": is_acting}, *parts)


def mat(
    kind: str, middle: Html, seats: Iterable[Html], *corners: Html, attributes: Attributes | None = None
) -> Html:
    """Return a mat of a kind such as ``mat-4``: its corners, its middle and its seats."""
    return element("div", {"class": f"mat {kind}", **(attributes or {})}, *corners, middle, *seats)


def mat_class(deck: Deck, seats: int) -> str:
    return f"mat-{seats}" if deck == "french" and seats in (4, 6) else f"mat-k{seats}"


def seat_roles(deal: ViewDeal, seat: int, texts: ViewerTexts) -> list[str]:
    """Return the roles of a seat in a deal, such as dealer."""
    roles = []
    pair = deal.get("dealers")
    if pair is None:
        roles += [texts.dealer] if deal.get("dealer") == seat else []
    elif seat in ([deal["dealer"]] if "dealer" in deal else pair):
        roles.append(texts.deals)
    if seat in deal.get("leaders", []):
        roles.append(texts.may_lead)
    return roles


def deal_diagram(
    board: ViewBoard,
    *,
    texts: ViewerTexts = ENGLISH,
    names: Mapping[int, str] = NO_NAMES,
    deal: int = 1,
    sides: Sequence[Sequence[int]] | None = None,
    court: str = COURT_ORDER,
    below: Html | None = None,
) -> Html:
    """Return a mat with all hands of one deal as dealt, without script.

    ``names`` are added to the seats' numbers, ``sides`` adds crests; ``below`` is placed under trumps and
    Rensho.
    """
    drawn_deal = board["deals"][deal - 1]
    deck = deck_of(drawn_deal)
    resting = drawn_deal.get("resting", [])
    seats = sorted([*map(int, drawn_deal["hands"]), *resting])
    side = cards.side_by_seat(sides) if sides else None
    blocks = []
    for seat in seats:
        label = element(
            "p",
            {"class": "seat-label"},
            *([cards.mark(side[seat])] if side else []),
            element("b", {"class": "seat-name"}, texts.seat_name(seat)),
            *([element("span", {"class": "seat-bot"}, names[seat])] if seat in names else []),
            *(element("span", {"class": "seat-role"}, role) for role in seat_roles(drawn_deal, seat, texts)),
        )
        if seat in resting:
            hand = element("p", {"class": "seat-rests"}, texts.rests)
        else:
            hand = hand_row(drawn_deal["hands"][str(seat)], deck, texts=texts, court=court)
        blocks.append(seat_block(seat, label, hand, is_resting=seat in resting))
    middle = element(
        "div", {"class": "mat-middle"}, *_conditions(drawn_deal, texts), *([below] if below else [])
    )
    return mat(
        mat_class(deck, len(seats)),
        middle,
        blocks,
        attributes={"role": "group", "aria-label": texts.whole_deal.format(board=board["board"])},
    )


def _conditions(deal: ViewDeal, texts: ViewerTexts) -> list[Html]:
    if "trump" in deal:
        conditions = [
            (cards.suit_sign(deal["trump"], texts), Html(texts.trumps)),
            (cards.card(deal["rensho"], texts=texts), rensho_term(texts)),
        ]
    elif "box" in deal:
        conditions = [
            (
                cards.card_backs(1, "komatsu", texts),
                joined([texts.box, " ", element("b", None, str(deal["box"]))]),
            )
        ]
    else:
        return []
    return [
        element(
            "div",
            {"class": "mat-conditions"},
            *(
                element("span", {"class": "mat-condition"}, drawn, element("small", None, name))
                for drawn, name in conditions
            ),
        )
    ]


def rensho_term(texts: ViewerTexts) -> Html:
    """Return the word with its Japanese, for its first use on a page."""
    if texts.language == "ja":
        return Html(texts.rensho)
    return joined([texts.rensho, " ", element("span", {"lang": "ja"}, "れんしょ")])
