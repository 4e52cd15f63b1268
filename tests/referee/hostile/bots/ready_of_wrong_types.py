"""Says that it is ready, with a number for its name and text for a boolean."""

from honest import play

play(ready='{"type":"ready","name":7,"events":"yes","skip_forced":1}')
