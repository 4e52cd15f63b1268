"""Webhooks: events sent to other programs, with signatures, deliveries and retries."""
