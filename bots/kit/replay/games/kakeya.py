"""Kakeya and Etori in the terminal: trumps, the four hands, each trick, pictures so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from bots.kit.display.console import DIM, columns
from bots.kit.replay.ink import Ink, Place, indented, referee_lines, seats_text, stones_text
from bots.kit.replay.walk import Heard, Stop
from bots.sdk import PICTURES
from engine import Observation, Replay, Seat, Side

HAND = 13
PLACE_WIDTH = 22
SAID = {
    "KEEP": "keeps trumps",
    "PREFER": "would like to lead",
    "DEFER": "leaves the lead",
    "IKU": "leads (iku)",
    "KOI": "lets the partner lead (koi)",
}
CATEGORIES = {"N": "no ace", "O": "a plain ace", "R": "Rensho or the ace of trumps"}


class KakeyaPresenter:
    """See ``Presenter``."""

    def __init__(self, replayed: Replay, ink: Ink, seat: Seat | None) -> None:
        """See ``Presenter``."""
        self._sides: tuple[Side, ...] = replayed.game.sides(replayed.ruleset)
        self._ink = ink
        self._seat = seat

    def page(self, stops: Sequence[Stop]) -> Iterator[RenderableType]:
        """Conditions, what was said, the hands as dealt, a line a trick, the payment."""
        for stop in stops:
            for heard in stop.heard:
                if heard.kind == "act" and heard.fields["phase"] != "play":
                    yield indented(self._act(heard, {}))
                elif heard.kind == "deal":
                    yield indented(self._conditions(stop))
                    yield indented(self.picture(stop), above=1)
        tricks = self._tricks(stops)
        if tricks.row_count:
            yield indented(tricks, above=1, below=1)
        acts = (
            (event.fields["seat"], event.verdict) for stop in stops for event in stop.heard if event.verdict
        )
        for line in referee_lines(acts):
            yield indented(line)
        for stop in stops:
            for heard in stop.heard:
                if heard.kind == "deal_end":
                    yield indented(self._deal_end(heard.fields))

    def picture(self, stop: Stop) -> RenderableType:
        """The seats with their hands and the trick, whole at the stop that ends it."""
        eyes = next(iter(stop.eyes.values()), None)
        if eyes is None:
            return Text("(over before anybody could look)", DIM)
        played = [act for act in stop.events("act") if act["phase"] == "play"]
        done = next(iter(stop.events("trick")), None)
        if done and stop.before:
            earlier = next(iter(stop.before.values()))["trick"]
            trick = [*map(tuple, earlier), *((act["seat"], act["action"]) for act in played)]
        else:
            trick = [tuple(play) for play in eyes["trick"]]
        gone = {act["action"] for act in played}
        places = {
            seat: self._place(seat, stop, eyes, trick, gone, done) for seat in range(1, eyes["seats"] + 1)
        }
        return self._ink.table(places, self._seat or 1, self._centre(eyes, stop), PLACE_WIDTH)

    def said(self, stop: Stop) -> list[Text]:
        """Each answer, trick and payment in words."""
        lines = []
        for heard in stop.heard:
            if heard.kind == "act":
                eyes = next(iter((stop.eyes or stop.before).values()), {})
                lines.append(self._act(heard, eyes))
            elif heard.kind == "deal":
                lines.append(self._conditions(stop))
            elif heard.kind == "trick":
                fields = heard.fields
                trick = f"wins trick {fields['n']}: {_pictures(fields['pictures'])}"
                lines.append(Text(f"Seat {fields['winner']} {trick}."))
            elif heard.kind == "deal_end":
                lines.append(self._deal_end(heard.fields))
        return lines or [Text(f"Seats {seats_text(_asked(stop))} are asked about trumps.")]

    def _conditions(self, stop: Stop) -> Text:
        """Trumps and roles of the deal."""
        fields = stop.events("deal")[-1]
        eyes: Observation = next(iter(stop.eyes.values()), {})
        line = Text("trump ").append_text(self._ink.suit(fields["trump"]))
        gap = f" {self._ink.marks['dot']} "
        if rensho := eyes.get("rensho"):
            line.append(f"{gap}Rensho ").append_text(self._card(rensho, eyes))
        dealer = fields.get("dealer")
        dealers = [dealer] if dealer else fields["dealers"]
        line.append(f"{gap}{_seats('dealer', dealers)}{gap}{_seats('leader', fields['leaders'])}")
        resting = sorted(set(range(1, eyes.get("seats", 0) + 1)) - set(eyes.get("active", ())))
        if eyes and resting:
            line.append(f"{gap}resting {seats_text(resting)}")
        return line

    def _place(
        self,
        seat: Seat,
        stop: Stop,
        eyes: Observation,
        trick: Sequence[tuple[Seat, str]],
        gone: set[str],
        done: Mapping[str, Any] | None,
    ) -> Place:
        """What stands at one seat."""
        is_active = seat in eyes["active"]
        title = f"Seat {seat}{' (you)' if seat == self._seat else ''}"
        if not is_active:
            return Place(title, (Text("rests", DIM), Text()), is_active=False)
        card = dict(trick).get(seat)
        own = stop.eyes.get(seat)
        hidden = Text()
        if eyes["phase"] != "trump":
            left = HAND - len(eyes["tricks"]) - (card is not None and not (done and not stop.is_closing))
            hidden = Text(f"{left} card{'' if left == 1 else 's'}", DIM)
        hand = hidden
        if own is not None:
            held = [card for card in own["hand"] if card not in gone]
            hand = self._ink.by_suit(held, PICTURES, (eyes["rensho"],)) if held or card else Text()
        line = Text()
        if card is not None:
            line.append(f"{self._ink.marks['point']} ").append_text(self._card(card, eyes))
            words = ["leads"] if trick[0][0] == seat else []
            words += ["wins"] if done and done["winner"] == seat else []
            line.append(f" {', '.join(words)}" if words else "", DIM)
        is_next = not stop.is_closing and seat in eyes["to_act"]
        return Place(title, (hand, line), is_next=is_next and not (done and trick))

    def _centre(self, eyes: Observation, stop: Stop) -> Text:
        """Trump, trick and pictures so far."""
        line = Text("trump ").append_text(self._ink.suit(eyes["trump"]))
        number = len(eyes["tricks"]) + (not stop.events("trick") or stop.is_closing)
        if eyes["phase"] == "play" and number <= HAND:
            line.append(f"{self._ink.marks['dot'].center(3)}trick {number}")
        taken = {int(side): len(cards) for side, cards in eyes["pictures"].items()}
        if stop.is_closing:
            for end in stop.events("deal_end"):
                taken = {int(side): count for side, count in end["pictures"].items()}
        for side in self._sides:
            if side[0] in taken:
                line.append(f"\n{seats_text(side)}: {_pictures(taken[side[0]])}")
        return line

    def _tricks(self, stops: Sequence[Stop]) -> Table:
        """A line a trick: every card below its seat, the leader and the winner marked."""
        seats: list[Seat] = []
        rows: list[list[Text | str]] = []
        taken = dict.fromkeys(self._sides, 0)
        plays: dict[Seat, Heard] = {}
        eyes: Observation = next((next(iter(stop.eyes.values())) for stop in stops if stop.eyes), {})
        for heard in (event for stop in stops for event in stop.heard):
            if heard.kind == "act" and heard.fields["phase"] == "play":
                plays[heard.fields["seat"]] = heard
            elif heard.kind == "trick":
                seats = seats or sorted(plays)
                winner = heard.fields["winner"]
                side = next(side for side in self._sides if winner in side)
                taken[side] += heard.fields["pictures"]
                cells = [self._cell(plays[seat], seat == next(iter(plays)), seat == winner) for seat in seats]
                totals = [str(taken[side]) for side in self._sides if side[0] in seats]
                pictures = str(heard.fields["pictures"] or "")
                rows.append([str(heard.fields["n"]), *cells, str(winner), pictures, *totals])
                plays = {}
        playing = [seats_text(side) for side in self._sides if side[0] in (seats or eyes.get("active", ()))]
        head = ["trick", *(f"seat {seat}" for seat in seats), "won by", "pictures", *playing]
        return columns(head, rows, right={0, *range(len(seats) + 1, len(head))})

    def _cell(self, heard: Heard, is_lead: bool, is_winner: bool) -> Text:
        card = heard.fields["action"]
        look = self._ink.card(card, is_high=card in PICTURES)
        if is_winner:
            look.stylize("reverse")
        mark = f"{self._ink.marks['point']} " if is_lead else "  "
        return Text.assemble(mark, look, ("*" if is_winner else "") + ("!" if heard.verdict else ""))

    def _card(self, card: str, eyes: Mapping[str, Any]) -> Text:
        return self._ink.card(card, is_high=card in PICTURES, is_special=card == eyes.get("rensho"))

    def _act(self, heard: Heard, eyes: Mapping[str, Any]) -> Text:
        """An answer in words."""
        action = heard.fields["action"]
        line = Text(f"Seat {heard.fields['seat']} ")
        if len(action) == 2:
            line.append("plays ").append_text(self._card(action, eyes))
        elif len(action) == 1:
            line.append("proposes ").append_text(self._ink.suit(action)).append(" as trumps")
        else:
            line.append(SAID.get(action, action))
        return line.append(f"; {_verdict_words(heard)}." if heard.verdict else ".")

    def _deal_end(self, fields: Mapping[str, Any]) -> Text:
        """Who won, with how much, and what is paid."""
        pictures = " to ".join(str(count) for count in sorted(fields["pictures"].values(), reverse=True))
        winner = fields["winner"]
        line = Text(f"Seats {seats_text(winner)} win" if winner else "Nobody wins", "bold")
        line.append(f", {pictures} pictures")
        if category := fields.get("category"):
            line.append(f", dealt {CATEGORIES.get(category, category)} (category {category})")
        return line.append(f". Stones: {stones_text(fields['stones'])}.")


def _asked(stop: Stop) -> list[Seat]:
    return list(next(iter(stop.eyes.values()), {}).get("to_act", ()))


def _pictures(count: int) -> str:
    return f"{count} picture{'' if count == 1 else 's'}"


def _seats(word: str, seats: Sequence[Seat]) -> str:
    return f"{word}{'' if len(seats) == 1 else 's'} {seats_text(seats)}"


def _verdict_words(heard: Heard) -> str:
    return f"the referee chose it ({heard.verdict})"


PRESENTER = KakeyaPresenter
