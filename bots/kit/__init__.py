"""The author's command ``rensho``. Needs no server and no Django."""
