"""What stays the same while a deal is played: roles, trump, hands, stones before it."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from engine.cards import KAKEYA_PACK, Card, Suit
from engine.game import Board, Seat, Side
from engine.games.kakeya.observation import DealTexts
from engine.games.kakeya.rotation import Roles, pile_order, piles
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.scoring import ace_category, deal_winner, paid, payment, trick_powers
from engine.shuffle import shuffled, stream_label

GAME_KEY = "kakeya"


class Setting(NamedTuple):
    """What stays the same for a whole board."""

    ruleset: KakeyaRuleset
    board: Board
    sides: tuple[Side, ...]
    """All pairs, in the order of their lower seats; elsewhere a pair is its index here."""

    def deck(self, number: int) -> tuple[Card, ...]:
        """The deck of deal ``number``: given with the board, or derived from its seed."""
        if number <= len(self.board.decks):
            return KAKEYA_PACK.check_deck(self.board.decks[number - 1])
        return shuffled(KAKEYA_PACK.cards, stream_label(GAME_KEY, self.board.seed, number, "deal"))


class Deal:
    """One deal as dealt. A value, shared by all its states.

    A slots class: every play reads it. Tuples by seat have an unused item 0.
    """

    __slots__ = (
        "active",
        "deck",
        "followers",
        "hands",
        "number",
        "powers",
        "proposals",
        "results",
        "roles",
        "setting",
        "side_of",
        "sides",
        "stones",
        "texts",
        "trick_size",
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
        proposals: tuple[tuple[Seat, str], ...] = (),
        deck: tuple[Card, ...] = (),
    ) -> None:
        seats = setting.ruleset.seats
        self.setting = setting
        self.number = number
        """From 1; on a deal board always 1."""
        self.turn = turn
        """The h of the priority member."""
        self.roles = roles
        self.trump = trump
        """In force; while proposals are being made, the one they may change."""
        self.stones = stones
        """By pair, before this deal."""
        self.results = results
        """Stones won by pair in each deal before this one."""
        self.proposals = proposals
        self.deck = deck
        """Empty while proposals are being made."""
        self.sides = setting.sides
        self.active = roles.active
        """Seats that play, ascending."""
        self.trick_size = len(self.active)
        self.side_of = _side_of(self.sides)
        """The pair of each seat."""
        self.followers = _followers(self.active, seats)
        """Who plays after each seat."""
        self.powers = trick_powers(trump)
        self.texts = DealTexts()
        hands = [0] * (seats + 1)
        if deck:
            for seat, pile in zip(pile_order(setting.ruleset, roles, turn), piles(deck), strict=True):
                hands[seat] = KAKEYA_PACK.mask(pile)
        self.hands = tuple(hands)
        """Dealt cards of each seat as a mask; 0 for a resting seat and before the deal."""

    @property
    def decider(self) -> Seat:
        """The leader who leads when the declarations leave it open. Source: RULES.md 2.5."""
        return pile_order(self.setting.ruleset, self.roles, self.turn)[0]

    def by_seat(self, by_pair: tuple[int, ...]) -> list[tuple[Seat, int]]:
        """Numbers of pairs as numbers of seats, ascending; both of a pair show the pair's."""
        return [(seat, by_pair[side]) for seat, side in enumerate(self.side_of) if seat]

    def of_playing(self, by_pair: tuple[int, ...]) -> list[tuple[Side, int]]:
        """Numbers of pairs, resting ones left out, in the order of their lower seats."""
        numbers = zip(self.sides, by_pair, strict=True)
        return [(side, number) for side, number in numbers if side[0] in self.active]

    def dealt(self, trump: Suit, proposals: tuple[tuple[Seat, str], ...]) -> Deal:
        """This deal with its trump settled and its cards on the table."""
        deck = self.setting.deck(self.number)
        return Deal(
            self.setting,
            self.number,
            self.turn,
            self.roles,
            trump,
            self.stones,
            self.results,
            proposals,
            deck,
        )


@cache
def _side_of(sides: tuple[Side, ...]) -> tuple[int, ...]:
    """Index of the side of each seat, -1 for seat 0."""
    by_seat = {seat: index for index, side in enumerate(sides) for seat in side}
    return (-1, *(by_seat[seat] for seat in sorted(by_seat)))


@cache
def _followers(active: tuple[Seat, ...], seats: int) -> tuple[tuple[Seat, ...], ...]:
    """The active seat to the right of each active seat, as the ``to_act`` it makes; () for others."""
    following = dict(zip(active, (*active[1:], active[0]), strict=True))
    return tuple((following[seat],) if seat in following else () for seat in range(seats + 1))


class DealResult(NamedTuple):
    """What a finished deal was worth."""

    winner: int
    """The winning pair."""
    loser: int
    category: str
    stones: tuple[int, ...]
    """Won or lost, by pair; 0 for a resting one."""


def deal_result(deal: Deal, captured: tuple[int, ...]) -> DealResult:
    """Winner and payment, from the masks of pictures each pair captured. Source: RULES.md 2.8-2.10."""
    playing = sorted(deal.side_of[side[0]] for side in (deal.roles.leaders, deal.roles.others))
    pictures = [captured[side].bit_count() for side in playing]
    dealt = [deal.hands[a] | deal.hands[b] for a, b in (deal.sides[side] for side in playing)]
    won = deal_winner(pictures, dealt, deal.trump)
    winner, loser = playing[won], playing[1 - won]
    category = ace_category(dealt[won], deal.trump)
    ruleset = deal.setting.ruleset
    stones = paid(ruleset, payment(ruleset, category, pictures[won]), deal.stones[loser])
    return DealResult(
        winner,
        loser,
        category,
        tuple(stones if s == winner else -stones if s == loser else 0 for s in range(len(deal.sides))),
    )
