"""What stays the same while a deal is played: roles, trump, hands, stones before it."""

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

Said = tuple[tuple[Seat, Action], ...]
"""Answers to one decision, by seat."""
Trick = tuple[Seat, tuple[Card, ...], Seat]
"""Leader, cards in the order played, winner."""
Frame = tuple[str, str, str, str]

_PACK = tuple(KAKEYA_PACK.bit.values())


def masks_of(deck: tuple[Card, ...]) -> tuple[int, ...]:
    """The cards of a deck as masks, in their order."""
    return tuple(map(KAKEYA_PACK.bit.__getitem__, deck))


class Setting(NamedTuple):
    """What stays the same for a whole board."""

    ruleset: KakeyaRuleset
    board: Board
    sides: tuple[Side, ...]
    """All pairs, in the order of their lower seats; elsewhere a pair is its index here."""
    variant: Variant
    """What the rules say where the variants differ."""

    def deck(self, number: int) -> tuple[int, ...]:
        """The deck of deal ``number``, cards as masks: given with the board, or derived from its seed.

        A deal board has one deck, whatever number its deal has among those of a game.
        """
        index = 0 if self.board.kind == "deal" else number - 1
        if index < len(self.board.decks):
            return masks_of(KAKEYA_PACK.check_deck(self.board.decks[index]))
        return shuffled(_PACK, stream_label(GAME_KEY, self.board.seed, number, "deal"))


class Seating(NamedTuple):
    """Who sits where, from roles and direction alone. Tuples by seat have an unused item 0."""

    order: tuple[Seat, ...]
    """Active seats in the order of turns, from any of them."""
    by_pile: tuple[Seat, ...]
    """The seat that gets each pile."""
    decider: Seat
    """Who leads when no declaration settles it. Source: docs/rules/kakeya.md#dealing."""
    side_of: tuple[int, ...]
    """The pair of each seat."""
    followers: tuple[tuple[Seat, ...], ...]
    """Who plays after each seat, as the ``to_act`` it makes; () for a resting one."""
    rounds: tuple[tuple[Seat, ...], ...]
    """All active seats in the order of turns from each seat; () for a resting one."""
    rounds_ended: tuple[tuple[Seat, ...], ...]
    """The same with each seat as the last: the order of a trick that it ends."""
    playing: tuple[int, int]
    """The two pairs that play."""
    seats: tuple[Seat, ...]
    """All seats, ascending."""
    pairs: tuple[int, ...]
    """The pair of each of them."""


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
    at = order.index(first)
    return order[at:] + order[:at]


class DealTexts:
    """What the observations of one deal share, remembered. Nobody can see it from outside."""

    __slots__ = ("end", "frames", "pictures", "played", "said", "told", "tricks")

    def __init__(self) -> None:
        self.said: Said | None = None
        """The declarations for which ``frames`` were written; None: none were yet."""
        self.frames: dict[Seat, Frame]
        """By seat, the pieces of the text before and between what changes from card to card."""
        self.end: tuple[str, str, str]
        """For all seats, the pieces before the finished tricks, before the pictures, and after them."""
        self.played: dict[Card, str]
        """A card in a trick under way, with the seat that played it."""
        self.told: tuple[tuple[Trick, ...] | None, str] = (None, "")
        """Finished tricks, and all of the text from them on."""
        self.tricks: tuple[tuple[Trick, ...], str] = ((), "")
        """Finished tricks, and their text."""
        self.pictures: dict[int, str] = {}
        """By mask, pictures that a pair has captured."""


class Deal:
    """One deal as dealt. A value, shared by all its states.

    A slots class: every play reads it. Tuples by seat have an unused item 0.
    """

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
        proposals: Said = (),
        dealt_cards: tuple[int, ...] = (),
    ) -> None:
        ruleset = setting.ruleset
        self.setting = setting
        self.number = number
        """From 1; on a deal board always 1."""
        self.turn = turn
        """The h of the priority member; in Meiji Etori the place in the cycle of trumps."""
        self.roles = roles
        self.trump = trump
        """In force; while proposals are being made, the one they may change."""
        self.stones = stones
        """By pair, before this deal."""
        self.results = results
        """Stones won by pair in each deal before this one."""
        self.proposals = proposals
        self.dealt_cards = dealt_cards
        """The deck, its cards as masks; empty while proposals are being made."""
        self.sides = setting.sides
        self.seating = _seating(setting.sides, roles, turn % 2 == 1, ruleset.direction)
        self.side_of = self.seating.side_of
        """The pair of each seat."""
        self.rounds = self.seating.rounds
        """Who plays in which order from each seat on."""
        self.rounds_ended = self.seating.rounds_ended
        """Who has played in which order when each seat ends a trick."""
        self.rensho = setting.variant.rensho(trump)
        """The card that beats everything."""
        self.free = KAKEYA_PACK.bit[self.rensho] if ruleset.rensho_free else 0
        """What need not follow suit, as a mask."""
        self.stops_early = ruleset.early_stop
        """Whether play ends with the last picture taken."""
        self.strengths = strengths_by_led(trump, self.rensho)
        """How strong each card is by the suit led, as the mask of its cards."""
        self.texts: DealTexts | None = None
        """Made with the first of them."""
        hands = [0] * len(self.side_of)
        if dealt_cards:
            for seat, pile in zip(self.seating.by_pile, piles(dealt_cards), strict=True):
                hands[seat] = sum(pile)
        self.hands = tuple(hands)
        """Dealt cards of each seat as a mask; 0 for a resting seat and before the deal."""
        self.next_hands = tuple(
            [(to_act, hands[to_act[0]] if to_act else 0) for to_act in self.seating.followers]
        )
        """Who plays after each seat, as the ``to_act`` it makes, and the cards it was dealt as a mask."""

    @property
    def deck(self) -> tuple[Card, ...]:
        """The cards in the order dealt; empty while proposals are being made."""
        return tuple([KAKEYA_PACK.cards[card.bit_length() - 1] for card in self.dealt_cards])

    @property
    def decider(self) -> Seat:
        """Who leads when no declaration settles it."""
        return self.seating.decider

    def by_seat(self, by_pair: Sequence[int]) -> dict[Seat, int]:
        """Numbers of pairs by seat, ascending, in a new dictionary; both of a pair show the pair's."""
        seating = self.seating
        return dict(zip(seating.seats, map(by_pair.__getitem__, seating.pairs), strict=True))

    def of_playing(self, by_pair: tuple[int, ...]) -> list[tuple[Side, int]]:
        """Numbers of pairs, resting ones left out, in the order of their lower seats."""
        numbers = zip(self.sides, by_pair, strict=True)
        return [(side, number) for side, number in numbers if side[0] in self.roles.active]

    def dealt(self, trump: Suit, proposals: Said) -> Deal:
        """This deal with ``trump`` as proposed and its cards on the table."""
        return deal_out(
            self.setting, self.number, self.turn, self.roles, trump, self.stones, self.results, proposals
        )

    def following(self, result: DealResult) -> Deal:
        """The next deal of a game after this one ended so; its cards are not on the table yet."""
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
    proposals: Said = (),
) -> Deal:
    """A deal with its cards on the table, which may change ``trump``. Fields as in ``Deal``."""
    deck = setting.deck(number)
    seed = setting.board.seed
    last = KAKEYA_PACK.cards[deck[-1].bit_length() - 1]
    trump = setting.variant.dealt_trump(setting.ruleset, seed, number, turn, trump, last)
    return Deal(setting, number, turn, roles, trump, stones, results, proposals, deck)


class DealResult(NamedTuple):
    """What a finished deal was worth."""

    winners: Side
    """The winning pair, () if neither won."""
    losers: Side
    category: str | None
    """Ace category of the winners where it decides the payment."""
    stones: tuple[int, ...]
    """Won or lost, by pair; 0 for a resting one."""


def deal_result(deal: Deal, captured: tuple[int, ...]) -> DealResult:
    """Winner and payment, from the masks of pictures each pair captured.

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
