"""Tables and texts for people: consoles, numbers in words, progress bars, what the commands print."""
