"""Records shown in the terminal, as one seat saw them or with all hands open."""
