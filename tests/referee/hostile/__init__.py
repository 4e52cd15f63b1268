"""The hostile corpus: bots that try to break out, to hog, to lie, to listen or to talk, and what comes of it.

``bots/`` holds the bots, whose first sentence says what each tries. ``corpus.CASES`` declares, in one module
a theme, which rows of the threat table each belongs to and what must come of it. ``table`` plays one at a
whole table, ``judge`` says in words what was not contained, ``modes`` does both as root and as an ordinary
user, with and without a cgroup. docs/threats.md is made from the declarations. None of it needs pytest:

    python -m tests.referee.hostile [BOT ..]      plays here and now, a line of JSON a case
"""
