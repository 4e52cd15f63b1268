"""Accounts from a CSV file with names and e-mail addresses, checked completely before anything changes."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from arena.accounts.handles import handle_problem, name_key
from arena.accounts.house import is_house_account
from arena.accounts.models import AuditEvent, User
from arena.accounts.sign_up import EMAIL_CHARACTERS, deleted_name_key
from arena.common.errors import Conflict, Invalid, quoted

MAX_LIST_BYTES = 1 << 20
MAX_ROWS = 2000
MAX_FINDINGS = 50
"""Maximum findings that are reported; ``ListInvalid.count`` has their number."""
NAME_COLUMNS = ("name", "username", "handle", "login", "user")
EMAIL_COLUMNS = ("email", "e-mail", "mail")
SEPARATORS = ",;\t"
SAVE_AS_UTF8 = "Save the file as CSV in UTF-8."


class AccountRow(NamedTuple):
    line: int
    """Line of the file, from 1."""
    username: str
    email: str


class AccountList(NamedTuple):
    rows: list[AccountRow]
    ignored: list[str]
    """Titles of columns that are not used."""


class Finding(NamedTuple):
    """A reason why a list is refused."""

    line: int
    """0 for the whole file."""
    column: str
    reason: str

    def __str__(self) -> str:
        location = f"line {self.line}" if self.line else "the file"
        return f"{location}{f', {self.column}' if self.column else ''}: {self.reason}"


class ListInvalid(Invalid):
    """``findings`` has all errors of the list, at most ``MAX_FINDINGS``; nothing was changed."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.count = len(findings)
        self.findings = list(findings[:MAX_FINDINGS])
        message = f"The list has {self.count} error{'s' * (self.count != 1)}: {self.findings[0]}"
        super().__init__(message, "invalid_account_list", findings=[str(each) for each in self.findings])


class PlannedAccounts(NamedTuple):
    new: list[AccountRow]
    existing: list[User]
    """Accounts that the list names, which it does not change."""


def list_read(data: bytes) -> AccountList:
    """Return the rows of a CSV file with a header, in UTF-8, separated by comma, semicolon or tab.

    Raises ListInvalid with all errors: encoding, size, header, quotes, invalid or repeated names and
    addresses.
    """
    lines = _lines(_text_of(data))
    if not lines:
        raise ListInvalid([Finding(0, "", "it is empty. The first line names the columns: name,email")])
    header = [title.strip().casefold() for title in lines[0][1]]
    names = [position for position, title in enumerate(header) if title in NAME_COLUMNS]
    emails = [position for position, title in enumerate(header) if title in EMAIL_COLUMNS]
    if len(names) != 1 or len(emails) > 1:
        raise ListInvalid(
            [
                Finding(
                    lines[0][0],
                    "",
                    "the first line must name exactly one column name, and at most one column email; it has "
                    f"{quoted(', '.join(lines[0][1])[:80])}",
                )
            ]
        )
    if len(lines) - 1 > MAX_ROWS:
        raise ListInvalid(
            [Finding(0, "", f"it has {len(lines) - 1:,} rows, and at most {MAX_ROWS:,} are allowed")]
        )
    used = {*names, *emails}
    ignored = [title.strip() for position, title in enumerate(lines[0][1]) if position not in used]
    rows, findings = [], []
    for number, cells in lines[1:]:
        if len(cells) > len(header):
            reason = f"it has {len(cells)} cells, but the header has {len(header)}"
            findings.append(Finding(number, "", reason))
            continue
        cells = [*cells, *[""] * (len(header) - len(cells))]
        email = cells[emails[0]].strip() if emails else ""
        rows.append(AccountRow(number, cells[names[0]].strip(), email))
    findings += _row_findings(rows)
    if not rows and not findings:
        findings = [Finding(0, "", "it has no rows below the header")]
    if findings:
        raise ListInvalid(sorted(findings))
    return AccountList(rows, ignored)


def accounts_plan(rows: Sequence[AccountRow]) -> PlannedAccounts:
    """Compare rows with the accounts of the site. Two queries. Raises ListInvalid.

    An account is named by its username, in any case. Names that look like another account's are refused.
    """
    rows_by_name = {row.username.lower(): row for row in rows}
    accounts = User.objects.annotate(lower=Lower("username")).filter(lower__in=rows_by_name)
    existing = {user.username.lower(): user for user in accounts}
    new = [row for row in rows if row.username.lower() not in existing]
    keys = {key: row for row in new for key in (name_key(row.username), deleted_name_key(row.username))}
    taken = dict(User.objects.filter(name_key__in=keys).values_list("name_key", "username"))
    findings = [
        Finding(
            row.line,
            "name",
            f"{quoted(row.username)} is taken or looks too much like the name of another account",
        )
        for key, row in keys.items()
        if key in taken
    ]
    findings += [
        Finding(rows_by_name[name].line, "name", f"the account {quoted(user.username)} is closed")
        for name, user in existing.items()
        if not user.is_active or is_house_account(user.username)
    ]
    if findings:
        raise ListInvalid(sorted(findings))
    return PlannedAccounts(new, list(existing.values()))


def accounts_create(rows: Sequence[AccountRow], actor: User | None, **details: str) -> list[User]:
    """Create accounts without passwords, all or none. Five queries. ``details`` are for the audit trail.

    Raises Conflict ``username_taken`` if one was created meanwhile.
    """
    users = []
    for row in rows:
        user = User(
            username=row.username,
            name_key=name_key(row.username),
            email=User.objects.normalize_email(row.email),
        )
        user.set_unusable_password()
        users.append(user)
    try:
        with transaction.atomic():
            created = User.objects.bulk_create(users)
    except IntegrityError:
        raise Conflict(
            "One of these names was taken a moment ago. Upload the list again.", "username_taken"
        ) from None
    AuditEvent.objects.bulk_create(
        AuditEvent(
            actor=actor,
            action="create",
            kind="user",
            object_id=user.public_id,
            after={"username": user.username, **details},
        )
        for user in created
    )
    return created


def unused_accounts(among: QuerySet[User]) -> QuerySet[User]:
    """Filter to accounts that have no password and no passkey, and have never signed in."""
    unusable = Q(password__startswith="!")
    return among.filter(unusable, last_login=None, passkeys=None, is_active=True, deleted_at=None)


def _text_of(data: bytes) -> str:
    if len(data) > MAX_LIST_BYTES:
        reason = f"it has {len(data) >> 10:,} KiB, and at most {MAX_LIST_BYTES >> 10:,} KiB are allowed"
        raise ListInvalid([Finding(0, "", reason)])
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ListInvalid([Finding(0, "", f"it is in UTF-16. {SAVE_AS_UTF8}")])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        reason = f"byte {column} (0x{data[error.start]:02x}) is not UTF-8. {SAVE_AS_UTF8}"
        raise ListInvalid([Finding(line, "", reason)]) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ListInvalid([Finding(line, "", f"it contains a null character. {SAVE_AS_UTF8}")])
    return text


def _lines(text: str) -> list[tuple[int, list[str]]]:
    """Return the rows with their line numbers, without empty ones."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(SEPARATORS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    begins = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((begins, cells))
            begins = reader.line_num + 1
    except csv.Error as error:
        raise ListInvalid([Finding(begins, "", f"it is not valid CSV ({error})")]) from None
    return rows


def _row_findings(rows: Collection[AccountRow]) -> list[Finding]:
    findings = []
    names: dict[str, AccountRow] = {}
    addresses: dict[str, AccountRow] = {}
    for row in rows:
        if not row.username:
            findings.append(Finding(row.line, "name", "the name is missing"))
        elif problem := handle_problem(row.username):
            findings.append(Finding(row.line, "name", f"{quoted(row.username)}: {problem}"))
        elif (first := names.setdefault(name_key(row.username), row)) is not row:
            reason = f"{quoted(row.username)} equals or looks too much like the name in line {first.line}"
            findings.append(Finding(row.line, "name", reason))
        if not row.email:
            continue
        if not _is_email(row.email):
            findings.append(Finding(row.line, "email", f"{quoted(row.email)} is not an e-mail address"))
        elif (first := addresses.setdefault(row.email.casefold(), row)) is not row:
            findings.append(Finding(row.line, "email", f"the address is also in line {first.line}"))
    return findings


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= EMAIL_CHARACTERS
