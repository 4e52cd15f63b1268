"""Stages built from options: ``--groups --option size=4 --single-elimination --qualify 8``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from bots.kit.client.shapes import StageIn
from league.formats import all_formats


class _Stage(argparse.Action):
    """Adds a stage: the one whose format the flag names, or the one that is given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        stage: StageIn = {"format": values if isinstance(values, str) else str(self.const)}
        namespace.stages = [*(namespace.stages or ()), stage]


class _OfStage(argparse.Action):
    """Sets what belongs to the stage named last."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if not namespace.stages:
            parser.error(
                f"{option_string} belongs to the stage before it, and there is none: name a format first, "
                f"such as --round-robin {option_string} {self.metavar}"
            )
        stage = namespace.stages[-1]
        if self.const != "options":
            stage[self.const] = values
            return
        name, is_there, value = values.partition("=")
        if not is_there or not name:
            parser.error(f"{option_string} {values!r}: write it as NAME=VALUE, such as rounds=5")
        stage.setdefault("options", {})[name] = option_value(value)


def add_stage_options(parser: argparse.ArgumentParser) -> None:
    """One option for each format; what follows it belongs to that stage. They set ``stages``."""
    parser.set_defaults(stages=None)
    for key, format_ in all_formats().items():
        parser.add_argument(
            f"--{key.replace('_', '-')}",
            dest=argparse.SUPPRESS,
            action=_Stage,
            nargs=0,
            const=key,
            help=f"a stage in the format {format_.title}",
        )
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        dest=argparse.SUPPRESS,
        action=_Stage,
        help="a stage in any format of the server",
    )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        dest=argparse.SUPPRESS,
        action=_OfStage,
        const="options",
        help="an option of the stage named last, such as rounds=5; may be repeated",
    )
    parser.add_argument(
        "--qualify",
        metavar="N",
        type=int,
        dest=argparse.SUPPRESS,
        action=_OfStage,
        const="qualify",
        help="how many of the previous stage qualify for the stage named last",
    )
    parser.add_argument(
        "--stage-boards",
        metavar="N",
        type=int,
        dest=argparse.SUPPRESS,
        action=_OfStage,
        const="boards_per_round",
        help="boards per round of the stage named last",
    )


def option_value(text: str) -> Any:
    """A value as JSON, or the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
