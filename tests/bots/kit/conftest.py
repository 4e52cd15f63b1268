"""Bots for the kit's tests, and its commands called as functions."""

import pytest

from tests.bots.kit.commands import Commands
from tests.bots.kit.inprocess import play_tables_here

GOOD = """\
from bots.sdk import Bot

class Good(Bot):
    def act(self, request):
        return request.legal[0]

Good().run()
"""
SECOND_CARD = GOOD.replace("request.legal[0]", "request.legal[-1]")
ILLEGAL_ONCE = GOOD.replace(
    "        return request.legal[0]",
    "        self.asked = getattr(self, 'asked', 0) + 1\n"
    "        if self.asked == 5:\n"
    "            self.log('what now?')\n"
    "            return 'QQ'\n"
    "        return request.legal[0]",
)
CRASHES = GOOD.replace(
    "        return", "        if len(request.observation['hand']) == 5: print(1 // 0)\n        return"
)
LACKS_MODULE = "# a comment\nimport nothing_of_this_name\n"


@pytest.fixture
def rensho(rensho_with_workers, monkeypatch):
    """The same, but that matches without a sandbox are played in this process."""
    monkeypatch.setattr("bots.kit.local.runner.play_tables", play_tables_here)
    return rensho_with_workers


@pytest.fixture
def rensho_with_workers(capsys):
    """The commands of the kit."""
    return Commands(capsys)


@pytest.fixture
def bot(tmp_path):
    """Writes a bot of one file and gives its path."""

    def write(source, name="bot.py"):
        path = tmp_path / name
        path.write_text(source)
        return path

    return write
