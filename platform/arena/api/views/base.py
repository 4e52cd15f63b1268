"""What the views share."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Model, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from arena.accounts.models import User
from arena.common.errors import NotFound


class View(APIView):
    """An end point. ``write_scope`` is what a token needs to change something here."""

    write_scope: ClassVar[str | None] = None
    parser_classes: Any = (JSONParser,)

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


class Listing(View, ListAPIView[Any]):
    """A paged list; ``rows`` gives the query."""

    model: ClassVar[type[Model]]

    def rows(self) -> QuerySet[Any]:
        """All rows the asker may see."""
        raise NotImplementedError

    def get_queryset(self) -> QuerySet[Any]:
        """``rows``, or nothing while the schema is drawn up without a request."""
        if getattr(self, "swagger_fake_view", False):
            return self.model._default_manager.none()
        return self.rows()


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

    def missing(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Raises NotFound."""
        raise NotFound(f"There is no {request.path}; /api/v1/docs lists what there is.", "no_such_address")
