"""Pages of staff: upload of an archive, and removal of an import."""

from __future__ import annotations

import functools

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from arena.accounts.models import User
from arena.common.errors import ArenaError, Invalid
from arena.common.rates import rate_consume
from arena.features.imports.limits import MAX_UPLOAD_BYTES
from arena.features.imports.selectors import import_get
from arena.features.imports.services import import_delete, import_submit, require_staff
from arena.features.imports.tasks import import_request
from arena.web.base.access import (
    AccountView,
    P,
    View,
    account_page,
    add_service_error,
    idempotent_form,
    new_form_key,
    render_form,
)
from arena.web.bots.authoring.resubmission import resubmittable_form


class UploadForm(forms.Form):
    archive = forms.FileField(
        label="Archive",
        help_text="The .zip that the other site offers as the export of a finished tournament.",
        widget=forms.FileInput(attrs={"accept": ".zip"}),
    )
    origin = forms.URLField(
        label="Address of the other site",
        required=False,
        max_length=200,
        assume_scheme="https",
        help_text="Shown as you state it: an archive does not prove where it comes from.",
    )
    keys = forms.CharField(
        label="Keys of the other site",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="The content of its /.well-known/rensho-key. Every signature must then match.",
    )
    commitments = forms.CharField(
        label="Published commitments",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
        help_text="Its commitment, or digests of its statements, that you noted while it was played: 64 hex "
        "digits each. The archive must have every one.",
    )
    once = forms.CharField(required=False, widget=forms.HiddenInput)


def staff_page(view: AccountView[P]) -> View[P]:
    """Decorate a view of a page with a form for staff: 403 for other accounts, sign-in for visitors."""

    @functools.wraps(view)
    def answered(request: HttpRequest, user: User, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        require_staff(user)
        return view(request, user, *args, **kwargs)

    return account_page()(answered)


@staff_page
def upload(request: HttpRequest, user: User) -> HttpResponseBase:
    if request.method != "POST":
        return _render(request, UploadForm(initial={"once": new_form_key()}))
    form, wait_s = UploadForm(request.POST, request.FILES), 0.0
    if form.is_valid():
        archive = form.cleaned_data["archive"]
        wait_s = rate_consume("uploads", f"u{user.pk}").wait_s
        try:
            if archive.size > MAX_UPLOAD_BYTES:
                raise Invalid(
                    f"The upload is too large; at most {MAX_UPLOAD_BYTES >> 20} MiB are accepted. "
                    "The import_event command takes larger ones.",
                    "import_too_large",
                    field="archive",
                )
            if not wait_s:
                with idempotent_form(request, user) as outcome:
                    event = import_submit(
                        archive.read(),
                        user,
                        origin=form.cleaned_data["origin"],
                        keys=form.cleaned_data["keys"],
                        commitments=form.cleaned_data["commitments"],
                    )
                    outcome.redirect_to("web:import", event.public_id)
                import_request(event)
                return redirect(outcome.address)
        except ArenaError as error:
            form = resubmittable_form(UploadForm, request)
            add_service_error(form, error)
    return _render(request, form, wait_s)


def _render(request: HttpRequest, form: UploadForm, wait_s: float = 0) -> HttpResponseBase:
    return render_form(request, "imports/upload.html", {"nav": "tournaments", "form": form}, wait_s=wait_s)


@staff_page
def delete(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Ask for confirmation; POST deletes."""
    event = import_get(public_id, user)
    if request.method == "POST":
        import_delete(event, user)
        messages.success(request, "The import is deleted.")
        return redirect("web:imports")
    form = forms.Form()
    return render_form(request, "imports/delete.html", {"nav": "tournaments", "form": form, "event": event})
