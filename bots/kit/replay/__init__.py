"""Display of records in the terminal, from one seat or with all hands open."""
