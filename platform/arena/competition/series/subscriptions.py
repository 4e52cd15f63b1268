"""Subscriptions: bots that are entered in every edition of a recurring cup."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q, QuerySet

from arena.accounts.models import User, audit
from arena.common.declarations import invalid_field
from arena.common.errors import Conflict, Forbidden, NotFound
from arena.common.states import state_change_or_conflict
from arena.competition.drafts import validate_draft
from arena.competition.models import Series, Subscription
from arena.competition.selectors import Viewer, is_staff
from arena.competition.series.services import State, may_manage_series
from arena.roster.models import Bot


def subscriptions_visible_to(series: Series, user: Viewer) -> QuerySet[Subscription]:
    """Return the subscriptions, oldest first; private bots only for their owner, the organiser and staff."""
    rows = series.subscriptions.select_related("bot__owner", "partner_bot", "series").order_by("id")
    if is_staff(user) or (isinstance(user, User) and series.organiser_id == user.pk):
        return rows
    visible = Q(bot__visibility=Bot.Visibility.PUBLIC)
    if isinstance(user, User):
        visible |= Q(bot__owner__user=user)
    return rows.filter(visible)


def partner_visible_to(subscription: Subscription, user: Viewer) -> Bot | None:
    """Return the partner bot by the rule of ``subscriptions_visible_to``."""
    partner = subscription.partner_bot
    if partner is None or partner.visibility == Bot.Visibility.PUBLIC or is_staff(user):
        return partner
    knows = (subscription.bot.owner.user_id, subscription.series.organiser_id)
    return partner if isinstance(user, User) and user.pk in knows else None


@transaction.atomic
def subscription_add(
    series: Series,
    bot: Bot,
    actor: User,
    partner_bot: Bot | None = None,
    *,
    accepts_partners: bool = False,
) -> Subscription:
    """Enter a bot's active version, or those of a pair with one owner, in every future edition.

    ``accepts_partners`` is the owner's permanent consent to changing partners. Raises Forbidden
    ``not_owner``; Invalid ``wrong_game``, ``invalid_pair``, ``partners_not_accepted``; Conflict
    ``wrong_state``, ``already_subscribed``.
    """
    bots = [bot] if partner_bot is None else [bot, partner_bot]
    # Lock and reload: a concurrent change of the series removes subscriptions without consent.
    row = Series.objects.select_for_update().get(pk=series.pk)
    planned = validate_draft({**row.template, "name": row.name})
    for subscribed in bots:
        if subscribed.owner.user_id != actor.pk:
            raise Forbidden(
                f"{subscribed.name} belongs to another player; only its owner can subscribe it.",
                "not_owner",
            )
        if subscribed.game != planned.rules.game.key:
            raise invalid_field(
                "bot",
                f"{subscribed.name} plays {subscribed.game}, the series {planned.rules.game.key}.",
                "wrong_game",
            )
    mixes = any(stage.rules.mixes_partners for stage in planned.stages)
    if partner_bot is not None:
        seats = len(planned.rules.sides[0])
        if seats != 2 or mixes or partner_bot.pk == bot.pk:
            raise invalid_field(
                "partner_bot",
                "A pair needs two different bots, and a game whose sides have two seats.",
                "invalid_pair",
            )
    if mixes and not accepts_partners:
        raise invalid_field(
            "accepts_partners",
            "Editions of this series have changing partners: set accepts_partners to true to consent.",
            "partners_not_accepted",
        )
    if row.state == State.ENDED:
        state_change_or_conflict(row, [State.ACTIVE, State.PAUSED], State.ACTIVE, verb="subscribe to")
    subscription, is_new = Subscription.objects.get_or_create(
        series=row, bot=bot, defaults={"partner_bot": partner_bot}
    )
    if not is_new:
        raise Conflict(
            f"{bot.name} is already entered in every edition. Remove it first to change its partner.",
            "already_subscribed",
        )
    audit(actor, "subscribe", series, bot=bot.public_id, partner_bot=partner_bot and partner_bot.public_id)
    return subscription


@transaction.atomic
def subscription_remove(series: Series, bot_public_id: str, actor: User) -> None:
    """Stop entering a bot; existing entries stay. Raises NotFound, Forbidden ``not_owner``."""
    rows = subscriptions_visible_to(series, actor)
    subscription = rows.filter(bot__public_id=bot_public_id).first()
    if subscription is None:
        raise NotFound(f"Bot {bot_public_id} is not subscribed to {series}.", "subscription_not_found")
    if subscription.bot.owner.user_id != actor.pk and not may_manage_series(actor, series):
        raise Forbidden("Only the bot's owner and the organiser can do this.", "not_owner")
    subscription.delete()
    audit(actor, "unsubscribe", series, {"bot": bot_public_id})
