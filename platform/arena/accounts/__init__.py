"""Accounts, API tokens, notices, events and the audit trail."""
