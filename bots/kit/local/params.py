"""``--param``: a bot with other values of its parameters than those of its ``rensho.toml``."""

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
    """Add ``--param``; ``whose`` says which bots it varies."""
    help_text = f"another value for a parameter of {whose}; may be repeated"
    parser.add_argument("--param", action="append", default=[], metavar="NAME=VALUE", help=help_text)


def with_params(contenders: Sequence[Contender], words: Sequence[str]) -> list[Contender]:
    """The sides with the values that ``--param`` gives: to the first, or with ``N:`` before it to the Nth.

    Raises:
        InvalidInput: no such side or parameter, or a value it cannot have.
    """
    by_side: dict[int, list[str]] = {}
    for word in words:
        found = _NUMBERED.fullmatch(word)
        number, assignment = (int(found[1]), found[2]) if found else (1, word)
        if not 1 <= number <= len(contenders):
            raise InvalidInput(f"--param {word}: there is no side {number}, only 1 to {len(contenders)}")
        by_side.setdefault(number - 1, []).append(assignment)
    return [
        _with_assignments(contender, by_side[position]) if position in by_side else contender
        for position, contender in enumerate(contenders)
    ]


def parameters_of(contender: Contender) -> tuple[Parameter, ...]:
    """The parameters of a side: those of its bots; where both of a pair have one, the first bot's.

    >>> parameters_of(Contender("nobody", ()))
    ()
    """
    found: dict[str, Parameter] = {}
    for bundle in contender.bundles:
        for parameter in bundle.manifest.parameters:
            found.setdefault(parameter.name, parameter)
    return tuple(found.values())


def with_values(contender: Contender, values: dict[str, float]) -> Contender:
    """The side with these values, checked before."""
    return contender._replace(
        bundles=tuple(_with_known_values(bundle, values) for bundle in contender.bundles)
    )


def _with_assignments(contender: Contender, words: Sequence[str]) -> Contender:
    try:
        values: dict[str, float] = parse_values(words, parameters_of(contender))
        for bundle in contender.bundles:
            # Both bots of a pair may have the parameter, each with a range of its own.
            own = {parameter.name for parameter in bundle.manifest.parameters}
            parse_values(
                [word for word in words if word.partition("=")[0] in own], bundle.manifest.parameters
            )
    except ParameterError as error:
        raise InvalidInput(f"--param of {contender.label}: {error}") from None
    label = f"{contender.label} ({', '.join(words)})"
    return with_values(contender, values)._replace(label=label)


def _with_known_values(bundle: Bundle, values: dict[str, float]) -> Bundle:
    return with_parameters(bundle, values) if bundle.manifest.parameters else bundle
