"""Running an installation: its processes, their health, and the commands of the operator."""
