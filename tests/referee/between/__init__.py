"""Bits carried between tables: two bots in the real sandbox, one of which tries to tell the other something.

``bots/`` holds the channels, each a class that sends and receives bits; ``corpus.CHANNELS`` declares for each
which wall stands in its way, how ``walls`` takes it away, and what may come of it. ``arrangements`` plays a
pair one after the other, at once, or as partners; ``guesses`` counts what was carried. docs/threats.md has
the table. None of it needs pytest:

    python -m tests.referee.between [--guesses 1000] [CHANNEL ..]      here and now, a line of JSON a cell
"""
