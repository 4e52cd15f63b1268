"""Kakeya Toranpu and Etori: partnership games for sixteen pictures, with a card that beats all others.

Source: docs/rules/kakeya.md; docs/rules/etori.md.
"""

from __future__ import annotations

from engine.cards import KAKEYA_PACK
from engine.errors import RulesetError
from engine.game import Action, Board, BoardKind, Game, Observation, Ruleset, Side
from engine.games.kakeya.deal import Setting
from engine.games.kakeya.decided import is_decided
from engine.games.kakeya.notation import TRICKS, parse_action
from engine.games.kakeya.options import GAME_KEY
from engine.games.kakeya.ruleset import PRESETS, KakeyaRuleset
from engine.games.kakeya.state import RULES_VERSION, KakeyaState
from engine.games.kakeya.variants import VARIANTS
from engine.games.kakeya.worlds import KakeyaWorlds
from engine.hidden import reading
from engine.seats import opposite_pairs


class Kakeya(Game):
    key = GAME_KEY
    rules_version = RULES_VERSION
    presets = PRESETS

    def seats(self, ruleset: Ruleset) -> int:
        return _own(ruleset).seats

    def sides(self, ruleset: Ruleset) -> tuple[Side, ...]:
        return opposite_pairs(_own(ruleset).seats)

    def start(self, ruleset: Ruleset, board: Board) -> KakeyaState:
        if board.kind not in ("deal", "game") or board.number < 1:
            raise RulesetError(f"no board of kakeya: kind {board.kind!r}, number {board.number!r}")
        for deck in board.given_decks:
            KAKEYA_PACK.check_deck(deck)
        own = _own(ruleset)
        return KakeyaState.start(Setting(own, board, opposite_pairs(own.seats), VARIANTS[own.variant]))

    def decisions_bound(self, ruleset: Ruleset, kind: BoardKind) -> int | None:
        """Return 13 cards plus one decision per deal: the pair with the trump right never leads."""
        own = _own(ruleset)
        variant = VARIANTS[own.variant]
        asks_lead = variant.lead_protocol(own) != "decider"
        if kind == "deal":
            return TRICKS + asks_lead
        if own.most_deals is None:
            return None
        asks_trump = variant.may_change_trump and not own.trump_fixed
        return own.most_deals * (TRICKS + (asks_lead or asks_trump))

    def starting_stones(self, ruleset: Ruleset) -> int:
        """Return the ``stones`` option; 0 in Meiji Etori, which counts points."""
        return _own(ruleset).stones or 0

    def forfeit_stones(self, ruleset: Ruleset) -> int:
        """Return the starting stones; 12 in Meiji Etori."""
        forfeit = VARIANTS[_own(ruleset).variant].forfeit
        return self.starting_stones(ruleset) if forfeit is None else forfeit

    def worlds(self, ruleset: Ruleset, observation: Observation) -> KakeyaWorlds:
        with reading(observation, self.key, ruleset.preset):
            return KakeyaWorlds(_own(ruleset), self.sides(ruleset), observation)

    def is_decided(self, ruleset: Ruleset, observation: Observation) -> bool:
        return is_decided(_own(ruleset), observation)

    def parse_action(self, text: str) -> Action:
        return parse_action(text)


def _own(ruleset: Ruleset) -> KakeyaRuleset:
    if not isinstance(ruleset, KakeyaRuleset):
        raise RulesetError(f"ruleset {ruleset.preset!r} is not one of kakeya")
    return ruleset


GAME = Kakeya()
