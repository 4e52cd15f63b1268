"""E-mail notices: preferences, an outbox, and the SMTP client that empties it."""
