"""Addresses of accounts: signing up, a new password, passkeys, and what is one's own."""

from __future__ import annotations

from django.urls import path

from arena.web.account import data as account_data
from arena.web.account import invitations as account_invitations
from arena.web.account import login
from arena.web.account import passkeys as account_passkeys
from arena.web.account import sign_up as account_sign_up
from arena.web.account import tokens as account_tokens
from arena.web.account import views as account_views

urlpatterns = [
    path("sign-up", account_sign_up.sign_up, name="sign-up"),
    path("sign-up/<secret:secret>", account_sign_up.sign_up, name="sign-up-invited"),
    path("sign-in", login.SignIn.as_view(), name="sign-in"),
    path("sign-in/passkey", account_passkeys.sign_in, name="sign-in-passkey"),
    path("sign-in/passkey/options", account_passkeys.sign_in_challenge, name="sign-in-options"),
    path("sign-out", login.SignOut.as_view(), name="sign-out"),
    path("reset", account_sign_up.reset, name="reset"),
    path("reset/<secret:secret>", account_sign_up.reset_password, name="reset-password"),
    path("me", account_views.me, name="me"),
    path("me/password", account_views.password, name="password"),
    path("me/email", account_views.email, name="email"),
    path("me/sessions/end", account_views.sessions_ended, name="sessions-end"),
    path("me/sessions/<id:public_id>/end", account_views.session_ended, name="session-end"),
    path("me/passkeys", account_passkeys.passkeys, name="passkeys"),
    path("me/passkeys/options", account_passkeys.options, name="passkey-options"),
    path("me/passkeys/<id:public_id>/rename", account_passkeys.renamed, name="passkey-rename"),
    path("me/passkeys/<id:public_id>/remove", account_passkeys.removed, name="passkey-remove"),
    path("me/tokens", account_tokens.tokens, name="tokens"),
    path("me/tokens/<id:public_id>/revoke", account_tokens.revoked, name="token-revoke"),
    path("me/tokens/<id:public_id>/restore", account_tokens.restored, name="token-restore"),
    path("me/invitations", account_invitations.invitations, name="invitations"),
    path("me/invitations/<id:public_id>/withdraw", account_invitations.withdrawn, name="invitation-withdraw"),
    path("me/export", account_data.export, name="me-export"),
    path("me/delete", account_data.delete, name="me-delete"),
]
