"""Train a network that plays Kakeya or Etori with four seats, by self-play.

    rensho new mynet --template policy
    python examples/rl/train.py mynet --minutes 60

In each round, the network plays a thousand boards at all seats, with some random actions. It learns the value
of each action in stones, from the value of the next decision and the final stones (TD(lambda)). At first,
captured pictures also count as part of a stone, so that the effect of a card is visible earlier.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from network import Floats, Network
from numpy.typing import NDArray

from bots import rl
from bots.rl.layouts.suits import suit_orders, trumps_of

STEPS = 54
"""Decisions of a deal: two declarations and 52 cards."""
TRACE = 0.9
PICTURE_STONES = 0.15
RATE = 1e-3
MINIBATCH = 512


class SelfPlay:
    """Boards in rows, with one player at all seats, and the decisions of ``STEPS`` steps."""

    def __init__(self, environment: str, rows: int, seed: int) -> None:
        self.batch = rl.vector(environment, rows, seed=seed)
        if self.batch.rewards.shape[1] != 4:
            raise ValueError(f"{environment} has more than four seats: choose a preset with four")
        self.layout = rl.layout(environment)
        self.rng = np.random.default_rng(seed)
        self.inputs = np.zeros((STEPS, rows, self.layout.size), np.uint8)
        self.actions = np.zeros((STEPS, rows), np.intp)
        self.best = np.zeros((STEPS, rows), np.float32)
        """Value of the best action."""
        self.is_first = np.zeros((STEPS, rows), bool)
        """Whether the seat belongs to the first pair, whose stones and pictures are counted."""
        self.is_free = np.zeros((STEPS, rows), bool)
        """Whether there was more than one action."""
        self.dones = np.zeros((STEPS, rows), bool)
        self.stones = np.zeros((STEPS, rows), np.float32)
        self.pictures = np.zeros((STEPS, rows), np.float32)

    def play(self, network: Network, exploration: float) -> None:
        """Play the best actions, or with probability ``exploration`` random ones."""
        batch, rows = self.batch, np.arange(self.batch.rows)
        for step in range(STEPS):
            inputs, actions = (
                order[trumps_of(self.layout, batch.observations)] for order in suit_orders(self.layout)
            )
            self.inputs[step] = np.take_along_axis(batch.observations, inputs, -1)
            masks = np.take_along_axis(batch.masks, actions, -1).view(bool)
            values = np.where(masks, network.values(self.inputs[step]), -np.inf)
            chosen = values.argmax(axis=1)
            self.best[step] = values[rows, chosen]
            explores = np.flatnonzero(self.rng.random(len(rows)) < exploration)
            chances = self.rng.random((len(explores), masks.shape[1])) * masks[explores]
            chosen[explores] = chances.argmax(axis=1)
            self.actions[step] = chosen
            self.is_first[step] = batch.seats % 2 == 1
            self.is_free[step] = masks.sum(axis=1) > 1
            before = self._picture_lead()
            batch.step(actions[rows, chosen])
            self.dones[step], self.stones[step] = batch.dones, batch.rewards[:, 0]
            self.pictures[step] = np.where(batch.dones, 0, self._picture_lead() - before)

    def targets(self, trace: float, picture_stones: float) -> tuple[NDArray[np.intp], Floats]:
        """Return the decisions to learn from, as indices into all, and the targets of all decisions.

        Decisions with a single action are left out, and boards that have not ended.
        """
        rewards = self.stones + picture_stones * self.pictures
        signs = np.where(self.is_first, 1, -1).astype(np.float32)
        targets = np.zeros_like(rewards)
        is_known = np.zeros_like(self.dones)
        outlook, has_end = np.zeros_like(rewards[0]), np.zeros_like(self.dones[0])
        for step in reversed(range(STEPS)):
            outlook = np.where(self.dones[step], 0, outlook) + rewards[step]
            has_end |= self.dones[step]
            targets[step], is_known[step] = signs[step] * outlook, has_end
            blended = trace * outlook + (1 - trace) * signs[step] * self.best[step]
            outlook = np.where(self.is_free[step], blended, outlook)
        return np.flatnonzero(is_known & self.is_free), targets.reshape(-1)

    def _picture_lead(self) -> Floats:
        """Return the pictures of the first pair minus those of the second, by row."""
        captured = self.layout.part(self.batch.observations, "pictures").sum(axis=2, dtype=np.float32)
        lead = captured[:, 0] - captured[:, 1]
        return np.where(self.batch.seats % 2 == 1, lead, -lead)


def train(folder: Path, environment: str, minutes: float, hidden: list[int], rows: int, seed: int) -> int:
    """Train for some minutes of wall time, and save the policy every minute. Return the number of boards."""
    play = SelfPlay(environment, rows, seed)
    network = Network(play.layout, hidden, play.rng)
    inputs, actions = play.inputs.reshape(-1, play.layout.size), play.actions.reshape(-1)
    started = saved = time.monotonic()
    boards, left = 0, 1.0
    while left > 0:
        play.play(network, exploration=0.02 + 0.08 * left)
        chosen, targets = play.targets(TRACE, PICTURE_STONES * left)
        play.rng.shuffle(chosen)
        errors = [
            network.train(inputs[part], actions[part], targets[part], RATE * max(left, 0.1))
            for part in np.array_split(chosen, len(chosen) // MINIBATCH + 1)
        ]
        boards += int(play.dones.sum())
        now = time.monotonic()
        left = 1 - (now - started) / 60 / minutes
        if now - saved > 60 or left <= 0:
            saved = now
            network.policy().save(folder / "policy.npz")
            spent = (now - started) / 60
            print(f"{spent:5.1f} minutes, {boards} boards, error {np.mean(errors):.3f}", file=sys.stderr)
    return boards


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Train a network by self-play.")
    parser.add_argument("folder", type=Path, help="folder of a bot made with --template policy")
    parser.add_argument("--environment", default="kakeya4_v0", help="with four seats (%(default)s)")
    parser.add_argument("--minutes", type=float, default=60, help="of wall time (%(default)s)")
    parser.add_argument("--hidden", type=int, nargs="+", default=[256, 128], help="sizes of hidden layers")
    parser.add_argument("--rows", type=int, default=1024, help="boards played at once (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    if not (given.folder / "policy.npz").is_file():
        parser.error(f"{given.folder} has no policy.npz: create it with rensho new --template policy")
    if min(given.hidden) < 1:
        parser.error("--hidden: give sizes of at least 1")
    if not given.minutes > 0:
        parser.error("--minutes: give a number above 0")
    try:
        train(given.folder, given.environment, given.minutes, given.hidden, given.rows, given.seed)
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
