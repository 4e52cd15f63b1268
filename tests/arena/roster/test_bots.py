from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser

from arena.accounts.models import AuditEvent
from arena.accounts.services import user_create
from arena.common.errors import Conflict, Forbidden, Invalid, NotFound
from arena.roster import services
from arena.roster.selectors import bot_get, bots_visible_to, version_get
from arena.roster.services import bot_create, bot_update, player_of, version_activate, version_retire
from tests.factories import a_bot, a_version, an_upload, aya, ben, chie, sota
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def test_a_player_is_made_once_and_named_after_the_account() -> None:
    assert player_of(aya()) == player_of(aya())
    assert player_of(aya()).handle == "aya"


def test_two_accounts_never_share_a_handle() -> None:
    handles = {player_of(user_create(name)).handle for name in ("a.b", "a@b", "a+b", "x", "日本")}
    assert handles == {"a-b", "a-b-2", "a-b-3", "x-player", "player"}


def test_a_bot_name_is_taken_once_per_owner() -> None:
    a_bot(aya(), "kita")
    a_bot(ben(), "kita")
    assert refusal(Conflict, a_bot, aya(), "kita").code == "name_taken"


@pytest.mark.parametrize("name", ["", " ", "x" * 61, "ki\nta"])
def test_a_bot_name_must_be_readable(name: str) -> None:
    assert refusal(Invalid, bot_create, aya(), name=name, game="kakeya").extra["field"] == "name"


def test_there_is_a_limit_to_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "BOTS_PER_PLAYER", 1)
    a_bot(aya())
    assert refusal(Conflict, a_bot, aya()).code == "bot_limit"


def test_changing_a_bot_is_its_owners_right_and_audited() -> None:
    bot = a_bot(aya(), "kita")
    refusal(Forbidden, bot_update, bot, chie(), name="mine")
    refusal(Invalid, bot_update, bot, aya(), visibility="secret")
    bot_update(bot, aya(), name="minami", visibility="private")
    event = AuditEvent.objects.get(action="update")
    assert event.before == {"name": "kita", "visibility": "public"}
    assert event.after == {"name": "minami", "visibility": "private"}
    a_bot(aya(), "kita")
    refusal(Conflict, bot_update, bot, aya(), name="kita")


def test_private_bots_are_seen_by_owner_and_staff_alone() -> None:
    bot = a_bot(aya(), visibility="private")
    seen = [
        user is not None and bot in bots_visible_to(user) for user in (aya(), chie(), sota(), AnonymousUser())
    ]
    assert seen == [True, False, True, False]
    refusal(NotFound, bot_get, bot.public_id, chie())


def test_a_version_shows_to_others_once_it_passed() -> None:
    bot = a_bot(aya())
    ready, waiting = a_version(bot), an_upload(bot)
    assert version_get(ready.public_id, AnonymousUser()) == ready
    assert version_get(waiting.public_id, aya()) == waiting
    refusal(NotFound, version_get, waiting.public_id, chie())


def test_the_first_ready_version_becomes_active_and_later_ones_wait() -> None:
    bot = a_bot(aya())
    first, second = a_version(bot), a_version(bot)
    bot.refresh_from_db()
    assert bot.active_version == first
    version_activate(second, aya())
    bot.refresh_from_db()
    assert bot.active_version == second


def test_only_a_ready_version_can_be_active_and_only_by_its_owner() -> None:
    bot = a_bot(aya())
    ready, waiting = a_version(bot), an_upload(bot)
    refusal(Forbidden, version_activate, ready, chie())
    refused = refusal(Conflict, version_activate, waiting, aya())
    assert refused.extra == {"state": "uploaded", "allowed_states": ["ready"]}


def test_retiring_ends_a_version_for_good() -> None:
    bot = a_bot(aya())
    version = a_version(bot)
    refusal(Forbidden, version_retire, version, chie())
    version_retire(version, aya())
    bot.refresh_from_db()
    assert (version.state, bot.active_version) == ("retired", None)
    for again in (version_retire, version_activate):
        refusal(Conflict, again, version, aya())
