"""Bots, versions and their checks."""

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
"""What a form may add around the bundle: boundaries, notes."""


def bundle_too_large_error() -> Invalid:
    """The error for an upload over the limit."""
    limit = settings.BUNDLE_UPLOAD_BYTES
    return Invalid(
        f"An upload may have {limit} bytes.", "bundle_too_large", field="bundle", limit_bytes=limit
    )


class BotFilter(ListFilters):
    """Filters of the list of bots."""

    game = GameFilter()
    owner = HandleFilter("owner__handle", help_text="The owner's handle.")
    name = BotNameFilter(help_text="The whole name, in any case and width.")


class BotListView(ListView):
    """Bots."""

    write_scope = ApiToken.Scope.BOTS
    write = staticmethod(bot_out)
    filterset_class = BotFilter

    def rows(self) -> QuerySet[Bot]:
        """Public ones and one's own."""
        return selectors.bots_visible_to(self.request.user)

    @extend_schema(request=BotIn, responses={201: schema_of(BotOut)})
    def post(self, request: Request) -> Response:
        """Make a bot.

        Its program comes with the first version.
        """
        wanted = validated_body(BotIn, request)
        if wanted["game"] not in game_keys():
            names = game_keys()
            message = f"Unknown game {wanted['game']!r}; games: {', '.join(names)}."
            raise Invalid(message, "unknown_game", field="game", allowed=names)
        made = services.bot_create(self.user, **wanted)
        return self.created(bot_out, made, "bot", made.public_id)


class BotView(ApiView):
    """A bot."""

    write_scope = ApiToken.Scope.BOTS

    @extend_schema(responses=schema_of(BotOut))
    def get(self, request: Request, bot: str) -> Response:
        """Show a bot."""
        return self.respond(bot_out, selectors.bot_get(bot, request.user))

    @extend_schema(request=BotChange, responses=schema_of(BotOut))
    def patch(self, request: Request, bot: str) -> Response:
        """Change a bot's name or visibility."""
        found = selectors.bot_get(bot, request.user)
        return self.respond(
            bot_out, services.bot_update(found, self.user, **validated_body(BotChange, request))
        )


class VersionFilter(ListFilters):
    """Filters of the list of versions."""

    state = filters.ChoiceFilter(choices=BotVersion.State.choices)


class VersionListView(ListView):
    """Versions of one bot."""

    write_scope = ApiToken.Scope.BOTS
    write = staticmethod(version_out)
    filterset_class = VersionFilter
    parser_classes = (MultiPartParser,)
    write_rate = "uploads"

    def check_before_body(self, request: Request, **kwargs: Any) -> None:
        """Not somebody else's bot, nor more than may be sent."""
        selectors.require_owner(selectors.bot_get(kwargs["bot"], request.user), self.user)
        if int(request.META.get("CONTENT_LENGTH") or 0) > settings.BUNDLE_UPLOAD_BYTES + FORM_OVERHEAD_BYTES:
            raise bundle_too_large_error()

    def rows(self) -> QuerySet[BotVersion]:
        """All for the owner, those that passed for others."""
        bot = selectors.bot_get(self.kwargs["bot"], self.request.user)
        return selectors.versions_of(bot, self.request.user)

    @extend_schema(
        request={"multipart/form-data": VersionIn},
        responses={202: schema_of(VersionOut), 200: schema_of(VersionOut)},
    )
    def post(self, request: Request, bot: str) -> Response:
        """Upload a version.

        202. Whatever is wrong inside the bundle ends in state rejected, with reasons. If a version of the bot
        has the same files and is neither rejected nor retired, it is the answer, unchanged (200).
        """
        found = selectors.bot_get(bot, request.user)
        form = validated_body(VersionIn, request)
        if form["bundle"].size > settings.BUNDLE_UPLOAD_BYTES:
            raise bundle_too_large_error()
        version, is_new = version_submit(
            found, form["bundle"].read(), form["bundle"].name, form["notes"], self.user
        )
        found_again = selectors.version_get(version.public_id, request.user)
        if not is_new:
            return self.respond(version_out, found_again)
        return self.created(version_out, found_again, "version-check", version.public_id, status=202)


class VersionView(ApiView):
    """A version."""

    @extend_schema(responses=schema_of(VersionOut))
    def get(self, request: Request, version: str) -> Response:
        """Show a version."""
        return self.respond(version_out, selectors.version_get(version, request.user))


class CheckView(AccountView):
    """The check of a version."""

    @extend_schema(responses=schema_of(CheckOut))
    def get(self, request: Request, version: str) -> Response:
        """Show how the last check of a version went.

        For the owner and staff.
        """
        return self.respond(
            check_out, selectors.check_latest(selectors.version_get(version, request.user), request.user)
        )

    @extend_schema(request=EmptyBody, responses={202: schema_of(CheckOut)})
    def post(self, request: Request, version: str) -> Response:
        """Check a version once more.

        After all attempts failed by a fault of ours.
        """
        validated_body(EmptyBody, request)
        check = services.check_repeat(selectors.version_get(version, request.user), self.user)
        checks_publish([check.pk])
        return self.created(check_out, check, "version-check", version, status=202)


class ActivateView(AccountView):
    """The version a bot enters with."""

    @extend_schema(request=EmptyBody, responses=schema_of(VersionOut))
    def post(self, request: Request, version: str) -> Response:
        """Make a ready version the bot's active one."""
        validated_body(EmptyBody, request)
        return self.respond(
            version_out, services.version_activate(selectors.version_get(version, request.user), self.user)
        )


class ReinstateView(AccountView):
    """A suspended version's way back."""

    @extend_schema(request=EmptyBody, responses={200: schema_of(VersionOut), 202: schema_of(VersionOut)})
    def post(self, request: Request, version: str) -> Response:
        """Reinstate a suspended version.

        202: a check waits, which ends the suspension if passed; once a day. Staff end it at once (200).
        """
        validated_body(EmptyBody, request)
        check = services.version_reinstate(selectors.version_get(version, request.user), self.user)
        found = selectors.version_get(version, request.user)
        if check is None:
            return self.respond(version_out, found)
        checks_publish([check.pk])
        return self.created(version_out, found, "version-check", version, status=202)


class RetireView(AccountView):
    """A version's end."""

    @extend_schema(request=EmptyBody, responses=schema_of(VersionOut))
    def post(self, request: Request, version: str) -> Response:
        """Retire a version for good.

        Entries already locked play on.
        """
        validated_body(EmptyBody, request)
        retired = services.version_retire(selectors.version_get(version, request.user), self.user)
        entries_warn(retired)
        return self.respond(version_out, retired)
