"""Board sets, fixtures, tables, seats and results: models, services and selectors."""
