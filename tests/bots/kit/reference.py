"""Writes the reference of commands in docs/kit.md: ``python -m tests.bots.kit.reference``."""

import argparse
import functools
import re
import sys
from pathlib import Path

from bots.kit import cli

PAGE = Path(__file__).resolve().parents[3] / "docs" / "kit.md"
MANY = 5
PLACE = re.compile(r"(?<=<!-- commands -->\n).*(?=<!-- /commands -->)", re.DOTALL)


def below(parser):
    """The parsers of the commands under a parser; none if it is one itself."""
    found = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found[0].choices) if found else {}


@functools.cache
def commands():
    """The parser of each command."""
    return below(cli.parser_for(()))


def spelling(action):
    """An option as help spells it, with what it takes."""
    if not action.option_strings:
        return action.metavar or action.dest
    if action.nargs == 0:
        return action.option_strings[-1]
    taken = action.metavar or ("{%s}" % ",".join(action.choices) if action.choices else action.dest.upper())  # noqa: UP031
    return f"{action.option_strings[-1]} {taken}"


def options(parser):
    """Spelling and meaning of what a command takes, as cells of a table; the page tells of --json once."""
    known = ("help", "json")
    return [
        (spelling(action), parser._get_formatter()._expand_help(action).replace("|", r"\|"))
        for action in sorted(parser._actions, key=lambda action: bool(action.option_strings))
        if action.dest not in known and not isinstance(action, argparse._SubParsersAction)
    ]


def section(name, parser):
    """The lines on one command: what it does, its verbs, its options."""
    yield f"### rensho {name}\n\n{parser.description}\n"
    verbs = below(parser)
    rows = options(parser)
    if rows:
        yield "| Option | Meaning |\n|---|---|"
        yield from (f"| `{option}` | {meaning} |" for option, meaning in rows)
    if verbs:
        yield "| Verb | Purpose |\n|---|---|"
        for verb, verb_parser in verbs.items():
            taken = [spelling(action) for action in verb_parser._get_positional_actions()]
            yield f"| `{' '.join((verb, *taken))}` | {verb_parser.description} |"
        takers = {}
        for verb, verb_parser in verbs.items():
            for row in options(verb_parser):
                takers.setdefault(row, []).append(verb)
        yield "\n| Option | Meaning | Of |\n|---|---|---|"
        for (option, meaning), found in takers.items():
            takers_text = ", ".join(found) if len(found) < MANY else "every verb that has it"
            yield f"| `{option}` | {meaning} | {takers_text} |"
    if parser.epilog:
        yield f"\n```text\n{parser.epilog.strip()}\n```"
    yield ""


def reference():
    """The sections on all commands."""
    return "\n" + "\n".join(line for name, parser in commands().items() for line in section(name, parser))


def page_text():
    """The page with the reference as it is to be."""
    return PLACE.sub(lambda _: reference() + "\n", PAGE.read_text())


if __name__ == "__main__":
    sys.exit(not PAGE.write_text(page_text()))
