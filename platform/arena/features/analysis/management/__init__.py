"""Management commands of analysis."""
