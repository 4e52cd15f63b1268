"""Board sets, fixtures, tables, seats and results."""
