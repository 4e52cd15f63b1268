"""Kakkuri: each seat plays alone, cards in ascending order; the first seat without cards wins.

Source: docs/rules/kakkuri.md.
"""

from __future__ import annotations

from engine.cards import KAKKURI_PACK
from engine.errors import RulesetError
from engine.game import Action, Board, BoardKind, Game, Observation, Ruleset, Side
from engine.games.kakkuri.bound import max_decisions
from engine.games.kakkuri.deal import Setting
from engine.games.kakkuri.notation import parse_action
from engine.games.kakkuri.ruleset import GAME_KEY, PRESETS, RULES_VERSION, KakkuriRuleset
from engine.games.kakkuri.state import KakkuriState
from engine.games.kakkuri.worlds import KakkuriWorlds
from engine.hidden import reading


class Kakkuri(Game):
    key = GAME_KEY
    rules_version = RULES_VERSION
    presets = PRESETS

    def seats(self, ruleset: Ruleset) -> int:
        return _own(ruleset).seats

    def sides(self, ruleset: Ruleset) -> tuple[Side, ...]:
        return tuple((seat,) for seat in range(1, _own(ruleset).seats + 1))

    def start(self, ruleset: Ruleset, board: Board) -> KakkuriState:
        if board.kind not in ("deal", "game") or board.number < 1:
            raise RulesetError(f"no board of kakkuri: kind {board.kind!r}, number {board.number!r}")
        for deck in board.given_decks:
            KAKKURI_PACK.check_deck(deck)
        return KakkuriState.start(Setting.of(_own(ruleset), board))

    def decisions_bound(self, ruleset: Ruleset, kind: BoardKind) -> int:
        """Return the maximum; every deal ends, so there always is one."""
        return max_decisions(_own(ruleset), kind)

    def starting_stones(self, ruleset: Ruleset) -> int:
        return _own(ruleset).stones

    def worlds(self, ruleset: Ruleset, observation: Observation) -> KakkuriWorlds:
        """Return the possible hidden cards; key 0 has the box, top card first.

        With eight seats, before the look, the hand with the three of clubs is in the order of its box.
        """
        with reading(observation, self.key, ruleset.preset):
            return KakkuriWorlds(_own(ruleset), observation)

    def parse_action(self, text: str) -> Action:
        return parse_action(text)


def _own(ruleset: Ruleset) -> KakkuriRuleset:
    if not isinstance(ruleset, KakkuriRuleset):
        raise RulesetError(f"ruleset {ruleset.preset!r} is not one of kakkuri")
    return ruleset


GAME = Kakkuri()
