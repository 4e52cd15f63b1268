"""Template parts of ratings that core pages include."""
