"""Sign-up and password reset, for visitors who are not signed in."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.accounts.links import link_find
from arena.accounts.models import OneTimeLink
from arena.accounts.sign_up import account_sign_up, password_change
from arena.features.mail.password_links import can_send_mail, reset_request
from arena.roster.services import player_of
from arena.web.account.forms import NewPasswordForm, ResetRequestForm, SignUpForm
from arena.web.account.site_origin import site_address
from arena.web.base.access import (
    collect_service_errors,
    log_in,
    public_form_page,
    rate_limit_wait_s,
    render_form,
    safe_redirect_url,
    submitted_data,
)

Kind = OneTimeLink.Kind


@public_form_page
def sign_up(request: HttpRequest, secret: str = "") -> HttpResponseBase:
    """Create an account; with an invitation if ``SIGN_UP`` is ``invitation``, never if it is ``closed``."""
    if request.user.is_authenticated:
        return redirect("web:me")
    next_url = request.POST.get("next") or request.GET.get("next", "")
    goes_to = safe_redirect_url(request, next_url, "")
    context: dict[str, Any] = {"nav": "sign-up", "next": goes_to, "contact": settings.CONTACT}
    context["provider"] = settings.OIDC
    if settings.SIGN_UP == "closed" or (settings.SIGN_UP == "invitation" and not secret):
        return render(request, "web/account/sign_up_closed.html", {**context, "way": settings.SIGN_UP})
    invitation = link_find(Kind.INVITATION, secret) if secret else None
    form = SignUpForm(submitted_data(request))
    start = (
        reverse("web:sign-up-provider-invited", args=[secret]) if secret else reverse("web:sign-in-provider")
    )
    context["provider_url"] = start + (f"?{urlencode({'next': goes_to})}" if goes_to else "")
    context |= {"form": form, "invitation": invitation, "sends_mail": can_send_mail()}
    context["form_language"] = get_language()
    template = "web/account/sign_up.html"
    if request.method == "POST" and form.is_valid():
        # Invalid forms are not counted: they cost no hash and reveal no name. A class may share an address.
        if wait_s := rate_limit_wait_s(request, "sign_ups"):
            return render_form(request, template, context, wait_s=wait_s)
        with collect_service_errors(form):
            user = account_sign_up(**form.cleaned_data, invitation=invitation)
            player_of(user)
            log_in(request, user)
            messages.success(request, _("Welcome, %(name)s.") % {"name": user.username})
            return redirect(goes_to or reverse("web:bot-new"))
    return render_form(request, template, context)


@public_form_page
def request_password_reset(request: HttpRequest) -> HttpResponseBase:
    """Send a link to a new password by e-mail. Without e-mail, the page names a contact."""
    form = ResetRequestForm(submitted_data(request))
    context = {"form": form, "nav": "sign-in", "sends_mail": can_send_mail(), "contact": settings.CONTACT}
    context["form_language"] = get_language()
    if request.method == "POST" and can_send_mail():
        if wait_s := rate_limit_wait_s(request, "resets"):
            return render_form(request, "web/account/reset.html", context, wait_s=wait_s)
        if form.is_valid():
            reset_request(form.cleaned_data["name"], site_address(request), get_language() or "")
            context["is_sent"] = True
    return render_form(request, "web/account/reset.html", context)


@public_form_page
def reset_password(request: HttpRequest, secret: str) -> HttpResponseBase:
    """Set a new password with a one-time link."""
    link = link_find(Kind.RESET, secret)
    user = link.user
    assert user is not None, "a reset link belongs to an account"
    form = NewPasswordForm(submitted_data(request))
    context = {"form": form, "nav": "sign-in", "name": user.username, "form_language": get_language()}
    template = "web/account/reset_password.html"
    if request.method == "POST":
        if wait_s := rate_limit_wait_s(request, "resets"):
            return render_form(request, template, context, wait_s=wait_s)
        if form.is_valid():
            with collect_service_errors(form):
                password_change(user, form.cleaned_data["password"], link=link)
                messages.success(request, _("Your new password is set. Sign in with it."))
                return redirect("web:sign-in")
    return render_form(request, template, context)
