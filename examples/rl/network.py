"""A network in numpy that estimates the value of every action, for the layout of Kakeya and Etori.

Hidden layers are rectified; Adam trains them. The weights of a card are the sum of three parts: its own, its
suit's and its rank's. So "play a high card" is learned once, not for each of 52 cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bots.rl.layouts import Layout, Policy

Floats = NDArray[np.float32]

SUITS, RANKS = 4, 13
CARDS = SUITS * RANKS
CARD_ROWS = 8
"""Own hand, trick (3), finished tricks (4): the first inputs of the layout."""
SUIT_SCALE = np.float32(0.25)
"""Keeps the sums over the cards of a suit in the range of other inputs."""


class Network:
    def __init__(self, layout: Layout, hidden: Sequence[int], rng: np.random.Generator) -> None:
        self.layout = layout
        self._highest = layout.highest.astype(np.float32)
        sums = SUITS + RANKS
        sizes = [layout.size + CARD_ROWS * sums, *hidden, len(layout.actions) + sums]
        self._parameters: list[Floats] = []
        for inputs, outputs in pairwise(sizes):
            matrix = rng.standard_normal((inputs, outputs), np.float32) * np.float32(np.sqrt(2 / inputs))
            self._parameters += [matrix, np.zeros(outputs, np.float32)]
        self._parameters[-2] *= 0  # All actions begin with the value 0.
        self._average = [part.copy() for part in self._parameters]
        self._moments = [(np.zeros_like(part), np.zeros_like(part)) for part in self._parameters]
        self._updates = 0

    def values(self, encoded: NDArray[np.uint8]) -> Floats:
        """Return the value of every action: rows x actions."""
        return _with_sums_added(self._activations(encoded)[-1], len(self.layout.actions))

    def train(
        self, encoded: NDArray[np.uint8], actions: NDArray[np.intp], targets: Floats, rate: float
    ) -> float:
        """Move the values of the actions towards the targets. Return the mean squared error before.

        Raise ``ValueError`` for targets that are not numbers; the weights do not change then.
        """
        if not np.isfinite(targets).all():
            count = np.count_nonzero(~np.isfinite(targets))
            raise ValueError(f"{count} of {len(targets)} targets are NaN or infinite: check the rewards")
        activations = self._activations(encoded)
        rows = np.arange(len(actions))
        values = _with_sums_added(activations[-1], len(self.layout.actions))
        errors = values[rows, actions] - targets
        slope = np.zeros_like(values)
        slope[rows, actions] = np.clip(errors, -2, 2) / len(rows)
        by_card = slope[:, :CARDS].reshape(-1, SUITS, RANKS)
        slope = np.concatenate([slope, by_card.sum(axis=2), by_card.sum(axis=1)], axis=1)
        gradients: list[Floats] = []
        for layer in reversed(range(len(activations) - 1)):
            gradients = [activations[layer].T @ slope, slope.sum(axis=0), *gradients]
            if layer:
                slope = (slope @ self._parameters[2 * layer].T) * (activations[layer] > 0)
        self._adam(gradients, rate)
        return float(np.mean(errors**2))

    def policy(self) -> Policy:
        """Return the average of recent weights as a policy. Raise ``LayoutError`` if they are not finite."""
        first, *between, last, bias = self._average
        suits, ranks = np.split(first[self.layout.size :], [CARD_ROWS * SUITS])
        matrix = first[: self.layout.size].copy()
        outputs = matrix.shape[1]
        cards = matrix[: CARD_ROWS * CARDS].reshape(CARD_ROWS, SUITS, RANKS, outputs)
        cards += SUIT_SCALE * suits.reshape(CARD_ROWS, SUITS, 1, outputs)
        cards += ranks.reshape(CARD_ROWS, 1, RANKS, outputs)
        actions = len(self.layout.actions)
        parts = [
            matrix / self._highest[:, None],
            *between,
            _with_sums_added(last, actions),
            _with_sums_added(bias[None], actions)[0],
        ]
        return Policy(self.layout, list(zip(parts[::2], parts[1::2], strict=True)), by_role=True)

    def _activations(self, encoded: NDArray[np.uint8]) -> list[Floats]:
        inputs = encoded / self._highest
        cards = inputs[:, : CARD_ROWS * CARDS].reshape(-1, CARD_ROWS, SUITS, RANKS)
        by_suit = SUIT_SCALE * cards.sum(axis=3).reshape(len(inputs), -1)
        by_rank = cards.sum(axis=2).reshape(len(inputs), -1)
        activations = [np.concatenate([inputs, by_suit, by_rank], axis=1)]
        last = len(self._parameters) - 2
        for number in range(0, last + 1, 2):
            values = activations[-1] @ self._parameters[number] + self._parameters[number + 1]
            activations.append(values if number == last else np.maximum(values, 0))
        return activations

    def _adam(self, gradients: Sequence[Floats], rate: float) -> None:
        self._updates += 1
        rate *= float(np.sqrt(1 - 0.999**self._updates) / (1 - 0.9**self._updates))
        for part, average, gradient, (first, second) in zip(
            self._parameters, self._average, gradients, self._moments, strict=True
        ):
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient**2 - second)
            part -= rate * first / (np.sqrt(second) + 1e-8)
            average += AVERAGED * (part - average)


AVERAGED = 0.005
"""Share of the newest weights in the average."""


def _with_sums_added(values: Floats, actions: int) -> Floats:
    """Add the values of suits and ranks, which follow those of the actions, to the values of cards."""
    added = values[:, :actions].copy()
    suits, ranks = np.split(values[:, actions:], [SUITS], axis=1)
    added[:, :CARDS] += (suits[:, :, None] + ranks[:, None, :]).reshape(-1, CARDS)
    return added
