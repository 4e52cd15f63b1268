"""E-mail notices."""
