"""The kit's commands against its client: every call of it serves one."""

import inspect
import re
from pathlib import Path

import pytest

import bots.kit
from bots.kit.client import Client
from bots.kit.client.transport import Transport

pytestmark = pytest.mark.full

KIT = Path(bots.kit.__file__).parent


def test_every_call_of_the_client_serves_a_command():
    calls = {
        name
        for name, _ in inspect.getmembers(Client, inspect.isfunction)
        if not name.startswith("_") and not hasattr(Transport, name)
    }
    used = {
        name
        for path in KIT.rglob("*.py")
        if "client" not in path.parts
        for name in re.findall(r"\bclient\.(\w+)", path.read_text())
    }
    assert calls - used == set()
