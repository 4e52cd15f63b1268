"""Management commands of experiments."""
