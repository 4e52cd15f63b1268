"""What drf-spectacular cannot know by itself: how tokens are sent and how every error looks."""

from __future__ import annotations

import re
from typing import Any, Literal

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from arena.api.filters import TIME_CHARACTERS
from arena.api.permissions import SignedIn
from arena.api.problems import CONTENT_TYPE

Direction = Literal["request", "response"]
NO_NUL = r"^[^\u0000]*$"
"""Pattern of a text parameter."""


class FieldErrorOut(serializers.Serializer[Any]):
    """One wrong field."""

    field = serializers.CharField(help_text="Dotted path; empty for the whole body.")
    code = serializers.CharField()
    detail = serializers.CharField()


class Problem(serializers.Serializer[Any]):
    """An error (RFC 9457). ``code`` is stable; further members depend on it, such as allowed_now."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField()
    errors = FieldErrorOut(many=True, required=False)  # type: ignore[assignment]


class Schema(AutoSchema):
    """The usual schema, and a problem for every answer that is not among the listed ones."""

    def get_auth(self) -> list[dict[str, Any]]:
        """Tokens and sessions; where the permissions let everybody read, nothing is needed for it."""
        schemes: list[dict[str, Any]] = super().get_auth()
        needs_account = any(isinstance(p, SignedIn) for p in self.view.get_permissions())
        if self.method == "GET" and not needs_account:
            schemes.append({})
        return schemes

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        answer = OpenApiResponse(Problem, description="Any error: problem details with a stable code.")
        bodies["default"] = self._get_response_for_code(answer, "default", media_types=[CONTENT_TYPE])
        return bodies


def bounds_stated(result: Any, generator: Any, request: Any, public: bool) -> Any:
    """Say of every parameter how long it may be: what its pattern or the number of its choices implies; and
    of a text that it has no NUL in it, which PostgreSQL cannot look for.

    A hook of drf-spectacular. The views hold to it: converters of addresses, ``filters.most_values``.
    """
    for operations in result["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                described = parameter["schema"]
                if "enum" in described.get("items", {}):
                    described["maxItems"] = len(described["items"]["enum"])
                elif described.get("format") == "date-time":
                    described["maxLength"] = TIME_CHARACTERS
                elif "pattern" in described and "maxLength" not in described:
                    described["maxLength"] = _longest(described["pattern"])
                elif (
                    described.get("type") == "string" and not {"pattern", "enum", "format"} & described.keys()
                ):
                    described["pattern"] = NO_NUL
    return result


def _longest(pattern: str) -> int:
    """Characters of the longest text of a pattern made of sets, each once or with a bound."""
    parts = re.findall(r"\[[^]]+\](?:{\d+,(\d+)})?", pattern)
    assert parts, pattern
    return sum(int(most or 1) for most in parts)


class TokenScheme(OpenApiAuthenticationExtension):
    """Bearer tokens."""

    target_class = "arena.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """The security scheme object."""
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "rensho_...",
            "description": "Made by POST /api/v1/tokens or manage.py user_create --token.",
        }
