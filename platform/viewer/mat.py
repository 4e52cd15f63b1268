"""The mat: hands as fans and rows around a middle, and the drawing of one deal with all hands open.

Where a seat sits is a matter of the style sheet: ``mat-4``, ``mat-6``, ``mat-k2`` to ``mat-k8`` place
``mat-seat-1`` to ``mat-seat-8``. Seats go round anticlockwise, seat 1 at the reader's side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from viewer import cards
from viewer.cards import COURT_ORDER, Deck
from viewer.markup import Attributes, Html, element, joined
from viewer.shapes import Hands, ViewBoard, ViewDeal
from viewer.words import ENGLISH, Words

NO_NAMES: Mapping[int, str] = {}


def deck_of(deal: ViewDeal) -> Deck:
    """Which deck a deal is drawn with."""
    return "komatsu" if "box" in deal else "french"


def hand_row(
    hand: Sequence[str],
    deck: Deck = "french",
    *,
    words: Words = ENGLISH,
    court: str = COURT_ORDER,
) -> Html:
    """A hand as a row of cards in the order given, suit beside suit; the page has their ``symbols``."""
    return hand_of(hand, [cards.card(code, deck, words=words, court=court) for code in hand], deck)


def hand_of(
    hand: Sequence[str], faces: Sequence[Html], deck: Deck, attributes: Attributes | None = None
) -> Html:
    """The drawn cards of a hand. French cards overlap, suit by suit; komatsufuda lie side by side."""
    if deck == "french":
        drawn = iter(faces)
        faces = [
            element("span", {"class": "hand-suit"}, *(next(drawn) for _ in codes))
            for _, codes in groupby(hand, key=lambda code: code[1])
        ]
    return hand_box(deck, attributes, *faces)


def hand_box(deck: Deck, attributes: Attributes | None, *parts: Html) -> Html:
    """What holds the cards of a hand."""
    kind = "hand hand-fan" if deck == "french" else "hand hand-flat"
    return element("div", {"class": kind, **(attributes or {})}, *parts)


def dealt_hands(deal: ViewDeal) -> Hands:
    """The hands of a deal before any swap."""
    hands = dict(deal["hands"])
    for item in reversed(deal["before"]):
        if "hands" in item:
            one, other = item["hands"]
            hands[one], hands[other] = hands[other], hands[one]
    return hands


def seat_block(seat: int, *parts: Html, is_resting: bool = False, is_acting: bool = False) -> Html:
    """The place of a seat on the mat."""
    kind = f"mat-seat mat-seat-{seat}" + (" is-resting" if is_resting else "")
    return element("div", {"class": kind, "data-seat": seat, "data-acting": is_acting}, *parts)


def mat(
    kind: str, middle: Html, seats: Iterable[Html], *corners: Html, attributes: Attributes | None = None
) -> Html:
    """A mat of a kind such as ``mat-4``: its middle, its seats, and what lies in its corners."""
    return element("div", {"class": f"mat {kind}", **(attributes or {})}, *corners, middle, *seats)


def kind_of(deck: Deck, seats: int) -> str:
    """The class that places the seats."""
    return f"mat-{seats}" if deck == "french" and seats in (4, 6) else f"mat-k{seats}"


def roles_of(deal: ViewDeal, seat: int, words: Words) -> list[str]:
    """What a seat does in a deal besides playing."""
    roles = []
    pair = deal.get("dealers")
    if pair is None:
        roles += [words.dealer] if deal.get("dealer") == seat else []
    elif seat in ([deal["dealer"]] if "dealer" in deal else pair):
        roles.append(words.deals)
    if seat in deal.get("leaders", []):
        roles.append(words.may_lead)
    return roles


def deal_diagram(
    board: ViewBoard,
    *,
    words: Words = ENGLISH,
    names: Mapping[int, str] = NO_NAMES,
    deal: int = 1,
    sides: Sequence[Sequence[int]] | None = None,
    court: str = COURT_ORDER,
    below: Html | None = None,
) -> Html:
    """A mat with all hands of one deal as dealt; no script, nothing moves.

    ``names`` by seat are added to the seats' numbers, and ``sides`` adds crests; ``below`` goes under trumps
    and Rensho.
    """
    shown = board["deals"][deal - 1]
    deck = deck_of(shown)
    resting = shown.get("resting", [])
    seats = sorted([*map(int, shown["hands"]), *resting])
    side = cards.side_of(sides) if sides else None
    blocks = []
    for seat in seats:
        label = element(
            "p",
            {"class": "seat-label"},
            *([cards.mark(side[seat])] if side else []),
            element("b", {"class": "seat-name"}, words.seat_name(seat)),
            *([element("span", {"class": "seat-bot"}, names[seat])] if seat in names else []),
            *(element("span", {"class": "seat-role"}, role) for role in roles_of(shown, seat, words)),
        )
        if seat in resting:
            hand = element("p", {"class": "seat-rests"}, words.rests)
        else:
            hand = hand_row(shown["hands"][str(seat)], deck, words=words, court=court)
        blocks.append(seat_block(seat, label, hand, is_resting=seat in resting))
    middle = element("div", {"class": "mat-middle"}, *_conditions(shown, words), *([below] if below else []))
    return mat(
        kind_of(deck, len(seats)),
        middle,
        blocks,
        attributes={"role": "group", "aria-label": words.whole_deal.format(board=board["board"])},
    )


def _conditions(deal: ViewDeal, words: Words) -> list[Html]:
    """Trumps and Rensho, or the box, for the middle of the mat; nothing if the deal has neither."""
    if "trump" in deal:
        shown = [
            (cards.suit_sign(deal["trump"], words), Html(words.trumps)),
            (cards.card(deal["rensho"], words=words), rensho_term(words)),
        ]
    elif "box" in deal:
        shown = [
            (cards.backs(1, "komatsu", words), joined([words.box, " ", element("b", None, str(deal["box"]))]))
        ]
    else:
        return []
    return [
        element(
            "div",
            {"class": "mat-conditions"},
            *(
                element("span", {"class": "mat-condition"}, drawn, element("small", None, name))
                for drawn, name in shown
            ),
        )
    ]


def rensho_term(words: Words) -> Html:
    """The word with its Japanese beside it, as the first use on a page has it."""
    if words.language == "ja":
        return Html(words.rensho)
    return joined([words.rensho, " ", element("span", {"lang": "ja"}, "れんしょ")])
