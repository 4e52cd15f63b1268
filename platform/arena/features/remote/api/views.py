"""API views of remote bots: bots, versions, the stream, answers and tables."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.base.filters import (
    PUBLIC_ID_PATTERN,
    FlagFilter,
    GameFilter,
    HandleFilter,
    ListFilters,
    boolean_parameter,
    integer_parameter,
)
from arena.api.base.limits import RateThrottle
from arena.api.base.parts import first_parameter, rows_part
from arena.api.base.serializers import EmptyBody, validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AnyContentType, ApiView, ListView
from arena.features.remote import services
from arena.features.remote.api.answers import (
    AcceptedOut,
    AliveOut,
    RemoteBotOut,
    RemoteLadderOut,
    RemoteTableOut,
    RemoteVersionOut,
    ladder_lines_out,
    remote_bot_out,
    remote_table_out,
    remote_version_out,
)
from arena.features.remote.api.auth import CONNECT, ConnectOrRead, ConnectToken
from arena.features.remote.api.parsers import AnswerParser, AnswerTooLarge, malformed_answer
from arena.features.remote.api.serializers import AliveIn, AnswerIn, RemoteBotIn, RemoteVersionIn
from arena.features.remote.ladders import ladder_lines
from arena.features.remote.limits import ANSWER_RATE, MAX_ANSWER_BYTES, MAX_TABLES, STREAM_RATE
from arena.features.remote.models import RemoteBot, RemoteVersion
from arena.features.remote.selectors import (
    bot_get,
    bots_listed,
    only_online,
    table_visible_get,
    version_get,
    versions_listed,
)
from arena.features.remote.stream import stream_open

MAX_PRESET_CHARACTERS = 40
STREAM_PARAMETERS = [
    OpenApiParameter(
        "version",
        {"type": "string", "pattern": PUBLIC_ID_PATTERN, "maxLength": 16},
        required=True,
        description="Id of the version.",
    ),
    OpenApiParameter(
        "tables",
        {"type": "integer", "minimum": 1, "maximum": MAX_TABLES, "default": 1},
        description="Maximum tables at once.",
    ),
    OpenApiParameter(
        "ladder",
        {"type": "string", "minLength": 1, "maxLength": MAX_PRESET_CHARACTERS},
        description="Preset for which you want rated tables.",
    ),
    OpenApiParameter(
        "slow", {"type": "boolean", "default": False}, description="Whether these have the slow clock."
    ),
    OpenApiParameter(
        "accept",
        {"type": "string", "enum": ["bots", "people", "bots,people"]},
        description="Invitations to accept by itself.",
    ),
]


class RemoteView(ApiView):
    """Reading needs the scope ``read`` or ``bots:connect``, changes ``bots:connect``."""

    permission_classes = (ConnectOrRead,)
    write_scope = CONNECT


class RemoteListView(ListView):
    permission_classes = (ConnectOrRead,)
    write_scope = CONNECT


class ConnectedView(ApiView):
    """Requires a token with ``bots:connect``, and counts towards its own rate alone."""

    permission_classes = (ConnectToken,)
    write_scope = CONNECT

    def get_throttles(self) -> list[Any]:
        self.applied_throttles = [RateThrottle(ANSWER_RATE)]
        return self.applied_throttles


class RemoteBotFilter(ListFilters):
    game = GameFilter()
    owner = HandleFilter("owner__handle", help_text="The owner's handle.")


class RemoteBots(RemoteListView):
    """Remote bots."""

    write = staticmethod(remote_bot_out)
    filterset_class = RemoteBotFilter

    def rows(self) -> QuerySet[RemoteBot]:
        """Newest first, also paused and retired ones."""
        return bots_listed()

    @extend_schema(request=RemoteBotIn, responses={201: schema_of(RemoteBotOut)})
    def post(self, request: Request) -> Response:
        """Create a remote bot.

        Then declare its first version.
        """
        bot = services.bot_create(self.user, **validated_body(RemoteBotIn, request))
        return self.created(remote_bot_out, bot, "remote-bot", bot.public_id)


class OneRemoteBot(RemoteView):
    @extend_schema(responses=schema_of(RemoteBotOut))
    def get(self, request: Request, bot: str) -> Response:
        """Show a remote bot."""
        return self.respond(remote_bot_out, bot_get(bot))


class RemoteUnpause(RemoteView):
    @extend_schema(request=EmptyBody, responses=schema_of(RemoteBotOut))
    def post(self, request: Request, bot: str) -> Response:
        """Let a paused bot play again."""
        validated_body(EmptyBody, request)
        instance = bot_get(bot)
        services.bot_unpause(instance, self.user)
        return self.respond(remote_bot_out, instance)


class RemoteRetire(RemoteView):
    @extend_schema(request=EmptyBody, responses=schema_of(RemoteBotOut))
    def post(self, request: Request, bot: str) -> Response:
        """Withdraw a remote bot for ever.

        It finishes its tables.
        """
        validated_body(EmptyBody, request)
        instance = bot_get(bot)
        services.bot_retire(instance, self.user)
        return self.respond(remote_bot_out, instance)


class RemoteBotVersions(RemoteListView):
    """Versions of a remote bot."""

    write = staticmethod(remote_version_out)

    def rows(self) -> QuerySet[RemoteVersion]:
        """Newest first."""
        return versions_listed(bot_get(self.kwargs["bot"]))

    @extend_schema(request=RemoteVersionIn, responses={201: schema_of(RemoteVersionOut)})
    def post(self, request: Request, bot: str) -> Response:
        """Declare a version of a remote bot.

        Do so whenever the program changes: scores belong to a version.
        """
        data = validated_body(RemoteVersionIn, request)
        version = services.version_create(bot_get(bot), self.user, **data)
        return self.created(remote_version_out, version, "remote-version", version.public_id)


class OnlineFilter(FlagFilter):
    def filter(self, qs: Any, value: Any) -> Any:
        return only_online(qs, is_online=value) if value is not None else qs


class RemoteVersionFilter(ListFilters):
    online = OnlineFilter(help_text="Whether the client is connected.")
    game = GameFilter("bot__game")


class RemoteVersions(RemoteListView):
    """Versions of remote bots."""

    write = staticmethod(remote_version_out)
    filterset_class = RemoteVersionFilter

    def rows(self) -> QuerySet[RemoteVersion]:
        """Newest first."""
        return versions_listed()


class OneRemoteVersion(RemoteView):
    @extend_schema(responses=schema_of(RemoteVersionOut))
    def get(self, request: Request, version: str) -> Response:
        """Show a version of a remote bot."""
        return self.respond(remote_version_out, version_get(version))


class RemoteStream(ApiView):
    permission_classes = (ConnectToken,)
    http_method_names = ("get", "options")
    """No HEAD: opening a stream ends the earlier one."""
    has_etag = False
    content_negotiation_class = AnyContentType
    read_rate = STREAM_RATE
    parameters = ("version", "tables", "ladder", "slow", "accept")

    @extend_schema(parameters=STREAM_PARAMETERS, responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def get(self, request: Request) -> HttpResponseBase:
        """Connect a version of a remote bot.

        Lines of JSON, with the requests of its tables. A newer stream of the version replaces an older one.
        """
        texts = request.query_params
        repeated = next((name for name in self.parameters if len(texts.getlist(name)) > 1), None)
        if repeated is not None:
            raise ValidationError({repeated: ["Given more than once; one value is allowed."]})
        if "version" not in texts:
            raise ValidationError({"version": ["Name the version to connect."]}, "required")
        wishes = services.StreamWishes(
            tables=integer_parameter(request, "tables", 1, MAX_TABLES) or 1,
            ladder=texts.get("ladder", ""),
            is_slow=boolean_parameter(request, "slow"),
            accepts=tuple(dict.fromkeys(texts["accept"].split(","))) if "accept" in texts else (),
        )
        return stream_open(request, self.user, version_get(texts["version"]), wishes)


class RemoteAlive(ConnectedView):
    @extend_schema(request=AliveIn, responses=schema_of(AliveOut))
    def post(self, request: Request) -> Response:
        """Send a sign of life of an open stream.

        Every ten seconds. After 25 seconds without one, the version is disconnected.
        """
        data = validated_body(AliveIn, request)
        services.alive_record(version_get(data["version"]), self.user, data["generation"])
        return Response({"generation": data["generation"]})


class RemoteAnswers(ConnectedView):
    parser_classes = (AnswerParser,)

    def check_before_body(self, request: Request, **kwargs: Any) -> None:
        """Refuse a body that is too large."""
        if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_ANSWER_BYTES:
            raise AnswerTooLarge

    @extend_schema(request=AnswerIn, responses=schema_of(AcceptedOut))
    def post(self, request: Request, table: str) -> Response:
        """Answer a request at a table of a remote bot.

        Repeat the same bytes if you got no response; they count once. The stream says how the referee judged
        the answer.
        """
        answer = request.data
        if not isinstance(answer, services.Answer):
            raise malformed_answer("The body is empty.")
        services.answer_accept(self.user, table, answer)
        return Response({"id": answer.id, "accepted": True})


class OneRemoteTable(RemoteView):
    @extend_schema(responses=schema_of(RemoteTableOut))
    def get(self, request: Request, table: str) -> Response:
        """Show a table of remote bots.

        Owners of its bots may see it at any time, others after its end.
        """
        return self.respond(remote_table_out, table_visible_get(table, request.user))


class RemoteLadder(RemoteView):
    is_same_for_everyone = True
    parameters = ("slow", "first")

    @extend_schema(
        parameters=[
            OpenApiParameter("slow", {"type": "boolean", "default": False}, description="The slow clock.")
        ],
        responses=schema_of(RemoteLadderOut),
    )
    def get(self, request: Request, preset: str) -> Response:
        """Show a ladder of remote bots.

        Best first; then bots with too few tables for a rank.
        """
        is_slow = boolean_parameter(request, "slow")
        lines = ladder_lines_out(ladder_lines(preset, is_slow=is_slow))
        body = {"preset": preset, "is_slow": is_slow, "lines": lines}
        return Response(rows_part(body, "lines", first_parameter(request)))
