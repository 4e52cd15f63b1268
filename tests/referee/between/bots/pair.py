"""Either end of a channel: sends the bits it is told, or tells what it notices; one line of JSON a request.

A request names the channel (module and class), the round, and what to do. ``send`` has the bits, one a slot;
``prepare`` and ``receive`` have the number of slots; ``at`` is when the first slot begins, by the monotonic
clock, and how long each takes: at two tables at once the ends keep time by it.
"""

import importlib
import json
import sys
import time


class End:
    """What a channel may do at each step; all of it may be left out."""

    def __init__(self, round):
        self.round = round

    def prepare(self, slot):
        """The receiver, before anything is sent."""

    def send(self, slot, bit, until):
        """The sender; ``until`` is when the bit need not be held any longer, or None."""

    def undo(self, slot):
        """The sender, when the receiver has had time to look."""

    def receive(self, slot):
        """What the receiver notices: a number, or some."""
        return 0

    def close(self):
        """Let go of everything."""


def wait_until(moment):
    left = moment - time.monotonic()
    if left > 0:
        time.sleep(left)


def send(end, bits, at):
    for slot, bit in enumerate(bits):
        if at is None:
            end.send(slot, bit, None)
            continue
        began, slot_s = at[0] + slot * at[1], at[1]
        wait_until(began + 0.25 * slot_s)
        until = began + 0.8 * slot_s
        end.send(slot, bit, until)
        wait_until(until)
        end.undo(slot)


def receive(end, slots, at):
    readings = []
    for slot in range(slots):
        if at is not None:
            wait_until(at[0] + slot * at[1])
            end.prepare(slot)
            wait_until(at[0] + (slot + 0.5) * at[1])
        readings.append(end.receive(slot))
    return readings


def main():
    end, key = None, None
    print(json.dumps("ready"))
    for line in sys.stdin:
        order = json.loads(line)
        if key != (order["channel"], order["round"]):
            if end is not None:
                end.close()
            key = order["channel"], order["round"]
            module, _, name = order["channel"].partition(".")
            end = getattr(importlib.import_module(module), name)(order["round"])
        at = order.get("at")
        answer = None
        if order["do"] == "prepare":
            for slot in range(order["slots"]):
                end.prepare(slot)
        elif order["do"] == "send":
            send(end, order["bits"], at)
        elif order["do"] == "receive":
            answer = receive(end, order["slots"], at)
        print(json.dumps(answer))


if __name__ == "__main__":
    # The channels' modules import this one by its name.
    sys.modules["pair"] = sys.modules["__main__"]
    main()
