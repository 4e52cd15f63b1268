"""Services of casual tables: open, act, leave, resume, finish."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from arena.accounts.models import User
from arena.common.errors import Conflict, Forbidden, Invalid, quoted
from arena.common.ids import new_public_id
from arena.competition.casual import CasualDeals, casual_deals
from arena.features.play.limits import (
    require_few_unfinished,
    require_free_place,
    require_guest_place,
    require_quota,
)
from arena.features.play.models import CasualTable, board_kind_of
from arena.features.play.offers import KINDS, house_kind, house_version, preset_chosen, public_version
from arena.features.play.person import Person
from arena.features.play.position import SeatedTable, is_decided, is_repeat, seat_position
from arena.features.play.selectors import (
    active_table,
    require_unsealed,
    table_of,
    tables_of,
    tables_with_versions,
)
from arena.roster.models import BotVersion
from arena.tables.live.history import deals_of
from arena.tables.live.wakeups import PAGES_CHANNEL, SERVICE_CHANNEL, wake
from engine import Board, Game, Ruleset
from engine.game import Seat, partner_of

State = CasualTable.State
Strength = CasualTable.Strength
CLOCKS_S = (None, 15, 60)
FIRST_BOARD_NUMBERS = 16
"""Range of the first board's number, which determines dealer and leader."""
MAX_ACTION_CHARACTERS = 40


def open_table(
    person: Person,
    *,
    preset: str,
    seat: int = 1,
    opponents: str = Strength.GREEDY,
    partner: str = Strength.RULES,
    deals: str = CasualTable.Deals.ONE,
    clock_s: int | None = None,
    versions: Sequence[str] = (),
    seats: int | None = None,
    same_cards_as: str | None = None,
    practice: bool = False,
) -> CasualTable:
    """Open a table, which a service will run.

    ``opponents`` is a strength, or ``public`` with the public ids of ``versions``, which take the opponents'
    seats in turn. ``partner`` is a strength or the public id of a version. ``same_cards_as`` is the public id
    of one of the person's finished tables. With ``practice``, the person may ask for hints and take back
    plays. Raises Invalid (``unknown_preset``, ``wrong_seats``,
    ``wrong_choice``, ``unknown_strength``, ``version_unavailable``), NotFound (``casual_table_not_found``),
    Conflict (``casual_table_open``, ``play_quota_exceeded``, ``guest_table_limit``, ``wrong_state``,
    ``casual_table_sealed``), Forbidden (``guest_deal_limit``), Unavailable (``house_bot_unavailable``,
    ``play_capacity_exceeded``).
    """
    before = None if same_cards_as is None else _finished_table(person, same_cards_as)
    if before is not None:
        preset, seats, deals = before.preset, len(before.seats), before.deals
    game, ruleset = preset_chosen(preset, seats)
    count = game.seats(ruleset)
    _require_choice("seat", seat, range(1, count + 1))
    _require_choice("deals", deals, CasualTable.Deals.values)
    _require_choice("clock_s", clock_s, CLOCKS_S)
    if board_kind_of(deals) == "game" and game.decisions_bound(ruleset, "game") is None:
        raise Invalid(f"A game of {preset} may never end: choose 1 or 4 deals.", "wrong_choice")
    if person.user is None:
        if not person.guest:
            raise Forbidden("Reload the page: your browser sent no guest key.", "guest_key_required")
        if deals != CasualTable.Deals.ONE:
            raise Forbidden("Guests play one deal at a time; sign in to play more.", "guest_deal_limit")
    _require_none_open(person)
    placed = seat_bots(game, ruleset, seat, opponents, partner, versions)
    require_quota(person.quota_key)
    require_free_place()
    require_few_unfinished(tables_of(person))
    if person.user is None:
        require_guest_place(person)
    public_id = new_public_id()
    if before is None:
        dealt = casual_deals(public_id, [version.bundle_sha256 for version, _ in placed.values()])
        first = 1 if board_kind_of(deals) == "game" else first_board(game, ruleset, [seat], dealt)
    else:
        dealt, first = deals_of(before), before.first_board
    row = _new_row(person, public_id, game, ruleset, seat, placed, dealt)
    row.deals, row.clock_s, row.first_board, row.practice = deals, clock_s, first, practice
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        _require_none_open(person)
        raise
    wake(SERVICE_CHANNEL, row.public_id)
    return row


def open_sealed_table(
    person: Person,
    game: Game,
    ruleset: Ruleset,
    seat: Seat,
    placed: Mapping[Seat, tuple[BotVersion, str]],
    dealt: CasualDeals,
    first_board: int,
    *,
    plays_field: bool,
) -> CasualTable:
    """Open a table for one deal that others play too, inside the caller's transaction.

    ``placed`` has version and strength of each bot's seat. With ``plays_field``, bots play the cards in the
    person's seat after the end. Raises Conflict (``play_quota_exceeded``),
    Unavailable (``play_capacity_exceeded``).
    """
    require_quota(person.quota_key)
    require_free_place()
    row = _new_row(person, new_public_id(), game, ruleset, seat, dict(placed), dealt)
    row.first_board, row.is_sealed = first_board, True
    row.field = None if plays_field else []
    row.save(force_insert=True)
    transaction.on_commit(lambda: wake(SERVICE_CHANNEL, row.public_id))
    return row


def act(table: CasualTable, n: int, action: str, taken_back: int | None = None) -> None:
    """Store the person's action at a position. Idempotent. One statement if the table's row is fresh.

    ``taken_back`` is the number of plays that had been taken back when the position was displayed: a late
    duplicate of a play that was taken back is not played again. Raises Conflict (``not_your_turn``,
    ``casual_table_finished``), Invalid (``illegal_action`` with the legal actions).
    """
    if taken_back in (None, len(table.taken_back)) and is_repeat(table, n, action):
        return
    if not table.is_active:
        raise Conflict("This table is over.", "casual_table_finished", state=table.state)
    if taken_back not in (None, len(table.taken_back)):
        raise not_your_turn(table)
    require_action(table, n, action)
    if table.state == State.PAUSED:
        require_quota(table.quota_key)
    if not _give(table, [n, action]):
        table.refresh_from_db()
        if is_repeat(table, n, action):
            return
        raise not_your_turn(table)


def require_action(table: SeatedTable, n: int, action: str) -> None:
    """Raise Conflict (``not_your_turn``) or Invalid (``illegal_action``) unless the person may do it now."""
    position = seat_position(table)
    if not position.is_mine or position.n != n:
        raise not_your_turn(table)
    if action not in position.legal:
        raise Invalid(
            f"{quoted(action, MAX_ACTION_CHARACTERS)} is not legal now. Legal: {', '.join(position.legal)}.",
            "illegal_action",
            legal=list(position.legal),
        )


def finish_deal(table: CasualTable, n: int) -> None:
    """Have the rest of the person's cards played in a deal whose result is certain.

    Raises Conflict (``casual_table_finished``, ``not_your_turn``, ``deal_not_decided``,
    ``play_quota_exceeded``).
    """
    if not table.is_active:
        raise Conflict("This table is over.", "casual_table_finished", state=table.state)
    position = seat_position(table)
    if not position.is_mine or position.n != n:
        raise not_your_turn(table)
    if not is_decided(table, position):
        raise Conflict("The result of this deal is still open: play on.", "deal_not_decided", n=n)
    if table.state == State.PAUSED:
        require_quota(table.quota_key)
    if not _give(table, [n, position.legal[0], True]):
        table.refresh_from_db()
        raise not_your_turn(table)


def leave(person: Person, table_id: str) -> None:
    """Pause the table, unless it is paused or over. Raises NotFound (``casual_table_not_found``)."""
    table = table_of(person, table_id)
    if pause(CasualTable.objects.filter(pk=table.pk), table):
        wake(SERVICE_CHANNEL, table.public_id)
        wake(PAGES_CHANNEL, table.public_id)


def resume(person: Person, table_id: str) -> None:
    """Resume a paused table. Raises NotFound (``casual_table_not_found``), Conflict
    (``play_quota_exceeded``).
    """
    table = table_of(person, table_id)
    if table.state != State.PAUSED:
        return
    require_quota(table.quota_key)
    rows = CasualTable.objects.filter(pk=table.pk, state=State.PAUSED)
    if rows.update(last_action_at=timezone.now(), failures=0, **resume_columns(table)):
        wake(SERVICE_CHANNEL, table.public_id)
        wake(PAGES_CHANNEL, table.public_id)


def finish(person: Person, table_id: str) -> None:
    """Leave for good: a house bot finishes the table at once. Raises NotFound
    (``casual_table_not_found``).
    """
    table = table_of(person, table_id)
    if leave_to_house_bot(CasualTable.objects.filter(pk=table.pk)):
        wake(SERVICE_CHANNEL, table.public_id)
        wake(PAGES_CHANNEL, table.public_id)


def leave_to_house_bot(rows: QuerySet[CasualTable]) -> int:
    """Hand active tables over to a house bot; return their number. Running sessions lose their claim."""
    return rows.filter(state__in=CasualTable.ACTIVE).update(
        state=State.ABANDONED, pending=None, deadline_at=None, claimed_by="", claimed_until=None, failures=0
    )


def tables_forget(user: User, versions: Sequence[str]) -> None:
    """Remove an account before its deletion: its tables lose their owner, and its bots lose their name."""
    rows = CasualTable.objects.filter(owner=user)
    leave_to_house_bot(rows)
    rows.update(owner=None, quota_key="", share_token="", shared_at=None)
    deleted = set(versions)
    for table in tables_with_versions(versions):
        seats = [
            {**seat, "label": "(deleted)"} if seat["version"] in deleted else seat for seat in table.seats
        ]
        CasualTable.objects.filter(pk=table.pk).update(seats=seats)


def pause(rows: QuerySet[CasualTable], table: CasualTable) -> bool:
    """Pause a seating or playing table among ``rows``, and store the time left. A session loses its claim."""
    left_ms = table.clock_left_ms
    if table.deadline_at is not None:
        left_ms = max(0, round((table.deadline_at - timezone.now()).total_seconds() * 1000))
    changed = rows.filter(state__in=(State.SEATING, State.PLAYING)).update(
        state=State.PAUSED, clock_left_ms=left_ms, deadline_at=None, claimed_by="", claimed_until=None
    )
    return bool(changed)


def resume_columns(table: CasualTable) -> dict[str, Any]:
    """Return the column values that make a paused table claimable; empty for other states."""
    if table.state != State.PAUSED:
        return {}
    return {"state": State.PLAYING, "claimed_by": "", "claimed_until": None}


def not_your_turn(table: SeatedTable) -> Conflict:
    return Conflict(
        "The table has moved on: it is not your turn at this position any more.",
        "not_your_turn",
        n=table.length,
        state=table.state,
    )


def first_board(game: Game, ruleset: Ruleset, seats: Collection[Seat], dealt: CasualDeals) -> int:
    """Draw the number of the first deal. If pairs rest in turn, take a deal that these seats play."""
    drawn = 1 + dealt.secret[-1] % FIRST_BOARD_NUMBERS
    sides = game.sides(ruleset)
    if all(partner_of(sides, seat) is None for seat in seats):
        return drawn
    for number in range(drawn, drawn + len(sides)):
        state = game.start(ruleset, Board("deal", number, dealt.seed(number)))
        if all(seat in state.observe(seat)["active"] for seat in seats):
            return number
    return drawn


def _give(table: CasualTable, pending: list[Any]) -> bool:
    """Store the person's action; False if the table has moved on since it was read."""
    taken = CasualTable.objects.filter(
        pk=table.pk, state__in=CasualTable.ACTIVE, length=pending[0], pending__isnull=True
    ).update(pending=pending, last_action_at=timezone.now(), failures=0, **resume_columns(table))
    if taken:
        wake(SERVICE_CHANNEL, table.public_id)
    return bool(taken)


def _finished_table(person: Person, table_id: str) -> CasualTable:
    table = table_of(person, table_id)
    if not table.is_over:
        raise Conflict(
            "The same cards can be dealt again once the table is over.", "wrong_state", state=table.state
        )
    require_unsealed(table)
    return table


def _require_choice(name: str, value: object, allowed: Sequence[object]) -> None:
    if value not in allowed:
        choices = ", ".join("none" if each is None else str(each) for each in allowed)
        raise Invalid(f"{name} cannot be {quoted(value)}: choose {choices}.", "wrong_choice", field=name)


def _require_none_open(person: Person) -> None:
    open_one = active_table(person)
    if open_one is not None:
        raise Conflict(
            "You already have an open table: resume it, or let a house bot finish it.",
            "casual_table_open",
            table=open_one.public_id,
        )


def seat_bots(
    game: Game, ruleset: Ruleset, seat: Seat, opponents: str, partner: str, versions: Sequence[str]
) -> dict[Seat, tuple[BotVersion, str]]:
    partner_seat = partner_of(game.sides(ruleset), seat)
    opponent_seats = [each for each in range(1, game.seats(ruleset) + 1) if each not in (seat, partner_seat)]
    if opponents == Strength.PUBLIC:
        if not 1 <= len(versions) <= len(opponent_seats):
            raise Invalid(
                f"Name one public version for all opponents, or up to {len(opponent_seats)}.",
                "wrong_choice",
                field="version",
            )
        chosen = [(public_version(game.key, public_id), str(Strength.PUBLIC)) for public_id in versions]
    else:
        chosen = [(house_version(game.key, opponents), opponents)]
    placed = {each: chosen[number % len(chosen)] for number, each in enumerate(opponent_seats)}
    if partner_seat is not None:
        if not partner:
            raise Invalid(
                "Name the public version that is to be your partner.", "wrong_choice", field="partner_version"
            )
        if partner in KINDS:
            placed[partner_seat] = (house_version(game.key, partner), partner)
        else:
            placed[partner_seat] = (public_version(game.key, partner), str(Strength.PUBLIC))
    return dict(sorted(placed.items()))


def _new_row(
    person: Person,
    public_id: str,
    game: Game,
    ruleset: Ruleset,
    seat: Seat,
    placed: dict[Seat, tuple[BotVersion, str]],
    dealt: CasualDeals,
) -> CasualTable:
    seats: list[dict[str, Any]] = []
    for each in range(1, game.seats(ruleset) + 1):
        if each == seat:
            seats.append({"seat": each, "label": "you", "strength": None, "version": None})
            continue
        version, strength = placed[each]
        label = str(version) if strength == Strength.PUBLIC else f"house {house_kind(version)}"
        seats.append({"seat": each, "label": label, "strength": strength, "version": version.public_id})
    named = [version.public_id for version, strength in placed.values() if strength == Strength.PUBLIC]
    now = timezone.now()
    return CasualTable(
        public_id=public_id,
        owner=person.user,
        guest=person.guest,
        quota_key=person.quota_key,
        game=game.key,
        preset=ruleset.preset,
        ruleset=ruleset.as_dict(),
        seat=seat,
        seats=seats,
        versions=f" {' '.join(named)} " if named else "",
        secret=dealt.secret,
        commitment=dealt.commitment,
        seed_id=dealt.public_id,
        bundles=list(dealt.bundles),
        created_at=now,
        last_action_at=now,
    )
