"""Remote bots: programs on their author's machine that play casual tables and ladders of their own."""
