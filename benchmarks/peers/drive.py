"""Plays random deals of other libraries' games on request. Runs in the environment of its requirements.lock.

Reads a JSON list per line from standard input, ``[library, game, deals]``; writes one per line to
standard output, ``[seconds of CPU time, decisions]``. Started by ``harness.PeerProcess``; imports none of
our modules.
"""

from __future__ import annotations

import contextlib
import json
import random
import sys
import time
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any

Deal = Callable[[], int]


def open_spiel_deal(name: str, *, observes: bool = False) -> Deal:
    """Play a deal with open-spiel's Python interface: sampled chance nodes, then random legal actions.

    With ``observes``, each decision also fetches its observation tensor and its mask.
    """
    game: Any = import_module("pyspiel").load_game(name)
    chance = random.Random(1).random

    def deal() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                # Every chance node of these games is uniform, so probabilities can be ignored.
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(chance() * len(outcomes))][0])
            else:
                if observes:
                    player = state.current_player()
                    state.observation_tensor(player)
                    state.legal_actions_mask(player)
                legal = state.legal_actions()
                state.apply_action(legal[int(chance() * len(legal))])
                decisions += 1
        state.returns()
        return decisions

    return deal


def open_spiel_search(name: str) -> Deal:
    """Run open-spiel's MCTS in C++ before the first card of a deal: "game simulations"."""
    spiel: Any = import_module("pyspiel")
    key, simulations = name.split()
    game, chance = spiel.load_game(key), random.Random(1).random
    evaluator = spiel.RandomRolloutEvaluator(1, 1)
    # Unlimited memory and no solver, for as many plain simulations as possible.
    bot = spiel.MCTSBot(game, evaluator, 2.0, int(simulations), 1000, False, 1, False)

    def deal() -> int:
        state = game.new_initial_state()
        bids = game.num_players()
        while state.is_chance_node() or bids:
            legal = state.legal_actions()
            bids -= not state.is_chance_node()
            state.apply_action(legal[int(chance() * len(legal))])
        bot.mcts_search(state)
        return int(simulations)

    return deal


class RandomAgent:
    use_raw = False

    def __init__(self) -> None:
        self.decisions = 0
        self._chance = random.Random(1).random

    def step(self, state: dict[str, Any]) -> int:
        self.decisions += 1
        legal: list[int] = list(state["legal_actions"])
        return legal[int(self._chance() * len(legal))]

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return self.step(state), {}


def rlcard_deal(name: str) -> Deal:
    """Play a deal like rlcard's ``Env.run``, which builds an observation at every decision."""
    environment: Any = import_module("rlcard").make(name)
    agent = RandomAgent()
    environment.set_agents([agent] * environment.num_players)

    def deal() -> int:
        agent.decisions = 0
        environment.run()
        return agent.decisions

    return deal


def colver_rollouts(count: str) -> Deal:
    """Run a batch of colver's random playouts of a dealt Belote hand."""
    environment: Any = import_module("colver").Env()

    def deal() -> int:
        environment.reset()
        environment.step(1)  # The lowest bid; then the others pass, and only cards are left to play.
        while environment.phase() == 0:
            environment.step(0)
        environment.rollout(int(count))
        return 32 * int(count)

    return deal


@cache
def deal_of(library: str, name: str) -> Deal:
    ways: dict[str, Callable[[str], Deal]] = {
        "open-spiel": open_spiel_deal,
        "open-spiel observed": partial(open_spiel_deal, observes=True),
        "open-spiel MCTS": open_spiel_search,
        "rlcard": rlcard_deal,
        "colver": colver_rollouts,
    }
    return ways[library](name)


def main() -> int:
    for request in sys.stdin:
        library, name, deals = json.loads(request)
        # rlcard prints on import if its optional parts are missing.
        with contextlib.redirect_stdout(sys.stderr):
            deal = deal_of(library, name)
            began = time.process_time()
            decisions = sum(deal() for _ in range(deals))
            seconds = time.process_time() - began
        print(json.dumps([seconds, decisions]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
