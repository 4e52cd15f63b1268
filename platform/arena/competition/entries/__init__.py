"""Entries: admission, invitations, partner consent and withdrawals."""
