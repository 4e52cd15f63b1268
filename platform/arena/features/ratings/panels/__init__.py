"""Parts of ratings that core pages show."""
