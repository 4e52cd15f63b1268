"""Pages: preferences, confirmation of an address, and unsubscription without signing in."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from arena.accounts.models import Notice, User
from arena.features.mail.links import ALL, confirmed_address, unsubscription_of
from arena.features.mail.models import Language
from arena.features.mail.pages.forms import PreferencesForm
from arena.features.mail.preferences import (
    address_confirm,
    confirmation_request,
    is_usable,
    kinds_of,
    kinds_save,
    mail_address_of,
    sends_notices,
    unsubscribe,
)
from arena.web.base.access import (
    account_form,
    account_page,
    collect_service_errors,
    public_form_page,
    render_form,
    submitted_data,
)
from arena.web.base.page_limits import too_many_requests


@account_page()
def preferences(request: HttpRequest, user: User) -> HttpResponseBase:
    address = mail_address_of(user)
    initial = {
        "kinds": sorted(kinds_of(user)),
        "language": address.language if address else _page_language(),
    }
    form = PreferencesForm(submitted_data(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        with collect_service_errors(form):
            kinds_save(user, form.cleaned_data["kinds"], form.cleaned_data["language"])
            messages.success(request, _("Your choice is saved."))
            return redirect("web:mail")
    context = {
        "form": form,
        "nav": "me-page",
        "form_language": get_language(),
        "sends_mail": sends_notices(),
        "address": address,
        "is_refused": address is not None and address.address == user.email and address.refused_at,
        "is_confirmed": is_usable(address, user),
    }
    return render_form(request, "mail/preferences.html", context)


@account_form()
def request_confirmation(request: HttpRequest, user: User) -> HttpResponseBase:
    if wait_s := confirmation_request(user, _page_language()):
        return too_many_requests(wait_s)
    messages.success(request, _("A link is being sent to your address. Open it to confirm the address."))
    return redirect("web:mail")


@account_page()
def confirm(request: HttpRequest, user: User, token: str) -> HttpResponseBase:
    """Confirm the address by a button: programs that check mails open links, too."""
    address = confirmed_address(user, token)
    if request.method == "POST":
        address_confirm(user, token, _page_language())
        messages.success(request, _("Your address is confirmed. Choose what to receive."))
        return redirect("web:mail")
    context = {"nav": "me-page", "form_language": get_language(), "address": address}
    return render(request, "mail/confirm.html", context)


@csrf_exempt
@public_form_page
def unsubscribe_page(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show what the link turns off; POST turns it off, also from a mail program (RFC 8058).

    No cookie is needed, and a forged request needs the signed link.
    """
    chosen = unsubscription_of(token)
    if request.method == "POST":
        if request.POST.get("do") == ALL:
            chosen = chosen._replace(kind=ALL)
        unsubscribe(chosen)
    context = {
        "is_done": request.method == "POST",
        "is_all": chosen.kind == ALL,
        "form_language": get_language(),
        "kind": "" if chosen.kind == ALL else capfirst(_(Notice.Kind(chosen.kind).label)),
    }
    return render(request, "mail/unsubscribe.html", context)


def _page_language() -> str:
    language = get_language() or Language.ENGLISH
    return language if language in Language.values else Language.ENGLISH
