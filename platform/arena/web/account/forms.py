"""Forms of accounts: labels, hints and controls. The services enforce the rules."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from arena.accounts.handles import handle_problem
from arena.accounts.links import NOTE_CHARACTERS
from arena.accounts.models import ApiToken, User
from arena.accounts.passkeys import MAX_RESPONSE_CHARACTERS, NAME_CHARACTERS
from arena.accounts.passwords import MIN_PASSWORD_CHARACTERS
from arena.accounts.selectors import scopes_allowed
from arena.accounts.sign_up import EMAIL_CHARACTERS, PASSWORD_CHARACTERS, password_problem

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise  # exists only in the stubs

SCOPE_LABELS = {
    ApiToken.Scope.READ: "Read everything you can read, including logs and faults of your bots",
    ApiToken.Scope.BOTS: "Create bots, upload and manage versions, enter tournaments, challenge others",
    ApiToken.Scope.ORGANISE: "Create tournaments and cups, and run them",
    ApiToken.Scope.TOKENS: "Create and revoke tokens of this account",
    ApiToken.Scope.CONNECT: "Connect remote bots, and answer for them at tables",
}
TOKEN_LIFETIMES = {"30": "30 days", "90": "90 days", "365": "one year", "never": "never"}
PASSWORD_HINT = _(
    "At least 8 characters. Common passwords and your own name are not allowed. A sentence works well."
)


def password_field(label: _StrOrPromise, autocomplete: str) -> forms.CharField:
    """Return a password field; a new password that is too short gets no other error."""
    is_new = autocomplete == "new-password"
    return forms.CharField(
        label=label,
        strip=False,
        min_length=MIN_PASSWORD_CHARACTERS if is_new else None,
        max_length=PASSWORD_CHARACTERS,
        help_text=PASSWORD_HINT if is_new else "",
        widget=forms.PasswordInput(attrs={"autocomplete": autocomplete}),
    )


class ProviderSignUpForm(forms.Form):
    username = forms.CharField(
        label=pgettext_lazy("of an account", "Name"),
        max_length=150,
        help_text=_(
            "Shown publicly with your bots. 2 to 26 characters (a to z, digits, - or _), starting "
            "with a letter or digit."
        ),
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )

    def clean_username(self) -> str:
        """Reject malformed names. The service checks whether the name is taken."""
        if problem := handle_problem(self.cleaned_data["username"]):
            raise forms.ValidationError(problem)
        return str(self.cleaned_data["username"])


class SignUpForm(ProviderSignUpForm):
    email = forms.EmailField(
        label=_("E-mail"),
        required=False,
        max_length=EMAIL_CHARACTERS,
        help_text=_("Not shown to other players. Used only to send you a link if you forget your password."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    password = password_field(_("Password"), "new-password")

    def clean(self) -> dict[str, Any]:
        """Check the password even if other fields are invalid, so that all errors are shown together."""
        cleaned = super().clean() or self.cleaned_data
        if "password" in cleaned:
            username, email = cleaned.get("username", ""), cleaned.get("email", "")
            if problem := password_problem(cleaned["password"], User(username=username, email=email)):
                self.add_error("password", problem)
        return cleaned


class ResetRequestForm(forms.Form):
    name = forms.CharField(
        label=_("Name or e-mail"),
        max_length=EMAIL_CHARACTERS,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )


class NewPasswordForm(forms.Form):
    password = password_field(_("New password"), "new-password")


class ChangePasswordForm(forms.Form):
    present = password_field(_("Current password"), "current-password")
    password = password_field(_("New password"), "new-password")

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not user.has_usable_password():
            del self.fields["present"]


class EmailForm(forms.Form):
    email = forms.EmailField(
        label="E-mail",
        required=False,
        max_length=EMAIL_CHARACTERS,
        help_text="Leave it empty to delete the stored address.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class PasskeyForm(forms.Form):
    """The name of a new passkey, and the browser's registration response as JSON."""

    name = forms.CharField(
        label="Name of the passkey",
        max_length=NAME_CHARACTERS,
        help_text="Visible only to you. Use the name of the device or password manager, for example.",
    )
    answer = forms.CharField(required=False, max_length=MAX_RESPONSE_CHARACTERS, widget=forms.HiddenInput)


class PasskeyNameForm(forms.Form):
    name = forms.CharField(label="Name", max_length=NAME_CHARACTERS)


class TokenForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=80,
        help_text="Visible only to you. Name the place where the token is used, such as laptop or CI.",
    )
    scopes = forms.MultipleChoiceField(label="Permissions", widget=forms.CheckboxSelectMultiple)
    days = forms.ChoiceField(label="Expires after", choices=list(TOKEN_LIFETIMES.items()))
    once = forms.CharField(max_length=40, widget=forms.HiddenInput)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        scopes = self.fields["scopes"]
        assert isinstance(scopes, forms.MultipleChoiceField)
        scopes.choices = [(scope, SCOPE_LABELS[ApiToken.Scope(scope)]) for scope in scopes_allowed(user)]

    def expires_at(self) -> datetime.datetime | None:
        """Return the end of the token; None for a token that does not expire."""
        days = self.cleaned_data["days"]
        return timezone.now() + datetime.timedelta(days=int(days)) if days != "never" else None


class InvitationForm(forms.Form):
    note = forms.CharField(
        label="Note",
        max_length=NOTE_CHARACTERS,
        required=False,
        help_text="Who the invitation is for. Visible only to staff.",
    )
    days = forms.IntegerField(label="Days valid", min_value=1, max_value=365)
    once = forms.CharField(max_length=40, widget=forms.HiddenInput)


class DeleteForm(forms.Form):
    name = forms.CharField(
        label="Your user name",
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    password = password_field("Your password", "current-password")

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["name"].help_text = f"Type {user.username} to confirm."
        if not user.has_usable_password():
            del self.fields["password"]

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self.user.username:
            raise forms.ValidationError("This is not the name of your account. Nothing was deleted.")
        return self.user.username
