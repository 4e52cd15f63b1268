"""The translations of the pages: collected from the sources, merged, compiled, and held to be complete."""
