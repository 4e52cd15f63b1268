"""Services of remote bots: bots and versions, answers, signs of life, and the presence of streams."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.errors import Conflict, Forbidden, Invalid, NotFound, quoted
from arena.common.names import name_checked, name_folded
from arena.competition.games import game_keys, preset_keys, presets_of
from arena.features.remote.limits import BOTS_PER_ACCOUNT, MAX_TABLES, VERSIONS_PER_BOT
from arena.features.remote.models import RemoteBot, RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.selectors import bots_of, owns
from arena.roster.services import player_of
from arena.tables.live.wakeups import PAGES_CHANNEL, SERVICE_CHANNEL, wake

NAME_CHARACTERS = 60
NUMBER_ATTEMPTS = 5
ACCEPTS = ("bots", "people")
"""Kinds of invitations that a client may accept by itself."""
DIGEST_DIGITS = 16


class Answer(NamedTuple):
    """An answer line of ``rensho/1``, checked for size and form."""

    id: str
    text: str


class StreamWishes(NamedTuple):
    """Options of a stream, chosen by the client that opens it."""

    tables: int = 1
    ladder: str = ""
    is_slow: bool = False
    accepts: tuple[str, ...] = ()


def answer_digest(text: str) -> str:
    """Return the digest of an answer in ``RemoteSeat.answers``."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_DIGITS]


def bot_create(user: User, *, name: str, game: str) -> RemoteBot:
    """Create a bot without versions. Raises Conflict (``remote_bot_limit``, ``name_taken``), Invalid."""
    if game not in game_keys():
        names = game_keys()
        raise Invalid(
            f"Unknown game {quoted(game)}; games: {', '.join(names)}.",
            "unknown_game",
            field="game",
            allowed=names,
        )
    name = name_checked("name", name, NAME_CHARACTERS)
    player = player_of(user)
    if player.remote_bots.count() >= BOTS_PER_ACCOUNT:
        raise Conflict(
            f"You have {BOTS_PER_ACCOUNT} remote bots, which is the limit.",
            "remote_bot_limit",
            limit=BOTS_PER_ACCOUNT,
        )
    bot = RemoteBot(owner=player, name=name, name_key=name_folded(name), game=game)
    try:
        with transaction.atomic():
            bot.save(force_insert=True)
            audit(user, "create", bot, name=name, game=game)
    except IntegrityError:
        other = bots_of(user).filter(name_key=bot.name_key).first()
        raise Conflict(
            f"You have already a remote bot named {(other or bot).name!r}. Choose another name.",
            "name_taken",
            field="name",
            **({"bot": other.public_id} if other else {}),
        ) from None
    return bot


def version_create(bot: RemoteBot, actor: User, *, label: str = "") -> RemoteVersion:
    """Declare a new version. Raises Forbidden (``not_owner``), Conflict (``remote_bot_retired``,
    ``remote_version_limit``), Invalid.
    """
    require_owner(bot, actor)
    label = name_checked("label", label, NAME_CHARACTERS, may_be_empty=True)
    if bot.retired_at is not None:
        raise _retired_error(bot)
    for attempt in range(NUMBER_ATTEMPTS):
        number = (bot.versions.aggregate(last=Max("number"))["last"] or 0) + 1
        if number > VERSIONS_PER_BOT:
            raise Conflict(
                f"{bot.name} has {VERSIONS_PER_BOT} versions, which is the limit. Create another bot.",
                "remote_version_limit",
                limit=VERSIONS_PER_BOT,
            )
        try:
            with transaction.atomic():
                version = RemoteVersion.objects.create(bot=bot, number=number, label=label)
                audit(actor, "create", version, number=number, label=label)
            return version
        except IntegrityError:  # another request took the number
            if attempt == NUMBER_ATTEMPTS - 1:
                raise
    raise AssertionError


def bot_unpause(bot: RemoteBot, actor: User) -> None:
    """Let a paused bot play again. Idempotent. Raises Forbidden (``not_owner``), Conflict
    (``remote_bot_retired``).
    """
    require_owner(bot, actor)
    if bot.retired_at is not None:
        raise _retired_error(bot)
    with transaction.atomic():
        rows = RemoteBot.objects.filter(pk=bot.pk, paused_at__isnull=False)
        if rows.update(paused_at=None, pause_note={}, unpaused_at=timezone.now()):
            audit(actor, "unpause", bot)
    bot.refresh_from_db()


def bot_retire(bot: RemoteBot, actor: User) -> None:
    """Withdraw a bot for ever; its tables are finished. Idempotent. Raises Forbidden (``not_owner``)."""
    require_owner(bot, actor)
    with transaction.atomic():
        if RemoteBot.objects.filter(pk=bot.pk, retired_at=None).update(retired_at=timezone.now()):
            audit(actor, "retire", bot)
    bot.refresh_from_db()
    wake(PAGES_CHANNEL, bot.public_id)


def require_owner(bot: RemoteBot, actor: User) -> None:
    """Raise Forbidden, code ``not_owner``, for anyone else, including staff: only the owner can answer."""
    if not owns(actor, bot):
        raise Forbidden(f"{bot.name} belongs to {bot.owner.handle}; only the owner can do this.", "not_owner")


def stream_begin(version: RemoteVersion, user: User, wishes: StreamWishes) -> RemoteVersion:
    """Make a new stream the valid one of a version; return the version, with the stream's generation.

    Raises Forbidden (``not_owner``), Invalid (``unknown_preset``, ``invalid``), Conflict
    (``remote_bot_paused``, ``remote_bot_retired``) unless it still plays a table.
    """
    bot = version.bot
    require_owner(bot, user)
    _check_wishes(bot, wishes)
    playing = list(
        RemoteSeat.objects.filter(
            version=version, is_active=True, table__state__in=RemoteTable.ACTIVE
        ).values_list("table__public_id", flat=True)
    )
    if not playing:
        require_may_play(bot)
    while True:
        now = timezone.now()
        changed = RemoteVersion.objects.filter(pk=version.pk, generation=version.generation).update(
            generation=version.generation + 1,
            connected_at=now,
            attended_at=now,
            alive_at=now,
            disconnected_at=None,
            ladder=wishes.ladder,
            is_slow=wishes.is_slow,
            max_tables=wishes.tables,
            accepts=list(wishes.accepts),
        )
        if changed:
            version.generation += 1
            break
        version.refresh_from_db()  # another stream was opened
    wake(PAGES_CHANNEL, version.public_id)  # ends older streams
    for table in playing:
        wake(SERVICE_CHANNEL, table)
    return version


def stream_end(version_pk: int, generation: int) -> None:
    """Record that the client closed a stream, unless a newer one was opened since."""
    RemoteVersion.objects.filter(pk=version_pk, generation=generation).update(disconnected_at=timezone.now())


def versions_attend(versions: Collection[int]) -> None:
    """Record that this process holds the streams of these versions, by primary key. One query."""
    RemoteVersion.objects.filter(pk__in=versions).update(attended_at=timezone.now())


def alive_record(version: RemoteVersion, user: User, generation: int) -> None:
    """Record a sign of life. Raises Forbidden (``not_owner``), Conflict (``stream_replaced``)."""
    require_owner(version.bot, user)
    rows = RemoteVersion.objects.filter(pk=version.pk, generation=generation)
    if not rows.update(alive_at=timezone.now()):
        version.refresh_from_db(fields=["generation"])
        raise Conflict(
            f"Stream {generation} of this version was replaced: the valid one is {version.generation}. "
            "End this client, or open a new stream.",
            "stream_replaced",
            generation=version.generation,
        )


def answer_accept(user: User, table_id: str, answer: Answer) -> None:
    """Store the answer to a pending request. The referee judges it. Idempotent.

    Raises NotFound (``not_your_table``), Conflict (``answer_differs``, ``request_settled``,
    ``unknown_request``, ``table_over``).
    """
    rows = RemoteSeat.objects.filter(table__public_id=table_id, version__bot__owner__user=user)
    if not answer_store(table_id, rows, answer):
        seats = list(rows.only("request_id", "answer", "answers", "is_active"))
        if not seats:
            raise NotFound(f"You have no remote bot at a table {quoted(table_id)}.", "not_your_table")
        _require_repeat(seats, answer)


def answer_store(table_id: str, seats: QuerySet[RemoteSeat], answer: Answer) -> bool:
    """Store the answer of one of these seats; return False unless its request is pending. One query."""
    # PostgreSQL checks again only the columns of the outer query when another answer has come meanwhile.
    pending = RemoteSeat.objects.filter(
        pk__in=seats.values("pk"), request_id=answer.id, answer="", is_active=True
    )
    if not pending.update(answer=answer.text, answered_at=timezone.now()):
        return False
    wake(SERVICE_CHANNEL, table_id)
    return True


def _require_repeat(seats: Sequence[RemoteSeat], answer: Answer) -> None:
    """Raise Conflict unless this answer to this request was accepted before."""
    for seat in seats:
        if seat.request_id == answer.id and seat.answer:
            _require_equal(answer, seat.answer == answer.text)
            return
        for request_id, digest, _ in seat.answers:
            if request_id == answer.id:
                if not digest:
                    raise Conflict(
                        f"The time for request {quoted(answer.id)} was over: the referee has played.",
                        "request_settled",
                    )
                _require_equal(answer, digest == answer_digest(answer.text))
                return
    if not any(seat.is_active for seat in seats):
        raise Conflict("The table does not ask this bot any more.", "table_over")
    raise Conflict(
        f"Request {quoted(answer.id)} is not pending at this table. Answer the id of the last request.",
        "unknown_request",
        pending=[seat.request_id for seat in seats if seat.request_id and not seat.answer],
    )


def _require_equal(answer: Answer, is_equal: bool) -> None:
    if not is_equal:
        raise Conflict(
            f"Request {quoted(answer.id)} has another answer already. The first one counts.",
            "answer_differs",
        )


def require_may_play(bot: RemoteBot) -> None:
    """Raise Conflict ``remote_bot_retired`` or ``remote_bot_paused``."""
    if bot.retired_at is not None:
        raise _retired_error(bot)
    if bot.paused_at is not None:
        raise Conflict(
            f"{bot.name} is paused, because it disconnected often. When its connection is stable, unpause "
            "it on its page or with POST unpause.",
            "remote_bot_paused",
            reason=bot.pause_note.get("code", ""),
        )


def _retired_error(bot: RemoteBot) -> Conflict:
    return Conflict(f"{bot.name} is retired. Create another remote bot.", "remote_bot_retired")


def _check_wishes(bot: RemoteBot, wishes: StreamWishes) -> None:
    if not 1 <= wishes.tables <= MAX_TABLES:
        raise Invalid(f"tables must be 1 to {MAX_TABLES}.", "invalid", field="tables")
    if wishes.ladder and wishes.ladder not in presets_of(bot.game):
        which = "a preset of another game" if wishes.ladder in preset_keys() else "no preset"
        known = presets_of(bot.game)
        raise Invalid(
            f"{quoted(wishes.ladder)} is {which}; {bot.name} can play {', '.join(known)}.",
            "unknown_preset",
            field="ladder",
            allowed=known,
        )
    unknown = [kind for kind in wishes.accepts if kind not in ACCEPTS]
    if unknown:
        raise Invalid(
            f"accept cannot have {quoted(unknown[0])}: choose from {', '.join(ACCEPTS)}.",
            "wrong_choice",
            field="accept",
            allowed=list(ACCEPTS),
        )
