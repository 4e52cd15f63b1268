"""Access to account pages: sign-in, no-store headers, form handling, idempotent submissions."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from typing import Any, Concatenate, NamedTuple, ParamSpec, cast
from urllib.parse import urlsplit

from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.views import redirect_to_login
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from arena.accounts.idempotency_keys import key_claim, key_get, key_release, key_store_response
from arena.accounts.models import IdempotencyKey, User
from arena.common.client_address import client_network
from arena.common.errors import ArenaError, Conflict, Invalid, quoted
from arena.common.rates import rate_consume, retry_after_s
from arena.web.base.errors import error_page

BACKEND = "django.contrib.auth.backends.ModelBackend"
SIGNED_IN_AT_KEY = "signed_in_at"
"""Session key of the last sign-in with password or passkey, in seconds since 1970."""
RECENT_S = 3600
"""Maximum age in seconds of the sign-in for pages that add ways to sign in or delete the account."""
FORM_GRACE_S = 1800
"""Additional seconds to fill in a form."""
REAUTHENTICATE = "again"
"""Parameter of the sign-in page: an account that is signed in has to sign in again."""
SIGNED_OUT = _("You were signed out, so nothing was changed. Sign in and submit the form again.")
NOT_RECENT = _("Nothing has been changed yet. Confirm with your password or passkey to continue.")
MAX_FORM_KEY_CHARACTERS = 40
DUPLICATE_WAIT_S = 10.0
"""Maximum seconds that a duplicate submission waits for the result of the first one."""
DUPLICATE_POLL_S = 0.1
"""Seconds between two looks for that result."""
MAX_TYPED_FIELDS = 200
MAX_TYPED_CHARACTERS = 400_000
"""Maximum characters of a rejected form that are displayed again."""
UNTYPED_FIELDS = frozenset(
    {"csrfmiddlewaretoken", "once", "next", "then", "do", "base", "newest", "seen", "stages", "rules_of"}
    | {"event", "draft", "draft_version", "answer", "username", "present"}
)
"""Fields that users do not type, and fields of the sign-in form."""
SECRET_FIELDS = re.compile(r"password|secret|token|passkey|credential", re.IGNORECASE)
"""Matches names of fields whose content is never displayed again."""

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
AccountView = Callable[Concatenate[HttpRequest, User, P], HttpResponseBase]


def no_store(answer: HttpResponseBase) -> HttpResponseBase:
    """Forbid caching of the response and limit its Referer to this site."""
    answer["Cache-Control"] = "no-store, private"
    answer["Referrer-Policy"] = "same-origin"
    return answer


def account_page(*, recent: bool = False) -> Callable[[AccountView[P]], View[P]]:
    """Decorate a view of a page with a form for the signed-in account.

    Visitors are redirected to the sign-in page. With ``recent``, the account must have signed in within the
    last hour. If the session ended while a form was filled in, the typed text is displayed again.
    """
    return functools.partial(_account_view, recent=recent, methods=["GET", "HEAD", "POST"])


def account_form(*, recent: bool = False) -> Callable[[AccountView[P]], View[P]]:
    """Decorate a view that accepts only POST from the signed-in account."""
    return functools.partial(_account_view, recent=recent, methods=["POST"])


def _account_view(view: AccountView[P], *, recent: bool, methods: list[str]) -> View[P]:
    is_page = "GET" in methods

    @functools.wraps(view)
    def answered(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        user = request.user
        if not isinstance(user, User) or (recent and not is_recently_signed_in(request)):
            return no_store(redirect_to_sign_in(request, is_page=is_page))
        try:
            _reject_null_characters(request)
            if request.method == "POST" and request.POST.get("once", "").isalnum():
                _redirect_duplicate(key_get(user, _form_key(request)), request)
            return no_store(view(request, user, *args, **kwargs))
        except AlreadySubmitted as done:
            return no_store(redirect(done.address))
        except ArenaError as error:
            return no_store(error_page(request, error))

    # wraps() keeps the type of the wrapped view, whose parameter ``user`` does not come from the URL.
    return cast("View[P]", require_http_methods(methods)(cast("Any", answered)))


def _reject_null_characters(request: HttpRequest) -> None:
    """Raise Invalid for NUL in the query string, which PostgreSQL cannot store."""
    for name, value in request.GET.items():
        if "\0" in value:
            message = f"The parameter {quoted(name)} contains a null character. Remove it."
            raise Invalid(message, "invalid")


def redirect_to_sign_in(request: HttpRequest, *, is_page: bool = True) -> HttpResponseBase:
    """Redirect to the sign-in page, and from there back to this page.

    A submitted form is not processed; its typed text is displayed for copying.
    """
    is_reauthentication = isinstance(request.user, User)
    page = request.get_full_path() if is_page else _form_page_url(request)
    sign_in = reverse("web:sign-in", query={REAUTHENTICATE: "1"} if is_reauthentication else None)
    if request.method == "POST":
        reads_page = not request.headers.get("Accept", "").startswith("application/json")
        if reads_page and (typed := typed_fields(request)):
            context = {
                "typed": typed,
                "is_reauthentication": is_reauthentication,
                "had_file": bool(request.FILES),
                "sign_in": redirect_to_login(page, sign_in)["Location"],
            }
            return render(request, "web/author/kept.html", context, status=403)
        messages.info(request, NOT_RECENT if is_reauthentication else SIGNED_OUT)
    return redirect_to_login(page, sign_in)


def _form_page_url(request: HttpRequest) -> str:
    """Return the page of this site that contains the form, from the Referer header, else the account page."""
    came_from = urlsplit(safe_redirect_url(request, request.headers.get("Referer", ""), ""))
    query = f"?{came_from.query}" if came_from.query else ""
    return safe_redirect_url(request, came_from.path + query, "") or reverse("web:me")


class TypedField(NamedTuple):
    name: str
    text: str
    is_long: bool


def typed_fields(request: HttpRequest) -> list[TypedField]:
    """Return the typed fields of the form, without passwords, files and hidden fields."""
    fields, left = [], MAX_TYPED_CHARACTERS
    for name, values in list(request.POST.lists())[:MAX_TYPED_FIELDS]:
        text = ", ".join(value for value in values if value.strip()).strip()[:left]
        if not text or name in UNTYPED_FIELDS or SECRET_FIELDS.search(name):
            continue
        left -= len(text)
        fields.append(TypedField(re.sub(r"[_-]+", " ", name)[:60], text, len(text) > 100 or "\n" in text))
    return fields


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's ``CSRF_FAILURE_VIEW``. Displays the typed text for copying; nothing is submitted again."""
    context = {"typed": typed_fields(request)}
    return cast("HttpResponse", no_store(render(request, "403_csrf.html", context, status=403)))


def public_form_page(view: View[P]) -> View[P]:
    """Decorate a view of a page with a form for everyone; its responses are not stored by caches."""

    @functools.wraps(view)
    def answered(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return no_store(view(request, *args, **kwargs))
        except ArenaError as error:
            return no_store(error_page(request, error))

    return cast("View[P]", require_http_methods(["GET", "HEAD", "POST"])(cast("Any", answered)))


def public_form(view: View[P]) -> View[P]:
    """Decorate a view that accepts only POST, from everyone."""
    return cast("View[P]", require_POST(cast("Any", public_form_page(view))))


def is_recently_signed_in(request: HttpRequest) -> bool:
    """Whether the last sign-in was within the last hour; for POST, plus the time to fill in a form."""
    grace = FORM_GRACE_S if request.method == "POST" else 0
    return time.time() - float(request.session.get(SIGNED_IN_AT_KEY, 0)) < RECENT_S + grace


def log_in(request: HttpRequest, user: User) -> None:
    """Sign the account in under a new session key and store the time."""
    login(request, user, backend=BACKEND)
    request.session[SIGNED_IN_AT_KEY] = time.time()


def safe_redirect_url(request: HttpRequest, url: str, otherwise: str) -> str:
    """Return ``url`` if it belongs to this site, else ``otherwise``."""
    is_own = url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return url if url and is_own else otherwise


def submitted_data(request: HttpRequest) -> QueryDict | None:
    """Return the POST data, possibly empty; None for other methods."""
    return request.POST if request.method == "POST" else None


def set_choices(form: forms.Form, name: str, choices: Iterable[Any]) -> forms.ChoiceField:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices)
    return field


def add_service_error(form: forms.Form, error: ArenaError) -> None:
    """Add the error of a service to the field it names, else to the whole form."""
    field = error.extra.get("field")
    problem = forms.ValidationError(error.message, error.code)
    form.add_error(field if field in form.fields else None, problem)


@contextlib.contextmanager
def collect_service_errors(form: forms.Form) -> Iterator[None]:
    """Add errors that services raise in the block to the form, as ``add_service_error`` does."""
    try:
        yield
    except ArenaError as error:
        add_service_error(form, error)


def render_form(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    *,
    wait_s: float = 0,
    status: int | None = None,
) -> HttpResponse:
    """Render a form: 200 unbound or valid, 400 with errors, 429 with ``wait_s``, or ``status``."""
    form: forms.Form = context["form"]
    if wait_s:
        minutes = -(-retry_after_s(wait_s) // 60)
        form.is_valid()
        form.errors.clear()
        # Lazy, since the page decides whether the form is translated.
        wait = ngettext_lazy(
            "Too many attempts. Try again in %(minutes)d minute.",
            "Too many attempts. Try again in %(minutes)d minutes.",
            "minutes",
        )
        form.add_error(None, forms.ValidationError(wait, params={"minutes": minutes}))
    if wait_s or status is None:
        status = 429 if wait_s else 400 if form.is_bound and form.errors else 200
    answer = render(request, template, context, status=status)
    if wait_s:
        answer["Retry-After"] = str(retry_after_s(wait_s))
    return answer


def rate_limit_wait_s(request: HttpRequest, rate: str) -> float:
    """Count one use of ``rate`` by the client's network; return the seconds to wait, if any."""
    return rate_consume(rate, f"a{client_network(request)}").wait_s


def new_form_key() -> str:
    """Return a new idempotency key for a form, its field ``once``."""
    return secrets.token_hex(16)


class AlreadySubmitted(Exception):
    """Raised if the same form was processed before; ``address`` is the page it led to."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


class FormResult:
    address = ""

    def redirect_to(self, page: str, *args: str) -> None:
        self.address = reverse(page, args=args)


def claim_form_key(user: User, form_key: str) -> None:
    """Claim the idempotency key of a form.

    Raises:
        Conflict: code ``already_submitted``: it was claimed before.
    """
    key = f"form:{form_key[:MAX_FORM_KEY_CHARACTERS]}"
    _row, is_new = key_claim(user, key, key)
    if not is_new:
        raise Conflict("This form was submitted twice, but it took effect only once.", "already_submitted")


@contextlib.contextmanager
def idempotent_form(request: HttpRequest, user: User) -> Iterator[FormResult]:
    """Run the block once per form. After an error in the block, the form may be submitted again.

    A form without ``once`` always runs. The block sets the page to which the form leads; ``account_page``
    redirects duplicates there. Do not use it inside a transaction.

    Raises:
        AlreadySubmitted: the form was processed with the same content.
        Conflict: code ``already_submitted``: it was processed with other content, or the first submission
        takes too long.
    """
    outcome = FormResult()
    if not request.POST.get("once"):
        yield outcome
        return
    key, content = _form_key(request), _form_digest(request)
    until = time.monotonic() + DUPLICATE_WAIT_S
    claimed, is_new = key_claim(user, key, content)
    while not is_new and (claimed is None or (claimed.status is None and claimed.fingerprint == content)):
        # The first submission is still being processed.
        if time.monotonic() > until:
            break
        time.sleep(DUPLICATE_POLL_S)
        claimed, is_new = key_claim(user, key, content)
    if claimed is None or not is_new:
        _redirect_duplicate(claimed, request)
        raise Conflict("This form was submitted twice, but it took effect only once.", "already_submitted")
    try:
        yield outcome
    except BaseException:
        key_release(claimed)
        raise
    key_store_response(claimed, HTTPStatus.FOUND, b"", {"Location": outcome.address})


def _form_key(request: HttpRequest) -> str:
    return f"form:{request.POST.get('once', '')[:MAX_FORM_KEY_CHARACTERS]}"


def _form_digest(request: HttpRequest) -> str:
    digest = hashlib.sha256()
    for name, values in sorted(request.POST.lists()):
        if name != "csrfmiddlewaretoken":
            digest.update(repr((name, values)).encode("utf-8", "backslashreplace"))
    for name, file in sorted(cast("dict[str, UploadedFile[Any]]", request.FILES.dict()).items()):
        digest.update(repr((name, file.name, file.size)).encode("utf-8", "backslashreplace"))
        for chunk in file.chunks():
            digest.update(chunk)
        file.seek(0)
    return digest.hexdigest()


def _redirect_duplicate(claimed: IdempotencyKey | None, request: HttpRequest) -> None:
    """Raise AlreadySubmitted if this form was processed with the same content."""
    address = claimed.headers.get("Location") if claimed is not None else None
    if claimed is not None and address and claimed.fingerprint == _form_digest(request):
        raise AlreadySubmitted(address)
