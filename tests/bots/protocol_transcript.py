"""The transcripts of docs/bot-protocol.md, from the referee's own table.

``python -m tests.bots.protocol_transcript`` writes them into the document.
"""

from __future__ import annotations

import re
from pathlib import Path

from referee.inprocess import InProcessDriver
from referee.table import play_table
from tests.bots.asking import house_bot
from tests.referee.orders import Store, make_order, silent_progress

DOCUMENT = Path(__file__).parents[2] / "docs" / "bot-protocol.md"


class TimelessDriver(InProcessDriver):
    """The clock stands still, so that a transcript is the same wherever it is made."""

    def collect(self, **limits):
        return super().collect(**limits)._replace(cpu_ms=0.0, wall_ms=0.0)


def transcript(seat, rules, **order):
    """What a seat is sent and answers at a table of house bots: lines after ``> `` and ``< ``.

    The seats in ``rules`` have the rule-based player of the game, all others the greedy one.
    """
    lines = []

    def overheard(bot):
        def speak(line):
            answer = bot.reply_to(line)
            lines.append(f"> {line.decode()}")
            if answer is not None:
                lines.append(f"< {answer.decode()}")
            return answer

        return speak

    table = make_order(**order)
    bots = {
        number: house_bot(f"{table.game}_{'rules' if number in rules else 'greedy'}")
        for number in range(1, len(table.seats) + 1)
    }
    speakers = {number: bot.reply_to for number, bot in bots.items()}
    speakers[seat] = overheard(bots[seat])
    drivers = {number: TimelessDriver(speak, table.limits) for number, speak in speakers.items()}
    play_table(table, drivers, silent_progress, Store().keep)
    return lines


def blocks():
    """The lines that belong in each block of the document."""
    game = transcript(2, {3}, boards=1, kind="game", preset="kakeya4.league")
    return {
        "transcript": transcript(3, {3}, boards=1),
        "trump": game[2:4],
        "kakkuri": transcript(1, {1}, boards=1, preset="kakkuri.league", options={"seats": 4}),
    }


def written_blocks(text):
    """The lines of each block as the document has them."""
    found = re.findall(r"<!-- (\w+) -->\n(?:```\n(.*?)```\n)?", text, re.DOTALL)
    return {name: lines.splitlines() for name, lines in found}


def with_blocks(text):
    """The document with every block written anew."""
    for name, lines in blocks().items():
        block = "\n".join((f"<!-- {name} -->", "```", *lines, "```", ""))
        pattern = rf"<!-- {name} -->\n(?:```\n.*?```\n)?"
        text = re.sub(pattern, lambda _, block=block: block, text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    DOCUMENT.write_text(with_blocks(DOCUMENT.read_text()))
