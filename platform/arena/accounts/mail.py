"""Mails with a link to set a new password, requested by username or address.

They are sent in another thread after the response, which does not reveal whether the account exists.
"""

from __future__ import annotations

import contextvars
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.core.mail import send_mail
from django.db import close_old_connections
from django.db.models import Q

from arena.accounts.links import FIRST_PASSWORD_DAYS, RESET_HOURS, may_reset, reset_link_create
from arena.accounts.models import OneTimeLink, User
from arena.common.names import row_named
from arena.common.rates import rate_consume

log = logging.getLogger(__name__)

LinkUrl = Callable[[OneTimeLink, str], str]
MAX_MAILS_PER_REQUEST = 3
_sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reset-mail")

RESET_SUBJECT = "Reset the password of {name}"
RESET_TEXT = """Somebody, probably you, asked to reset the password of the account {name} at {site}.

To set a new password, open this link within {hours} hours:

{link}

If you did not ask for this, ignore this mail. Your password has not changed.
"""


def can_send_mail() -> bool:
    """Return whether this installation is configured to send mail."""
    return bool(settings.EMAIL_FROM)


def reset_mail_request(name: str, site: str, address_of: LinkUrl) -> None:
    """Mail a link to the account with this username, or to the accounts with this address, if any."""
    if settings.EMAIL_IN_BACKGROUND:
        _sender.submit(contextvars.copy_context().run, _send_and_close, name, site, address_of)
    else:
        _send(name, site, address_of)


FIRST_SUBJECT = "Your account {name}"
FIRST_TEXT = """An account with the name {name} was created for you at {site}, for {purpose}.

To set your password, open this link within {days} days:

{link}

If you do not know what this is about, ignore this mail.
"""


def first_link_mails(links: Sequence[tuple[User, str]], site: str, purpose: str) -> None:
    """Mail links to set a first password, given as addresses, to the accounts' unconfirmed addresses."""
    if settings.EMAIL_IN_BACKGROUND:
        _sender.submit(contextvars.copy_context().run, _send_first_links, links, site, purpose)
    else:
        _send_first_links(links, site, purpose)


def _send_first_links(links: Sequence[tuple[User, str]], site: str, purpose: str) -> None:
    for user, link in links:
        text = FIRST_TEXT.format(
            name=user.username, site=site, purpose=purpose, days=FIRST_PASSWORD_DAYS, link=link
        )
        try:
            send_mail(FIRST_SUBJECT.format(name=user.username), text, settings.EMAIL_FROM, [user.email])
        except Exception:
            log.exception("the mail with the first link of an account could not be sent")


def _send_and_close(name: str, site: str, address_of: LinkUrl) -> None:
    close_old_connections()
    try:
        _send(name, site, address_of)
    except Exception:
        log.exception("a mail with a password link could not be sent")
    finally:
        close_old_connections()


def _send(name: str, site: str, address_of: LinkUrl) -> None:
    name = name.strip()
    if not name or "\0" in name:
        return
    named = row_named(User.objects.all(), "username", name)
    accounts = User.objects.filter(Q(pk=named and named.pk) | Q(email__iexact=name)).exclude(email="")
    for user in accounts.order_by("id")[:MAX_MAILS_PER_REQUEST]:
        if not may_reset(user) or rate_consume("reset_mails", f"u{user.pk}").wait_s:
            continue
        link, plain = reset_link_create(user, None, by_mail=True)
        text = RESET_TEXT.format(
            name=user.username, site=site, hours=RESET_HOURS["mail"], link=address_of(link, plain)
        )
        send_mail(RESET_SUBJECT.format(name=user.username), text, settings.EMAIL_FROM, [user.email])
