"""The ``rensho`` command for authors of bots. Runs without a server and without Django."""
