"""Who may open the pages of e-mail notices."""

from __future__ import annotations

from tests.arena.web import roles as pages

PAGES: list[pages.Page] = [
    ("GET", "/me/mail", pages.ACCOUNTS),
    ("POST", "/me/mail", pages.by(pages.SIGN_IN, 400)),
    ("POST", "/me/mail/confirm", pages.by(pages.SIGN_IN, 409)),
    ("GET", f"/me/mail/confirm/{pages.ONCE}", pages.by(pages.SIGN_IN, 404)),
    ("POST", f"/me/mail/confirm/{pages.ONCE}", pages.by(pages.SIGN_IN, 404)),
    ("GET", f"/mail/unsubscribe/{pages.ONCE}", pages.NONE),
    ("POST", f"/mail/unsubscribe/{pages.ONCE}", pages.NONE),
]
