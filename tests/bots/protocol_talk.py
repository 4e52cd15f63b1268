"""What the referee and bots say to each other under every preset, to hold docs/bot-protocol.md against."""

from __future__ import annotations

import json
from functools import cache

from bots.sdk import Answer, Bot
from referee.contract import Verdict
from referee.inprocess import InProcessDriver
from referee.table import play_table
from tests.bots.asking import house_bot
from tests.bots.protocol_text import PRESETS
from tests.referee.orders import Store, make_order, silent_progress

RARELY = 0.2


class Curious(Bot):
    """Hears everything, answers with every remark there is."""

    name = "curious"
    events = True

    def on_hello(self, hello):
        self.player = house_bot(f"{hello.game}_greedy")

    def act(self, request):
        # Words that greedy itself never says.
        rare = [word for word in ("GIVE", "SWAP", "SANSOKU", "DROP") if word in request.legal]
        action = rare[0] if rare and request.rng.random() < RARELY else self.player.act(request)
        return Answer(action, debug="a remark", policy={action: 1.0})


EIGHT = {"seats": 8, "hands": 3, "deal_pass": True}
TABLES = [
    *((preset, "deal", None) for preset in PRESETS),
    ("kakeya4.league", "game", None),
    ("kakeya6.league", "game", {"hand_cap": 6}),
    ("etori.simple", "game", {"hand_cap": 4}),
    ("etori.simple6", "game", {"hand_cap": 6, "lead_protocol": "iku_koi"}),
    ("etori.meiji", "game", {"hands": 4, "meiji_score": "kakeya"}),
    ("kakeya4", "deal", {"lead_protocol": "iku_koi", "schedule": "asahi_tie_only"}),
    ("kakkuri", "game", EIGHT),
    ("kakkuri.league", "game", {"seats": 3, "hands": 3, "wild_mode": "reset", "court_order": "QJK"}),
    ("kakkuri.league", "game", {"seats": 7, "hands": 60, "wild_in_sansoku": True}),
]
"""Preset, kind of board, options. The last is long enough for somebody to hold three aces."""


@cache
def talk():
    """All that bots are sent and answer under every preset, as (game, who, message)."""
    said = []

    def overheard(game, bot):
        def speak(line):
            answer = bot.reply_to(line)
            said.append((game, "referee", json.loads(line)))
            if answer is not None:
                said.append((game, "bot", json.loads(answer)))
            return answer

        return speak

    for preset, kind, options in TABLES:
        table = make_order(preset=preset, kind=kind, boards=2, options=options)
        drivers = {
            seat: InProcessDriver(overheard(table.game, Curious()), table.limits)
            for seat in range(1, len(table.seats) + 1)
        }
        report = play_table(table, drivers, silent_progress, Store().keep)
        assert {seat.verdict for seat in report.seats} == {Verdict.OK}
    return said


def sent(kind, game=None):
    """What bots were sent of one kind, in one game or in all."""
    found = [
        message
        for of, who, message in talk()
        if who == "referee" and message["type"] == kind and game in (None, of)
    ]
    assert found
    return found
