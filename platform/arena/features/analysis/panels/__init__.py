"""Template parts of analysis that core pages include."""
