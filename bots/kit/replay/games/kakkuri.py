"""Kakkuri in the terminal: the value to follow, melds turn by turn, hand sizes, drops, box and pot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from rich.console import RenderableType
from rich.text import Text

from bots.kit.display.console import DIM, columns
from bots.kit.replay.ink import Ink, Place, indented, referee_lines, stones_text
from bots.kit.replay.walk import Heard, Stop
from engine import Observation, Replay, Seat

WILDS = ("AC", "2D")
TURN = "turn"
PLACE_WIDTH = 21
ANSWERS = {
    "PASS": "passes",
    "DROP": "drops",
    "SANSOKU": "declares sansoku",
    "SWAP": "swaps hands with the dealer",
    "KEEP": "keeps the hand",
    "DEAL": "deals",
    "GIVE": "hands on the deal",
    "TURN": "turns up",
}
ENDINGS = {
    "ordinary": "goes out and wins",
    "guri": "goes out in one turn (guri) and wins",
    "utazu": "holds three aces (utazu) and wins",
    "lone": "is the last one in and wins",
}


class Row(NamedTuple):
    """One turn of one seat."""

    seat: Seat
    follow: int | None
    """The value to follow when it began."""
    words: list[Text]
    is_pass: bool
    """Whether it was a pass and nothing else."""
    left: int
    """Cards in hand after it."""
    is_over: bool


class KakkuriPresenter:
    """See ``Presenter``."""

    def __init__(self, replayed: Replay, ink: Ink, seat: Seat | None) -> None:
        """See ``Presenter``."""
        self._ink = ink
        self._seat = seat
        court = replayed.ruleset.as_dict().get("court_order", "JQK")
        self._ranks = f"A23456789{court}"

    def page(self, stops: Sequence[Stop]) -> Iterator[RenderableType]:
        """What came before the first turn, the hands, a line a turn, the payment."""
        dealt = next((stop for stop in stops if stop.eyes and _common(stop)["phase"] in (TURN, "over")), None)
        events = [heard for stop in stops for heard in stop.heard]
        early = [event for event in events if event.kind != "act" or event.fields["phase"] != TURN]
        first_turn = next((at for at, event in enumerate(events) if _is_turn(event)), len(events))
        for heard in early:
            if heard.kind != "deal_end" and events.index(heard) < first_turn:
                yield indented(self._line(heard))
        if dealt is not None:
            yield indented(self.picture(dealt), above=1)
        rows = self._rows(stops)
        if rows:
            table = columns(("seat", "to follow", "plays", "cards left"), _cells(rows), right={1, 3})
            table.columns[2].no_wrap = False
            yield indented(table, below=1)
        for line in referee_lines((event.fields["seat"], event.verdict) for event in events if event.verdict):
            yield indented(line)
        for heard in events:
            if heard.kind == "deal_end":
                yield indented(self._line(heard))

    def picture(self, stop: Stop) -> RenderableType:
        """The seats with hands or hand sizes, what each has played, and what lies in the middle."""
        if not stop.eyes:
            return Text("(over before anybody could look)", DIM)
        eyes = dict(_common(stop))
        gone: set[str] = set()
        if stop.is_closing:
            last = [act for act in stop.events("act") if "@" in act["action"]][-1:]
            gone = {card for act in last for card in _cards(act["action"])}
            eyes["plays"] = [*eyes["plays"], *([act["seat"], act["action"]] for act in last)]
        places = {seat: self._place(seat, stop, eyes, gone) for seat in range(1, eyes["seats"] + 1)}
        return self._ink.table(places, self._seat or 1, self._centre(eyes), PLACE_WIDTH)

    def said(self, stop: Stop) -> list[Text]:
        """Each answer and event in words."""
        lines = [self._line(heard) for heard in stop.heard]
        if stop.eyes and not stop.is_closing and _common(stop)["return_turn"]:
            lines.append(Text(f"The turn has come back to seat {_common(stop)['last']}.", DIM))
        return lines or [Text("The next deal is about to begin.")]

    def _place(self, seat: Seat, stop: Stop, eyes: Observation, gone: set[str]) -> Place:
        """What stands at one seat."""
        title = f"Seat {seat}{' (you)' if seat == self._seat else ''}"
        if seat == eyes["dealer"]:
            title += ", dealer"
        if seat in eyes["out"] or seat in eyes["dropped"]:
            why = "out: 3 of clubs" if seat in eyes["out"] else "dropped"
            return Place(title, (Text(why, DIM), Text()), is_active=False)
        held = [card for card in stop.eyes.get(seat, {}).get("hand", ()) if card not in gone]
        if held:
            held.sort(key=lambda card: self._ranks.index(card[0]))
            hand = Text(" ").join(self._card(card) for card in held)
        else:
            own = [act for act in stop.events("act") if stop.is_closing and act["seat"] == seat]
            left = eyes["hand_sizes"][str(seat)] - (len(gone) if own else 0)
            hand = Text(f"{left} card{'' if left == 1 else 's'}", DIM)
        if seat in eyes["sansoku"]:
            hand.append("  sansoku", "bold")
        melds = [self._meld(meld) for who, meld in eyes["plays"] if who == seat]
        played = Text(" ").join(melds)
        if melds:
            played = Text(f"{self._ink.marks['point']} ").append_text(played)
        return Place(title, (hand, played), is_next=not stop.is_closing and seat in eyes["to_act"])

    def _centre(self, eyes: Observation) -> Text:
        """Value to follow, box and pot."""
        line = Text()
        if eyes["follow"]:
            line.append(f"to follow: {eyes['follow']}", "bold")
            line.append(" (come back)" if eyes["return_turn"] else "")
            if eyes["turned"]:
                line.append("\nturned up: ").append_text(self._card(eyes["turned"][-1]))
        else:
            line.append("nobody has looked yet", DIM)
        gap = f" {self._ink.marks['dot']} "
        pot = f"{gap}pot {eyes['pot']}" if eyes["pot"] else ""
        return line.append(f"\nbox {eyes['box_size']}{pot}")

    def _rows(self, stops: Sequence[Stop]) -> list[Row]:
        """The turns of a deal."""
        rows: list[Row] = []
        for stop in stops:
            for heard in stop.heard:
                if heard.kind == "turned" and rows and not rows[-1].is_over:
                    rows[-1].words[-1].append(" ").append_text(self._card(heard.fields["card"]))
                if not _is_turn(heard):
                    continue
                seat, action = heard.fields["seat"], heard.fields["action"]
                before: Observation = next(iter(stop.before.values()), {})
                left = before.get("hand_sizes", {}).get(str(seat), 0) - len(_cards(action))
                words = self._answer(heard)
                is_over = action in ("PASS", "DROP") or not left
                if rows and rows[-1].seat == seat and not rows[-1].is_over:
                    last = rows.pop()
                    if action == "PASS" and not heard.verdict:
                        # Every turn that does not win ends so: nothing to tell.
                        rows.append(last._replace(is_over=True))
                        continue
                    rows.append(
                        last._replace(words=[*last.words, words], is_pass=False, left=left, is_over=is_over)
                    )
                else:
                    rows.append(Row(seat, before.get("follow"), [words], action == "PASS", left, is_over))
        return rows

    def _answer(self, heard: Heard) -> Text:
        """An answer in a turn, without its seat."""
        action = heard.fields["action"]
        words = self._meld(action) if "@" in action else Text(ANSWERS.get(action, action))
        return words.append("!" if heard.verdict else "")

    def _line(self, heard: Heard) -> Text:
        """An event as a sentence."""
        fields = heard.fields
        if heard.kind == "act":
            action = fields["action"]
            line = Text(f"Seat {fields['seat']} ")
            if "@" in action:
                line.append("plays ").append_text(self._meld(action))
            else:
                line.append(ANSWERS.get(action, action) + (" a card" if action == "TURN" else ""))
            return line.append(f"; {_by_referee(heard)}." if heard.verdict else ".")
        if heard.kind == "deal":
            return Text(f"Seat {fields['dealer']} deals deal {fields['deal']}.")
        if heard.kind == "turned":
            return Text("From the box: ").append_text(self._card(fields["card"])).append(".")
        if heard.kind == "out":
            return Text(f"Seat {fields['seat']} holds ").append_text(self._card("3C")).append(" and is out.")
        if heard.kind == "utazu":
            return Text(f"Seat {fields['seat']} shows three aces: utazu.")
        return self._deal_end(fields)

    def _deal_end(self, fields: Mapping[str, Any]) -> Text:
        """Who won and what is paid."""
        if fields["winner"]:
            line = Text(f"Seat {fields['winner'][0]} {ENDINGS.get(fields['how'], fields['how'])}.", "bold")
        else:
            line = Text("The deal is dead.", "bold")
        return line.append_text(Text(f" Stones: {stones_text(fields['stones'])}.", "not bold"))

    def _meld(self, meld: str) -> Text:
        """``4H@4`` as a card, ``AC@6`` as a card and what it stands for, several joined by plus."""
        cards = _cards(meld)
        cards_text = Text("+").join(self._card(card) for card in cards)
        if all(card in WILDS for card in cards):
            cards_text.append(f"={meld.partition('@')[2]}")
        return cards_text

    def _card(self, card: str) -> Text:
        return self._ink.card(card, is_special=card in WILDS)


def _common(stop: Stop) -> Observation:
    """What all who look see alike."""
    return next(iter(stop.eyes.values()))


def _cells(rows: Iterable[Row]) -> Iterator[tuple[Text | str, ...]]:
    """The turns as lines of a table; passes one after another share a line."""
    for is_pass, run in groupby(rows, key=lambda row: row.is_pass and "!" not in row.words[0].plain):
        turns = list(run)
        if is_pass:
            seats = " ".join(str(row.seat) for row in turns)
            yield seats, str(turns[0].follow or ""), Text("pass" if len(turns) > 1 else "passes", DIM), ""
            continue
        for row in turns:
            yield str(row.seat), str(row.follow or ""), Text(", ").join(row.words), str(row.left)


def _cards(action: str) -> list[str]:
    return action.partition("@")[0].split("+") if "@" in action else []


def _is_turn(heard: Heard) -> bool:
    return heard.kind == "act" and bool(heard.fields["phase"] == TURN)


def _by_referee(heard: Heard) -> str:
    return f"the referee chose it ({heard.verdict})"


PRESENTER = KakkuriPresenter
