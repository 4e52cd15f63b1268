"""The kit's commands, called in this process: what they print, what they refuse."""

import json

from bots.kit.cli import main
from bots.kit.errors import INVALID_INPUT
from engine.refusals import REFUSAL_CHARS

PREFIX_CHARS = 200
"""Most characters before a refusal: the command and a path of the test."""


class Commands:
    """Runs a command; gives its status, its output and its errors."""

    def __init__(self, capture):
        self.capture = capture

    def __call__(self, *argv):
        try:
            status = main([str(argument) for argument in argv])
        except SystemExit as end:
            status = end.code
        written = self.capture.readouterr()
        return status, written.out, written.err

    def prints(self, *argv, status=0):
        """Return the output of a command that writes no errors."""
        found, out, err = self(*argv)
        assert (found, err) == (status, ""), out
        return out

    def json(self, *argv, status=0):
        """Return what a command prints with ``--json``."""
        return json.loads(self.prints(*argv, "--json", status=status))

    def refuses(self, *argv, names=(), status=INVALID_INPUT):
        """Assert that a command prints one short line of error that has these texts, and nothing else."""
        found, out, err = self(*argv)
        assert (found, out) == (status, ""), err
        line = err.splitlines()[-1]
        assert err == f"{line}\n" or err.startswith("usage: ")
        assert line.startswith("rensho")
        assert len(line) <= REFUSAL_CHARS + PREFIX_CHARS
        for name in (names,) if isinstance(names, str) else names:
            assert name in err
        return err
