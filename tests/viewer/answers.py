"""Hands of single deals of Kakkuri, and choosers whose answers are known."""

EIGHT = dict.fromkeys(range(1, 9), "") | {1: "3C 5C 6C 7C 8C 9C"}
THREE_ACES = {1: "9S 9H 9D JS JH JD", 2: "AS AD AH 3D 4D 5D", 3: ""}


def said(*answers):
    """A chooser that gives these answers, then the fallback; each is ``seat:action``."""
    rest = list(answers)

    def choose(_, state, seat):
        if rest and rest[0].startswith(f"{seat}:"):
            return rest.pop(0).partition(":")[2]
        assert not rest, f"{rest[0]} is due, but seat {seat} is asked"
        return state.fallback(seat)

    return choose
