"""Stages from options: ``--groups --option size=4 --single-elimination --qualify 8``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from bots.kit.client.shapes import StageIn
from league.formats import offered_formats


class _AddStage(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        stage: StageIn = {"format": values if isinstance(values, str) else str(self.const)}
        namespace.stages = [*(namespace.stages or ()), stage]


class _SetStageField(argparse.Action):
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
    parser.set_defaults(stages=None)

    def add(option: str, action: type[argparse.Action], help_text: str, **more: Any) -> None:
        parser.add_argument(option, dest=argparse.SUPPRESS, action=action, help=help_text, **more)

    for key, format_ in offered_formats().items():
        option = f"--{key.replace('_', '-')}"
        add(option, _AddStage, f"a stage in the format {format_.title}", nargs=0, const=key)
    add("--format", _AddStage, "a stage in any format of the server", metavar="FORMAT")
    help_text = "an option of the stage named last, such as rounds=5; may be repeated"
    add("--option", _SetStageField, help_text, metavar="NAME=VALUE", const="options")
    help_text = "how many of the previous stage qualify for the stage named last"
    add("--qualify", _SetStageField, help_text, metavar="N", type=int, const="qualify")
    help_text = "boards per round of the stage named last"
    add("--stage-boards", _SetStageField, help_text, metavar="N", type=int, const="boards_per_round")


def option_value(text: str) -> Any:
    """Parse a value as JSON, or return the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
