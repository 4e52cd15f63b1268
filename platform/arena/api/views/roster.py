"""Endpoints: bots, versions and their checks."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.answers.bots import BotOut, CheckOut, VersionOut, bot_out, check_out, version_out
from arena.api.base.filters import BotNameFilter, GameFilter, HandleFilter, ListFilters
from arena.api.base.serializers import EmptyBody, validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ApiView, ListView
from arena.api.serializers.roster import BotChange, BotIn, VersionIn
from arena.common.errors import Invalid
from arena.competition.games import game_keys
from arena.competition.services import entries_warn
from arena.jobs.publish import checks_publish
from arena.jobs.uploads import version_submit
from arena.roster import selectors, services
from arena.roster.models import Bot, BotVersion

FORM_OVERHEAD_BYTES = 1 << 20
"""Maximum bytes of a form in addition to the bundle: boundaries, notes."""


def bundle_too_large_error() -> Invalid:
    """Return the error for an upload over the limit."""
    limit = settings.BUNDLE_UPLOAD_BYTES_MAX
    return Invalid(
        f"An upload may have {limit} bytes.", "bundle_too_large", field="bundle", limit_bytes=limit
    )


class BotFilter(ListFilters):
    game = GameFilter()
    owner = HandleFilter("owner__handle", help_text="The owner's handle.")
    name = BotNameFilter(help_text="The whole name, ignoring case and width.")


class BotListView(ListView):
    """Bots."""

    write_scope = ApiToken.Scope.BOTS
    write = staticmethod(bot_out)
    filterset_class = BotFilter

    def rows(self) -> QuerySet[Bot]:
        """Public bots and your own."""
        return selectors.bots_visible_to(self.request.user)

    @extend_schema(request=BotIn, responses={201: schema_of(BotOut)})
    def post(self, request: Request) -> Response:
        """Create a bot.

        Upload its program as the first version.
        """
        data = validated_body(BotIn, request)
        if data["game"] not in game_keys():
            names = game_keys()
            message = f"Unknown game {data['game']!r}; games: {', '.join(names)}."
            raise Invalid(message, "unknown_game", field="game", allowed=names)
        created_bot = services.bot_create(self.user, **data)
        return self.created(bot_out, created_bot, "bot", created_bot.public_id)


class BotView(ApiView):
    write_scope = ApiToken.Scope.BOTS

    @extend_schema(responses=schema_of(BotOut))
    def get(self, request: Request, bot: str) -> Response:
        """Get a bot."""
        return self.respond(bot_out, selectors.bot_get(bot, request.user))

    @extend_schema(request=BotChange, responses=schema_of(BotOut))
    def patch(self, request: Request, bot: str) -> Response:
        """Change a bot's name or visibility."""
        instance = selectors.bot_get(bot, request.user)
        return self.respond(
            bot_out, services.bot_update(instance, self.user, **validated_body(BotChange, request))
        )


class VersionFilter(ListFilters):
    state = filters.ChoiceFilter(choices=BotVersion.State.choices)


class VersionListView(ListView):
    """Versions of a bot."""

    write_scope = ApiToken.Scope.BOTS
    write = staticmethod(version_out)
    filterset_class = VersionFilter
    parser_classes = (MultiPartParser,)
    write_rate = "uploads"

    def check_before_body(self, request: Request, **kwargs: Any) -> None:
        """Refuse uploads to another player's bot, and too large ones."""
        selectors.require_owner(selectors.bot_get(kwargs["bot"], request.user), self.user)
        if (
            int(request.META.get("CONTENT_LENGTH") or 0)
            > settings.BUNDLE_UPLOAD_BYTES_MAX + FORM_OVERHEAD_BYTES
        ):
            raise bundle_too_large_error()

    def rows(self) -> QuerySet[BotVersion]:
        """The owner gets all versions, others those that have passed their check."""
        bot = selectors.bot_get(self.kwargs["bot"], self.request.user)
        return selectors.versions_of(bot, self.request.user)

    @extend_schema(
        request={"multipart/form-data": VersionIn},
        responses={202: schema_of(VersionOut), 200: schema_of(VersionOut)},
    )
    def post(self, request: Request, bot: str) -> Response:
        """Upload a version.

        202: its check waits. Errors in the bundle lead to the state rejected, with reasons. If an earlier
        version of the bot has the same files and is neither rejected nor retired, that version is returned
        unchanged (200).
        """
        instance = selectors.bot_get(bot, request.user)
        form = validated_body(VersionIn, request)
        if form["bundle"].size > settings.BUNDLE_UPLOAD_BYTES_MAX:
            raise bundle_too_large_error()
        version, is_new = version_submit(
            instance, form["bundle"].read(), form["bundle"].name, form["notes"], self.user
        )
        found_again = selectors.version_get(version.public_id, request.user)
        if not is_new:
            return self.respond(version_out, found_again)
        return self.created(version_out, found_again, "version-check", version.public_id, status=202)


class VersionView(ApiView):
    @extend_schema(responses=schema_of(VersionOut))
    def get(self, request: Request, version: str) -> Response:
        """Get a version."""
        return self.respond(version_out, selectors.version_get(version, request.user))


class CheckView(AccountView):
    @extend_schema(responses=schema_of(CheckOut))
    def get(self, request: Request, version: str) -> Response:
        """Get the latest check of a version.

        For the owner and staff.
        """
        return self.respond(
            check_out, selectors.check_latest(selectors.version_get(version, request.user), request.user)
        )

    @extend_schema(request=EmptyBody, responses={202: schema_of(CheckOut)})
    def post(self, request: Request, version: str) -> Response:
        """Repeat the check of a version.

        Possible after all attempts have failed by platform faults.
        """
        validated_body(EmptyBody, request)
        check = services.check_repeat(selectors.version_get(version, request.user), self.user)
        checks_publish([check.pk])
        return self.created(check_out, check, "version-check", version, status=202)


class ActivateView(AccountView):
    @extend_schema(request=EmptyBody, responses=schema_of(VersionOut))
    def post(self, request: Request, version: str) -> Response:
        """Make a ready version the bot's active version."""
        validated_body(EmptyBody, request)
        return self.respond(
            version_out, services.version_activate(selectors.version_get(version, request.user), self.user)
        )


class ReinstateView(AccountView):
    @extend_schema(request=EmptyBody, responses={200: schema_of(VersionOut), 202: schema_of(VersionOut)})
    def post(self, request: Request, version: str) -> Response:
        """Reinstate a suspended version.

        202: a check waits, which ends the suspension if the version passes; at most once a day. Staff end
        it immediately (200).
        """
        validated_body(EmptyBody, request)
        check = services.version_reinstate(selectors.version_get(version, request.user), self.user)
        reinstated = selectors.version_get(version, request.user)
        if check is None:
            return self.respond(version_out, reinstated)
        checks_publish([check.pk])
        return self.created(version_out, reinstated, "version-check", version, status=202)


class RetireView(AccountView):
    @extend_schema(request=EmptyBody, responses=schema_of(VersionOut))
    def post(self, request: Request, version: str) -> Response:
        """Retire a version permanently.

        Locked entries continue.
        """
        validated_body(EmptyBody, request)
        retired = services.version_retire(selectors.version_get(version, request.user), self.user)
        entries_warn(retired)
        return self.respond(version_out, retired)
