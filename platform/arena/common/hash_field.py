"""Hashes as 32 bytes in the database: half as long in rows and indexes as their hex digits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, Func

if TYPE_CHECKING:
    Field = models.Field[str, str]
else:
    Field = models.Field


class HashField(Field):
    """A SHA-256 in lowercase hex. Compare it in the database with ``HexOf``, as other columns are text."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "bytea" if connection.vendor == "postgresql" else "blob"

    def to_python(self, value: Any) -> str | None:
        return None if value is None else str(value)

    def from_db_value(self, value: Any, _: object, __: object) -> str | None:
        return None if value is None else bytes(value).hex()

    def get_prep_value(self, value: Any) -> bytes | None:
        """Return the bytes; a text that is no hash gets some that no hash has."""
        value = super().get_prep_value(value)
        if value is None or isinstance(value, bytes):
            return value
        try:
            return bytes.fromhex(value)
        except ValueError:
            return b"no hash"

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        value = super().get_db_prep_value(value, connection, prepared)
        return None if value is None else connection.Database.Binary(value)  # type: ignore[attr-defined]

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """Raises ValueError if it is no hash."""
        if isinstance(value, str):
            bytes.fromhex(value)
        return super().get_db_prep_save(value, connection)


class HexOf(Func):
    """The hex digits of a ``HashField``."""

    output_field = CharField()
    template = "LOWER(HEX(%(expressions)s))"

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="ENCODE(%(expressions)s, 'hex')", **context)
