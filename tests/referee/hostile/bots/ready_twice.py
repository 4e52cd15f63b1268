"""Says twice that it is ready."""

from honest import READY, play

play(ready=f"{READY}\n{READY}")
