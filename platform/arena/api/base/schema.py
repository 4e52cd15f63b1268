"""Extensions of drf-spectacular: summaries, authentication, shared parameters and error responses."""

from __future__ import annotations

import inspect
import re
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from arena.api.base.auth import SignedIn
from arena.api.base.dry_runs import DRY_RUN
from arena.api.base.filters import MAX_TIME_CHARACTERS
from arena.api.base.idempotency import HEADER, MAX_KEY_CHARACTERS
from arena.api.base.parts import FIRST_PARAMETER
from arena.api.base.problems import CONTENT_TYPE
from arena.api.base.shapes import serializer_of
from arena.common.request_limits import MAX_HEADER_BYTES

Direction = Literal["request", "response"]
ERROR_RESPONSES = {
    "400": ("Invalid", "The request is malformed or has invalid values; errors names the fields."),
    "401": ("NotSignedIn", "The request needs an account, or the token is invalid."),
    "403": ("Forbidden", "The account or the token's scopes lack the permission."),
    "404": ("NotFound", "The object does not exist or is not visible to this account."),
    "409": ("Conflict", "The current state does not allow it; further members say what is allowed."),
    "423": ("Sealed", "The boards of the round are still being played."),
    "429": ("TooManyRequests", "A rate is exhausted; Retry-After says when to retry."),
    "default": ("OtherError", "Any other error: problem details with a stable code."),
}
"""Name in ``#/components/responses`` and description by status."""
RESPONSE_HEADERS = {
    "ETag": "Identifies this response, for If-None-Match.",
    "Location": "URL of the new object, or of its progress; missing in a dry run.",
    "RateLimit": 'Remaining requests of each applicable rate, and seconds until more: `"user";r=99;t=7`.',
    "RateLimit-Policy": 'Each applicable rate, as requests per seconds: `"user";q=1200;w=60`.',
    "Retry-After": "Seconds to wait.",
}
"""Descriptions of response headers: ``#/components/headers``.

Source: draft-ietf-httpapi-ratelimit-headers; RFC 9110.
"""
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    {"type": "string", "maxLength": MAX_HEADER_BYTES},
    OpenApiParameter.HEADER,
    description="ETags of stored responses; 304 if the response has one of them.",
)
IDEMPOTENCY_KEY = OpenApiParameter(
    HEADER,
    {"type": "string", "pattern": f"^[ -~]{{1,{MAX_KEY_CHARACTERS}}}$"},
    OpenApiParameter.HEADER,
    description="A key that you generate: the same request with the same key is processed once.",
)
SHARED_PARAMETERS = {parameter.name: parameter for parameter in (DRY_RUN, FIRST_PARAMETER)}
NO_NUL_PATTERN = r"^[^\u0000]*$"
"""Pattern of a text parameter, as PostgreSQL cannot search for NUL."""


class FieldErrorOut(TypedDict):
    """An error of one field."""

    field: Annotated[str, "Dotted path; empty for the whole body."]
    code: str
    detail: str


class Problem(TypedDict):
    """An error (RFC 9457). ``code`` is stable and determines further members, such as allowed_actions.
    ``type`` is the URL of its explanation on this site.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: NotRequired[list[FieldErrorOut]]
    request_id: NotRequired[Annotated[str, "Of errors of the server (5xx): the id to quote to the operator."]]


class ApiSchema(AutoSchema):
    """Schema of an operation, with summary and error responses.

    The first paragraph of a method's docstring is the summary, the rest the description. Actions and lists
    without a method of their own use the docstring of their class; lists also that of ``rows``.
    """

    def get_summary(self) -> str:
        return self._texts[0].rstrip(".")

    def get_description(self) -> str:  # type: ignore[override]
        return self._texts[1]

    @property
    def _texts(self) -> tuple[str, str]:
        view = type(self.view)
        name = self.method.lower()
        if name in vars(view):
            summary, _, description = (inspect.getdoc(vars(view)[name]) or "").partition("\n\n")
            return summary, description
        title, _, description = (inspect.getdoc(view) or "").partition("\n\n")
        if not hasattr(view, "rows"):
            return title, description
        about_rows = inspect.getdoc(view.rows) or ""
        return f"List {title[0].lower()}{title[1:]}", f"{about_rows}\n\n{description}".strip()

    def get_request_serializer(self) -> Any:
        return getattr(self.view, "body", None) or super().get_request_serializer()

    def get_operation_id(self) -> str:
        return re.sub(r"\W", "_", super().get_operation_id())

    def get_auth(self) -> list[dict[str, Any]]:
        """Return tokens and sessions as schemes; anonymous too if everyone may read, or call the endpoint."""
        schemes: list[dict[str, Any]] = super().get_auth()
        needs_account = any(isinstance(p, SignedIn) for p in self.view.get_permissions())
        if (self.method == "GET" or not self.view.permission_classes) and not needs_account:
            schemes.append({})
        return schemes

    def get_override_parameters(self) -> list[Any]:
        """Return request headers, and query parameters that are shared by many operations."""
        view: Any = self.view
        names = view.parameters if self.method == "GET" else view.write_parameters
        shared = [SHARED_PARAMETERS[name] for name in names if name in SHARED_PARAMETERS]
        if self.method == "GET" and view.has_etag:
            return [IF_NONE_MATCH, *shared]
        return [IDEMPOTENCY_KEY, *shared] if self.method == "POST" and not view.returns_secret else shared

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        self.resolve_serializer(serializer_of(Problem), direction)
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        view: Any = self.view
        has_etag = self.method == "GET" and view.has_etag
        if has_etag:
            bodies["304"] = {"description": "If-None-Match contains the ETag of this response."}
        for status, body in bodies.items():
            own = {"200": "ETag", "304": "ETag", "201": "Location", "202": "Location"}.get(status)
            body["headers"] = _header_references(own if own != "ETag" or has_etag else None)
        return bodies | {
            status: {"$ref": f"#/components/responses/{ERROR_RESPONSES[status][0]}"}
            for status in self._refusals()
        }

    def _refusals(self) -> list[str]:
        """Return the statuses of the operation's possible errors, and ``default``."""
        is_read = self.method == "GET"
        view: Any = self.view
        never = {
            "403": is_read and view.is_same_for_everyone,
            "404": is_read and "{" not in self.path,
            "409": is_read,
            "423": not view.may_be_sealed,
        }
        return [status for status in ERROR_RESPONSES if not never.get(status)]


def _header_references(own: str | None = None) -> dict[str, Any]:
    """Return references to the headers of every response, and to one more."""
    names = sorted(filter(None, ("RateLimit", "RateLimit-Policy", own)))
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def add_shared_components(result: Any, generator: Any, request: Any, public: bool) -> Any:
    """Add the error responses and headers that operations reference. A hook of drf-spectacular."""
    problem = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    result["components"]["headers"] = {
        name: {"description": meaning, "schema": {"type": "string"}}
        for name, meaning in RESPONSE_HEADERS.items()
    }
    result["components"]["responses"] = {
        name: {
            "description": meaning,
            "headers": _header_references("Retry-After" if status == "429" else None),
            "content": problem,
        }
        for status, (name, meaning) in ERROR_RESPONSES.items()
    }
    return result


def add_parameter_bounds(result: Any, generator: Any, request: Any, public: bool) -> Any:
    """Add the maximum length of every parameter, derived from its pattern or choices, and exclude NUL from
    texts.

    A hook of drf-spectacular. URL converters and ``filters.max_values`` enforce the bounds.
    """
    for operations in result["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                described = parameter["schema"]
                if "enum" in described.get("items", {}):
                    described["maxItems"] = len(described["items"]["enum"])
                elif described.get("format") == "date-time":
                    described["maxLength"] = MAX_TIME_CHARACTERS
                elif "pattern" in described and "maxLength" not in described:
                    described["maxLength"] = _max_length(described["pattern"])
                elif (
                    described.get("type") == "string"
                    and parameter["in"] != "header"
                    and not {"pattern", "enum", "format"} & described.keys()
                ):
                    described["pattern"] = NO_NUL_PATTERN
    return result


def name_nullable_enums(result: Any, generator: Any, request: Any, public: bool) -> Any:
    """Reference named enums in nullable lists. A hook of drf-spectacular.

    Its own hook ``postprocess_schema_enums`` covers other lists only.
    """
    schemas = result["components"]["schemas"]
    names = {tuple(schema["enum"]): name for name, schema in schemas.items() if "enum" in schema}
    for schema in schemas.values():
        for value in schema.get("properties", {}).values():
            name = names.get(tuple(value.get("items", {}).get("enum", ())))
            if name:
                value["items"] = {"$ref": f"#/components/schemas/{name}"}
    return result


def _max_length(pattern: str) -> int:
    """Return the length of the longest match of a pattern of characters and sets with bounded repetition.

    >>> _max_length("^[A-Za-z][a-z]{1,29}$"), _max_length("^[0-9]{4}-W[0-9]{2}$")
    (30, 8)
    """
    parts = re.findall(r"(?:\[[^]]+\]|[\w-])(?:{(?:\d+,)?(\d+)})?", pattern)
    assert parts, pattern
    return sum(int(most or 1) for most in parts)


class TokenScheme(OpenApiAuthenticationExtension):
    """Describes bearer tokens."""

    target_class = "arena.api.base.auth.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "rensho_...",
            "description": "Created by POST /api/v1/tokens or manage.py user_create --token.",
        }
