"""Export and deletion of an account."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from arena.accounts.models import User, audit
from arena.common.process_cache import process_cache
from arena.common.rates import rate_consume
from arena.operations.account_deletion import account_delete, deletion_refusal
from arena.operations.own_data import own_data
from arena.web.account.forms import DeleteForm
from arena.web.account.views import verify_password
from arena.web.base.access import (
    account_form,
    account_page,
    collect_service_errors,
    render_form,
    submitted_data,
)
from arena.web.base.page_limits import too_many_requests

TEMPLATE = "web/account/delete.html"


@account_form(recent=True)
def export_account(request: HttpRequest, user: User) -> HttpResponseBase:
    if wait_s := rate_consume("exports", f"u{user.pk}").wait_s:
        return too_many_requests(wait_s)
    answer = JsonResponse(own_data(user), json_dumps_params={"indent": 1, "ensure_ascii": False})
    answer["Content-Disposition"] = f'attachment; filename="rensho-account-{user.public_id}.json"'
    audit(user, "export", user)
    return answer


@account_page(recent=True)
def delete_account(request: HttpRequest, user: User) -> HttpResponseBase:
    """Delete the account after its name and its password, if it has one, were typed."""
    form = DeleteForm(user, submitted_data(request))
    context = {"form": form, "nav": "me-page", "refusal": deletion_refusal(user)}
    if request.method == "POST" and not context["refusal"] and form.is_valid():
        wait_s = verify_password(request, user, form, "password") if "password" in form.fields else 0
        if wait_s:
            return render_form(request, TEMPLATE, context, wait_s=wait_s)
        if not form.errors:
            with collect_service_errors(form):
                account_delete(user)
                process_cache.clear()  # cached pages contain the name
                logout(request)
                messages.success(request, _("Your account is deleted."))
                return redirect("web:home")
    return render_form(request, TEMPLATE, context)
