"""Parts of experiments that core pages show."""
