"""The pages people look at."""
