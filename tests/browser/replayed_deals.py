"""What ``engine.record.replay`` says of the deals of a record, position by position of the viewer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from engine import Replay, State, replay


class Frame(NamedTuple):
    """What lies open at a position: the deal, what was declared, then every play."""

    hands: dict[str, list[str]]
    """By seat, sorted; a seat that rests has none."""
    trick: dict[str, str]
    """Card by seat; a full trick lies until the next lead."""
    winner: str
    """The seat that took the trick, once it is full."""
    pictures: list[int]
    """Taken so far, by side."""
    laid: list[str]
    """Kakkuri: the cards laid or turned last."""


class Deal(NamedTuple):
    """The frames of a deal and what it came to."""

    key: str
    """As the viewer addresses it: ``b2``, on a board of several deals ``b2d3``."""
    frames: list[Frame]
    stones: list[int]
    """Of each side that plays, in their order."""


def deals_of(record: bytes) -> list[Deal]:
    """Every deal of every board of a record."""
    replayed = replay(record)
    found = []
    for board in replayed.boards:
        outcomes = board.outcome.deals
        for at, frames in enumerate(_frames(replayed._replace(boards=(board,)))):
            key = f"b{board.board.number}" + (f"d{at + 1}" if len(outcomes) > 1 else "")
            firsts = [side[0] for side in replayed.game.sides(replayed.ruleset)]
            stones = [outcomes[at][seat] for seat in firsts if str(seat) in frames[0].hands]
            found.append(Deal(key, frames, stones))
    return found


def _frames(replayed: Replay) -> Iterator[list[Frame]]:
    """The frames of each deal of the one board there is."""
    walk = _Walk(replayed)
    previous: State | None = None
    for step in replayed.steps():
        for event in step.state.happened_since(previous):
            if event.kind == "deal_end":
                # A deal may end before anybody plays: an utazu in what was dealt or swapped.
                walk.begin()
                yield walk.frames
                walk = _Walk(replayed)
            if event.kind == "deal":
                hands = {seat: told["hand"] for seat, told in event.private.items()}
                seats = replayed.game.seats(replayed.ruleset)
                walk.deal(hands or packets(event.record["deck"], seats, event.public["dealer"]), event.public)
            walk.hear(event.kind, event.public)
        previous = step.state


def packets(deck: list[str], seats: int, dealer: int) -> dict[int, list[str]]:
    """The hands of Kakkuri: twice three cards, from the seat after the dealer."""
    ks = {seat: (seat - dealer - 1) % seats for seat in range(1, seats + 1)}
    return {s: deck[3 * k : 3 * k + 3] + deck[3 * (k + seats) : 3 * (k + seats) + 3] for s, k in ks.items()}


class _Walk:
    def __init__(self, replayed: Replay) -> None:
        self.sides = replayed.game.sides(replayed.ruleset)
        self.frames: list[Frame] = []
        self.hands: dict[str, list[str]] = {}
        self.trick: dict[str, str] = {}
        self.pictures = [0] * len(self.sides)
        self.is_before_play, self.has_declared = True, False
        self.dealer = ""

    def deal(self, hands: Mapping[int, list[str]], fields: Mapping[str, object]) -> None:
        """The hands as each seat is told of its own."""
        self.hands = {str(seat): list(hand) for seat, hand in hands.items()}
        self.dealer = str(fields.get("dealer"))
        self.add([])

    def add(self, laid: list[str], winner: str = "") -> None:
        hands = {seat: list(hand) for seat, hand in self.hands.items()}
        self.frames.append(Frame(hands, dict(self.trick), winner, list(self.pictures), laid))

    def hear(self, kind: str, fields: Mapping[str, object]) -> None:
        """Take an event into the frames; what is declared at the start makes one frame together."""
        action, seat = str(fields.get("action", "")), str(fields.get("seat", ""))
        if kind == "trick":
            winner = int(str(fields["winner"]))
            side = next(at for at, side in enumerate(self.sides) if winner in side)
            self.pictures[side] += int(str(fields["pictures"]))
            self.frames[-1] = self.frames[-1]._replace(winner=str(winner), pictures=list(self.pictures))
        elif kind in ("out", "utazu") or (kind == "act" and fields["phase"] not in ("play", "turn")):
            self.has_declared = True
            if action == "SWAP":
                hands = self.hands
                hands[seat], hands[self.dealer] = hands[self.dealer], hands[seat]
        elif kind == "turned" or kind == "act":
            self.begin()
            if kind == "turned":
                self.add([str(fields["card"])])
            elif fields["phase"] == "play":
                self._play(seat, action)
            else:
                self._turn(seat, action)

    def begin(self) -> None:
        """What was declared is complete."""
        if self.is_before_play and self.has_declared:
            self.add([])
        self.is_before_play = False

    def _play(self, seat: str, card: str) -> None:
        if len(self.trick) == 4:
            self.trick = {}
        self.hands[seat].remove(card)
        self.trick[seat] = card
        self.add([])

    def _turn(self, seat: str, action: str) -> None:
        laid = self.frames[-1].laid
        if "@" in action:
            laid = action.partition("@")[0].split("+")
            for card in laid:
                self.hands[seat].remove(card)
        self.add(laid)
