"""Management commands of play."""
