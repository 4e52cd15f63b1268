"""Output for people: tables, numbers, progress bars and messages."""
