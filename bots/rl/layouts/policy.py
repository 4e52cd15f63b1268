"""Policies: networks that score the actions of a layout, and the files that store them."""

from __future__ import annotations

import io
import itertools
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.refusals import quoted

from .base import Array, Layout, LayoutError
from .suits import suit_orders, trumps_of

Weights = NDArray[np.float32]
Layer = tuple[NDArray[Any], NDArray[Any]]
"""Matrix (inputs, outputs) and bias (outputs)."""

_TITLE = ("layout", "version", "size", "actions", "by_role")


class Policy:
    """Layers of a network: the inputs of the layout, rectified hidden layers, and a score for each action."""

    def __init__(
        self,
        layout: Layout,
        layers: Sequence[Layer],
        *,
        by_role: bool = False,
        source: str = "the policy",
    ) -> None:
        """Store the layers of a network; with ``by_role``, it was trained with the order of ``suits``.

        Raise ``LayoutError`` if the layers do not fit the layout or each other, or are not finite.
        """
        self.layout = layout
        self.by_role = by_role
        self._orders = suit_orders(layout) if by_role else None
        self.layers = tuple((np.asarray(w, np.float32), np.asarray(b, np.float32)) for w, b in layers)
        inputs, last = layout.size, len(self.layers)
        if not last:
            raise LayoutError(f"{source} has no layer: train it again")
        for number, (matrix, bias) in enumerate(self.layers):
            outputs = len(layout.actions) if number == last - 1 else bias.size
            if matrix.shape != (inputs, outputs) or bias.shape != (outputs,):
                raise LayoutError(
                    f"{source} has a matrix of {matrix.shape} and a bias of {bias.shape} in layer {number}, "
                    f"not ({inputs}, {outputs}) and ({outputs},): save it with Policy.save"
                )
            if not (np.isfinite(matrix).all() and np.isfinite(bias).all()):
                raise LayoutError(
                    f"{source} has NaN or infinity in layer {number}: check the rewards, lower the learning "
                    "rate and train it again"
                )
            inputs = outputs

    def scores(self, encoded: Array) -> Weights:
        """Return a score for each action, for one encoded observation or a batch of them.

        Raise ``LayoutError`` for an array of another size.
        """
        if np.ndim(encoded) == 0 or np.shape(encoded)[-1] != self.layout.size:
            raise LayoutError(
                f"observations have the shape {np.shape(encoded)}, but the last dimension of "
                f"{self.layout.title} is {self.layout.size}: encode them with this layout"
            )
        if self._orders is None:
            return self._forward(encoded)
        inputs, actions = (order[trumps_of(self.layout, encoded)] for order in self._orders)
        by_role = self._forward(np.take_along_axis(encoded, inputs, -1))
        scores = np.empty_like(by_role)
        np.put_along_axis(scores, actions, by_role, -1)
        return scores

    def _forward(self, encoded: Array) -> Weights:
        values = encoded.astype(np.float32)
        for matrix, bias in self.layers[:-1]:
            values = np.maximum(values @ matrix + bias, 0)
        matrix, bias = self.layers[-1]
        result: Weights = values @ matrix + bias
        return result

    def choose(
        self,
        observation: Mapping[str, Any],
        legal: Iterable[str],
        options: Mapping[str, Any] | None = None,
    ) -> str:
        """Return the legal action with the highest score."""
        scores = self.scores(self.layout.encode(observation, options))
        mask = self.layout.mask(legal)
        return self.layout.actions[int(np.where(mask, scores, -np.inf).argmax())]

    def to_bytes(self) -> bytes:
        """Return a policy file, which names the layout, its version, its size and its actions."""
        layers = {
            f"{kind}{number}": part
            for number, layer in enumerate(self.layers)
            for kind, part in zip("wb", layer, strict=True)
        }
        layout, content = self.layout, io.BytesIO()
        values = layout.name, layout.version, layout.size, layout.actions, self.by_role
        title = dict(zip(_TITLE, values, strict=True))
        np.savez(content, **title, **layers)  # type: ignore[arg-type]
        return content.getvalue()

    def save(self, path: Path) -> None:
        path.write_bytes(self.to_bytes())


def load_policy(path: Path, layout: Layout) -> Policy:
    """Read a policy file for this layout. Raise ``LayoutError`` if it is of another one, or damaged."""
    name = path.name
    try:
        with np.load(path, allow_pickle=False) as file:
            parts = dict(file)
    except FileNotFoundError:
        raise LayoutError(f"{name} is missing: put it next to the program") from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise LayoutError(
            f"{name} is no policy file ({quoted(str(error))}): save it with Policy.save"
        ) from None
    missing = [field for field in _TITLE if field not in parts]
    if missing:
        raise LayoutError(f"{name} does not name its {missing[0]}: save it with Policy.save")
    made_for = f"{parts['layout']}_v{parts['version']}"
    if made_for != layout.title:
        raise LayoutError(
            f"{name} is for the layout {quoted(made_for)}, but {layout.title} is needed: train a network for "
            "that layout, or use the package layouts that the file was saved with"
        )
    if parts["size"] != layout.size or parts["actions"].tolist() != list(layout.actions):
        raise LayoutError(
            f"{name} has {parts['size']} inputs and {parts['actions'].size} actions that differ from the "
            f"{layout.size} and {len(layout.actions)} of {layout.title}: train it again"
        )
    count = sum(field.startswith("w") for field in parts)
    try:
        layers = [(parts[f"w{number}"], parts[f"b{number}"]) for number in range(count)]
    except KeyError as error:
        raise LayoutError(f"{name} has no array {error}: save it with Policy.save") from None
    return Policy(layout, layers, by_role=bool(parts["by_role"]), source=name)


def untrained_policy(layout: Layout, hidden: Sequence[int] = (128,), seed: int = 0) -> Policy:
    """Return a network with random weights, scaled for inputs up to ``layout.highest``."""
    rng = np.random.default_rng(seed)
    sizes = [layout.size, *hidden, len(layout.actions)]
    layers: list[Layer] = []
    for inputs, outputs in itertools.pairwise(sizes):
        matrix = rng.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs)
        layers.append((matrix, np.zeros(outputs)))
    first = layers[0][0]
    first /= layout.highest[:, None]
    return Policy(layout, layers)
