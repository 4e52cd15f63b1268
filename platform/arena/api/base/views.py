"""Base classes of the views."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, get_args, get_type_hints

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from arena.accounts.models import ApiToken, User
from arena.api.base.auth import SignedIn, authenticate_counted
from arena.api.base.caching import ConditionalView, refuse_preconditions
from arena.api.base.filters import boolean_parameter, require_known_parameters
from arena.api.base.idempotency import IdempotentView
from arena.api.base.limits import LimitedView
from arena.api.base.parsers import JsonParser
from arena.api.base.serializers import EmptyBody, RequestBody
from arena.api.base.shapes import serializer_of
from arena.common.errors import NotFound

ShapeWriter = Callable[[Any, Request], Mapping[str, Any]]
"""Returns an object as the sender of the request may see it. Its return type is the shape."""


class ApiView(IdempotentView, LimitedView, ConditionalView):
    """An endpoint. ``write_scope`` is the token scope that changes need.

    Checked before a method runs, in this order: authentication (401), scope (403), rates (429), parameters
    (400), ``check_before_body``, and the Idempotency-Key (409, 422, or the stored response).
    """

    write_scope: ClassVar[str | None] = None
    parser_classes: Any = (JsonParser,)
    parameters: ClassVar[tuple[str, ...]] = ()
    """Query parameters of GET; others are rejected."""
    write_parameters: ClassVar[tuple[str, ...]] = ()
    """Query parameters of the other methods."""
    may_be_sealed: ClassVar[bool] = False
    """Whether the response may be 423 while the round is being played."""
    is_same_for_everyone: ClassVar[bool] = False
    """Whether the response does not depend on the caller; then tokens need no scope to read it."""

    @property
    def user(self) -> User:
        """The account behind the request, on endpoints that require one."""
        user = self.request.user
        assert isinstance(user, User)
        return user

    def respond(self, write: ShapeWriter, instance: Any, status: int = 200) -> Response:
        """Return an object as the caller may see it, with the header ``Dry-Run`` after a dry run."""
        headers = {"Dry-Run": "true"} if self.is_dry_run else None
        return Response(write(instance, self.request), status=status, headers=headers)

    def created(self, write: ShapeWriter, instance: Any, name: str, *ids: str, status: int = 201) -> Response:
        """Return a new object with its Location, the endpoint ``name``, unless this is a dry run."""
        answer = self.respond(write, instance, status)
        if not self.is_dry_run:
            answer["Location"] = reverse(name, args=ids, request=self.request)
        return answer

    @property
    def is_dry_run(self) -> bool:
        return boolean_parameter(self.request, "dry_run")

    def perform_authentication(self, request: Request) -> None:
        authenticate_counted(request, lambda: super(ApiView, self).perform_authentication(request))

    def known_parameters(self) -> tuple[str, ...]:
        return self.parameters if self.request.method in ("GET", "HEAD") else self.write_parameters

    def check_before_body(self, request: Request, **kwargs: Any) -> None:
        """Refuse a POST by what is known before its body is read."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the request. An unsupported method gets 405 before authentication."""
        if not hasattr(self, (request.method or "").lower()) or request.method not in self.allowed_methods:
            self.http_method_not_allowed(request, *args, **kwargs)
        super().initial(request, *args, **kwargs)
        require_known_parameters(request, self.known_parameters())
        if request.method not in SAFE_METHODS:
            refuse_preconditions(request)
        if request.method == "POST":
            self.check_before_body(request, **kwargs)
            self.claim_key(request)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """Return an empty response, whose header ``Allow`` lists the methods."""
        return Response(status=204)


class AccountView(ApiView):
    """An endpoint that requires an account, for reading too. Changes need the scope ``bots``, unless the
    view names another.
    """

    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.BOTS


class ListView(ApiView, ListAPIView[Any]):
    """A paginated list. Subclasses define ``rows``."""

    write: ClassVar[Any]  # not declared as a ShapeWriter: mypy would treat it as a method
    """A ``ShapeWriter`` of rows."""
    parameters = ("cursor", "page_size")

    def rows(self) -> QuerySet[Any]:
        """Return all rows that the caller may see."""
        raise NotImplementedError

    def known_parameters(self) -> tuple[str, ...]:
        known = super().known_parameters()
        filters = getattr(self, "filterset_class", None)
        if filters is None or self.request.method not in ("GET", "HEAD"):
            return known
        return (*filters.base_filters, *known)

    def get_queryset(self) -> QuerySet[Any]:
        """Return ``rows``, or nothing while the schema is generated without a request."""
        if getattr(self, "swagger_fake_view", False):
            row = next(iter(get_type_hints(self.write).values()))
            return QuerySet((get_args(row) or (row,))[0]).none()
        return self.rows()

    def get_serializer_class(self) -> Any:
        """Return the serializer of the rows, used only for the schema."""
        return serializer_of(get_type_hints(self.write)["return"])

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response([self.write(row, request) for row in page or ()])


class ActionView(AccountView):
    """An action on an object. Subclasses define ``post``; their docstrings describe the operation."""

    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)
    body: ClassVar[type[RequestBody]] = EmptyBody
    """Its fields are arguments of the service."""
    service: ClassVar[Callable[..., object]]
    """Called with the object, the caller and the fields of the body."""


class AnyContentType(BaseContentNegotiation):
    """Content negotiation of endpoints with one representation, which ignores Accept."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return next((p for p in parsers if p.media_type == request.content_type), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: Any = None) -> Any:
        return renderers[0], renderers[0].media_type


@extend_schema(exclude=True)
class UnknownAddressView(ApiView):
    """Answers unknown URLs below the API with a problem."""

    permission_classes = ()

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        self.http_method_not_allowed = self.raise_not_found  # type: ignore[method-assign]
        return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check authentication and rates only."""
        self.perform_authentication(request)
        self.check_throttles(request)

    def raise_not_found(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        raise NotFound(
            f"{request.path} does not exist; /docs/reference lists all endpoints.", "unknown_endpoint"
        )
