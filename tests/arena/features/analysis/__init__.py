"""Notes on played tables, costs of plays, and solved positions."""
