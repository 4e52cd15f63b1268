"""Reads a view as whoever draws it does, and holds it against the states of the record at every step."""

from engine import replay
from engine.cards import KAKEYA_PACK
from engine.games.kakeya.scoring import trick_winner
from viewer.build import view_of

DEAL_END = "deal_end"


def agreed_view(table, *, has_decks=False):
    """The view of a recorded table, found to agree with its record at every step."""
    view = view_of(table.record, table.timings, decks_from_seed=not has_decks)
    replayed = replay(table.record, decks_from_seed=not has_decks)
    assert view["game"] == replayed.game.key
    assert view["preset"] == replayed.ruleset.preset
    assert view["seats"] == replayed.game.seats(replayed.ruleset)
    assert view["sides"] == [list(side) for side in replayed.game.sides(replayed.ruleset)]
    assert view["numbers"] == [board["board"] for board in view["boards"]]
    assert view["forfeited"] == sorted(replayed.forfeited)
    assert len(view["boards"]) == len(replayed.boards)
    follow = {"kakeya": KakeyaReader, "kakkuri": KakkuriReader}[view["game"]]
    for board, played in zip(view["boards"], replayed.boards, strict=True):
        assert (board["board"], board["kind"]) == (played.board.number, played.board.kind)
        assert board["result"] == by_seat(played.outcome.stones)
        assert [deal["end"]["stones"] for deal in board["deals"]] == list(map(by_seat, played.outcome.deals))
        reader = follow(view, board, replayed.ruleset)
        previous = None
        for decision, step in enumerate(replayed._replace(boards=(played,)).steps()):
            acts = {act.seat: act for act in step.acts}
            for event in step.state.happened_since(previous):
                item = reader.heard(event)
                if event.kind == "act":
                    agree_on_act(item, acts[event.public["seat"]])
                    assert item.get("only", False) == (len(previous.legal(item["s"])) == 1)
                    where = (board["board"], decision, event.public["seat"])
                    assert item.get("us") == table.times.get(where)
            reader.compare(step.state)
            previous = step.state
        reader.ended()
    return view


def agree_on_act(item, act):
    assert item["s"] == act.seat
    assert item.get("verdict") == act.verdict
    assert item.get("by") == ("referee" if act.verdict else None)


def by_seat(numbers):
    return {str(seat): number for seat, number in numbers.items()}


class Reader:
    """Goes through the deals of a board entry by entry; the games say what that means."""

    def __init__(self, view, board, ruleset):
        self.view, self.board, self.ruleset = view, board, ruleset
        self.at, self.said, self.done = 0, 0, 0
        """Deal from 0, and how many of its entries have been read."""
        self.begin()

    @property
    def deal(self):
        return self.board["deals"][self.at]

    def begin(self):
        self.said = self.done = 0
        self.hands = {int(seat): set(cards) for seat, cards in self.deal["hands"].items()}

    def next_before(self):
        self.said += 1
        return self.deal["before"][self.said - 1]

    def next_step(self):
        self.done += 1
        return self.deal["steps"][self.done - 1]

    def heard(self, event):
        """The entry of an event, if it has one."""
        if event.kind == DEAL_END:
            assert self.said == len(self.deal["before"])
            assert self.done == len(self.deal["steps"])
            assert self.deal["deal"] == event.public["deal"]
            assert self.deal["end"]["winner"] == event.public["winner"]
            assert self.deal["end"]["stones"] == event.public["stones"]
            assert self.deal["end"]["how"] == event.public.get("how")
            self.end(event.public)
            self.at += 1
            if self.at < len(self.board["deals"]):
                self.begin()
            return None
        return self.deal_begun(event) if event.kind == "deal" else getattr(self, event.kind)(event)

    def ended(self):
        assert self.at == len(self.board["deals"])


class KakeyaReader(Reader):
    def begin(self):
        super().begin()
        self.trick, self.tricks, self.is_dealt = [], [], False
        self.pictures = [0] * len(self.view["sides"])

    def act(self, event):
        phase = event.public["phase"]
        if phase != "play":
            item = self.next_before()
            assert (item["k"], item["a"]) == (phase, event.public["action"])
            return item
        item = self.next_step()
        assert (item["k"], item["a"]) == ("play", event.public["action"])
        assert item["p"] == len(self.trick)
        assert item["t"] == len(self.tricks) + 1
        self.hands[item["s"]].remove(item["a"])
        self.trick.append((item["s"], item["a"]))
        best = trick_winner([card for _, card in self.trick], self.deal["trump"], self.deal["rensho"])
        assert item["w"] == self.trick[best][0]
        if len(self.trick) < 4:
            assert item["e"] == self.pictures
        self.newest = item
        return item

    def trick_done(self, event):
        assert len(self.trick) == 4
        assert self.newest["w"] == event.public["winner"]
        side = next(at for at, side in enumerate(self.view["sides"]) if event.public["winner"] in side)
        self.pictures[side] += event.public["pictures"]
        assert self.newest["e"] == self.pictures
        cards = [card for _, card in self.trick]
        lead = self.trick[0][0]
        self.tricks.append({"leader": lead, "cards": cards, "winner": event.public["winner"]})
        self.trick = []

    def heard(self, event):
        return self.trick_done(event) if event.kind == "trick" else super().heard(event)

    def deal_begun(self, event):
        self.is_dealt = True
        assert self.deal["deal"] == event.public["deal"]
        assert self.deal["dealers"] == event.public["dealers"]
        assert self.deal.get("dealer") == event.public.get("dealer")
        assert self.deal["leaders"] == event.public["leaders"]
        assert self.deal["trump"] == event.public["trump"]
        for seat, hand in self.deal["hands"].items():
            assert list(KAKEYA_PACK.listed(KAKEYA_PACK.mask(hand))) == event.private[int(seat)]["hand"]
        assert self.deal["hands"].keys() == {str(seat) for seat in event.private}

    def end(self, fields):
        pictures = {side[0]: n for side, n in zip(self.view["sides"], self.pictures, strict=True)}
        assert fields["pictures"].items() <= by_seat(pictures).items()
        assert sum(self.pictures) == sum(fields["pictures"].values())
        assert self.deal["end"]["pictures"] == self.pictures
        assert self.deal["end"]["category"] == fields["category"]

    def compare(self, state):
        if not self.is_dealt or self.at == len(self.board["deals"]):
            return
        seats = range(1, self.view["seats"] + 1)
        for seat in seats:
            seen = state.observe(seat)
            assert set(seen["hand"]) == self.hands.get(seat, set())
        assert seen["deal"] == self.deal["deal"]
        assert seen["rensho"] == self.deal["rensho"]
        assert sorted(set(seats) - set(seen["active"])) == self.deal["resting"]
        assert [tuple(play) for play in seen["trick"]] == self.trick
        assert seen["tricks"] == self.tricks
        assert self.deal["stones"] == (None if self.board["kind"] == "deal" else seen["stones"])


class KakkuriReader(Reader):
    def begin(self):
        super().begin()
        self.is_dealt = self.has_looked = False
        self.follow, self.may, self.box, self.pot = None, None, self.deal["box"], 0
        self.last, self.plays, self.turned_up, self.out_seats = None, [], [], []
        self.turns, self.turn_seat, self.dropped = 0, None, []
        self.dealt = {int(seat): list(cards) for seat, cards in self.deal["hands"].items()}

    def deal_begun(self, event):
        self.is_dealt = True
        assert (self.deal["deal"], self.deal["dealer"]) == (event.public["deal"], event.public["dealer"])
        # The swaps undone, hands are the deck in packets of three from the seat after the dealer.
        hands = dict(self.dealt)
        for item in reversed(self.deal["before"]):
            if item.get("a") == "SWAP":
                swapper, dealer = item["s"], self.deal["dealer"]
                hands[swapper], hands[dealer] = hands[dealer], hands[swapper]
        seats, deck = self.view["seats"], event.record["deck"]
        for seat, hand in hands.items():
            k = (seat - self.deal["dealer"] - 1) % seats
            packets = deck[3 * k : 3 * k + 3] + deck[3 * (k + seats) : 3 * (k + seats) + 3]
            assert sorted(hand) == sorted(packets)
        assert self.deal["box"] == len(event.record.get("box8", deck[6 * seats :]))

    def act(self, event):
        phase, seat, action = event.public["phase"], event.public["seat"], event.public["action"]
        if phase != "turn":
            item = self.next_before()
            assert (item["k"], item["a"]) == (phase, action)
            if action == "SWAP":
                assert item["hands"].keys() == {str(seat), str(self.deal["dealer"])}
            return item
        item = self.next_step()
        assert item["turn"] in (self.turns, self.turns + 1)
        if item["turn"] > self.turns:
            self.turns, self.turn_seat = item["turn"], seat
        assert self.turn_seat == seat
        if item["k"] != "meld":
            assert item["k"].upper() == action
            if item["k"] == "drop":
                self.dropped.append(seat)
        else:
            assert item["a"] == action
            assert "+".join(item["c"]) == action.partition("@")[0]
            assert item["f"] == int(action.partition("@")[2])
            self.hands[seat] -= set(item["c"])
            assert item["left"] == len(self.hands[seat])
            self.follow, self.last = item["f"], seat
            self.plays.append([seat, action])
        self.may = item.get("may", self.may)
        self.pot = item.get("pot", self.pot)
        self.newest = item
        return item

    def turned(self, event):
        item = self.next_step()
        assert (item["k"], item["a"]) == ("turned", event.public["card"])
        self.turned_up.append(item["a"])
        self.follow, self.may, self.box = item["f"], item["may"], item["box"]
        self.newest = item
        return item

    def out(self, event):
        assert self.next_before() == {"k": "out", "s": event.public["seat"]}
        self.out_seats.append(event.public["seat"])

    def utazu(self, event):
        assert self.next_before() == {"k": "utazu", "s": event.public["seat"]}

    def end(self, fields):
        assert len(self.plays) == sum(step["k"] == "meld" for step in self.deal["steps"])

    def compare(self, state):
        if not self.is_dealt or self.at == len(self.board["deals"]) or state.phase != "turn":
            return
        for seat in range(1, self.view["seats"] + 1):
            seen = state.observe(seat)
            is_in = seat in seen["active"]
            assert set(seen["hand"]) == (self.hands[seat] if is_in else set())
            assert seen["hand_sizes"][str(seat)] == (len(self.hands[seat]) if is_in else 0)
        assert seen["deal"] == self.deal["deal"]
        assert (seen["follow"], seen["box_size"], seen["pot"]) == (self.follow, self.box, self.pot)
        assert (seen["turned"], seen["plays"], seen["out"]) == (self.turned_up, self.plays, self.out_seats)
        assert seen["dropped"] == sorted(self.dropped)
        is_turn_begun = self.newest["k"] in ("pass", "drop")
        assert (self.newest.get("back", False) and is_turn_begun) == (seen["return_turn"] and is_turn_begun)
        assert self.deal["stones"] is None or self.board["kind"] == "game"
        (seat,) = state.to_act
        melds = [action for action in state.legal(seat) if "@" in action]
        if seat not in seen["sansoku"]:
            values = {int(meld.partition("@")[2]) for meld in melds}
            if self.ruleset.wild_mode == "named":
                assert values <= set(self.may)
            hand = {state.deal.melds.values[card] for card in self.hands[seat] if card not in ("2D", "AC")}
            assert hand & set(self.may) <= values
