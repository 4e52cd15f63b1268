"""A policy for remote tables: one process plays at all tables, and evaluates their requests in one batch.

With ``shared = true`` in ``remote.toml``, each message names its table (docs/kit.md). The network runs in
torch if it is installed, on a GPU if there is one, else in numpy.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bots.rl.layouts import LAYOUTS, LayoutError, Policy, load_policy, untrained_policy
from bots.rl.layouts.suits import suit_orders, trumps_of

POLICY = Path(__file__).parent / "policy.npz"
GATHER_S = 0.01
"""Seconds for which a batch waits for requests of other tables."""
MAX_BATCH = 64
END = '{"type":"bye"}'
"""The end of input, as a message."""

Message = Mapping[str, Any]
Scores = Callable[[NDArray[np.uint8]], NDArray[np.float32]]


class Player:
    """Chooses actions for requests of several tables at once."""

    def __init__(self, game: str) -> None:
        self.layout = LAYOUTS[game]
        try:
            policy = load_policy(POLICY, self.layout) if POLICY.exists() else untrained_policy(self.layout)
        except LayoutError as error:
            raise SystemExit(str(error)) from None
        weights = "weights of policy.npz" if POLICY.exists() else "random weights, as there is no policy.npz"
        self.scores, device = scores_of(policy)
        print(f"the network runs in {device}, with {weights}", file=sys.stderr, flush=True)

    def choose(self, requests: Sequence[Message], options: Sequence[Message]) -> list[str]:
        """Return the legal action with the highest score for each request."""
        encoded = np.stack(
            [
                self.layout.encode(request["observation"], option)
                for request, option in zip(requests, options, strict=True)
            ]
        )
        masks = np.stack([self.layout.mask(request["legal"]) for request in requests])
        best = np.where(masks, self.scores(encoded), -np.inf).argmax(axis=1)
        return [self.layout.actions[int(index)] for index in best]


def scores_of(policy: Policy) -> tuple[Scores, str]:
    """Return the network as a function of a batch, and the device that computes it."""
    try:
        import torch
    except ImportError:
        return policy.scores, "numpy"
    device = "cuda" if torch.cuda.is_available() else "cpu"
    layers = [(torch.tensor(w, device=device), torch.tensor(b, device=device)) for w, b in policy.layers]
    orders = suit_orders(policy.layout) if policy.by_role else None

    def forward(encoded: NDArray[np.uint8]) -> NDArray[np.float32]:
        if orders is not None:
            inputs, actions = (order[trumps_of(policy.layout, encoded)] for order in orders)
            encoded = np.take_along_axis(encoded, inputs, -1)
        with torch.no_grad():
            values = torch.tensor(encoded, device=device).float()
            for number, (matrix, bias) in enumerate(layers):
                values = values @ matrix + bias
                if number < len(layers) - 1:
                    values = values.relu()
        scores: NDArray[np.float32] = values.cpu().numpy()
        if orders is not None:
            by_role, scores = scores, np.empty_like(scores)
            np.put_along_axis(scores, actions, by_role, -1)
        return scores

    return forward, f"torch on {device}"


def read(lines: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    lines.put(END)


def gather(lines: queue.SimpleQueue[str]) -> list[Message]:
    """Wait for a message, and return it with those that follow within ``GATHER_S``."""
    texts = [lines.get()]
    until = time.monotonic() + GATHER_S
    with suppress(queue.Empty):
        while len(texts) < MAX_BATCH:
            texts.append(lines.get(timeout=max(until - time.monotonic(), 0)))
    return [json.loads(text) for text in texts]


def main() -> None:
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=read, args=(lines,), daemon=True).start()
    player: Player | None = None
    options: dict[str, Message] = {}
    is_over = False
    while not is_over:
        batch: list[Message] = []
        for message in gather(lines):
            # Without ``shared``, the process has a single table, which the messages do not name.
            table = message.get("table", "")
            if message["type"] == "hello":
                options[table] = message["ruleset"]
                if player is None:
                    player = Player(message["game"])
                print(json.dumps({"type": "ready", "table": table, "skip_forced": True}), flush=True)
            elif message["type"] == "request":
                batch.append(message)
            elif message["type"] == "bye":
                options.pop(table, None)
                is_over = not table
        if batch and player is not None:
            chosen = player.choose(batch, [options.get(each.get("table", ""), {}) for each in batch])
            for request, action in zip(batch, chosen, strict=True):
                answer = {"id": request["id"], "action": action, "debug": f"batch of {len(batch)}"}
                print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
