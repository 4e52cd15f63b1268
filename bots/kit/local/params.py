"""``--param``: values of a bot's parameters that replace those in ``rensho.toml``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from bots.kit.errors import InvalidInput
from bots.kit.local.sides import Contender
from referee.bundle import Bundle, with_parameters
from referee.parameters import Parameter, ParameterError, parse_values

_NUMBERED = re.compile(r"([0-9]{1,3}):(.*)", re.DOTALL)


def add_param(parser: argparse.ArgumentParser, whose: str) -> None:
    help_text = f"set a parameter of {whose}; may be repeated"
    parser.add_argument("--param", action="append", default=[], metavar="NAME=VALUE", help=help_text)


def with_params(contenders: Sequence[Contender], assignments: Sequence[str]) -> list[Contender]:
    """Apply ``--param`` values to the first side, or to side N with the prefix ``N:``.

    Raise ``InvalidInput`` if the side or the parameter does not exist, or the value is invalid.
    """
    by_side: dict[int, list[str]] = {}
    for text in assignments:
        match = _NUMBERED.fullmatch(text)
        number, assignment = (int(match[1]), match[2]) if match else (1, text)
        if not 1 <= number <= len(contenders):
            raise InvalidInput(f"--param {text}: there is no side {number}: use 1 to {len(contenders)}")
        by_side.setdefault(number - 1, []).append(assignment)
    return [
        _with_assignments(contender, by_side[position]) if position in by_side else contender
        for position, contender in enumerate(contenders)
    ]


def parameters_of(contender: Contender) -> tuple[Parameter, ...]:
    """Return the parameters of a side; if both bots of a pair have a parameter, the first bot's."""
    by_name: dict[str, Parameter] = {}
    for bundle in contender.bundles:
        for parameter in bundle.manifest.parameters:
            by_name.setdefault(parameter.name, parameter)
    return tuple(by_name.values())


def with_values(contender: Contender, values: dict[str, float]) -> Contender:
    """Return the side with these values, which must be valid."""
    return contender._replace(
        bundles=tuple(_with_known_values(bundle, values) for bundle in contender.bundles)
    )


def _with_assignments(contender: Contender, assignments: Sequence[str]) -> Contender:
    try:
        values: dict[str, float] = parse_values(assignments, parameters_of(contender))
        for bundle in contender.bundles:
            # Both bots of a pair may have the parameter, with different ranges.
            own = {parameter.name for parameter in bundle.manifest.parameters}
            parse_values(
                [word for word in assignments if word.partition("=")[0] in own], bundle.manifest.parameters
            )
    except ParameterError as error:
        raise InvalidInput(f"--param of {contender.label}: {error}") from None
    label = f"{contender.label} ({', '.join(assignments)})"
    return with_values(contender, values)._replace(label=label)


def _with_known_values(bundle: Bundle, values: dict[str, float]) -> Bundle:
    return with_parameters(bundle, values) if bundle.manifest.parameters else bundle
