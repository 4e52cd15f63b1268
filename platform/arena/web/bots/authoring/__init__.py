"""Pages with which authors take part: bots and versions of their own, made, sent, written and withdrawn."""
