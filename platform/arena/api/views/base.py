"""What the views share: limits on requests, parameters nobody knows, keys against doing a thing twice, verbs
tried out without doing them, and refusals that say what would be allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.generics import ListAPIView
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from arena.accounts.idempotency_keys import key_release
from arena.accounts.models import ApiToken, IdempotencyKey, User
from arena.accounts.selectors import Viewer
from arena.api import idempotency
from arena.api.caching import caches_told, etag_of_bytes, require_unconditional, unless_known
from arena.api.filters import flag_of, parameters_check
from arena.api.parsers import JsonBody
from arena.api.parts import first_of
from arena.api.permissions import SignedIn
from arena.api.serializers.base import Body, Nothing
from arena.api.throttles import Limit, limits_for, rate_headers
from arena.common.credentials import Credential
from arena.common.errors import Conflict, Invalid, NotFound
from arena.competition.admission import NoRoom
from arena.competition.models import Entry, Tournament
from arena.competition.permissions import entry_verbs_now, verbs_now

DRY_RUN = OpenApiParameter(
    "dry_run", bool, description="true: check everything, answer what would happen, change nothing."
)


class View(APIView):
    """An end point. ``write_scope`` is what a token needs to change something here.

    Before a method runs, in this order: who asks (401), scope (403), limits (429), parameters (400), what
    ``admit`` refuses without reading the body, and the Idempotency-Key (409, 422, or the first answer).
    """

    write_scope: ClassVar[str | None] = None
    parser_classes: Any = (JsonBody,)
    read_rate: ClassVar[str | None] = None
    """A name in ``settings.API_RATES`` that reading here counts for, besides the caller's own."""
    write_rate: ClassVar[str | None] = None
    """The same for writing."""
    parameters: ClassVar[tuple[str, ...]] = ()
    """Query parameters of GET; whoever sends another one is told, instead of not being heard."""
    write_parameters: ClassVar[tuple[str, ...]] = ()
    """Query parameters of the other methods."""
    may_be_sealed: ClassVar[bool] = False
    """Whether an answer may be 423 while the round is being played."""
    has_etag: ClassVar[bool] = True
    """Whether what GET answers is compared with If-None-Match; a stream is not."""
    is_same_for_all: ClassVar[bool] = False
    """Whether everybody gets the same answer: then a token needs no scope to read it."""
    answers_a_secret: ClassVar[bool] = False
    """Whether POST shows something that is never kept: then it takes no Idempotency-Key."""

    claimed: IdempotencyKey | None = None
    limits: Sequence[Limit] = ()

    @property
    def user(self) -> User:
        """The account behind the request; only where the permissions require one."""
        user = self.request.user
        assert isinstance(user, User)
        return user

    def answer(
        self, shape: type[BaseSerializer[Any]], thing: Any, status: int = 200, **kwargs: Any
    ) -> Response:
        """The thing in this shape, as this asker may see it."""
        return Response(shape(thing, context={"request": self.request}, **kwargs).data, status=status)

    def made(
        self, shape: type[BaseSerializer[Any]], thing: Any, name: str, *ids: str, status: int = 201
    ) -> Response:
        """What is new or under way in this shape, with its address: that of the end point ``name``."""
        answer = self.answer(shape, thing, status)
        answer["Location"] = reverse(name, args=ids, request=self.request)
        return answer

    @property
    def is_dry_run(self) -> bool:
        """Whether the caller only wants to know what would happen."""
        return flag_of(self.request, "dry_run")

    def rehearsal(
        self, shape: type[BaseSerializer[Any]], thing: Any, status: int = 200, **kwargs: Any
    ) -> Response:
        """What would be answered, marked as something that did not happen."""
        answer = self.answer(shape, thing, status, **kwargs)
        answer["Dry-Run"] = "true"
        return answer

    def tagged(
        self,
        shape: type[BaseSerializer[Any]],
        thing: Any,
        part: Callable[[Any, int], Any] | None = None,
        **kwargs: Any,
    ) -> Response:
        """The thing in this shape, or what ``part`` makes of it: that which begins with the row asked for."""
        answer = self.answer(shape, thing, **kwargs)
        if part is not None:
            answer.data = part(answer.data, first_of(self.request))
        return answer

    def get_throttles(self) -> list[Any]:
        """The caller's own limit, and that of the end point."""
        self.limits = limits_for(self.request, self.read_rate, self.write_rate)
        return self.limits

    def perform_authentication(self, request: Request) -> None:
        """Find out who asks. Bad tokens and sessions count for their address."""
        text = request.META.get("HTTP_AUTHORIZATION") or request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if not text:
            super().perform_authentication(request)
            return
        credential = Credential(request, text)
        if wait_s := credential.wait_s():
            raise Throttled(wait_s)
        try:
            super().perform_authentication(request)
        except AuthenticationFailed:
            credential.was_bad()
            raise
        if isinstance(request.user, User):
            credential.was_good()
        else:
            credential.was_bad()

    def permission_denied(
        self, request: Request, message: str | None = None, code: str | None = None
    ) -> NoReturn:
        """Refuse; that counts for the limits like any other answer."""
        self.check_throttles(request)
        super().permission_denied(request, message, code)

    def known_parameters(self) -> tuple[str, ...]:
        """Query parameters of this request's method."""
        return self.parameters if self.request.method in ("GET", "HEAD") else self.write_parameters

    def admit(self, request: Request, **kwargs: Any) -> None:
        """Refuse a POST by what is known before its body is read."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """All that comes before the method. What is no method here is said first, to anybody."""
        if not hasattr(self, (request.method or "").lower()) or request.method not in self.allowed_methods:
            self.http_method_not_allowed(request, *args, **kwargs)
        super().initial(request, *args, **kwargs)
        parameters_check(request, self.known_parameters())
        if request.method not in SAFE_METHODS:
            require_unconditional(request)
        if request.method == "POST":
            self.admit(request, **kwargs)
            if (key := idempotency.key_of(request)) is not None:
                self._claim(request, key)

    def _claim(self, request: Request, key: str) -> None:
        if self.answers_a_secret:
            raise Invalid(
                "What this answers is shown once and kept nowhere, so no answer can be given again: leave "
                f"{idempotency.HEADER} out. If an answer was lost, list what there is and remove it.",
                "idempotency_key_refused",
                field=idempotency.HEADER,
            )
        if isinstance(request.user, User):
            self.claimed = idempotency.claim(request, request.user, key)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """Nothing but the header ``Allow``, which every answer has: the methods of the address."""
        return Response(status=204)

    def handle_exception(self, exc: Exception) -> Response:
        """A problem; or, where the same request was answered before, that answer."""
        if isinstance(exc, idempotency.AnsweredBefore):
            try:
                return exc.answer()  # type: ignore[return-value]
            except Exception as error:
                return super().handle_exception(error)
        return super().handle_exception(exc)

    def finalize_response(  # type: ignore[override]
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """The answer with the headers that all have: what is left of the limits, and an ETag of what was
        read, or 304 to those who have just that."""
        answer: HttpResponseBase = super().finalize_response(request, response, *args, **kwargs)
        is_read = request.method in SAFE_METHODS and answer.status_code == 200
        if is_read and isinstance(answer, Response) and not answer.has_header("ETag"):
            etag = etag_of_bytes(answer.render().content)
            answer = unless_known(request, etag, lambda: response)
        if is_read and not answer.has_header("Cache-Control"):
            # What is sent as it is made, such as an export, has no ETag, but is no less somebody's own.
            caches_told(request, answer)
        if self.answers_a_secret and request.method == "POST":
            answer["Cache-Control"] = "no-store"
        for name, value in rate_headers(self.limits).items():
            answer[name] = value
        return answer

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Answer, and keep the answer if the request has a key."""
        try:
            answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)
            if self.claimed is not None:
                idempotency.keep(self.claimed, answer)
        except BaseException:
            if self.claimed is not None:
                key_release(self.claimed)
            raise
        return answer  # type: ignore[return-value]


class AccountView(View):
    """An end point for those with an account alone, reading included. A token needs ``bots`` to change things
    there, unless the view names another scope.
    """

    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.BOTS


class Listing(View, ListAPIView[Any]):
    """A paged list; ``rows`` gives the query."""

    model: ClassVar[type[Model] | None] = None
    """Of the rows, where the serializer does not say."""
    parameters = ("cursor", "page_size")

    def rows(self) -> QuerySet[Any]:
        """All rows the asker may see."""
        raise NotImplementedError

    def known_parameters(self) -> tuple[str, ...]:
        """The filters, too."""
        known = super().known_parameters()
        filters = getattr(self, "filterset_class", None)
        if filters is None or self.request.method not in ("GET", "HEAD"):
            return known
        return (*filters.base_filters, *known)

    def get_queryset(self) -> QuerySet[Any]:
        """``rows``, or nothing while the schema is drawn up without a request."""
        if getattr(self, "swagger_fake_view", False):
            serializer: Any = self.serializer_class
            return QuerySet(self.model or serializer.Meta.model).none()
        return self.rows()


class Verb(AccountView):
    """A verb. ``post`` is that of its kind of thing; the docstring of each verb describes the operation."""

    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)
    body: ClassVar[type[Body]] = Nothing
    """What has to be said; its fields are arguments of the service."""
    service: ClassVar[Callable[..., object]]
    """What is done, given the thing and who asks."""


@contextmanager
def telling_whats_allowed(
    tournament: Tournament, viewer: Viewer, entry: Entry | None = None
) -> Iterator[None]:
    """Let a Conflict that leaves this block also say where the tournament stands and what it allows now.

    With an ``entry`` it is told what can be done with that; ``allowed_now`` are the tournament's verbs still.
    """
    try:
        yield
    except Conflict as conflict:
        tournament.refresh_from_db()
        conflict.extra.setdefault("state", tournament.state)
        has_room = not isinstance(conflict, NoRoom)
        conflict.extra["allowed_now"] = verbs_now(tournament, viewer, has_room=has_room)
        if entry is not None:
            entry.refresh_from_db()
            conflict.extra["entry_status"] = entry.status
            conflict.extra["entry_allowed_now"] = entry_verbs_now(entry, viewer)
        raise


@contextmanager
def rehearsed(is_dry_run: bool) -> Iterator[None]:
    """Do what is in the block, or with ``is_dry_run`` see what would come of it and take it all back.

    The services run as they always do, so what they refuse is refused here too. What is done once a change
    stands (messages to workers, webhooks) waits for the commit that never comes.
    """
    if not is_dry_run:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


class AnyType(BaseContentNegotiation):
    """For end points with one representation: whatever the caller accepts, that is what there is."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """The parser of the request's content type."""
        return next((p for p in parsers if p.media_type == request.content_type), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        """The only renderer."""
        return renderers[0], renderers[0].media_type


@extend_schema(exclude=True)
class NoSuchAddress(View):
    """Everything under the API that is no end point, so that even this is a problem+json."""

    permission_classes = ()

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Any method."""
        self.http_method_not_allowed = self.missing  # type: ignore[method-assign]
        return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Nothing is looked at here but the limits."""
        self.perform_authentication(request)
        self.check_throttles(request)

    def missing(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Raises NotFound."""
        raise NotFound(f"There is no {request.path}; /docs/reference lists what there is.", "no_such_address")
