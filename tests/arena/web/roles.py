"""Who opens which page: what each role gets, for the matrices of the pages."""

from __future__ import annotations

ROLES = ("nobody", "chie", "aya", "odo", "rin", "sota")
"""A stranger; another author; the bot's author; the event's organiser; another organiser; the operator."""
SIGN_IN = "sent to sign in"
DONE = "sent on"
"""To the page that says what came of it."""

Answer = int | str
Page = tuple[str, str, tuple[Answer, ...]]
"""Method, address, and the answer for each role."""


def by(nobody: Answer, others: Answer, **special: Answer) -> tuple[Answer, ...]:
    """What a stranger gets, what any account gets, and who gets something else."""
    return tuple(nobody if role == "nobody" else special.get(role, others) for role in ROLES)


def own(answer: Answer, refusal: Answer = 403) -> tuple[Answer, ...]:
    """A page of the bot's author, which the operator may open too."""
    return by(SIGN_IN, refusal, aya=answer, sota=answer)


def inside(answer: Answer, refusal: Answer = 403) -> tuple[Answer, ...]:
    """What a version is like from inside: whoever may not see it is told, and offered to sign in."""
    return by(refusal, refusal, aya=answer, sota=answer)


def organiser(answer: Answer, other: Answer = 403) -> tuple[Answer, ...]:
    """A page of the event's organiser, which the operator may open too."""
    return by(SIGN_IN, 403, odo=answer, rin=other, sota=answer)


ALL, SENT_ON = by(200, 200), by(DONE, DONE)
ACCOUNTS, REFUSED, HANDLED = by(SIGN_IN, 200), by(SIGN_IN, 400), by(SIGN_IN, DONE)
"""What an account opens; a form of it sent empty; one that needs nothing."""
ORGANISERS = by(SIGN_IN, 403, odo=200, rin=200, sota=200)
HIDDEN = by(404, 404, odo=200, sota=200)
"""Of a draft."""
PRIVATE = by(404, 404, aya=200, sota=200)
SEALED = by(423, 423, sota=200)
NONE = by(404, 404)
SEATED = by(404, 404, aya=200)
"""Of a table that she plays at: not even the operator sees her cards."""
ONCE = "x" * 43
