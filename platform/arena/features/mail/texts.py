"""Text and headers of mails, in the language of their reader. Plain text only."""

from __future__ import annotations

import email.utils
import re
from collections import Counter
from email.charset import BASE64, Charset
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.accounts.links import FIRST_PASSWORD_DAYS, RESET_HOURS
from arena.accounts.models import Notice, User
from arena.features.mail.limits import CONFIRMATION_S
from arena.features.mail.links import ALL, absolute, confirmation_link, unsubscribe_link
from engine.printable import printable, without_unprintable

SITE_NAME = "Rensho"
MAX_SUBJECT_CHARACTERS = 120
FOLDED_LINK = re.compile(rb"^(List-Unsubscribe:)\s+<", re.MULTILINE)


class MailText(NamedTuple):
    subject: str
    body: str
    unsubscribe: str = ""
    """Link that turns off mails of this kind."""


def notice_text(notice: Notice, user: User, language: str) -> MailText:
    with translation.override(language):
        kind = _(Notice.Kind(notice.kind).label)
        page = absolute(notice.url_path or reverse("web:notices"))
        unsubscribe = unsubscribe_link(user, notice.kind)
        body = [notice.text, page, _footer(unsubscribe)]
        return MailText(f"{SITE_NAME}: {kind}", "\n\n".join(body), unsubscribe)


def digest_text(user: User, kinds: Counter[str], language: str) -> MailText:
    """Return the number of notices that were not sent one by one, by kind."""
    with translation.override(language):
        total = kinds.total()
        first = ngettext(
            "%(count)d further notice was not sent, because of the daily limit of e-mails:",
            "%(count)d further notices were not sent one by one, because of the daily limit of e-mails:",
            total,
        ) % {"count": total}
        lines = [f"- {_(Notice.Kind(kind).label)}: {number}" for kind, number in kinds.most_common()]
        unsubscribe = unsubscribe_link(user, ALL)
        body = ["\n".join([first, *lines]), absolute(reverse("web:notices")), _footer(unsubscribe)]
        subject = ngettext("%(count)d further notice", "%(count)d further notices", total) % {"count": total}
        return MailText(f"{SITE_NAME}: {subject}", "\n\n".join(body), unsubscribe)


def confirmation_text(user: User, address: str, language: str) -> MailText:
    with translation.override(language):
        hours = CONFIRMATION_S // 3600
        body = [
            _("This address was given for the notices of the account %(name)s at %(site)s.")
            % {"name": user.username, "site": settings.SITE_ADDRESS},
            _("To confirm the address, open this link within %(hours)d hours:") % {"hours": hours},
            confirmation_link(user, address),
            _("If this is not your account, ignore this mail."),
        ]
        return MailText(f"{SITE_NAME}: {_('confirm your e-mail address')}", "\n\n".join(body))


def reset_text(user: User, site: str, link: str, language: str) -> MailText:
    with translation.override(language):
        name = {"name": user.username}
        body = [
            _("A new password was requested for the account %(name)s at %(site)s.") % {**name, "site": site},
            _("To set a new password, open this link within %(hours)d hours. It works once:")
            % {"hours": RESET_HOURS["mail"]},
            link,
            _("If you did not ask for this, ignore this mail. Your password has not changed."),
        ]
        subject = _("reset the password of %(name)s") % name
        return MailText(f"{SITE_NAME}: {subject}", "\n\n".join(body))


def welcome_text(user: User, site: str, course: str, link: str, language: str) -> MailText:
    with translation.override(language):
        name = {"name": user.username}
        body = [
            _("The account %(name)s was created for you at %(site)s, for the course %(course)s.")
            % {**name, "site": site, "course": course},
            _("To set your password, open this link within %(days)d days. It works once:")
            % {"days": FIRST_PASSWORD_DAYS},
            link,
            _("If you do not know this course, ignore this mail."),
        ]
        return MailText(f"{SITE_NAME}: {_('your account %(name)s') % name}", "\n\n".join(body))


def mail_of(text: MailText, address: str, message_id: str) -> bytes:
    """Return the message. All attempts at a mail have the same ``Message-ID``.

    Neither a name nor an address can add a header: unsafe characters are escaped.
    """
    headers = {
        "Message-ID": f"<{message_id}@{_domain()}>",
        "Date": email.utils.formatdate(),
        "Auto-Submitted": "auto-generated",
    }
    if text.unsubscribe:
        headers["List-Unsubscribe"] = f"<{text.unsubscribe}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    subject = printable(text.subject)[:MAX_SUBJECT_CHARACTERS]
    body = f"{without_unprintable(text.body)}\n"
    message = EmailMessage(subject, body, settings.EMAIL_FROM, [address], headers=headers)
    if not body.isascii():
        # Seven bits for servers without 8BITMIME.
        charset = Charset("utf-8")
        charset.body_encoding = BASE64
        message.encoding = charset
    # Some mail programs do not unfold this header.
    content = FOLDED_LINK.sub(rb"\1 <", message.message().as_bytes(), count=1)
    return content.replace(b"\n", b"\r\n")


def ascii_address(address: str) -> str:
    """Return the address with its domain in ASCII (IDNA). Raises ValueError if it cannot be used in SMTP."""
    local, sign, domain = address.rpartition("@")
    encoded = f"{local}{sign}{domain.encode('idna').decode() if domain else ''}"
    if not local or not domain or not encoded.isascii() or not encoded.isprintable() or " " in encoded:
        raise ValueError("not an address that SMTP can use")
    return encoded


def _domain() -> str:
    return urlsplit(settings.SITE_ADDRESS).hostname or "rensho.invalid"


def _footer(unsubscribe: str) -> str:
    preferences = absolute(reverse("web:mail"))
    lines = [
        _("You chose to get these notices by e-mail. Change your choice: %(page)s") % {"page": preferences},
        _("Stop these e-mails: %(page)s") % {"page": unsubscribe},
    ]
    return "-- \n" + "\n".join(lines)
