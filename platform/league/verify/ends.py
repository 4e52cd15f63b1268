"""Check that a stage ended when it had to, by its format, its passes and its field.

Detects omitted rounds and stages that were cut short. The last statement binds what cannot be derived:
whether a budget was spent, or an organiser ended a stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from league.errors import FormatError
from league.verify.stages import FIELD_STATES, StageCheck

SEPARATED, MOST_PASSES, BUDGET = "separated", "max_passes", "budget_spent"
EMPTY, UNFIT = "field_empty", "field_unfit"
RUNNING, DONE, PLANNED = "running", "done", "planned"


def stages_misordered(stages: Sequence[StageCheck], *, has_ended: bool) -> Iterator[str]:
    """Check that stages are played one after the other, and to the end if the event was."""
    is_over = False
    was_closed_early = False
    for check in stages:
        state, code = check.stage["state"], check.stage["end_code"]
        if has_ended and state != DONE:
            yield f"{check.where}: it is {state}, although the tournament was played to its end"
        if is_over and state != PLANNED and not (state == DONE and code == EMPTY):
            yield f"{check.where}: it is {state}, although the stage before it is not done"
        if was_closed_early and (not check.stage["closed_early"] or check.digest):
            yield f"{check.where}: it was played, although the stage before it was closed early"
        is_over |= state != DONE
        was_closed_early = check.stage["closed_early"]


def expected_ends(check: StageCheck) -> tuple[str, ...]:
    """Return the codes of possible ends; empty code: its format ended it. Without codes, not over."""
    if not check.digest:
        before = check.before
        if before is None:
            return ()
        withdrawn = {name for name, (stage, _) in check.left_at.items() if stage <= check.number}
        return (EMPTY,) if not set(before.order) - withdrawn else ()
    stage = check.stage
    rounds = len(check.fixtures)
    if not rounds:
        try:
            check.format.validate(
                stage["options"], entries=len(check.order), sides=check.sides, per_side=check.seats
            )
        except FormatError:
            return (UNFIT,)
    length = check.pass_length
    if length and rounds and rounds % length == 0:
        if not check.unseparated(rounds + 1):
            return (SEPARATED,)
        if rounds // length >= check.event.tournament["max_passes"]:
            return (MOST_PASSES,)
        spent = (BUDGET,) if check.event.tournament["budget_cpu_s"] is not None else ()
        # Another pass was due, but too many entries may have left for it.
        is_over = check.format.next_round(check.stage_state((), check.left())) is None
        return (*spent, "") if is_over else spent
    outcomes = check.outcomes()
    present = outcomes[rounds // length * length :] if length else outcomes
    return ("",) if check.format.is_complete(check.stage_state(present, check.left())) else ()


def end_disagreements(check: StageCheck) -> Iterator[str]:
    """Yield contradictions to the published end of a verified stage."""
    stage = check.stage
    state, code = stage["state"], stage["end_code"]
    if state != DONE:
        if state == PLANNED and stage["rounds"]:
            yield f"{check.where}: it is planned, but rounds of it were played"
        if state == RUNNING and not stage["rounds"]:
            yield f"{check.where}: it is running, but no round of it was opened"
        if code or stage["closed_early"]:
            yield f"{check.where}: it is {state}, but names an end"
        return
    if stage["closed_early"]:
        if code:
            yield f"{check.where}: it was closed early, but names another end ({code})"
        return
    due = expected_ends(check)
    if code in due:
        return
    if not due:
        yield f"{check.where}: it ended before its last round: by its format {_missing_rounds(check)} follow"
    else:
        expected = " or ".join(end or "its format" for end in due)
        yield f"{check.where}: it is said to have ended by {code or 'its format'}, but ended by {expected}"


def _missing_rounds(check: StageCheck) -> str:
    planned = None
    if check.digest:
        planned = check.format.round_count(len(check.order), check.stage["options"], sides=check.sides)
    played = len(check.fixtures)
    return f"{planned - played} more rounds" if planned is not None and planned > played else "more rounds"


def field_without_stages(check: StageCheck) -> Iterator[str]:
    """Check that entries that left before a stage was drawn are in none of its rounds."""
    for name, (stage, drawn) in sorted(check.left_at.items()):
        if stage == check.number and drawn > len(check.stage["rounds"]):
            yield f"entry {name}: it left after round {drawn} of stage {stage}, which was never opened"
        elif stage == check.number and check.before is None and check.digest and name not in check.order:
            yield f"entry {name}: it left a field that it was not in ({' or '.join(FIELD_STATES)})"
