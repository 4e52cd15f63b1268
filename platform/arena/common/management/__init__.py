"""Commands over the database."""
