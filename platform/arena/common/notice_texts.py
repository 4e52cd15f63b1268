"""Texts of notices to accounts, and of clauses in them, by code (``arena.common.notes``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

CLAUSES: Mapping[str, Any] = {
    "because": _(": %(why)s"),
    "before_time": _(" before %(time)s"),
    "until_time": _(" until %(time)s"),
    "at_time": _(", %(time)s"),
    "by_player": _(" by %(player)s"),
    "by_organiser": _(" by the organiser"),
    "by_staff": _(" by staff"),
    "became_active": _(" It is the bot's active version now."),
    "stays_active": _(
        " v%(number)d stays the bot's active version, which cups enter each time, until you make this one "
        "active, on its page."
    ),
    "none_active": _(" The bot has no active version now."),
    "no_version": _("%(bot)s has no version that passed its check."),
    "next_edition": _(" The next starts at %(time)s."),
    "last_edition_over": _(" It has ended."),
    "ruled_forfeit": _("fixture %(fixture)d of round %(round)d is a forfeit by %(bots)s"),
    "ruled_draw": _("fixture %(fixture)d of round %(round)d is a draw"),
    "ruled_void": _("fixture %(fixture)d of round %(round)d is void"),
    "ruled_lift": _("fixture %(fixture)d of round %(round)d counts as played again"),
    "ruled_rerun": _("a table of fixture %(fixture)d of round %(round)d is played again"),
    "pair_void": _("fixtures of %(first)s and %(second)s are void"),
    "pair_lift": _("fixtures of %(first)s and %(second)s count as played again"),
}
"""Parts of the texts below, by code."""

NOTICES: Mapping[str, Any] = {
    "partner_asked": _(
        "%(player)s wants to enter %(event)s with the pair %(bots)s, of which %(version)s is yours. Agree or "
        "decline on its page%(until)s; without your consent it is void at the lock."
    ),
    "partner_agreed": _("%(player)s agreed: the pair %(bots)s is entered in %(event)s."),
    "partner_declined": _("The pair %(bots)s is not entered in %(event)s: %(player)s declined%(because)s."),
    "invited": _("%(organiser)s invites you to %(event)s (%(preset)s); enter it%(until)s."),
    "entry_withdrawn": _("%(bots)s is withdrawn from %(event)s%(by)s%(because)s."),
    "entry_gone": _("%(bots)s has left %(event)s%(because)s."),
    "entry_taken_out": _("%(bots)s has left %(event)s, withdrawn%(by)s%(because)s."),
    "entry_void": _("%(bots)s is not in %(event)s: %(why)s."),
    "entry_of_suspended": _(
        "%(version)s is suspended: the entry of %(bots)s in %(event)s is void at the lock%(when)s unless it "
        "is ready again by then. Withdraw it and enter another version meanwhile."
    ),
    "entry_of_retired": _(
        "%(version)s is retired: the entry of %(bots)s in %(event)s is void at the lock%(when)s. Withdraw it "
        "and enter another version meanwhile."
    ),
    "event_final": _("%(event)s is final: its standings and records are open to read."),
    "challenge_played": _("Your challenge %(event)s is played."),
    "event_off": _("%(event)s was cancelled%(because)s."),
    "system_cancelled": _("%(event)s is cancelled by the system%(because)s."),
    "system_paused": _("%(event)s is paused by the system%(because)s."),
    "registration_until": _("Registration of %(event)s now ends at %(time)s."),
    "registration_open_end": _("Registration of %(event)s now ends when the organiser closes it."),
    "series_paused": _("%(series)s is paused: %(why)s Change what it names and resume it."),
    "edition_skipped": _(
        "%(series)s: the edition of %(missed)s (and any until %(now)s) was skipped, because the platform "
        "stood still when it was to be opened.%(next)s"
    ),
    "not_entered": _(
        "%(bot)s could not be entered in the latest edition of %(series)s: %(why)s It will be tried again "
        "each time, until you take it out on the page of the cup."
    ),
    "unsubscribed_game": _(
        "%(bot)s is no longer entered in each edition of %(series)s: the cup was changed, and plays %(game)s "
        "now."
    ),
    "unsubscribed_partners": _(
        "%(bot)s is no longer entered in each edition of %(series)s: the cup was changed, and in it "
        "everybody partners everybody in turn now. If you agree to that, have it entered each time again, "
        "on the page of the cup."
    ),
    "report_opened": _("%(user)s reports a problem in %(event)s, for %(bots)s: %(text)s"),
    "report_answered": _("Your report in %(event)s, for %(bots)s, was answered: %(text)s"),
    "named_organiser": _(
        "%(user)s named you as an organiser of %(event)s. You may run it, and take your name off on its form."
    ),
    "ladder_idle": _(
        "%(version)s has left the ladder %(preset)s: it forfeited every table of its last %(rounds)d rounds. "
        "Its page shows its faults; put it, or a corrected version, on the ladder again when it plays."
    ),
    "suspended": _(
        "%(version)s is suspended: %(why)s. It cannot enter tournaments; entries already locked play on, and "
        "those of tournaments still open are void unless it is ready again at the lock. Remedies: upload a "
        "corrected version, or ask for a new check of this one, at most once a day; it is ready again if it "
        "passes. Its page shows its faults.%(active)s"
    ),
    "still_suspended": _(
        "%(version)s stays suspended: it did not pass the check that would have ended it; the check says "
        "why. Remedies: upload a corrected version, or ask for a new check of this one, at most once a day; "
        "it is ready again if it passes."
    ),
    "reinstated_by_operator": _(
        "%(version)s may enter tournaments again: an operator lifted the suspension. Tables it forfeited "
        "before count no more."
    ),
    "reinstated_by_check": _(
        "%(version)s may enter tournaments again: it passed its check. Tables it forfeited before count no "
        "more."
    ),
    "check_passed": _(
        "%(version)s passed its check.%(active)s Enter it in a tournament that is open for registration."
    ),
    "check_failed": _(
        "%(version)s did not pass its check%(because)s. Its page has every step; upload a corrected one."
    ),
    "stalled": _(
        "%(event)s is held up by a fault of the platform: %(part)s. Nobody is charged for it and nothing is "
        "lost: it continues once the operator has repaired it. The fault: %(why)s"
    ),
    "recovered": ngettext_lazy(
        "%(event)s goes on after standing still for %(seconds)d second.",
        "%(event)s goes on after standing still for %(seconds)d seconds.",
        "seconds",
    ),
    "table_held_back": _(
        "A table of %(event)s was quarantined after faults of the platform: %(why)s. Once that is repaired, "
        "send it and all others back to wait on the event's page; after %(hours)d hours its fixture is void."
    ),
    "ruling": _("Ruling in %(event)s: %(ruling)s. Reason: %(text)s"),
    "experiment_accepted": ngettext_lazy(
        "%(candidate)s is better than %(baseline)s: accepted after %(boards)d board.",
        "%(candidate)s is better than %(baseline)s: accepted after %(boards)d boards.",
        "boards",
    ),
    "experiment_rejected": ngettext_lazy(
        "%(candidate)s is not better than %(baseline)s by %(difference)s stones a board: rejected after "
        "%(boards)d board.",
        "%(candidate)s is not better than %(baseline)s by %(difference)s stones a board: rejected after "
        "%(boards)d boards.",
        "boards",
    ),
    "experiment_inconclusive": ngettext_lazy(
        "%(candidate)s against %(baseline)s: not decided after %(boards)d board.",
        "%(candidate)s against %(baseline)s: not decided after %(boards)d boards.",
        "boards",
    ),
    "experiment_stopped": ngettext_lazy(
        "%(candidate)s against %(baseline)s was stopped after %(boards)d board%(because)s.",
        "%(candidate)s against %(baseline)s was stopped after %(boards)d boards%(because)s.",
        "boards",
    ),
    "webhook_disabled": _(
        "%(webhook)s was disabled: %(why)s. What waited for it has failed. Mend the receiver, resume the "
        "webhook (rensho api PATCH webhooks/%(id)s state=active), and redeliver what you need."
    ),
}
"""Complete texts, by code."""
