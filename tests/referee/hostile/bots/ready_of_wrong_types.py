"""Says that it is ready with a number for a name and a word for yes."""

from honest import play

play(ready='{"type":"ready","name":7,"events":"yes","skip_forced":1}')
