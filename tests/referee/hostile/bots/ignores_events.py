"""Asks for all events and reads none of them."""

from honest import play

play(ready='{"type":"ready","name":"hostile","events":true}')
