"""Board scores, standings, and the audit before results become final."""
