"""Errors of positions: a code with values, from which the message is made in any language."""

from __future__ import annotations

from collections.abc import Mapping

from engine import EngineError
from engine.refusals import clipped

MESSAGES: Mapping[str, str] = {
    "card": "{key}: {word} is not a card; write rank and suit, such as TD or AS",
    "control_character": "{character} is a control or invisible character: remove it",
    "deal_over": "play {number}, {card}: the deal is over after {played} cards; remove it",
    "first_word": "{word} belongs to no key: begin with 'preset: kakeya4'",
    "game": "positions exist for Kakeya and Etori only",
    "hand_size": "seat {seat} has {count} cards, not 13",
    "hand_size_missing": "seat {seat} has {count} cards, not 13; in no hand: {cards}",
    "hand_suit": "seat {seat}: {word} has no suit: write the suit first, as S AQ83",
    "hand_word": "seat {seat}: {word} is neither a suit (S H D C) nor a rank (AKQJT98765432)",
    "key_missing": "key '{key}' is missing: give one, as '{key}: {example}'",
    "key_twice": "key '{key}' comes twice: remove one",
    "key_unknown": "unknown key {word}: the keys are {keys} and seats",
    "key_words": "key '{key}' has {count} words: give one",
    "last_card": "seat {seat} holds no {trump}, but its last card turned the trump suit",
    "leader": "seat {seat} cannot lead to this deal; give one of {seats}",
    "leader_hand": "seat {seat} cannot lead: it has no hand",
    "must_follow": "play {number} (trick {trick}), {card} by seat {seat}: must follow suit {suit}",
    "not_in_hand": "play {number} (trick {trick}), {card}: this card is not in the hand of seat {seat}, "
    "which plays next",
    "number": "{word} is not a whole number up to {limit}",
    "option": "option {word}: write each option once, as 'early_stop=true'",
    "over": "the deal is over, so no card has a value: remove the last plays",
    "pairs": "{count} pairs have hands: give the hands of two of the pairs {pairs}",
    "phase": "no card can be played in phase '{phase}': give a state of phase 'play'",
    "play_card": "play {number}: {word} is not a card; write rank and suit, such as TD or AS",
    "preset": "preset {word} is unknown: give one of {presets}",
    "preset_game": "preset {word} is of {game}, which has no position text: give one of {presets}",
    "rensho": "rensho {card}: with trump {trump} in {preset}, it is {expected}",
    "rest_twice": "seats {first} and {second} both have the rest: give one hand",
    "ruleset": "{reason}",
    "seat": "seat {word}: {preset} has seats 1 to {seats}",
    "seat_hand": "seat {seat} has no hand: give its 13 cards",
    "stones_count": "stones: {count} given; give one number for each of the {sides} pairs",
    "stones_debt": "stones {stones}: without debt, each pair has at least 1 stone before a deal",
    "suit": "{key} {word} is not a suit: give one of S H D C",
    "too_long": "{count} characters: a position text has at most {limit}",
    "trump": "trump {trump}: with these options {preset} has trump {trumps}",
    "twice_in_hand": "{card} is twice in the hand of seat {seat}",
    "two_places": "{card} is in two places: in the hands of seats {first} and {second}",
}
"""By code, in English."""
LOCATED = "line {line}, column {column}: {problem}"


class PositionError(EngineError, ValueError):
    """A position that the rules do not allow, or text that describes none; names the culprit."""

    line = 0
    column = 0
    """Position of the culprit in a text, from 1; 0 outside of a text."""

    def __init__(self, code: str, **values: object) -> None:
        self.code, self.values = code, values
        super().__init__(self.message(MESSAGES[code], LOCATED))

    def message(self, template: str, located: str) -> str:
        """Return the message, given the templates of this code and of ``LOCATED`` in a language."""
        problem = template.format(**self.values)
        if not self.line:
            return problem
        return located.format(line=self.line, column=self.column, problem=problem)

    def at(self, line: int, column: int) -> PositionError:
        """Set the position in the text; return the error."""
        self.line, self.column = line, column
        self.args = (clipped(self.message(MESSAGES[self.code], LOCATED)),)
        return self
