"""Template context of an experiment's page and list: answer, plots, settings and cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext, pgettext_lazy

from arena.accounts.selectors import Viewer
from arena.features.experiments.evidence import MIN_BOARDS, BoardEvidence, SequentialResult, StoppedTest
from arena.features.experiments.fields import STOP
from arena.features.experiments.models import Batch, Experiment
from arena.features.experiments.panels.plots import (
    evidence_plot,
    score_plot,
    score_summary,
    signed,
)
from arena.features.experiments.selectors import (
    SwingBoard,
    experiment_data,
    options_changed,
    swing_boards,
)
from arena.roster.models import BotVersion
from arena.roster.selectors import is_owner
from arena.web.base.figures import format_exact
from arena.web.base.wording import join_sentences

State = Experiment.State
STATE_NAMES = {
    State.QUEUED: pgettext_lazy("state of an experiment", "queued"),
    State.RUNNING: pgettext_lazy("state of an experiment", "running"),
    State.ACCEPTED: pgettext_lazy("state of an experiment", "accepted"),
    State.REJECTED: pgettext_lazy("state of an experiment", "rejected"),
    State.INCONCLUSIVE: pgettext_lazy("state of an experiment", "undecided"),
    State.STOPPED: pgettext_lazy("state of an experiment", "stopped"),
}
End = Experiment.End
END_REASONS = {
    End.OWNER: pgettext_lazy("why an experiment ended", "its owner or staff stopped it"),
    End.BUDGET: pgettext_lazy("why an experiment ended", "its CPU budget was used up"),
    End.VERSION: pgettext_lazy("why an experiment ended", "one of its versions can no longer play"),
    End.CANCELLED: pgettext_lazy("why an experiment ended", "one of its batches was cancelled"),
    End.FAULTS: pgettext_lazy(
        "why an experiment ended", "several batches in a row failed because of platform faults"
    ),
    End.DEADLINE: pgettext_lazy("why an experiment ended", "it reached its deadline"),
}


class BatchRow(NamedTuple):
    batch: Batch
    state_name: str
    mean: str
    evidence: str


class SwingRow(NamedTuple):
    board: SwingBoard
    results: tuple[str, ...]
    score: str


def experiment_page_of(experiment: Experiment, viewer: Viewer) -> dict[str, Any]:
    read = experiment_data(experiment)
    judgement = read.estimate.judgement
    steps = [(step.number, step.evidence) for step in read.path]
    state_text = final_state_text(experiment)
    candidate = experiment.candidate
    is_duel = experiment.sides == 2 and not experiment.is_field
    return {
        "experiment": experiment,
        "question": question_of(experiment),
        "state_name": str(STATE_NAMES[State(experiment.state)]),
        "answer": answer_of(experiment, read.estimate),
        "intervals": intervals_text(read.estimate),
        "opponents": read.opponents,
        "progress": read.progress,
        "plots": tuple(
            evidence_plot(
                steps,
                lower=judgement.lower,
                upper=judgement.upper,
                fewest=MIN_BOARDS,
                is_narrow=is_narrow,
                state=state_text,
            )
            for is_narrow in (False, True)
        ),
        "state_text": state_text,
        "scores": score_plot([step.score for step in read.path]) if read.path else None,
        "score_text": score_summary([step.score for step in read.path]),
        "swings": [_swing_row(board) for board in swing_boards(experiment, read.path)],
        "batches": _batch_rows(read.batches, read.path),
        "options": [(name, str(value)) for name, value in options_changed(experiment).items()],
        "difference": f"{experiment.difference:g}",
        "alpha": percent(experiment.alpha),
        "beta": percent(experiment.beta),
        "tables": read.tables,
        "cpu_s": round(experiment.cpu_ms_spent / 1000),
        "is_duel": is_duel,
        "may_activate": is_owner(viewer, candidate.bot)
        and candidate.state == BotVersion.State.READY
        and candidate.bot.active_version_id != candidate.pk,
        "may_stop": experiment.state in STOP.states,
    }


def question_of(experiment: Experiment) -> str:
    return _("Is %(new)s better than %(old)s?") % {
        "new": version_label(experiment.candidate),
        "old": version_label(experiment.baseline),
    }


def version_label(version: BotVersion) -> str:
    return f"{version.bot.name} {version.number}"


def percent(rate: float) -> str:
    return f"{100 * rate:.2f}".rstrip("0").rstrip(".")


def final_state_text(experiment: Experiment) -> str:
    if experiment.is_live:
        return ""
    name = str(STATE_NAMES[State(experiment.state)])
    text = ngettext(
        "%(state)s after %(boards)d board", "%(state)s after %(boards)d boards", experiment.boards
    )
    return text % {"state": name, "boards": experiment.boards}


def answer_of(experiment: Experiment, estimate: StoppedTest) -> str:
    """Answer the question in words; states no mean while the experiment is live."""
    judgement = estimate.judgement
    gain = {"mean": signed(judgement.mean), "corrected": signed(estimate.mean)}
    match experiment.state:
        case State.QUEUED:
            return _("Queued. It will start when its turn comes.")
        case State.RUNNING:
            return _running_text(experiment, judgement)
        case State.ACCEPTED if estimate.is_corrected:
            return (
                _(
                    "Yes. It gained %(mean)s stones per board, or %(corrected)s after correction for "
                    "stopping at a high point."
                )
                % gain
            )
        case State.ACCEPTED:
            return _("Yes. It gained %(mean)s stones per board.") % gain
        case State.REJECTED:
            return _("No. If it is better at all, the gain is below %(difference)s stones per board.") % {
                "difference": f"{experiment.difference:g}"
            }
        case State.INCONCLUSIVE:
            text = ngettext(
                "Undecided after %(boards)s board. Allow more boards or look for a larger gain.",
                "Undecided after %(boards)s boards. Allow more boards or look for a larger gain.",
                experiment.boards,
            )
            return text % {"boards": f"{experiment.boards:,}"}
    text = ngettext(
        "Undecided. The experiment was stopped after %(boards)s board: %(reason)s.",
        "Undecided. The experiment was stopped after %(boards)s boards: %(reason)s.",
        experiment.boards,
    )
    return text % {"boards": f"{experiment.boards:,}", "reason": END_REASONS[End(experiment.end_code)]}


def _running_text(experiment: Experiment, judgement: SequentialResult) -> str:
    boards = f"{judgement.boards:,}"
    if judgement.boards < MIN_BOARDS:
        text = ngettext(
            "Too early to say: at least %(least)d boards are needed, and %(boards)s has been counted so far.",
            "Too early to say: at least %(least)d boards are needed, and %(boards)s have been counted "
            "so far.",
            judgement.boards,
        )
        return text % {"least": MIN_BOARDS, "boards": boards}
    text = ngettext(
        "Undecided so far. %(boards)s board has been counted, and about %(left)s more are "
        "expected (at most %(cap)s in total).",
        "Undecided so far. %(boards)s boards have been counted, and about %(left)s more are "
        "expected (at most %(cap)s in total).",
        judgement.boards,
    )
    left = judgement.expected_remaining or 0
    return text % {"boards": boards, "left": f"{left:,}", "cap": f"{experiment.cap:,}"}


def intervals_text(estimate: StoppedTest) -> str:
    judgement = estimate.judgement
    low, high = judgement.anytime_interval
    if judgement.boards < 2 or not math.isfinite(low):
        return ""
    parts = []
    if estimate.is_corrected:
        parts.append(
            _("Average %(mean)s stones per board; %(corrected)s after correction for stopping early.")
            % {"mean": signed(judgement.mean), "corrected": signed(estimate.mean)}
        )
    else:
        parts.append(_("Average %(mean)s stones per board.") % {"mean": signed(judgement.mean)})
    if estimate.is_widened:
        parts.append(
            _("95%% interval, widened because the test stopped early: %(low)s to %(high)s.")
            % {"low": signed(estimate.low), "high": signed(estimate.high)}
        )
    parts.append(
        _("95%% interval, valid at any point of the experiment: %(low)s to %(high)s.")
        % {"low": signed(low), "high": signed(high)}
    )
    return join_sentences(*parts)


def _swing_row(board: SwingBoard) -> SwingRow:
    return SwingRow(
        board,
        tuple(format_exact(result, signed=True) for result in board.results),
        format_exact(board.step.score, signed=True),
    )


BATCH_STATES = {
    Batch.State.PLAYING: pgettext_lazy("state of a batch", "being played"),
    Batch.State.COUNTED: pgettext_lazy("state of a batch", "counted"),
    Batch.State.VOID: pgettext_lazy("state of a batch", "void"),
}


def _batch_rows(batches: Sequence[Batch], path: Sequence[BoardEvidence]) -> list[BatchRow]:
    lines = []
    for batch in batches:
        steps = [step for step in path if step.batch.pk == batch.pk]
        mean = evidence = ""
        if steps:
            mean = signed(float(sum(step.score for step in steps) / len(steps)))
            evidence = signed(steps[-1].evidence)
        lines.append(BatchRow(batch, str(BATCH_STATES[Batch.State(batch.state)]), mean, evidence))
    return lines


class ExperimentRow(NamedTuple):
    experiment: Experiment
    question: str
    state_name: str
    boards: str
    """Number of boards so far, and of expected further boards."""


def experiment_row(experiment: Experiment) -> ExperimentRow:
    boards = ngettext("%(count)s board", "%(count)s boards", experiment.boards) % {
        "count": f"{experiment.boards:,}"
    }
    left = experiment.expected_remaining
    if experiment.is_live and left:
        boards = pgettext("an experiment", "%(boards)s, about %(left)s more") % {
            "boards": boards,
            "left": f"{left:,}",
        }
    state = str(STATE_NAMES[State(experiment.state)])
    return ExperimentRow(experiment, question_of(experiment), state, boards)
