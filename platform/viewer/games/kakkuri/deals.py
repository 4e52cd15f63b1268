"""Deals of Kakkuri in a view: swaps, turns, values that may follow, box and pot."""

from __future__ import annotations

from collections.abc import Iterable

from engine import Replay, ReplayedBoard, Seat
from engine.cards import KAKKURI_PACK, Card
from engine.games.kakkuri.deal import Deal, Setting
from engine.games.kakkuri.melds import VALUES, meld_table, next_values
from engine.games.kakkuri.ruleset import KakkuriRuleset
from engine.games.kakkuri.state import TURNS, KakkuriState
from engine.games.kakkuri.turns import FREE, MUST_TURN, RETURN
from engine.seats import seats_from
from viewer.board_events import BoardEvent, Clocks, board_events
from viewer.shapes import ViewDeal, ViewItem

_PACK_ORDER = {card: index for index, card in enumerate(KAKKURI_PACK.cards)}
_ENTRIES = {"PASS": "pass", "DROP": "drop", "TURN": "turn", "SANSOKU": "sansoku"}


def build_deals(replayed: Replay, board: ReplayedBoard, clocks: Clocks) -> list[ViewDeal]:
    assert isinstance(replayed.ruleset, KakkuriRuleset), "a ruleset of this game"
    reader = _DealReader(replayed.ruleset, board)
    for happening in board_events(replayed, board, clocks):
        reader.read(happening)
    return reader.deals


class _DealReader:
    def __init__(self, ruleset: KakkuriRuleset, board: ReplayedBoard) -> None:
        self.deals: list[ViewDeal] = []
        self._ruleset = ruleset
        self._setting = Setting.of(ruleset, board.board)
        self._melds = meld_table(
            ruleset.court_order, ruleset.wild_mode, wild_in_sansoku=ruleset.wild_in_sansoku
        )
        self._stones = dict.fromkeys(range(1, ruleset.seats + 1), ruleset.stones)
        """Before the next deal."""
        self._before: list[ViewItem] = []
        """Dealer decisions of the next deal."""
        self._hands: dict[Seat, tuple[Card, ...]] = {}
        self._box = self._pot = self._turn = self._lap = 0
        self._order: tuple[Seat, ...] = ()
        """Seats in turn from the first one; seats that are out or drop keep their position."""
        self._seat: Seat = 0
        self._is_over = True
        self._has_played = False

    def read(self, happening: BoardEvent) -> None:
        event = happening.event
        if event.kind == "deal":
            self._begin(event.public["deal"], event.public["dealer"])
        elif event.kind == "act":
            self._act(happening)
        elif event.kind == "turned":
            self._box -= 1
            follow = self._melds.values[event.public["card"]]
            self.deals[-1]["steps"].append(
                {
                    "k": "turned",
                    "a": event.public["card"],
                    "f": follow,
                    "may": sorted(next_values(follow)),
                    "box": self._box,
                }
            )
        elif event.kind in ("out", "utazu"):
            self.deals[-1]["before"].append({"k": event.kind, "s": event.public["seat"]})
        else:
            self._end(happening)

    def _begin(self, number: int, dealer: Seat) -> None:
        stones = (0, *self._stones.values())
        dealt = Deal(self._setting, number, dealer, stones, ())
        seats = range(1, self._ruleset.seats + 1)
        self._hands = {seat: KAKKURI_PACK.listed(dealt.hands[seat]) for seat in seats}
        self._box, self._pot, self._turn, self._lap = len(dealt.box), 0, 0, 0
        self._order, self._seat, self._is_over = (), 0, True
        self.deals.append(
            {
                "deal": number,
                "dealer": dealer,
                "box": self._box,
                "stones": {str(seat): self._stones[seat] for seat in seats}
                if self._setting.board.kind == "game"
                else None,
                "hands": {str(seat): self._sort_hand(self._hands[seat]) for seat in seats},
                "before": self._before,
                "steps": [],
                "end": {"winner": [], "stones": {}, "how": None},
            }
        )
        self._before = []

    def _act(self, happening: BoardEvent) -> None:
        phase, seat = happening.event.public["phase"], happening.event.public["seat"]
        action = happening.event.public["action"]
        if phase == TURNS:
            self._turns(happening, seat, action)
            return
        item: ViewItem = {**happening.entry(phase), "a": action}
        if action == "SWAP":
            deal = self.deals[-1]
            dealer = deal["dealer"]
            self._hands[seat], self._hands[dealer] = self._hands[dealer], self._hands[seat]
            item["hands"] = {
                str(other): self._sort_hand(self._hands[other]) for other in sorted((seat, dealer))
            }
            deal["hands"].update(item["hands"])
        (self._before if phase == "deal" else self.deals[-1]["before"]).append(item)

    def _turns(self, happening: BoardEvent, seat: Seat, action: str) -> None:
        self._take_turn(seat)
        item: ViewItem = {
            **happening.entry(_ENTRIES.get(action, "meld")),
            "turn": self._turn,
            "lap": self._lap,
        }
        if action not in _ENTRIES:
            cards = action.partition("@")[0].split("+")
            self._has_played = True
            self._hands[seat] = tuple(card for card in self._hands[seat] if card not in cards)
            follow = self._melds.by_text[action].value
            item["a"], item["c"], item["f"] = action, cards, follow
            item["may"], item["left"] = sorted(next_values(follow)), len(self._hands[seat])
        elif action in ("PASS", "DROP"):
            self._is_over = True
            if action == "DROP" or (self._ruleset.pass_penalty and not self._has_played):
                self._pot += 1
                item["pot"] = self._pot
            self._mark_return_turn(happening, item)
        self.deals[-1]["steps"].append(item)

    def _mark_return_turn(self, happening: BoardEvent, item: ViewItem) -> None:
        """Mark the end of a turn if it now returns to the last seat that played."""
        state = happening.state
        assert isinstance(state, KakkuriState), "a state of this game"
        # After the end of a deal, the state is already the end of the board or the next deal.
        if state.phase != TURNS or not state.turn & RETURN:
            return
        item["back"] = True
        if state.turn & FREE:
            item["may"] = list(VALUES)
        elif state.turn & MUST_TURN:
            item["may"] = []

    def _take_turn(self, seat: Seat) -> None:
        """Count turns and laps: a lap begins with the first seat, or the next one still in."""
        if not self._is_over:
            return
        self._is_over = self._has_played = False
        self._turn += 1
        if not self._order:
            self._order = seats_from(seat, tuple(self._hands))
            self._lap = 1
        elif self._order.index(seat) < self._order.index(self._seat):
            self._lap += 1
        self._seat = seat

    def _end(self, happening: BoardEvent) -> None:
        fields = happening.event.public
        self.deals[-1]["end"] = {
            "how": fields["how"],
            "winner": fields["winner"],
            "stones": fields["stones"],
        }
        for seat, stones in fields["stones"].items():
            self._stones[int(seat)] += stones

    def _sort_hand(self, hand: Iterable[Card]) -> list[Card]:
        return sorted(hand, key=lambda card: (self._melds.values[card], _PACK_ORDER[card]))
