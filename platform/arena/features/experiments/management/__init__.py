"""Commands of experiments."""
