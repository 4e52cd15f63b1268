"""The fixed conditions of a deal: roles, trump, hands, stones before it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import add
from typing import NamedTuple

from engine.cards import KAKEYA_PACK, Card, Suit
from engine.game import Action, Board, Seat, Side
from engine.games.kakeya.options import GAME_KEY
from engine.games.kakeya.rotation import Roles, deciding_leader, in_direction, pile_order, piles
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.scoring import Taken, strengths_by_led
from engine.games.kakeya.variants import Variant
from engine.shuffle import shuffled, stream_label

Answers = tuple[tuple[Seat, Action], ...]
Trick = tuple[Seat, tuple[Card, ...], Seat]
"""Leader, cards in the order played, winner."""
Frame = tuple[str, str, str, str]

_PACK = tuple(KAKEYA_PACK.bit.values())


def masks_of(deck: tuple[Card, ...]) -> tuple[int, ...]:
    return tuple(map(KAKEYA_PACK.bit.__getitem__, deck))


class Setting(NamedTuple):
    ruleset: KakeyaRuleset
    board: Board
    sides: tuple[Side, ...]
    """All pairs, in the order of their lower seats. Elsewhere, a pair is its index here."""
    variant: Variant
    """Rules in which the variants differ."""

    def deck(self, number: int) -> tuple[int, ...]:
        """Return the deck of deal ``number`` as masks. A deal board has one deck, whatever the number."""
        index = 0 if self.board.kind == "deal" else number - 1
        decks = self.board.given_decks
        if index < len(decks):
            return masks_of(KAKEYA_PACK.check_deck(decks[index]))
        return shuffled(_PACK, stream_label(GAME_KEY, self.board.seed, number, "deal"))


class Seating(NamedTuple):
    order: tuple[Seat, ...]
    """Active seats in turn order, starting with any of them."""
    by_pile: tuple[Seat, ...]
    """Seat that gets each pile."""
    decider: Seat
    """Seat that leads if declarations do not settle it. Source: docs/rules/kakeya.md#dealing."""
    side_of: tuple[int, ...]
    """Pair by seat."""
    followers: tuple[tuple[Seat, ...], ...]
    """Next seat after each seat, as the resulting ``to_act``; () for a resting seat."""
    rounds: tuple[tuple[Seat, ...], ...]
    """All active seats in turn order, starting with each seat; () for a resting seat."""
    rounds_ended: tuple[tuple[Seat, ...], ...]
    """All active seats in turn order, ending with each seat; () for a resting seat."""
    playing: tuple[int, int]
    """The two pairs that play."""
    seats: tuple[Seat, ...]
    pairs: tuple[int, ...]
    """Pair of each of ``seats``."""


@cache
def _seating(sides: tuple[Side, ...], roles: Roles, turn_is_odd: bool, direction: str) -> Seating:
    order = in_direction(roles.active, direction)
    following = dict(zip(order, order[1:] + order[:1], strict=True))
    pair_of = {seat: index for index, side in enumerate(sides) for seat in side}
    seats = tuple(sorted(pair_of))
    pairs = tuple([pair_of[seat] for seat in seats])
    by_pile = pile_order(roles, int(turn_is_odd), direction)
    return Seating(
        order,
        by_pile,
        deciding_leader(roles, by_pile),
        (-1, *pairs),
        ((), *((following[seat],) if seat in following else () for seat in seats)),
        ((), *(_in_turn(order, seat) if seat in following else () for seat in seats)),
        ((), *(_in_turn(order, following[seat]) if seat in following else () for seat in seats)),
        (pair_of[roles.active[0]], pair_of[roles.active[1]]),
        seats,
        pairs,
    )


def _in_turn(order: tuple[Seat, ...], first: Seat) -> tuple[Seat, ...]:
    start = order.index(first)
    return order[start:] + order[:start]


class DealTexts:
    """Cached JSON fragments that the observations of a deal share. Not part of the state's value."""

    __slots__ = ("end", "frames", "pictures", "played", "said", "told", "tricks")

    def __init__(self) -> None:
        self.said: Answers | None = None
        """Declarations for which ``frames`` was built; None if it was not."""
        self.frames: dict[Seat, Frame]
        """By seat, the fragments before and between the fields that change with each card."""
        self.end: tuple[str, str, str]
        """For all seats, the fragments before the finished tricks, before the pictures, and after them."""
        self.played: dict[Card, str]
        """A card of the current trick with its seat."""
        self.told: tuple[tuple[Trick, ...] | None, str] = (None, "")
        """Finished tricks, and the text from them to the end."""
        self.tricks: tuple[tuple[Trick, ...], str] = ((), "")
        """Finished tricks, and their text."""
        self.pictures: dict[int, str] = {}


class Deal:
    """A deal before play. Immutable, shared by all its states; tuples by seat have an unused item 0."""

    __slots__ = (
        "dealt_cards",
        "free",
        "hands",
        "next_hands",
        "number",
        "proposals",
        "rensho",
        "results",
        "roles",
        "rounds",
        "rounds_ended",
        "seating",
        "setting",
        "side_of",
        "sides",
        "stones",
        "stops_early",
        "strengths",
        "texts",
        "trump",
        "turn",
    )

    def __init__(
        self,
        setting: Setting,
        number: int,
        turn: int,
        roles: Roles,
        trump: Suit,
        stones: tuple[int, ...],
        results: tuple[tuple[int, ...], ...],
        proposals: Answers = (),
        dealt_cards: tuple[int, ...] = (),
    ) -> None:
        ruleset = setting.ruleset
        self.setting = setting
        self.number = number
        """From 1; always 1 on a deal board."""
        self.turn = turn
        """The h of the priority member; in Meiji Etori, the position in the cycle of trumps."""
        self.roles = roles
        self.trump = trump
        """Current trump suit; before the proposals, the suit that they may change."""
        self.stones = stones
        self.results = results
        """Stones won by pair in each previous deal."""
        self.proposals = proposals
        self.dealt_cards = dealt_cards
        """The deck as masks; empty before the proposals are complete."""
        self.sides = setting.sides
        self.seating = _seating(setting.sides, roles, turn % 2 == 1, ruleset.direction)
        self.side_of = self.seating.side_of
        self.rounds = self.seating.rounds
        self.rounds_ended = self.seating.rounds_ended
        self.rensho = setting.variant.rensho(trump)
        """The card that beats all others."""
        self.free = KAKEYA_PACK.bit[self.rensho] if ruleset.rensho_free else 0
        """Mask of cards that need not follow suit."""
        self.stops_early = ruleset.early_stop
        """Whether play ends when the last picture is taken."""
        self.strengths = strengths_by_led(trump, self.rensho)
        """Strength of each card, by the mask of the suit led."""
        self.texts: DealTexts | None = None
        hands = [0] * len(self.side_of)
        if dealt_cards:
            for seat, pile in zip(self.seating.by_pile, piles(dealt_cards), strict=True):
                hands[seat] = sum(pile)
        self.hands = tuple(hands)
        """Dealt cards of each seat as a mask; 0 for a resting seat and before the deal."""
        self.next_hands = tuple(
            [(to_act, hands[to_act[0]] if to_act else 0) for to_act in self.seating.followers]
        )
        """Next seat after each seat, as the resulting ``to_act``, with the mask of its dealt cards."""

    @property
    def deck(self) -> tuple[Card, ...]:
        """The cards in the order dealt; empty before the proposals are complete."""
        return tuple([KAKEYA_PACK.cards[card.bit_length() - 1] for card in self.dealt_cards])

    @property
    def decider(self) -> Seat:
        return self.seating.decider

    def by_seat(self, by_pair: Sequence[int]) -> dict[Seat, int]:
        """Return values of pairs by seat, ascending, as a new dictionary."""
        seating = self.seating
        return dict(zip(seating.seats, map(by_pair.__getitem__, seating.pairs), strict=True))

    def of_playing(self, by_pair: tuple[int, ...]) -> list[tuple[Side, int]]:
        """Return values of the playing pairs, in the order of their lower seats."""
        numbers = zip(self.sides, by_pair, strict=True)
        return [(side, number) for side, number in numbers if side[0] in self.roles.active]

    def dealt(self, trump: Suit, proposals: Answers) -> Deal:
        return deal_out(
            self.setting, self.number, self.turn, self.roles, trump, self.stones, self.results, proposals
        )

    def following(self, result: DealResult) -> Deal:
        """Return the next deal of a game after this result; its cards are not dealt yet."""
        setting, number = self.setting, self.number + 1
        roles = setting.variant.next_roles(setting.ruleset, self.roles, result.winners, result.losers)
        stones = tuple(map(add, self.stones, result.stones))
        results = (*self.results, result.stones)
        return Deal(setting, number, number, roles, self.trump, stones, results)


def deal_out(
    setting: Setting,
    number: int,
    turn: int,
    roles: Roles,
    trump: Suit,
    stones: tuple[int, ...],
    results: tuple[tuple[int, ...], ...] = (),
    proposals: Answers = (),
) -> Deal:
    """Return a deal with its cards dealt, which may change ``trump``. Parameters as in ``Deal``."""
    deck = setting.deck(number)
    seed = setting.board.seed
    last = KAKEYA_PACK.cards[deck[-1].bit_length() - 1]
    trump = setting.variant.dealt_trump(setting.ruleset, seed, number, turn, trump, last)
    return Deal(setting, number, turn, roles, trump, stones, results, proposals, deck)


class DealResult(NamedTuple):
    winners: Side
    """The winning pair, or () if neither won."""
    losers: Side
    category: str | None
    """Ace category of the winners, if the payment depends on it."""
    stones: tuple[int, ...]
    """Stones won or lost by pair; 0 for a resting pair."""


def deal_result(deal: Deal, captured: tuple[int, ...]) -> DealResult:
    """Return winner and payment, from the mask of pictures captured by each pair.

    Source: docs/rules/kakeya.md#winner-of-a-deal, #payment, #end-of-a-game;
    docs/rules/etori.md#simplified-etori.
    """
    setting, sides = deal.setting, deal.sides
    first, second = playing = deal.seating.playing
    hands, (a, b), (c, d) = deal.hands, sides[first], sides[second]
    pictures = (captured[first].bit_count(), captured[second].bit_count())
    taken = Taken(pictures, (hands[a] | hands[b], hands[c] | hands[d]), deal.trump, deal.rensho)
    score = setting.variant.score(setting.ruleset, taken)
    if score.won is None:
        return DealResult((), (), score.category, (0,) * len(sides))
    winner, loser = playing[score.won], playing[1 - score.won]
    due = min(score.due, deal.stones[loser]) if setting.ruleset.debt is False else score.due
    stones = [0] * len(sides)
    stones[winner], stones[loser] = due, -due
    return DealResult(sides[winner], sides[loser], score.category, tuple(stones))
