"""Rules of Kakeya and Etori as tables for ``vector_deal``, and the checks of a batch of boards."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, get_args

from engine.cards import KAKEYA_PACK, SUITS
from engine.game import Board, BoardKind, Ruleset, Side
from engine.games.kakeya.deal import Deal, Setting
from engine.games.kakeya.rotation import Roles, priority_member
from engine.games.kakeya.ruleset import KakeyaRuleset
from engine.games.kakeya.scoring import ACE_MASK, ACES, PICTURES_IN_ALL, Taken, trick_powers
from engine.games.kakeya.variants import VARIANTS
from engine.games.kakeya.variants.meiji import TRUMP_CYCLE
from engine.games.kakeya.variants.variant import Conditions
from engine.kernel.batches import check_seed
from engine.kernel.position import KernelError, check_integer
from engine.kernel.vector_deal import VectorDeals
from engine.kernel.vector_layout import ACTIONS, PROTOCOLS, TRUMP_RULES, VectorRules
from engine.refusals import quoted
from engine.seats import opposite_pairs

MAX_ROWS = 1 << 20
DEAL_BOARDS = range(1, 25)
"""Numbers of deal boards that together have every combination of roles, trumps and precedence."""
_DRAWN_DEALERS = range(256)
"""Seeds that together draw every first dealer."""
_NOBODY = 255


def vector_rules(ruleset: Ruleset, kind: BoardKind, rows: int) -> VectorRules:
    """Return the rules of a batch of so many boards. Raise ``KernelError`` if an argument is invalid."""
    check_integer("the number of rows", rows, 1, MAX_ROWS)
    if not isinstance(ruleset, KakeyaRuleset):
        raise KernelError(f"boards of {quoted(ruleset.preset)} have no batches: give Kakeya or Etori")
    if kind not in get_args(BoardKind):
        raise KernelError(f"no boards of kind {quoted(kind)}: give 'deal' or 'game'")
    return _vector_rules(ruleset, kind)


def vector_reset(deals: VectorDeals, seed: int) -> None:
    check_seed(seed)
    deals.reset(seed)


def vector_step(deals: VectorDeals, actions: Any) -> None:
    """Play an action (int64) in each row. Raise ``KernelError`` for the first illegal one: no row changes."""
    row = deals.step(actions)
    if row >= 0:
        legal = ", ".join(f"{action} ({ACTIONS[action]})" for action in deals.legal_actions())
        action = actions[row]
        name = ACTIONS[action] if 0 <= action < len(ACTIONS) else "no action"
        raise KernelError(f"row {row}: action {int(action)} ({name}) is masked; legal actions: {legal}")


@lru_cache(maxsize=64)
def _vector_rules(ruleset: KakeyaRuleset, kind: BoardKind) -> VectorRules:
    variant = VARIANTS[ruleset.variant]
    is_game = kind == "game"
    setting = Setting(ruleset, Board(kind, 1, ""), opposite_pairs(ruleset.seats), variant)
    firsts = _first_conditions(setting)
    all_roles = dict.fromkeys(first.roles for first in firsts)
    if is_game:
        _add_following(setting, all_roles)
    numbers = {roles: 2 * number for number, roles in enumerate(all_roles)}
    roles_table = array("H")
    for roles in numbers:
        for turn in (2, 1):
            roles_table.extend(_role_row(setting, roles, turn, numbers))
    starts = array("H")
    for first in firsts:
        starts.extend(
            (
                numbers[first.roles] + first.turn % 2,
                SUITS.index(ruleset.trump_fixed or first.trump),
                first.turn,
            )
        )
    protocol = variant.lead_protocol(ruleset)
    is_drawn = ruleset.meiji_trump is not None and ruleset.trump_fixed is None
    return VectorRules(
        seats=ruleset.seats,
        is_game=is_game,
        asks_trump=is_game and variant.may_change_trump and not ruleset.trump_fixed,
        protocol=PROTOCOLS.index(protocol),
        trump_rule=TRUMP_RULES.index(ruleset.meiji_trump) if is_drawn and ruleset.meiji_trump else 0,
        direction=1 if ruleset.direction == "right" else -1,
        stones=ruleset.stones or 0,
        most_deals=ruleset.most_deals or 0,
        ends_without_stones=ruleset.stones is not None,
        has_debt=ruleset.debt is not False,
        stops_early=ruleset.early_stop,
        is_free=ruleset.rensho_free,
        roles=roles_table,
        starts=starts,
        powers=_powers(setting),
        values=_values(setting),
        rensho=tuple(KAKEYA_PACK.cards.index(variant.rensho(trump)) for trump in SUITS),
        cycle=tuple(map(SUITS.index, TRUMP_CYCLE)),
    )


def _first_conditions(setting: Setting) -> list[Conditions]:
    ruleset, variant = setting.ruleset, setting.variant
    if setting.board.kind == "deal":
        return [variant.of_board(ruleset, number) for number in DEAL_BOARDS]
    conditions = {variant.first(ruleset, str(seed)) for seed in _DRAWN_DEALERS}
    return sorted(conditions, key=lambda first: first.roles.dealer or 0)


def _add_following(setting: Setting, all_roles: dict[Roles, None]) -> None:
    """Add all roles of later deals."""
    waiting = list(all_roles)
    while waiting:
        roles = waiting.pop()
        first, second = _playing(roles, setting)
        for following in _following(setting, roles, first, second):
            if following not in all_roles:
                all_roles[following] = None
                waiting.append(following)


def _playing(roles: Roles, setting: Setting) -> tuple[Side, Side]:
    first, second = (side for side in setting.sides if side[0] in roles.active)
    return first, second


def _following(setting: Setting, roles: Roles, first: Side, second: Side) -> tuple[Roles, ...]:
    """Return the roles of the next deal if the first pair wins, if the second wins, and if neither does."""
    results: list[tuple[Side, Side]] = [(first, second), (second, first)]
    # Only Meiji Etori has deals without a winner.
    results.append(((), ()) if setting.ruleset.meiji_score else (first, second))
    return tuple(setting.variant.next_roles(setting.ruleset, roles, *result) for result in results)


def _role_row(setting: Setting, roles: Roles, turn: int, numbers: dict[Roles, int]) -> Iterator[int]:
    """Yield seats of players 0 to 3, the decider, the seats that may change trumps and the one that takes
    precedence, the pairs that deal and lead, a mask of the active seats, and the next roles by result.
    """
    seating = Deal(setting, 1, turn, roles, SUITS[0], (), ()).seating
    pairs = len(setting.sides)
    yield from (seat - 1 for seat in seating.by_pile)
    yield seating.by_pile.index(seating.decider)
    if roles.trump_right:
        yield from (seat - 1 for seat in roles.trump_right)
        yield priority_member(roles.trump_right, turn) - 1
    else:
        yield from (_NOBODY,) * 3
    yield (roles.dealers[0] - 1) % pairs
    yield (roles.leaders[0] - 1) % pairs
    yield sum(1 << seat - 1 for seat in roles.active)
    if setting.board.kind == "deal":
        yield from (0, 0, 0)
        return
    first, second = _playing(roles, setting)
    if seating.by_pile[0] not in first:
        first, second = second, first
    for following in _following(setting, roles, first, second):
        yield numbers[following] + (1 - turn % 2)


def _powers(setting: Setting) -> bytes:
    by_trump = [trick_powers(trump, setting.variant.rensho(trump)) for trump in SUITS]
    return bytes(powers[led][card] for powers in by_trump for led in SUITS for card in KAKEYA_PACK.cards)


def _values(setting: Setting) -> array[int]:
    values = array("i")
    for trump in SUITS:
        rensho = setting.variant.rensho(trump)
        for ace_mask in range(1 << len(ACES)):
            own = KAKEYA_PACK.mask(ace for suit, ace in enumerate(ACES) if ace_mask >> suit & 1)
            # The side with Rensho takes at least this picture; other counts are impossible.
            least = 1 if own & KAKEYA_PACK.bit[rensho] else 0
            for pictures in range(PICTURES_IN_ALL + 1):
                taken = min(max(pictures, least), least + PICTURES_IN_ALL - 1)
                score = setting.variant.score(
                    setting.ruleset,
                    Taken((taken, PICTURES_IN_ALL - taken), (own, ACE_MASK ^ own), trump, rensho),
                )
                values.append(0 if score.won is None else -score.due if score.won else score.due)
    return values
