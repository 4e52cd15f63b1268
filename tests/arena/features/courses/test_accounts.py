"""Accounts from CSV files: all errors at once, all or none, links that work once."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from arena.accounts.bulk import MAX_LIST_BYTES, MAX_ROWS, ListInvalid, list_read, unused_accounts
from arena.accounts.links import link_find
from arena.accounts.models import AuditEvent, OneTimeLink, User
from arena.accounts.sign_up import password_change
from arena.common.errors import ArenaError
from arena.competition.models import Course, CourseMember
from arena.features.courses.account_lists import (
    AppliedList,
    links_csv,
    links_renew,
    list_apply,
    list_check,
    unused_of,
)
from arena.features.courses.models import CourseAccount, CourseInvitation
from arena.features.courses.services import course_update, member_remove
from arena.features.mail.models import OutgoingMail
from arena.operations.account_deletion import account_delete
from tests.arena.features.courses.rooms import a_course, member
from tests.factories import aya, ben, odo, rin, sota
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def course() -> Course:
    """Odo's, which may create three accounts; Aya is a member."""
    made = a_course(odo(), aya())
    course_update(made, sota(), new_accounts_limit=3)
    return made


def findings(data: bytes) -> list[tuple[int, str]]:
    error = refusal(ListInvalid, list_read, data)
    assert error.code == "invalid_account_list"
    return [(finding.line, finding.column) for finding in error.findings]


def applied(course: Course, text: str) -> AppliedList:
    return list_apply(list_check(course, text.encode(), odo()), odo())


@pytest.mark.parametrize(
    "data",
    [
        b"name,email\r\nkita,kita@example.org\r\nmoro,\r\n",
        b"\xef\xbb\xbfname;email\nkita;kita@example.org\nmoro;\n",
        b"No.\tE-Mail\tUsername\n1\tkita@example.org\tkita\n\n2\t\tmoro",
        b'name,email\n"kita",kita@example.org\nmoro\n',
    ],
)
def test_lists_of_all_dialects_are_read(data: bytes) -> None:
    read = list_read(data)
    assert [(row.username, row.email) for row in read.rows] == [("kita", "kita@example.org"), ("moro", "")]
    assert read.ignored == (["No."] if b"No." in data else [])


def test_all_errors_of_a_list_are_reported_at_once() -> None:
    lines = [
        "name,email",
        "kita,kita@example.org",
        "K1ta,other@example.org",
        ",nobody@example.org",
        "a b,not-an-address",
        "admin,",
        "moro,KITA@example.org",
        "yoru,a@example.org,x",
        "=1+1,",
    ]
    assert findings("\n".join(lines).encode()) == [
        (3, "name"),
        (4, "name"),
        (5, "email"),
        (5, "name"),
        (6, "name"),
        (7, "email"),
        (8, ""),
        (9, "name"),
    ]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"", 0),
        (b"name,email\n", 0),
        (b"kita\nmoro\n", 1),
        (b"name,name\nkita,x\n", 1),
        (b"name\nkita\nm\xf6ro\n", 3),
        ("name\nkita".encode("utf-16"), 0),
        (b"name\nki\0ta\n", 2),
        (b'name\n"kita\nmoro\n', 2),
        (b"name\n" + b"x" * MAX_LIST_BYTES, 0),
        (b"name\n" + b"".join(b"n%d\n" % number for number in range(MAX_ROWS + 1)), 0),
    ],
)
def test_a_file_that_is_no_list_gets_one_line(data: bytes, line: int) -> None:
    assert findings(data) == [(line, "")]


def test_a_list_creates_members_and_invites_existing_accounts(course: Course) -> None:
    ben()
    done = applied(course, "name,email\nkita,kita@example.org\nBen,\naya,\nmoro,\n")
    assert ([link.user.username for link in done.links], done.invited, done.members) == (
        ["kita", "moro"],
        1,
        1,
    )
    kita = User.objects.get(username="kita")
    assert (kita.email, kita.has_usable_password(), kita.is_organiser) == ("kita@example.org", False, False)
    assert member(course, kita).is_owner is False
    assert CourseInvitation.objects.get(user=ben()).created_by == odo()
    assert not CourseMember.objects.filter(user=ben()).exists()
    secret = done.links[0].path.rpartition("/")[2]
    assert not OneTimeLink.objects.filter(token_hash=secret).exists()
    password_change(kita, "a long enough pass phrase", link=link_find("reset", secret))
    assert refusal(ArenaError, link_find, "reset", secret).code == "link_not_found"
    assert AuditEvent.objects.filter(action="create", object_id=kita.public_id).count() == 1


def test_a_repeated_list_changes_nothing(course: Course) -> None:
    ben()
    text = "name\nkita\nben\n"
    applied(course, text)
    again = applied(course, text)
    assert (again.links, again.invited, again.members) == ([], 0, 2)
    assert User.objects.filter(username="kita").count() == 1


def test_a_list_is_confirmed_once_and_by_the_account_that_uploaded_it(course: Course) -> None:
    checked = list_check(course, b"name\nkita\n", odo())
    list_apply(checked, odo())
    assert refusal(ArenaError, list_apply, checked, odo()).code == "list_not_found"


def test_nothing_is_half_done(course: Course) -> None:
    """A name that was taken after the check refuses the whole list."""
    checked = list_check(course, b"name\nmoro\nkita\n", odo())
    User.objects.create(username="k1ta", name_key="klta")
    before = User.objects.count()
    assert refusal(ListInvalid, list_apply, checked, odo()).findings[0].line == 3
    assert User.objects.count() == before
    assert CourseAccount.objects.count() == 0
    assert OneTimeLink.objects.count() == 0


def test_owners_create_as_many_accounts_as_staff_allow(course: Course) -> None:
    applied(course, "name\nkita\nmoro\n")
    refused = refusal(ListInvalid, list_check, course, b"name\nyoru\nsora\n", odo())
    assert [finding.line for finding in refused.findings] == [0]
    list_check(course, b"name\nyoru\n", odo())
    list_check(course, b"name\nyoru\nsora\n", sota())
    for stranger in (aya(), rin()):
        assert refusal(ArenaError, list_check, course, b"name\nben\n", stranger).code == "not_course_owner"


def test_new_links_are_for_unused_accounts_of_the_course_alone(course: Course) -> None:
    first = applied(course, "name\nkita\nmoro\n").links
    kita = first[0].user
    renewed = links_renew(course, odo())
    assert [link.user.username for link in renewed] == ["kita", "moro"]
    assert refusal(ArenaError, link_find, "reset", first[0].path.rpartition("/")[2]).code == "link_not_found"
    link = link_find("reset", renewed[0].path.rpartition("/")[2])
    password_change(kita, "a long enough pass phrase", link=link)
    assert [user.username for user in unused_of(course)] == ["moro"], "an owner never resets a password"
    member_remove(member(course, User.objects.get(username="moro")), odo())
    assert refusal(ArenaError, links_renew, course, odo()).code == "no_unused_accounts"
    assert refusal(ArenaError, links_renew, course, aya()).code == "not_course_owner"


def test_an_account_that_signed_in_counts_as_used(course: Course) -> None:
    kita = applied(course, "name\nkita\n").links[0].user
    Client().force_login(kita)
    assert not unused_accounts(User.objects.filter(pk=kita.pk)).exists()


def test_links_are_no_formulas(course: Course) -> None:
    links = applied(course, 'name,email\nkita,"=cmd@example.org"\n').links
    rows = list(csv.reader(io.StringIO(links_csv(links, "https://rensho.example").decode("utf-8-sig"))))
    assert rows[1][:2] == ["kita", "'=cmd@example.org"]
    assert rows[1][2].startswith("https://rensho.example/reset/")


def test_a_created_account_can_be_deleted(course: Course) -> None:
    kita = applied(course, "name\nkita\n").links[0].user
    account_delete(kita)
    assert not CourseAccount.objects.exists()
    refused = refusal(ListInvalid, list_check, course, b"name\nkita\n", odo())
    assert refused.findings[0].column == "name", "names of deleted accounts are never given again"


def upload(client: Client, course: Course, data: bytes) -> object:
    return client.post(f"{course.page}/accounts", {"file": SimpleUploadedFile("list.csv", data)})


def test_the_pages_from_the_file_to_the_links(course: Course, client: Client, settings: object) -> None:
    settings.EMAIL_FROM = "rensho@example.org"  # type: ignore[attr-defined]
    client.force_login(odo())
    refused = upload(client, course, b"name\na b\n\xff")
    assert refused.status_code == 400  # type: ignore[attr-defined]
    sent = upload(client, course, b"name,email\nkita,kita@example.org\nmoro,\n")
    page = sent["Location"]  # type: ignore[index]
    assert "kita@example.org" in client.get(page).content.decode()
    answer = client.post(page, {"by_mail": "on"})
    text = answer.content.decode("utf-8-sig")
    assert answer["Content-Type"].startswith("text/csv")
    assert "no-store" in answer["Cache-Control"]
    assert ("moro" in text, "kita" in text) == (True, False)
    [waiting] = OutgoingMail.objects.all()
    assert (waiting.kind, waiting.address, waiting.parameters["course"]) == (
        "welcome",
        "kita@example.org",
        course.name,
    )
    assert client.post(page).status_code == 404, "only once"


def test_the_command_creates_accounts_by_the_same_service(
    course: Course, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "list.csv"
    file.write_text("name,email\nkita,\nben,\n")
    ben()
    call_command("users_create", str(file), "--check")
    assert not User.objects.filter(username="kita").exists()
    call_command("users_create", str(file))
    assert "/reset/" in capsys.readouterr().out
    assert User.objects.filter(username="kita").exists()
    call_command("users_create", str(file), "--course", course.public_id)
    assert set(CourseInvitation.objects.exclude(user=None).values_list("user__username", flat=True)) == {
        "kita",
        "ben",
    }
    file.write_text("name\na b\n-x\n")
    with pytest.raises(CommandError, match="2 errors"):
        call_command("users_create", str(file))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("users_create", str(tmp_path / "none"))


@pytest.mark.parametrize("count", [3, 300])
def test_queries_of_a_list_do_not_grow_with_its_rows(
    count: int, django_assert_max_num_queries: object
) -> None:
    course = a_course(odo())
    text = "name\n" + "".join(f"student-{number:03}\n" for number in range(count))
    with django_assert_max_num_queries(55):  # type: ignore[operator]
        done = list_apply(list_check(course, text.encode(), sota()), sota())
    assert len(done.links) == count
