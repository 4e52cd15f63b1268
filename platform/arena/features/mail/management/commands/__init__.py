"""Management commands of e-mail notices."""
