"""Who may be put on a ladder, and the rules by which versions leave it."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from arena.accounts.models import Notice
from arena.common.errors import ArenaError
from arena.features.ladders.models import LadderSeason, Placement
from arena.features.ladders.placements import placement_create, placement_end
from arena.operations.account_deletion import account_delete
from arena.roster.models import BotVersion
from arena.roster.services import version_activate, version_retire, version_suspend
from tests import factories
from tests.arena.features.ladders.ladders import (
    a_ladder,
    house,
    ladders_advance,
    ladders_set,
    placed,
    round_open,
    round_play,
)
from tests.arena.play import play_out

pytestmark = pytest.mark.django_db
LeftReason = Placement.LeftReason


def refused(*args: Any, **how: Any) -> ArenaError:
    with pytest.raises(ArenaError) as caught:
        placement_create(*args, **how)
    return caught.value


def on_it(ladder: Any) -> set[str]:
    """Names of the versions on a ladder."""
    return {str(row.version) for row in Placement.objects.filter(ladder=ladder, left_at=None)}


def test_what_cannot_be_placed_says_why_and_what_can() -> None:
    ladder, aya = a_ladder(), factories.aya()
    own = factories.a_bot(aya, name="own")
    assert refused(aya, ladder, factories.a_version(factories.a_bot(factories.ben()))).code == "not_owner"
    other_game = factories.a_version(factories.a_bot(aya, game="kakkuri"))
    wrong = refused(aya, ladder, other_game)
    assert wrong.code == "wrong_game"
    assert refused(aya, ladder, factories.an_upload(own)).code == "not_ready"
    retired = factories.a_version(own)
    version_retire(retired, aya)
    assert refused(aya, ladder, retired).code == "not_ready"
    assert refused(aya, ladder, factories.a_suspended_version(own)).code == "version_suspended"
    version = factories.a_version(own)
    assert refused(aya, ladder, version, season="1999-Q1").code == "unknown_season"
    placement_create(aya, ladder, version)
    assert refused(aya, ladder, version).code == "already_placed"
    placed(ladder, aya, aya)
    full = refused(aya, ladder, factories.a_version(factories.a_bot(aya)))
    assert (full.code, full.extra["limit"]) == ("ladder_quota_exceeded", 3)
    assert "own v4" in full.extra["placed"]
    ladders_set(presets=frozenset())
    ladders_advance()
    ladder.refresh_from_db()
    assert refused(factories.ben(), ladder, factories.a_version(factories.a_bot(factories.ben()))).code == (
        "ladder_disabled"
    )


def test_a_season_that_ended_cannot_be_joined() -> None:
    ladder = a_ladder()
    placed(ladder, *factories.players(2))
    ladders_advance()
    season = LadderSeason.objects.get()
    chie = factories.chie()
    version = factories.a_version(factories.a_bot(chie))
    over = timezone.now() - datetime.timedelta(days=1)
    LadderSeason.objects.update(name="2001-Q1", ends_at=over, begins_at=over - datetime.timedelta(days=90))
    play_out(round_open(ladder).tournament)
    ladders_advance()
    ended = refused(chie, ladder, version, season="2001-Q1")
    assert (ended.code, ended.extra["running"]) == ("season_ended", season.name)
    assert placement_create(chie, ladder, version, season=season.name).left_at is None


def test_a_newer_version_takes_the_place_of_the_older() -> None:
    ladder, aya = a_ladder(), factories.aya()
    bot = factories.a_bot(aya, name="own")
    first = placement_create(aya, ladder, factories.a_version(bot))
    placement_create(aya, ladder, factories.a_version(bot))
    first.refresh_from_db()
    assert first.left_reason == LeftReason.SUPERSEDED
    assert on_it(ladder) == {"own v2"}


def test_only_its_owner_and_staff_take_a_version_off() -> None:
    ladder = a_ladder()
    first, second = placed(ladder, factories.aya(), factories.ben())
    with pytest.raises(ArenaError, match="not_owner"):
        placement_end(first, factories.ben())
    placement_end(first, factories.aya())
    with pytest.raises(ArenaError, match="already_left"):
        placement_end(first, factories.aya())
    placement_end(second, factories.sota())
    assert {row.left_reason for row in Placement.objects.all()} == {LeftReason.TAKEN_OFF}


def test_who_is_not_ready_any_more_leaves_as_the_next_round_is_drawn() -> None:
    ladder = a_ladder()
    places = placed(ladder, *factories.players(6))
    with transaction.atomic():
        version_suspend(places[0].version, "it forfeited 3 of its last 10 tables")
    version_retire(places[1].version, factories.ben())
    account_delete(factories.chie())
    owner = places[3].bot.owner.user
    owner.is_active = False
    owner.save()
    ladders_advance()
    reasons = [Placement.objects.get(pk=row.pk).left_reason for row in places]
    assert reasons == [
        LeftReason.SUSPENDED,
        LeftReason.RETIRED,
        LeftReason.ACCOUNT_INACTIVE,
        LeftReason.ACCOUNT_INACTIVE,
        "",
        "",
    ]
    assert len(round_open(ladder).contenders) == 2


def test_who_forfeits_everything_leaves_after_three_rounds() -> None:
    ladder = a_ladder()
    idle, *_ = placed(ladder, *factories.players(2))
    for _ in range(3):
        assert ladders_advance() == 1
        round_play(ladder, forfeiting=idle.version)
    assert ladders_advance() == 0
    idle.refresh_from_db()
    assert idle.left_reason == LeftReason.IDLE
    assert Notice.objects.filter(user=idle.bot.owner.user).count() == 1
    again = placement_create(idle.bot.owner.user, ladder, idle.version)
    assert ladders_advance() == 1, "it begins anew"
    again.refresh_from_db()
    assert again.left_reason == ""


def test_the_house_stays_with_the_version_that_is_active() -> None:
    ladder = a_ladder()
    greedy, rules, _ = house()
    ladders_advance()
    assert on_it(ladder) == {"kakeya_house v1", "kakeya_house-rules v1"}
    user = greedy.owner.user
    version_activate(factories.a_version(greedy), user)
    ladders_advance()
    assert on_it(ladder) == {"kakeya_house v2", "kakeya_house-rules v1"}
    with transaction.atomic():
        version_suspend(rules.versions.get(), "it forfeited 3 of its last 10 tables")
    placed(ladder, *factories.players(2))
    ladders_advance()
    assert "kakeya_house-rules v1" not in on_it(ladder)
    BotVersion.objects.filter(bot=rules).update(state=BotVersion.State.READY)
    rules.active_version = rules.versions.get()
    rules.save()
    ladders_advance()
    assert "kakeya_house-rules v1" in on_it(ladder)


def test_a_private_bot_may_play() -> None:
    ladder, aya = a_ladder(), factories.aya()
    version = factories.a_version(factories.a_bot(aya, visibility="private"))
    assert placement_create(aya, ladder, version).placed_by == aya
