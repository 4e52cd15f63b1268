"""Board scores, standings and the audit that precedes publication."""
