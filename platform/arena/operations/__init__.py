"""Operation of an installation: its processes, their health, and management commands."""
