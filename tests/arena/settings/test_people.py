"""Who may sign up, where the site is and how it sends mail, as an environment says it."""

from __future__ import annotations

import pytest

from arena.settings.people import contact_of, mail_of, sign_up_of, site_address_of
from tests.refusals import refusal

LOCAL = ["localhost", "127.0.0.1", "[::1]"]


def test_everybody_signs_up_on_a_laptop_and_the_invited_elsewhere() -> None:
    assert sign_up_of({}, LOCAL) == "open"
    assert sign_up_of({}, [*LOCAL, "rensho.example.org"]) == "invitation"
    assert sign_up_of({}, ["*"]) == "invitation"
    assert sign_up_of({"RENSHO_SIGN_UP": " Closed "}, LOCAL) == "closed"
    with pytest.raises(SystemExit, match="RENSHO_SIGN_UP='maybe'"):
        sign_up_of({"RENSHO_SIGN_UP": "maybe"}, LOCAL)


def test_the_address_is_that_of_the_setting_or_of_the_first_origin() -> None:
    assert site_address_of({}) == ""
    assert site_address_of({"RENSHO_ORIGINS": "https://*.x.org, https://a.org"}) == "https://a.org"
    both = {"RENSHO_ORIGINS": "https://a.org", "RENSHO_ADDRESS": "https://b.org:8443/"}
    assert site_address_of(both) == "https://b.org:8443"
    for wrong in ("b.org", "ftp://b.org", "https://b.org/path", "https://"):
        assert "RENSHO_ADDRESS" in str(refusal(SystemExit, site_address_of, {"RENSHO_ADDRESS": wrong}))


def test_the_operator_is_reached_by_mail_or_page() -> None:
    assert contact_of({}) == ""
    assert contact_of({"RENSHO_CONTACT": "op@example.org"}) == "mailto:op@example.org"
    assert contact_of({"RENSHO_CONTACT": "https://example.org/us"}) == "https://example.org/us"
    for wrong in ("javascript:alert(1)", "us", "https://", "javascript:alert(1)//a@b"):
        assert "RENSHO_CONTACT" in str(refusal(SystemExit, contact_of, {"RENSHO_CONTACT": wrong}))


def test_mail_needs_server_and_sender() -> None:
    assert mail_of({})["EMAIL_FROM"] == ""
    sender = {"RENSHO_EMAIL_FROM": "r@example.org"}
    mail = mail_of({**sender, "RENSHO_EMAIL_URL": "smtp://me:p%40ss@mail.example.org"})
    assert (mail["EMAIL_HOST"], mail["EMAIL_PORT"], mail["EMAIL_USE_TLS"], mail["EMAIL_USE_SSL"]) == (
        *("mail.example.org", 587),
        *(True, False),
    )
    assert (mail["EMAIL_HOST_USER"], mail["EMAIL_HOST_PASSWORD"]) == ("me", "p@ss")
    secure = mail_of({**sender, "RENSHO_EMAIL_URL": "smtps://mail.example.org:4650"})
    assert (secure["EMAIL_PORT"], secure["EMAIL_USE_TLS"], secure["EMAIL_USE_SSL"]) == (4650, False, True)


@pytest.mark.parametrize("sender", ["r@", "a@x.org, b@x.org", "r@x.org\nBcc: b@x.org", "<r@x.org", "ä@x.org"])
def test_the_sender_is_one_address(sender: str) -> None:
    mail = {"RENSHO_EMAIL_URL": "smtp://mail.example.org"}
    assert mail_of({**mail, "RENSHO_EMAIL_FROM": "Rensho 連勝 <r@x.org>"})["EMAIL_FROM"]
    error = refusal(SystemExit, mail_of, {**mail, "RENSHO_EMAIL_FROM": sender})
    assert "RENSHO_EMAIL_FROM" in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "url",
    [
        *("", "mail.example.org", "http://secret-word@x", "smtp://", "smtp://h:port"),
        *("smtp://me@x", "smtp://:secret-word@x", "smtp://me:secret-w%C3%B6rd@x"),
    ],
)
def test_what_is_wrong_with_mail_is_said_without_the_password(url: str) -> None:
    error = refusal(SystemExit, mail_of, {"RENSHO_EMAIL_FROM": "r@example.org", "RENSHO_EMAIL_URL": url})
    assert "RENSHO_EMAIL_URL" in str(error)
    assert "secret-w" not in str(error)
