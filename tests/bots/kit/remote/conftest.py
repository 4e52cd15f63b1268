"""A site with the protocol of remote bots, a login to it, and a bot folder."""

import threading

import pytest

from bots.kit.remote import connection as connections
from tests.bots.kit.commands import Commands
from tests.bots.kit.remote.site import Site

FIRST_LEGAL = """\
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "request":
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}), flush=True)
"""


@pytest.fixture
def site():
    opened = Site()
    yield opened
    opened.close()


@pytest.fixture
def logged_in(site, tmp_path, monkeypatch):
    """A login to the site, and intervals short enough for tests."""
    monkeypatch.setenv("RENSHO_URL", site.url)
    monkeypatch.setenv("RENSHO_TOKEN", "rensho_test")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(connections, "FIRST_RECONNECT_S", 0.05)
    monkeypatch.setattr(connections, "ALIVE_S", 0.05)
    return tmp_path / "state" / "rensho" / "remote"


@pytest.fixture
def bot(tmp_path):
    """Writes a bot folder with ``remote.toml`` and returns its path."""

    def write(source=FIRST_LEGAL, manifest='preset = "kakeya4"', name="mine"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "main.py").write_text(source)
        (folder / "remote.toml").write_text(
            f'name = "{name}"\ncommand = ["{{python}}", "-S", "main.py"]\n{manifest}\n'
        )
        return folder

    return write


@pytest.fixture
def rensho(capsys):
    return Commands(capsys)


@pytest.fixture
def during():
    """Runs a function beside a command; its error fails the test."""
    errors, threads = [], []

    def start(function):
        def run():
            try:
                function()
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=run)
        threads.append(thread)
        thread.start()

    yield start
    for thread in threads:
        thread.join(60)
    assert not errors, errors
