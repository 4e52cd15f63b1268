"""Test before a bot connects: it has to start and answer ``hello``."""

from __future__ import annotations

import json
import queue
import time
from contextlib import suppress

from bots.kit.errors import CheckFailed
from bots.kit.local.bot_presets import game_of
from bots.kit.remote.folder import BotProgram
from bots.kit.remote.process import BotExit, BotMessage, BotNote, BotProcess
from engine.errors import ProtocolError
from engine.game import json_text
from engine.wire import hello_line, parse_ready

START_S = 120.0
"""Maximum seconds from the start to ``ready``; large models take a minute to load."""
TABLE = "start-test"
CLOCK = {"start_ms": 120_000, "bank_ms": 120_000, "increment_ms": 5_000, "decision_cap_ms": 120_000}
"""Clock in the ``hello`` of the test."""


def start_test(program: BotProgram, preset: str) -> None:
    """Start the bot, wait for ``ready``, and end it. Raise ``CheckFailed`` if that fails."""
    game = game_of(preset)
    hello = json.loads(hello_line(game, game.ruleset(preset), 1, clock=CLOCK, rng="0" * 16))
    outputs: queue.SimpleQueue[BotMessage | BotNote | BotExit] = queue.SimpleQueue()
    bot = BotProcess(program)
    try:
        bot.attach(TABLE, hello, outputs.put)
        until = time.monotonic() + START_S
        with suppress(queue.Empty):
            while True:
                heard = outputs.get(timeout=max(until - time.monotonic(), 0))
                if isinstance(heard, BotExit):
                    log = heard.log.splitlines()
                    quoted = f": {log[-1]}" if log else " without a message on standard error"
                    raise CheckFailed(
                        f"the bot in {program.folder} ended at its start ({heard.detail}){quoted}"
                    )
                if isinstance(heard, BotNote):
                    raise CheckFailed(
                        f"the bot in {program.folder} wrote {heard.text}; answer hello with "
                        '{"type":"ready"}, and write remarks to standard error'
                    )
                try:
                    parse_ready(json_text(heard.message).encode())
                except ProtocolError as error:
                    raise CheckFailed(f"the bot in {program.folder}: {error}") from None
                return
        raise CheckFailed(f"the bot in {program.folder} did not answer hello within {START_S:.0f} s")
    finally:
        bot.detach(TABLE)
        bot.close()
