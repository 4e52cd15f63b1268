"""What a change of an export may not show in: fields without a meaning, and fields nothing follows from."""

MEANINGLESS = {
    "tournament.state: 'archived' instead": "a final event may be archived later; nothing of it changes",
}
"""Changes that nobody finds, each with the reason."""

NAMES = "names and ids are drawn or chosen; labels can be deleted"
TIMES = "when somebody did something, and in which order boards closed"
WORDS = "reasons and notes are for people"
SETTINGS = "settings of which nothing in a record or result shows the use"
ENTRANTS = "who entered, with which version, and how the organiser seeded them, where the lots agree"
DECISIONS = "decisions of people, and faults of the platform"
QUEUE = "when a commitment was posted, and that it was: a copy of the queue shows it"
PLAY = "another legal answer, or another fault, and all that follows from it"
NOT_DERIVED = {
    "tournament.name.salt": NAMES,
    "tournament.name.text": NAMES,
    "entries[].player.salt": NAMES,
    "entries[].player.text": NAMES,
    "entries[].partner.salt": NAMES,
    "entries[].partner.text": NAMES,
    "entries[].versions[].bot.salt": NAMES,
    "entries[].versions[].bot.text": NAMES,
    "stages[].rounds[].board_set": NAMES,
    "stages[].rounds[].fixtures[].id": NAMES,
    "stages[].rounds[].fixtures[].tables[].id": NAMES,
    "stages[].rounds[].closed_seq": TIMES,
    "stages[].rounds[].fixtures[].adjudications[].created_at": TIMES,
    "statements[].body.published_at": TIMES,
    "entries[].status_reason": WORDS,
    "stages[].note": WORDS,
    "stages[].rounds[].fixtures[].reason": WORDS,
    "stages[].rounds[].fixtures[].adjudications[].reason": WORDS,
    "tournament.kind": SETTINGS,
    "tournament.queue": QUEUE,
    "tournament.queue.posted_at": QUEUE,
    "tournament.queue.key": QUEUE,
    "tournament.queue.signature": QUEUE,
    "tournament.budget_cpu_s": SETTINGS,
    "tournament.fault_policy": SETTINGS,
    "tournament.faults_before_forfeit": SETTINGS,
    "tournament.clock.bank_cpu_ms_per_deal_board": SETTINGS,
    "tournament.clock.bank_cpu_ms_per_game_board": SETTINGS,
    "tournament.clock.decision_cpu_cap_ms": SETTINGS,
    "tournament.clock.increment_cpu_ms": SETTINGS,
    "tournament.clock.start_wall_ms": SETTINGS,
    "stages[].boards_per_round": SETTINGS,
    "statements": "that something was published at all: note its digest",
    "statements[].body.settings.budget_cpu_s": SETTINGS,
    "entries[].own": ENTRANTS,
    "entries[].seed": ENTRANTS,
    "entries[].versions[].number": ENTRANTS,
    "withdrawn[].id": ENTRANTS,
    "withdrawn[].versions": ENTRANTS,
    "withdrawn[].own": ENTRANTS,
    "withdrawn[].seed": ENTRANTS,
    "withdrawn[].status_reason": ENTRANTS,
    "withdrawn[].player.salt": ENTRANTS,
    "withdrawn[].player.text": ENTRANTS,
    "withdrawn[].versions[].bot.salt": ENTRANTS,
    "withdrawn[].versions[].bot.text": ENTRANTS,
    "withdrawn[].versions[].number": ENTRANTS,
    "withdrawn[].versions[].bundle_sha256": ENTRANTS,
    "stages[].closed_early": DECISIONS,
    "stages[].rounds[].fixtures[].tables[].reruns": DECISIONS,
    "stages[].rounds[].fixtures[].adjudications[].by": DECISIONS,
    "stages[].rounds[].fixtures[].adjudications[].rounds_opened": DECISIONS,
    "record.act": PLAY,
}
"""Places where only a statement shows a change: whoever may sign can change them; each with its kind."""

NOT_DERIVED_UNPLAYED = ("tournament", "stages", "entries:", "entries[]")
"""Members of an event that was cancelled before anything was played, of which nothing follows."""
