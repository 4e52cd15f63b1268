"""URLs of accounts."""

from __future__ import annotations

from django.urls import path

from arena.web.account import data as account_data
from arena.web.account import invitations as account_invitations
from arena.web.account import login
from arena.web.account import passkeys as account_passkeys
from arena.web.account import provider as account_provider
from arena.web.account import sign_up as account_sign_up
from arena.web.account import tokens as account_tokens
from arena.web.account import views as account_views

urlpatterns = [
    path("sign-up", account_sign_up.sign_up, name="sign-up"),
    path("sign-up/provider", account_provider.sign_up, name="sign-up-provider"),
    path("sign-up/<secret:secret>", account_sign_up.sign_up, name="sign-up-invited"),
    path("sign-up/<secret:secret>/provider", account_provider.start, name="sign-up-provider-invited"),
    path("sign-in", login.SignInView.as_view(), name="sign-in"),
    path("sign-in/passkey", account_passkeys.sign_in, name="sign-in-passkey"),
    path("sign-in/passkey/options", account_passkeys.authentication_options, name="sign-in-options"),
    path("sign-in/provider", account_provider.start, name="sign-in-provider"),
    path("sign-in/provider/return", account_provider.finish, name="sign-in-provider-return"),
    path("sign-out", login.SignOutView.as_view(), name="sign-out"),
    path("reset", account_sign_up.request_password_reset, name="reset"),
    path("reset/<secret:secret>", account_sign_up.reset_password, name="reset-password"),
    path("me", account_views.me, name="me"),
    path("me/password", account_views.change_password, name="password"),
    path("me/email", account_views.change_email, name="email"),
    path("me/sessions/end", account_views.end_other_sessions, name="sessions-end"),
    path("me/sessions/<id:public_id>/end", account_views.end_session, name="session-end"),
    path("me/passkeys", account_passkeys.passkeys, name="passkeys"),
    path("me/passkeys/options", account_passkeys.registration_options, name="passkey-options"),
    path("me/passkeys/<id:public_id>/rename", account_passkeys.rename_passkey, name="passkey-rename"),
    path("me/passkeys/<id:public_id>/remove", account_passkeys.remove_passkey, name="passkey-remove"),
    path("me/provider", account_provider.overview, name="provider"),
    path("me/provider/link", account_provider.link, name="provider-link"),
    path("me/provider/<id:public_id>/unlink", account_provider.unlink, name="provider-unlink"),
    path("me/tokens", account_tokens.tokens, name="tokens"),
    path("me/tokens/<id:public_id>/revoke", account_tokens.revoke_token, name="token-revoke"),
    path("me/tokens/<id:public_id>/restore", account_tokens.restore_token, name="token-restore"),
    path("me/invitations", account_invitations.invitations, name="invitations"),
    path(
        "me/invitations/<id:public_id>/withdraw",
        account_invitations.withdraw_invitation,
        name="invitation-withdraw",
    ),
    path("me/export", account_data.export_account, name="me-export"),
    path("me/delete", account_data.delete_account, name="me-delete"),
]
