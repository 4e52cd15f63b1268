"""Calls about experiments: asked for, followed, stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from bots.kit.client.errors import ServerUnable
from bots.kit.client.follow import PATIENCE_S
from bots.kit.client.shapes import Experiment, ExperimentFull, ExperimentIn
from bots.kit.client.transport import Transport

LIVE = ("queued", "running")
"""States of an experiment that has not ended."""
LOOK_S = 2.0
"""From one look at an experiment to the next."""


class ExperimentCalls(Transport):
    """Is a new version better than an old one? Tested on the server."""

    def experiments(
        self,
        *,
        state: Sequence[str] | None = None,
        preset: str | None = None,
        candidate: str | None = None,
        baseline: str | None = None,
    ) -> Iterator[Experiment]:
        """One's own experiments, newest first."""
        return self.rows(
            Experiment, "experiments", state=state, preset=preset, candidate=candidate, baseline=baseline
        )

    def experiment(self, experiment_id: str) -> ExperimentFull:
        """An experiment with its batches and the evidence after each board."""
        return self.one(ExperimentFull, f"experiments/{experiment_id}")

    def experiment_create(self, fields: ExperimentIn) -> ExperimentFull:
        """Have a new version tested against an old one."""
        return self.act(ExperimentFull, "experiments", fields)

    def experiment_stop(self, experiment_id: str, reason: str = "") -> ExperimentFull:
        """End an experiment before it is decided."""
        return self.act(ExperimentFull, f"experiments/{experiment_id}/stop", {"reason": reason})

    def experiment_looks(
        self,
        experiment_id: str,
        note: Callable[[str], None],
        *,
        patience_s: float = PATIENCE_S,
        look_s: float = LOOK_S,
    ) -> Iterator[ExperimentFull]:
        """The experiment now and after every change; the last look is at its end.

        Raises:
            Refused: there is no such experiment, or none of the caller's.
            ServerUnable: the server has been away for ``patience_s``.
        """
        seen: ExperimentFull | None = None
        answered_at = time.monotonic()
        while True:
            try:
                found = self.experiment(experiment_id)
                answered_at = time.monotonic()
            except ServerUnable as error:
                if time.monotonic() - answered_at > patience_s:
                    raise
                note(f"{error}; trying again ...")
            else:
                if found != seen:
                    yield found
                seen = found
                if found["state"] not in LIVE:
                    return
            self.sleep(look_s)
