"""Template parts of experiments that core pages include."""
